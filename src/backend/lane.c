/* lane.c: a piece of text on its way through one queue of a device. */
#include "backend/lane.h"

#include <string.h>

#include "backend/cpu.h"
#include "engines/shared/rows/device.h"

#define COPY_BYTES (512u << 10) /* what one thread copies at a time */
#define COPY_THREADS 8u         /* more do not make memory faster */
#define MIN_RECORDS 1024u
#define BACK_HEAD 256u      /* bytes in front of the records that come back */
#define BACK_RECORDS 65536u /* the most that come back at once */
#define TIMED_TURNS 8u      /* one of this number of short pieces of a lane is timed */
#define LONG_PIECE (16u << 20)

/* ---- memory ------------------------------------------------------------- */

int used_buffer(used_device *u, buffer_kind kind, size_t bytes, device_buffer *b,
                trawl_error *error)
{
    const bool counts = kind != BUFFER_PINNED;
    if (counts && bytes > u->most - u->taken)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                    "out of memory: %zu bytes more than the %llu MiB that may be used", bytes,
                    (unsigned long long)(u->most >> 20));
    const int status = u->device->api->buffer_open(u->device, kind, bytes, b, error);
    if (status == TRAWL_OK && counts)
        u->taken += bytes;
    return status;
}

void unused_buffer(used_device *u, device_buffer *b)
{
    if (!b->handle)
        return;
    if (b->kind != BUFFER_PINNED)
        u->taken -= b->bytes;
    u->device->api->buffer_close(u->device, b);
    memset(b, 0, sizeof *b);
}

/* At least `bytes`; what was in it is lost. */
static int grow(used_device *u, buffer_kind kind, size_t bytes, device_buffer *b,
                trawl_error *error)
{
    if (b->handle && b->bytes >= bytes)
        return TRAWL_OK;
    unused_buffer(u, b);
    return used_buffer(u, kind, bytes, b, error);
}

int lane_open(used_device *u, lane *l, trawl_error *error)
{
    if (l->on)
        return TRAWL_OK;
    l->on = u;
    int status = u->device->api->queue_open(u->device, &l->queue, error);
    if (status == TRAWL_OK)
        status = used_buffer(u, BUFFER_DEVICE, CURSOR_ROOM, &l->cursor, error);
    if (status != TRAWL_OK)
        lane_close(l);
    return status;
}

static void close_texture(lane *l)
{
    if (l->texture.handle || l->texture.number)
        l->on->device->api->texture_close(l->on->device, &l->texture);
    memset(&l->texture, 0, sizeof l->texture);
}

void lane_forget_held(lane *l)
{
    if (l->on)
        l->on->device->api->buffer_close(l->on->device, &l->part);
}

void lane_release(lane *l)
{
    if (!l->on)
        return;
    close_texture(l);
    lane_forget_held(l);
    unused_buffer(l->on, &l->staging);
    unused_buffer(l->on, &l->text);
    unused_buffer(l->on, &l->scratch);
    unused_buffer(l->on, &l->records);
    unused_buffer(l->on, &l->back);
}

void lane_close(lane *l)
{
    if (!l->on)
        return;
    const device_api *api = l->on->device->api;
    device_event *const timed[] = { &l->written, &l->read };
    lane_release(l);
    unused_buffer(l->on, &l->cursor);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        api->event_close(l->on->device, timed[i]);
    for (size_t i = 0; i < MAX_PARTS; i++) {
        api->event_close(l->on->device, &l->counted[i]);
        api->event_close(l->on->device, &l->tallied[i]);
    }
    for (size_t i = 0; i < PIECE_EVENTS; i++)
        api->event_close(l->on->device, &l->events[i]);
    if (l->queue)
        api->queue_close(l->queue);
    memset(l, 0, sizeof *l);
}

