/* cpu.c: Boyer-Moore for one literal.
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
#include "engines/literal/bm/layout.h"

#include <string.h>

#include "engines/shared/walk.h"

#define SHORT_TEXT 1024u
#define MAX_PLACES 8u

/* Jump over text while the byte under the pattern's end is not its last byte. Three jumps at a
 * time as far as they cannot leave the text: a jump by 0 stays where it is. */
static inline u32 bm_skip(const u32 *bad, const u8 *text, u32 m, u32 last, u32 end)
{
    while (last < end && (end - last) / 3 > m) {
        last += bad[text[last]];
        last += bad[text[last]];
        const u32 shift = bad[text[last]];
        if (shift == 0)
            return last;
        last += shift;
    }
    while (last < end) {
        const u32 shift = bad[text[last]];
        if (shift == 0)
            break;
        last += shift;
    }
    return last;
}

/* In a short text every jump waits for the one before it, and the C library's memchr looks at many
 * bytes at once: so it looks for the pattern's rarest byte. Where that is not rare the jumps are
 * better after all. Returns `last` as bm_skip does: up to there all is reported. */
static u32 find_rare(const bm_tables *t, const u8 *pattern, const u8 *fold, const u8 *text,
                     u32 last, u32 end, const sink *out)
{
    const u32 m = t->length, behind = m - 1 - t->rare;
    for (u32 places = 0; last < end && places < MAX_PLACES; places++, last++) {
        const u8 *at = memchr(text + (last - behind), pattern[t->rare], end - last);
        if (!at)
            return end;
        last = (u32)(at - text) + behind;
        const u8 *window = text + (last - (m - 1));
        u32 j = m;
        while (j > 0 && fold[window[j - 1]] == pattern[j - 1])
            j--;
        if (j == 0)
            sink_put(out, last + 1, t->index);
    }
    return last;
}

static u32 bm_walk(text_task *task)
{
    const u32 *tables = task->tables;
    const u8 *text = task->text;
    const u32 from = task->from, begin = task->begin, end = task->end;
    const sink out = *task->out;
    const bm_tables *t = (const bm_tables *)tables;
    const u8 *pattern = (const u8 *)(tables + t->pattern);
    const u8 *fold = (const u8 *)(tables + t->fold);
    const u32 *bad = tables + t->bad;
    const u32 *good = tables + t->good;
    const u32 m = t->length;
    const u32 period = t->period;
    u32 last = begin - from >= m - 1 ? begin : from + m - 1;
    u32 known = 0;

    if (end - begin <= SHORT_TEXT && t->rare < m && last < end)
        last = find_rare(t, pattern, fold, text, last, end, &out);
    while (last < end) {
        u32 j = m;
        if (known == 0) {
            last = bm_skip(bad, text, m, last, end);
            if (last >= end)
                break;
            j = m - 1; /* a shift by 0: the last byte fits */
        }
        const u8 *window = text + (last - (m - 1));
        while (j > known && fold[window[j - 1]] == pattern[j - 1])
            j--;
        if (j <= known) {
            sink_put(&out, last + 1, t->index);
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
    return end;
}

const walk walk_bm = { .text = bm_walk };
