/* cpu.c: Baeza-Yates-Regnier for any number of needles of any sizes.
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
 * such a text, and stands for many places of its needle. Three rules keep that cheap. A needle's
 * most varied rows are compared first. The text row that refused one place is tried first at the
 * next. And where places in one column are occurrences (stripes on stripes), rows that the needle's
 * vertical period already tells are not compared again, as in Galil's rule for Boyer-Moore.
 *
 * Cost: cells / m steps and the comparisons, which are few except in crowded texts; at worst rows *
 * width for each cell.
 * Source: Baeza-Yates and Regnier 1993.
 */
#include "engines/papers/byr/layout.h"

#include "engines/shared/grid/automaton.h"
#include "engines/shared/walk.h"

/* Work, in the units of give_up: what a candidate takes, what a row of it takes, and how much of
 * it a cell of the text above is worth before Baker-Bird is faster. */
#define CANDIDATE_WORK 4u
#define ROW_WORK(bytes) (4u + (bytes) / 16u)
#define WORK_A_CELL 8u

/* The first needle row, in the order of comparison, that the text does not have, or BYR_NONE: the
 * needle is at (top, left). Rows from `fresh` on are known to be there. */
static u32 byr_try(const byr_scan *scan, const byr_needle *n, u32 top, u32 left, u32 fresh,
                   u64 *work)
{
    const u32 *order = scan->tables + n->order;
    u32 i = 0, refusal = BYR_NONE;
    for (; i < fresh && refusal == BYR_NONE; i++) {
        const u32 row = fresh == n->rows ? order[i] : i;
        if (!byr_row_equal(scan, n, row, top, left))
            refusal = row;
    }
    *work += (u64)i * ROW_WORK(n->row_bytes);
    return refusal;
}

/* Distinct row `number` stands in primary row `row` from column `left`: try every needle row that
 * it is. Returns the work. */
static u64 byr_list(const byr_scan *scan, u32 number, u32 row, u32 left, const sink *out)
{
    const byr_needle *needles = (const byr_needle *)(scan->tables + scan->head->needles);
    const byr_candidate *candidates =
        (const byr_candidate *)(scan->tables + scan->head->candidates);
    u32 i = scan->tables[scan->head->candidate_first + number];
    const u32 stop = scan->tables[scan->head->candidate_first + number + 1];
    u64 work = (u64)(stop - i) * CANDIDATE_WORK;
    u32 found = BYR_NONE; /* the last needle found at this column, and its top row */
    u32 found_top = 0;
    u32 refused = row; /* the text row that refused the last candidate */
    for (; i < stop; i++) {
        const byr_candidate c = candidates[i];
        const byr_needle *n = needles + c.needle;
        const u32 top = row - c.row;
        u32 fresh = n->rows;
        if (top >= scan->end || n->rows > scan->rows - top)
            continue;
        if (c.needle == found) {
            const u32 moved = found_top - top;
            if (moved < n->period)
                continue;
            if (moved < fresh && moved % n->period == 0)
                fresh = moved;
        }
        if (refused != row && refused >= top && refused - top < n->rows &&
            !byr_row_equal(scan, n, refused - top, top, left))
            continue;
        const u32 refusal = byr_try(scan, n, top, left, fresh, &work);
        if (refusal == BYR_NONE) {
            sink_put(out, top * scan->cols + left, c.needle);
            found = c.needle;
            found_top = top;
        } else {
            refused = top + refusal;
        }
    }
    return work;
}

/* String state `hit`, and the shorter ones, end in primary row `row` before column `stop`. False
 * when *work, which is moved on, is more than `most`. */
WALK_APART bool byr_hits(const byr_scan *scan, u32 hit, u32 row, u32 stop, u64 most, u64 *work,
                         const sink *out)
{
    for (; hit != 0; hit = automaton_next_hit(&scan->along, hit)) {
        const u32 number = scan->along.ends[hit];
        *work += byr_list(scan, number, row, stop - scan->along.lengths[number], out);
        if (*work > most)
            return false;
    }
    return true;
}

