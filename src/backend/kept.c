/* kept.c: matches of a job that stay on a device: they are counted there by pattern, or put into
 * the caller's memory, or both.
 *
 * Idea: the host learns how many records a piece has, as always, but does not fetch them: it queues
 * the kernel of tally/device.k over them, which may run while the lane's next piece is on its way.
 * The host knows how many matches came before, so it says where these go, and lanes do not compete
 * for places.
 *
 * Invariant: the caller's counts are added to only when a job has ended well, and places are given
 * out from keeping.count on, which devices.c sets back when a job is tried again. So nothing is
 * counted twice.
 */
#include <string.h>

#include "backend/lane.h"
#include "base/error.h"
#include "engines/shared/tally/device.h"

#define MIN_KEPT (64u << 10)
#define MAX_KEPT (4u << 20)

uint64_t kept_records(uint64_t bytes)
{
    const uint64_t records = bytes / sizeof(record); /* as much memory as the text */
    return records < MIN_KEPT ? MIN_KEPT : records < MAX_KEPT ? records : MAX_KEPT;
}

/* What a part calls its patterns, for all parts one after the other. */
static int load_names(used_device *u, const trawl_plan *plan, memory *m, trawl_error *error)
{
    const plan_part *parts = plan_parts(plan);
    const device_api *api = u->device->api;
    size_t count = 0;
    for (u32 i = 0; i < plan_head(plan)->part_count; i++)
        count += parts[i].pattern_count;
    tally_name *names = memory_take_array(m, count, sizeof *names);
    if (!names)
        return memory_failed(m, error, "the names of patterns");
    size_t at = 0;
    for (u32 i = 0; i < plan_head(plan)->part_count; i++) {
        const u32 *indexes = part_indexes(plan, &parts[i]);
        for (u32 k = 0; k < parts[i].pattern_count; k++) {
            const plan_pattern *p = &plan_patterns(plan)[indexes ? indexes[k] : k];
            names[at++] = (tally_name){ p->order, plan_fixed_length(p) ? (u32)p->min_length : 0 };
        }
    }
    unused_buffer(u, &u->kept.names);
    int status = used_buffer(u, BUFFER_DEVICE, count * sizeof *names, &u->kept.names, error);
    if (status == TRAWL_OK)
        status = api->write(u->lanes[0].queue, &u->kept.names, 0, names, count * sizeof *names,
                            NULL, error);
    if (status == TRAWL_OK)
        status = api->finish(u->lanes[0].queue, error);
    if (status == TRAWL_OK)
        u->kept.checksum = plan_head(plan)->checksum;
    memory_give(m, names);
    return status;
}

int kept_begin(used_device *u, const trawl_plan *plan, const keeping *k, memory *m,
               trawl_error *error)
{
    const device_api *api = u->device->api;
    const size_t bytes = plan_head(plan)->given * sizeof(u64);
    int status = TRAWL_OK;
    if (!u->kept.names.handle || u->kept.checksum != plan_head(plan)->checksum)
        status = load_names(u, plan, m, error);
    if (status == TRAWL_OK && u->kept.counts.bytes < bytes) {
        unused_buffer(u, &u->kept.counts);
        status = used_buffer(u, BUFFER_DEVICE, bytes, &u->kept.counts, error);
    }
    if (status == TRAWL_OK && k->counts)
        status = api->clear(u->lanes[0].queue, &u->kept.counts, 0, bytes, error);
    return status == TRAWL_OK ? api->finish(u->lanes[0].queue, error) : status;
}

int kept_part(lane *l, u32 part, u32 first, u32 stop, trawl_error *error)
{
    used_device *u = l->on;
    keeping *k = l->keeping;
    const plan_part *parts = plan_parts(l->plan);
    const u32 given = plan_head(l->plan)->given;
    const u64 count = stop - first, before = atomic_fetch_add(&k->count, count);
    const u64 left = before < k->capacity ? k->capacity - before : 0;
    const device_buffer *const buffers[] = { &l->records, &u->kept.names, &u->kept.counts,
                                             left ? &u->kept.matches : &u->kept.counts };
    tally_args a = { .base = k->base + l->window_at,
                     .at = left ? u->kept.matches_at + before * sizeof(tally_match) : 0,
                     .offset = l->offset,
                     .first = first,
                     .stop = stop,
                     .kept = (u32)(count < left ? count : left),
                     .patterns = k->counts && given > 1 ? given : 0 };
    for (u32 i = 0; i < part; i++)
        a.names += parts[i].pattern_count;
    if (count == 0 || (!a.kept && !a.patterns))
        return TRAWL_OK;
    pthread_mutex_lock(&u->lock);
    const int status =
        tally_launch(u->device, l->queue, buffers, &a, &l->tallied[l->tallies++], error);
    pthread_mutex_unlock(&u->lock);
    return status;
}

