/* device.h: what the kernel of bit-slicing (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_H

#include "engines/classes/bitslice/layout.h"
#include "engines/literal/ac/device_sizes.h"

#define SLICE_LANES 32u /* bits of a row */
#define SLICE_AHEAD 16u /* rows after a tile's last that tests may ask for */
#define SLICE_BLOCKS 4u /* the most blocks, of 32 rows, in a tile: a place then takes SLICE_PLACE
                           bits */
#define SLICE_PLACE 12u
#define SLICE_PATTERNS (1u << (32 - SLICE_PLACE))
#define SLICE_QUEUE 1024u
#define SLICE_FAR_PLACES(group) (2 * (group))
#define SLICE_QUAD 4u        /* tests that are read together */
#define SLICE_MAX_GROUP 1024 /* a multiprocessor then has registers for as many items */

/* Words of a pattern in the lists: two quads of early tests, as bytes among the rows, their number
 * in the high bits of the first; late tests, two in a word, as words among the rows; the pattern's
 * number in the tables, and SLICE_WHOLE if what passes its tests is a match; three are not used. A
 * share is followed by an entry that begins with SLICE_END. */
#define SLICE_COUNT 20
#define SLICE_TEST 0xfffffu
#define SLICE_END ~0u
#define SLICE_LATE (2 * SLICE_QUAD)
#define SLICE_NUMBER (3 * SLICE_QUAD)
#define SLICE_WHOLE 0x80000000u
#define SLICE_ENTRY (4 * SLICE_QUAD)
#define SLICE_MAX_LATE 8u
#define SLICE_NO_TEST 0xffffu

/* A step that makes a row: its own first word among the rows, | BITSLICE_... << 16 | the number of
 * inputs << 24; where more than two inputs stand in the lists; two inputs, as words among the rows.
 * With BITSLICE_WIDEN the second input is a number of rows. */
typedef struct slice_step {
    u32 what, more, first, second;
} slice_step;

SHARED_SIZE(slice_step, 16);

/* What all items must know of a batch of patterns, whose rows are in local memory together: its
 * first level, the level after its last, and where its shares begin. */
typedef struct slice_batch {
    u32 level, stop, share, unused;
} slice_batch;

SHARED_SIZE(slice_batch, 16);

/* Text as in text_piece; then word offsets in the lists that the host made. These hold: batches;
 * for each level, whose steps need only the levels before it, the number of its first step, and at
 * the end the number of all steps; the steps; patterns, ordered so that neighbours have their first
 * test in common; and which patterns of a batch each row of 32 items takes, as the number of the
 * first entry of its share. */
typedef struct slice_args {
    u64 capacity;
    u64 most; /* places that may pass all tests, or the search gives up; 0: it never does */
    u32 from, begin, end, tiles;
    u32 stride, letters, planes; /* words between rows of properties; bits of a letter's number */
    u32 batches, batch, level, test;
    u32 full; /* some tests are not made: everything in a pattern must be compared */
} slice_args;

SHARED_SIZE(slice_args, 64);

/* Words of local memory, for tiles of `rows`: the box; numbers and signs (see device.k); places
 * whose pattern has other segments; the letter of each byte; the letters of the text, with an extra
 * word for each lane, so that lanes lie in different banks, and later, in the same place, places
 * that passed the tests; rows. */
#define SLICE_SIGN_WORDS 8
#define SLICE_SIGNS(group) BOX_WORDS(group)
#define SLICE_FAR(group) (SLICE_SIGNS(group) + SLICE_SIGN_WORDS)
#define SLICE_MAP(group) (SLICE_FAR(group) + 2 * SLICE_FAR_PLACES(group))
#define SLICE_TEXT(group) (SLICE_MAP(group) + 64)
#define SLICE_LETTERS(rows) (SLICE_LANES * ((rows) / 4 + 1) + SLICE_AHEAD / 4 + 4)
#define SLICE_ROWS(group, rows)                                                                    \
    (SLICE_TEXT(group) + (SLICE_LETTERS(rows) > SLICE_QUEUE ? SLICE_LETTERS(rows) : SLICE_QUEUE))

#endif
