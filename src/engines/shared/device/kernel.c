/* kernel.c: what walks on devices upload, and launches whose time and outcome are kept. */
#include "engines/shared/device/kernel.h"

#include "base/error.h"

bool device_takes(walk_kind kind, const uint32_t *tables)
{
    const device_walk *walk = device_walk_of(kind);
    return walk && (!walk->takes || walk->takes(tables));
}

int plan_prepare(device_plan *p, trawl_error *error)
{
    p->state = memory_take_zeroed(p->memory, 1, p->walk->state_bytes);
    if (!p->state)
        return memory_failed(p->memory, error, "a plan on a device");
    return p->walk->prepare(p, error);
}

void plan_release(device_plan *p)
{
    if (p->state && p->walk->release)
        p->walk->release(p);
    memory_give(p->memory, p->state);
    p->state = NULL;
}

int plan_group(const device_plan *p, uint32_t usual, uint32_t *group, trawl_error *error)
{
    const device_info *info = &p->device->info;
    *group = tuned(p->tuning.group, usual < info->most_group ? usual : info->most_group);
    if (*group <= info->most_group)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "group=%u: %s takes groups of up to %u work items", *group, info->name,
                info->most_group);
}

int plan_warps(const device_plan *p, const char *walk, uint32_t usual, uint32_t most,
               uint32_t *group, trawl_error *error)
{
    const int status = plan_group(p, usual, group, error);
    if (status != TRAWL_OK)
        return status;
    if (p->device->info.lanes)
        *group = parts(*group, WARP) * WARP;
    if (*group <= most)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "group=%u: %s takes groups of up to %u work items", *group, walk, most);
}

int plan_local(const device_plan *p, const char *walk, uint32_t group, uint64_t bytes,
               const char *instead, trawl_error *error)
{
    const device_info *info = &p->device->info;
    if (bytes <= info->local_bytes)
        return TRAWL_OK;
    return fail(
        error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
        "%s: a group of %u items needs %llu bytes of local memory; %s has %u: use a smaller "
        "group%s",
        walk, group, (unsigned long long)bytes, info->name, info->local_bytes, instead);
}

int plan_upload(device_plan *p, device_buffer *b, const void *from, size_t bytes,
                trawl_error *error)
{
    const device_api *api = p->device->api;
    int status = p->take(p, bytes, b, error);
    if (status == TRAWL_OK)
        status = api->write(p->queue, b, 0, from, bytes, NULL, error);
    return status == TRAWL_OK ? api->finish(p->queue, error) : status;
}

int events_settle(const device_api *api, const device_event *events, uint32_t *count,
                  double *seconds, trawl_error *error)
{
    int status = TRAWL_OK;
    for (uint32_t i = 0; i < *count; i++) {
        const int waited = api->event_wait(&events[i], status == TRAWL_OK ? error : NULL);
        if (status == TRAWL_OK)
            status = waited;
        if (waited == TRAWL_OK)
            *seconds += api->event_seconds(&events[i]);
    }
    *count = 0;
    return status;
}

int sink_settle(const device_api *api, piece_sink *s, trawl_error *error)
{
    return events_settle(api, s->events, &s->event_count, &s->seconds, error);
}

int sink_launch(const device_plan *p, device_queue *q, const launch *l, piece_sink *s,
                trawl_error *error)
{
    if (!s->events)
        return p->device->api->launch(q, l, NULL, error);
    if (s->event_count == PIECE_EVENTS) {
        const int status = sink_settle(p->device->api, s, error);
        if (status != TRAWL_OK)
            return status;
    }
    return p->device->api->launch(q, l, &s->events[s->event_count++], error);
}

int launch_search(const device_plan *p, device_queue *q, launch *l, const void *numbers,
                  size_t bytes, piece_sink *s, trawl_error *error)
{
    launch_buffer(l, s->cursor);
    launch_buffer(l, s->records);
    launch_struct(l, numbers, bytes);
    return sink_launch(p, q, l, s, error);
}