int kept_settle(lane *l, spent *times, trawl_error *error)
{
    return events_settle(l->on->device->api, l->tallied, &l->tallies, &times->kernel, error);
}

int kept_end(used_device *u, const trawl_plan *plan, keeping *k, memory *m, spent *times,
             trawl_error *error)
{
    const device_api *api = u->device->api;
    const u32 given = plan_head(plan)->given;
    int status = TRAWL_OK;
    for (u32 i = 0; i < u->lane_count && status == TRAWL_OK; i++) {
        if (u->lanes[i].tallies == 0)
            continue;
        status = api->finish(u->lanes[i].queue, error);
        if (status == TRAWL_OK)
            status = kept_settle(&u->lanes[i], times, error);
    }
    if (status != TRAWL_OK || !k->counts || given == 1)
        return status;
    u64 *counts = memory_take_array(m, given, sizeof *counts);
    if (!counts)
        return memory_failed(m, error, "counts");
    status = api->read(u->lanes[0].queue, &u->kept.counts, 0, counts, given * sizeof *counts, NULL,
                       error);
    if (status == TRAWL_OK)
        status = api->finish(u->lanes[0].queue, error);
    for (u32 i = 0; i < given && status == TRAWL_OK; i++)
        k->counts[i] += counts[i];
    memory_give(m, counts);
    return status;
}

void kept_abandon(used_device *u)
{
    for (u32 i = 0; i < u->lane_count; i++)
        if (u->lanes[i].tallies)
            lane_give_up(&u->lanes[i]);
}

/* Memory of the caller's. */
static int borrow(used_device *u, void *memory, size_t offset, size_t bytes, device_buffer *b,
                  size_t *begin, trawl_error *error)
{
    trawl_error why;
    error_clear(&why);
    const int status =
        u->device->api->buffer_borrow(u->device, memory, offset, bytes, true, b, begin, &why);
    return status == TRAWL_OK
               ? TRAWL_OK
               : fail(error, status, TRAWL_NONE, "where the result goes: %.220s", why.message);
}

int kept_take(used_device *u, void *memory, size_t offset, u64 capacity, trawl_error *error)
{
    return borrow(u, memory, offset, (size_t)capacity * sizeof(tally_match), &u->kept.matches,
                  &u->kept.matches_at, error);
}

static int queue_put(used_device *u, const device_event *after, device_buffer *to, size_t at,
                     const void *from, size_t bytes, trawl_error *error)
{
    const device_api *api = u->device->api;
    int status = u->kept.queue ? TRAWL_OK : api->queue_open(u->device, &u->kept.queue, error);
    if (status == TRAWL_OK && (after->begin || after->end))
        status = api->await(u->kept.queue, after, error);
    return status == TRAWL_OK ? api->write(u->kept.queue, to, at, from, bytes, NULL, error)
                              : status;
}

int kept_put(used_device *u, const device_event *after, void *memory, size_t offset,
             const void *from, size_t bytes, trawl_error *error)
{
    const device_api *api = u->device->api;
    device_buffer b;
    size_t begin;
    pthread_mutex_lock(&u->lock);
    int status = borrow(u, memory, offset, bytes, &b, &begin, error);
    const bool borrowed = status == TRAWL_OK;
    if (borrowed)
        status = queue_put(u, after, &b, begin, from, bytes, error);
    pthread_mutex_unlock(&u->lock);
    if (!borrowed)
        return status;
    if (u->kept.queue) {
        const int ended = api->finish(u->kept.queue, status == TRAWL_OK ? error : NULL);
        status = status == TRAWL_OK ? ended : status;
    }
    pthread_mutex_lock(&u->lock);
    api->buffer_close(u->device, &b);
    pthread_mutex_unlock(&u->lock);
    return status;
}

void kept_release(used_device *u)
{
    unused_buffer(u, &u->kept.names);
    unused_buffer(u, &u->kept.counts);
    if (u->kept.queue)
        u->device->api->queue_close(u->kept.queue);
    u->kept.queue = NULL;
    u->kept.checksum = 0;
}
