/* qgrams.h: tables of the strided filter by hashed q-grams, and the hash.
 *
 * Shared by the builder (engine/qgrams.c) and the loop on CPUs (walk/vector/qgrams.c).
 *
 * A gram is q bytes in a row. Of every pattern `stride` neighbouring grams are entries, so each
 * occurrence has exactly one of them at a place of the text that is a multiple of the stride
 * (counted from anywhere). The hash of a gram is one number of 32 bits; its upper bits are the
 * place in the bitmap, its upper bits again the list of its entries. When some pattern ignores
 * case, bit 5 of every byte is set in grams and fingerprints: both cases of a letter are equal
 * then, and so are a few other bytes, which lets more places through and none less.
 */
#ifndef TRAWL_TABLE_QGRAMS_H
#define TRAWL_TABLE_QGRAMS_H

#include "table/literal.h"

#define QGRAMS_FIRST 0x9E3779B1u  /* the multiplier of a gram's first four bytes, */
#define QGRAMS_SECOND 0x85EBCA77u /* and of its last four, when it has more */
#define QGRAMS_LEAST 2u           /* bytes of a gram */
#define QGRAMS_MOST 8u
#define QGRAMS_BEFORE 2u   /* bytes of a print before the gram */
#define QGRAMS_PADDING 3u  /* prints that may be read behind the last one */
#define QGRAMS_STRIDE 8u   /* the longest */
#define QGRAMS_OFFSET 255u /* the last place of a gram in its pattern */

typedef struct qgrams_tables {
    u32 q;           /* QGRAMS_LEAST .. QGRAMS_MOST */
    u32 stride;      /* 1 .. QGRAMS_STRIDE */
    u32 fold;        /* 0x20202020 or 0, set in what is compared */
    u32 most_offset; /* the largest of entries */
    u32 bits;        /* u32[2^(32 - bits_shift) / 32], word offset */
    u32 bits_shift;
    u32 lists; /* u32[2^(32 - lists_shift) + 1]: the first entry of each list, word offset */
    u32 lists_shift;
    u32 prints;  /* qgrams_print[entry_count + QGRAMS_PADDING], word offset, a multiple of 2 */
    u32 entries; /* qgrams_entry[entry_count], word offset */
    u32 entry_count;
    u32 unused;
    literal_tables literals;
} qgrams_tables;

/* A gram of a pattern: eight bytes of text, from QGRAMS_BEFORE bytes before the gram on, the first
 * one lowest, must be equal where the mask has bits. */
typedef struct qgrams_print {
    u64 bytes, mask;
} qgrams_print;

typedef struct qgrams_entry {
    u32 index;  /* the pattern */
    u32 length; /* its bytes, and LITERAL_FOLDED, and */
    u32 first;  /* where they are: as its literal_entry says */
    u8 offset;  /* where the gram begins in it */
    u8 whole;   /* the pattern's length, when the print has all its bytes; else 0 */
    u16 unused;
} qgrams_entry;

SHARED_SIZE(qgrams_tables, 64);
SHARED_SIZE(qgrams_print, 16);
SHARED_SIZE(qgrams_entry, 16);

INLINE u32 qgrams_hash(u32 first, u32 second)
{
    return first * QGRAMS_FIRST + second * QGRAMS_SECOND;
}

/* `count` bytes, 4 at most, the first one lowest. */
INLINE u32 qgrams_word(GLOBAL const u8 *at, u32 count)
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

/* The hash of the gram at `at`. */
INLINE u32 qgrams_hash_at(GLOBAL const u8 *at, u32 q, u32 fold)
{
    const u32 count = q < 4 ? q : 4;
    const u32 mask = 0xffffffffu >> (32 - 8 * count);
    const u32 first = (qgrams_word(at, count) | fold) & mask;
    return qgrams_hash(first, q > 4 ? qgrams_word(at + (q - 4), 4) | fold : 0);
}

#endif
