/* device.h: what the kernel of bit-slicing (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_H

#include "engines/classes/bitslice/layout.h"
#include "engines/literal/ac/device_sizes.h"

#define SLICE_LANES 32u /* bits of a row */
#define SLICE_AHEAD 16u /* rows that tests may ask for after a tile's last */
#define SLICE_BLOCKS 4u /* at most, of 32 rows, in a tile: then a place takes SLICE_PLACE bits */
#define SLICE_PLACE 12u
#define SLICE_PATTERNS (1u << (32 - SLICE_PLACE))
#define SLICE_QUEUE 1024u
#define SLICE_FAR_PLACES(group) (2 * (group))
#define SLICE_QUAD 4u        /* tests that are read together */
#define SLICE_MAX_GROUP 1024 /* of which registers then let a multiprocessor have as many */

/* Words of a pattern in the lists: two quads of early tests, by bytes among the rows, the number of
 * them in the high bits of the first; late tests, two a word, by words among the rows; the
 * pattern's number in the tables, and SLICE_WHOLE if what passes its tests is a match; three are
 * not used. Behind a share is an entry that begins with SLICE_END. */
#define SLICE_COUNT 20
#define SLICE_TEST 0xfffffu
#define SLICE_END ~0u
#define SLICE_LATE (2 * SLICE_QUAD)
#define SLICE_NUMBER (3 * SLICE_QUAD)
#define SLICE_WHOLE 0x80000000u
#define SLICE_ENTRY (4 * SLICE_QUAD)
#define SLICE_MAX_LATE 8u
#define SLICE_NO_TEST 0xffffu

/* A step towards rows: its own first word among the rows, BITSLICE_... << 16, and so many inputs
 * << 24; where more than two inputs stand in the lists; two inputs, as words among the rows. Of
 * BITSLICE_WIDEN the second is a number of rows. */
typedef struct slice_step {
    u32 what, more, first, second;
} slice_step;

SHARED_SIZE(slice_step, 16);

/* What all items want to know of a batch of patterns, whose rows are in local memory together: its
 * first level, and that after its last; where its shares begin. */
typedef struct slice_batch {
    u32 level, stop, share, unused;
} slice_batch;

SHARED_SIZE(slice_batch, 16);

/* Text as in text_piece. What stands in the lists that the host made, by words from their start:
 * batches. Of each level, whose steps need the levels before it alone, the number of its first
 * step, and after the last one that of all; the steps. Patterns, in an order of their own, in
 * which neighbours have their first test in common. And which patterns of a batch each row of 32
 * items takes: the number of the first entry of its share. */
typedef struct slice_args {
    u64 capacity;
    u64 most; /* places that may pass all tests, or the search gives up; 0: it never does */
    u32 from, begin, end, tiles;
    u32 stride, letters, planes; /* words between rows of properties; bits of a letter's number */
    u32 batches, batch, level, test;
    u32 full; /* some tests are not made: all that a pattern says is to be compared */
} slice_args;

SHARED_SIZE(slice_args, 64);

/* Words of local memory, for tiles of `rows`: the box; numbers and signs (see device.k); places
 * whose pattern has other segments; the letter of each byte; the letters of the text, a word more a
 * lane, so that lanes lie in different banks, and then, where they were, places that passed the
 * tests; rows. */
#define SLICE_SIGN_WORDS 8
#define SLICE_SIGNS(group) BOX_WORDS(group)
#define SLICE_FAR(group) (SLICE_SIGNS(group) + SLICE_SIGN_WORDS)
#define SLICE_MAP(group) (SLICE_FAR(group) + 2 * SLICE_FAR_PLACES(group))
#define SLICE_TEXT(group) (SLICE_MAP(group) + 64)
#define SLICE_LETTERS(rows) (SLICE_LANES * ((rows) / 4 + 1) + SLICE_AHEAD / 4 + 4)
#define SLICE_ROWS(group, rows)                                                                    \
    (SLICE_TEXT(group) + (SLICE_LETTERS(rows) > SLICE_QUEUE ? SLICE_LETTERS(rows) : SLICE_QUEUE))

#endif
