/* device.h: what the kernels of Boyer-Moore (device.k) and their host (device.c) agree on. */
#ifndef TRAWL_ENGINES_LITERAL_BM_DEVICE_H
#define TRAWL_ENGINES_LITERAL_BM_DEVICE_H

#include "engines/literal/bm/layout.h"

/* Text as in text_piece; 16 * `quads` bytes of tables; an item takes `chars` bytes, a run `cascade`
 * tiles; the others are as in bm_tables. */
typedef struct bm_staged_args {
    u64 capacity;
    u32 from, begin, end;
    u32 quads;
    u32 length, period, index;
    u32 folded; /* 1: without case */
    u32 chars, cascade;
} bm_staged_args;

SHARED_SIZE(bm_staged_args, 48);

/* An item takes `page` bytes. */
typedef struct bm_global_args {
    u64 capacity;
    u32 from, begin, end;
    u32 page;
} bm_global_args;

SHARED_SIZE(bm_global_args, 24);

#endif