int lane_reserve(used_device *u, lane *l, bool staged, size_t text, bool textured, size_t scratch,
                 uint64_t records, trawl_error *error)
{
    const size_t room = text + TEXT_PADDING;
    const size_t results = records > MIN_RECORDS ? (size_t)records : MIN_RECORDS;
    const size_t back = results < BACK_RECORDS ? results : BACK_RECORDS;
    int status = lane_open(u, l, error);
    if (status != TRAWL_OK)
        return status;
    l->textured = textured;
    l->turn = 0;
    if (!l->text.handle || l->text.bytes < room)
        close_texture(l);
    if (!u->mapped && staged)
        status = grow(u, BUFFER_PINNED, room, &l->staging, error);
    if (status == TRAWL_OK)
        status = grow(u, u->mapped ? BUFFER_MAPPED : BUFFER_DEVICE, room, &l->text, error);
    if (status == TRAWL_OK && scratch)
        status = grow(u, BUFFER_DEVICE, scratch, &l->scratch, error);
    if (status == TRAWL_OK)
        status = grow(u, BUFFER_DEVICE, results * sizeof(record), &l->records, error);
    if (status == TRAWL_OK)
        status = grow(u, BUFFER_PINNED, BACK_HEAD + back * sizeof(record), &l->back, error);
    if (status == TRAWL_OK && textured && !l->texture.handle && !l->texture.number)
        status = u->device->api->texture_open(u->device, &l->text, &l->texture, error);
    return status;
}

int lane_widen(lane *l, uint64_t records, trawl_error *error)
{
    used_device *u = l->on;
    device_buffer wider = { 0 };
    if (records <= l->records.bytes / sizeof(record))
        return TRAWL_OK;
    pthread_mutex_lock(&u->lock);
    const int status =
        used_buffer(u, BUFFER_DEVICE, (size_t)records * sizeof(record), &wider, error);
    if (status == TRAWL_OK) {
        unused_buffer(u, &l->records);
        l->records = wider;
    }
    pthread_mutex_unlock(&u->lock);
    return status;
}

/* ---- to the device ---------------------------------------------------------- */

typedef struct copying {
    u8 *to;
    const u8 *from;
    size_t bytes;
} copying;

static void copy_block(void *job, uint32_t index)
{
    const copying *c = job;
    const size_t at = (size_t)index * COPY_BYTES;
    memcpy(c->to + at, c->from + at, c->bytes - at < COPY_BYTES ? c->bytes - at : COPY_BYTES);
}

/* Several threads copy: one alone is slower than the way to the device. */
static void copy(const lane *l, u8 *to, const u8 *from, size_t bytes)
{
    copying c = { to, from, bytes };
    if (!l->on->copiers) {
        memcpy(to, from, bytes);
        return;
    }
    const u32 blocks = (u32)((bytes + COPY_BYTES - 1) / COPY_BYTES), cores = cpu_cores();
    const u32 helpers = blocks > 2 ? (cores < COPY_THREADS ? cores : COPY_THREADS) - 1 : 0;
    pool_grow(l->on->copiers, helpers);
    pool_run(l->on->copiers, helpers, false, copy_block, &c, blocks);
}

/* What is queued goes through tables of the device (programs, kernels, constants). */
static const device_api *lock(const lane *l)
{
    pthread_mutex_lock(&l->on->lock);
    return l->on->device->api;
}

static int unlock(const lane *l, int status)
{
    pthread_mutex_unlock(&l->on->lock);
    return status;
}

/* An event for a command of the piece; NULL: it is not timed. */
static device_event *event_of(const lane *l, device_event *event)
{
    return l->timed ? event : NULL;
}

/* A piece of `bytes` bytes is next. If finishing a queue does not tell of a command that failed,
 * events do. */
static void begin_piece(lane *l, const held_text *held, u64 bytes, bool all)
{
    l->copied = false;
    l->held = held;
    l->bytes = bytes;
    l->timed = all || l->on->times_all || !l->on->device->info.finish_tells ||
               bytes >= LONG_PIECE || l->turn % TIMED_TURNS == 0;
    l->turn++;
}

