/* device_compared.h: patterns as segments, compared at a place: for bitslice and factors.
 *
 * A pattern is a row of segments, each of a fixed number of bytes, with gaps after them (layout.h).
 * A filter says where the segment with the anchor may be. From there the segments before and after
 * it are compared, as sets of distances.
 *
 * Invariant: only the last of all anchors that lead to an end reports it. So each end is reported
 * once, and what a place says depends on no other place.
 */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_COMPARED_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_COMPARED_H

#include "engines/classes/bitslice/device_far.h"
#include "engines/classes/bitslice/layout.h"

/* The piece of text, as the comparison needs it. */
typedef struct compared {
    GLOBAL const u32 *tables, *sets; /* offsets are from `tables` on; u32[8] of each class */
    GLOBAL const u8 *text;
    u32 from, begin, end; /* as in text_piece */
    u32 work;             /* rounds of up to four bytes, for searches that may give up */
} compared;

INLINE u32 belongs(compared *s, u32 class_number, u32 byte)
{
    return s->sets[class_number * 8 + byte / 32] >> (byte % 32) & 1;
}

/* Whether the byte at `at` fits a check. */
INLINE u32 fits(compared *s, u32 check, u32 at)
{
    return belongs(s, BITSLICE_WHAT(check), s->text[at + BITSLICE_WHERE(check)]);
}

/* How many checks are made together. On GPUs it is four, with the last one repeated: loads that
 * wait for one another are what checks cost there. */
#ifndef CHECKS_TOGETHER
#define CHECKS_TOGETHER 4u
#endif

/* Whether the bytes from `at` on fit `count` checks. */
INLINE u32 checks_fit(compared *s, u32 checks, u32 count, u32 at)
{
    GLOBAL const u32 *check = s->tables + checks;
    for (u32 i = 0; i < count; i += CHECKS_TOGETHER) {
        s->work++;
        if (CHECKS_TOGETHER == 1) {
            if (!fits(s, check[i], at))
                return 0;
            continue;
        }
        const u32 a = check[i], b = check[i + 1 < count ? i + 1 : i];
        const u32 c = check[i + 2 < count ? i + 2 : i], d = check[i + 3 < count ? i + 3 : i];
        if (!(fits(s, a, at) & fits(s, b, at) & fits(s, c, at) & fits(s, d, at)))
            return 0;
    }
    return 1;
}

/* Whether the gap's class has the byte of step d: bytes from + d, or, back, from - 1 - d. */
INLINE u32 crosses(compared *s, u32 class_number, u32 from, u32 back, u32 d)
{
    return belongs(s, class_number, s->text[back ? from - 1 - d : from + d]);
}

/* Add to the set `d` and the distances after it, up to `most`, as far as bytes of the gap's class
 * reach; four at a time. */
INLINE void cross_gap(compared *s, GLOBAL const bitslice_segment *g, u32 from, u32 back, u32 d,
                      u32 most, far_set *to)
{
    const u32 class_number = g->gap_class;
    const u32 stop = g->gap < most - d ? d + g->gap : most;
    add_far(to, d);
    while (d < stop) {
        s->work++;
        const u32 b = crosses(s, class_number, from, back, d + 1 < stop ? d + 1 : d);
        const u32 c = crosses(s, class_number, from, back, d + 2 < stop ? d + 2 : d);
        const u32 e = crosses(s, class_number, from, back, d + 3 < stop ? d + 3 : d);
        if (!crosses(s, class_number, from, back, d))
            return;
        add_far(to, ++d);
        if (d == stop || !b)
            return;
        add_far(to, ++d);
        if (d == stop || !c)
            return;
        add_far(to, ++d);
        if (d == stop || !e)
            return;
        add_far(to, ++d);
    }
}

/* Go from places before `stop`, where segment `last` or its gap ends, to those where the first
 * segment begins. In both sets they are distances from `stop`: at most `most` where segment `near`
 * or a later one begins, else at most `all`. Returns whether there is any. */
INLINE u32 go_back(compared *s, GLOBAL const bitslice_segment *segments, u32 last, u32 near,
                   u32 stop, u32 most, u32 all, far_set *set)
{
    for (u32 k = last + 1; k-- > 0 && any_far(set);) {
        GLOBAL const bitslice_segment *g = &segments[k];
        const u32 limit = k >= near ? most : all;
        const u32 upto = limit < BITSLICE_LONGEST ? limit : BITSLICE_LONGEST;
        const u32 length = g->length, checks = g->checks, count = g->check_count;
        far_set open;
        clear_far(&open);
        while (any_far(set))
            cross_gap(s, g, stop, 1, take_far(set), upto, &open);
        while (any_far(&open)) {
            const u32 d = take_far(&open) + length;
            if (d <= upto && checks_fit(s, checks, count, stop - d))
                add_far(set, d);
        }
    }
    return any_far(set);
}

/* Go from the end of segment `first`, which begins at `begin`, to the ends of matches. */
INLINE u32 go_on(compared *s, GLOBAL const bitslice_segment *segments, u32 first, u32 count,
                 u32 begin, far_set *set)
{
    const u32 left = s->end - begin;
    const u32 most = left < BITSLICE_LONGEST ? left : BITSLICE_LONGEST;
    add_far(set, 0);
    for (u32 k = first; k < count && any_far(set); k++) {
        GLOBAL const bitslice_segment *g = &segments[k];
        const u32 length = g->length, checks = g->checks;
        const u32 fits = k == first ? 0 : g->check_count; /* the first was compared */
        far_set next;
        clear_far(&next);
        while (any_far(set)) {
            const u32 d = take_far(set);
            if (d + length <= most && checks_fit(s, checks, fits, begin + d))
                cross_gap(s, g, begin, 0, d + length, most, &next);
        }
        *set = next;
    }
    return any_far(set);
}

/* Whether the segment with the anchor, which is at `place` and passed tests, fits its first `count`
 * checks and lies in the text. */
INLINE u32 compare_anchor(compared *s, GLOBAL const bitslice_pattern *p, u32 place, u32 count)
{
    const u32 begin = place - p->anchor;
    return place < s->end && place - s->from >= p->anchor && p->length <= s->end - begin &&
           checks_fit(s, p->checks, count, begin);
}

/* Where a match may end, as distances from `begin`, where the segment with the anchor begins, which
 * has been compared. */
INLINE far_set compare_on(compared *s, GLOBAL const bitslice_pattern *p, u32 begin)
{
    GLOBAL const bitslice_segment *segments =
        (GLOBAL const bitslice_segment *)(s->tables + p->segments);
    const u32 at = p->at;
    far_set ends, set;
    clear_far(&ends);
    clear_far(&set);
    add_far(&set, 0);
    if (at == 0 || go_back(s, segments, at - 1, at, begin, 0, begin - s->from, &set))
        go_on(s, segments, at, p->segment_count, begin, &ends);
    return ends;
}

/* Take the next of these ends out. 0: others own it, or a later anchor reports it. */
INLINE u32 compare_end(compared *s, GLOBAL const bitslice_pattern *p, u32 begin, far_set *ends)
{
    GLOBAL const bitslice_segment *segments =
        (GLOBAL const bitslice_segment *)(s->tables + p->segments);
    const u32 stop = begin + take_far(ends), count = p->segment_count, at = p->at;
    far_set set;
    clear_far(&set);
    add_far(&set, 0);
    if (stop <= s->begin ||
        go_back(s, segments, count - 1, at, stop, stop - begin - 1, stop - s->from, &set))
        return 0;
    return stop;
}

#endif
