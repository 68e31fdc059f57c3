/* scan.c: windows of text are cut into slices, run, and handed on.
 *
 * Idea: a window is cut into slices that share a fixed room for records. A slice with more matches
 * than room is scanned once more, in stretches short enough to fit. So memory is bounded whatever
 * the text holds, and no match is lost. The next window is made shorter, so that the second pass
 * stays the exception.
 *
 * If a device has too little memory, the context's spare worker, the CPU's threads, takes over,
 * unless the text is in the device's memory.
 */
#include "scan/scan.h"

#include <string.h>

#include "scan/carry.h"

#define MIN_SLICE (64u << 10)
#define USUAL_CHUNKS 1000u
#define ATTEMPT (4u << 20) /* a slice of a plan with fallbacks: an attempt ends with it */
#define MIN_WINDOW 4096u
#define MAX_WINDOW (256u << 20)
#define MAX_HELD (512u << 20)      /* of a text that is on a device */
#define SLICES_OF_STATE (2u << 20) /* words of state that all slices of a job may have */
#define MIN_REREAD 4u              /* streams: windows of fewer reaches flow */
#define SLICE_RECORDS 256u         /* the least room of a slice, */
#define BYTES_A_RECORD 64u         /* on devices, where slices are long */
#define MIN_SHARE (2u << 20)       /* of a window that lanes share, in bytes */
#define HELD_SHARES 4u             /* of a text's slices, whose records are sorted */
#define MIN_RECORDS 4096u          /* and all of a window */
#define NEAR_RECORDS 32768u        /* records that stay in a core's caches from the walk to the
                                      caller */
#define WORDS_OF_A_WINDOW 16u      /* of state: with more, a byte costs more */

static size_t state_bytes(const text_scan *scan)
{
    return (size_t)plan_head(scan->plan)->state_words * sizeof(uint64_t);
}

/* Open the flow. Devices keep no state of parts that do not carry. */
static int open_flow(text_scan *scan, trawl_error *error)
{
    if (on_devices(scan->worker))
        return TRAWL_OK;
    for (uint32_t i = 0; i < plan_head(scan->plan)->part_count; i++)
        scan->flow_words += part_flow_words(scan->plan, &plan_parts(scan->plan)[i]);
    if (scan->flow_words)
        scan->flow =
            memory_take_zeroed(&scan->context->memory, 2 * scan->flow_words, sizeof *scan->flow);
    scan->flows = true; /* nothing was read yet */
    return scan->flow || !scan->flow_words
               ? TRAWL_OK
               : memory_failed(&scan->context->memory, error, "a scan's state");
}

/* Bytes of the first window. A call can end only between windows: the more a byte costs, the
 * shorter it is. */
static uint64_t first_window(const text_scan *scan)
{
    uint64_t words = WORDS_OF_A_WINDOW, window = scan->worker->limits.first_window;
    const plan_part *parts = plan_parts(scan->plan);
    if (on_devices(scan->worker))
        return window;
    for (uint32_t i = 0; i < plan_head(scan->plan)->part_count; i++)
        if (walk_flows(part_stages(scan->plan, &parts[i])->kind)) /* each byte goes through all */
            words += part_stages(scan->plan, &parts[i])->state_words;
    window = window * WORDS_OF_A_WINDOW / words;
    return window < MIN_WINDOW ? MIN_WINDOW : window;
}

/* Go on with what the context has learned of this plan. */
static scan_experience *learned(text_scan *scan)
{
    scan_experience *e = &scan->context->experience;
    const uint64_t checksum = plan_head(scan->plan)->checksum;
    if (e->plan != scan->plan || e->checksum != checksum)
        *e = (scan_experience){ .plan = scan->plan, .checksum = checksum };
    return e;
}

void text_scan_begin(text_scan *scan, bool held)
{
    const scan_experience *e = learned(scan);
    if (held && e->window > scan->window)
        scan->window = e->window;
}

int text_scan_open(text_scan *scan, trawl_context *context, const trawl_plan *plan, bool stream,
                   records_fn consume, void *user, trawl_error *error)
{
    memset(scan, 0, sizeof *scan);
    scan->context = context;
    scan->worker = &context->worker;
    scan->plan = plan;
    scan->consume = consume;
    scan->user = user;
    scan->window = first_window(scan);
    int status = plan_head(plan)->carries ? carry_open(scan, error) : TRAWL_OK;
    if (status == TRAWL_OK && stream)
        status = open_flow(scan, error);
    if (status != TRAWL_OK)
        text_scan_close(scan);
    return status;
}

void text_scan_close(text_scan *scan)
{
    memory_give(&scan->context->memory, scan->state);
    memory_give(&scan->context->memory, scan->flow);
    scan->state = scan->flow = NULL;
}

