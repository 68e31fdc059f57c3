/* hnfa.h: RunHNFA, extended SHIFT-AND for patterns of any length as a hierarchy.
 *
 * Idea: a pattern of m positions is cut into k = ceil(m / 64) lower modules of one word
 * each, which know nothing of one another. An upper module has one bit a border: bit j says
 * that module j may begin, bit k that the pattern has ended. For each byte: upper to lower
 * (initial bits), a step of every lower module, lower to upper (final bits), closure of the
 * upper module, in which a module of optional positions only is skipped as a whole.
 *
 * Invariant: after each byte, lower module j holds the positions reachable within it and
 * upper bit j says whether all before it has been matched; both closed under skipping.
 *
 * Cost: O(n * k) a pattern at worst; a module with no state and no initial bit is passed
 * over. The modules are independent within a byte, which is what devices use.
 * Source: Sasakawa and Arimura, RunHNFA (algorithms 1 to 5).
 */
#ifndef TRAWL_WALK_HNFA_H
#define TRAWL_WALK_HNFA_H

#include "walk/shiftand.h"

typedef struct hnfa_module {
    u64 lead; /* the run of optional positions that the module begins with */
    u64 top;  /* its last position */
    u64 ebeg, eend, eblk;
} hnfa_module;

typedef struct hnfa_pattern {
    u32 index;
    u32 modules;     /* k */
    u32 module;      /* hnfa_module[k], word offset */
    u32 move;        /* u64[C][k]: Ch, word offset */
    u32 repeat;      /* u64[C][k]: Rep, word offset */
    u32 upper;       /* u64[3][k / 64 + 1]: Ebeg, Eend, Eblk of the upper module, word offset */
    u32 lower_state; /* first word of state: k words, then k / 64 + 1 of the upper module */
    u32 skips;       /* 1: some module can be skipped as a whole */
} hnfa_pattern;

typedef struct hnfa_tables {
    u32 classes;
    u32 map;      /* u8[256], word offset */
    u32 count;    /* patterns */
    u32 patterns; /* hnfa_pattern[count], word offset */
} hnfa_tables;

/* RunExShiftAnd: one byte of one lower module. */
WALK u64 hnfa_lower(GLOBAL const hnfa_module *m, u64 s, u64 initial, u64 move, u64 repeat)
{
    if (initial)
        s |= m->lead;
    s = (((s << 1) | initial) & move) | (s & repeat);
    return shiftand_close(s, m->ebeg, m->eend, m->eblk);
}

/* EpsClo of the upper module: the subtraction borrows from word to word. */
WALK void hnfa_close_upper(GLOBAL const u64 *masks, u32 words, GLOBAL u64 *upper)
{
    u64 borrow = 0;
    for (u32 w = 0; w < words; w++) {
        u64 z = upper[w] | masks[words + w];
        u64 less = z - masks[w];
        u64 lent = less - borrow;
        borrow = (u64)((z < masks[w]) | (less < borrow));
        upper[w] |= masks[2 * words + w] & ~(lent ^ z);
    }
}

WALK void hnfa_run(GLOBAL const u32 *tables, GLOBAL const hnfa_pattern *p, GLOBAL const u8 *text,
                   u32 from, u32 begin, u32 end, GLOBAL u64 *state, const sink *out)
{
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const hnfa_module *modules = (GLOBAL const hnfa_module *)(tables + p->module);
    GLOBAL const u64 *moves = (GLOBAL const u64 *)(tables + p->move);
    GLOBAL const u64 *repeats = (GLOBAL const u64 *)(tables + p->repeat);
    const u32 k = p->modules;
    GLOBAL u64 *lower = state + p->lower_state;
    GLOBAL u64 *upper = lower + k;
    upper[0] |= 1;
    if (p->skips)
        hnfa_close_upper((GLOBAL const u64 *)(tables + p->upper), k / 64 + 1, upper);
    for (u32 i = from; i < end; i++) {
        size_t row = (size_t)map[text[i]] * k;
        /* From the last module to the first: bit j + 1 is written after it was read. */
        for (u32 j = k; j-- > 0;) {
            u64 initial = upper[j / 64] >> (j % 64) & 1;
            u64 s = lower[j];
            if (s | initial) {
                s = hnfa_lower(modules + j, s, initial, moves[row + j], repeats[row + j]);
                lower[j] = s;
            }
            u64 bit = (u64)1 << ((j + 1) % 64);
            u64 rest = upper[(j + 1) / 64] & ~bit;
            upper[(j + 1) / 64] = s & modules[j].top ? rest | bit : rest;
        }
        if (p->skips)
            hnfa_close_upper((GLOBAL const u64 *)(tables + p->upper), k / 64 + 1, upper);
        if (PORT_UNLIKELY(upper[k / 64] >> (k % 64) & 1) && i >= begin)
            sink_put(out, i + 1, p->index);
    }
}

/* A pattern of one module: the upper module is one initial bit, always set. */
WALK void hnfa_run_one(GLOBAL const u32 *tables, GLOBAL const hnfa_pattern *p,
                       GLOBAL const u8 *text, u32 from, u32 begin, u32 end, GLOBAL u64 *state,
                       const sink *out)
{
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const hnfa_module *m = (GLOBAL const hnfa_module *)(tables + p->module);
    GLOBAL const u64 *moves = (GLOBAL const u64 *)(tables + p->move);
    GLOBAL const u64 *repeats = (GLOBAL const u64 *)(tables + p->repeat);
    u64 s = state[p->lower_state];
    for (u32 i = from; i < end; i++) {
        u32 c = map[text[i]];
        s = hnfa_lower(m, s, 1, moves[c], repeats[c]);
        if (PORT_UNLIKELY(s & m->top) && i >= begin)
            sink_put(out, i + 1, p->index);
    }
    state[p->lower_state] = s;
}

WALK void hnfa_walk(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                    GLOBAL u64 *state, const sink *out)
{
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const hnfa_pattern *patterns = (GLOBAL const hnfa_pattern *)(tables + t->patterns);
    for (u32 p = 0; p < t->count; p++) {
        if (patterns[p].modules == 1)
            hnfa_run_one(tables, patterns + p, text, from, begin, end, state, out);
        else
            hnfa_run(tables, patterns + p, text, from, begin, end, state, out);
    }
}

#endif
