/* layout.h: literals by the hash of a gram, and their prints: the tables by which what passes the
 * filters of teddy and qgrams is verified. Shared by the builder (build.c) and the loop on CPUs
 * (vector.h).
 *
 * A gram is q bytes in a row. Its hash is one number of 32 bits; the upper bits give its place in
 * the filter's bitmap, and the list of its entries. When some pattern ignores case, grams are
 * folded (engines/shared/fold.h).
 */
#ifndef TRAWL_ENGINES_SHARED_PRINTS_LAYOUT_H
#define TRAWL_ENGINES_SHARED_PRINTS_LAYOUT_H

#include "engines/shared/fold.h"
#include "engines/shared/literal.h"

#define GRAM_FIRST 0x9E3779B1u  /* the multiplier of a gram's first four bytes, */
#define GRAM_SECOND 0x85EBCA77u /* and of its last four, when it has more */
#define MAX_GRAM 8u             /* bytes of a gram */
#define PRINT_BYTES 8u
#define PRINT_BEFORE 4u   /* the most bytes of a print before the gram */
#define PRINT_PADDING 3u  /* prints that may be read after the last one */
#define PRINT_OFFSET 255u /* the greatest place of a gram in its pattern */

typedef struct prints_tables {
    u32 q;           /* 1 .. MAX_GRAM: no pattern is shorter */
    u32 fold;        /* of grams: GRAM_FOLD or 0 */
    u32 before;      /* how many bytes before its gram a print begins */
    u32 most_offset; /* the largest offset of an entry */
    u32 lists;       /* u32[2^(32 - lists_shift) + 1]: the first entry of each, word offset */
    u32 lists_shift;
    u32 prints;  /* print[count + PRINT_PADDING], word offset, a multiple of 2 */
    u32 entries; /* print_entry[count], word offset */
    u32 count;
    u32 unused[3];
    literal_tables literals;
} prints_tables;

/* The print of a gram of a pattern: eight bytes of text, from `before` bytes before the gram on,
 * the first one lowest, must be equal to `bytes` where the mask has bits. */
typedef struct print {
    u64 bytes, mask;
} print;

typedef struct print_entry {
    u32 index;  /* the pattern */
    u32 length; /* its bytes, and LITERAL_FOLDED, and */
    u32 first;  /* where they begin, as in its literal_entry */
    u8 offset;  /* where the gram begins in the pattern */
    u8 whole;   /* 1: the print holds the whole pattern; else 0 */
    u16 unused;
} print_entry;

SHARED_SIZE(prints_tables, 64);
SHARED_SIZE(print, 16);
SHARED_SIZE(print_entry, 16);

INLINE u32 gram_hash(u32 first, u32 second)
{
    return first * GRAM_FIRST + second * GRAM_SECOND;
}

/* `count` bytes, at most 4, as a number, the first one lowest. */
INLINE u32 gram_word(GLOBAL const u8 *at, u32 count)
{
    u32 word = at[0];
    if (count == 4)
        return word | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
    if (count > 1)
        word |= (u32)at[1] << 8;
    if (count > 2)
        word |= (u32)at[2] << 16;
    return word;
}

/* The mask of the first four bytes of a gram of q bytes, or of all of them. */
INLINE u32 gram_mask(u32 q)
{
    return 0xffffffffu >> (32 - 8 * (q < 4 ? q : 4));
}

/* The hash of the gram of q bytes at `at`. */
INLINE u32 gram_hash_at(GLOBAL const u8 *at, u32 q, u32 fold)
{
    const u32 first = gram_fold(gram_word(at, q < 4 ? q : 4), fold) & gram_mask(q);
    return gram_hash(first, q > 4 ? gram_fold(gram_word(at + (q - 4), 4), fold) : 0);
}

#endif
