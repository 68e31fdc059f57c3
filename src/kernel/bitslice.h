/* bitslice.h: what the kernel of bit-slicing (bitslice.k) and its host (bitslice.c) agree on. */
#ifndef TRAWL_KERNEL_BITSLICE_H
#define TRAWL_KERNEL_BITSLICE_H

#include "kernel/trie_sizes.h"
#include "table/bitslice.h"

#define SLICE_LANES 32u /* bits of a row */
#define SLICE_AHEAD 16u /* rows that tests may ask for behind a tile's last */
#define SLICE_BLOCKS 4u /* at most, of 32 rows, in a tile: then a place takes SLICE_PLACE bits */
#define SLICE_PLACE 12u
#define SLICE_PATTERNS (1u << (32 - SLICE_PLACE))
#define SLICE_QUEUE 1024u
#define SLICE_QUAD 4u /* tests that are read together */

/* A step towards rows: its own first word among the rows, BITSLICE_... << 16, and so many inputs
 * << 24; where more than two inputs stand in the lists; two inputs, as words among the rows. Of
 * BITSLICE_WIDEN the second is a number of rows. */
typedef struct slice_step {
    u32 what, more, first, second;
} slice_step;

SHARED_SIZE(slice_step, 16);

/* Text as in text_piece. What stands in the lists that the host made, by words from their start: of
 * each level, whose steps need the levels before it alone, the number of its first step, and behind
 * the last one that of all; the steps; further inputs; tests of patterns, a quad or two; where late
 * tests of a pattern begin among the words of the lists, and end. Tests are words among the rows.
 */
typedef struct slice_args {
    u64 capacity;
    u64 most; /* places that may pass all tests, or the search gives up; 0: it never does */
    u32 from, begin, end, tiles;
    u32 stride, letters, planes; /* words between rows of properties; bits of a letter's number */
    u32 levels, level, step, test, late;
} slice_args;

SHARED_SIZE(slice_args, 64);

/* Words of local memory, for tiles of `rows`: the box; two numbers of places in the queue and two
 * signs that it was full, taken in turn, then a sign that the search was given up; the queue; the
 * letter of each byte; the letters of the text, a word more a lane, so that lanes lie in different
 * banks; rows. */
#define SLICE_COUNTS(group) BOX_WORDS(group)
#define SLICE_FULL(group) (SLICE_COUNTS(group) + 2)
#define SLICE_STOP(group) (SLICE_COUNTS(group) + 4)
#define SLICE_PLACES(group) (SLICE_COUNTS(group) + 8)
#define SLICE_MAP(group) (SLICE_PLACES(group) + SLICE_QUEUE)
#define SLICE_TEXT(group) (SLICE_MAP(group) + 64)
#define SLICE_ROWS(group, rows)                                                                    \
    (SLICE_TEXT(group) + SLICE_LANES * ((rows) / 4 + 1) + SLICE_AHEAD / 4 + 4)

#endif
