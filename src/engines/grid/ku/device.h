/* device.h: what the kernel of Kärkkäinen-Ukkonen (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_GRID_KU_DEVICE_H
#define TRAWL_ENGINES_GRID_KU_DEVICE_H

#include "engines/grid/ku/layout.h"
#include "engines/shared/device/queue_sizes.h"

#define KU_MAX_WORDS 4u /* of a test string, the last filled up with zeros */

/* A test string of a needle. Two probes, of four bytes of the needle each, are compared before the
 * rest: with the text at (`row`, `col`) of the needle, `col` in bytes, under `mask`. */
typedef struct ku_probe {
    u32 row, col;
    u32 word, mask;
} ku_probe;

typedef struct ku_string {
    u32 hash;
    u32 needle;
    u32 row, col; /* of the string in the needle */
    u32 rows, row_bytes;
    u32 cells; /* of the needle, and its mask (0: none), the words of the buffer at which they */
    u32 mask;  /* begin: multiples of 4; rows are filled up to 16 bytes by zeros */
    ku_probe probes[2];
} ku_string;

/* One buffer has all that a kernel reads besides the text, beginning with the filter. Rows of text
 * are as in grid_piece; tops are in [begin, end). */
typedef struct ku_args {
    u64 capacity;
    u64 from, stride;
    u64 patience; /* units of work after which the search gives up; 0: never */
    u32 rows, cols;
    u32 begin, end;
    u32 first, down; /* test rows: the first, and their distance */
    u32 points;      /* columns of a row, from the first one on, that may have a test point */
    u32 chunks;      /* of a row */
    u32 all;         /* chunks of all test rows */
    u32 step, rest;  /* what all items take at once: test rows, and further chunks */
    u32 shift;       /* a hash shifted down by it is the number of a word of the filter, */
    u32 lists;       /* and of a list: u32[lists + 1], word offset: the first string of each */
    u32 near;        /* words of both, if they are in local memory; else 0 */
    u32 strings;     /* ku_string[], word offset, a multiple of 4 */
    u32 large; /* from this size on, / 16 bytes, a whole group compares a needle; KU_NEVER: none has
                  it */
    u32 factors[KU_MAX_WORDS];
    u32 bit; /* the bit of cells, if rows of bits are compared, as the next three. Then `near` has
                for each string
              */
    u32 width; /* 2 * KU_WIDTH words, all ones where the bit must be one: for `width` cells of a
                  row, */
    u32 count; /* and of the next row; how many strings there are */
    u32 lines; /* lines of 128 bytes of the buffer that are fetched first */
} ku_args;

#define KU_NEVER 0xffffffffu

/* The two bits of a string in its word of the filter, from the uppermost. */
#define KU_FIRST_BIT(hash) ((hash) >> 15 & 31)
#define KU_SECOND_BIT(hash) ((hash) >> 10 & 31)

/* Items that a multiprocessor should hold, which limits the registers of each. */
#define KU_UNIT_ITEMS 768u

SHARED_SIZE(ku_probe, 16);
SHARED_SIZE(ku_string, 64);
SHARED_SIZE(ku_args, 128);

/* Local memory, in words: filter and lists, if they are there; then, on devices with warps, the
 * group's list of large needles (their number, a flag, and pairs of string and place), and for each
 * warp a queue of pairs and a box. */
#define KU_LARGE 16u
#define KU_LARGE_HEAD 4u
#define KU_GROUP_WORDS (KU_LARGE_HEAD + 2 * KU_LARGE)
#define KU_WARP_WORDS (2 * BOX_PLACES)

#endif
