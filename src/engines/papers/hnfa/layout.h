/* layout.h: tables of RunHNFA, and one step of a module.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_PAPERS_HNFA_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_HNFA_LAYOUT_H

#include "engines/classes/shiftand/layout.h"

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
    u32 lower_state; /* the first word of state: k words, then k / 64 + 1 of the upper module */
    u32 skips;       /* 1: some module can be skipped as a whole */
} hnfa_pattern;

typedef struct hnfa_tables {
    u32 classes;
    u32 map;      /* u8[256], word offset */
    u32 count;    /* patterns */
    u32 patterns; /* hnfa_pattern[count], word offset */
} hnfa_tables;

SHARED_SIZE(hnfa_module, 40);
SHARED_SIZE(hnfa_pattern, 32);
SHARED_SIZE(hnfa_tables, 16);

/* RunExShiftAnd: one byte of one lower module. */
INLINE u64 hnfa_lower(GLOBAL const hnfa_module *m, u64 s, u64 initial, u64 move, u64 repeat)
{
    if (initial)
        s |= m->lead;
    s = (((s << 1) | initial) & move) | (s & repeat);
    return shiftand_close(s, m->ebeg, m->eend, m->eblk);
}

/* EpsClo of the upper module: the subtraction borrows from word to word. */
INLINE void hnfa_close_upper(GLOBAL const u64 *masks, u32 words, GLOBAL u64 *upper)
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

#endif
