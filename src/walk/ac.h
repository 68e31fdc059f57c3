/* ac.h: Aho-Corasick for many literals.
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
#ifndef TRAWL_WALK_AC_H
#define TRAWL_WALK_AC_H

#include "walk/literal.h"

/* A state is a number: flags and the place of its row or its sparse record. */
#define AC_MATCH 0x80000000u  /* its output list is not empty */
#define AC_SPARSE 0x40000000u /* a sparse record, not a row */
#define AC_PLACE 0x3fffffffu  /* words from `rows` or `sparse` */
#define AC_ROOT 0u
#define AC_DEAD 0u            /* in pfac's tables: no transition; nothing leads to the root */
#define AC_VERIFY 0x80000000u /* in an output list: compare the literal in full (mixed case) */

typedef struct ac_tables {
    u32 classes; /* number of byte classes; a row has one target each, then its output list */
    u32 map;     /* u8[256]: class of a byte, word offset */
    u32 rows;    /* u32[row_words], word offset; the root is the first row */
    u32 row_words;
    u32 sparse; /* u32[sparse_words]: records as sparse_* below say, word offset */
    u32 sparse_words;
    u32 outputs; /* u32[output_words]: records as output_* below say, word offset; 0 is empty */
    u32 output_words;
    literal_tables literals; /* count 0 when nothing needs a full comparison */
} ac_tables;

/* A sparse record: failure link, output list, number of children, their classes (bytes,
 * padded to words), their states. */
#define SPARSE_FAIL 0
#define SPARSE_OUTPUT 1
#define SPARSE_CHILDREN 2
#define SPARSE_KEYS 3

/* An output list: the list of the next shorter suffix (0: none), count, pattern indexes. */
#define OUTPUT_LINK 0
#define OUTPUT_COUNT 1
#define OUTPUT_INDEXES 2

/* The child of a sparse record under a class; AC_DEAD when there is none. */
WALK u32 ac_child(GLOBAL const u32 *record, u32 class_number)
{
    u32 count = record[SPARSE_CHILDREN];
    GLOBAL const u8 *keys = (GLOBAL const u8 *)(record + SPARSE_KEYS);
    u32 i = 0;
    while (i < count && keys[i] != class_number)
        i++;
    return i < count ? record[SPARSE_KEYS + (count + 3) / 4 + i] : AC_DEAD;
}

WALK u32 ac_next(GLOBAL const u32 *rows, GLOBAL const u32 *sparse, u32 s, u32 class_number)
{
    while (s & AC_SPARSE) {
        GLOBAL const u32 *record = sparse + (s & AC_PLACE);
        u32 child = ac_child(record, class_number);
        if (child != AC_DEAD)
            return child;
        s = record[SPARSE_FAIL];
    }
    return rows[(s & AC_PLACE) + class_number];
}

/* Report the output list of state s, and those it links to, at end offset `pos`. */
WALK void ac_report(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 s, u32 from, u32 pos,
                    const sink *out)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u32 *outputs = tables + t->outputs;
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

WALK void ac_walk(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                  GLOBAL u64 *state, const sink *out)
{
    GLOBAL const ac_tables *t = (GLOBAL const ac_tables *)tables;
    GLOBAL const u8 *map = (GLOBAL const u8 *)(tables + t->map);
    GLOBAL const u32 *rows = tables + t->rows;
    GLOBAL const u32 *sparse = tables + t->sparse;
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

#endif
