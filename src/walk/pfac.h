/* pfac.h: the parallel failureless form of Aho-Corasick.
 *
 * Idea: start anew at every text position and walk the trie until no transition is left.
 * There are no failure links, so the starts are independent: on a device each is a thread.
 *
 * Invariant: a start reports exactly the patterns that begin there; a state lists only the
 * patterns that are its own string.
 *
 * Cost: O(n * longest match prefix); most starts end after one or two bytes.
 * Source: Lin, Liu, Chien and Chang 2010. Tables: ac.h, without failures.
 */
#ifndef TRAWL_WALK_PFAC_H
#define TRAWL_WALK_PFAC_H

#include "walk/ac.h"

/* The transition without failure links; AC_DEAD ends the walk of this start. */
WALK u32 pfac_next(GLOBAL const u32 *rows, GLOBAL const u32 *sparse, u32 s, u32 class_number)
{
    return s & AC_SPARSE ? ac_child(sparse + (s & AC_PLACE), class_number)
                         : rows[(s & AC_PLACE) + class_number];
}

/* All patterns that begin at text[start] and end in (begin, end]. */
WALK void pfac_start(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 start, u32 begin, u32 end,
                     const sink *out)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const u32 *rows = tables + t->rows;
    GLOBAL const u32 *sparse = tables + t->sparse;
    u32 i = start;
    u32 s = rows[map[text[i++]]];
    while (s != AC_DEAD) {
        if ((s & AC_MATCH) && i > begin)
            ac_report(tables, text, s, start, i, out);
        if (i >= end)
            return;
        s = pfac_next(rows, sparse, s, map[text[i++]]);
    }
}

WALK void pfac_walk(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                    GLOBAL u64 *state, const sink *out)
{
    (void)state;
    for (u32 start = from; start < end; start++)
        pfac_start(tables, text, start, begin, end, out);
}

#endif
