/* scan.c: windows of text, cut into slices, run, mended at their borders, handed on.
 *
 * Idea: a window is cut into slices that share a fixed room for records. A slice with more
 * matches than room is scanned once more, in stretches short enough to fit: so memory is
 * bounded whatever the text holds and no match is lost, and the next window is made shorter,
 * so that the second pass stays the exception.
 *
 * Plans that carry: every slice but the first starts from the empty state. State sets
 * unite, so what a slice misses is only what the true state at its begin adds. `mend` runs
 * it again from the true state, snapshot by snapshot, until the states agree, and takes
 * that stretch's matches in place of the first run's.
 */
#include "scan/scan.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST_SLICE (64u << 10)
#define SMALLEST_SHARED (256u << 10) /* below this, waking threads costs more than it brings */
#define USUAL_CHUNKS 1000u
#define FIRST_WINDOW (1u << 20)
#define FIRST_DEVICE_WINDOW (64u << 20) /* a device that gets less is not busy */
#define LARGEST_WINDOW (256u << 20)
#define SNAPSHOT_BYTES 1024u   /* the least distance of snapshots */
#define STATE_WORDS (4u << 20) /* what states and snapshots of a job may take: 32 MiB */

uint32_t text_scan_reach(const trawl_plan *plan)
{
    const plan_header *head = plan_head(plan);
    return head->carries ? 0 : (uint32_t)(head->max_length - 1);
}

static size_t state_bytes(const text_scan *scan)
{
    return (size_t)plan_head(scan->plan)->state_words * sizeof(uint64_t);
}

int text_scan_open(text_scan *scan, trawl_context *context, const trawl_plan *plan,
                   records_fn consume, void *user, trawl_error *error)
{
    memset(scan, 0, sizeof *scan);
    scan->context = context;
    scan->plan = plan;
    scan->consume = consume;
    scan->user = user;
    scan->window = context->worker.backend->whole ? FIRST_DEVICE_WINDOW : FIRST_WINDOW;
    if (plan_head(plan)->carries) {
        scan->state = calloc(2, state_bytes(scan));
        if (!scan->state)
            return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a scan's state");
    }
    return TRAWL_OK;
}

void text_scan_close(text_scan *scan)
{
    free(scan->state);
    scan->state = NULL;
}

static int run(const text_scan *scan, const text_job *job, trawl_error *error)
{
    worker *w = &scan->context->worker;
    return w->backend->run_text(w, job, error);
}

/* ---- cutting ---------------------------------------------------------- */

static uint32_t choose_chunks(const text_scan *scan, uint32_t length, uint32_t most)
{
    const worker *w = &scan->context->worker;
    uint64_t least = SMALLEST_SLICE, again = 8 * (uint64_t)text_scan_reach(scan->plan);
    uint64_t chunks = w->backend->whole ? 1 : w->options.chunks;
    least = again > least ? again : least;
    if (scan->state && STATE_WORDS / 2 / plan_head(scan->plan)->state_words < most)
        most = (uint32_t)(STATE_WORDS / 2 / plan_head(scan->plan)->state_words) + 1;
    if (!chunks && (w->threads == 1 || length < SMALLEST_SHARED))
        chunks = 1;
    else if (!chunks && w->options.schedule == TRAWL_SCHEDULE_STATIC)
        chunks = w->threads;
    else if (!chunks)
        chunks = length / least < USUAL_CHUNKS ? length / least + 1 : USUAL_CHUNKS;
    chunks = chunks < most ? chunks : most;
    return chunks < length ? (uint32_t)chunks : length;
}

/* State and snapshots of `count` slices of at most `longest` bytes. Snapshots stand as close
 * as memory allows. */
static int place_states(const text_scan *scan, scan_room *room, uint32_t count, uint32_t longest,
                        trawl_error *error)
{
    const size_t words = (size_t)plan_head(scan->plan)->state_words;
    uint32_t distance = SNAPSHOT_BYTES;
    while (distance < longest && words * (2 + longest / distance) * count > STATE_WORDS)
        distance *= 2;
    const size_t each = words * (2 + longest / distance);
    room->snapshot_bytes = distance;
    if (each * count > room->state_words) {
        free(room->states);
        room->states = each > SIZE_MAX / 8 / count ? NULL : malloc(each * count * 8);
        room->state_words = room->states ? each * count : 0;
        if (!room->states)
            return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                        "out of memory for the states of %u slices: use fewer threads or chunks",
                        count);
    }
    for (uint32_t i = 0; i < count; i++) {
        slice *s = &room->slices[i];
        s->state = room->states + i * each;
        s->snapshots = s->state + words;
        if (i == 0)
            memcpy(s->state, scan->state, state_bytes(scan));
        else
            memset(s->state, 0, state_bytes(scan));
    }
    return TRAWL_OK;
}

