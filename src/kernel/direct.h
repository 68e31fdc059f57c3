/* direct.h: what the kernel of direct comparison (direct.k) and its host (direct.c) agree on. */
#ifndef TRAWL_KERNEL_DIRECT_H
#define TRAWL_KERNEL_DIRECT_H

#include "table/direct.h"

#define DIRECT_TOPS 4u /* places of an item, one below the other */

/* Rows of text as in grid_piece; tops are in [begin, end). */
typedef struct direct_args {
    u64 capacity;
    u64 from, stride;
    u32 rows, cols;
    u32 begin, end;
} direct_args;

SHARED_SIZE(direct_args, 40);

#endif