/* Where the host puts the next piece. */
static int begin_bringing(lane *l, u8 **to, trawl_error *error)
{
    if (!l->on->mapped) {
        *to = (u8 *)l->staging.host;
        return TRAWL_OK;
    }
    const int status = unlock(l, lock(l)->map(l->queue, &l->text, error));
    *to = (u8 *)l->text.host;
    return status;
}

/* The first bytes of the staging buffer go to the device. */
static int write_text(lane *l, size_t bytes, trawl_error *error)
{
    const device_api *api = lock(l);
    device_queue *way = l->on->way;
    l->copied = l->timed || way;
    int status = api->write(way ? way : l->queue, &l->text, 0, l->staging.host, bytes,
                            l->copied ? &l->written : NULL, error);
    if (status == TRAWL_OK && way)
        status = api->flush(way, error);
    if (status == TRAWL_OK && way)
        status = api->await(l->queue, &l->written, error);
    return unlock(l, status);
}

static int begin_running(lane *l, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    const int status = api->clear(l->queue, &l->cursor, 0, sizeof(piece_cursor), error);
    return status == TRAWL_OK ? api->flush(l->queue, error) : status;
}

static int end_bringing(lane *l, trawl_error *error)
{
    const device_api *api = lock(l);
    const int status = l->on->mapped ? api->unmap(l->queue, &l->text, error) : TRAWL_OK;
    return unlock(l, status == TRAWL_OK ? begin_running(l, error) : status);
}

static void set_text_piece(lane *l, device_buffer *text, u32 offset, u32 lead, u32 length)
{
    memset(&l->piece, 0, sizeof l->piece);
    memset(&l->grid, 0, sizeof l->grid);
    l->offset = offset;
    l->length = length;
    l->piece.text = text;
    l->piece.begin = lead;
    l->piece.end = lead + length;
}

int lane_bring_text(lane *l, const text_job *job, u32 from, u32 begin, u32 end, trawl_error *error)
{
    u8 *to;
    begin_piece(l, NULL, end - from, job->keeping != NULL);
    int status = begin_bringing(l, &to, error);
    if (status != TRAWL_OK)
        return status;
    set_text_piece(l, &l->text, from, begin - from, end - begin);
    copy(l, to, job->window + from, end - from);
    if (!l->on->mapped)
        status = write_text(l, end - from, error);
    return status == TRAWL_OK ? end_bringing(l, error) : status;
}

int lane_bring_held(lane *l, const held_text *held, u64 window, u32 lead, u32 begin, u32 end,
                    trawl_error *error)
{
    const u64 first = window + begin - lead;
    const size_t bytes = (size_t)lead + (end - begin);
    const device_api *api = lock(l);
    lane_forget_held(l);
    begin_piece(l, held, bytes, true);
    l->copied = l->textured || !held_in_place(held, first, bytes);
    const int status =
        l->copied ? api->copy(l->queue, &l->text, &held->buffer, first, bytes, &l->written, error)
                  : api->buffer_part(l->on->device, &held->buffer, first, bytes + TEXT_PADDING,
                                     &l->part, error);
    /* The lead may reach back before the window: then the offset wraps, and so do positions. */
    set_text_piece(l, l->copied ? &l->text : &l->part, begin - lead, lead, end - begin);
    return unlock(l, status == TRAWL_OK ? begin_running(l, error) : status);
}

