/* byr.h: tables of Baeza-Yates-Regnier, and the comparison of candidates.
 *
 * Shared by the builder (engine/byr.c), the loop on CPUs (walk/byr.c) and the loops on devices
 * (kernel/byr.k).
 */
#ifndef TRAWL_TABLE_BYR_H
#define TRAWL_TABLE_BYR_H

#include "table/grid.h"

#define BYR_NONE 0xffffffffu

typedef struct byr_tables {
    u32 cell_size;
    u32 step;            /* m: the fewest rows of any needle */
    u32 needles;         /* byr_needle[plan_header.pattern_count], word offset */
    u32 candidate_first; /* u32[rows.strings + 1], word offset: first candidate of each row */
    u32 candidates;      /* byr_candidate[candidate_first[rows.strings]], word offset */
    automaton_tables rows;
} byr_tables;

typedef struct byr_needle {
    u32 rows;
    u32 row_bytes;
    u32 row_words; /* of a row as stored, filled up to whole words */
    u32 cells;     /* u32[rows * row_words], word offset */
    u32 order;     /* u32[rows], word offset: rows in the order of comparison */
    u32 period;    /* the smallest p >= 1 such that the needle moved down by p agrees with itself */
} byr_needle;

/* Row `row` of this needle. Those of one distinct row are sorted by needle and row: the tops
 * that they mean lie from below to above. */
typedef struct byr_candidate {
    u32 needle;
    u32 row;
} byr_candidate;

typedef struct byr_scan {
    GLOBAL const u32 *tables;
    GLOBAL const byr_tables *head;
    GLOBAL const u8 *cells;
    u64 stride;
    u32 rows, cols, end;
    automaton along;
} byr_scan;

/* Does row `row` of the needle stand where it must when the top left cell is (top, left)? */
INLINE int byr_row_equal(const byr_scan *scan, GLOBAL const byr_needle *n, u32 row, u32 top,
                         u32 left)
{
    GLOBAL const u8 *text = scan->cells + ((u64)top + row) * scan->stride;
    GLOBAL const u32 *line = scan->tables + n->cells + (u64)row * n->row_words;
    return grid_equal(text + (u64)left * scan->head->cell_size, (GLOBAL const u8 *)line,
                      n->row_bytes);
}

/* The first needle row, in the order of comparison, that the text does not have, or
 * BYR_NONE: the needle is at (top, left). Rows from `fresh` on are known to be there. */
INLINE u32 byr_refusal(const byr_scan *scan, GLOBAL const byr_needle *n, u32 top, u32 left,
                       u32 fresh)
{
    GLOBAL const u32 *order = scan->tables + n->order;
    for (u32 i = 0; i < fresh; i++) {
        u32 row = fresh == n->rows ? order[i] : i;
        if (!byr_row_equal(scan, n, row, top, left))
            return row;
    }
    return BYR_NONE;
}

/* Distinct row `number` stands in primary row `row` from column `left`: try every needle
 * row that it is. */
INLINE void byr_candidates(const byr_scan *scan, u32 number, u32 row, u32 left, const sink *out)
{
    GLOBAL const byr_needle *needles =
        (GLOBAL const byr_needle *)(scan->tables + scan->head->needles);
    GLOBAL const byr_candidate *candidates =
        (GLOBAL const byr_candidate *)(scan->tables + scan->head->candidates);
    u32 i = scan->tables[scan->head->candidate_first + number];
    u32 stop = scan->tables[scan->head->candidate_first + number + 1];
    u32 found = BYR_NONE; /* the last needle found at this column, and its top row */
    u32 found_top = 0;
    u32 refused = row; /* the text row that refused the last candidate */
    for (; i < stop; i++) {
        byr_candidate c = candidates[i];
        GLOBAL const byr_needle *n = needles + c.needle;
        u32 top = row - c.row;
        u32 fresh = n->rows;
        u32 refusal;
        if (top >= scan->end || n->rows > scan->rows - top)
            continue;
        if (c.needle == found) {
            u32 moved = found_top - top;
            if (moved < n->period)
                continue;
            if (moved < fresh && moved % n->period == 0)
                fresh = moved;
        }
        if (refused != row && refused >= top && refused - top < n->rows &&
            !byr_row_equal(scan, n, refused - top, top, left))
            continue;
        refusal = byr_refusal(scan, n, top, left, fresh);
        if (refusal == BYR_NONE) {
            sink_put(out, top * scan->cols + left, c.needle);
            found = c.needle;
            found_top = top;
        } else {
            refused = top + refusal;
        }
    }
}

#endif
