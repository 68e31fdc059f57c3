/* bitslice.h: class patterns as tests on bit-sliced text.
 *
 * Shared by the builder (engine/bitslice.c) and the loop on CPUs (walk/vector/bitslice.c, with the
 * essay).
 *
 * A block of text is cut into BITSLICE_LANES pieces ("lanes") of equal length. A row is one bit a
 * lane: bit l of a property's row j says that byte j of lane l has the property. The first rows are
 * those of bytes; each operation then makes a row of others, numbered in that order.
 */
#ifndef TRAWL_TABLE_BITSLICE_H
#define TRAWL_TABLE_BITSLICE_H

#include "table/port.h"

#define BITSLICE_LANES 512u
#define BITSLICE_ROW 64u      /* bytes */
#define BITSLICE_STEP 16u     /* rows that are made, and tested, at a time */
#define BITSLICE_LONGEST 255u /* bytes of a match */
#define BITSLICE_AHEAD 40u    /* rows behind a start that tests may ask for */
#define BITSLICE_RECORDS 1024u
#define BITSLICE_MOST_ROWS 65536u

/* A number in the low half, and where: a row and how far behind the start, or a class and the same.
 */
#define BITSLICE_WHAT(x) ((x)&0xffffu)
#define BITSLICE_WHERE(x) ((x) >> 16)

/* The bytes of a row of the text. */
typedef struct bitslice_letter {
    u32 first, count; /* in bytes[] */
} bitslice_letter;

#define BITSLICE_OR 0u    /* the union of inputs, */
#define BITSLICE_NONE 1u  /* or its complement; */
#define BITSLICE_WIDEN 2u /* inputs[0] here or inputs[1] rows before; */
#define BITSLICE_ALL 3u   /* every inputs[2 i], inputs[2 i + 1] rows before */

typedef struct bitslice_operation {
    u32 kind, first, count; /* inputs: row numbers below its own, word numbers in inputs[] */
} bitslice_operation;

/* Positions that follow each other, and then up to `gap` bytes of a class. */
typedef struct bitslice_segment {
    u32 checks, check_count, length; /* as of patterns */
    u32 gap_class, gap;
} bitslice_segment;

typedef struct bitslice_pattern {
    u32 index;       /* what is reported */
    u32 length;      /* the shortest match, bytes */
    u32 tests;       /* word offset: row, rows behind the start */
    u32 early, late; /* so many that every start is put to, and those that survive; early >= 1 */
    u32 checks;      /* word offset: class, bytes behind the start, less than length */
    u32 check_count; /* what the tests leave open of the positions before the first optional one */
    u32 segments;    /* word offset: bitslice_segment[]; */
    u32 segment_count; /* 0: all is said by tests and checks, matches are `length` long */
    u32 longest;       /* match, bytes */
} bitslice_pattern;

typedef struct bitslice_tables {
    u32 length;   /* bytes of a lane at most, a multiple of BITSLICE_STEP */
    u32 ahead;    /* rows behind a start that tests ask for at most */
    u32 letters;  /* rows of the text; */
    u32 rows;     /* and all */
    u32 classes;  /* sets[] */
    u32 count;    /* patterns */
    u32 patience; /* nanoseconds of verification a byte, above which the fallback is faster */
    u32 letter;   /* bitslice_letter[letters]; this and the next are word offsets */
    u32 bytes, byte_count; /* u8[] */
    u32 operation;         /* bitslice_operation[rows - letters] */
    u32 inputs, input_count;
    u32 sets;    /* u32[classes][8]: bit b of a set: byte b belongs */
    u32 pattern; /* bitslice_pattern[count] */
    u32 unused;
} bitslice_tables;

SHARED_SIZE(bitslice_tables, 64);
SHARED_SIZE(bitslice_pattern, 40);
SHARED_SIZE(bitslice_segment, 20);
SHARED_SIZE(bitslice_operation, 12);

/* Rows that a lane of `length` bytes has, with those ahead of its last start. */
INLINE u32 bitslice_rows_of(const bitslice_tables *t, u32 length)
{
    return (length + t->ahead + BITSLICE_STEP - 1) / BITSLICE_STEP * BITSLICE_STEP;
}

/* 64-bit words of scratch: the rows, whose properties are an odd number of lines of cache apart;
 * text whose lanes stand side by side; rows that were hit; records; and what aligns them. */
INLINE u64 bitslice_scratch(const bitslice_tables *t)
{
    const u64 each = (u64)bitslice_rows_of(t, t->length) + 1;
    return t->rows * each * (BITSLICE_ROW / 8) + BITSLICE_STEP * BITSLICE_LANES / 8 +
           4 * BITSLICE_ROW / 8 + BITSLICE_RECORDS + BITSLICE_ROW / 8;
}

#endif
