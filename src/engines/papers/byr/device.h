/* device.h: what the kernel of Baeza-Yates-Regnier (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_PAPERS_BYR_DEVICE_H
#define TRAWL_ENGINES_PAPERS_BYR_DEVICE_H

#include "engines/papers/byr/layout.h"
#include "engines/shared/grid/kernel.h"

typedef struct byr_args {
    grid_args grid;
    u32 primary; /* the number of primary rows */
    u32 chars;   /* columns of a chunk */
} byr_args;

SHARED_SIZE(byr_args, 112);

/* Stage 4: the group's queue of needles, after the staged text. Word 0 counts what was to be put
 * there, 1 and 2 are flags that take turns; then two words for each: number of the candidate, left
 * column. */
#define BYR_FLAGS 1
#define BYR_ENTRIES 4
#define BYR_QUEUE 32 /* needles */
#define BYR_QUEUE_WORDS (BYR_ENTRIES + 2 * BYR_QUEUE)

#endif
