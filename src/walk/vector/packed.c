/* packed.c: one literal by packed comparison.
 *
 * Idea: of 64 neighbouring starts all are tried at once: the text from `place` bytes behind them
 * on is compared with the pattern's byte of that place. Few places do, when they are chosen by what
 * stands in such a text; four such rows of starts share one branch. Starts where all of them fit
 * are compared in full: one by one, 64 bytes of the pattern at a time, or, where there are many,
 * all together, byte by byte of the pattern. A pattern whose bytes are all among the places needs
 * neither. A letter without case is compared without the bit that tells its cases apart. Where more
 * starts pass than pay, the next run compares more places.
 *
 * Invariant: all occurrences that begin before `at` have been reported. A load reads what stands at
 * one place of the pattern under 64 starts, each of which has room for a whole pattern; so it stays
 * inside the text. The last starts, fewer than 64, are tried together with some before them, whose
 * bits are dropped; or, in a text that has no more, with a part of a load.
 *
 * Cost: O(n) with about half a cycle a place for 64 starts: what the memory delivers. Where a text
 * is made against it, in that most starts pass and fail late, it gives up.
 * Source: Faro and Külekci 2013 (packed string matching with word instructions: EPSM); Muła 2016
 * (first and last byte by generic SIMD); which places: counted on a sample.
 */
#include "table/packed.h"

#include "walk/vector.h"

enum {
    ROWS = 4,       /* of 64 starts, that share a branch */
    AHEAD = 4096,   /* bytes that are asked for in advance */
    LONG_RUN = 512, /* starts; for fewer it does not pay to begin at a line of the cache */
    ROW_WORK = 4,   /* of a full comparison, as in give_up, */
    COLUMNS = 4,    /* so many bytes of 64 starts at once for one of it, */
    TOGETHER = 8,   /* and so many bytes of a pattern for each start: then it is done so */
    FEW_FAIL = 16,  /* so many starts may fail, */
    SELDOM = 1024   /* and one in so many bytes, before more places pay */
};

/* What does not change within a run, and what it adds up. */
typedef struct search {
    const text_task *task;
    const u8 *pattern, *keep;
    u32 length;
    u64 candidates, failed, work;
} search;

/* A place of the pattern. The first one of a run is the lowest of its places. */
typedef struct probe {
    const u8 *text;  /* from the place on */
    vec_shift shift; /* from the first one */
    vec byte, keep;
} probe;

/* ---- survivors ------------------------------------------------------------------ */

static bool row_fits(const search *q, u32 at, u64 *work)
{
    const u8 *text = q->task->text + at;
    const u32 room = q->task->end - at;
    for (u32 k = 0; k < q->length; k += VEC_BYTES) {
        const vec bytes =
            room - k >= VEC_BYTES ? vec_load(text + k) : vec_load_part(text + k, room - k);
        const vec other = vec_xor(bytes, vec_load(q->pattern + k));
        *work += 1;
        if (vec_any(vec_and(other, vec_load(q->keep + k))))
            return false;
    }
    return true;
}

/* Those of the starts start + i, bit i of `mask`, where the pattern stands. `all`: there is room
 * for it at all 64. */
WALK_APART u64 confirm(search *q, u32 start, u64 mask, bool all)
{
    const u32 count = VEC_COUNT(mask);
    u64 fits = mask;
    if (all && count * TOGETHER >= q->length) {
        const u8 *text = q->task->text + start;
        vec other = vec_all(0);
        u32 k = 0;
        while (k < q->length && fits) {
            const u32 pause = q->length - k > COLUMNS ? k + COLUMNS : q->length;
            for (; k < pause; k++)
                other = vec_or(other, vec_and(vec_xor(vec_load(text + k), vec_all(q->pattern[k])),
                                              vec_all(q->keep[k])));
            fits = mask & ~vec_nonzero(other);
            q->work++;
        }
    } else {
        for (u64 rest = mask; rest; rest &= rest - 1) {
            q->work += ROW_WORK;
            if (!row_fits(q, start + VEC_FIRST(rest), &q->work))
                fits ^= rest & (0 - rest);
        }
    }
    q->candidates += count;
    q->failed += count - VEC_COUNT(fits);
    return fits;
}

