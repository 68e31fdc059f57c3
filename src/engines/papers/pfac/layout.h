/* layout.h: tables of PFAC: those of Aho-Corasick without failure links, and a bitmap of the first
 * bytes of the patterns, a filter for starts.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices (device.k).
 *
 * A gram is the first q bytes of a pattern as one number, the first byte lowest. Bit
 * gram * GRAMS_HASH >> shift is set for each; patterns shorter than q are there with all
 * continuations. So a start whose gram has no bit begins no match. When some pattern ignores case,
 * text and bitmap are folded (engines/shared/fold.h).
 */
#ifndef TRAWL_ENGINES_PAPERS_PFAC_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_PFAC_LAYOUT_H

#include "engines/literal/ac/layout.h"
#include "engines/shared/fold.h"

#define GRAMS_HASH 0x9E3779B1u /* 2^32 / golden ratio */

typedef struct grams_tables {
    u32 q;     /* bytes of a gram, 2 .. 4 */
    u32 shift; /* 32 - log2 of the bits */
    u32 fold;  /* of text and bitmap: GRAM_FOLD or 0 */
    u32 mask;  /* the bytes of a gram in a u32 */
    u32 set;   /* bits that are set */
    u32 bits;  /* u32[2^(32 - shift) / 32], word offset from the stage's tables */
    u32 unused[2];
} grams_tables;

typedef struct pfac_tables {
    ac_tables trie;
    grams_tables grams;
} pfac_tables;

SHARED_SIZE(grams_tables, 32);
SHARED_SIZE(pfac_tables, 80);

/* The transition without failure links; AC_DEAD ends the walk of this start. */
INLINE u32 pfac_next(GLOBAL const u32 *rows, GLOBAL const u32 *sparse, u32 s, u32 class_number)
{
    return s & AC_SPARSE ? ac_child(sparse + (s & AC_PLACE), class_number)
                         : rows[(s & AC_PLACE) + class_number];
}

#endif
