/* bm.h: Boyer-Moore for one literal.
 *
 * Idea: compare the pattern from its last byte to its first. After a mismatch move it by
 * the larger of two shifts: bad character (the text byte's last place in the pattern) and
 * good suffix (the next place of the part that did match). Galil's rule: after an
 * occurrence the pattern moves by its period, and the part that then overlaps the
 * occurrence is known to match, so it is not compared again.
 *
 * Invariant: no occurrence ends before `last`, the text position under the pattern's last
 * byte, that has not been reported; bytes [0, known) of the pattern match at the present
 * alignment.
 *
 * Cost: O(n) byte comparisons at most, about n / m on ordinary text.
 * Source: Boyer and Moore 1977; Galil 1979; a slice reads length - 1 bytes of
 * its neighbour.
 */
#ifndef TRAWL_WALK_BM_H
#define TRAWL_WALK_BM_H

#include "walk/literal.h"

typedef struct bm_tables {
    u32 length;  /* bytes of the pattern, >= 1 */
    u32 period;  /* smallest p > 0 with pattern[i] == pattern[i + p] */
    u32 index;   /* what is reported */
    u32 pattern; /* u8[length], folded; word offset */
    u32 fold;    /* u8[256]; word offset */
    u32 bad;     /* u32[256]: distance of a byte's last place from the pattern's end, 0 for the
                    last byte itself, length when absent; folded; word offset */
    u32 good;    /* u32[length]: shift after a mismatch at pattern[j]; word offset */
    u32 unused;
} bm_tables;

/* Jump over text while the byte under the pattern's end is not its last byte. */
WALK u32 bm_skip(GLOBAL const u32 *bad, GLOBAL const u8 *text, u32 last, u32 end)
{
    while (last < end) {
        u32 shift = bad[text[last]];
        if (shift == 0)
            break;
        last += shift;
    }
    return last;
}

WALK void bm_walk(GLOBAL const u32 *tables, GLOBAL const u8 *text, u32 from, u32 begin, u32 end,
                  GLOBAL u64 *state, const sink *out)
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

    (void)state;
    while (last < end) {
        if (known == 0) {
            last = bm_skip(bad, text, last, end);
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

#endif
