/* device.c: launching device.k. */
#include "engines/shared/rows/device.h"

#include "engines/shared/device/kernel.h"

#define GROUP 256u
#define GROUPS_A_UNIT 8u /* as many as a multiprocessor has at once */

int rows_launch(device *d, device_queue *q, const device_buffer *from, const device_buffer *to,
                const rows_args *a, device_event *event, trawl_error *error)
{
    const u32 group = smaller(GROUP, d->info.most_group);
    const u32 wanted = parts((u64)a->rows * a->quads, group);
    launch l = launch_of("rows", "rows", smaller(wanted, GROUPS_A_UNIT * d->info.units), group, 0);
    launch_buffer(&l, from);
    launch_buffer(&l, to);
    launch_struct(&l, a, sizeof *a);
    return d->api->launch(q, &l, event, error);
}
