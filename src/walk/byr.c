/* byr.c: Baeza-Yates-Regnier for any number of needles of any sizes.
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
#include "table/byr.h"

#include "walk/automaton.h"
#include "walk/walk.h"

static void byr_along(const byr_scan *scan, u32 cell_size, u32 row, const sink *out)
{
    const u8 *cells = scan->cells + row * scan->stride;
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
void byr_walk(const u32 *tables, const u8 *cells, u32 rows, u32 cols, u64 stride, u32 begin,
              u32 end, u32 *state, const sink *out)
{
    byr_scan scan;
    u32 step;
    (void)state;
    scan.tables = tables;
    scan.head = (const byr_tables *)tables;
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
