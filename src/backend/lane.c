/* lane.c: a piece of text on its way through one queue of a device. */
#include "backend/lane.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define COPY_BYTES (512u << 10) /* what one thread copies at a time */
#define COPY_THREADS 8          /* more do not make memory faster */
#define ROW_ALIGN 16u
#define LEAST_RECORDS 1024u

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
    memset(l, 0, sizeof *l);
    l->on = u;
    int status = u->device->api->queue_open(u->device, &l->queue, error);
    if (status == TRAWL_OK)
        status = used_buffer(u, BUFFER_DEVICE, 256, &l->cursor, error);
    if (status == TRAWL_OK)
        status =
            used_buffer(u, BUFFER_PINNED, 256 + FIRST_RECORDS * sizeof(record), &l->back, error);
    return status;
}

static void close_texture(lane *l)
{
    if (l->texture.handle || l->texture.number)
        l->on->device->api->texture_close(l->on->device, &l->texture);
    memset(&l->texture, 0, sizeof l->texture);
}

void lane_release(lane *l)
{
    if (!l->on)
        return;
    close_texture(l);
    unused_buffer(l->on, &l->staging);
    unused_buffer(l->on, &l->text);
    unused_buffer(l->on, &l->scratch);
    unused_buffer(l->on, &l->records);
}

void lane_close(lane *l)
{
    if (!l->on)
        return;
    const device_api *api = l->on->device->api;
    device_event *const timed[] = { &l->written, &l->counted, &l->read };
    lane_release(l);
    unused_buffer(l->on, &l->cursor);
    unused_buffer(l->on, &l->back);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        api->event_close(l->on->device, timed[i]);
    for (size_t i = 0; i < PIECE_EVENTS; i++)
        api->event_close(l->on->device, &l->events[i]);
    if (l->queue)
        api->queue_close(l->queue);
    memset(l, 0, sizeof *l);
}

int lane_reserve(lane *l, size_t text, bool textured, size_t scratch, uint64_t records,
                 trawl_error *error)
{
    used_device *u = l->on;
    const size_t room = text + TEXT_PADDING;
    const size_t results = records > LEAST_RECORDS ? (size_t)records : LEAST_RECORDS;
    int status = TRAWL_OK;
    if (!l->text.handle || l->text.bytes < room)
        close_texture(l);
    if (!u->mapped)
        status = grow(u, BUFFER_PINNED, room, &l->staging, error);
    if (status == TRAWL_OK)
        status = grow(u, u->mapped ? BUFFER_MAPPED : BUFFER_DEVICE, room, &l->text, error);
    if (status == TRAWL_OK && scratch)
        status = grow(u, BUFFER_DEVICE, scratch, &l->scratch, error);
    if (status == TRAWL_OK)
        status = grow(u, BUFFER_DEVICE, results * sizeof(record), &l->records, error);
    if (status == TRAWL_OK && textured && !l->texture.handle && !l->texture.number)
        status = u->device->api->texture_open(u->device, &l->text, &l->texture, error);
    return status;
}

/* ---- to the device ---------------------------------------------------------- */

/* Several threads copy: one alone is slower than the way to the device. */
static void copy(u8 *to, const u8 *from, size_t bytes)
{
    const long long blocks = (long long)((bytes + COPY_BYTES - 1) / COPY_BYTES);
#ifdef _OPENMP
    const int procs = omp_get_num_procs();
    const int threads = procs < COPY_THREADS ? procs : COPY_THREADS;
#pragma omp parallel for num_threads(threads) schedule(static) if (blocks > 2 && threads > 1)
#endif
    for (long long i = 0; i < blocks; i++) {
        const size_t at = (size_t)i * COPY_BYTES;
        memcpy(to + at, from + at, bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES);
    }
}

/* Where the host puts the text of the next piece. */
static int begin_bringing(lane *l, u8 **to, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    if (!l->on->mapped) {
        *to = (u8 *)l->staging.host;
        return TRAWL_OK;
    }
    const int status = api->map(l->queue, &l->text, error);
    *to = (u8 *)l->text.host;
    return status;
}

static int end_bringing(lane *l, size_t bytes, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    int status = l->on->mapped ? api->unmap(l->queue, &l->text, error)
                               : api->write(l->queue, &l->text, 0, l->staging.host, bytes,
                                            &l->written, error);
    if (status == TRAWL_OK)
        status = api->clear(l->queue, &l->cursor, 0, sizeof(u64), error);
    if (status == TRAWL_OK)
        status = api->flush(l->queue, error);
    return status;
}

int lane_bring_text(lane *l, const text_job *job, u32 from, u32 begin, u32 end, trawl_error *error)
{
    u8 *to;
    int status = begin_bringing(l, &to, error);
    if (status != TRAWL_OK)
        return status;
    copy(to, job->window + from, end - from);
    memset(&l->piece, 0, sizeof l->piece);
    memset(&l->grid, 0, sizeof l->grid);
    l->offset = from;
    l->piece.begin = begin - from;
    l->piece.end = end - from;
    return end_bringing(l, end - from, error);
}

