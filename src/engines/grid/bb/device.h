/* device.h: what the kernel of Baker-Bird (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_GRID_BB_DEVICE_H
#define TRAWL_ENGINES_GRID_BB_DEVICE_H

#include "engines/grid/bb/layout.h"
#include "engines/shared/grid/kernel.h"

typedef struct bb_args {
    grid_args grid;
    u32 height; /* how many tops a band has */
    u32 strip;  /* stage 4: rows of text that are brought at once */
    automaton_tables columns;
    u32 unused;
} bb_args;

SHARED_SIZE(bb_args, 152);

#endif
