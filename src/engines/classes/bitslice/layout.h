/* layout.h: class patterns as tests on bit-sliced text.
 *
 * Shared by the builder (build.c), the loop on CPUs (vector.c, with the
 * essay) and devices (device.c, which makes shorter rows of them).
 *
 * A block of text is cut into BITSLICE_LANES pieces ("lanes") of equal length. A row has one bit
 * for each lane: bit l of a property's row j says that byte j of lane l has the property. The first
 * rows are those of bytes; then each operation makes a row from others, numbered in that order.
 */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_LAYOUT_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_LAYOUT_H

#include "base/port.h"

#define BITSLICE_LANES 512u
#define BITSLICE_ROW 64u      /* bytes */
#define BITSLICE_STEP 16u     /* rows that are made, and tested, at a time */
#define BITSLICE_LONGEST 255u /* bytes of a match */
#define BITSLICE_AHEAD 17u    /* rows of a place and after it that tests may ask for */
#define BITSLICE_EARLY 8u     /* the most tests of a pattern that every place is put to */
#define BITSLICE_RECORDS 4096u
#define BITSLICE_MAX_ROWS 61440u

/* Words of local memory that a group of a GPU needs at least, and those for each property. */
#define BITSLICE_LOCAL 1484u
#define BITSLICE_LOCAL_ROW 49u

/* A class in the low half, and its distance from the begin of a segment in the high half. */
#define BITSLICE_WHAT(x) ((x)&0xffffu)
#define BITSLICE_WHERE(x) ((x) >> 16)

/* The bytes of a row of the text. */
typedef struct bitslice_letter {
    u32 first, count; /* in bytes[] */
} bitslice_letter;

#define BITSLICE_OR 0u    /* the union of inputs, */
#define BITSLICE_NONE 1u  /* or its complement; */
#define BITSLICE_WIDEN 2u /* inputs[0] here or inputs[1] rows before */

typedef struct bitslice_operation {
    u32 kind, first, count; /* inputs: row numbers below its own, word numbers in inputs[] */
} bitslice_operation;

/* Positions that follow one another, and then up to `gap` bytes of a class. */
typedef struct bitslice_segment {
    u32 checks, check_count, length; /* as of patterns */
    u32 gap_class, gap;
} bitslice_segment;

typedef struct bitslice_pattern {
    u32 index;             /* what is reported */
    u32 tests, test_count; /* word offset: lines of all tests that survivors are put to */
    u32 length;            /* bytes of the segment with the place; */
    u32 anchor;            /* and how far after its beginning the place is */
    u32 checks;            /* word offset: class, bytes after the beginning of that segment; */
    u32 check_count;       /* how many the tests leave open, */
    u32 full_count;        /* and how many there are with those after them, which they settle */
    u32 before;            /* bytes from the first possible start to the place */
    u32 segments;          /* word offset: bitslice_segment[]; */
    u32 segment_count;     /* 0: it is all one segment */
    u32 at;                /* the number of the segment with the place */
} bitslice_pattern;

typedef struct bitslice_tables {
    u32 length;   /* the most bytes of a lane, a multiple of BITSLICE_STEP */
    u32 ahead;    /* the most rows after a place that tests ask for, less than BITSLICE_AHEAD */
    u32 held;     /* rows of a lane that are kept at a time, a multiple of BITSLICE_STEP */
    u32 letters;  /* rows of the text; */
    u32 rows;     /* and all rows */
    u32 classes;  /* sets[] */
    u32 count;    /* patterns */
    u32 letter;   /* bitslice_letter[letters]; this and the next are word offsets */
    u32 bytes, byte_count; /* u8[] */
    u32 operation;         /* bitslice_operation[rows - letters] */
    u32 inputs, input_count;
    u32 sets;                 /* u32[classes][8]: bit b of a set: byte b belongs */
    u32 pattern;              /* bitslice_pattern[count], by the number of early tests */
    u32 runs[BITSLICE_EARLY]; /* how many patterns have 1, 2, ... early tests */
    u32 early, early_count;   /* lines of all early tests, pattern by pattern */
} bitslice_tables;

SHARED_SIZE(bitslice_tables, 100);
SHARED_SIZE(bitslice_pattern, 48);
SHARED_SIZE(bitslice_segment, 20);
SHARED_SIZE(bitslice_operation, 12);

/* Rows that a step needs after its own, as whole steps. */
INLINE u32 bitslice_rows_ahead(const bitslice_tables *t)
{
    return (t->ahead + BITSLICE_STEP - 1) / BITSLICE_STEP * BITSLICE_STEP;
}

/* A test is a row and how far after the place it is, as one number: its distance from the first
 * property's row at the place, in lines of cache (BITSLICE_ROW). */
INLINE u32 bitslice_line(const bitslice_tables *t, u32 row, u32 behind)
{
    return row * (t->held + 1) + behind;
}

/* 64-bit words of scratch: the rows, whose properties are an odd number of lines of cache apart;
 * the text with its lanes side by side; records; and padding that aligns them. */
INLINE u64 bitslice_scratch(const bitslice_tables *t)
{
    const u64 each = (u64)t->held + 1;
    return t->rows * each * (BITSLICE_ROW / 8) + BITSLICE_STEP * BITSLICE_LANES / 8 +
           BITSLICE_RECORDS + BITSLICE_ROW / 8;
}

#endif