WALK_INTO void take(search *q, u32 start, u64 mask, bool whole, bool all)
{
    if (mask == 0)
        return;
    if (!whole)
        mask = confirm(q, start, mask, all);
    vec_report(q->task->out, start + q->length, mask, 0);
}

/* Without a branch on whether there are any. */
WALK_APART void report_rows(const search *q, u32 start, const u64 fits[ROWS])
{
    const sink out = *q->task->out;
    for (u32 i = 0; i < ROWS; i++)
        vec_report(&out, start + q->length + i * VEC_BYTES, fits[i], 0);
}

WALK_APART void take_rows(search *q, u32 start, const u64 fits[ROWS])
{
    for (u32 i = 0; i < ROWS; i++)
        take(q, start + i * VEC_BYTES, fits[i], false, true);
}

/* ---- few starts -------------------------------------------------------------------- */

/* Bit i: the places that are compared fit the start at + i; of the first `part` starts. */
WALK_INTO u64 some_fit(const search *q, const packed_tables *t, u32 count, u32 at, u32 part)
{
    vec other = vec_all(0);
    for (u32 k = 0; k < count; k++) {
        const u32 place = t->place[k];
        const u8 *text = q->task->text + at + place;
        const vec bytes = part < VEC_BYTES ? vec_load_part(text, part) : vec_load(text);
        other = vec_or(
            other, vec_and(vec_xor(bytes, vec_all(q->pattern[place])), vec_all(q->keep[place])));
    }
    return ~vec_nonzero(other) & vec_mask(part);
}

/* ---- the loop --------------------------------------------------------------------- */

WALK_INTO vec differs(const probe *p, vec bytes, bool fold)
{
    const vec other = vec_xor(bytes, p->byte);
    return fold ? vec_and(other, p->keep) : other;
}

/* Bytes that are 0 where `count` places fit the starts from `at` on. `now` and `next` are the text
 * at the first place and 64 bytes behind it. `count` is a constant, as in all that is WALK_INTO. */
WALK_INTO vec row(const probe *p, u32 count, bool fold, u32 at, vec now, vec next)
{
    const u8 *first = p[0].text + at;
    vec other = differs(&p[0], now, fold);
#define PLACE(k)                                                                                   \
    if (count > (k))                                                                               \
    other = vec_or(other, differs(&p[k], vec_load_behind(first, p[k].shift, now, next), fold))
    PLACE(1);
    PLACE(2);
    PLACE(3);
    PLACE(4);
    PLACE(5);
    PLACE(6);
    PLACE(7);
#undef PLACE
    return other;
}

/* More starts passed than pay. */
static bool tired(const search *q, u32 at, u32 first, u32 count)
{
    return (count < PACKED_PLACES && q->failed > FEW_FAIL + (at - first) / SELDOM) ||
           give_up(q->task, at, q->work);
}

WALK_INTO void place_probes(const search *q, const packed_tables *t, u32 count, probe *p)
{
    u32 low = 0;
    for (u32 k = 1; k < count; k++)
        low = t->place[k] < t->place[low] ? k : low;
    for (u32 k = 0; k < count; k++) {
        const u32 place = t->place[k == 0 ? low : k == low ? 0 : k];
        p[k].text = q->task->text + place;
        p[k].shift = vec_shift_by(place - t->place[low]);
        p[k].byte = vec_all(q->pattern[place]);
        p[k].keep = vec_all(q->keep[place]);
    }
}

/* The starts [first, stop), of which there are LONG_RUN at least, but for some at the end. Returns
 * which is the first of those, or where it was tired. */
