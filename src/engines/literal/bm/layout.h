/* layout.h: tables of Boyer-Moore.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_LITERAL_BM_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_BM_LAYOUT_H

#include "engines/shared/literal.h"

typedef struct bm_tables {
    u32 length;  /* bytes of the pattern, >= 1 */
    u32 period;  /* smallest p > 0 with pattern[i] == pattern[i + p] */
    u32 index;   /* what is reported */
    u32 pattern; /* u8[length], folded; word offset */
    u32 fold;    /* u8[256]; word offset */
    u32 bad;     /* u32[256]: the distance of a byte's last place from the pattern's end: 0 for the
                    last byte itself, length when absent; folded; word offset */
    u32 good;    /* u32[length]: shift after a mismatch at pattern[j]; word offset */
    u32 rare;    /* place of the byte that is thought to be rarest in texts; length: none, as all
                    are letters that fold */
} bm_tables;

SHARED_SIZE(bm_tables, 32);

#endif