u64 lane_stride(u32 cols, u32 cell_size)
{
    return ((u64)cols * cell_size + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
}

/* Rows [top, bottom) of the window, of which the first `tops` own matches. */
static void set_grid_piece(lane *l, device_buffer *text, const grid_job *job, u64 stride, u32 top,
                           u32 bottom, u32 tops)
{
    memset(&l->grid, 0, sizeof l->grid);
    l->offset = top * job->cols;
    l->length = tops;
    l->grid.text = text;
    l->grid.rows = bottom - top;
    l->grid.cols = job->cols;
    l->grid.stride = stride;
    l->grid.end = tops;
}

int lane_bring_rows(lane *l, const grid_job *job, u32 top, u32 bottom, u32 tops, trawl_error *error)
{
    const u64 row_bytes = (u64)job->cols * plan_head(job->plan)->cell_size;
    const u64 stride = lane_stride(job->cols, plan_head(job->plan)->cell_size);
    const u8 *rows = job->window + top * job->stride;
    u8 *to;
    begin_piece(l, NULL, (u64)(bottom - top) * stride, true);
    int status = begin_bringing(l, &to, error);
    if (status != TRAWL_OK)
        return status;
    if (stride == job->stride) {
        copy(l, to, rows, (u64)(bottom - top - 1) * stride + row_bytes);
    } else {
        for (u32 row = 0; row < bottom - top; row++)
            memcpy(to + row * stride, rows + row * job->stride, row_bytes);
    }
    set_grid_piece(l, &l->text, job, stride, top, bottom, tops);
    if (!l->on->mapped)
        status = write_text(l, (size_t)((bottom - top) * stride), error);
    return status == TRAWL_OK ? end_bringing(l, error) : status;
}

u32 lane_rows(const lane *l, u32 cols, u32 cell_size)
{
    return smaller((l->text.bytes - TEXT_PADDING) / lane_stride(cols, cell_size), UINT32_MAX);
}

int lane_bring_held_rows(lane *l, const held_text *held, const held_rows *g, const grid_job *job,
                         bool in_place, u32 top, u32 bottom, u32 tops, trawl_error *error)
{
    const u64 from = g->at + top * g->stride;
    const device_api *api = lock(l);
    int status;
    lane_forget_held(l);
    begin_piece(l, held, (bottom - top) * g->bytes, true);
    l->copied = !in_place;
    if (in_place) {
        const u64 first = held_rows_first(held, g, top);
        const u64 stop = from + (bottom - top - 1) * g->stride + g->bytes + TEXT_PADDING;
        status = api->buffer_part(l->on->device, &held->buffer, (size_t)first,
                                  (size_t)(stop - first), &l->part, error);
        set_grid_piece(l, &l->part, job, g->stride, top, bottom, tops);
        l->grid.from = from - first;
    } else {
        const u64 stride = lane_stride(job->cols, g->cell_size);
        const rows_args a = { .from = from,
                              .stride = g->stride,
                              .stop = held->buffer.bytes,
                              .rows = bottom - top,
                              .bytes = g->bytes,
                              .quads = (u32)(stride / ROW_ALIGN) };
        status =
            rows_launch(l->on->device, l->queue, &held->buffer, &l->text, &a, &l->written, error);
        set_grid_piece(l, &l->text, job, stride, top, bottom, tops);
    }
    return unlock(l, status == TRAWL_OK ? begin_running(l, error) : status);
}

/* ---- kernels ------------------------------------------------------------------ */

static piece_sink sink_of(lane *l, const slice *into)
{
    piece_sink s = { 0 };
    s.cursor = &l->cursor;
    s.records = &l->records;
    s.capacity = l->keeping || into->capacity ? l->records.bytes / sizeof(record) : 0;
    s.events = l->timed ? l->events : NULL;
    return s;
}

/* What a part has counted so far, back. */
static int queue_count(lane *l, u32 part, trawl_error *error)
{
    u8 *back = (u8 *)l->back.host + part * sizeof(piece_cursor);
    return l->on->device->api->read(l->queue, &l->cursor, 0, back, sizeof(piece_cursor),
                                    event_of(l, &l->counted[part]), error);
}

/* Records that come back at once: about as many as the piece before had. */
static u64 first_records(const lane *l)
{
    const u64 room = (l->back.bytes - BACK_HEAD) / sizeof(record);
    u64 first = l->expected + l->expected / 4 + MIN_RECORDS;
    return !l->into->capacity ? 0 : first < room ? first : room;
}

/* First records back. */
static int queue_reading(lane *l, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    int status = TRAWL_OK;
    l->busy = true;
    l->first = first_records(l);
    if (l->first)
        status = api->read(l->queue, &l->records, 0, (u8 *)l->back.host + BACK_HEAD,
                           (size_t)l->first * sizeof(record), event_of(l, &l->read), error);
    return status == TRAWL_OK ? api->flush(l->queue, error) : status;
}

/* What worried one part is nothing to the next, which counts in another unit. */
static int forget_worries(lane *l, trawl_error *error)
{
    return l->on->device->api->clear(l->queue, &l->cursor, offsetof(piece_cursor, worries),
                                     sizeof(u64), error);
}

static bool takes_part(const lane *l, const plan_part *part)
{
    return (part->carries != 0) == l->carries;
}

static int run_text_part(lane *l, const plan_part *part, const device_plan *p, trawl_error *error)
{
    l->piece.state = part->carries ? l->into->state + part->state : NULL;
    l->piece.texture = NULL;
    if (p->walk->texts_texture && p->tuning.texture == 1) {
        if (!l->texture.handle && !l->texture.number) {
            const int opened =
                l->on->device->api->texture_open(l->on->device, &l->text, &l->texture, error);
            if (opened != TRAWL_OK)
                return opened;
        }
        l->piece.texture = &l->texture;
    }
    return p->walk->run_text(p, l->queue, &l->piece, error);
}

/* Queue all parts, one after the other: they share cursor and records. */
static int run_parts(lane *l, trawl_error *error)
{
    const plan_part *parts = plan_parts(l->plan);
    int status = TRAWL_OK;
    u32 ran = 0;
    for (u32 i = 0; i < plan_head(l->plan)->part_count && status == TRAWL_OK; i++) {
        if (!takes_part(l, &parts[i]))
            continue;
        const device_plan *p = loaded_part(l->on, l->plan, &parts[i], l->fallback[i]);
        if (ran++ > 0)
            status = forget_worries(l, error);
        if (status == TRAWL_OK)
            status = l->grid.text ? p->walk->run_grid(p, l->queue, &l->grid, error)
                                  : run_text_part(l, &parts[i], p, error);
        if (status == TRAWL_OK)
            status = queue_count(l, i, error);
    }
    return status == TRAWL_OK ? queue_reading(l, error) : status;
}

static void choose_parts(lane *l, const trawl_plan *plan, bool carries,
                         const bool fallback[MAX_PARTS], slice *into)
{
    l->plan = plan;
    l->carries = carries;
    l->into = into;
    memcpy(l->fallback, fallback, sizeof l->fallback);
}

int lane_run_text(lane *l, const text_job *job, bool carries, slice *into, trawl_error *error)
{
    choose_parts(l, job->plan, carries, job->fallback, into);
    l->job = job;
    l->keeping = job->keeping;
    l->window_at = job->window_at;
    l->piece.scratch = l->scratch.handle ? &l->scratch : NULL;
    l->piece.sink = sink_of(l, into);
    (void)lock(l);
    return unlock(l, run_parts(l, error));
}

int lane_run_grid(lane *l, const grid_job *job, slice *into, trawl_error *error)
{
    choose_parts(l, job->plan, false, job->fallback, into);
    l->job = NULL;
    l->keeping = NULL;
    l->grid.scratch = l->scratch.handle ? &l->scratch : NULL;
    l->grid.sink = sink_of(l, into);
    (void)lock(l);
    return unlock(l, run_parts(l, error));
}

/* ---- back ----------------------------------------------------------------------- */

static int settle_copy(const lane *l, const device_event *copy, double *seconds, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    const int status = api->event_wait(copy, error);
    if (status == TRAWL_OK)
        *seconds += api->event_seconds(copy);
    return status;
}

/* A queue may finish although a command in it failed: each is asked. */
static int settle(lane *l, piece_sink *s, spent *times, trawl_error *error)
{
    const plan_part *parts = plan_parts(l->plan);
    int status = l->held ? l->on->device->api->event_wait(&l->held->ready, error) : TRAWL_OK;
    if (status == TRAWL_OK && l->copied)
        status = settle_copy(l, &l->written, &times->to_device, error);
    for (u32 i = 0; l->timed && i < plan_head(l->plan)->part_count && status == TRAWL_OK; i++)
        if (takes_part(l, &parts[i]))
            status = settle_copy(l, &l->counted[i], &times->from_device, error);
    if (status == TRAWL_OK && l->timed && l->into->capacity)
        status = settle_copy(l, &l->read, &times->from_device, error);
    if (status == TRAWL_OK)
        status = sink_settle(l->on->device->api, s, error);
    times->kernel += s->seconds;
    s->seconds = 0;
    return status;
}

static piece_cursor count_of(const lane *l, u32 part)
{
    piece_cursor c;
    memcpy(&c, (const u8 *)l->back.host + part * sizeof c, sizeof c);
    return c;
}

/* Note which part gave up first, if any: it begins with its fallback from now on. */
static bool note_giving_up(lane *l)
{
    const plan_part *parts = plan_parts(l->plan);
    for (u32 i = 0; i < plan_head(l->plan)->part_count; i++)
        if (takes_part(l, &parts[i]) && !l->fallback[i] && count_of(l, i).gave_up) {
            l->fallback[i] = true;
            return true;
        }
    return false;
}

static int wait_and_settle(lane *l, piece_sink *s, spent *times, trawl_error *error)
{
    const int status = l->on->device->api->finish(l->queue, error);
    l->busy = false;
    return status == TRAWL_OK ? settle(l, s, times, error) : status;
}

/* Records of the parts get the plan's indexes, and positions of the window. Returns the count. */
static u64 number_parts(const lane *l, record *records, u64 kept)
{
    const plan_part *parts = plan_parts(l->plan);
    u64 count = 0;
    for (u32 i = 0; i < plan_head(l->plan)->part_count; i++) {
        if (!takes_part(l, &parts[i]))
            continue;
        const u64 stop = count_of(l, i).count;
        const u32 *indexes = part_indexes(l->plan, &parts[i]);
        for (; count < stop && count < kept; count++) {
            records[count].pos += l->offset;
            if (indexes)
                records[count].index = indexes[records[count].index];
        }
        count = stop;
    }
    return count;
}

static u64 counted(const lane *l)
{
    return number_parts(l, NULL, 0);
}

/* Records that did not come back at once. */
static int read_late(lane *l, record *to, u64 from, u64 end, spent *times, trawl_error *error)
{
    const device_api *api = lock(l);
    device_event late = { NULL, NULL };
    int status = unlock(l, api->read(l->queue, &l->records, (size_t)from * sizeof *to, to + from,
                                     (size_t)(end - from) * sizeof *to, event_of(l, &late), error));
    if (status == TRAWL_OK)
        status = api->finish(l->queue, error);
    if (status == TRAWL_OK)
        times->from_device += api->event_seconds(&late);
    (void)lock(l);
    api->event_close(l->on->device, &late);
    return unlock(l, status);
}

void lane_give_up(lane *l)
{
    if (l->on->way)
        l->on->device->api->finish(l->on->way, NULL);
    l->on->device->api->finish(l->queue, NULL);
    l->busy = false;
    l->tallies = 0;
}

/* Search the piece again, by what the lane has learned. */
static int run_again(lane *l, piece_sink *s, spent *times, trawl_error *error)
{
    int status = lock(l)->clear(l->queue, &l->cursor, 0, sizeof(piece_cursor), error);
    if (status == TRAWL_OK)
        status = run_parts(l, error);
    return unlock(l, status) == TRAWL_OK ? wait_and_settle(l, s, times, error) : status;
}

/* Wait until all parts have searched the piece. */
static int finish_piece(lane *l, piece_sink *s, spent *times, trawl_error *error)
{
    int status = wait_and_settle(l, s, times, error);
    while (status == TRAWL_OK && note_giving_up(l))
        status = run_again(l, s, times, error);
    return status;
}

/* ---- matches that stay on the device -------------------------------------------------- */

static int keep_records(lane *l, spent *times, trawl_error *error)
{
    u64 first = 0;
    int status = kept_settle(l, times, error);
    for (u32 i = 0; i < plan_head(l->plan)->part_count && status == TRAWL_OK; i++) {
        if (!takes_part(l, &plan_parts(l->plan)[i]))
            continue;
        const u64 stop = count_of(l, i).count;
        status = kept_part(l, i, (u32)first, (u32)stop, error);
        first = stop;
    }
    return status;
}

/* A piece whose records found no room is searched again in stretches, each shorter where that was
 * in vain. A byte has fewer than there is room for, unless memory is very short. */
static int keep_stretches(lane *l, u64 count, spent *times, trawl_error *error)
{
    piece_sink *s = &l->piece.sink;
    const u32 end = l->piece.end;
    u32 length = (u32)((end - l->piece.begin) / (2 * count / s->capacity + 2)) + 1;
    int status = TRAWL_OK;
    while (l->piece.begin < end && status == TRAWL_OK) {
        l->piece.end = end - l->piece.begin > length ? l->piece.begin + length : end;
        do
            status = run_again(l, s, times, error);
        while (status == TRAWL_OK && note_giving_up(l));
        if (status == TRAWL_OK && counted(l) > s->capacity) {
            if (length == 1)
                return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                            "out of memory for the matches that end at one place");
            length = (length + 1) / 2;
            continue;
        }
        if (status == TRAWL_OK)
            status = keep_records(l, times, error);
        l->piece.begin = l->piece.end;
    }
    return status;
}

