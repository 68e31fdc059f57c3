/* layout.h: tables of the strided filter by hashed q-grams.
 *
 * Shared by the builder (build.c) and the loop on CPUs (vector.c).
 *
 * `stride` neighbouring grams of every pattern are entries, so each occurrence has exactly one of
 * them at a place of the text that is a multiple of the stride (counted from anywhere).
 */
#ifndef TRAWL_ENGINES_LITERAL_QGRAMS_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_QGRAMS_LAYOUT_H

#include "engines/shared/prints/layout.h"

#define MIN_QGRAM 2u     /* bytes of a gram */
#define QGRAMS_STRIDE 8u /* the longest */

typedef struct qgrams_tables {
    u32 stride; /* 1 .. QGRAMS_STRIDE */
    u32 bits;   /* u32[2^(32 - bits_shift) / 32], word offset */
    u32 bits_shift;
    u32 unused;
    prints_tables prints;
} qgrams_tables;

SHARED_SIZE(qgrams_tables, 80);

#endif
