/* vector.c: one literal by packed comparison.
 *
 * Idea: 64 neighbouring starts are tried at once: the text from `place` bytes after them on is
 * compared with the pattern's byte at that place. A few places are enough, when they are chosen by
 * what such a text holds; four such rows of starts share one branch. More than three places are
 * pairs of neighbours: the text is shifted by one byte once for all pairs, and for each pair only
 * the result, whether it stands there, is shifted; so four bytes cost two shifts, not three, and
 * eight cost four, not seven. Starts where all of them fit are compared in full: one by one, 64
 * bytes of the pattern at a time, or, if there are many, all together, byte by byte of the pattern.
 * A pattern whose bytes are all among the places needs neither. If the pattern ignores case, bytes
 * are compared without the bit that tells cases apart: one word for a row, whatever the number of
 * places; it lets a few bytes through that are no letters. If more starts pass than pay, the next
 * run compares more places.
 *
 * Invariant: all occurrences that begin before `at` have been reported. A load reads the text at
 * one place of the pattern for 64 starts, each of which has room for a whole pattern; so it stays
 * inside the text. The last starts, fewer than 64, are tried together with some before them, whose
 * bits are dropped; or, in a shorter text, with a part of a load.
 *
 * Cost: O(n), with about half a cycle for each place and 64 starts: as fast as memory delivers. If
 * a text is made against it, so that most starts pass and fail late, it gives up.
 * Source: Faro and Külekci 2013 (packed string matching with word instructions: EPSM); Muła 2016
 * (first and last byte by generic SIMD); which places: counted on a sample.
 */
#include "engines/literal/packed/layout.h"

#include "engines/shared/vec.h"

enum {
    ROWS = 4,       /* of 64 starts, that share a branch, */
    READ_ROWS = 6,  /* and as many as are read for them */
    AHEAD = 4096,   /* bytes that are asked for in advance */
    LONG_RUN = 512, /* starts; for fewer it does not pay to begin at a line of the cache */
    ROW_WORK = 4,   /* work of a full comparison, as in give_up, */
    COLUMNS = 4,    /* bytes of 64 starts that are compared at once for one unit of work, */
    TOGETHER = 8,   /* bytes of a pattern for each start, up to which all are compared together */
    FEW_FAIL = 16,  /* this many starts may fail, */
    SELDOM = 1024   /* and one in this many bytes, before more places pay */
};

/* What does not change within a run, and what it adds up. */
typedef struct search {
    const text_task *task;
    const u8 *pattern, *keep;
    u32 length;
    u64 candidates, failed, work;
} search;

/* A place of the pattern, or two neighbours. The first one of a run is the lowest of its places. */
typedef struct probe {
    u32 place;
    vec_shift shift; /* from the first one on */
    vec byte, second;
    vec keep, keep_second; /* of a run that is PACKED_MIXED: the bits that count */
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
    const u8 *text = q->task->text + at;
    vec other = vec_all(0);
    for (u32 k = 0; k < count; k++) {
        const u32 place = packed_place(t, count, k);
        const vec bytes =
            part < VEC_BYTES ? vec_load_part(text + place, part) : vec_load(text + place);
        other = vec_or(
            other, vec_and(vec_xor(bytes, vec_all(q->pattern[place])), vec_all(q->keep[place])));
    }
    return vec_eq(other, vec_all(0)) & vec_mask(part);
}

/* ---- the loop --------------------------------------------------------------------- */

WALK_INTO vec byte_differs(const probe *p, u32 fold, vec bytes)
{
    const vec other = vec_xor(bytes, p->byte);
    return fold == PACKED_MIXED ? vec_and(other, p->keep) : other;
}

WALK_INTO vec pair_differs(const probe *p, u32 fold, vec now, vec behind)
{
    const vec other = vec_xor(behind, p->second);
    return vec_or(byte_differs(p, fold, now),
                  fold == PACKED_MIXED ? vec_and(other, p->keep_second) : other);
}

/* A row: bytes that are 0 where `count` bytes fit its starts; `text` is at the first place of it.
 * `count` is a constant, as in all that is WALK_INTO. Rows follow one another: what one leaves to
 * the next is its front. */
#if VEC_SHIFTS
/* The text at the first place; or, of pairs, where they stand, and the text after that. */
typedef struct front {
    vec now, pair[PACKED_PAIRS];
} front;

