/* bb.c: Baker-Bird for any number of needles of any sizes.
 *
 * Idea: an automaton over the distinct rows of all needles runs along every row of the text.
 * Where a row ends, its number is the next symbol of a second automaton, which runs down the
 * column and whose strings are the needles, written as sequences of row numbers. With one
 * needle the second automaton is that of Knuth, Morris and Pratt.
 *
 * Rows of one width are all different, so at most one of them ends at a cell. Needles of
 * different widths need a column state for each width (a group). A column state lives only
 * while rows keep ending there: it stands beside the text row at which it is valid, and any
 * other row finds it void. So cells where no row ends, nearly all of them in most texts,
 * never touch the columns.
 *
 * Invariant: after text row r, the state of (group, column) is the longest sequence of rows
 * of that width which ends in row r, begins in row `begin` at the earliest, and begins a
 * needle.
 *
 * Cost: O(cells * widths + occurrences), whatever the text.
 * Source: Baker 1978; Bird 1977.
 */
#include "table/bb.h"

#include "walk/automaton.h"
#include "walk/walk.h"

/* Needle row `number` stands in text row `row` from column `left`. */
static void bb_down(const bb_scan *scan, u32 number, u32 row, u32 left, const sink *out)
{
    u32 group = scan->tables[scan->head->row_group + number];
    bb_column *column = scan->states + ((u64)group * scan->cols + left);
    u32 state = column->row == row ? column->state : 0;
    u32 hit;
    state = automaton_step(&scan->columns, state, number);
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

static void bb_along(const bb_scan *scan, const u8 *cells, u32 cell_size, u32 row, const sink *out)
{
    u32 state = 0;
    for (u32 col = 0; col < scan->cols; col++) {
        u32 hit;
        state = automaton_step(&scan->rows, state, grid_cell(cells, cell_size, col));
        for (hit = scan->rows.nodes[state].hit; hit != 0;
             hit = automaton_next_hit(&scan->rows, hit)) {
            u32 number = scan->rows.ends[hit];
            bb_down(scan, number, row, col + 1 - scan->rows.lengths[number], out);
        }
    }
}

u32 bb_walk(grid_task *task)
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
    stop = (u64)task->end + scan.head->max_rows - 1;
    for (u32 row = begin; row < task->rows && row < stop; row++) {
        const u8 *line = task->cells + row * task->stride;
        if (scan.head->cell_size == 1)
            bb_along(&scan, line, 1, row, task->out);
        else if (scan.head->cell_size == 2)
            bb_along(&scan, line, 2, row, task->out);
        else if (scan.head->cell_size == 3)
            bb_along(&scan, line, 3, row, task->out);
        else
            bb_along(&scan, line, 4, row, task->out);
    }
    return task->end;
}
