/* layout.h: tables of Kärkkäinen-Ukkonen: test strings of needles, by which those of the text are
 * looked up.
 *
 * Shared by the builder (build.c) and the loop (vector.c). Needles are stored and compared as in
 * Baeza-Yates-Regnier.
 */
#ifndef TRAWL_ENGINES_GRID_KU_LAYOUT_H
#define TRAWL_ENGINES_GRID_KU_LAYOUT_H

#include "engines/papers/byr/layout.h"

#define KU_MAX_BYTES 16u /* of a test string */
#define KU_MAX_CELLS 16u
#define KU_MAX_PLACES 4u /* bytes of a test string that vectors look at */
#define KU_BUCKETS 8u

/* Devices: the greatest distance of columns with test points, 1, 2 or 4; the most strings whose
 * filter a group has in local memory; the most colours for which rows of bits are compared, and the
 * most cells of a string then. */
#define KU_MAX_ACROSS 4u
#define KU_NEAR 4096u
#define KU_FEW_COLOURS 4u
#define KU_WIDTH 8u

typedef struct ku_tables {
    u32 cell_size;
    u32 down, across; /* every down-th row and across-th column of the text has a test point */
    u32 cells;        /* of a test string, which begins at a test point: 1 .. KU_MAX_CELLS */
    u32 first_row;    /* the least row, the greatest and the least column of a needle at which */
    u32 last_row;     /* the rectangle of its test strings, down * across of them, begins */
    u32 first_col;
    u32 places; /* 0: strings are only looked up; else vectors first find where they may be, by this
                   number of their bytes, and test points lie in every column */
    u32 place[KU_MAX_PLACES]; /* in a test string; the places after the last are 0 */
    u32 classes;   /* u8[places][2][16], word offset: bit b: some string of bucket b has a byte with
                      these lower, these upper four bits there */
    u32 needles;   /* byr_needle[plan_header.pattern_count], word offset */
    u32 bits;      /* 5 .. 30 */
    u32 bitmap;    /* u32[2^(bits - 5)], word offset: hashes of test strings, cut to `bits` */
    u32 list_bits; /* 1 .. 30 */
    u32 test_first; /* u32[2^list_bits + 1], word offset: by hash, the first of its tests */
    u32 tests;      /* ku_test[test_first[2^list_bits]], word offset */
    u32 masks;      /* u32[plan_header.pattern_count], word offset; 0: no needle has a mask. For
                       each needle the word offset of its mask, laid out as its cells, with bytes of
                       255 where cells are compared, else 0; or 0: it has none */
} ku_tables;

/* A test string of a needle. */
typedef struct ku_test {
    u32 check; /* ku_check of its hash */
    u32 needle;
    u32 row, col; /* in the needle */
} ku_test;

SHARED_SIZE(ku_tables, 80);
SHARED_SIZE(ku_test, 16);

/* Bytes of a string as one or two numbers, which overlap in strings of 3, 6 and 12 bytes, say. */
INLINE u64 ku_word(GLOBAL const u8 *p, u32 bytes)
{
    u64 word = 0;
    for (u32 i = 0; i < bytes; i++)
        word |= (u64)p[i] << (8 * i);
    return word;
}

/* A hash, whose upper bits are the best. Call it with a constant number of bytes, up to
 * KU_MAX_BYTES. */
INLINE u64 ku_hash(GLOBAL const u8 *p, u32 bytes)
{
    const u64 golden = 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
    u64 word;
    if (bytes > 8)
        word = grid_word(p) ^ grid_word(p + (bytes - 8)) * 0xc2b2ae3d27d4eb4fu;
    else if (bytes == 8)
        word = grid_word(p);
    else if (bytes > 4)
        word = ku_word(p, 4) | ku_word(p + (bytes - 4), 4) << 32;
    else if (bytes == 3)
        word = ku_word(p, 2) | ku_word(p + 1, 2) << 16;
    else
        word = ku_word(p, bytes);
    return word * golden;
}

/* Bits of a hash other than those that choose the list. */
INLINE u32 ku_check(u64 hash)
{
    return (u32)(hash >> 20);
}

#endif
