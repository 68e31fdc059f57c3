/* bb_form.h: Baker-Bird's kernel for stage GRID_STAGE; included by kernel/bb.k once for each. */
#include "kernel/grid_form.h"

/* A needle row of that number begins at (row, left); `state` is the column's. Returns the
 * column's new state. */
INLINE u32 FORM(bb_down)(GRID_SOURCE, const bb_item *b, u32 state, u32 number, u32 row, u32 left,
                         const sink *out)
{
    u32 hit;
    state = FORM(grid_step)(GRID_GIVEN, &b->columns, state, number);
    for (hit = FORM(grid_hit)(GRID_GIVEN, &b->columns, state); hit != 0;
         hit = FORM(grid_next_hit)(GRID_GIVEN, &b->columns, hit)) {
        const u32 kind = GRID_FAR(b->columns.ends + hit);
        const u32 top = row + 1 - GRID_FAR(b->columns.lengths + kind);
        if (top < b->scan.end)
            bb_report(&b->scan, kind, top, left, out);
    }
    return state;
}

/* The same where needles have several widths: the column's states are in scratch memory. */
INLINE u32 FORM(bb_down_width)(GRID_SOURCE, const bb_item *b, u32 number, u32 row, u32 left,
                               const sink *out)
{
    const u32 width = b->scan.tables[b->scan.head->row_group + number];
    GLOBAL bb_column *column = b->states + (u64)width * b->items;
    const u32 before = column->row == row ? column->state : 0;
    const u32 state = FORM(bb_down)(GRID_GIVEN, b, before, number, row, left, out);
    column->row = row + 1;
    column->state = state;
    return state;
}

#if GRID_STAGE >= 4

/* Where the only row of a state is described, or 0. Near states have it in place of a link. */
INLINE u32 FORM(bb_only)(GRID_SOURCE, const bb_item *b, u32 state)
{
    if (state < b->rows.near_nodes)
        return local[b->rows.near_fails + state];
    return b->paths[state];
}

#endif

/* All needle rows that begin at (row, left). Returns the state of the column after it; with
 * several widths 0 when all states are 0, else any other number. */
INLINE u32 FORM(bb_cell)(GRID_SOURCE, const bb_item *b, const grid_line *line, u32 cell_size,
                         u32 row, u32 left, u32 state, const sink *out)
{
    const grid_automaton *a = &b->rows;
    u32 after = 0, col = left;
    u32 at = FORM(grid_enter)(GRID_GIVEN, a, FORM(grid_read)(GRID_GIVEN, line, cell_size, col));
    while (at != 0) {
        const u32 first = FORM(grid_marked_first)(GRID_GIVEN, a, at, 1);
        u32 number = 0, ends = first & GRID_MARK;
#if GRID_STAGE >= 4
        const u32 only = FORM(bb_only)(GRID_GIVEN, b, at);
        if (only != 0) {
            number = b->paths[only];
            ends = FORM(grid_rest)(GRID_GIVEN, b->paths + only, line, cell_size, b->scan.cols, left,
                                   col + 1);
        } else if (ends != 0)
            number = GRID_FAR(a->ends + at);
#else
        const u32 only = 0;
        if (ends != 0)
            number = GRID_FAR(a->ends + at);
#endif
        if (ends != 0) {
            if (b->one)
                after = FORM(bb_down)(GRID_GIVEN, b, state, number, row, left, out);
            else
                after |= FORM(bb_down_width)(GRID_GIVEN, b, number, row, left, out);
        }
        if (only != 0 || ++col >= b->scan.cols)
            break;
        at = FORM(grid_among)(GRID_GIVEN, a, first & ~GRID_MARK,
                              FORM(grid_first)(GRID_GIVEN, a, at + 1),
                              FORM(grid_read)(GRID_GIVEN, line, cell_size, col));
    }
    return after;
}

INLINE u32 FORM(bb_row)(GRID_SOURCE, const bb_item *b, const grid_line *line, u32 row, u32 left,
                        u32 state, const sink *out)
{
    const u32 cell_size = b->scan.head->cell_size;
    if (cell_size == 1)
        return FORM(bb_cell)(GRID_GIVEN, b, line, 1, row, left, state, out);
    if (cell_size == 2)
        return FORM(bb_cell)(GRID_GIVEN, b, line, 2, row, left, state, out);
    return FORM(bb_cell)(GRID_GIVEN, b, line, 4, row, left, state, out);
}

#if GRID_STAGE < 4

/* A tile: rows [begin, b->scan.end), and down to `stop` while a needle is under way. */
INLINE void FORM(bb_tile)(GRID_SOURCE, const bb_item *b, GLOBAL const u8 *cells, u64 stride,
                          u32 begin, u32 stop, u32 left, const sink *out)
{
    grid_line line;
    u32 state = 0;
    line.near_at = 0;
    line.near_stop = 0;
    for (u32 row = begin; row < stop && (row < b->scan.end || state != 0); row++) {
        line.cells = cells + row * stride;
        state = FORM(bb_row)(GRID_GIVEN, b, &line, row, left, state, out);
    }
}

