/* kernel.h: what the kernels of both grid walks (engines/grid/bb/device.k,
 * engines/papers/byr/device.k) and their hosts agree on.
 *
 * Local memory from stage 3 on, in words: GRID_FLAGS for the walk | states of the root's slots |
 * symbols | first children, one more | failure links | padding to a multiple of 4 | text.
 */
#ifndef TRAWL_ENGINES_SHARED_GRID_KERNEL_H
#define TRAWL_ENGINES_SHARED_GRID_KERNEL_H

#include "engines/shared/grid/layout.h"

#define GRID_FLAGS 4

/* The automaton of the needles' rows, and how much of it is in local memory, at which words. */
typedef struct grid_automaton {
    automaton_tables far;
    u32 near_slots; /* all of the root's slots, or 0 */
    u32 near_nodes; /* states */
    u32 near_symbols, near_firsts, near_fails;
} grid_automaton;

/* The numbers of both kernels. Rows of text are as in grid_piece; tops are in [begin, end). */
typedef struct grid_args {
    u64 capacity;
    u64 from, stride;
    u32 rows, cols;
    u32 begin, end;
    u32 text;    /* stage 4: the first word of staged text */
    u32 vectors; /* stage 4: staged bytes of a row, / 16 */
    grid_automaton automaton;
} grid_args;

/* The only row that can be completed from a state (paths.c). Its cells follow, 16 bytes at a time;
 * the last 16 are the row's last, some of them a second time. */
typedef struct grid_path {
    u32 number;
    u32 bytes; /* 16 at least */
    u32 leaf;  /* the state in which it ends */
    u32 unused;
} grid_path;

SHARED_SIZE(grid_args, 104);
SHARED_SIZE(grid_path, 16);

#endif
