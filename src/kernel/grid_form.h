/* grid_form.h: the steps of an automaton for one stage (see grid_port.h).
 *
 * GRID_STAGE is the stage; the names get it as a suffix. What a function reads tables from are
 * its first parameters, GRID_SOURCE, which its caller hands on as GRID_GIVEN: OpenCL C 1.2 knows
 * no pointer that may be local or global, and no texture in a struct. Not guarded: included
 * once for each stage.
 */
#undef FORM
#undef FORM_OF
#undef FORM_PASTE
#undef GRID_SOURCE
#undef GRID_GIVEN
#undef GRID_FAR
#undef GRID_TEXTURE_ARG
#undef GRID_LOCAL_ARG
#undef GRID_LOCAL_MEMORY
#undef GRID_PATHS_ARG

#define FORM_PASTE(name, stage) name##_stage##stage
#define FORM_OF(name, stage) FORM_PASTE(name, stage)
#define FORM(name) FORM_OF(name, GRID_STAGE)

/* A word of the tables; a kernel's parameters. */
#if GRID_STAGE == 1
#define GRID_SOURCE GLOBAL const u32 *tables
#define GRID_GIVEN tables
#define GRID_FAR(word) (tables[word])
#define GRID_TEXTURE_ARG
#define GRID_LOCAL_ARG
#define GRID_LOCAL_MEMORY
#elif GRID_STAGE == 2
#define GRID_SOURCE TEXTURE texture
#define GRID_GIVEN texture
#define GRID_FAR(word) PORT_TEXEL(texture, word)
#define GRID_TEXTURE_ARG TEXTURE texture,
#define GRID_LOCAL_ARG
#define GRID_LOCAL_MEMORY
#else
#define GRID_SOURCE TEXTURE texture, LOCAL u32 *local
#define GRID_GIVEN texture, local
#define GRID_FAR(word) PORT_TEXEL(texture, word)
#define GRID_TEXTURE_ARG TEXTURE texture,
#define GRID_LOCAL_ARG LOCAL_ARG
#define GRID_LOCAL_MEMORY LOCAL_MEMORY
#endif

#if GRID_STAGE >= 4
#define GRID_PATHS_ARG GLOBAL const u32 *paths,
#else
#define GRID_PATHS_ARG
#endif

/* ---- states ---------------------------------------------------------------- */

INLINE u32 FORM(grid_symbol)(GRID_SOURCE, const grid_automaton *a, u32 state)
{
#if GRID_STAGE >= 3
    if (state < a->near_nodes)
        return local[a->near_symbols + state];
#endif
    return GRID_FAR(a->nodes + 4 * state);
}

/* The longest string that ends with this state, as a state, or 0. */
INLINE u32 FORM(grid_hit)(GRID_SOURCE, const grid_automaton *a, u32 state)
{
    return GRID_FAR(a->nodes + 4 * state + 3);
}

/* Is this state worth a look: is it a string's end itself (`own`), or has it any hit? */
INLINE u32 FORM(grid_far_mark)(GRID_SOURCE, const grid_automaton *a, u32 state, u32 own)
{
    const u32 hit = FORM(grid_hit)(GRID_GIVEN, a, state);
    return hit != 0 && (!own || hit == state) ? GRID_MARK : 0;
}

/* First child and mark of a state. */
INLINE u32 FORM(grid_marked_first)(GRID_SOURCE, const grid_automaton *a, u32 state, u32 own)
{
#if GRID_STAGE >= 3
    if (state < a->near_nodes)
        return local[a->near_firsts + state];
#endif
    return GRID_FAR(a->nodes + 4 * state + 1) | FORM(grid_far_mark)(GRID_GIVEN, a, state, own);
}

/* First child of a state, or of the node that closes them. */
INLINE u32 FORM(grid_first)(GRID_SOURCE, const grid_automaton *a, u32 state)
{
#if GRID_STAGE >= 3
    if (state <= a->near_nodes && a->near_nodes != 0)
        return local[a->near_firsts + state] & ~GRID_MARK;
#endif
    return GRID_FAR(a->nodes + 4 * state + 1);
}

INLINE u32 FORM(grid_fail)(GRID_SOURCE, const grid_automaton *a, u32 state)
{
#if GRID_STAGE >= 3
    if (state < a->near_nodes)
        return local[a->near_fails + state];
#endif
    return GRID_FAR(a->nodes + 4 * state + 2);
}

/* The next shorter string that ends where string state `hit` does, or 0. */
INLINE u32 FORM(grid_next_hit)(GRID_SOURCE, const grid_automaton *a, u32 hit)
{
    return FORM(grid_hit)(GRID_GIVEN, a, GRID_FAR(a->nodes + 4 * hit + 2));
}

