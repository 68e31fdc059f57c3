/* bb.c: launching Baker-Bird's kernels (kernel/bb.k).
 *
 * The one choice that matters is the height of the bands: low ones give many items, high ones
 * read less twice. A column is left as soon as nothing is under way in it, so most texts pay
 * for a row or two; still a band is 4 times as high as the tallest needle where the text then
 * has items enough to fill the device.
 */
#include "table/bb.h"

#include "kernel/grid_launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 64,
    LARGE = 64,               /* rows or columns from which stage 4 is the fastest on an H200 */
    MOST_STRIP = 8,           /* rows of text brought at once */
    MOST_SCRATCH = 256 << 20, /* bytes of column states, as long as a group has enough */
    BALANCE = 2               /* tiles a group takes, where that costs nothing */
};

static const char *const kernels[] = { NULL, "bb_stage1", "bb_stage2", "bb_stage3", "bb_stage4" };

static const bb_tables *tables_of(const device_plan *p)
{
    return (const bb_tables *)p->facts.tables;
}

static int bb_prepare(device_plan *p, trawl_error *error)
{
    const bb_tables *t = tables_of(p);
    grid_device *d = p->state;
    const int status = grid_choose_stage(p, d, &t->rows, LARGE, error);
    if (status != TRAWL_OK || d->stage < 4)
        return status;
    return grid_upload_paths(p, &t->rows, t->cell_size, true, &d->paths, error);
}

static void bb_release(device_plan *p)
{
    grid_device *d = p->state;
    p->give(p, &d->paths);
}

static uint32_t group_of(const device_plan *p)
{
    const device_info *info = &p->device->info;
    return tuned(p->tuning.group,
                 grid_smaller(info->cpu ? CPU_GROUP : GPU_GROUP, info->most_group));
}

/* As many groups as a device runs at once. */
static uint32_t most_groups(const device_plan *p, uint32_t group)
{
    return p->device->info.units * ((GRID_ITEMS_A_UNIT - 1) / group + 1);
}

/* Column states of a group: none where they live in registers. */
static uint64_t group_scratch(const device_plan *p, uint32_t group)
{
    const uint32_t widths = tables_of(p)->groups;
    return widths == 1 ? 0 : (uint64_t)widths * group * sizeof(bb_column);
}

static size_t bb_scratch_bytes(const device_plan *p, uint64_t length, uint64_t cols)
{
    const uint32_t group = group_of(p);
    const uint64_t one = group_scratch(p, group);
    uint64_t groups = length / cols * ((cols - 1) / group + 1); /* bands of one row */
    groups = grid_smaller(groups, most_groups(p, group));
    if (groups * one > MOST_SCRATCH)
        groups = one < MOST_SCRATCH ? MOST_SCRATCH / one : 1;
    return (size_t)(groups * one);
}

static uint32_t band_height(const device_plan *p, uint32_t tops, uint32_t cols)
{
    const uint64_t cells = (uint64_t)tops * cols;
    const uint64_t items = (uint64_t)p->device->info.units * GRID_ITEMS_A_UNIT;
    const uint64_t low = cells / (BALANCE * items) + 1, high = cells / items + 1;
    const uint64_t wanted = 4 * (uint64_t)tables_of(p)->max_rows;
    const uint64_t height = wanted < low ? low : wanted < high ? wanted : high;
    return grid_smaller(height, tops);
}

static int bb_run_grid(const device_plan *p, device_queue *q, grid_piece *piece, trawl_error *error)
{
    const bb_tables *t = tables_of(p);
    const grid_device *d = p->state;
    const uint32_t stage = d->stage, group = group_of(p);
    const uint32_t end = grid_smaller(piece->end, piece->rows);
    if (piece->begin >= end || piece->cols == 0)
        return TRAWL_OK;
    const uint32_t tops = end - piece->begin, height = band_height(p, tops, piece->cols);
    const uint32_t tiles = ((tops - 1) / height + 1) * ((piece->cols - 1) / group + 1);
    uint32_t groups = grid_smaller(tiles, most_groups(p, group));
    if (t->groups > 1)
        groups = grid_smaller(groups, piece->scratch->bytes / group_scratch(p, group));
    grid_near near = { 0 };
    uint32_t vectors = 0, strip = 1;
    if (stage >= 3) {
        const uint32_t room = grid_local_room(p, group);
        if (stage == 4) {
            /* 15 bytes before the first cell, 15 to fill up the last piece */
            const uint64_t wide = ((uint64_t)group + d->widest - 1) * t->cell_size;
            vectors = grid_smaller((wide + 30) / 16, room / 3 / 16);
            strip = grid_smaller(room / 3 / 16 / vectors, MOST_STRIP);
        }
        /* A state that is brought should be met a few times. */
        near = grid_share(&t->rows, stage == 4 ? 3 : 2, room, 16 * vectors * strip,
                          (uint64_t)tops * piece->cols / groups / 2);
    }
    launch l = launch_of("bb", kernels[stage], groups, group, near.bytes);
    launch_buffer(&l, &p->tables);
    if (stage >= 2)
        launch_texture(&l, &p->texture);
    if (stage == 4)
        launch_buffer(&l, &d->paths);
    launch_buffer(&l, piece->text);
    launch_u32(&l, piece->rows);
    launch_u32(&l, piece->cols);
    launch_u64(&l, piece->stride);
    launch_u32(&l, piece->begin);
    launch_u32(&l, end);
    launch_u32(&l, height);
    launch_u32(&l, near.slots);
    launch_u32(&l, near.nodes);
    launch_u32(&l, near.text);
    launch_u32(&l, vectors);
    launch_u32(&l, strip);
    launch_buffer(&l, t->groups > 1 ? piece->scratch : piece->sink.cursor); /* or any: unused */
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

const device_walk device_bb = {
    .kind = WALK_BB,
    .state_bytes = sizeof(grid_device),
    .prepare = bb_prepare,
    .release = bb_release,
    .scratch_bytes = bb_scratch_bytes,
    .run_grid = bb_run_grid,
};
