/* hnfa.h: RunHNFA on devices: slices of text times patterns, a team of work items a pattern.
 *
 * Idea: the lower modules of a pattern are independent within a byte, so each has a work item
 * and its state lies in a register. What couples them is the upper module: after every byte it
 * collects the final bits of all modules, is closed, and hands out the initial bits. Three ways
 * of that exchange, the same results:
 *
 *   atomic   the upper module is a word in local memory; modules set their bits by atomic OR.
 *            This is the paper's baseline.
 *   relay    each module has a cell in an array of 32, one bank each (two arrays take turns). A
 * helper (the first module's item) collects the cells, closes the upper module and writes it to all
 *            cells; more than 32 modules take turns. This is the paper's proposal. It assumes a
 *            memory that copies one value to 32 banks at the price of one write; here that copy
 *            is 32 writes.
 *   ballot   one vote of a warp collects 32 final bits, in a register of every item, and every
 *            item closes the upper module for itself: no memory and no barrier for up to 32
 *            modules. Beyond, warps put their votes side by side in local memory.
 *
 * In the atomic form and beyond 32 modules each item closes the upper module up to the border
 * that it needs, from final bits that stand in local memory, rather than waiting a second time
 * for one item to do it. A pattern of one module needs no exchange, and one of more modules than
 * a group has items is walked by one item, its state in scratch memory, as on a CPU (hnfa_plain).
 *
 * Invariant: as in walk/hnfa.c, for every slice. How slices meet: carry_form.h.
 *
 * Cost: O(n) steps a pattern, each with one exchange: a vote; or one barrier; or for the relay
 * two barriers and 64 accesses of the helper for each 32 modules.
 * Source: Sasakawa and Arimura, parallel string matching on the GPU with RunHNFA (sections 3, 4).
 */
#ifndef TRAWL_KERNEL_HNFA_H
#define TRAWL_KERNEL_HNFA_H

#include "kernel/device_port.h"
#include "table/hnfa.h"

#include "kernel/carry_form.h"

#define BY_ATOMIC 0
#define BY_RELAY 1
#define BY_BALLOT 2
#define BY_BALLOTS 3

/* Words of local memory: before the tables, and of each team's exchange (kernel/hnfa.c has the
 * same numbers). The odd stride puts the teams' words on different banks. */
#define HNFA_FIXED 66u
#define HNFA_AREA(team) (6u * ((team) / 64u + 1u) + 65u)

/* Whether `mine` is not zero for any item of the group. */
INLINE u32 hnfa_any(int mine, LOCAL u32 *alive)
{
    PORT_BARRIER();
    if (PORT_LID == 0)
        *alive = 0;
    PORT_BARRIER();
    if (mine)
        PORT_LOCAL_OR(alive, 1u);
    PORT_BARRIER();
    return *alive;
}

/* Word `upto` of the upper module, closed, from the final bits of the lower modules. */
INLINE u64 hnfa_borders(LOCAL const u32 *finals, GLOBAL const u64 *masks, u32 words, u32 skips,
                      u64 border_0, u32 upto)
{
    u64 closed = 0, borrow = 0;
#pragma unroll 1
    for (u32 w = skips ? 0 : upto; w <= upto; w++) {
        const u64 bits = finals[2 * w] | (u64)finals[2 * w + 1] << 32;
        closed = bits << 1 | (w ? finals[2 * w - 1] >> 31 : border_0);
        if (skips) {
            const u64 z = closed | masks[words + w];
            const u64 less = z - masks[w];
            const u64 lent = less - borrow;
            borrow = (u64)((z < masks[w]) | (less < borrow));
            closed |= masks[2 * words + w] & ~(lent ^ z);
        }
    }
    return closed;
}

#define HNFA_KERNEL hnfa_atomic
#define HNFA_EXCHANGE BY_ATOMIC
#include "kernel/hnfa_form.h"

#define HNFA_KERNEL hnfa_relay
#define HNFA_EXCHANGE BY_RELAY
#include "kernel/hnfa_form.h"

#if PORT_HAS_BALLOT
#define HNFA_KERNEL hnfa_ballot
#define HNFA_EXCHANGE BY_BALLOT
#include "kernel/hnfa_form.h"

#define HNFA_KERNEL hnfa_ballots
#define HNFA_EXCHANGE BY_BALLOTS
#include "kernel/hnfa_form.h"
#endif

/* ---- patterns of one module: extended SHIFT-AND, a group a pattern --------- */

#define WORD_RUN hnfa_one_run
#define WORD_FEATURES (SHIFTAND_REPEATS | SHIFTAND_SKIPS)
#define WORD_SPACE LOCAL
#define WORD_ENTRY(byte) (byte)
#include "kernel/word_form.h"

