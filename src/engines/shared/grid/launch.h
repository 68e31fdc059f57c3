/* launch.h: what the host's side of both grid walks shares (launch.c). */
#ifndef TRAWL_ENGINES_SHARED_GRID_LAUNCH_H
#define TRAWL_ENGINES_SHARED_GRID_LAUNCH_H

#include "engines/shared/device/kernel.h"
#include "engines/shared/grid/kernel.h"

enum { GRID_ITEMS_A_UNIT = 2048 };

/* What both walks prepare. */
typedef struct grid_device {
    uint32_t stage, group;
    uint32_t widest;     /* columns of the widest needle */
    device_buffer paths; /* stage 4 */
} grid_device;

/* How the automaton of a walk is used. */
typedef struct grid_use {
    const automaton_tables *rows;
    uint32_t large; /* rows or columns from which stage 4 is the fastest */
    uint32_t group; /* usual work items of a group */
    bool own;       /* only the state itself counts, not the shorter rows that end with it */
} grid_use;

/* Choose stage and group: what is asked for, or the best; then make what the stage needs. */
int grid_prepare(device_plan *p, const grid_use *use, grid_device *d, trawl_error *error);

/* Set `levels`, which may be NULL, to the first state of each depth, and at the end the number of
 * states. Returns how many numbers those are: 2 more than the widest string has cells. */
uint32_t grid_levels(const uint32_t *tables, const automaton_tables *t, uint32_t *levels);

/* Put the table of paths.c, for the automaton that `use` describes, into a new buffer. */
int grid_upload_paths(device_plan *p, const grid_use *use, device_buffer *to, trawl_error *error);

/* How many groups a device runs at once. */
uint32_t grid_most_groups(const device_plan *p, uint32_t group);

/* Bytes of local memory that a group may take. */
uint32_t grid_local_room(const device_plan *p, uint32_t group);

/* The numbers of a launch over tops [begin, end) of a piece, with nothing in local memory. */
grid_args grid_numbers(const grid_piece *piece, uint32_t end, const automaton_tables *rows);

/* Share out `room` bytes, of which `text_bytes` (a multiple of 16) are for text. A state takes
 * `node_words` words; at most `most_nodes` states are worth bringing. Returns the bytes used. */
uint32_t grid_share(grid_args *g, uint32_t node_words, uint32_t room, uint32_t text_bytes,
                    uint64_t most_nodes);

/* A launch of the unit's kernel with the buffers that both walks have. The walk adds its own, then
 * calls launch_search. */
launch grid_launch(const device_plan *p, const grid_device *d, const char *unit, uint32_t groups,
                   uint32_t local_bytes, const grid_piece *piece);

#endif
