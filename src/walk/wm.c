/* wm.c: Wu-Manber for many literals.
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
#include "table/wm.h"

#include "walk/walk.h"

static void wm_shorts(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end,
                      const sink *out)
{
    const wm_tables *t = (const wm_tables *)tables;
    const wm_member *members = (const wm_member *)(tables + t->short_members);
    const u8 *fold = (const u8 *)(tables + t->literals.fold);
    const u32 *lists = tables + t->shorts;
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
static void wm_windows(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u32 block,
                       u32 folded, const sink *out)
{
    const wm_tables *t = (const wm_tables *)tables;
    const u8 *shifts = (const u8 *)(tables + t->shift);
    const u8 *fold = (const u8 *)(tables + t->literals.fold);
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

void wm_walk(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end, u64 *state,
             const sink *out)
{
    const wm_tables *t = (const wm_tables *)tables;
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
