/* room.c: see room.h. */
#include "backend/room.h"

#include <stdio.h>
#include <string.h>

#include "backend/enumerate.h"
#include "base/error.h"

#define GPU_PIECE (4u << 20)
#define CPU_PIECE (8u << 20)
#define HELD_PIECE (256u << 20)
#define GPU_QUEUES 12u
#define CPU_QUEUES 1u
#define PIECES_OF_A_WINDOW 16u

static int no_devices(const device_api *api, const char *why, trawl_error *error)
{
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "the backend %s has no device: %s",
                api->name, why);
}

static int open_device(device_room *room, size_t index, const worker *w, used_device *u,
                       trawl_error *error)
{
    int status = room->api->open(index, w->options.native, w->memory, &u->device, error);
    if (status != TRAWL_OK)
        return status;
    const device_info *info = &u->device->info;
    const u32 queues = tuned(room->tuning.queues, info->cpu ? CPU_QUEUES : GPU_QUEUES);
    pthread_mutex_init(&u->lock, NULL);
    u->mapped = tuned(room->tuning.mapped, info->shares_memory) == 1;
    u->most = room->tuning.memory == TUNE_AUTO ? UINT64_MAX : (u64)room->tuning.memory << 20;
    if (room->usual.piece == 0)
        room->usual.piece = room->tuning.piece == TUNE_AUTO ? info->cpu ? CPU_PIECE : GPU_PIECE
                                                            : room->tuning.piece << 10;
    if (room->held_piece == 0)
        room->held_piece =
            room->tuning.piece == TUNE_AUTO && !info->cpu ? HELD_PIECE : room->usual.piece;
    room->usual.lanes = MAX_LANES;
    u->lane_count = queues;
    u->times_all = room->tuning.timed == 1;
    if (room->tuning.copies == 1)
        status = u->device->api->queue_open(u->device, &u->way, error);
    return status == TRAWL_OK ? lane_open(u, &u->lanes[0], error) : status;
}

void close_devices(worker *w)
{
    device_room *room = w->state;
    for (u32 i = 0; room && i < room->device_count; i++) {
        used_device *u = &room->devices[i];
        if (!u->device)
            continue;
        unload(u, NULL);
        kept_release(u);
        for (u32 k = 0; k < MAX_LANES; k++)
            lane_close(&u->lanes[k]);
        if (u->way)
            room->api->queue_close(u->way);
        room->api->close(u->device);
        pthread_mutex_destroy(&u->lock);
    }
    if (room)
        belt_close(&room->belt);
    memory_give(w->memory, room);
    w->state = NULL;
}

/* What planners may know of all devices of a room, each of which runs the same plans. */
static void set_target(const device_room *room, target *t)
{
    t->gpu = t->cpu = true;
    t->local_bytes = UINT32_MAX;
    for (u32 i = 0; i < room->device_count; i++) {
        const device_info *info = &room->devices[i].device->info;
        t->threads += info->units;
        t->cpu = t->cpu && info->cpu;
        t->local_bytes = info->local_bytes < t->local_bytes ? info->local_bytes : t->local_bytes;
    }
}

int open_devices(worker *w, const char *name, trawl_error *error)
{
    const device_api *api = device_api_by_name(name);
    bool chosen[MAX_DEVICES];
    tuning read;
    char why[256] = "";
    size_t count = 0;
    if (!api)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "this build has no backend %s: %s",
                    name,
                    strcmp(name, "cuda") == 0 ? "build it where the CUDA toolkit is installed"
                                              : "build it where ocl-icd-opencl-dev is installed");
    int status = tuning_read(w->options.tuning, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (w->options.threads || w->options.chunks || w->options.schedule)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "threads, chunks and schedule are for the CPU backends, not %s: leave them "
                    "out, and see `trawl devices --tuning`",
                    name);
    api->list(NULL, 0, &count, why);
    if (count == 0)
        return no_devices(api, why, error);
    if (count > MAX_DEVICES)
        count = MAX_DEVICES;
    status = choose_devices(w->options.device, count, chosen, error);
    if (status != TRAWL_OK)
        return status;
    device_room *room =
        memory_take_zeroed(w->memory, 1, sizeof *room + count * sizeof *room->devices);
    if (!room)
        return memory_failed(w->memory, error, "a context");
    room->api = api;
    room->tuning = read;
    w->state = room;
    w->threads = 1;
    status = belt_open(&room->belt, w->memory, error);
    for (size_t i = 0; i < count && status == TRAWL_OK; i++)
        if (chosen[i])
            status = open_device(room, i, w, &room->devices[room->device_count++], error);
    if (status != TRAWL_OK) {
        close_devices(w);
        return status;
    }
    w->limits.slice_bytes = room->usual.piece;
    w->limits.held_bytes = room->held_piece;
    for (u32 i = 0; i < room->device_count; i++)
        w->limits.lanes += room->devices[i].lane_count;
    if (w->limits.first_window / PIECES_OF_A_WINDOW > room->usual.piece)
        w->limits.first_window = room->usual.piece * PIECES_OF_A_WINDOW;
    set_target(room, &w->target);
    return TRAWL_OK;
}