#else

/* The same by a whole group, whose first column is `corner`. Strips of rows are brought to word
 * `text` of local memory, `vectors` times 16 bytes of each row. Two flags in turn say whether
 * any item has a needle under way: one is set while the other may still be read. */
INLINE void FORM(bb_tile)(GRID_SOURCE, const bb_item *b, GLOBAL const u8 *cells, u64 stride,
                          u32 begin, u32 stop, u32 corner, u32 last_row, u32 text, u32 vectors,
                          u32 strip, const sink *out)
{
    const u32 cell_size = b->scan.head->cell_size;
    const u32 active = PORT_LID < b->scan.cols - corner, left = corner + PORT_LID;
    const u64 text_stop = last_row * stride + (u64)b->scan.cols * cell_size;
    u32 state = 0, turn = 0, going = 1, row = begin;
    grid_line line;
    while (going) {
        const u32 rows = stop - row < strip ? stop - row : strip;
        u64 from = row * stride + (u64)corner * cell_size;
        if (PORT_LID == 0)
            local[turn] = 0;
        for (u32 i = PORT_LID; i < rows * vectors; i += PORT_GROUP_SIZE) {
            const u32 r = i / vectors;
            const u64 first = (from + r * stride) & ~(u64)15;
            grid_bring(local + text + 4 * i, cells, first + 16 * (i - r * vectors), text_stop);
        }
        PORT_BARRIER();
        /* Items right of the text run along: where some items skip all of this, up to the
         * barrier, PoCL 3.1 computes nothing for the whole group. */
        line.cells = cells + row * stride;
        for (u32 r = 0; r < rows; r++, line.cells += stride, from += stride) {
            grid_stage_line(&line, cell_size, from, corner, 4 * text + r * vectors * 16,
                            vectors * 16);
            if (active && (row + r < b->scan.end || state != 0))
                state = FORM(bb_row)(GRID_GIVEN, b, &line, row + r, left, state, out);
        }
        if (row + rows >= b->scan.end && state != 0)
            PORT_LOCAL_OR(local + turn, 1u);
        PORT_BARRIER();
        row += rows;
        going = row < stop && (row < b->scan.end || local[turn] != 0);
        turn ^= 1;
    }
    PORT_BARRIER(); /* the next tile sets flag 0 */
}

#endif

/* Tops [begin, end) in bands of `height` rows. */
KERNEL void FORM(bb)(GLOBAL const u32 *tables,
                     GRID_TEXTURE_ARG GRID_PATHS_ARG GLOBAL const u8 *cells, u32 rows, u32 cols,
                     u64 stride, u32 begin, u32 end, u32 height, u32 near_slots, u32 near_nodes,
                     u32 text, u32 vectors, u32 strip, GLOBAL bb_column *states, GLOBAL u64 *cursor,
                     GLOBAL record *records, u64 capacity GRID_LOCAL_ARG)
{
    GRID_LOCAL_MEMORY
    const u32 blocks = (cols - 1) / PORT_GROUP_SIZE + 1;
    const u32 tiles = ((end - begin - 1) / height + 1) * blocks;
    bb_item b;
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    b.scan.tables = tables;
    b.scan.head = (GLOBAL const bb_tables *)tables;
    b.scan.cols = cols;
    grid_view(&b.rows, &b.scan.head->rows, near_slots, near_nodes);
    grid_view(&b.columns, &b.scan.head->columns, 0, 0);
    b.states = states + PORT_ITEM;
    b.items = PORT_GROUPS * PORT_GROUP_SIZE;
    b.one = b.scan.head->groups == 1;
#if GRID_STAGE >= 4
    b.paths = paths;
    for (u32 i = PORT_LID; i < b.rows.near_nodes; i += PORT_GROUP_SIZE)
        local[b.rows.near_fails + i] = paths[i];
#endif
#if GRID_STAGE >= 3
    FORM(grid_bring_tables)(GRID_GIVEN, &b.rows, 1);
    PORT_BARRIER();
#endif
    for (u32 tile = PORT_GROUP; tile < tiles; tile += PORT_GROUPS) {
        const u32 corner = tile % blocks * PORT_GROUP_SIZE;
        const u32 top = begin + tile / blocks * height;
        const u64 bottom = (u64)top + height;
        const u64 deepest = (bottom < end ? bottom : end) + b.scan.head->max_rows - 1;
        const u32 stop = deepest < rows ? (u32)deepest : rows;
        b.scan.end = bottom < end ? (u32)bottom : end;
        bb_forget(&b, top);
#if GRID_STAGE < 4
        if (PORT_LID < cols - corner)
            FORM(bb_tile)(GRID_GIVEN, &b, cells, stride, top, stop, corner + PORT_LID, &out);
#else
        FORM(bb_tile)
        (GRID_GIVEN, &b, cells, stride, top, stop, corner, rows - 1, text, vectors, strip, &out);
#endif
    }
}