/* Cut window[begin .. end) into `count` slices. */
static int cut(const text_scan *scan, scan_room *room, uint32_t begin, uint32_t end, uint32_t count,
               trawl_error *error)
{
    const uint32_t reach = text_scan_reach(scan->plan);
    const uint32_t capacity = scan->consume ? room->record_count / count : 0;
    const uint64_t length = end - begin;
    uint32_t longest = 0;
    memset(room->slices, 0, count * sizeof *room->slices);
    for (uint32_t i = 0; i < count; i++) {
        slice *s = &room->slices[i];
        s->begin = begin + (uint32_t)(length * i / count);
        s->end = begin + (uint32_t)(length * (i + 1) / count);
        s->from = s->begin > reach ? s->begin - reach : 0;
        s->capacity = capacity;
        s->records = room->records + (size_t)i * capacity;
        longest = s->end - s->begin > longest ? s->end - s->begin : longest;
    }
    return scan->state ? place_states(scan, room, count, longest, error) : TRAWL_OK;
}

/* ---- mending borders of plans that carry ------------------------------ */

/* Keep only the records that end after `stop`. */
static void drop_until(slice *s, uint32_t stop)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->records[i].pos > stop)
            s->records[kept++] = s->records[i];
    s->count = kept;
}

/* Run slice s again from scan->state until it agrees with a snapshot. Leaves the true state
 * at its end in scan->state, and the true matches in s (count > capacity: not all fit). */
static int mend(text_scan *scan, const text_job *job, slice *s, trawl_error *error)
{
    const size_t words = (size_t)plan_head(scan->plan)->state_words;
    const uint64_t *snapshot = s->snapshots;
    record *found = scan->context->scratch;
    uint64_t count = 0;
    slice piece = { .end = s->begin, .state = scan->state };
    text_job again = *job;
    again.slices = &piece;
    again.count = 1;
    while (piece.end < s->end) {
        uint64_t room = count < s->capacity ? s->capacity - count : 0;
        piece.from = piece.begin = piece.end;
        piece.end =
            s->end - piece.begin > job->snapshot_bytes ? piece.begin + job->snapshot_bytes : s->end;
        piece.records = found + (s->capacity - room);
        piece.capacity = room;
        int status = run(scan, &again, error);
        if (status != TRAWL_OK)
            return status;
        count += piece.count;
        if (memcmp(scan->state, snapshot, state_bytes(scan)) == 0) {
            memcpy(scan->state, s->state, state_bytes(scan));
            break;
        }
        snapshot += words;
    }
    drop_until(s, piece.end);
    if (s->count + count <= s->capacity && count)
        memcpy(s->records + s->count, found, (size_t)count * sizeof *found);
    s->count += count;
    return TRAWL_OK;
}

/* Bring slice i of a job to its true matches, and scan->state to its end. When not all
 * matches fit, count > capacity and scan->state is the one at its begin. */
static int settle(text_scan *scan, const text_job *job, uint32_t i, trawl_error *error)
{
    slice *s = &job->slices[i];
    if (!scan->state || s->count > s->capacity)
        return TRAWL_OK;
    uint64_t *before = scan->state + plan_head(scan->plan)->state_words;
    memcpy(before, scan->state, state_bytes(scan));
    if (i == 0) {
        memcpy(scan->state, s->state, state_bytes(scan));
        return TRAWL_OK;
    }
    int status = mend(scan, job, s, error);
    if (status == TRAWL_OK && s->count > s->capacity)
        memcpy(scan->state, before, state_bytes(scan));
    return status;
}

/* ---- running ---------------------------------------------------------- */

