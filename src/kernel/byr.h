/* byr.h: Baeza-Yates-Regnier on a device. The algorithm is told in walk/byr.c.
 *
 * Idea: groups take stretches of primary rows, items take chunks of `chars` columns of a
 * stretch. An item runs the automaton of the needles' rows over its chunk, from the root, and
 * beyond it as long as the state stands for cells of its own chunk. Where a needle row ends it
 * compares the other rows of the needle (byr_candidates).
 *
 * Look-ahead: the paper reads width - 1 columns beyond a chunk. Here the item stops where the
 * longest needle row that may still be completed began in the next chunk. States are numbered
 * breadth first, so "is this state at least d deep" is "is its number at least levels[d]",
 * the first state of that depth, which the host lists.
 *
 * Stage 4: the group brings its stretch and what its last items read beyond it, as far as there
 * is room. Chunks of an odd number of words put the items' cells into different banks.
 *
 * Comparing a large needle takes one item long. So in stage 4 an item only looks at the two most
 * varied rows of it and then puts it into a queue of the group, which after each stretch compares
 * what is queued with all its items. Where the queue is full the item goes on by itself, as it
 * does with small needles. A queued needle counts as not found for the rules of byr_candidates:
 * they save comparisons only.
 *
 * And where an item is far behind its chunk and the automaton on a path on which no row ends but
 * its last state's, the rest of that row is compared at once (grid_paths.c). If it is there, the
 * automaton goes on from the path's end; if not, as if nothing had been asked.
 *
 * Invariant: an occurrence is found by the item whose chunk holds its left column, in the one
 * primary row that crosses it above row m, and by no other.
 *
 * Cost: cells / m steps, a little more at the chunks' ends, and the comparisons.
 * Source: as in grid_port.h, section 3.1.
 */
#ifndef TRAWL_KERNEL_BYR_H
#define TRAWL_KERNEL_BYR_H

#include "kernel/grid_port.h"
#include "table/byr.h"

typedef struct byr_item {
    byr_scan scan; /* for byr_candidates: all but the automaton */
    grid_automaton rows;
    GLOBAL const u32 *levels; /* the first state of each depth, and of the one that has none */
    GLOBAL const u32 *paths;  /* stage 4 */
    u32 queue;                /* stage 4: where it is in local memory */
} byr_item;

#define BYR_PATIENCE 8u /* steps behind a chunk between two looks for a path */

/* The group's queue in local memory: word 0 counts what was to be put there, 1 and 2 are flags in
 * turn; from BYR_ENTRIES on two words each: number of the candidate, left column. */
#define BYR_QUEUE 32u
#define BYR_FLAGS 1u
#define BYR_ENTRIES 4u
#define BYR_LIKELY 2u   /* rows that an item compares before it puts a needle there */
#define BYR_SHARED 256u /* words of a needle that the group compares */

INLINE GLOBAL const byr_candidate *byr_candidate_at(const byr_scan *scan, u32 i)
{
    return (GLOBAL const byr_candidate *)(scan->tables + scan->head->candidates) + i;
}

INLINE GLOBAL const byr_needle *byr_needle_at(const byr_scan *scan, u32 i)
{
    return (GLOBAL const byr_needle *)(scan->tables + scan->head->needles) + i;
}

/* Is this needle worth the time of a group? */
INLINE u32 byr_shared(GLOBAL const byr_needle *n)
{
    return (u64)n->rows * n->row_words >= BYR_SHARED;
}

/* This item's part of comparing a needle: 16 bytes here and there, or whole rows that are
 * narrower. Returns 0 when all of that is there. */
INLINE u32 byr_part_differs(const byr_scan *scan, GLOBAL const byr_needle *n, u32 top, u32 left)
{
    const u32 bytes = n->row_bytes, parts = (bytes + 15) / 16;
    GLOBAL const u8 *tables = (GLOBAL const u8 *)scan->tables;
    const u64 text = top * scan->stride + (u64)left * scan->head->cell_size;
    u32 differ = 0;
    if (bytes < 16) {
        for (u32 row = PORT_LID; row < n->rows; row += PORT_GROUP_SIZE)
            differ |= !byr_row_equal(scan, n, row, top, left);
        return differ;
    }
    for (u32 i = PORT_LID; i < n->rows * parts; i += PORT_GROUP_SIZE) {
        const u32 row = i / parts, part = i - row * parts;
        const u32 at = part + 1 < parts ? 16 * part : bytes - 16;
        const u64 needle = 4 * (n->cells + (u64)row * n->row_words) + at;
        differ |= grid_differ(grid_far_window(tables, needle),
                              grid_far_window(scan->cells, text + row * scan->stride + at));
    }
    return differ;
}

/* The depth of a state that is not deeper than `most`. */
INLINE u32 byr_depth(GLOBAL const u32 *levels, u32 state, u32 most)
{
    u32 low = 0, high = most + 1;
    while (high - low > 1) {
        const u32 middle = low + (high - low) / 2;
        if (levels[middle] <= state)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define GRID_STAGE 1
#include "kernel/byr_form.h"
#undef GRID_STAGE
#define GRID_STAGE 2
#include "kernel/byr_form.h"
#undef GRID_STAGE
#define GRID_STAGE 3
#include "kernel/byr_form.h"
#undef GRID_STAGE
#define GRID_STAGE 4
#include "kernel/byr_form.h"
#undef GRID_STAGE

#endif
