/* byr.h: Baeza-Yates-Regnier for any number of needles of any sizes.
 *
 * Idea: let m be the fewest rows of any needle. Any m neighbouring rows of the text hold one
 * primary row, every m-th row, and so does the top of every occurrence. Only the primary
 * rows are scanned, by an automaton over the first m rows of every needle; where one of them
 * ends, the other rows of its needle are compared with the rows above and below.
 *
 * Invariant: an occurrence with its top in row t is seen exactly once, from the primary row
 * in t .. t + m - 1.
 *
 * A page is mostly white, and so are many needle rows: such a row ends almost everywhere in
 * such a text, and stands for many places of its needle. Three rules keep that cheap. A
 * needle's rows are compared in an order that has the most varied ones first. The text row
 * that refused one place is asked first about the next. And where places in one column are
 * occurrences (stripes on stripes), what the needle's vertical period says of rows already
 * compared is not compared again, as in Galil's rule for Boyer-Moore.
 *
 * Cost: cells / m steps and the comparisons, which are few but for crowded texts; at worst
 * rows * width for each cell.
 * Source: Baeza-Yates and Regnier 1993.
 */
#ifndef TRAWL_WALK_BYR_H
#define TRAWL_WALK_BYR_H

#include "walk/grid.h"

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
WALK int byr_row_equal(const byr_scan *scan, GLOBAL const byr_needle *n, u32 row, u32 top, u32 left)
{
    GLOBAL const u8 *text = scan->cells + ((u64)top + row) * scan->stride;
    GLOBAL const u32 *line = scan->tables + n->cells + (u64)row * n->row_words;
    return grid_equal(text + (u64)left * scan->head->cell_size, (GLOBAL const u8 *)line,
                      n->row_bytes);
}

/* The first needle row, in the order of comparison, that the text does not have, or
 * BYR_NONE: the needle is at (top, left). Rows from `fresh` on are known to be there. */
WALK u32 byr_refusal(const byr_scan *scan, GLOBAL const byr_needle *n, u32 top, u32 left, u32 fresh)
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
WALK void byr_candidates(const byr_scan *scan, u32 number, u32 row, u32 left, const sink *out)
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

WALK void byr_along(const byr_scan *scan, u32 cell_size, u32 row, const sink *out)
{
    GLOBAL const u8 *cells = scan->cells + row * scan->stride;
    u32 state = 0;
    for (u32 col = 0; col < scan->cols; col++) {
        u32 hit;
        state = automaton_step(&scan->along, state, grid_cell(cells, cell_size, col));
        for (hit = scan->along.nodes[state].hit; hit != 0;
             hit = automaton_next_hit(&scan->along, hit)) {
            u32 number = scan->along.ends[hit];
            byr_candidates(scan, number, row, col + 1 - scan->along.lengths[number], out);
        }
    }
}

/* Primary rows are begin + m - 1, begin + 2 m - 1 ..; each sees the m tops that end with it. */
WALK void byr_walk(GLOBAL const u32 *tables, GLOBAL const u8 *cells, u32 rows, u32 cols, u64 stride,
                   u32 begin, u32 end, GLOBAL u32 *state, const sink *out)
{
    byr_scan scan;
    u32 step;
    (void)state;
    scan.tables = tables;
    scan.head = (GLOBAL const byr_tables *)tables;
    scan.cells = cells;
    scan.stride = stride;
    scan.rows = rows;
    scan.cols = cols;
    scan.end = end;
    automaton_open(&scan.along, tables, &scan.head->rows);
    step = scan.head->step;
    for (u64 row = (u64)begin + step - 1; row < rows && row < (u64)end + step - 1; row += step) {
        if (scan.head->cell_size == 1)
            byr_along(&scan, 1, (u32)row, out);
        else if (scan.head->cell_size == 2)
            byr_along(&scan, 2, (u32)row, out);
        else
            byr_along(&scan, 4, (u32)row, out);
    }
}

#endif
