/* led.c: several windows of a text in flight at once.
 *
 * Idea: a device computes while the matches of the windows before are handed on. The backend's
 * threads run the jobs of some windows, in order, and sort the records of each slice. The caller's
 * thread cuts windows, waits for the oldest one, and hands on its matches.
 *
 * Invariant: windows are handed on in order, each once; after an error, or when the caller wants no
 * more, what is in flight is waited for and forgotten. A window for which memory ran out, and all
 * after it, are scanned again one by one, which needs less.
 *
 * Cost: room for the records of all windows in flight; and when a call ends early, some windows
 * were searched for nothing. So calls with a limit on matches or steps are not led.
 */
#include <string.h>

#include "scan/text.h"

#define FLIGHTS (LED_JOBS - 1u) /* another job may be run again in stretches */
#define MAX_LED (256u << 20)
#define LED_HELD (512u << 20) /* of a text that is on a device: two pieces */

typedef struct flight {
    scan_room *room;
    text_job job;
    uint64_t at, began;
    uint32_t lead, length;
} flight;

typedef struct flights {
    text_course *course;
    flight each[FLIGHTS];
    uint32_t oldest, count;
    uint64_t at;     /* where the next window begins */
    uint64_t landed; /* when the last window did */
    bool one_by_one; /* memory ran out */
    int status;
    trawl_error *error;
} flights;

static bool may_start(const flights *f)
{
    const text_course *c = f->course;
    return f->status == TRAWL_OK && !f->one_by_one && f->count < FLIGHTS && f->at < c->length &&
           !(c->d && delivery_idle(c->d));
}

/* The bytes of a window, so that all lanes have work while other windows are in flight. */
static uint64_t led_window(const worker *w)
{
    const uint64_t wanted = (uint64_t)w->limits.slice_bytes * w->limits.lanes;
    return wanted < MAX_LED ? wanted : MAX_LED;
}

static void start(flights *f)
{
    text_course *c = f->course;
    text_scan *scan = c->scan;
    flight *next = &f->each[(f->oldest + f->count) % FLIGHTS];
    const uint64_t reach = plan_head(scan->plan)->reach, left = c->length - f->at;
    const uint64_t usual = c->text ? led_window(scan->worker) : LED_HELD;
    const uint64_t again = 8 * reach, most = usual > again ? usual : again; /* as in learn */
    uint64_t length = scan->window < most ? scan->window : most;
    length = length < left ? length : left;
    next->at = f->at;
    next->lead = (uint32_t)(f->at < reach ? f->at : reach);
    next->length = (uint32_t)length;
    next->began = clock_now();
    f->status = budget_check(c->budget);
    if (f->status != TRAWL_OK)
        return;
    scan->window_at = f->at - next->lead;
    f->status = text_scan_cut(scan, next->room, c->text ? c->text + scan->window_at : NULL,
                              next->lead, next->lead + next->length, false, &next->job, f->error);
    if (f->status != TRAWL_OK)
        return;
    scan->worker->backend->device->start(scan->worker, &next->job);
    f->at += length;
    f->count++;
}

static int hand_on(flights *f, flight *first)
{
    text_course *c = f->course;
    text_scan *scan = c->scan;
    const uint64_t before = scan->counted;
    scan->window_at = first->at - first->lead;
    if (c->d)
        c->d->window_begin = scan->window_at;
    stages_note(&scan->context->experience.stages, scan->plan, first->job.slices, first->job.count,
                1);
    const int status = text_scan_hand_on(scan, first->room, &first->job, f->error);
    const uint64_t now = clock_now();
    const uint64_t since = first->began > f->landed ? first->began : f->landed;
    text_scan_learn(scan, !c->text, first->length, scan->counted - before, FLIGHTS * (now - since));
    f->landed = now;
    c->at = first->at + first->length;
    context_scanned(scan->context, first->length);
    return status;
}

static void land(flights *f)
{
    flight *first = &f->each[f->oldest];
    worker *w = f->course->scan->worker;
    trawl_error why;
    error_clear(&why);
    const int status = w->backend->device->finish(w, &first->job, &why);
    f->oldest = (f->oldest + 1) % FLIGHTS;
    f->count--;
    if (f->status != TRAWL_OK || f->one_by_one)
        return;
    if (status == TRAWL_ERROR_MEMORY) {
        f->one_by_one = true;
    } else if (status != TRAWL_OK) {
        f->status = status;
        if (f->error)
            *f->error = why;
    } else {
        f->status = hand_on(f, first);
    }
}

static void lead(void *user)
{
    flights *f = user;
    do {
        while (may_start(f))
            start(f);
        if (f->count)
            land(f);
    } while (f->count || may_start(f));
}

static bool pays(const text_course *c)
{
    const worker *w = c->scan->worker;
    return on_devices(w) && !c->scan->keeping && c->length - c->at > w->limits.first_window &&
           c->budget->steps == UINT64_MAX && (!c->d || c->d->out.left == UINT64_MAX) &&
           !c->scan->state;
}

int text_lead(text_course *c, trawl_error *error)
{
    text_scan *scan = c->scan;
    flights f = { .course = c, .at = c->at, .error = error };
    if (!pays(c))
        return TRAWL_OK;
    text_scan_begin(scan, !c->text);
    f.each[0].room = &scan->context->room;
    for (uint32_t i = 1; i < FLIGHTS; i++)
        f.each[i].room = &scan->context->more[i - 1];
    if (c->d && delivery_is_plain(c->d)) {
        scan->make = make_matches;
        scan->take = take_matches;
    }
    scan->led = true;
    (void)scan->worker->backend->device->lead(scan->worker, scan->plan, !c->text,
                                              scan->consume != NULL, lead, &f);
    scan->led = false;
    scan->make = NULL;
    return f.status;
}