KERNEL void hnfa_one(GLOBAL const u32 *tables, GLOBAL const u8 *text, GLOBAL const u32 *list,
                     u32 first, u32 count, CUT_PARAMETERS, GLOBAL u64 *cursor,
                     GLOBAL record *records, u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const hnfa_pattern *p =
        (GLOBAL const hnfa_pattern *)(tables + t->patterns) + list[first + PORT_GROUP % count];
    GLOBAL const hnfa_module *module = (GLOBAL const hnfa_module *)(tables + p->module);
    GLOBAL const u8 *classes = (GLOBAL const u8 *)(tables + t->map);
    const cut c = CUT_MEMBERS;
    const sink out = { cursor, records, capacity };
    const u32 chunk = PORT_GROUP / count * PORT_GROUP_SIZE + PORT_LID;
    const u32 w = p->lower_state;
    LOCAL u64 *staged = (LOCAL u64 *)local;
    for (u32 i = PORT_LID; i < 256; i += PORT_GROUP_SIZE) {
        staged[i] = ((GLOBAL const u64 *)(tables + p->move))[classes[i]];
        staged[256 + i] = ((GLOBAL const u64 *)(tables + p->repeat))[classes[i]];
    }
    PORT_BARRIER();
    LOCAL const u64 *move = staged, *repeat = staged + 256;
    LOCAL const u8 *map = (LOCAL const u8 *)local; /* not used: tables are by byte */
    /* A match begins with the first position or, the leading ones skipped, behind them. */
    const u64 init = module->lead << 1 | 1;
    const u64 last = module->top, ebeg = module->ebeg, eend = module->eend, eblk = module->eblk;
#define WORD_INITIAL init
#define WORD_HERE(s, initial, at, begin, stop)                                                     \
    hnfa_one_run(s, initial, last, ebeg, eend, eblk, move, repeat, map, 0, &p->index, 0, text, at, \
                 begin, stop, &out)
#include "kernel/slices_form.h"
#undef WORD_INITIAL
#undef WORD_HERE
    /* The upper module of such a pattern is a word that stays zero. */
    if (c.mode == CUT_FIRST && chunk < c.slices)
        for (u32 m = 0; m < c.marks; m++)
            cut_mark(&c, chunk, m)[w + 1] = 0;
}

/* ---- one item a pattern and slice ------------------------------------------ */

/* As hnfa_run, but matches begin only where they should. */
INLINE void hnfa_modules(GLOBAL const u32 *tables, GLOBAL const hnfa_pattern *p, GLOBAL u64 *state,
                       u64 border_0, GLOBAL const u8 *text, u32 at, u32 begin, u32 stop,
                       const sink *out)
{
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const hnfa_module *modules = (GLOBAL const hnfa_module *)(tables + p->module);
    GLOBAL const u64 *moves = (GLOBAL const u64 *)(tables + p->move);
    GLOBAL const u64 *repeats = (GLOBAL const u64 *)(tables + p->repeat);
    GLOBAL const u64 *masks = (GLOBAL const u64 *)(tables + p->upper);
    const u32 k = p->modules;
    GLOBAL u64 *lower = state + p->lower_state;
    GLOBAL u64 *upper = lower + k;
    upper[0] |= border_0;
    if (p->skips)
        hnfa_close_upper(masks, k / 64 + 1, upper);
    for (u32 i = at; i < stop; i++) {
        const size_t row = (size_t)map[text[i]] * k;
        /* From the last module to the first: bit j + 1 is written after it was read. */
        for (u32 j = k; j-- > 0;) {
            const u64 initial = upper[j / 64] >> (j % 64) & 1;
            u64 s = lower[j];
            if (s | initial) {
                s = hnfa_lower(modules + j, s, initial, moves[row + j], repeats[row + j]);
                lower[j] = s;
            }
            const u64 bit = (u64)1 << ((j + 1) % 64);
            const u64 rest = upper[(j + 1) / 64] & ~bit;
            upper[(j + 1) / 64] = s & modules[j].top ? rest | bit : rest;
        }
        if (p->skips)
            hnfa_close_upper(masks, k / 64 + 1, upper);
        if (PORT_UNLIKELY(upper[k / 64] >> (k % 64) & 1) && i >= begin)
            sink_put(out, i + 1, p->index);
    }
}

KERNEL void hnfa_plain(GLOBAL const u32 *tables, GLOBAL const u8 *text, GLOBAL const u32 *list,
                       u32 first, u32 count, CUT_PARAMETERS, GLOBAL u64 *cursor,
                       GLOBAL record *records, u64 capacity)
{
    GLOBAL const hnfa_tables *t = (GLOBAL const hnfa_tables *)tables;
    GLOBAL const hnfa_pattern *p =
        (GLOBAL const hnfa_pattern *)(tables + t->patterns) + list[first + PORT_ITEM % count];
    const cut c = CUT_MEMBERS;
    const sink out = { cursor, records, capacity };
    const u32 chunk = PORT_ITEM / count;
    const u32 low = p->lower_state, high = low + p->modules + p->modules / 64 + 1;
#define ROWS_RUN(row, at, begin, stop)                                                             \
    hnfa_modules(tables, p, row, c.mode != CUT_NEWS, text, at, begin, stop, &out)
#include "kernel/rows_form.h"
#undef ROWS_RUN
}

#endif