u64 lane_stride(u32 cols, u32 cell_size)
{
    return ((u64)cols * cell_size + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
}

int lane_bring_rows(lane *l, const grid_job *job, u32 top, u32 bottom, u32 tops, trawl_error *error)
{
    const u64 row_bytes = (u64)job->cols * plan_head(job->plan)->cell_size;
    const u64 stride = lane_stride(job->cols, plan_head(job->plan)->cell_size);
    const u8 *rows = job->window + top * job->stride;
    u8 *to;
    int status = begin_bringing(l, &to, error);
    if (status != TRAWL_OK)
        return status;
    if (stride == job->stride) {
        copy(to, rows, (u64)(bottom - top - 1) * stride + row_bytes);
    } else {
        for (u32 row = 0; row < bottom - top; row++)
            memcpy(to + row * stride, rows + row * job->stride, row_bytes);
    }
    memset(&l->grid, 0, sizeof l->grid);
    l->offset = top * job->cols;
    l->grid.rows = bottom - top;
    l->grid.cols = job->cols;
    l->grid.stride = stride;
    l->grid.end = tops;
    return end_bringing(l, (size_t)((bottom - top) * stride), error);
}

/* ---- kernels ------------------------------------------------------------------ */

static piece_sink sink_of(lane *l, const slice *into)
{
    piece_sink s = { 0 };
    s.cursor = &l->cursor;
    s.records = &l->records;
    s.capacity = into->capacity;
    s.events = l->events;
    return s;
}

/* Cursor and first records back. */
static int queue_reading(lane *l, slice *into, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    u64 first = into->capacity < FIRST_RECORDS ? into->capacity : FIRST_RECORDS;
    u8 *back = (u8 *)l->back.host;
    l->into = into;
    l->busy = true;
    int status = api->read(l->queue, &l->cursor, 0, back, sizeof(u64), &l->counted, error);
    if (status == TRAWL_OK && first)
        status = api->read(l->queue, &l->records, 0, back + 256, (size_t)first * sizeof(record),
                           &l->read, error);
    if (status == TRAWL_OK)
        status = api->flush(l->queue, error);
    return status;
}

int lane_run_text(lane *l, slice *into, trawl_error *error)
{
    const device_plan *plan = &l->on->plan;
    l->piece.text = &l->text;
    l->piece.scratch = l->scratch.handle ? &l->scratch : NULL;
    l->piece.state = into->state;
    l->piece.sink = sink_of(l, into);
    if (plan->walk->texts_texture && plan->tuning.texture == 1) {
        if (!l->texture.handle && !l->texture.number) {
            int opened =
                l->on->device->api->texture_open(l->on->device, &l->text, &l->texture, error);
            if (opened != TRAWL_OK)
                return opened;
        }
        l->piece.texture = &l->texture;
    }
    const int status = plan->walk->run_text(plan, l->queue, &l->piece, error);
    return status == TRAWL_OK ? queue_reading(l, into, error) : status;
}

int lane_run_grid(lane *l, slice *into, trawl_error *error)
{
    const device_plan *plan = &l->on->plan;
    l->grid.text = &l->text;
    l->grid.scratch = l->scratch.handle ? &l->scratch : NULL;
    l->grid.sink = sink_of(l, into);
    const int status = plan->walk->run_grid(plan, l->queue, &l->grid, error);
    return status == TRAWL_OK ? queue_reading(l, into, error) : status;
}

/* ---- back ----------------------------------------------------------------------- */

/* A queue may finish although a command in it failed: each is asked. */
static int settle(lane *l, piece_sink *s, trawl_timing *timing, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    const device_event *const copies[] = { l->on->mapped ? NULL : &l->written, &l->counted,
                                           s->capacity ? &l->read : NULL };
    double seconds[3] = { 0, 0, 0 };
    for (size_t i = 0; i < 3; i++) {
        const int status = copies[i] ? api->event_wait(copies[i], error) : TRAWL_OK;
        if (status != TRAWL_OK)
            return status;
        if (copies[i])
            seconds[i] = api->event_seconds(copies[i]);
    }
    const int status = sink_settle(api, s, error);
    timing->to_device += seconds[0];
    timing->from_device += seconds[1] + seconds[2];
    timing->kernel += s->seconds;
    timing->pieces++;
    return status;
}

int lane_collect(lane *l, trawl_timing *timing, trawl_error *error)
{
    const device_api *api = l->on->device->api;
    slice *into = l->into;
    u64 count;
    int status = api->finish(l->queue, error);
    l->busy = false;
    if (status == TRAWL_OK)
        status = settle(l, l->grid.text ? &l->grid.sink : &l->piece.sink, timing, error);
    if (status != TRAWL_OK)
        return status;
    memcpy(&count, l->back.host, sizeof count);
    const u64 room = into->count < into->capacity ? into->capacity - into->count : 0;
    const u64 kept = count < room ? count : room;
    const u64 first = kept < FIRST_RECORDS ? kept : FIRST_RECORDS;
    record *to = into->records + into->count;
    if (first)
        memcpy(to, (const u8 *)l->back.host + 256, (size_t)first * sizeof *to);
    if (kept > first) {
        device_event late = { NULL, NULL };
        status = api->read(l->queue, &l->records, (size_t)first * sizeof *to, to + first,
                           (size_t)(kept - first) * sizeof *to, &late, error);
        if (status == TRAWL_OK)
            status = api->finish(l->queue, error);
        if (status == TRAWL_OK)
            timing->from_device += api->event_seconds(&late);
        api->event_close(l->on->device, &late);
    }
    for (u64 i = 0; i < kept; i++)
        to[i].pos += l->offset;
    into->count += count;
    return status;
}
