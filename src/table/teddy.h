/* teddy.h: tables of Teddy: classes of bytes by buckets, a bitmap of grams, and literals by gram.
 *
 * Shared by the builder (engine/teddy.c) and the loop on CPUs (walk/vector/teddy.c).
 *
 * Each pattern has a window: `width` of its bytes, from `place` on. Its gram is the window as one
 * number, the first byte lowest, with bit 5 of every byte set when some pattern ignores case. The
 * gram's hash numbers its bit in the bitmap and, by fewer of its upper bits, its list of entries.
 * An entry has what a comparison by words of 8 bytes needs, a line of cache each.
 */
#ifndef TRAWL_TABLE_TEDDY_H
#define TRAWL_TABLE_TEDDY_H

#include "table/literal.h"

#define TEDDY_HASH 0x9E3779B1u /* 2^32 / golden ratio */
#define TEDDY_WIDTH 4u         /* most bytes of a window */
#define TEDDY_GROUPS 2u        /* most groups of eight buckets */
#define TEDDY_PLACE 63u        /* last place of a window in its pattern */
#define TEDDY_WORD 8u          /* bytes that are compared at once */

/* Of a group and a byte of the window: bit b of a byte's set: some pattern of bucket b has the byte
 * there. The set of byte c has at least the bits of half[c & 127] & low[c & 15] & high[c >> 4]. */
typedef struct teddy_class {
    u8 half[128];
    u8 low[16], high[16];
} teddy_class;

typedef struct teddy_tables {
    u32 width;  /* of windows, 1 .. TEDDY_WIDTH: no pattern is shorter */
    u32 groups; /* 1 .. TEDDY_GROUPS */
    u32 place;  /* the largest of any window, at most TEDDY_PLACE */
    u32 fold;   /* 0x20202020 or 0, set in grams */
    u32 mask;   /* the bytes of a gram in a u32 */
    u32 bit_shift, list_shift;
    u32 classes; /* teddy_class[groups * width], word offset */
    u32 bits;    /* u32[2^(32 - bit_shift) / 32], word offset */
    u32 lists;   /* u32[2^(32 - list_shift) + 1]: first entry of each list, word offset */
    u32 entries; /* teddy_entry[count], word offset, at a multiple of 64 bytes */
    u32 count;
    literal_tables literals;
} teddy_tables;

/* A literal: its first word is ((text | fold) & mask) == word, exactly, for bit 5 is ignored in
 * letters alone. So is its last word, when it is longer than a word; else last_mask and last are 0.
 */
typedef struct teddy_entry {
    u64 word, mask, fold;
    u64 last, last_mask, last_fold;
    u32 index;
    u32 length;
    u32 place;
    u32 unused;
} teddy_entry;

SHARED_SIZE(teddy_class, 160);
SHARED_SIZE(teddy_tables, 64);
SHARED_SIZE(teddy_entry, 64);

INLINE u32 teddy_hash(u32 gram, u32 fold, u32 mask)
{
    return ((gram | fold) & mask) * TEDDY_HASH;
}

#endif