WALK_INTO vec bytes_differ(const probe *p, u32 count, u32 fold, const u8 *text, front *f)
{
    const vec next = vec_load(text + VEC_BYTES);
    vec other = byte_differs(&p[0], fold, f->now);
    if (count > 1)
        other = vec_or(other, byte_differs(&p[1], fold, vec_behind(p[1].shift, f->now, next)));
    if (count > 2)
        other = vec_or(other, byte_differs(&p[2], fold, vec_behind(p[2].shift, f->now, next)));
    f->now = next;
    return other;
}

WALK_INTO vec pairs_differ(const probe *p, u32 pairs, u32 fold, const u8 *text, front *f)
{
    const vec next = vec_load(text + 2 * VEC_BYTES), behind = vec_one_behind(f->now, next);
    vec other = f->pair[0];
    f->pair[0] = pair_differs(&p[0], fold, f->now, behind);
#define PAIR(k)                                                                                    \
    if (pairs > (k)) {                                                                             \
        const vec later = pair_differs(&p[k], fold, f->now, behind);                               \
        other = vec_or(other, vec_behind(p[k].shift, f->pair[k], later));                          \
        f->pair[k] = later;                                                                        \
    }
    PAIR(1)
    PAIR(2)
    PAIR(3)
#undef PAIR
    f->now = next;
    return other;
}

/* Before the first row. */
WALK_INTO void open_front(const probe *p, u32 count, u32 fold, const u8 *text, front *f)
{
    f->now = vec_load(text);
    if (count <= PACKED_SINGLE)
        return;
    const vec next = vec_load(text + VEC_BYTES), behind = vec_one_behind(f->now, next);
    for (u32 k = 0; k < packed_probes(count); k++)
        f->pair[k] = pair_differs(&p[k], fold, f->now, behind);
    f->now = next;
}
#else
typedef struct front {
    char none;
} front;

WALK_INTO vec bytes_differ(const probe *p, u32 count, u32 fold, const u8 *text, front *f)
{
    (void)f;
    vec other = byte_differs(&p[0], fold, vec_load(text));
    for (u32 k = 1; k < count; k++)
        other = vec_or(other, byte_differs(&p[k], fold, vec_load(text + p[k].shift)));
    return other;
}

WALK_INTO vec pairs_differ(const probe *p, u32 pairs, u32 fold, const u8 *text, front *f)
{
    (void)f;
    vec other = pair_differs(&p[0], fold, vec_load(text), vec_load(text + 1));
    for (u32 k = 1; k < pairs; k++) {
        const u8 *at = text + p[k].shift;
        other = vec_or(other, pair_differs(&p[k], fold, vec_load(at), vec_load(at + 1)));
    }
    return other;
}

WALK_INTO void open_front(const probe *p, u32 count, u32 fold, const u8 *text, front *f)
{
    (void)p, (void)count, (void)fold, (void)text;
    f->none = 0;
}
#endif

WALK_INTO vec row(const probe *p, u32 count, u32 fold, const u8 *text, front *f)
{
    const vec other = count <= PACKED_SINGLE ? bytes_differ(p, count, fold, text, f)
                                             : pairs_differ(p, packed_probes(count), fold, text, f);
    return fold == PACKED_FOLDED ? vec_and(other, vec_all((u8) ~('a' - 'A'))) : other;
}

/* More starts passed than pay. */
static bool tired(const search *q, u32 at, u32 first, u32 count)
{
    return (count < PACKED_BYTES && q->failed > FEW_FAIL + (at - first) / SELDOM) ||
           give_up(q->task, at, q->work);
}

WALK_INTO void place_probes(const search *q, const packed_tables *t, u32 count, probe *p)
{
    const u32 *places = count <= PACKED_SINGLE ? t->place : t->pair;
    u32 low = 0;
    for (u32 k = 1; k < packed_probes(count); k++)
        low = places[k] < places[low] ? k : low;
    for (u32 k = 0; k < packed_probes(count); k++) {
        p[k].place = places[k == 0 ? low : k == low ? 0 : k];
        p[k].shift = vec_shift_by(p[k].place - places[low]);
        p[k].byte = vec_all(q->pattern[p[k].place]);
        p[k].keep = vec_all(q->keep[p[k].place]);
        p[k].second = p[k].keep_second = p[k].byte;
        if (count > PACKED_SINGLE) {
            p[k].second = vec_all(q->pattern[p[k].place + 1]);
            p[k].keep_second = vec_all(q->keep[p[k].place + 1]);
        }
    }
}

