/* device.c: Baeza-Yates-Regnier on devices: which kernel, and how large. The kernels are in
 * device.k.
 *
 * The one choice that matters is the length of a chunk: short ones give many items, long ones spend
 * less on columns beyond their ends.
 */

#include "engines/papers/byr/device.h"
#include "base/error.h"
#include "engines/shared/grid/launch.h"

enum {
    LARGE = 24, /* rows or columns from which stage 4 is the fastest on an H200 */
    GPU_GROUP = 256,
    CPU_GROUP = 16,
    GPU_BYTES = 36,
    CPU_CHARS = 1024
};

typedef struct byr_device {
    grid_device grid;
    device_buffer levels; /* the first state of each depth */
} byr_device;

static const byr_tables *tables_of(const device_plan *p)
{
    return (const byr_tables *)p->facts.tables;
}

/* The first state of each depth, for the look-ahead. */
static int upload_levels(device_plan *p, trawl_error *error)
{
    byr_device *d = p->state;
    const automaton_tables *rows = &tables_of(p)->rows;
    const uint32_t count = d->grid.widest + 2;
    const size_t bytes = count * sizeof(uint32_t);
    uint32_t *levels = memory_take(p->memory, bytes);
    if (!levels)
        return memory_failed(p->memory, error, "%u levels", (unsigned)count);
    grid_levels(p->facts.tables, rows, levels);
    const int status = plan_upload(p, &d->levels, levels, bytes, error);
    memory_give(p->memory, levels);
    return status;
}

static int byr_prepare(device_plan *p, trawl_error *error)
{
    byr_device *d = p->state;
    const grid_use use = { .rows = &tables_of(p)->rows,
                           .large = LARGE,
                           .group = p->device->info.cpu ? CPU_GROUP : GPU_GROUP };
    const int status = grid_prepare(p, &use, &d->grid, error);
    return status ? status : upload_levels(p, error);
}

static void byr_release(device_plan *p)
{
    byr_device *d = p->state;
    p->give(p, &d->grid.paths);
    p->give(p, &d->levels);
}

/* Columns of a chunk: as few as fill the device, up to 36 bytes, an odd number of words, and the
 * stretches of a row about equally long. */
static uint32_t usual_chars(const device_plan *p, uint64_t cells, uint32_t cols, uint32_t group)
{
    const device_info *info = &p->device->info;
    const uint32_t cell_size = tables_of(p)->cell_size;
    if (info->cpu)
        return CPU_CHARS;
    const uint64_t wanted = cells / ((uint64_t)info->units * GRID_ITEMS_A_UNIT) * cell_size;
    const uint32_t most = (smaller(wanted, GPU_BYTES) / 4 | 1) * 4 / cell_size;
    const uint32_t stretches = (cols - 1) / (group * most) + 1;
    const uint32_t even = (cols - 1) / (group * stretches) + 1; /* <= most */
    return ((even * cell_size + 3) / 4 | 1) * 4 / cell_size;
}

static int byr_run_grid(const device_plan *p, device_queue *q, grid_piece *piece,
                        trawl_error *error)
{
    const byr_tables *t = tables_of(p);
    const byr_device *d = p->state;
    const uint32_t stage = d->grid.stage, group = d->grid.group, step = t->step;
    /* Primary rows are step - 1 below begin, then step apart, up to step - 1 below the last top. */
    const uint64_t below = (uint64_t)piece->begin + step - 1;
    const uint64_t last = (uint64_t)piece->end + step - 1;
    const uint64_t stop = last < piece->rows ? last : piece->rows;
    if (piece->begin >= piece->end || below >= stop || piece->cols == 0)
        return TRAWL_OK;
    const uint32_t primary = parts(stop - below, step);
    const uint64_t cells = (uint64_t)primary * piece->cols;
    const uint32_t chars = tuned(p->tuning.chars, usual_chars(p, cells, piece->cols, group));
    const uint32_t stretches = (piece->cols - 1) / (group * chars) + 1;
    const uint32_t groups = smaller((uint64_t)primary * stretches, grid_most_groups(p, group));
    byr_args numbers = { .grid = grid_numbers(piece, piece->end, &t->rows),
                         .primary = primary,
                         .chars = chars };
    uint32_t local_bytes = 0;
    if (stage >= 3) {
        const uint32_t room = grid_local_room(p, group);
        uint32_t text_bytes = 0;
        if (stage == 4) {
            const uint64_t wide = (uint64_t)group * chars + d->grid.widest - 1; /* and look-ahead */
            const uint64_t columns = wide < piece->cols ? wide : piece->cols;
            numbers.grid.vectors = smaller((columns * t->cell_size + 30) / 16, room / 2 / 16);
            text_bytes = 16 * numbers.grid.vectors + 4 * BYR_QUEUE_WORDS;
        }
        /* A state that is brought should be met a few times. */
        local_bytes = grid_share(&numbers.grid, 3, room, text_bytes, cells / groups / 2);
    }
    launch l = grid_launch(p, &d->grid, "byr", groups, local_bytes, piece);
    launch_buffer(&l, &d->levels);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_byr = {
    .kind = WALK_BYR,
    .state_bytes = sizeof(byr_device),
    .prepare = byr_prepare,
    .release = byr_release,
    .run_grid = byr_run_grid,
};
