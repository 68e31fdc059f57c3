/* automaton.h: one step of the automaton of layout.h on a CPU, and the cells that it steps by,
 * for the walks of both grid engines.
 */
#ifndef TRAWL_ENGINES_SHARED_GRID_AUTOMATON_H
#define TRAWL_ENGINES_SHARED_GRID_AUTOMATON_H

#include <stdbool.h>
#include <string.h>

#include "engines/shared/grid/layout.h"

static inline void automaton_open(automaton *a, const u32 *tables, const automaton_tables *stored)
{
    a->nodes = (const automaton_node *)(tables + stored->nodes);
    a->ends = tables + stored->ends;
    a->slots = (const automaton_slot *)(tables + stored->slots);
    a->lengths = tables + stored->lengths;
    a->slot_mask = stored->slot_mask;
    a->multiplier = stored->multiplier;
    a->shift = stored->shift;
}

/* grid_cell for a loop over a row: one load reads a cell of 3 bytes, with the byte before it. */
static inline u32 automaton_symbol(const u8 *row, u32 cell_size, u32 col)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (cell_size == 3 && PORT_LIKELY(col != 0)) {
        u32 word;
        memcpy(&word, row + (u64)col * 3 - 1, sizeof word);
        return word >> 8;
    }
#endif
    return grid_cell(row, cell_size, col);
}

/* The child of the root along a symbol, or 0. `sparse`, a constant, says that most symbols have
 * none. */
static inline u32 automaton_enter(const automaton *a, u32 symbol, bool sparse)
{
    u32 i = (symbol * a->multiplier >> a->shift) & a->slot_mask;
    while ((sparse ? PORT_UNLIKELY(a->slots[i].state != 0) : a->slots[i].state != 0) &&
           a->slots[i].symbol != symbol)
        i = (i + 1) & a->slot_mask;
    return a->slots[i].state;
}

static inline u32 automaton_step(const automaton *a, u32 state, u32 symbol, bool sparse)
{
    while (state != 0) {
        u32 child = automaton_child(a->nodes, state, symbol);
        if (child != 0)
            return child;
        state = a->nodes[state].fail;
    }
    return automaton_enter(a, symbol, sparse);
}

/* The next shorter string that ends where string state `hit` does, or 0. */
static inline u32 automaton_next_hit(const automaton *a, u32 hit)
{
    return a->nodes[a->nodes[hit].fail].hit;
}

#endif
