/* grid_form.h: what the kernels of both grid walks share: the automaton of the needles' rows
 * (table/grid.h) and rows of text, as a variant sees them.
 *
 * Idea: both walks spend their time in that automaton, and there near its root: states are
 * numbered breadth first, so the first ones are the hot ones. A group keeps them near, in its
 * local memory, as many as fit, and looks up all others in the tables. A near state needs two
 * words, three where failure links are followed: its edge's symbol, its first child with a mark
 * for "look here for matches", its failure link. grid.h says where they are.
 *
 * Both units have these definitions, which this file is read with anew in each variant:
 *   STAGE   the paper's stages (section 4); each has all that the one before has:
 *           1  tables in global memory
 *           2  tables through a texture
 *           3  the first states and the root's hash table in local memory
 *           4  the text in local memory too, brought by reads of 16 neighbouring bytes; and what
 *              is left of a large needle is compared 16 bytes at a time (bb.k, byr.k say how)
 *   CELL    bytes of a cell
 *
 * What a function reads tables from are its first parameters, TABLES, which its caller hands on
 * as TABLES_GIVEN: OpenCL C 1.2 knows no pointer that may be local or global, and no texture in a
 * struct.
 *
 * Source: Kouzinopoulos, Michaelidis and Margaritis, sections 3 and 4; a texture of states times
 * symbols ends at 65,536 states there, this one does not.
 */
#include "kernel/device_port.h"
#include "kernel/grid.h"

#if STAGE == 1
#define TABLES_ARG GLOBAL const u32 *tables
#define TABLES_GIVEN tables, local
#define FAR(word) tables[word]
#else
#define TABLES_ARG GLOBAL const u32 *tables, TEXTURE texture
#define TABLES_GIVEN tables, texture, local
#define FAR(word) PORT_TEXEL(texture, word)
#endif
#define TABLES TABLES_ARG, LOCAL u32 *local

/* The parts of a state's automaton_node; `a` is the automaton. The longest string that ends with a
 * state is HIT_OF(state), as a state, or 0; the next shorter one is HIT_OF(FAIL_OF(hit)). */
#define SYMBOL_OF(state) FAR(a->far.nodes + 4 * (state))
#define FIRST_OF(state) FAR(a->far.nodes + 4 * (state) + 1)
#define FAIL_OF(state) FAR(a->far.nodes + 4 * (state) + 2)
#define HIT_OF(state) FAR(a->far.nodes + 4 * (state) + 3)

#if CELL == 1
typedef u8 cell;
#elif CELL == 2
typedef u16 cell;
#else
typedef u32 cell;
#endif

#define GRID_MARK 0x80000000u /* beside a first child, which is below 2^30 */

/* ---- states ---------------------------------------------------------------- */

INLINE u32 grid_symbol(TABLES, const grid_automaton *a, u32 state)
{
    if (STAGE >= 3 && state < a->near_nodes)
        return local[a->near_symbols + state];
    return SYMBOL_OF(state);
}

/* Is this state worth a look: is it a string's end itself (`own`), or has it any hit? */
INLINE u32 grid_far_mark(TABLES, const grid_automaton *a, u32 state, u32 own)
{
    const u32 hit = HIT_OF(state);
    return hit != 0 && (!own || hit == state) ? GRID_MARK : 0;
}

/* First child and mark of a state. */
INLINE u32 grid_marked_first(TABLES, const grid_automaton *a, u32 state, u32 own)
{
    if (STAGE >= 3 && state < a->near_nodes)
        return local[a->near_firsts + state];
    return FIRST_OF(state) | grid_far_mark(TABLES_GIVEN, a, state, own);
}

/* First child of a state, or of the node that closes them. */
INLINE u32 grid_first(TABLES, const grid_automaton *a, u32 state)
{
    if (STAGE >= 3 && state <= a->near_nodes && a->near_nodes != 0)
        return local[a->near_firsts + state] & ~GRID_MARK;
    return FIRST_OF(state);
}

INLINE u32 grid_fail(TABLES, const grid_automaton *a, u32 state)
{
    if (STAGE >= 3 && state < a->near_nodes)
        return local[a->near_fails + state];
    return FAIL_OF(state);
}

/* All items together copy the hot part of the tables; the caller waits at a barrier. `own` as in
 * grid_far_mark; without it failure links come too. */
INLINE void grid_bring_tables(TABLES, const grid_automaton *a, u32 own)
{
    for (u32 i = PORT_LID; i < a->near_slots; i += PORT_GROUP_SIZE)
        local[GRID_FLAGS + i] = FAR(a->far.slots + 2 * i + 1);
    for (u32 i = PORT_LID; i < a->near_nodes; i += PORT_GROUP_SIZE) {
        local[a->near_symbols + i] = SYMBOL_OF(i);
        local[a->near_firsts + i] = FIRST_OF(i) | grid_far_mark(TABLES_GIVEN, a, i, own);
        if (!own)
            local[a->near_fails + i] = FAIL_OF(i);
    }
    if (PORT_LID == 0 && a->near_nodes != 0) /* the one that closes the last one's children */
        local[a->near_firsts + a->near_nodes] = FIRST_OF(a->near_nodes);
}

