/* grid_launch.h: what the host's side of both grid kernels shares: choosing the stage, and what
 * of the tables and of the text is near (see grid_port.h).
 */
#ifndef TRAWL_KERNEL_GRID_LAUNCH_H
#define TRAWL_KERNEL_GRID_LAUNCH_H

#include "base/error.h"
#include "kernel/kernel.h"
#include "table/grid.h"

enum {
    GRID_STAGES = 4,
    GRID_FLAG_WORDS = 4,  /* GRID_NEAR of grid_port.h */
    GRID_ITEM_BYTES = 96, /* of local memory for each item: 2048 items fit a multiprocessor */
    GRID_LEAST_LOCAL = 8192,
    GRID_ITEMS_A_UNIT = 2048
};

/* What both grid walks prepare. */
typedef struct grid_device {
    uint32_t stage;
    uint32_t widest;     /* columns of the widest needle */
    device_buffer paths; /* stage 4 */
} grid_device;

/* Local memory of a launch. */
typedef struct grid_near {
    uint32_t slots, nodes; /* how many of them are near */
    uint32_t text;         /* first word of staged text */
    uint32_t bytes;        /* in all; 0: none */
} grid_near;

static inline uint32_t grid_smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The first state of each depth, and last the number of states; returns how many those are.
 * `levels` may be NULL. There are 2 more than the widest string has cells. */
static inline uint32_t grid_levels(const uint32_t *tables, const automaton_tables *t,
                                   uint32_t *levels)
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

/* Set d->stage, to what is asked for or the best, and d->widest.
 * Where all needles have fewer than `large` rows and columns that is stage 1: a cache does for
 * tables and text what the others do by hand. Large needles need what stage 4 does about comparing
 * them. */
static inline int grid_choose_stage(const device_plan *p, grid_device *d,
                                    const automaton_tables *rows, uint32_t large,
                                    trawl_error *error)
{
    const uint32_t widest = grid_levels(p->facts.tables, rows, NULL) - 2;
    const bool is_large = p->facts.max_length >= large || widest >= large;
    const device_info *info = &p->device->info;
    const bool textured = p->texture.handle || p->texture.number;
    const bool can_near = info->local_bytes >= GRID_LEAST_LOCAL;
    uint32_t stage = p->tuning.stage;
    if (stage == TUNE_AUTO)
        stage = is_large && !info->cpu && textured && can_near ? GRID_STAGES : 1;
    if (stage >= 2 && !textured)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "stage %u needs textures of %zu words, the device has up to %llu: use stage=1",
                    (unsigned)stage, p->tables.bytes / 4, (unsigned long long)info->texture_words);
    if (stage >= 3 && !can_near)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "stage %u needs %d bytes of local memory, the device has %u: use stage=2",
                    (unsigned)stage, GRID_LEAST_LOCAL, (unsigned)info->local_bytes);
    if (p->tuning.group != TUNE_AUTO && p->tuning.group > info->most_group)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u: the device takes groups of up to %u items",
                    (unsigned)p->tuning.group, (unsigned)info->most_group);
    d->stage = stage;
    d->widest = widest;
    return TRAWL_OK;
}

/* The table of grid_paths.c, of a plan's automaton of rows, in a new buffer. */
int grid_upload_paths(device_plan *p, const automaton_tables *t, uint32_t cell_size, bool own,
                      device_buffer *to, trawl_error *error);

/* Bytes of local memory a group may take. */
static inline uint32_t grid_local_room(const device_plan *p, uint32_t group)
{
    const uint32_t usual = group * GRID_ITEM_BYTES;
    return grid_smaller(usual > GRID_LEAST_LOCAL ? usual : GRID_LEAST_LOCAL,
                        p->device->info.local_bytes);
}

/* Share out `room` bytes, of which `text_bytes` (a multiple of 16) are for text. States cost
 * `node_words` each; no more than `most_nodes` of them are worth bringing. */
static inline grid_near grid_share(const automaton_tables *t, uint32_t node_words, uint32_t room,
                                   uint32_t text_bytes, uint64_t most_nodes)
{
    grid_near n = { 0 };
    uint32_t words = (room - text_bytes) / 4 - GRID_FLAG_WORDS - 4; /* 4: to align the text */
    if (t->slot_mask < words / 2)
        n.slots = t->slot_mask + 1;
    words -= n.slots;
    n.nodes = grid_smaller(grid_smaller(t->states, most_nodes), (words - 1) / node_words);
    const uint32_t near = GRID_FLAG_WORDS + n.slots + n.nodes * node_words + (n.nodes != 0);
    n.text = (near + 3) / 4 * 4;
    n.bytes = n.text * 4 + text_bytes;
    return n;
}

#endif
