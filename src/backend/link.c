/* link.c: how fast text comes to a device: a few copies of pinned memory are timed, and the fastest
 * counts. It takes some milliseconds, most of them to get the memory.
 */
#include "backend/lane.h"

#define LINK_BYTES (4u << 20)
#define LINK_COPIES 4u

static double copy_seconds(used_device *u, const device_buffer *from, device_buffer *to)
{
    const device_api *api = u->device->api;
    device_queue *q = u->lanes[0].queue;
    device_event event = { NULL, NULL };
    double seconds = 0;
    if (api->write(q, to, 0, from->host, LINK_BYTES, &event, NULL) == TRAWL_OK &&
        api->finish(q, NULL) == TRAWL_OK && api->event_wait(&event, NULL) == TRAWL_OK)
        seconds = api->event_seconds(&event);
    api->event_close(u->device, &event);
    return seconds;
}

static double measure(used_device *u)
{
    device_buffer from = { 0 }, to = { 0 };
    double best = 0;
    if (lane_open(u, &u->lanes[0], NULL) == TRAWL_OK &&
        used_buffer(u, BUFFER_PINNED, LINK_BYTES, &from, NULL) == TRAWL_OK &&
        used_buffer(u, BUFFER_DEVICE, LINK_BYTES, &to, NULL) == TRAWL_OK)
        for (u32 i = 0; i < LINK_COPIES; i++) {
            const double seconds = copy_seconds(u, &from, &to);
            if (seconds > 0 && LINK_BYTES / seconds > best)
                best = LINK_BYTES / seconds;
        }
    unused_buffer(u, &from);
    unused_buffer(u, &to);
    return best;
}

double link_rate(used_device *devices, u32 count)
{
    double all = 0;
    for (u32 i = 0; i < count; i++)
        if (devices[i].device->info.cpu)
            return 0;
    for (u32 i = 0; i < count; i++)
        all += measure(&devices[i]);
    return all;
}
