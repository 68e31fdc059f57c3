/* byr_form.h: Baeza-Yates-Regnier's kernel for stage GRID_STAGE; included by kernel/byr.k once
 * for each. */
#include "kernel/grid_form.h"

#if GRID_STAGE >= 4

/* byr_candidates, but large needles that are likely to be there go into the group's queue. */
INLINE void FORM(byr_tries)(GRID_SOURCE, const byr_item *b, u32 number, u32 row, u32 left,
                            const sink *out)
{
    const byr_scan *scan = &b->scan;
    const u32 stop = scan->tables[scan->head->candidate_first + number + 1];
    u32 found = BYR_NONE, found_top = 0, refused = row, full = 0; /* as there */
    for (u32 i = scan->tables[scan->head->candidate_first + number]; i < stop; i++) {
        const byr_candidate c = *byr_candidate_at(scan, i);
        GLOBAL const byr_needle *n = byr_needle_at(scan, c.needle);
        const u32 top = row - c.row;
        u32 fresh = n->rows, refusal = BYR_NONE;
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
        if (fresh == n->rows && !full && byr_shared(n)) {
            for (u32 k = 0; k < BYR_LIKELY && k < fresh && refusal == BYR_NONE; k++) {
                const u32 varied = scan->tables[n->order + k];
                if (!byr_row_equal(scan, n, varied, top, left))
                    refusal = varied;
            }
            if (refusal == BYR_NONE) {
                const u32 slot = PORT_LOCAL_ADD(local + b->queue, 1u);
                full = slot >= BYR_QUEUE;
                if (!full) {
                    local[b->queue + BYR_ENTRIES + 2 * slot] = i;
                    local[b->queue + BYR_ENTRIES + 2 * slot + 1] = left;
                    continue;
                }
            }
        }
        if (refusal == BYR_NONE)
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

/* All items together, after a barrier: compare what is queued of primary row `row`, and empty the
 * queue. Two flags in turn say that some item saw a difference: one is cleared, by the item that
 * read it, while the other may be set. */
INLINE void FORM(byr_empty)(GRID_SOURCE, const byr_item *b, u32 row, const sink *out)
{
    const u32 queued = local[b->queue], count = queued < BYR_QUEUE ? queued : BYR_QUEUE;
    for (u32 k = 0; k < count; k++) {
        const u32 left = local[b->queue + BYR_ENTRIES + 2 * k + 1];
        const byr_candidate c = *byr_candidate_at(&b->scan, local[b->queue + BYR_ENTRIES + 2 * k]);
        const u32 top = row - c.row, flag = b->queue + BYR_FLAGS + (k & 1);
        if (byr_part_differs(&b->scan, byr_needle_at(&b->scan, c.needle), top, left) != 0)
            PORT_LOCAL_OR(local + flag, 1u);
        PORT_BARRIER();
        if (PORT_LID == 0) {
            if (local[flag] == 0)
                sink_put(out, top * b->scan.cols + left, c.needle);
            local[flag] = 0;
        }
    }
    if (count != 0 && PORT_LID == 0) /* all items have read it: they met at a barrier since */
        local[b->queue] = 0;
}

#endif

/* Needle rows that end at (row, col) and begin before column `stop`. */
INLINE void FORM(byr_hits)(GRID_SOURCE, const byr_item *b, u32 state, u32 row, u32 col, u32 stop,
                           const sink *out)
{
    const grid_automaton *a = &b->rows;
    u32 hit;
    for (hit = FORM(grid_hit)(GRID_GIVEN, a, state); hit != 0;
         hit = FORM(grid_next_hit)(GRID_GIVEN, a, hit)) {
        const u32 number = GRID_FAR(a->ends + hit);
        const u32 left = col + 1 - GRID_FAR(a->lengths + number);
        if (left >= stop) /* and so do the shorter ones */
            break;
#if GRID_STAGE >= 4
        FORM(byr_tries)(GRID_GIVEN, b, number, row, left, out);
#else
        byr_candidates(&b->scan, number, row, left, out);
#endif
    }
}

/* Needle rows that begin in columns [begin, stop) of a primary row. */
INLINE void FORM(byr_chunk)(GRID_SOURCE, const byr_item *b, const grid_line *line, u32 cell_size,
                            u32 row, u32 begin, u32 stop, const sink *out)
{
    u32 state = 0;
    for (u32 col = begin; col < b->scan.cols; col++) {
        if (col >= stop && state < b->levels[col - stop + 1])
            break;
        state = FORM(grid_step)(GRID_GIVEN, &b->rows, state,
                                FORM(grid_read)(GRID_GIVEN, line, cell_size, col));
        if (FORM(grid_marked_first)(GRID_GIVEN, &b->rows, state, 0) & GRID_MARK)
            FORM(byr_hits)(GRID_GIVEN, b, state, row, col, stop, out);
#if GRID_STAGE >= 4
        if (col >= stop && (col - stop) % BYR_PATIENCE == BYR_PATIENCE - 1) {
            GLOBAL const u32 *path = b->paths + b->paths[state];
            if (path != b->paths) {
                const u32 width = path[1] / cell_size;
                const u32 left = col + 1 - byr_depth(b->levels, state, width);
                if (left < stop && FORM(grid_rest)(GRID_GIVEN, path, line, cell_size, b->scan.cols,
                                                   left, col + 1)) {
                    state = path[3];
                    col = left + width - 1;
                    FORM(byr_hits)(GRID_GIVEN, b, state, row, col, stop, out);
                }
            }
        }
#endif
    }
}

INLINE void FORM(byr_row)(GRID_SOURCE, const byr_item *b, const grid_line *line, u32 row, u32 begin,
                          u32 stop, const sink *out)
{
    const u32 cell_size = b->scan.head->cell_size;
    if (cell_size == 1)
        FORM(byr_chunk)(GRID_GIVEN, b, line, 1, row, begin, stop, out);
    else if (cell_size == 2)
        FORM(byr_chunk)(GRID_GIVEN, b, line, 2, row, begin, stop, out);
    else
        FORM(byr_chunk)(GRID_GIVEN, b, line, 4, row, begin, stop, out);
}

/* `primary` rows from begin + m - 1 on, m apart; `vectors` times 16 bytes of a stretch are
 * brought to word `text` of local memory. The queue is behind them. */
KERNEL void FORM(byr)(GLOBAL const u32 *tables,
                      GRID_TEXTURE_ARG GRID_PATHS_ARG GLOBAL const u32 *levels,
                      GLOBAL const u8 *cells, u32 rows, u32 cols, u64 stride, u32 begin, u32 end,
                      u32 primary, u32 chars, u32 near_slots, u32 near_nodes, u32 text, u32 vectors,
                      GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity GRID_LOCAL_ARG)
{
    GRID_LOCAL_MEMORY
    const u32 width = PORT_GROUP_SIZE * chars;
    const u32 stretches = (cols - 1) / width + 1;
    byr_item b;
    grid_line line;
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    b.scan.tables = tables;
    b.scan.head = (GLOBAL const byr_tables *)tables;
    b.scan.cells = cells;
    b.scan.stride = stride;
    b.scan.rows = rows;
    b.scan.cols = cols;
    b.scan.end = end;
    grid_view(&b.rows, &b.scan.head->rows, near_slots, near_nodes);
    b.levels = levels;
    line.near_at = 0;
    line.near_stop = 0;
#if GRID_STAGE >= 4
    b.paths = paths;
    b.queue = text + 4 * vectors;
    for (u32 i = PORT_LID; i < BYR_ENTRIES; i += PORT_GROUP_SIZE)
        local[b.queue + i] = 0;
#endif
#if GRID_STAGE >= 3
    FORM(grid_bring_tables)(GRID_GIVEN, &b.rows, 0);
    PORT_BARRIER();
#endif
    for (u32 tile = PORT_GROUP; tile < primary * stretches; tile += PORT_GROUPS) {
        const u32 corner = tile % stretches * width;
        const u32 row = begin + (tile / stretches + 1) * b.scan.head->step - 1;
        const u32 ahead = PORT_LID * chars;
        line.cells = cells + row * stride;
#if GRID_STAGE >= 4
        const u64 from = row * stride + (u64)corner * b.scan.head->cell_size;
        const u64 text_stop = row * stride + (u64)cols * b.scan.head->cell_size;
        for (u32 i = PORT_LID; i < vectors; i += PORT_GROUP_SIZE)
            grid_bring(local + text + 4 * i, cells, (from & ~(u64)15) + 16 * i, text_stop);
        grid_stage_line(&line, b.scan.head->cell_size, from, corner, 4 * text, 16 * vectors);
        PORT_BARRIER();
#endif
        if (ahead < cols - corner) {
            const u32 first = corner + ahead;
            const u32 stop = cols - first < chars ? cols : first + chars;
            FORM(byr_row)(GRID_GIVEN, &b, &line, row, first, stop, &out);
        }
#if GRID_STAGE >= 4
        PORT_BARRIER();
        FORM(byr_empty)(GRID_GIVEN, &b, row, &out);
#endif
    }
}
