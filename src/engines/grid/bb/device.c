/* device.c: Baker-Bird on devices: which kernel, and how large. The kernels are in device.k.
 *
 * The one choice that matters is the height of the bands: low ones give many items, high ones read
 * less twice. A column is left as soon as nothing is under way in it, so most texts pay for a row
 * or two. Still a band is 4 times as high as the tallest needle, if the text then has enough items
 * to fill the device.
 */
#include "engines/grid/bb/device.h"
#include "engines/shared/grid/launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 64,
    LARGE = 64,              /* rows or columns from which stage 4 is the fastest on an H200 */
    MAX_STRIP = 8,           /* rows of text brought at once */
    MAX_SCRATCH = 256 << 20, /* bytes of column states, as long as a group has enough */
    BALANCE = 2              /* tiles a group takes, where that costs nothing */
};

static const bb_tables *tables_of(const device_plan *p)
{
    return (const bb_tables *)p->facts.tables;
}

static int bb_prepare(device_plan *p, trawl_error *error)
{
    const grid_use use = { .rows = &tables_of(p)->rows,
                           .large = LARGE,
                           .group = p->device->info.cpu ? CPU_GROUP : GPU_GROUP,
                           .own = true };
    return grid_prepare(p, &use, p->state, error);
}

static void bb_release(device_plan *p)
{
    grid_device *d = p->state;
    p->give(p, &d->paths);
}

/* Column states of a group: none where they live in registers. */
static uint64_t group_scratch(const device_plan *p, uint32_t group)
{
    const uint32_t widths = tables_of(p)->groups;
    return widths == 1 ? 0 : (uint64_t)widths * group * sizeof(bb_column);
}

static size_t bb_scratch_bytes(const device_plan *p, uint64_t length, uint64_t cols)
{
    const grid_device *d = p->state;
    const uint64_t one = group_scratch(p, d->group);
    uint64_t groups = length / cols * ((cols - 1) / d->group + 1); /* bands of one row */
    groups = smaller(groups, grid_most_groups(p, d->group));
    if (groups * one > MAX_SCRATCH)
        groups = one < MAX_SCRATCH ? MAX_SCRATCH / one : 1;
    return (size_t)(groups * one);
}

static uint32_t band_height(const device_plan *p, uint32_t tops, uint32_t cols)
{
    const uint64_t cells = (uint64_t)tops * cols;
    const uint64_t items = (uint64_t)p->device->info.units * GRID_ITEMS_A_UNIT;
    const uint64_t low = cells / (BALANCE * items) + 1, high = cells / items + 1;
    const uint64_t wanted = 4 * (uint64_t)tables_of(p)->max_rows;
    const uint64_t height = wanted < low ? low : wanted < high ? wanted : high;
    return smaller(height, tops);
}

static int bb_run_grid(const device_plan *p, device_queue *q, grid_piece *piece, trawl_error *error)
{
    const bb_tables *t = tables_of(p);
    const grid_device *d = p->state;
    const uint32_t stage = d->stage, group = d->group;
    const uint32_t end = smaller(piece->end, piece->rows);
    if (piece->begin >= end || piece->cols == 0)
        return TRAWL_OK;
    const uint32_t tops = end - piece->begin, height = band_height(p, tops, piece->cols);
    uint32_t groups = smaller((uint64_t)parts(tops, height) * parts(piece->cols, group),
                              grid_most_groups(p, group));
    if (t->groups > 1)
        groups = smaller(groups, piece->scratch->bytes / group_scratch(p, group));
    bb_args numbers = { .grid = grid_numbers(piece, end, &t->rows),
                        .height = height,
                        .strip = 1,
                        .columns = t->columns };
    uint32_t local_bytes = 0;
    if (stage >= 3) {
        const uint32_t room = grid_local_room(p, group);
        if (stage == 4) {
            /* 15 bytes before the first cell, 15 to fill up the last piece */
            const uint64_t wide = ((uint64_t)group + d->widest - 1) * t->cell_size;
            const uint32_t vectors = smaller((wide + 30) / 16, room / 3 / 16);
            numbers.strip = smaller(room / 3 / 16 / vectors, MAX_STRIP);
            numbers.grid.vectors = vectors;
        }
        /* A state that is brought should be met a few times. */
        local_bytes = grid_share(&numbers.grid, stage == 4 ? 3 : 2, room,
                                 16 * numbers.grid.vectors * numbers.strip,
                                 (uint64_t)tops * piece->cols / groups / 2);
    }
    launch l = grid_launch(p, d, "bb", groups, local_bytes, piece);
    launch_buffer(&l, t->groups > 1 ? piece->scratch : piece->sink.cursor); /* or any: unused */
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_bb = {
    .kind = WALK_BB,
    .state_bytes = sizeof(grid_device),
    .prepare = bb_prepare,
    .release = bb_release,
    .scratch_bytes = bb_scratch_bytes,
    .run_grid = bb_run_grid,
};
