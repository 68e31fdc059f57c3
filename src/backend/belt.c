/* belt.c: see belt.h. */
#include "backend/belt.h"

#include <string.h>

#include "base/error.h"

_Static_assert((int)MAX_HAULS >= (int)LED_JOBS, "all that a driver has in flight finds a place");

int belt_open(belt *b, memory *memory, trawl_error *error)
{
    b->threads = pool_open(memory);
    if (!b->threads)
        return memory_failed(memory, error, "a context");
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->more, NULL);
    pthread_cond_init(&b->done, NULL);
    return TRAWL_OK;
}

void belt_close(belt *b)
{
    if (!b->threads)
        return;
    pool_close(b->threads);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->more);
    pthread_cond_destroy(&b->done);
    b->threads = NULL;
}

/* Devices in turn, so that few threads serve all of them. */
void belt_man(belt *b, used_device *devices, u32 count, u32 carriers, u32 lanes)
{
    b->carrier_count = 0;
    for (u32 k = 0; k < carriers; k++)
        for (u32 i = 0; i < count && b->carrier_count < MAX_CARRIERS; i++) {
            used_device *u = &devices[i];
            const u32 all = lanes < u->lane_count ? lanes : u->lane_count;
            const u32 step = carriers < all ? carriers : all;
            if (k < step)
                b->carriers[b->carrier_count++] = (carrier){
                    .device = u, .first = k, .step = step, .lanes = (all - k - 1) / step + 1
                };
        }
}

/* ---- the belt: all under its lock ------------------------------------------------- */

/* What is left of the first job is taken, or will not be. */
static void pass(belt *b)
{
    b->first = b->first->behind;
}

/* So many of a job's slices and pieces are done. */
static void count_off(belt *b, haul *h, size_t count)
{
    h->open -= count;
    if (h->open == 0)
        pthread_cond_broadcast(&b->done);
}

static void note_failure(haul *h, int status, const trawl_error *why)
{
    if (status == TRAWL_OK || h->status != TRAWL_OK)
        return;
    h->status = status;
    h->why = *why;
}

/* The next slice of a job that has not failed. */
static bool take(belt *b, haul **h, slice **s)
{
    for (; b->first; pass(b)) {
        haul *job = b->first;
        if (job->status != TRAWL_OK) {
            const size_t left = job->count - job->next;
            job->next = job->count;
            count_off(b, job, left);
        }
        if (job->next < job->count) {
            *h = job;
            *s = &job->slices[job->next++];
            return true;
        }
    }
    return false;
}

/* ---- carriers ------------------------------------------------------------------------ */

static lane *lane_at(const carrier *c, u32 turn)
{
    return &c->device->lanes[c->first + turn * c->step];
}

/* Wait for the oldest piece; when its job has failed, only until it is gone. */
static void collect_oldest(belt *b, carrier *c)
{
    const trip t = c->trips[c->oldest];
    lane *l = lane_at(c, c->oldest);
    spent times = { 0 };
    trawl_error why;
    pthread_mutex_lock(&b->lock);
    int status = t.of->status;
    pthread_mutex_unlock(&b->lock);
    error_clear(&why);
    if (status == TRAWL_OK)
        status = lane_collect(l, &times, &why);
    if (status != TRAWL_OK)
        lane_give_up(l);
    else if (t.last && t.of->ready)
        t.of->ready(t.of->job, t.s);
    c->oldest = (c->oldest + 1) % c->lanes;
    c->busy--;
    pthread_mutex_lock(&b->lock);
    b->times.kernel += times.kernel;
    b->times.to_device += times.to_device;
    b->times.from_device += times.from_device;
    b->times.pieces += times.pieces;
    b->times.bytes += times.bytes;
    b->times.timed_bytes += times.timed_bytes;
    note_failure(t.of, status, &why);
    count_off(b, t.of, 1);
    pthread_mutex_unlock(&b->lock);
}

