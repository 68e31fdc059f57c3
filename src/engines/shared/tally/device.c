/* device.c: launching device.k. */
#include "engines/shared/tally/device.h"

#include "engines/shared/device/kernel.h"

#define GROUP 256u
#define EACH 8u /* records an item has at least, if there are many groups */

int tally_launch(device *d, device_queue *q, const device_buffer *const buffers[4],
                 const tally_args *a, device_event *event, trawl_error *error)
{
    const u32 group = GROUP < d->info.most_group ? GROUP : d->info.most_group;
    const u32 wanted = parts(a->stop - a->first, (u64)group * EACH), most = 4 * d->info.units;
    const u32 few = a->patterns <= TALLY_LOCAL ? a->patterns : 0;
    launch l = launch_of("tally", "tally", wanted < most ? wanted : most, group,
                         (few + 4) / 4 * 4 * sizeof(u32));
    for (u32 i = 0; i < 4; i++)
        launch_buffer(&l, buffers[i]);
    launch_struct(&l, a, sizeof *a);
    return d->api->launch(q, &l, event, error);
}
