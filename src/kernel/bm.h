/* bm.h: what the kernels of Boyer-Moore (bm.k) and their host (bm.c) agree on. */
#ifndef TRAWL_KERNEL_BM_H
#define TRAWL_KERNEL_BM_H

#include "table/bm.h"

/* Text as in text_piece; 16 * `quads` bytes of tables; `chars` bytes an item, `cascade` tiles a
 * run; the others as in bm_tables. */
typedef struct bm_staged_args {
    u64 capacity;
    u32 from, begin, end;
    u32 quads;
    u32 length, period, index;
    u32 folded; /* 1: without case */
    u32 chars, cascade;
} bm_staged_args;

SHARED_SIZE(bm_staged_args, 48);

/* `page` bytes an item. */
typedef struct bm_global_args {
    u64 capacity;
    u32 from, begin, end;
    u32 page;
} bm_global_args;

SHARED_SIZE(bm_global_args, 24);

#endif