/* One primary row; the same of it. */
WALK_INTO bool byr_along(const byr_scan *scan, u32 cell_size, u32 row, u64 most, u64 *work,
                         const sink *out)
{
    const u8 *cells = scan->cells + row * scan->stride;
    const automaton along = scan->along; /* a copy, which no call can change */
    const u32 cols = scan->cols;
    u32 state = 0;
    for (u32 col = 0; col < cols; col++) {
        const u32 symbol = automaton_symbol(cells, cell_size, col);
        state = automaton_step(&along, state, symbol, cell_size > 1);
        if (along.nodes[state].hit != 0 &&
            !byr_hits(scan, along.nodes[state].hit, row, col + 1, most, work, out))
            return false;
    }
    return true;
}

/* The same for cells of each size, by a loop of its own. */
#define BYR_ROW(cell_size)                                                                         \
    WALK_APART bool byr_row_##cell_size(const byr_scan *scan, u32 row, u64 most, u64 *work,        \
                                        const sink *out)                                           \
    {                                                                                              \
        return byr_along(scan, cell_size, row, most, work, out);                                   \
    }
BYR_ROW(1)
BYR_ROW(2)
BYR_ROW(3)
BYR_ROW(4)

/* A primary row of bytes by the dense table. */
WALK_APART bool byr_row_dense(const byr_scan *scan, u32 row, u64 most, u64 *work, const sink *out)
{
    const automaton_dense *dense = &scan->head->dense;
    const u8 *classes = (const u8 *)(scan->tables + dense->classes);
    const u32 *next = scan->tables + dense->next;
    const u8 *cells = scan->cells + row * scan->stride;
    const u32 cols = scan->cols, shift = dense->shift;
    const automaton_node *nodes = scan->along.nodes;
    u32 at = 0;
    for (u32 col = 0; col < cols; col++) {
        const u32 step = next[at + classes[cells[col]]];
        at = step & ~DENSE_HIT;
        if ((step & DENSE_HIT) &&
            !byr_hits(scan, nodes[at >> shift].hit, row, col + 1, most, work, out))
            return false;
    }
    return true;
}

typedef bool (*byr_row)(const byr_scan *scan, u32 row, u64 most, u64 *work, const sink *out);

static const byr_row byr_rows[] = { byr_row_1, byr_row_2, byr_row_3, byr_row_4 };

/* Primary rows are begin + m - 1, begin + 2 m - 1 ..; each sees the m tops that end with it. When
 * one takes too long what it has found is forgotten: then of its first top nothing was reported. */
static u32 byr_walk(grid_task *task)
{
    byr_scan scan;
    u64 work = 0;
    scan.tables = task->tables;
    scan.head = (const byr_tables *)task->tables;
    scan.cells = task->cells;
    scan.stride = task->stride;
    scan.rows = task->rows;
    scan.cols = task->cols;
    scan.end = task->end;
    automaton_open(&scan.along, task->tables, &scan.head->rows);
    const u32 step = scan.head->step;
    const byr_row along =
        scan.head->dense.symbols ? byr_row_dense : byr_rows[scan.head->cell_size - 1];
    u32 done = task->end;
    for (u64 row = (u64)task->begin + step - 1;
         done == task->end && row < task->rows && row < (u64)task->end + step - 1; row += step) {
        const u64 found = *task->out->cursor, rows = row - task->begin + 1;
        const u64 most = task->allowance + WORK_A_CELL * rows * scan.cols;
        if (!along(&scan, (u32)row, most, &work, task->out)) {
            *task->out->cursor = found;
            done = (u32)row - (step - 1);
        }
    }
    task->candidates += work / CANDIDATE_WORK;
    return done;
}

const walk walk_byr = { .grid = byr_walk };