void text_scan_forget_flow(text_scan *scan)
{
    if (scan->flow) /* all zero is true where nothing lies before the next byte */
        memset(scan->flow, 0, scan->flow_words * sizeof *scan->flow);
    scan->flows = false;
}

void text_scan_restart(text_scan *scan)
{
    if (scan->state)
        memset(scan->state, 0, state_bytes(scan));
    text_scan_forget_flow(scan);
    scan->flows = true; /* nothing lies before the next byte */
}

/* ---- cutting ---------------------------------------------------------- */

/* Bytes of a slice on a device. A text that one window holds is shared out, so that all lanes are
 * done at about the same time. Else short slices only cost more: what is queued with each takes the
 * time of half a MiB. */
static uint32_t device_slice(const text_scan *scan, bool held, uint32_t length)
{
    const backend_limits *limits = &scan->worker->limits;
    const uint32_t usual = held ? limits->held_bytes : limits->slice_bytes;
    const uint32_t share = length / limits->lanes;
    if (held)
        return scan->consume && usual / HELD_SHARES > limits->slice_bytes ? usual / HELD_SHARES
                                                                          : usual;
    if (scan->led || limits->lanes == 1 || share >= usual)
        return usual;
    return share > MIN_SHARE ? share : MIN_SHARE < usual ? MIN_SHARE : usual;
}

static uint32_t choose_chunks(const text_scan *scan, bool held, uint32_t length, uint32_t most)
{
    const worker *w = scan->worker;
    uint32_t usual = w->limits.slice_bytes;
    uint64_t least = MIN_SLICE, again = 8 * plan_head(scan->plan)->reach;
    uint64_t chunks = w->options.chunks;
    if (on_devices(w))
        usual = device_slice(scan, held, length);
    least = again > least ? again : least;
    if (scan->state && SLICES_OF_STATE / plan_head(scan->plan)->state_words < most)
        most = (uint32_t)(SLICES_OF_STATE / plan_head(scan->plan)->state_words) + 1;
    if (usual && scan->state && w->limits.carries_whole)
        chunks = 1;
    else if (usual)
        chunks = (length - 1) / (least > usual ? least : usual) + 1;
    else if (!chunks && (w->threads == 1 || length < MIN_SHARED))
        chunks = stages_may_give_up(scan->plan)
                     ? (length - 1) / (least > ATTEMPT ? least : ATTEMPT) + 1
                     : 1;
    else if (!chunks && w->options.schedule == TRAWL_SCHEDULE_STATIC)
        chunks = w->threads;
    else if (!chunks)
        chunks = length / least < USUAL_CHUNKS ? length / least + 1 : USUAL_CHUNKS;
    chunks = chunks < most ? chunks : most;
    return chunks < length ? (uint32_t)chunks : length;
}

/* Cut window[begin .. end) into `count` slices. */
static int cut(text_scan *scan, scan_room *room, uint32_t begin, uint32_t end, uint32_t count,
               trawl_error *error)
{
    const uint32_t reach = (uint32_t)plan_head(scan->plan)->reach;
    const size_t capacity = scan->consume ? room->record_count / count : 0;
    const uint64_t length = end - begin;
    uint32_t longest = 0;
    memset(room->slices, 0, count * sizeof *room->slices);
    memset(room->extras, 0, count * sizeof *room->extras);
    for (uint32_t i = 0; i < count; i++) {
        slice *s = &room->slices[i];
        s->begin = begin + (uint32_t)(length * i / count);
        s->end = begin + (uint32_t)(length * (i + 1) / count);
        s->from = s->begin > reach ? s->begin - reach : 0;
        s->capacity = capacity;
        s->records = capacity ? room->records + i * capacity : NULL;
        longest = s->end - s->begin > longest ? s->end - s->begin : longest;
    }
    return scan->state ? carry_place(scan, room, count, longest, error) : TRAWL_OK;
}

/* The first slice goes on from the flow at the end of the last window, and the last slice leaves
 * its own for the next window. Slices between them read their reach. */
static void place_flow(text_scan *scan, slice *slices, uint32_t count)
{
    uint64_t *spare = scan->flow + scan->flow_words;
    slices[0].flow = count > 1 ? spare : scan->flow;
    slices[0].flows_in = scan->flows;
    if (count > 1) {
        memcpy(spare, scan->flow, scan->flow_words * sizeof *spare);
        slices[count - 1].flow = scan->flow;
    }
}

/* ---- running ---------------------------------------------------------- */

/* Put records in order. If the plan carries, one may be there twice. */
static void put_in_order(const text_scan *scan, slice *s, record *scratch)
{
    if (!s->sorted)
        records_sort(s->records, (size_t)s->count, scratch);
    if (scan->state)
        s->count = records_distinct(s->records, (size_t)s->count);
}