/* All ROWS of the starts from `text` on. */
WALK_INTO void rows(const probe *p, u32 count, u32 fold, const u8 *text, front *f, vec other[ROWS])
{
    other[0] = row(p, count, fold, text, f);
    other[1] = row(p, count, fold, text + VEC_BYTES, f);
    other[2] = row(p, count, fold, text + 2 * VEC_BYTES, f);
    other[3] = row(p, count, fold, text + 3 * VEC_BYTES, f);
    for (u32 i = 0; i < ROWS; i++)
        VEC_PREFETCH(text + AHEAD + i * VEC_BYTES);
}

/* Bit i: byte i is 0. */
WALK_INTO u64 zeros(vec v)
{
    return vec_eq(v, vec_all(0));
}

WALK_INTO u32 count_zeros(const vec other[ROWS])
{
    return VEC_COUNT(zeros(other[0])) + VEC_COUNT(zeros(other[1])) + VEC_COUNT(zeros(other[2])) +
           VEC_COUNT(zeros(other[3]));
}

/* Starts are only counted, where that needs no branch: all from `at` up to `last`. */
WALK_INTO u32 count_starts(const search *q, const probe *p, u32 count, u32 fold, u32 at, u32 last,
                           front *f)
{
    u64 counted = 0;
    for (; at <= last; at += ROWS * VEC_BYTES) {
        vec other[ROWS];
        rows(p, count, fold, q->task->text + p[0].place + at, f, other);
        counted += count_zeros(other);
    }
    *q->task->out->cursor += counted;
    return at;
}

/* The starts [first, stop), of which there are LONG_RUN at least, but for some at the end. Returns
 * which is the first of those, or where it was tired. */
