/* streams_layout.h: tables of SHIFT-AND with a stream of bits for each position.
 *
 * Shared by the builder (streams.c) and the loop (streams_vector.c). The tables
 * stand within those of shiftand (layout.h); offsets are from the beginning of these.
 *
 * A class of bytes is a row of bits, one for each byte of the text. Some classes are the bytes that
 * equal one value once some of their bits are set. Others are unions of rectangles: bytes whose
 * lower four bits are in one set, and whose upper four are in another. A table holds eight
 * rectangles, and a test says which of them a row is the union of.
 */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_LAYOUT_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_LAYOUT_H

#include "base/port.h"

#define BITSTREAMS_STEPS 256u /* at most */
#define BITSTREAMS_ROWS 64u   /* at most, with that of all bytes, which is the last one */
#define BITSTREAMS_WINDOWS 8u /* at most */
#define BITSTREAMS_WINDOW 4u  /* steps of a window, at most */

#define BITSTREAMS_SHORT 256u /* bytes of text that are run in registers, at most */

#define BITSTREAMS_SKIP 1u  /* kinds: the position may be left out, */
#define BITSTREAMS_STAY 2u  /* or take further bytes, */
#define BITSTREAMS_FIRST 4u /* or is one that a match may begin with. */
#define BITSTREAMS_GAP 8u   /* Many positions of any byte, alone */

#define BITSTREAMS_GAPS 8u      /* at most, */
#define MAX_BITSTREAMS_GAP 511u /* positions of a gap, at most */

/* A position, or a gap. Those of a pattern stand one after the other. */
typedef struct bitstreams_step {
    u16 kind;
    u16 row;
    u32 bit;     /* of shiftand's state */
    u32 last;    /* 1: a match ends here, */
    u32 pattern; /* of this pattern */
    u16 least;   /* gaps: how many positions, the first ones, may not be left out, */
    u16 most;    /* and how many there are: bits [bit, bit + most) */
} bitstreams_step;

/* The bits of a row where the byte with the bits of `fold` is `value`. */
typedef struct bitstreams_fit {
    u32 row, fold, value;
} bitstreams_fit;

/* The bits of a row where one of the rectangles is; `more`: they are added to those that it has. */
typedef struct bitstreams_test {
    u32 table, rectangles, row, more;
} bitstreams_test;

/* Steps [first, first + count), which every match of a pattern takes one after the other. While no
 * step of [live, stop) is taken, no match ends before the window's next end. */
typedef struct bitstreams_window {
    u32 first, count, live, stop;
} bitstreams_window;

typedef struct bitstreams_tables {
    u32 steps, step_count, gap_count;
    u32 rows;
    u32 tables, table_count; /* u8[table_count][2][16]: by the lower and by the upper four bits */
    u32 fits, fit_count;
    u32 tests, test_count;                  /* by table */
    u32 windows, window_count;              /* one for each pattern; 0: there are none that are
                                               rare */
    u32 seek_fits, seek_tables, seek_tests; /* how many of the first ones make the rows of
                                               windows */
    u32 back; /* the most bytes from the begin of a match to the end of its window */
} bitstreams_tables;

SHARED_SIZE(bitstreams_step, 20);
SHARED_SIZE(bitstreams_fit, 12);
SHARED_SIZE(bitstreams_test, 16);
SHARED_SIZE(bitstreams_window, 16);
SHARED_SIZE(bitstreams_tables, 64);

#endif
