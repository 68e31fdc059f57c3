/* launch.c: what the host's side of both grid walks shares: choosing the stage, and how much of the
 * tables and of the text is in local memory (kernel.h, kernel.k).
 *
 * If all needles have few rows and columns, stage 1 is the fastest: a cache does for tables and
 * text what the other stages do by hand. Large needles need the comparisons of stage 4.
 */
#include "engines/shared/grid/launch.h"

#include "base/error.h"

enum {
    STAGES = 4,
    ITEM_BYTES = 96, /* of local memory for each item: 2048 items fit a multiprocessor */
    MIN_LOCAL = 8192
};

uint32_t grid_levels(const uint32_t *tables, const automaton_tables *t, uint32_t *levels)
{
    const automaton_node *nodes = (const automaton_node *)(tables + t->nodes);
    uint32_t count = 0, state = 0;
    for (;;) {
        if (levels)
            levels[count] = state;
        count++;
        if (state == t->states)
            return count;
        state = nodes[state].first;
    }
}

int grid_prepare(device_plan *p, const grid_use *use, grid_device *d, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const bool textured = p->texture.handle || p->texture.number;
    const bool can_near = info->local_bytes >= MIN_LOCAL;
    d->widest = grid_levels(p->facts.tables, use->rows, NULL) - 2;
    const bool is_large = p->facts.max_length >= use->large || d->widest >= use->large;
    const bool best = is_large && !info->cpu && textured && can_near;
    d->stage = tuned(p->tuning.stage, best ? STAGES : 1);
    if (d->stage >= 2 && !textured)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "stage %u needs textures of %zu words, the device has up to %llu: use stage=1",
                    (unsigned)d->stage, p->tables.bytes / 4,
                    (unsigned long long)info->texture_words);
    if (d->stage >= 3 && !can_near)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "stage %u needs %d bytes of local memory, the device has %u: use stage=2",
                    (unsigned)d->stage, MIN_LOCAL, (unsigned)info->local_bytes);
    const int status = plan_group(p, use->group, &d->group, error);
    return status || d->stage < 4 ? status : grid_upload_paths(p, use, &d->paths, error);
}

uint32_t grid_most_groups(const device_plan *p, uint32_t group)
{
    return p->device->info.units * parts(GRID_ITEMS_A_UNIT, group);
}

uint32_t grid_local_room(const device_plan *p, uint32_t group)
{
    const uint32_t usual = group * ITEM_BYTES;
    return smaller(usual > MIN_LOCAL ? usual : MIN_LOCAL, p->device->info.local_bytes);
}

grid_args grid_numbers(const grid_piece *piece, uint32_t end, const automaton_tables *rows)
{
    return (grid_args){
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .stride = piece->stride,
        .rows = piece->rows,
        .cols = piece->cols,
        .begin = piece->begin,
        .end = end,
        .automaton.far = *rows,
    };
}

uint32_t grid_share(grid_args *g, uint32_t node_words, uint32_t room, uint32_t text_bytes,
                    uint64_t most_nodes)
{
    grid_automaton *a = &g->automaton;
    uint32_t words = (room - text_bytes) / 4 - GRID_FLAGS - 4; /* 4: to align the text */
    if (a->far.slot_mask < words / 2)
        a->near_slots = a->far.slot_mask + 1;
    words -= a->near_slots;
    a->near_nodes = smaller(smaller(a->far.states, most_nodes), (words - 1) / node_words);
    a->near_symbols = GRID_FLAGS + a->near_slots;
    a->near_firsts = a->near_symbols + a->near_nodes;
    a->near_fails = a->near_firsts + a->near_nodes + 1;
    g->text = (a->near_symbols + a->near_nodes * node_words + 1 + 3) / 4 * 4;
    return g->text * 4 + text_bytes;
}

launch grid_launch(const device_plan *p, const grid_device *d, const char *unit, uint32_t groups,
                   uint32_t local_bytes, const grid_piece *piece)
{
    launch l = launch_of(unit, unit, groups, d->group, local_bytes);
    launch_define(&l, "STAGE", d->stage);
    launch_define(&l, "CELL", p->facts.cell_size);
    launch_tables(&l, p, d->stage >= 2);
    launch_buffer(&l, d->stage >= 4 ? &d->paths : &p->tables); /* or any: unused */
    launch_buffer(&l, piece->text);
    return l;
}
