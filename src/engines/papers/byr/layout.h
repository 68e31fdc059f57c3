/* layout.h: tables of Baeza-Yates-Regnier, and the comparison of a row.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_PAPERS_BYR_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_BYR_LAYOUT_H

#include "engines/shared/grid/layout.h"

#define BYR_NONE 0xffffffffu

typedef struct byr_tables {
    u32 cell_size;
    u32 step;            /* m: the fewest rows of any needle */
    u32 needles;         /* byr_needle[plan_header.pattern_count], word offset */
    u32 candidate_first; /* u32[rows.strings + 1], word offset: first candidate of each row */
    u32 candidates;      /* byr_candidate[candidate_first[rows.strings]], word offset */
    automaton_tables rows;
    automaton_dense dense;
} byr_tables;

typedef struct byr_needle {
    u32 rows;
    u32 row_bytes;
    u32 row_words; /* of a stored row, filled up to whole words */
    u32 cells;     /* u32[rows * row_words], word offset */
    u32 order;     /* u32[rows], word offset: rows in the order of comparison */
    u32 period;    /* the smallest p >= 1 such that the needle moved down by p agrees with itself */
} byr_needle;

/* Row `row` of this needle. The candidates of one distinct row are sorted by needle and row, so the
 * tops that they mean rise. */
typedef struct byr_candidate {
    u32 needle;
    u32 row;
} byr_candidate;

SHARED_SIZE(byr_tables, 76);
SHARED_SIZE(byr_needle, 24);
SHARED_SIZE(byr_candidate, 8);

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

#endif
