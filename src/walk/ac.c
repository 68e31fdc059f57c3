/* ac.c: Aho-Corasick for many literals.
 *
 * Idea: all patterns stand in one trie; every state has a failure link to the state of its
 * longest proper suffix, so one left-to-right pass over the text with one state finds all
 * patterns. Bytes that no pattern holds share one class, which keeps rows short. States
 * near the root have a row with a target for every class, failure links already followed;
 * the states beyond the memory budget keep only their children and their failure link.
 *
 * Invariant: after text[i], the state is the longest suffix of text[from .. i] that is a
 * prefix of some pattern; its output list and those linked to it are the patterns that end
 * at i.
 *
 * Cost: O(n + occurrences); one table access a byte in a row state, amortised two in others.
 * Source: Aho and Corasick, Efficient string matching, 1975.
 */
#include "table/ac.h"

#include "walk/ac.h"

static u32 ac_next(const u32 *rows, const u32 *sparse, u32 s, u32 class_number)
{
    while (s & AC_SPARSE) {
        const u32 *record = sparse + (s & AC_PLACE);
        u32 child = ac_child(record, class_number);
        if (child != AC_DEAD)
            return child;
        s = record[SPARSE_FAIL];
    }
    return rows[(s & AC_PLACE) + class_number];
}

void ac_report(const u32 *tables, const u8 *text, u32 s, u32 from, u32 pos, const sink *out)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u32 *outputs = tables + t->outputs;
    u32 list = s & AC_SPARSE ? tables[t->sparse + (s & AC_PLACE) + SPARSE_OUTPUT]
                             : tables[t->rows + (s & AC_PLACE) + t->classes];
    while (list) {
        u32 count = outputs[list + OUTPUT_COUNT];
        for (u32 i = 0; i < count; i++) {
            u32 index = outputs[list + OUTPUT_INDEXES + i];
            if (index & AC_VERIFY) {
                index &= ~AC_VERIFY;
                u32 length = literal_length(tables, t->literals.entries, index);
                if (length > pos - from ||
                    !literal_equal(tables, t->literals.entries, t->literals.bytes, index, text,
                                   pos - length))
                    continue;
            }
            sink_put(out, pos, index);
        }
        list = outputs[list + OUTPUT_LINK];
    }
}

void ac_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
             const sink *out)
{
    const ac_tables *t = (const ac_tables *)tables;
    const u8 *map = (const u8 *)(tables + t->map);
    const u32 *rows = tables + t->rows;
    const u32 *sparse = tables + t->sparse;
    u32 s = AC_ROOT;
    u32 i = from;
    (void)state;
    while (i < end) {
        s = rows[s + map[text[i++]]];
        while (PORT_UNLIKELY(s & (AC_MATCH | AC_SPARSE))) {
            if ((s & AC_MATCH) && i > begin)
                ac_report(tables, text, s, from, i, out);
            if (!(s & AC_SPARSE)) {
                s &= AC_PLACE;
                break;
            }
            if (i >= end)
                return;
            s = ac_next(rows, sparse, s, map[text[i++]]);
        }
    }
}
