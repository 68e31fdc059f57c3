/* bb.h: Baker-Bird on a device. The algorithm is told in walk/bb.c.
 *
 * Idea: one work item owns one column of a band of rows. In each row it walks the trie of the
 * needles' rows from its cell to the right, without failure links, until there is no
 * transition: that gives every needle row that begins here, at most one of each width. Their
 * numbers step the column automaton. With one width its state lives in a register, else there
 * is one state for each width in scratch memory, beside the row in which it is valid.
 *
 * Bands make enough items for a large device. An item goes on below its band only while some
 * needle that began inside may still be completed: on most texts that is a row, at worst
 * max_rows - 1. A group takes one tile (a band of group-size columns) after the other, so it
 * brings its near tables once.
 *
 * Stage 4: the group brings `strip` rows of its columns, and what the walks read to their
 * right, as far as there is room; a walk that goes on further reads global memory. And where a
 * state can only go on to one row, with no other ending on the way, the walk stops: what is left
 * of the row is compared, several loads at once, instead of one look into the trie after the
 * other (grid_paths.c).
 *
 * Invariant: an occurrence is found by the item that owns its left column in the tile that
 * owns its top row, and by no other.
 *
 * Cost: cells times the depth of a walk: about log m / log |alphabet| on random texts, the
 * width of the needles where text and needles are of one colour.
 * Source: as in grid_port.h, section 3.1.
 */
#ifndef TRAWL_KERNEL_BB_H
#define TRAWL_KERNEL_BB_H

#include "kernel/grid_port.h"
#include "table/bb.h"

typedef struct bb_item {
    bb_scan scan; /* of the tile, for bb_report: tables, head, cols, end */
    grid_automaton rows, columns;
    GLOBAL bb_column *states; /* of this item, one for each width; `items` lie between two */
    u32 items;
    u32 one;                 /* all needles have one width */
    GLOBAL const u32 *paths; /* stage 4 */
} bb_item;

/* Void states for a new tile. */
INLINE void bb_forget(const bb_item *b, u32 begin)
{
    if (b->one)
        return;
    for (u32 i = 0; i < b->scan.head->groups; i++) {
        b->states[(u64)i * b->items].row = begin;
        b->states[(u64)i * b->items].state = 0;
    }
}

#define GRID_STAGE 1
#include "kernel/bb_form.h"
#undef GRID_STAGE
#define GRID_STAGE 2
#include "kernel/bb_form.h"
#undef GRID_STAGE
#define GRID_STAGE 3
#include "kernel/bb_form.h"
#undef GRID_STAGE
#define GRID_STAGE 4
#include "kernel/bb_form.h"
#undef GRID_STAGE

#endif