WALK_INTO u32 run(search *q, const packed_tables *t, u32 first, u32 stop, u32 count, u32 fold)
{
    const bool whole = q->length <= count;
    const bool counts = whole && q->task->out->capacity == 0;
    const u32 last = stop - READ_ROWS * VEC_BYTES;
    u64 counted = 0;
    probe p[PACKED_PAIRS];
    front f;
    place_probes(q, t, count, p);
    q->failed = 0;
    const u8 *text = q->task->text + p[0].place;
    u32 at = first + (0 - (u32)(uintptr_t)(text + first)) % VEC_BYTES;
    take(q, first, some_fit(q, t, count, first, VEC_BYTES) & vec_mask(at - first), whole, true);
    open_front(p, count, fold, text + at, &f);
    if (VEC_MASKS && counts)
        return count_starts(q, p, count, fold, at, last, &f);
    for (; at <= last; at += ROWS * VEC_BYTES) {
        vec other[ROWS];
        rows(p, count, fold, text + at, &f, other);
        if (PORT_LIKELY(!vec_any_zero(
                vec_both(vec_both(other[0], other[1]), vec_both(other[2], other[3])))))
            continue;
        if (counts) {
            counted += count_zeros(other);
            continue;
        }
        const u64 fits[ROWS] = { zeros(other[0]), zeros(other[1]), zeros(other[2]),
                                 zeros(other[3]) };
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
RUN(run_1, 1, PACKED_EXACT)
RUN(run_2, 2, PACKED_EXACT)
RUN(run_3, 3, PACKED_EXACT)
RUN(run_4, 4, PACKED_EXACT)
RUN(run_6, 6, PACKED_EXACT)
RUN(run_8, 8, PACKED_EXACT)
RUN(fold_1, 1, PACKED_FOLDED)
RUN(fold_2, 2, PACKED_FOLDED)
RUN(fold_3, 3, PACKED_FOLDED)
RUN(fold_4, 4, PACKED_FOLDED)
RUN(fold_6, 6, PACKED_FOLDED)
RUN(fold_8, 8, PACKED_FOLDED)
RUN(mixed_2, 2, PACKED_MIXED)
RUN(mixed_3, 3, PACKED_MIXED)
RUN(mixed_4, 4, PACKED_MIXED)
RUN(mixed_6, 6, PACKED_MIXED)
RUN(mixed_8, 8, PACKED_MIXED)

/* Two rows that the same bytes of the pattern are compared with; `other` is 0 where they fit. */
typedef struct two_rows {
    const u8 *pattern, *keep, *text[2];
    vec other[2];
} two_rows;

WALK_INTO void two_differ(two_rows *r, u32 place)
{
    const vec byte = vec_all(r->pattern[place]), keep = vec_all(r->keep[place]);
    r->other[0] = vec_or(r->other[0], vec_and(vec_xor(vec_load(r->text[0] + place), byte), keep));
    r->other[1] = vec_or(r->other[1], vec_and(vec_xor(vec_load(r->text[1] + place), byte), keep));
}

WALK_INTO void two_fit(const packed_tables *t, two_rows *r, u64 fits[2])
{
    const u32 count = t->count;
    r->other[0] = r->other[1] = vec_all(0);
    if (count <= PACKED_SINGLE) {
        for (u32 k = 0; k < count; k++)
            two_differ(r, t->place[k]);
    } else {
        for (u32 k = 0; k < packed_probes(count); k++) {
            two_differ(r, t->pair[k]);
            two_differ(r, t->pair[k] + 1);
        }
    }
    fits[0] = vec_eq(r->other[0], vec_all(0));
    fits[1] = vec_eq(r->other[1], vec_all(0));
}

static search search_of(const text_task *task)
{
    const packed_tables *t = (const packed_tables *)task->tables;
    return (search){ .task = task,
                     .pattern = (const u8 *)(task->tables + t->pattern),
                     .keep = (const u8 *)(task->tables + t->keep),
                     .length = t->length };
}

/* What was found of a few starts. */
WALK_APART void take_few(text_task *task, const u32 start[2], const u64 fits[2])
{
    search q = search_of(task);
    const bool whole = q.length <= ((const packed_tables *)task->tables)->count;
    take(&q, start[0], fits[0], whole, true);
    take(&q, start[1], fits[1], whole, true);
    task->candidates += q.candidates;
}

/* Fewer starts than a row has. */
WALK_APART void walk_part(text_task *task, u32 at, u32 stop)
{
    const packed_tables *t = (const packed_tables *)task->tables;
    search q = search_of(task);
    const u64 fits = some_fit(&q, t, t->count, at, stop - at);
    take(&q, at, fits, q.length <= t->count, false);
    task->candidates += q.candidates;
}

/* The starts [at, stop), not many, of a walk that began at `first`: nothing is made ready. Those of
 * the last row are tried together with some before them. */
static void walk_few(text_task *task, u32 first, u32 at, u32 stop)
{
    if (stop - first < VEC_BYTES) {
        walk_part(task, at, stop);
        return;
    }
    const packed_tables *t = (const packed_tables *)task->tables;
    two_rows r = { .pattern = (const u8 *)(task->tables + t->pattern),
                   .keep = (const u8 *)(task->tables + t->keep) };
    for (const u32 last = stop - VEC_BYTES; at < stop; at += 2 * VEC_BYTES) {
        const u32 next = at + VEC_BYTES;
        const u32 start[2] = { at < last ? at : last, next < last ? next : last };
        u64 fits[2];
        r.text[0] = task->text + start[0];
        r.text[1] = task->text + start[1];
        two_fit(t, &r, fits);
        fits[0] &= ~vec_mask(at - start[0]);
        fits[1] &= ~vec_mask(next - start[1]);
        if (fits[0] | fits[1])
            take_few(task, start, fits);
    }
}

WALK_APART u32 walk_long(text_task *task, u32 first, u32 stop)
{
    static u32 (*const runs[][PACKED_BYTES + 1])(search *, const packed_tables *, u32, u32) = {
        { NULL, run_1, run_2, run_3, run_4, NULL, run_6, NULL, run_8 },
        { NULL, fold_1, fold_2, fold_3, fold_4, NULL, fold_6, NULL, fold_8 },
        { NULL, fold_1, mixed_2, mixed_3, mixed_4, NULL, mixed_6, NULL, mixed_8 },
    };
    const packed_tables *t = (const packed_tables *)task->tables;
    search q = search_of(task);
    u32 at = first;
    bool over = false;
    for (u32 count = t->count; stop - at >= LONG_RUN && !over; count = packed_more(count)) {
        /* What is compared in full anyhow may be compared more quickly here. */
        const u32 fold = t->fold == PACKED_MIXED && q.length > count ? PACKED_FOLDED : t->fold;
        at = runs[fold][count](&q, t, at, stop);
        over = count == PACKED_BYTES || give_up(task, at, q.work);
    }
    task->candidates += q.candidates;
    if (stop - at >= LONG_RUN)
        return at;
    walk_few(task, first, at, stop);
    return task->end;
}

static u32 packed_walk(text_task *task)
{
    const u32 m = ((const packed_tables *)task->tables)->length;
    const u32 first = task->begin - task->from >= m - 1 ? task->begin - (m - 1) : task->from;
    if (task->end - task->from < m || task->end - m < first)
        return task->end;
    const u32 stop = task->end - m + 1;
    if (stop - first >= LONG_RUN)
        return walk_long(task, first, stop);
    walk_few(task, first, first, stop);
    return task->end;
}

const walk VEC_NAME(walk_packed) = { .text = packed_walk };
