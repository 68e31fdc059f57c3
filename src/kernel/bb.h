/* bb.h: what the kernel of Baker-Bird (bb.k) and its host (bb.c) agree on. */
#ifndef TRAWL_KERNEL_BB_H
#define TRAWL_KERNEL_BB_H

#include "kernel/grid.h"
#include "table/bb.h"

typedef struct bb_args {
    grid_args grid;
    u32 height; /* tops of a band */
    u32 strip;  /* stage 4: rows of text brought at once */
    automaton_tables columns;
    u32 unused;
} bb_args;

SHARED_SIZE(bb_args, 152);

#endif
