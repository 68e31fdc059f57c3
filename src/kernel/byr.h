/* byr.h: Baeza-Yates-Regnier on a device. The algorithm is told in walk/byr.h.
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
 * Invariant: an occurrence is found by the item whose chunk holds its left column, in the one
 * primary row that crosses it above row m, and by no other.
 *
 * Cost: cells / m steps, a little more at the chunks' ends, and the comparisons.
 * Source: as in grid_port.h, section 3.1.
 */
#ifndef TRAWL_KERNEL_BYR_H
#define TRAWL_KERNEL_BYR_H

#include "kernel/grid_port.h"
#include "walk/byr.h"

typedef struct byr_item {
    byr_scan scan; /* for byr_candidates: all but the automaton */
    grid_automaton rows;
    GLOBAL const u32 *levels; /* the first state of each depth, and of the one that has none */
} byr_item;

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
