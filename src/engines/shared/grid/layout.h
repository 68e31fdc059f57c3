/* layout.h: what both two-dimensional walks use: cells, and an Aho-Corasick automaton over 32-bit
 * symbols.
 *
 * The symbols are cells (then the strings are needle rows) or the numbers of rows (then the
 * strings are needles). With up to 2^32 symbols and a state for every needle cell, a table
 * of states times symbols is out of the question. So a state has only its children, sorted by
 * symbol, and a failure link. The root, where a scan spends most of its time, also has a hash table
 * of its children.
 *
 * Invariant: states are numbered breadth first. The children of a state are neighbours and
 * end where those of the next state begin; failure links and hits lead to smaller numbers,
 * so following them always ends.
 *
 * Cost: amortised two steps a symbol, a step being one look into the hash table at the root
 * and a binary search among the children elsewhere (most states have one).
 * Source: Aho and Corasick 1975.
 */
#ifndef TRAWL_ENGINES_SHARED_GRID_LAYOUT_H
#define TRAWL_ENGINES_SHARED_GRID_LAYOUT_H

#include "base/port.h"

typedef struct automaton_node {
    u32 symbol; /* on the edge from the parent */
    u32 first;  /* the first child; the last one comes before the next node's first */
    u32 fail;   /* the longest proper suffix that is a state */
    u32 hit;    /* the longest suffix (the state itself included) that is a string, or 0 */
} automaton_node;

typedef struct automaton_slot {
    u32 symbol;
    u32 state; /* 0: empty */
} automaton_slot;

/* As stored; offsets in words. */
typedef struct automaton_tables {
    u32 states;
    u32 nodes;      /* automaton_node[states + 1]; the last one only closes the children */
    u32 ends;       /* u32[states]: the number of the string that ends here, if `hit` is the state
                       itself */
    u32 slots;      /* automaton_slot[slot_mask + 1], at least one of them is empty */
    u32 slot_mask;  /* a power of two less 1 */
    u32 multiplier; /* slot of a symbol: (symbol * multiplier) >> shift, then the next ones */
    u32 shift;
    u32 strings;
    u32 lengths; /* u32[strings] */
} automaton_tables;

/* If symbols are bytes and few: the next state by state and class of byte, for loops on CPUs. A
 * state there is its number times 2^shift, with DENSE_HIT where a string ends. */
typedef struct automaton_dense {
    u32 symbols; /* classes, 2^shift at most; 0: there is no such table */
    u32 shift;
    u32 classes; /* u8[256], word offset: the class of each byte; 0: it is in no string */
    u32 bytes;   /* u32[symbols], word offset: the byte of each class but 0 */
    u32 next;    /* u32[states << shift], word offset */
} automaton_dense;

#define DENSE_HIT 0x80000000u

SHARED_SIZE(automaton_dense, 20);
SHARED_SIZE(automaton_node, 16);
SHARED_SIZE(automaton_slot, 8);
SHARED_SIZE(automaton_tables, 36);

/* The same with pointers, for walks. */
typedef struct automaton {
    GLOBAL const automaton_node *nodes;
    GLOBAL const u32 *ends;
    GLOBAL const automaton_slot *slots;
    GLOBAL const u32 *lengths;
    u32 slot_mask, multiplier, shift;
} automaton;

/* The child of a state along a symbol, or 0. */
INLINE u32 automaton_child(GLOBAL const automaton_node *nodes, u32 state, u32 symbol)
{
    u32 low = nodes[state].first;
    u32 high = nodes[state + 1].first;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        u32 found = nodes[middle].symbol;
        if (found == symbol)
            return middle;
        if (found < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The cell of `size` bytes at `p`, of which no other byte is read: a cell of 3 may be the last in
 * memory. It is a macro, since `p` may point into any address space, SPACE. */
#define GRID_CELL(SPACE, p, size)                                                                  \
    ((size) == 1   ? (p)[0]                                                                        \
     : (size) == 2 ? *(SPACE const u16 *)(p)                                                       \
     : (size) == 3 ? (u32)((p)[0] | (p)[1] << 8) | (u32)(p)[2] << 16                               \
                   : *(SPACE const u32 *)(p))

/* Cell `col` of a row. Call it with a constant size, so that no loop tests it. */
INLINE u32 grid_cell(GLOBAL const u8 *row, u32 cell_size, u32 col)
{
    GLOBAL const u8 *p = row + (u64)col * cell_size;
    return GRID_CELL(GLOBAL, p, cell_size);
}

/* Eight bytes as one number: compilers make a single load of it. */
INLINE u64 grid_word(GLOBAL const u8 *p)
{
    return (u64)p[0] | (u64)p[1] << 8 | (u64)p[2] << 16 | (u64)p[3] << 24 | (u64)p[4] << 32 |
           (u64)p[5] << 40 | (u64)p[6] << 48 | (u64)p[7] << 56;
}

/* Are `count` bytes equal? Four words are loaded before the first of them is waited for. */
INLINE int grid_equal(GLOBAL const u8 *a, GLOBAL const u8 *b, u32 count)
{
    u32 i = 0;
    for (; count - i >= 32; i += 32) {
        u64 differ = grid_word(a + i) ^ grid_word(b + i);
        differ |= grid_word(a + i + 8) ^ grid_word(b + i + 8);
        differ |= grid_word(a + i + 16) ^ grid_word(b + i + 16);
        differ |= grid_word(a + i + 24) ^ grid_word(b + i + 24);
        if (differ != 0)
            return 0;
    }
    for (; count - i >= 8; i += 8)
        if (grid_word(a + i) != grid_word(b + i))
            return 0;
    if (i != 0) /* the last eight, some of them a second time */
        return grid_word(a + (count - 8)) == grid_word(b + (count - 8));
    while (i < count && a[i] == b[i])
        i++;
    return i == count;
}

#endif
