/* bm.h: Boyer-Moore on a device.
 *
 * Idea: a group copies a tile of group * chars bytes, and length - 1 bytes before it, into local
 * memory (tile.h); each item then searches its own chars bytes there. A group takes `cascade`
 * tiles one after the other, a run, so that the shift tables are copied once for all of them.
 *
 * The tables are a form of the plan's that fits local memory (bm.c makes it): bad[256],
 * pattern[length] and good[length], a byte an entry. Shifts above 255 are cut to 255, which is
 * safe: a smaller shift passes over less. As bytes, the entries of all ASCII characters lie in 32
 * different banks, so lanes that look up different letters do not wait for each other.
 *
 * Invariant: an item reports the occurrences that end in its chars bytes, so each is reported
 * once. As in walk/bm.c, no occurrence ends before `last` that has not been reported.
 *
 * Cost: every byte is read once from memory, and (length - 1) / (group * chars) of them again.
 * Source: the GPU form of Boyer-Moore with algorithmic cascading, 24 bytes an item and 128 items
 * a group. A stride of 24 bytes puts lanes that stand at the same place of their parts on 16
 * banks; bm.c prefers an odd number of words, which uses all 32.
 */
#ifndef TRAWL_KERNEL_BM_H
#define TRAWL_KERNEL_BM_H

#include "kernel/device_port.h"
#include "kernel/tile.h"
#include "table/bm.h"

/* The pattern as a group sees it. */
typedef struct bm_local {
    LOCAL const u8 *bad;
    LOCAL const u8 *pattern;
    LOCAL const u8 *good;
    u32 length, period, index;
} bm_local;

/* bm_walk in local memory. `text` begins at position `base`; last and stop count from there. The
 * byte before the last one is looked at within the skip loop: few alignments pass both bytes, and
 * lanes that compare more make the others wait. */
INLINE void bm_search(const bm_local *t, LOCAL const u8 *text, u32 base, u32 last, u32 stop,
                    const sink *out)
{
    const u32 m = t->length;
    const u32 back = m > 1; /* for one byte the second look is at the last byte again */
    const u8 before = t->pattern[m - 1 - back];
    const u32 guard = t->good[m - 1 - back];
    u32 known = 0; /* bytes [0, known) of the pattern match here: Galil's rule */

    while (last < stop) {
        u32 shift = t->bad[text[last]];
        if (shift == 0 && text[last - back] != before)
            shift = guard;
        if (shift) {
            last += shift;
            known = 0;
            continue;
        }
        LOCAL const u8 *window = text + (last - (m - 1));
        u32 j = m - 1 - back;
        while (j > known && window[j - 1] == t->pattern[j - 1])
            j--;
        if (j <= known) {
            sink_put(out, base + last + 1, t->index);
            last += t->period;
            known = m - t->period;
        } else {
            const u32 place = t->bad[window[j - 1]]; /* from the pattern's end, or less */
            const u32 matched = m - j;
            shift = t->good[j - 1];
            if (place > matched && place - matched > shift)
                shift = place - matched;
            last += shift;
            known = 0;
        }
    }
}

/* `tables`: see above, each part filled up to whole words, the whole to 16 bytes (quads). */
KERNEL void bm_staged(GLOBAL const u32 *tables, u32 quads, GLOBAL const u32 *text, u32 from,
                      u32 begin, u32 end, u32 length, u32 period, u32 index, u32 folded, u32 chars,
                      u32 cascade, GLOBAL u64 *cursor, GLOBAL record *records,
                      u64 capacity LOCAL_ARG)
{
    LOCAL_MEMORY
    const u32 size = PORT_GROUP_SIZE * chars;
    const u32 tiles = (end - begin + size - 1) / size;
    const u32 runs = (tiles + cascade - 1) / cascade;
    LOCAL u32 *staged = local + 4 * quads;
    bm_local t;
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    t.bad = (LOCAL const u8 *)local;
    t.pattern = t.bad + 256;
    t.good = t.pattern + (length + 3) / 4 * 4;
    t.length = length;
    t.period = period;
    t.index = index;

    tile_load(tables, local, quads, 0);
    for (u32 run = PORT_GROUP; run < runs; run += PORT_GROUPS) {
        const u32 stop_tile = tiles - run * cascade > cascade ? (run + 1) * cascade : tiles;
        for (u32 tile = run * cascade; tile < stop_tile; tile++) {
            const u32 tile_begin = begin + tile * size;
            const u32 tile_end = end - tile_begin > size ? tile_begin + size : end;
            /* On a 16-byte boundary, as `from` is: never before it. */
            const u32 base =
                (tile_begin - from > length - 1 ? tile_begin - (length - 1) : from) & ~15u;
            PORT_BARRIER(); /* all have left the tile before */
            tile_load(text + base / 4, staged, (tile_end - base + 15) / 16, folded);
            PORT_BARRIER();
            const u32 part = PORT_LID * chars;
            if (part < tile_end - tile_begin) {
                const u32 mine = tile_begin + part;
                const u32 stop = tile_end - mine > chars ? mine + chars : tile_end;
                const u32 last = mine - from > length - 1 ? mine : from + length - 1;
                bm_search(&t, (LOCAL const u8 *)staged, base, last - base, stop - base, &out);
            }
        }
    }
}

/* Jump over text while the byte under the pattern's end is not its last byte. */
INLINE u32 bm_page_skip(GLOBAL const u32 *bad, GLOBAL const u8 *text, u32 last, u32 end)
{
    while (last < end) {
        u32 shift = bad[text[last]];
        if (shift == 0)
            break;
        last += shift;
    }
    return last;
}

INLINE void bm_page(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                  const sink *out)
{
    GLOBAL const bm_tables *t = (GLOBAL const bm_tables *)tables;
    GLOBAL const u8 *pattern = (GLOBAL const u8 *)(tables + t->pattern);
    GLOBAL const u8 *fold = (GLOBAL const u8 *)(tables + t->fold);
    GLOBAL const u32 *bad = tables + t->bad;
    GLOBAL const u32 *good = tables + t->good;
    const u32 m = t->length;
    const u32 period = t->period;
    u32 last = begin - from >= m - 1 ? begin : from + m - 1;
    u32 known = 0;

    while (last < end) {
        if (known == 0) {
            last = bm_page_skip(bad, text, last, end);
            if (last >= end)
                return;
        }
        GLOBAL const u8 *window = text + (last - (m - 1));
        u32 j = m;
        while (j > known && fold[window[j - 1]] == pattern[j - 1])
            j--;
        if (j <= known) {
            sink_put(out, last + 1, t->index);
            last += period;
            known = m - period;
        } else {
            u32 place = bad[window[j - 1]]; /* from the pattern's end */
            u32 matched = m - j;
            u32 shift = good[j - 1];
            if (place > matched && place - matched > shift)
                shift = place - matched;
            last += shift;
            known = 0;
        }
    }
}

/* One page of text an item, all in global memory: for patterns too long to stage, and for CPUs. */
KERNEL void bm_global(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                      u32 page, GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)
{
    const u32 item = PORT_ITEM;
    sink out;
    out.cursor = cursor;
    out.records = records;
    out.capacity = capacity;
    if (item < (end - begin + page - 1) / page) {
        const u32 mine = begin + item * page;
        const u32 stop = end - mine > page ? mine + page : end;
        bm_page(tables, text, from, mine, stop, &out);
    }
}

#endif
