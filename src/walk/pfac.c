/* pfac.c: the parallel failureless form of Aho-Corasick.
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
#include "table/pfac.h"

#include "walk/ac.h"

/* All patterns that begin at text[start] and end in (begin, end]. */
static void pfac_start(const u32 *tables, const u8 *text, u32 start, u32 begin, u32 end,
                       const sink *out)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u32 *rows = tables + t->rows;
    const u32 *sparse = tables + t->sparse;
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

void pfac_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
               const sink *out)
{
    (void)state;
    for (u32 start = from; start < end; start++)
        pfac_start(tables, text, start, begin, end, out);
}
