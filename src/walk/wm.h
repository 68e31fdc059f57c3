/* wm.h: Wu-Manber for many literals.
 *
 * Idea: look at the last block of B bytes of a window as long as the shortest pattern.
 * SHIFT says how far the window may move before any pattern could end there; when it says
 * 0, HASH lists the patterns whose first m bytes end in that block, PREFIX drops those that
 * begin otherwise, and a full comparison settles the rest.
 *
 * Invariant: every occurrence whose window ends before `last` has been reported.
 *
 * Patterns shorter than B cannot fill a block. They stand in a table by their first byte,
 * and a second loop over the slice finds them; it runs only when there are any.
 *
 * Cost: about n / (m - B + 1) windows on ordinary text, O(n * m * candidates) at worst.
 * Source: Wu and Manber 1994; tables as in Ma, Wang and Yang, Wu-Manber on CUDA.
 */
#ifndef TRAWL_WALK_WM_H
#define TRAWL_WALK_WM_H

#include "walk/literal.h"

#define WM_BLOCKS 65536u /* entries of SHIFT and lists of HASH */
#define WM_MAX_SHIFT 255u
#define WM_SHORT_ANY 0x100u /* a short pattern of one byte: any second byte will do */

typedef struct wm_tables {
    u32 block;         /* B: 2 or 3 */
    u32 window;        /* m: the shortest pattern of at least B bytes, 0 when there is none */
    u32 shift;         /* u8[WM_BLOCKS]: at most WM_MAX_SHIFT, which is safe, word offset */
    u32 hash;          /* u32[WM_BLOCKS + 1]: first candidate of each block, word offset */
    u32 members;       /* wm_member[hash[WM_BLOCKS]], word offset */
    u32 shorts;        /* u32[257]: first short pattern of each (folded) first byte, word offset */
    u32 short_members; /* wm_member[shorts[256]]; prefix: second byte or WM_SHORT_ANY */
    u32 short_count;
    u32 folded; /* 1: the text is compared in lower case, so that it must be folded first */
    u32 unused;
    literal_tables literals;
} wm_tables;

typedef struct wm_member {
    u32 prefix; /* the pattern's first two bytes */
    u32 index;
} wm_member;

/* The number of a block. B = 3 mixes three bytes into 16 bits. */
WALK u32 wm_block_number(u32 block, u8 first, u8 second, u8 third)
{
    if (block == 2)
        return (u32)second | (u32)third << 8;
    return ((u32)third + ((u32)second << 5) + ((u32)first << 10)) & (WM_BLOCKS - 1);
}

/* All patterns whose window ends with the block at text[last]. */
WALK void wm_candidates(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 start, u32 number,
                        u32 begin, u32 end, const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    GLOBAL const wm_member *members = (GLOBAL const wm_member *)(tables + t->members);
    GLOBAL const u8 *fold = (GLOBAL const u8 *)(tables + t->literals.fold);
    u32 i = tables[t->hash + number];
    u32 stop = tables[t->hash + number + 1];
    u32 prefix = (u32)fold[text[start]] | (u32)fold[text[start + 1]] << 8;
    for (; i < stop; i++) {
        if (members[i].prefix != prefix)
            continue;
        u32 index = members[i].index;
        u32 length = literal_length(tables, t->literals.entries, index);
        if (length <= end - start && start + length > begin &&
            literal_equal(tables, t->literals.entries, t->literals.bytes, index, text, start))
            sink_put(out, start + length, index);
    }
}

WALK void wm_shorts(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                    const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    GLOBAL const wm_member *members = (GLOBAL const wm_member *)(tables + t->short_members);
    GLOBAL const u8 *fold = (GLOBAL const u8 *)(tables + t->literals.fold);
    GLOBAL const u32 *lists = tables + t->shorts;
    u32 start = begin > from ? begin - 1 : begin;
    for (; start < end; start++) {
        u32 byte = fold[text[start]];
        u32 i = lists[byte];
        u32 stop = lists[byte + 1];
        for (; i < stop; i++) {
            u32 length = members[i].prefix == WM_SHORT_ANY ? 1 : 2;
            u32 index = members[i].index;
            if (length <= end - start && start + length > begin &&
                (length == 1 || fold[text[start + 1]] == members[i].prefix) &&
                literal_equal(tables, t->literals.entries, t->literals.bytes, index, text, start))
                sink_put(out, start + length, index);
        }
    }
}

/* `block` and `folded` are constants at each call, so that the loop is compiled for each. */
WALK void wm_windows(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                     u32 block, u32 folded, const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    GLOBAL const u8 *shifts = (GLOBAL const u8 *)(tables + t->shift);
    GLOBAL const u8 *fold = (GLOBAL const u8 *)(tables + t->literals.fold);
    const u32 m = t->window;
    u32 last = from + m - 1;
    while (last < end) {
        u8 first = block == 3 ? text[last - 2] : (u8)0;
        u8 second = text[last - 1];
        u8 third = text[last];
        u32 number = folded ? wm_block_number(block, fold[first], fold[second], fold[third])
                            : wm_block_number(block, first, second, third);
        u32 shift = shifts[number];
        if (PORT_UNLIKELY(shift == 0)) {
            wm_candidates(tables, text, last - (m - 1), number, begin, end, out);
            shift = 1;
        }
        last += shift;
    }
}

WALK void wm_walk(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                  GLOBAL u64 *state, const sink *out)
{
    GLOBAL const wm_tables *t = (GLOBAL const wm_tables *)tables;
    (void)state;
    if (t->short_count)
        wm_shorts(tables, text, from, begin, end, out);
    if (!t->window)
        return;
    if (t->block == 2 && t->folded)
        wm_windows(tables, text, from, begin, end, 2, 1, out);
    else if (t->block == 2)
        wm_windows(tables, text, from, begin, end, 2, 0, out);
    else if (t->folded)
        wm_windows(tables, text, from, begin, end, 3, 1, out);
    else
        wm_windows(tables, text, from, begin, end, 3, 0, out);
}

#endif