/* ---- steps ------------------------------------------------------------------ */

/* That of the states [low, high), children of one state, to which the symbol leads, or 0. */
INLINE u32 FORM(grid_among)(GRID_SOURCE, const grid_automaton *a, u32 low, u32 high, u32 symbol)
{
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        const u32 found = FORM(grid_symbol)(GRID_GIVEN, a, middle);
        if (found == symbol)
            return middle;
        if (found < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The child of the root along a symbol, or 0. Near slots hold states only: the symbol stands
 * with the state. */
INLINE u32 FORM(grid_enter)(GRID_SOURCE, const grid_automaton *a, u32 symbol)
{
    u32 i = (symbol * a->multiplier >> a->shift) & a->slot_mask;
    u32 state;
#if GRID_STAGE >= 3
    if (a->near_slots != 0) {
        state = local[GRID_NEAR + i];
        while (state != 0 && FORM(grid_symbol)(GRID_GIVEN, a, state) != symbol) {
            i = (i + 1) & a->slot_mask;
            state = local[GRID_NEAR + i];
        }
        return state;
    }
#endif
    state = GRID_FAR(a->slots + 2 * i + 1);
    while (state != 0 && GRID_FAR(a->slots + 2 * i) != symbol) {
        i = (i + 1) & a->slot_mask;
        state = GRID_FAR(a->slots + 2 * i + 1);
    }
    return state;
}

INLINE u32 FORM(grid_step)(GRID_SOURCE, const grid_automaton *a, u32 state, u32 symbol)
{
    while (state != 0) {
        const u32 child = FORM(grid_among)(GRID_GIVEN, a, FORM(grid_first)(GRID_GIVEN, a, state),
                                           FORM(grid_first)(GRID_GIVEN, a, state + 1), symbol);
        if (child != 0)
            return child;
        state = FORM(grid_fail)(GRID_GIVEN, a, state);
    }
    return FORM(grid_enter)(GRID_GIVEN, a, symbol);
}

/* ---- text -------------------------------------------------------------------- */

INLINE u32 FORM(grid_read)(GRID_SOURCE, const grid_line *line, u32 cell_size, u32 col)
{
#if GRID_STAGE >= 4
    if (col < line->near_stop)
        return grid_near_cell(local, cell_size, line->near_at + col * cell_size);
#endif
    return grid_cell(line->cells, cell_size, col);
}

#if GRID_STAGE >= 4
/* Does a row as grid_paths.c describes it stand at column `left`? Its cells before column `col`
 * do; the vector that holds `col` is compared whole. Rows of text begin at multiples of 4. */
INLINE u32 FORM(grid_rest)(GRID_SOURCE, GLOBAL const u32 *row, const grid_line *line, u32 cell_size,
                           u32 cols, u32 left, u32 col)
{
    const u32x4 about = PORT_LOAD4(row);
    const u32 bytes = about.y, last = about.z - 1, stop = left + bytes / cell_size;
    const u64 far = (u64)left * cell_size;
    const u32 near = line->near_at + left * cell_size;
    if (stop > cols)
        return 0;
    for (u32 i = (col - left) * cell_size / 16; i <= last; i += 2) {
        const u32 second = i < last ? i + 1 : last;
        const u32 at = i < last ? 16 * i : bytes - 16;
        const u32 second_at = second < last ? 16 * second : bytes - 16;
        const u32x4 wanted = PORT_LOAD4(row + 4 + 4 * i);
        const u32x4 second_wanted = PORT_LOAD4(row + 4 + 4 * second);
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
#endif

/* ---- near tables --------------------------------------------------------------- */

#if GRID_STAGE >= 3
/* All items together copy the hot part of the tables; the caller waits at a barrier. `own` as
 * in grid_far_mark; without it failure links come too. */
INLINE void FORM(grid_bring_tables)(GRID_SOURCE, const grid_automaton *a, u32 own)
{
    const u32 item = PORT_LID, items = PORT_GROUP_SIZE;
    for (u32 i = item; i < a->near_slots; i += items)
        local[GRID_NEAR + i] = GRID_FAR(a->slots + 2 * i + 1);
    for (u32 i = item; i < a->near_nodes; i += items) {
        const u32 node = a->nodes + 4 * i;
        local[a->near_symbols + i] = GRID_FAR(node);
        local[a->near_firsts + i] = GRID_FAR(node + 1) | FORM(grid_far_mark)(GRID_GIVEN, a, i, own);
        if (!own)
            local[a->near_fails + i] = GRID_FAR(node + 2);
    }
    if (item == 0 && a->near_nodes != 0) /* the one that closes the last one's children */
        local[a->near_firsts + a->near_nodes] = GRID_FAR(a->nodes + 4 * a->near_nodes + 1);
}
#endif