/* Put records in order. Devices may find a match of a plan that carries twice. */
static void put_in_order(const text_scan *scan, slice *s, record *scratch)
{
    records_sort(s->records, (size_t)s->count, scratch);
    if (!scan->state || !scan->context->worker.backend->whole || s->count == 0)
        return;
    size_t kept = 1;
    for (size_t i = 1; i < s->count; i++)
        if (s->records[i].pos != s->records[kept - 1].pos ||
            s->records[i].index != s->records[kept - 1].index)
            s->records[kept++] = s->records[i];
    s->count = kept;
}

static int scan_stretches(text_scan *scan, const uint8_t *window, uint32_t begin, uint32_t end,
                          uint64_t count, trawl_error *error);

/* Scan window[begin .. end) as one job and hand its matches on in order. */
static int scan_region(text_scan *scan, scan_room *room, const uint8_t *window, uint32_t begin,
                       uint32_t end, trawl_error *error)
{
    const uint32_t count = choose_chunks(scan, end - begin, room->slice_count);
    text_job job = { scan->plan, window, room->slices, count, 0 };
    int status = cut(scan, room, begin, end, count, error);
    job.snapshot_bytes = room->snapshot_bytes;
    if (status == TRAWL_OK)
        status = run(scan, &job, error);
    for (uint32_t i = 0; status == TRAWL_OK && i < count; i++) {
        slice *s = &room->slices[i];
        status = settle(scan, &job, i, error);
        if (status != TRAWL_OK)
            break;
        if (!scan->consume) {
            scan->counted += s->count;
        } else if (s->count <= s->capacity) {
            put_in_order(scan, s, scan->context->scratch);
            scan->counted += s->count;
            status = scan->consume(scan->user, s->records, (size_t)s->count, s->end, error);
        } else {
            status = scan_stretches(scan, window, s->begin, s->end, s->count, error);
        }
    }
    return status;
}

/* All matches that end at one byte, when they are more than any room holds. */
static int scan_byte(text_scan *scan, const uint8_t *window, uint32_t begin, uint64_t count,
                     trawl_error *error)
{
    const uint32_t reach = text_scan_reach(scan->plan);
    record *records = malloc(2 * (size_t)count * sizeof *records);
    slice one = { .from = begin > reach ? begin - reach : 0,
                  .begin = begin,
                  .end = begin + 1,
                  .records = records,
                  .capacity = count,
                  .state = scan->state };
    const text_job job = { scan->plan, window, &one, 1, 1 };
    if (!records)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                    "out of memory for %llu matches that end at one byte",
                    (unsigned long long)count);
    int status = run(scan, &job, error);
    if (status == TRAWL_OK) {
        put_in_order(scan, &one, records + count);
        scan->counted += one.count;
        status = scan->consume(scan->user, records, (size_t)one.count, one.end, error);
    }
    free(records);
    return status;
}

/* Scan window[begin .. end), known to hold about `count` matches, in stretches that should
 * fill half the nested room. A stretch that does not fit comes back here, shorter. */
static int scan_stretches(text_scan *scan, const uint8_t *window, uint32_t begin, uint32_t end,
                          uint64_t count, trawl_error *error)
{
    scan_room room;
    if (end - begin == 1)
        return scan_byte(scan, window, begin, count, error);
    uint64_t length = (end - begin) / (2 * count / NESTED_RECORDS + 2) + 1;
    int status = scan_room_open(&room, NESTED_SLICES, NESTED_RECORDS, error);
    while (status == TRAWL_OK && begin < end) {
        uint32_t stop = end - begin > length ? begin + (uint32_t)length : end;
        status = scan_region(scan, &room, window, begin, stop, error);
        begin = stop;
    }
    scan_room_close(&room);
    return status;
}

int text_scan_window(text_scan *scan, const uint8_t *window, uint32_t lead, uint32_t length,
                     trawl_error *error)
{
    const uint64_t before = scan->counted;
    if (length == 0)
        return TRAWL_OK;
    int status = scan_region(scan, &scan->context->room, window, lead, lead + length, error);

    /* The next window: longer, as long as its matches will fit. */
    uint64_t found = scan->counted - before, next = 4 * (uint64_t)length;
    if (scan->consume && found > SCAN_RECORDS / 16)
        next = (uint64_t)length * (SCAN_RECORDS / 4) / found;
    next = next > LARGEST_WINDOW ? LARGEST_WINDOW : next;
    scan->window = next < SMALLEST_SLICE ? SMALLEST_SLICE : next;
    return status;
}