static int keep(lane *l, spent *times, trawl_error *error)
{
    const u64 count = counted(l);
    l->into->count += count;
    return count > l->piece.sink.capacity ? keep_stretches(l, count, times, error)
                                          : keep_records(l, times, error);
}

/* ---- and those that do not ------------------------------------------------------------ */

/* How many of a piece's records the slice has room for, of `there` on the device: more, where it
 * can have all and has lost none so far. */
static u64 room_for(const lane *l, u64 count, u64 there)
{
    slice *into = l->into;
    const bool wants = count > into->capacity - into->count && count <= there;
    if (into->capacity == 0 || into->count > into->capacity)
        return 0;
    if (wants && l->job && l->job->widen)
        l->job->widen(l->job, into, into->count + count);
    const u64 room = into->capacity - into->count;
    count = count < room ? count : room;
    return count < there ? count : there;
}

static void note_done(const lane *l)
{
    for (u32 i = 0; i < plan_head(l->plan)->part_count; i++)
        if (takes_part(l, &plan_parts(l->plan)[i]) && !l->fallback[i])
            l->into->done[i] += l->length;
}

int lane_collect(lane *l, spent *times, trawl_error *error)
{
    slice *into = l->into;
    piece_sink *s = l->grid.text ? &l->grid.sink : &l->piece.sink;
    int status = finish_piece(l, s, times, error);
    if (status != TRAWL_OK)
        return status;
    times->pieces++;
    times->bytes += l->bytes;
    times->timed_bytes += l->timed ? l->bytes : 0;
    if (l->keeping) {
        note_done(l);
        return keep(l, times, error);
    }
    const u64 count = counted(l);
    const u64 kept = room_for(l, count, s->capacity);
    const u64 first = kept < l->first ? kept : l->first;
    record *to = first ? into->records + into->count : NULL; /* who only counts has none */
    l->expected = count;
    if (first)
        memcpy(to, (const u8 *)l->back.host + BACK_HEAD, (size_t)first * sizeof *to);
    if (kept > first)
        status = read_late(l, to, first, kept, times, error);
    number_parts(l, to, kept);
    into->count += count;
    note_done(l);
    return status;
}
