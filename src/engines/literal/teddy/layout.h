/* layout.h: tables of Teddy: classes of bytes by buckets, a bitmap of grams, and literals by gram.
 *
 * Shared by the builder (build.c) and the loop on CPUs (vector.c).
 *
 * Each pattern has a window: a gram of its bytes. It is in one of the buckets, and its hash has a
 * bit in the bitmap.
 */
#ifndef TRAWL_ENGINES_LITERAL_TEDDY_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_TEDDY_LAYOUT_H

#include "engines/shared/prints/layout.h"

#define TEDDY_WIDTH 4u  /* the most bytes of a window */
#define TEDDY_GROUPS 2u /* the most groups of eight buckets */
#define TEDDY_PLACE 63u /* the greatest place of a window in its pattern */

/* The sets of bytes for a group and a byte of the window: bit b of a byte's set says that some
 * pattern of bucket b has the byte there. The set of byte c has at least the bits of half[c & 127]
 * & low[c & 15] & high[c >> 4]. */
typedef struct teddy_class {
    u8 half[128];
    u8 low[16], high[16];
} teddy_class;

typedef struct teddy_tables {
    u32 groups;  /* 1 .. TEDDY_GROUPS */
    u32 classes; /* teddy_class[groups * width], word offset; the width is that of grams */
    u32 bits;    /* u32[2^(32 - bits_shift) / 32], word offset */
    u32 bits_shift;
    prints_tables prints;
} teddy_tables;

SHARED_SIZE(teddy_class, 160);
SHARED_SIZE(teddy_tables, 80);

#endif
