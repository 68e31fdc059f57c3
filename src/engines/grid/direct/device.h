/* device.h: what the kernel of direct comparison (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_GRID_DIRECT_DEVICE_H
#define TRAWL_ENGINES_GRID_DIRECT_DEVICE_H

#include "engines/grid/direct/layout.h"

#define DIRECT_TOPS 4u /* the places that an item takes, one below the other */

/* Rows of text as in grid_piece; tops are in [begin, end). */
typedef struct direct_args {
    u64 capacity;
    u64 from, stride;
    u32 rows, cols;
    u32 begin, end;
} direct_args;

SHARED_SIZE(direct_args, 40);

#endif
