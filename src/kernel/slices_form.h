/* slices_form.h: one word of state through the slices of a work item, in all three modes of
 * carry_form.h. Part of a kernel's body, which has
 *   c, chunk, w       the cut, the item's number, the word's number in a row of state
 *   WORD_HERE(s, init, at, begin, stop)    runs the word and reports ends beyond `begin`; `init`
 *                   is 0 for news
 *   WORD_INITIAL                    the positions that a match may begin with
 */
{
    u64 carried = 0;
    for (u32 n = 0; n < c.span; n++) {
        const u32 slice = cut_slice(&c, chunk, n);
        if (slice >= c.slices)
            break;
        const u64 initial = c.mode == CUT_NEWS ? 0 : WORD_INITIAL;
        u64 s = 0;
        if (c.mode == CUT_FIRST && slice == 0)
            s = cut_initial(&c)[w];
        if (c.mode == CUT_NEWS) {
            if (carried) {
                const u64 known = cut_known(&c, slice)[w];
                carried &= ~known;
                cut_known(&c, slice)[w] = known | carried;
            }
            s = cut_news(&c, slice)[w] | carried;
            carried = 0;
            if (!s)
                continue;
        }
        u32 at = cut_start(&c, slice);
        for (u32 m = 0; m < c.marks; m++) {
            const u32 stop = cut_stop(&c, slice, m);
            s = WORD_HERE(s, initial, at, cut_at(&c, slice), stop);
            at = stop;
            if (c.mode == CUT_FIRST)
                cut_mark(&c, slice, m)[w] = s;
            if (c.mode == CUT_NEWS) {
                const u64 marked = cut_mark(&c, slice, m)[w];
                s &= ~marked;
                if (!s)
                    break;
                cut_mark(&c, slice, m)[w] = marked | s;
            }
        }
        carried = s;
    }
}
