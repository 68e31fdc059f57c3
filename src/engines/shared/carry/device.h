/* device.h: text in slices, and states that cross their borders: what the kernels of both
 * bit-parallel walks and their hosts agree on. The rounds are in device.c, the kernel between two
 * rounds in device.k.
 *
 * With a bounded reach, a slice begins `lead` bytes early, from the empty state, and reports what
 * ends in its own part (CUT_ALONE).
 *
 * If a plan carries: the step of a set of states is linear over unions, f(A | B) = f(A) | f(B). So
 * first every slice runs from the empty state (CUT_FIRST; slice 0 from the piece's state), and
 * marks its states every `stride` bytes. Then `carry_hand` hands the states at a slice's end that
 * are new to the next slice on to it, and the next slice runs only this news, with no match
 * beginning (CUT_NEWS). At every mark the news loses the states that are marked already, whose
 * future was run, and the rest is marked. When nothing is left, the run stops. What is left at the
 * slice's end is handed on in the next round.
 *
 * Invariant: a state that is marked has been run, or is being run, to the end of its slice;
 * `known` holds what a slice has begun with. Both only grow, so the rounds end, and then the last
 * marks are the true states.
 *
 * Cost: a round for each slice that news crosses. Two things keep rounds few. States that no byte
 * kills (`x.*y` after an x) are handed to all later slices at once. And in later rounds a work item
 * takes `span` slices, one after the other, and carries its news through them; the span grows to
 * the whole piece, so that few rounds remain, with little parallelism: slow, but exact.
 */
#ifndef TRAWL_ENGINES_SHARED_CARRY_DEVICE_H
#define TRAWL_ENGINES_SHARED_CARRY_DEVICE_H

#include "base/port.h"

/* text_cut.mode */
#define CUT_ALONE 0u
#define CUT_FIRST 1u
#define CUT_NEWS 2u

/* How a piece is cut. */
typedef struct text_cut {
    u32 from, begin, end; /* as in text_piece */
    u32 page;             /* bytes of a slice; a multiple of 16 */
    u32 lead;             /* how many bytes early a slice begins */
    u32 mode;
    u32 slices;
    u32 span;          /* slices that one work item takes */
    u32 stride, marks; /* distance of marks, and how many a slice has; the last is at its end */
    u32 words;         /* of state of a slice */
} text_cut;

/* The numbers of carry_hand. */
typedef struct carry_args {
    u64 masks; /* plan_stage.masks, a word offset in the tables */
    text_cut cut;
    u32 first; /* 1: nothing is known yet */
} carry_args;

SHARED_SIZE(text_cut, 44);
SHARED_SIZE(carry_args, 56);

/* ---- slices ------------------------------------------------------------------- */

/* The number of slice n of a chunk; c->slices: there is none. */
INLINE u32 cut_slice(const text_cut *c, u32 chunk, u32 n)
{
    return chunk <= c->slices / c->span ? chunk * c->span + n : c->slices;
}

/* The first byte of a slice; borders are multiples of 16. */
INLINE u32 cut_at(const text_cut *c, u32 slice)
{
    if (slice >= c->slices)
        return c->end;
    return slice ? (c->begin & ~15u) + slice * c->page : c->begin;
}

/* Where reading begins for a slice; a multiple of 16 unless the slice is empty. */
INLINE u32 cut_start(const text_cut *c, u32 slice)
{
    const u32 at = cut_at(c, slice);
    if (slice >= c->slices)
        return at;
    return at - c->from > c->lead ? (at - c->lead) & ~15u : c->from;
}

/* Where stretch m of a slice ends: at mark m. */
INLINE u32 cut_stop(const text_cut *c, u32 slice, u32 m)
{
    const u32 at = cut_at(c, slice), end = cut_at(c, slice + 1);
    if (m + 1 >= c->marks || end - at <= (m + 1) * c->stride)
        return end;
    return at + (m + 1) * c->stride;
}

/* ---- scratch ------------------------------------------------------------------- */

/* In u64: flag[CUT_FLAGS], initial[words], news[slices][words], known[slices][words],
 * mark[slices][marks][words]. With a bounded reach `news` is working memory, if there is any. The
 * place of a row: */
#define CUT_FLAGS 16u

INLINE size_t cut_row(const text_cut *c, size_t row)
{
    return CUT_FLAGS + c->words * row;
}

INLINE size_t cut_initial(const text_cut *c)
{
    return cut_row(c, 0);
}

INLINE size_t cut_news(const text_cut *c, u32 slice)
{
    return cut_row(c, (size_t)1 + slice);
}

INLINE size_t cut_known(const text_cut *c, u32 slice)
{
    return cut_row(c, (size_t)1 + c->slices + slice);
}

INLINE size_t cut_marked(const text_cut *c, u32 slice, u32 m)
{
    return cut_row(c, 1 + 2 * (size_t)c->slices + (size_t)slice * c->marks + m);
}

/* ---- words of state at borders ------------------------------------------------- */

/* What word w of a slice begins with. `carried`: what the slice before, of the same work item,
 * ended with and had not marked; only news is carried. */
INLINE u64 cut_begin(const text_cut *c, GLOBAL u64 *scratch, u32 slice, u32 w, u64 carried)
{
    if (c->mode != CUT_NEWS)
        return c->mode == CUT_FIRST && slice == 0 ? scratch[cut_initial(c) + w] : 0;
    if (carried) {
        const u64 known = scratch[cut_known(c, slice) + w];
        carried &= ~known;
        scratch[cut_known(c, slice) + w] = known | carried;
    }
    return scratch[cut_news(c, slice) + w] | carried;
}

/* The part of word w, which is `s` at mark m, that goes on. */
INLINE u64 cut_mark(const text_cut *c, GLOBAL u64 *scratch, u32 slice, u32 m, u32 w, u64 s)
{
    const size_t mark = cut_marked(c, slice, m) + w;
    if (c->mode == CUT_FIRST)
        scratch[mark] = s;
    if (c->mode == CUT_NEWS) {
        const u64 marked = scratch[mark];
        s &= ~marked;
        if (s)
            scratch[mark] = marked | s;
    }
    return s;
}

/* The same for the words [low, high) of a state that stays in scratch, in the row of `news`.
 * Slice n of a chunk takes over what the slice before left. Both functions return 0 when nothing
 * goes on. */
INLINE u64 cut_begin_row(const text_cut *c, GLOBAL u64 *scratch, u32 slice, u32 n, u32 low,
                         u32 high)
{
    u64 any = c->mode != CUT_NEWS;
    for (u32 w = low; w < high; w++) {
        const u64 carried = n ? scratch[cut_news(c, slice - 1) + w] : 0;
        const u64 s = cut_begin(c, scratch, slice, w, carried);
        scratch[cut_news(c, slice) + w] = s;
        any |= s;
    }
    return any;
}

INLINE u64 cut_mark_row(const text_cut *c, GLOBAL u64 *scratch, u32 slice, u32 m, u32 low, u32 high)
{
    GLOBAL u64 *row = scratch + cut_news(c, slice);
    u64 any = c->mode != CUT_NEWS;
    for (u32 w = low; w < high && c->mode != CUT_ALONE; w++) {
        row[w] = cut_mark(c, scratch, slice, m, w, row[w]);
        any |= row[w];
    }
    return any;
}

#endif
