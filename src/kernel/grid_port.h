/* grid_port.h: what the kernels of both grid walks share: near tables and staged text.
 *
 * Idea: both walks spend their time in the automaton of the needles' rows (table/grid.h), and
 * there near its root: states are numbered breadth first, so the first ones are the hot ones.
 * A group keeps them near, in its local memory, as many as fit, and looks up all others in the
 * tables. A near state needs two words, three where failure links are followed: its edge's
 * symbol, its first child with a mark for "look here for matches", its failure link.
 *
 * A kernel comes in four stages (paper, section 4); each has all that the one before has:
 *
 *   1  tables in global memory
 *   2  tables through a texture
 *   3  the first states and the root's hash table in local memory
 *   4  the text in local memory too, brought by reads of 16 neighbouring bytes; and what is left
 *      of a large needle is compared 16 bytes at a time (bb.k and byr.k say how)
 *
 * grid_form.h is included once for each stage and defines the automaton's steps for it.
 *
 * Local memory, in words: GRID_NEAR words for the walk itself | states of the root's slots |
 * symbols | first children, one more | failure links | up to a multiple of 4 | text.
 *
 * Source: Kouzinopoulos, Michaelidis and Margaritis, sections 3 and 4;
 * a texture of states times symbols ends at 65,536 states there, this one does not.
 */
#ifndef TRAWL_KERNEL_GRID_PORT_H
#define TRAWL_KERNEL_GRID_PORT_H

#include "kernel/device_port.h"
#include "table/grid.h"

#define GRID_NEAR 4u
#define GRID_MARK 0x80000000u /* beside a first child, which is below 2^30 */

/* An automaton as a kernel walks it; offsets in words, of the tables or of local memory. */
typedef struct grid_automaton {
    u32 nodes, ends, slots, lengths;
    u32 slot_mask, multiplier, shift;
    u32 near_slots;   /* slot_mask + 1, or 0: the slots are not near */
    u32 near_nodes;   /* how many states are near */
    u32 near_symbols; /* where they are in local memory */
    u32 near_firsts;
    u32 near_fails;
} grid_automaton;

/* A row of text. Columns before `near_stop` lie in local memory, column x at byte
 * near_at + x * cell_size (in numbers that wrap around: the first columns are not there). */
typedef struct grid_line {
    GLOBAL const u8 *cells;
    u32 near_at;
    u32 near_stop;
} grid_line;

INLINE void grid_view(grid_automaton *a, GLOBAL const automaton_tables *stored, u32 near_slots,
                      u32 near_nodes)
{
    a->nodes = stored->nodes;
    a->ends = stored->ends;
    a->slots = stored->slots;
    a->lengths = stored->lengths;
    a->slot_mask = stored->slot_mask;
    a->multiplier = stored->multiplier;
    a->shift = stored->shift;
    a->near_slots = near_slots;
    a->near_nodes = near_nodes;
    a->near_symbols = GRID_NEAR + near_slots;
    a->near_firsts = a->near_symbols + near_nodes;
    a->near_fails = a->near_firsts + near_nodes + 1;
}

/* The cell at a byte of local memory. Called with a constant size, as grid_cell is. */
INLINE u32 grid_near_cell(LOCAL const u32 *local, u32 cell_size, u32 at)
{
    if (cell_size == 1)
        return ((LOCAL const u8 *)local)[at];
    if (cell_size == 2)
        return ((LOCAL const u16 *)local)[at >> 1];
    return local[at >> 2];
}

/* Bring the 16 bytes of text from byte `from`, a multiple of 16, but none at or behind `stop`. */
INLINE void grid_bring(LOCAL u32 *to, GLOBAL const u8 *cells, u64 from, u64 stop)
{
    if (from + 16 <= stop) {
        *(LOCAL u32x4 *)to = PORT_LOAD4((GLOBAL const u32 *)(cells + from));
    } else {
        for (u32 i = 0; from + i < stop; i++)
            ((LOCAL u8 *)to)[i] = cells[from + i];
    }
}

/* 16 bytes from byte `at` on, wherever that is, out of the aligned words that they lie in. */
INLINE u32x4 grid_window(u32 a, u32 b, u32 c, u32 d, u32 e, u64 at)
{
    const u32 bits = 8 * (u32)(at & 3);
    u32x4 w;
    w.x = (u32)(((u64)b << 32 | a) >> bits);
    w.y = (u32)(((u64)c << 32 | b) >> bits);
    w.z = (u32)(((u64)d << 32 | c) >> bits);
    w.w = (u32)(((u64)e << 32 | d) >> bits);
    return w;
}

/* The same of global memory, which begins at a multiple of 4 at `bytes`, and of local memory. */
INLINE u32x4 grid_far_window(GLOBAL const u8 *bytes, u64 at)
{
    GLOBAL const u32 *p = (GLOBAL const u32 *)(bytes + (at & ~(u64)3));
    return grid_window(p[0], p[1], p[2], p[3], p[(at & 3) != 0 ? 4 : 3], at);
}

INLINE u32x4 grid_near_window(LOCAL const u32 *local, u32 at)
{
    LOCAL const u32 *p = local + (at >> 2);
    return grid_window(p[0], p[1], p[2], p[3], p[(at & 3) != 0 ? 4 : 3], at);
}

/* 0 when both are equal. */
INLINE u32 grid_differ(u32x4 a, u32x4 b)
{
    return (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z) | (a.w ^ b.w);
}

/* Where a staged row is: its bytes from `from` on were brought, rounded down to 16, to byte
 * `at` of local memory, `bytes` of them; `left` is the column at `from`. */
INLINE void grid_stage_line(grid_line *line, u32 cell_size, u64 from, u32 left, u32 at, u32 bytes)
{
    const u32 skew = (u32)(from & 15);
    line->near_at = at + skew - left * cell_size;
    line->near_stop = left + (bytes - skew) / cell_size;
}

#endif
