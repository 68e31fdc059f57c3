/* device.c: direct comparison on devices: which kernel, and how large. The kernel is in device.k.
 *
 * A group takes some columns of some rows, and then others, if there are more of them than groups
 * run at once. Nothing is staged: bounds are the same for a whole group, and rows of text stay in a
 * cache from one cell of a needle to the next.
 */
#include "engines/grid/direct/device.h"
#include "engines/shared/grid/launch.h"

enum { GPU_GROUP = 256, CPU_GROUP = 64 };

typedef struct direct_device {
    uint32_t group;
    uint32_t bounds; /* what device.k tells apart */
} direct_device;

static const direct_tables *tables_of(const device_plan *p)
{
    return (const direct_tables *)p->facts.tables;
}

static int direct_prepare(device_plan *p, trawl_error *error)
{
    const direct_tables *t = tables_of(p);
    direct_device *d = p->state;
    d->bounds = t->exact ? 0 : t->channel == 1 ? 1 : t->channel == t->cell_size ? 2 : 3;
    return plan_group(p, p->device->info.cpu ? CPU_GROUP : GPU_GROUP, &d->group, error);
}

static int direct_run_grid(const device_plan *p, device_queue *q, grid_piece *piece,
                           trawl_error *error)
{
    const direct_device *d = p->state;
    const uint32_t end = smaller(piece->end, piece->rows);
    if (piece->begin >= end || piece->cols == 0)
        return TRAWL_OK;
    const uint64_t bands = parts(end - piece->begin, DIRECT_TOPS);
    const uint32_t groups =
        smaller(bands * parts(piece->cols, d->group), grid_most_groups(p, d->group));
    const direct_args numbers = { .capacity = piece->sink.capacity,
                                  .from = piece->from,
                                  .stride = piece->stride,
                                  .rows = piece->rows,
                                  .cols = piece->cols,
                                  .begin = piece->begin,
                                  .end = end };
    launch l = launch_of("direct", "direct", groups, d->group, 0);
    launch_define(&l, "BOUNDS", d->bounds);
    launch_define(&l, "CELL", p->facts.cell_size);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_direct = {
    .kind = WALK_DIRECT,
    .state_bytes = sizeof(direct_device),
    .prepare = direct_prepare,
    .run_grid = direct_run_grid,
};