/* All pieces of a slice. */
static void send_slice(belt *b, carrier *c, haul *h, slice *s)
{
    trawl_error why;
    int status = TRAWL_OK;
    error_clear(&why);
    for (u32 at = s->begin; at < s->end && status == TRAWL_OK;) {
        if (c->busy == c->lanes)
            collect_oldest(b, c);
        const u32 turn = (c->oldest + c->busy) % c->lanes;
        status = h->send(h, lane_at(c, turn), s, &at, &why);
        if (status != TRAWL_OK) {
            lane_give_up(lane_at(c, turn));
            break;
        }
        c->trips[turn] = (trip){ h, s, at == s->end };
        c->busy++;
        pthread_mutex_lock(&b->lock);
        h->open++;
        status = h->status; /* another carrier's: nobody will ask for the rest */
        pthread_mutex_unlock(&b->lock);
    }
    pthread_mutex_lock(&b->lock);
    note_failure(h, status, &why);
    count_off(b, h, 1);
    pthread_mutex_unlock(&b->lock);
}

/* Until nothing is on the belt, or in flight, or to come. */
static void carry(belt *b, carrier *c)
{
    for (;;) {
        haul *h = NULL;
        slice *s = NULL;
        pthread_mutex_lock(&b->lock);
        while (!take(b, &h, &s) && c->busy == 0 && b->led)
            pthread_cond_wait(&b->more, &b->lock);
        pthread_mutex_unlock(&b->lock);
        if (s)
            send_slice(b, c, h, s);
        else if (c->busy)
            collect_oldest(b, c);
        else
            return;
    }
}

/* ---- the two ways ------------------------------------------------------------------------ */

/* `urgent`: before all others, for the caller has nothing else to do. */
static void put(belt *b, const haul *job, bool urgent)
{
    haul *h = b->hauls;
    pthread_mutex_lock(&b->lock);
    while (h->there)
        h++;
    *h = *job;
    h->there = true;
    h->open = h->count;
    haul **place = &b->first;
    while (*place && !urgent)
        place = &(*place)->behind;
    h->behind = *place;
    *place = h;
    pthread_cond_broadcast(&b->more);
    pthread_mutex_unlock(&b->lock);
}

void belt_put(belt *b, const haul *job)
{
    put(b, job, false);
}

int belt_wait(belt *b, const void *job, trawl_error *error)
{
    haul *h = b->hauls;
    pthread_mutex_lock(&b->lock);
    while (!h->there || h->job != job)
        h++;
    while (h->open)
        pthread_cond_wait(&b->done, &b->lock);
    const int status = h->status;
    if (status != TRAWL_OK && error)
        *error = h->why;
    haul **place = &b->first;
    while (*place && *place != h)
        place = &(*place)->behind;
    if (*place) /* all of it is taken */
        *place = h->behind;
    memset(h, 0, sizeof *h);
    pthread_mutex_unlock(&b->lock);
    return status;
}

static void carry_task(void *job, uint32_t index)
{
    belt *b = job;
    carry(b, &b->carriers[index]);
}

/* A carrier that is alone has the others' threads for copying. */
static void give_copiers(belt *b, pool *threads)
{
    for (u32 i = 0; i < b->carrier_count; i++)
        b->carriers[i].device->copiers = threads;
}

int belt_run(belt *b, const haul *job, trawl_error *error)
{
    const u32 helpers = b->carrier_count - 1;
    put(b, job, true);
    if (!b->led && helpers) {
        give_copiers(b, NULL);
        pool_grow(b->threads, helpers);
        /* dealt: who waits for a device is not idle, and the pool must not take it for that */
        pool_run(b->threads, helpers, true, carry_task, b, b->carrier_count);
    } else if (!b->led) {
        give_copiers(b, b->threads);
        carry_task(b, 0);
    }
    return belt_wait(b, job->job, error);
}

static void lead_task(void *job, uint32_t index)
{
    belt *b = job;
    if (index > 0) {
        carry(b, &b->carriers[index - 1]);
        return;
    }
    b->lead(b->lead_user);
    pthread_mutex_lock(&b->lock);
    b->led = false;
    pthread_cond_broadcast(&b->more);
    pthread_mutex_unlock(&b->lock);
}

bool belt_lead(belt *b, void (*lead)(void *user), void *user)
{
    pool_grow(b->threads, b->carrier_count);
    if (pool_size(b->threads) == 0)
        return false;
    give_copiers(b, NULL);
    b->lead = lead;
    b->lead_user = user;
    b->led = true;
    pool_run(b->threads, b->carrier_count, true, lead_task, b, b->carrier_count + 1);
    return true;
}