WALK_INTO u32 run(search *q, const packed_tables *t, u32 first, u32 stop, u32 count, bool fold)
{
    const bool whole = q->length <= count, counts = whole && q->task->out->capacity == 0;
    u64 counted = 0;
    probe p[PACKED_PLACES];
    place_probes(q, t, count, p);
    q->failed = 0;
    u32 at = first + (0 - (u32)(uintptr_t)(p[0].text + first)) % VEC_BYTES;
    take(q, first, some_fit(q, t, count, first, VEC_BYTES) & vec_mask(at - first), whole, true);
    vec now = vec_load(p[0].text + at);
    for (; stop - at >= (ROWS + 1) * VEC_BYTES; at += ROWS * VEC_BYTES) {
        const u8 *text = p[0].text + at;
        const vec next = vec_load(text + VEC_BYTES), third = vec_load(text + 2 * VEC_BYTES);
        const vec fourth = vec_load(text + 3 * VEC_BYTES);
        const vec a = row(p, count, fold, at, now, next);
        const vec b = row(p, count, fold, at + VEC_BYTES, next, third);
        const vec c = row(p, count, fold, at + 2 * VEC_BYTES, third, fourth);
        now = vec_load(text + 4 * VEC_BYTES);
        const vec d = row(p, count, fold, at + 3 * VEC_BYTES, fourth, now);
        for (u32 i = 0; i < ROWS; i++)
            VEC_PREFETCH(text + AHEAD + i * VEC_BYTES);
        if (PORT_LIKELY(!vec_any_zero(vec_both(vec_both(a, b), vec_both(c, d)))))
            continue;
        const u64 fits[ROWS] = { ~vec_nonzero(a), ~vec_nonzero(b), ~vec_nonzero(c),
                                 ~vec_nonzero(d) };
        if (counts) {
            counted += VEC_COUNT(fits[0]) + VEC_COUNT(fits[1]);
            counted += VEC_COUNT(fits[2]) + VEC_COUNT(fits[3]);
            continue;
        }
        if (whole) {
            report_rows(q, at, fits);
            continue;
        }
        take_rows(q, at, fits);
        if (tired(q, at + ROWS * VEC_BYTES, first, count))
            return at + ROWS * VEC_BYTES;
    }
    *q->task->out->cursor += counted;
    return at;
}

#define RUN(name, count, fold)                                                                     \
    static u32 name(search *q, const packed_tables *t, u32 first, u32 stop)                        \
    {                                                                                              \
        return run(q, t, first, stop, count, fold);                                                \
    }
RUN(run_1, 1, false)
RUN(run_2, 2, false)
RUN(run_3, 3, false)
RUN(run_4, 4, false)
RUN(run_6, 6, false)
RUN(run_8, 8, false)
RUN(fold_1, 1, true)
RUN(fold_2, 2, true)
RUN(fold_3, 3, true)
RUN(fold_4, 4, true)
RUN(fold_6, 6, true)
RUN(fold_8, 8, true)

/* The starts [at, stop), not many, of a walk that began at `first`: nothing is made ready. */
static void run_rest(search *q, const packed_tables *t, u32 first, u32 at, u32 stop)
{
    const u32 count = t->count;
    const bool whole = q->length <= count;
    for (; stop - at >= VEC_BYTES; at += VEC_BYTES)
        take(q, at, some_fit(q, t, count, at, VEC_BYTES), whole, true);
    if (at == stop)
        return;
    const u32 part = stop - at, again = stop - first >= VEC_BYTES ? VEC_BYTES - part : 0;
    const u64 fits = some_fit(q, t, count, at - again, part + again) & ~vec_mask(again);
    take(q, at - again, fits, whole, again != 0);
}

u32 VEC_NAME(packed_walk)(text_task *task)
{
    static u32 (*const runs[2][PACKED_PLACES + 1])(search *, const packed_tables *, u32, u32) = {
        { NULL, run_1, run_2, run_3, run_4, NULL, run_6, NULL, run_8 },
        { NULL, fold_1, fold_2, fold_3, fold_4, NULL, fold_6, NULL, fold_8 },
    };
    const packed_tables *t = (const packed_tables *)task->tables;
    const u32 m = t->length;
    search q = { .task = task,
                 .pattern = (const u8 *)(task->tables + t->pattern),
                 .keep = (const u8 *)(task->tables + t->keep),
                 .length = m };
    const u32 first = task->begin - task->from >= m - 1 ? task->begin - (m - 1) : task->from;
    if (task->end - task->from < m || task->end - m < first)
        return task->end;
    const u32 stop = task->end - m + 1;
    u32 at = first;
    for (u32 count = t->count; stop - at >= LONG_RUN; count = packed_more(count)) {
        at = runs[t->fold][count](&q, t, at, stop);
        if (stop - at >= LONG_RUN && (count == PACKED_PLACES || give_up(task, at, q.work))) {
            task->candidates += q.candidates;
            return at;
        }
    }
    run_rest(&q, t, first, at, stop);
    task->candidates += q.candidates;
    return task->end;
}