/* ---- steps ------------------------------------------------------------------ */

/* That of the states [low, high), children of one state, to which the symbol leads, or 0. */
INLINE u32 grid_among(TABLES, const grid_automaton *a, u32 low, u32 high, u32 symbol)
{
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        const u32 found = grid_symbol(TABLES_GIVEN, a, middle);
        if (found == symbol)
            return middle;
        if (found < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The child of the root along a symbol, or 0. Near slots hold states only: the symbol stands with
 * the state. */
INLINE u32 grid_enter(TABLES, const grid_automaton *a, u32 symbol)
{
    u32 i = (symbol * a->far.multiplier >> a->far.shift) & a->far.slot_mask;
    u32 state;
    if (STAGE >= 3 && a->near_slots != 0) {
        state = local[GRID_FLAGS + i];
        while (state != 0 && grid_symbol(TABLES_GIVEN, a, state) != symbol) {
            i = (i + 1) & a->far.slot_mask;
            state = local[GRID_FLAGS + i];
        }
        return state;
    }
    state = FAR(a->far.slots + 2 * i + 1);
    while (state != 0 && FAR(a->far.slots + 2 * i) != symbol) {
        i = (i + 1) & a->far.slot_mask;
        state = FAR(a->far.slots + 2 * i + 1);
    }
    return state;
}

INLINE u32 grid_step(TABLES, const grid_automaton *a, u32 state, u32 symbol)
{
    while (state != 0) {
        const u32 child = grid_among(TABLES_GIVEN, a, grid_first(TABLES_GIVEN, a, state),
                                     grid_first(TABLES_GIVEN, a, state + 1), symbol);
        if (child != 0)
            return child;
        state = grid_fail(TABLES_GIVEN, a, state);
    }
    return grid_enter(TABLES_GIVEN, a, symbol);
}

/* ---- text -------------------------------------------------------------------- */

/* A row of text. Columns before `near_stop` lie in local memory, column x at cell near_at + x (in
 * numbers that wrap around: the first columns are not there). */
typedef struct grid_line {
    GLOBAL const u8 *cells;
    u32 near_at, near_stop;
} grid_line;

INLINE u32 grid_read(TABLES, const grid_line *line, u32 col)
{
    if (STAGE >= 4 && col < line->near_stop)
        return ((LOCAL const cell *)local)[line->near_at + col];
    return ((GLOBAL const cell *)line->cells)[col];
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

/* Where a staged row is: `vectors` times 16 bytes from byte `from` on, rounded down to 16, were
 * brought to word `at` of local memory; `left` is the column at `from`. */
INLINE void grid_stage_line(grid_line *line, u64 from, u32 left, u32 at, u32 vectors)
{
    const u32 skew = (u32)(from & 15) / CELL;
    line->near_at = at * 4 / CELL + skew - left;
    line->near_stop = left + vectors * 16 / CELL - skew;
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

/* Does the row of a path stand at column `left` of a text `cols` wide? Its cells before column
 * `col` do; the 16 bytes that hold `col` are compared whole. Rows of text begin at multiples of
 * 4. */
INLINE u32 grid_rest(LOCAL const u32 *local, GLOBAL const grid_path *path, const grid_line *line,
                     u32 cols, u32 left, u32 col)
{
    GLOBAL const u32 *row = (GLOBAL const u32 *)(path + 1);
    const u32 bytes = path->bytes, last = (bytes - 1) / 16, stop = left + bytes / CELL;
    const u64 far = (u64)left * CELL;
    const u32 near = (line->near_at + left) * CELL;
    if (stop > cols)
        return 0;
    for (u32 i = (col - left) * CELL / 16; i <= last; i += 2) {
        const u32 second = i < last ? i + 1 : last;
        const u32 at = i < last ? 16 * i : bytes - 16;
        const u32 second_at = second < last ? 16 * second : bytes - 16;
        const u32x4 wanted = PORT_LOAD4(row + 4 * i);
        const u32x4 second_wanted = PORT_LOAD4(row + 4 * second);
        u32x4 text, second_text;
        if (stop <= line->near_stop) {
            text = grid_near_window(local, near + at);
            second_text = grid_near_window(local, near + second_at);
        } else {
            text = grid_far_window(line->cells, far + at);
            second_text = grid_far_window(line->cells, far + second_at);
        }
        if ((grid_differ(text, wanted) | grid_differ(second_text, second_wanted)) != 0)
            return 0;
    }
    return 1;
}
