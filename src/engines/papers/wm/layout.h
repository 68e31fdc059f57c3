/* layout.h: tables of Wu-Manber, and the number of a block.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_PAPERS_WM_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_WM_LAYOUT_H

#include "engines/shared/literal.h"

#define WM_BLOCKS 65536u /* entries of SHIFT and lists of HASH */
#define WM_MAX_SHIFT 255u
#define WM_SHORT_ANY 0x100u /* a short pattern of one byte: any second byte will do */

typedef struct wm_tables {
    u32 block;         /* B: 2 or 3 */
    u32 window;        /* m: the length of the shortest pattern of at least B bytes; 0 when there is
                          none */
    u32 shift;         /* u8[WM_BLOCKS]: at most WM_MAX_SHIFT, which is safe, word offset */
    u32 hash;          /* u32[WM_BLOCKS + 1]: the first candidate of each block, word offset */
    u32 members;       /* wm_member[hash[WM_BLOCKS]], word offset */
    u32 shorts;        /* u32[257]: first short pattern of each (folded) first byte, word offset */
    u32 short_members; /* wm_member[shorts[256]]; prefix: second byte or WM_SHORT_ANY */
    u32 short_count;
    u32 folded; /* 1: the text is compared in lower case, so that it must be folded first */
    u32 unused;
    literal_tables literals;
} wm_tables;

typedef struct wm_member {
    u32 prefix; /* the pattern's first two bytes */
    u32 index;
} wm_member;

SHARED_SIZE(wm_tables, 56);
SHARED_SIZE(wm_member, 8);

/* The number of a block. B = 3 mixes three bytes into 16 bits. */
INLINE u32 wm_block_number(u32 block, u8 first, u8 second, u8 third)
{
    if (block == 2)
        return (u32)second | (u32)third << 8;
    return ((u32)third + ((u32)second << 5) + ((u32)first << 10)) & (WM_BLOCKS - 1);
}

#endif
