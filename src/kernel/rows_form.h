/* rows_form.h: as slices_form.h, for a state of several words that stays in scratch (the row of
 * `news`). Part of a kernel's body, which has
 *   c, chunk              the cut and the item's number
 *   low, high             the words [low, high) of a row are this item's
 *   ROWS_RUN(row, at, begin, stop)    runs them and reports ends beyond `begin`
 */
{
    for (u32 n = 0; n < c.span; n++) {
        const u32 slice = cut_slice(&c, chunk, n);
        if (slice >= c.slices)
            break;
        GLOBAL u64 *row = cut_news(&c, slice);
        u64 any = 1;
        if (c.mode == CUT_NEWS) {
            any = 0;
            for (u32 w = low; w < high; w++) {
                if (n) { /* what the slice before ended with and had not marked */
                    const u64 known = cut_known(&c, slice)[w];
                    const u64 fresh = cut_news(&c, slice - 1)[w] & ~known;
                    cut_known(&c, slice)[w] = known | fresh;
                    row[w] |= fresh;
                }
                any |= row[w];
            }
        } else {
            for (u32 w = low; w < high; w++)
                row[w] = c.mode == CUT_FIRST && slice == 0 ? cut_initial(&c)[w] : 0;
        }
        u32 at = cut_start(&c, slice);
        for (u32 m = 0; m < c.marks && any; m++) {
            const u32 stop = cut_stop(&c, slice, m);
            ROWS_RUN(row, at, cut_at(&c, slice), stop);
            at = stop;
            if (c.mode == CUT_ALONE)
                continue;
            GLOBAL u64 *mark = cut_mark(&c, slice, m);
            if (c.mode == CUT_NEWS)
                any = 0;
            for (u32 w = low; w < high; w++) {
                if (c.mode == CUT_NEWS) {
                    row[w] &= ~mark[w];
                    any |= row[w];
                    mark[w] |= row[w];
                } else {
                    mark[w] = row[w];
                }
            }
        }
    }
}
