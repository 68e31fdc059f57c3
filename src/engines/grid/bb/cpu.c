/* cpu.c: Baker-Bird for any number of needles of any sizes.
 *
 * Idea: an automaton over the distinct rows of all needles runs along every row of the text.
 * Where a row ends, its number is the next symbol of a second automaton, which runs down the
 * column and whose strings are the needles, written as sequences of row numbers. With one
 * needle the second automaton is that of Knuth, Morris and Pratt.
 *
 * Rows of one width are all different, so at most one of them ends at a cell. Needles of
 * different widths need a column state for each width (a group). A column state lives only while
 * rows keep ending there: it is stored with the text row at which it is valid, and any other row
 * finds it void. So cells where no row ends, nearly all of them in most texts, never touch the
 * columns.
 *
 * Invariant: after text row r, the state of (group, column) is the longest sequence of rows
 * of that width which ends in row r, begins in row `begin` at the earliest, and begins a
 * needle.
 *
 * Cost: O(cells * widths + occurrences), whatever the text.
 * Source: Baker 1978; Bird 1977.
 */
#include "engines/grid/bb/layout.h"

#include "engines/shared/grid/automaton.h"
#include "engines/shared/walk.h"

/* Needle row `number` stands in text row `row` from column `left`. */
static void bb_down(const bb_scan *scan, u32 number, u32 row, u32 left, const sink *out)
{
    u32 group = scan->tables[scan->head->row_group + number];
    bb_column *column = scan->states + ((u64)group * scan->cols + left);
    u32 state = column->row == row ? column->state : 0;
    u32 hit;
    state = automaton_step(&scan->columns, state, number, false);
    column->row = row + 1;
    column->state = state;
    for (hit = scan->columns.nodes[state].hit; hit != 0;
         hit = automaton_next_hit(&scan->columns, hit)) {
        u32 kind = scan->columns.ends[hit];
        u32 top = row + 1 - scan->columns.lengths[kind];
        if (top < scan->end)
            bb_report(scan, kind, top, left, out);
    }
}

/* String state `hit`, and the shorter ones, end in text row `row` before column `stop`. */
WALK_APART void bb_hits(const bb_scan *scan, u32 hit, u32 row, u32 stop, const sink *out)
{
    for (; hit != 0; hit = automaton_next_hit(&scan->rows, hit)) {
        const u32 number = scan->rows.ends[hit];
        bb_down(scan, number, row, stop - scan->rows.lengths[number], out);
    }
}

WALK_INTO void bb_along(const bb_scan *scan, const u8 *cells, u32 cell_size, u32 row,
                        const sink *out)
{
    const automaton rows = scan->rows; /* a copy, which no call can change */
    const u32 cols = scan->cols;
    u32 state = 0;
    for (u32 col = 0; col < cols; col++) {
        const u32 symbol = automaton_symbol(cells, cell_size, col);
        state = automaton_step(&rows, state, symbol, cell_size > 1);
        if (rows.nodes[state].hit != 0)
            bb_hits(scan, rows.nodes[state].hit, row, col + 1, out);
    }
}

/* A text row of cells of each size, by a loop of its own. */
#define BB_ROW(cell_size)                                                                          \
    WALK_APART void bb_row_##cell_size(const bb_scan *scan, const u8 *cells, u32 row,              \
                                       const sink *out)                                            \
    {                                                                                              \
        bb_along(scan, cells, cell_size, row, out);                                                \
    }
BB_ROW(1)
BB_ROW(2)
BB_ROW(3)
BB_ROW(4)

/* A text row of bytes by the dense table. */
WALK_APART void bb_row_dense(const bb_scan *scan, const u8 *cells, u32 row, const sink *out)
{
    const automaton_dense *dense = &scan->head->dense;
    const u8 *classes = (const u8 *)(scan->tables + dense->classes);
    const u32 *next = scan->tables + dense->next;
    const u32 cols = scan->cols, shift = dense->shift;
    const automaton_node *nodes = scan->rows.nodes;
    u32 at = 0;
    for (u32 col = 0; col < cols; col++) {
        const u32 step = next[at + classes[cells[col]]];
        at = step & ~DENSE_HIT;
        if (step & DENSE_HIT)
            bb_hits(scan, nodes[at >> shift].hit, row, col + 1, out);
    }
}

typedef void (*bb_row)(const bb_scan *scan, const u8 *cells, u32 row, const sink *out);

static const bb_row bb_rows[] = { bb_row_1, bb_row_2, bb_row_3, bb_row_4 };

static u32 bb_walk(grid_task *task)
{
    const u32 *tables = task->tables;
    const u32 begin = task->begin;
    bb_scan scan;
    u64 stop;
    scan.tables = tables;
    scan.head = (const bb_tables *)tables;
    scan.states = (bb_column *)task->state;
    scan.cols = task->cols;
    scan.end = task->end;
    automaton_open(&scan.rows, tables, &scan.head->rows);
    automaton_open(&scan.columns, tables, &scan.head->columns);
    for (u64 i = 0; i < (u64)scan.head->groups * task->cols; i++) {
        scan.states[i].row = begin;
        scan.states[i].state = 0;
    }
    const bb_row along =
        scan.head->dense.symbols ? bb_row_dense : bb_rows[scan.head->cell_size - 1];
    stop = (u64)task->end + scan.head->max_rows - 1;
    for (u32 row = begin; row < task->rows && row < stop; row++)
        along(&scan, task->cells + row * task->stride, row, task->out);
    return task->end;
}

const walk walk_bb = { .grid = bb_walk };
