/* layout.h: a bitmap of the first bytes of a set of literals: a filter for starts.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and pfac's on devices.
 *
 * A gram is the first q bytes of a pattern as one number, the first byte lowest. Bit
 * gram * GRAMS_HASH >> shift is set for each; patterns shorter than q stand there with all
 * continuations. So a start whose gram has no bit begins no match. When some pattern ignores
 * case, text and bitmap are folded (engines/shared/fold.h).
 */
#ifndef TRAWL_ENGINES_PAPERS_GRAMS_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_GRAMS_LAYOUT_H

#include "engines/shared/fold.h"

#define GRAMS_HASH 0x9E3779B1u /* 2^32 / golden ratio */

typedef struct grams_tables {
    u32 q;     /* bytes of a gram, 2 .. 4 */
    u32 shift; /* 32 - log2 of the bits */
    u32 fold;  /* of text and bitmap: GRAM_FOLD or 0 */
    u32 mask;  /* the bytes of a gram in a u32 */
    u32 set;   /* bits that are set */
    u32 bits;  /* u32[2^(32 - shift) / 32], word offset */
    u32 unused[2];
} grams_tables;

SHARED_SIZE(grams_tables, 32);

#endif
