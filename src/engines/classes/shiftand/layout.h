/* layout.h: masks of extended SHIFT-AND.
 *
 * Shared by the builder (build.c), the loop on CPUs (vector.c) and the
 * loops on devices (device.k). On CPUs longer texts are searched by bit streams (streams_layout.h),
 * if the set has tables for that.
 */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_LAYOUT_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_LAYOUT_H

#include "base/port.h"

#define SHIFTAND_REPEATS 1u /* some position repeats: Rep is not all zero */
#define SHIFTAND_SKIPS 2u   /* some run of optional positions needs the closure */

#define SHIFTAND_FEW 4u /* independent words that the loop on CPUs has in registers */

typedef struct shiftand_tables {
    u32 words;            /* W: words of state */
    u32 packed;           /* words [0, packed) are independent, the others are chains */
    u32 classes;          /* C: byte classes */
    u32 features;         /* SHIFTAND_REPEATS | SHIFTAND_SKIPS */
    u32 map;              /* u8[256]: class of a byte; this and the next: word offsets */
    u32 init;             /* u64[W]: positions that a match may begin with */
    u32 last;             /* u64[W]: last position of each pattern */
    u32 link;             /* u64[W]: all ones where the word continues a chain, else 0 */
    u32 ebeg, eend, eblk; /* u64[W] each */
    u32 move;             /* u64[C][W]: Ch */
    u32 repeat;           /* u64[C][W]: Rep */
    u32 owner;            /* u32[W][64]: pattern index of a last position */
    u32 streams;          /* a bitstreams_tables; 0: there is none */
    u32 unused;
} shiftand_tables;

SHARED_SIZE(shiftand_tables, 64);

/* The closure of a set under skipping, within one word and without a chain. */
INLINE u64 shiftand_close(u64 s, u64 ebeg, u64 eend, u64 eblk)
{
    u64 z = s | eend;
    return s | (eblk & ~((z - ebeg) ^ z));
}

INLINE void shiftand_report(GLOBAL const u32 *owner, u64 hits, u32 pos, const sink *out)
{
    while (hits) {
        sink_put(out, pos, owner[PORT_CTZ64(hits)]);
        hits &= hits - 1;
    }
}

#endif