/* Runs on the thread that has the slice, whose own part of the scratch is large enough. */
static void settle_ahead(const text_job *job, slice *s)
{
    const scan_room *room = job->user;
    const text_scan *scan = room->scan;
    s->sorted = s->count <= s->capacity;
    if (!s->sorted || s->count == 0)
        return;
    void *scratch = scan_room_scratch(room, s);
    slice_extra *extra = extra_of(room, s);
    records_sort(s->records, (size_t)s->count, scratch);
    if (scan->make && room->scratch_size == sizeof *extra->matches) {
        extra->matches = scratch;
        extra->match_count =
            scan->make(scan->user, s->records, (size_t)s->count, job->window_at, extra->matches);
    }
}

/* Runs on that thread too. */
static void widen(const text_job *job, slice *s, u64 records)
{
    const scan_room *room = job->user;
    if (records == 0) {
        scan_slice_narrow(room, s);
        return;
    }
    record *wider =
        memory_take_array(room->memory, (size_t)records, sizeof *wider + room->scratch_size);
    if (!wider)
        return;
    if (s->count)
        memcpy(wider, s->records, (size_t)s->count * sizeof *wider);
    slice_extra *extra = extra_of(room, s);
    record *narrow = extra->narrow ? extra->narrow : s->records;
    scan_slice_narrow(room, s);
    s->records = wider;
    s->capacity = records;
    extra->narrow = narrow;
}

static int scan_stretches(text_scan *scan, const uint8_t *window, uint32_t begin, uint32_t end,
                          uint64_t count, trawl_error *error);

/* Make room for as many records as the last window lets expect, with some for every slice. */
static int fit_room(const text_scan *scan, scan_room *room, uint32_t count, uint32_t length,
                    trawl_error *error)
{
    const scan_experience *e = &scan->context->experience;
    const uint64_t expected = e->bytes ? e->found * length / e->bytes : 0;
    const bool device = on_devices(scan->worker);
    size_t records = !scan->consume ? 0
                     : device       ? length / BYTES_A_RECORD
                                    : SLICE_RECORDS * (size_t)count;
    if (scan->consume)
        records += 4 * (size_t)(expected < SCAN_RECORDS ? expected : SCAN_RECORDS);
    if (scan->consume && records < MIN_RECORDS)
        records = MIN_RECORDS;
    return scan_room_fit(room, count, records < SCAN_RECORDS ? records : SCAN_RECORDS,
                         scan->make != NULL, error);
}

int text_scan_cut(text_scan *scan, scan_room *room, const uint8_t *window, uint32_t begin,
                  uint32_t end, bool again, text_job *job, trawl_error *error)
{
    const uint32_t count =
        choose_chunks(scan, !window, end - begin, again ? room->slice_count : SCAN_SLICES);
    int status = again ? TRAWL_OK : fit_room(scan, room, count, end - begin, error);
    if (status != TRAWL_OK)
        return status;
    scan_room_narrow(room);
    room->scan = scan;
    *job = (text_job){ .plan = scan->plan,
                       .isa = scan->context->worker.target.isa,
                       .window = window,
                       .window_at = scan->window_at,
                       .opens = scan->opens,
                       .slices = room->slices,
                       .count = count,
                       .mark_bytes = 1,
                       .allowance = scan->worker->limits.allowance,
                       .memory = &scan->context->memory,
                       .ready = scan->state ? NULL : settle_ahead,
                       .widen = widen,
                       .user = room,
                       .keeping = scan->keeping };
    for (uint32_t p = 0; p < MAX_PARTS; p++)
        job->fallback[p] = scan->context->experience.stages.fallback[p];
    return cut(scan, room, begin, end, count, error);
}

/* Cut, run and settle window[begin .. end) with the present worker. Nothing is handed on. */
static int run_region(text_scan *scan, scan_room *room, const uint8_t *window, uint32_t begin,
                      uint32_t end, bool again, text_job *job, trawl_error *error)
{
    int status = text_scan_cut(scan, room, window, begin, end, again, job, error);
    if (status != TRAWL_OK)
        return status;
    job->mark_bytes = room->mark_bytes;
    /* In a stream of short feeds a fallback that flows is cheaper than reading reaches again. */
    const bool flowing =
        scan->flow && !again && end - begin < MIN_REREAD * plan_head(scan->plan)->reach;
    for (uint32_t p = 0; p < MAX_PARTS; p++)
        job->fallback[p] |= flowing;
    if (flowing)
        place_flow(scan, room->slices, (uint32_t)job->count);
    status = scan->worker->backend->run_text(scan->worker, job, error);
    if (!again)
        scan->flows = flowing;
    if (status == TRAWL_OK && scan->state)
        status = carry_settle(scan, job, error);
    if (status == TRAWL_OK && !flowing && !again)
        stages_note(&scan->context->experience.stages, scan->plan, job->slices, job->count, 1);
    return status;
}

int text_scan_hand_on(text_scan *scan, scan_room *room, const text_job *job, trawl_error *error)
{
    int status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i < job->count; i++) {
        slice *s = &room->slices[i];
        const slice_extra *extra = &room->extras[i];
        if (!scan->consume) {
            scan->counted += s->count;
        } else if (extra->matches) {
            scan->counted += s->count;
            status = scan->take(scan->user, extra->matches, extra->match_count);
        } else if (s->count <= s->capacity) {
            put_in_order(scan, s, (record *)scan_room_scratch(room, s));
            scan->counted += s->count;
            status = scan->consume(scan->user, s->records, (size_t)s->count, s->end, error);
        } else {
            status = scan_stretches(scan, job->window, s->begin, s->end, s->count, error);
        }
        if (scan->state)
            memcpy(scan->state, carry_end(scan, job, i), state_bytes(scan));
    }
    scan_room_narrow(room);
    return status;
}

/* Scan window[begin .. end) as one job and hand its matches on in order; `again`: it did not fit
 * the room that it had. */
static int scan_region(text_scan *scan, scan_room *room, const uint8_t *window, uint32_t begin,
                       uint32_t end, bool again, trawl_error *error)
{
    text_job job;
    trawl_error why;
    error_clear(&why);
    int status = run_region(scan, room, window, begin, end, again, &job, &why);
    worker *const usual = scan->worker;
    if (status == TRAWL_ERROR_MEMORY && !window) {
        context_no_spare("a text", &why);
    } else if (status == TRAWL_ERROR_MEMORY && on_devices(usual) && !scan->keeping) {
        worker *spare = context_spare(scan->context, end - begin, &why);
        if (spare) {
            scan->worker = spare;
            status = run_region(scan, room, window, begin, end, again, &job, &why);
        }
    }
    if (status != TRAWL_OK && error)
        *error = why;
    if (status == TRAWL_OK)
        status = text_scan_hand_on(scan, room, &job, error);
    scan->worker = usual;
    return status;
}

/* Scan window[begin .. end), known to hold about `count` matches, in stretches that should
 * fill half the nested room. A stretch that does not fit comes back here, shorter; a byte gets the
 * room that it needs. */
static int scan_stretches(text_scan *scan, const uint8_t *window, uint32_t begin, uint32_t end,
                          uint64_t count, trawl_error *error)
{
    scan_room room;
    const size_t records = end - begin == 1 ? (size_t)count : nested_records(count);
    const uint64_t length = (end - begin - 1) / (2 * count / NESTED_RECORDS + 2) + 1;
    scan_room_open(&room, &scan->context->memory);
    int status = scan_room_fit(&room, NESTED_SLICES, records, scan->make != NULL, error);
    while (status == TRAWL_OK && begin < end) {
        uint32_t stop = end - begin > length ? begin + (uint32_t)length : end;
        status = scan_region(scan, &room, window, begin, stop, true, error);
        begin = stop;
    }
    scan_room_close(&room);
    return status;
}

int text_scan_window(text_scan *scan, const uint8_t *window, uint32_t lead, uint32_t length,
                     trawl_error *error)
{
    const uint64_t before = scan->counted;
    (void)learned(scan);
    if (length == 0)
        return TRAWL_OK;
    const uint64_t began = length >= MIN_WINDOW ? clock_now() : 0;
    const int status =
        scan_region(scan, &scan->context->room, window, lead, lead + length, false, error);
    text_scan_learn(scan, !window, length, scan->counted - before, began ? clock_now() - began : 0);
    return status;
}

void text_scan_learn(text_scan *scan, bool held, uint32_t length, uint64_t found, uint64_t took)
{
    scan_experience *e = learned(scan);
    /* The next window is longer, if its matches will fit and it does not take too long; but each
     * window reads its reach again. */
    const uint64_t again = 8 * plan_head(scan->plan)->reach;
    const uint64_t largest = held ? MAX_HELD : MAX_WINDOW;
    uint64_t next = 4 * (uint64_t)length;
    if (took > WINDOW_NANOSECONDS / 4)
        next = (uint64_t)length * WINDOW_NANOSECONDS / took;
    next = next < again ? again : next;
    const bool alone = scan->worker->threads == 1 && !on_devices(scan->worker);
    const uint64_t most = alone ? NEAR_RECORDS : SCAN_RECORDS / 4;
    if (scan->consume && found > most / 4 && next > (uint64_t)length * most / found)
        next = (uint64_t)length * most / found;
    next = next > largest ? largest : next;
    scan->window = next < MIN_WINDOW ? MIN_WINDOW : next;
    e->found = found < SCAN_RECORDS ? found : SCAN_RECORDS;
    e->bytes = length;
    e->handed = scan->handed;
    e->window = scan->window;
}
