/* bitslice.c: thousands of class patterns at once, by bit-slicing.
 *
 * Idea: extended SHIFT-AND (vector/shiftand.c) turned on its side. There a word holds positions
 * of patterns and moves with every byte. Here a word holds the same question of many places of
 * the text, and nothing moves. A block is cut into 512 lanes of L bytes; bit l of row j of a class
 * says that byte l * L + j belongs to it. What lies d bytes behind all those places is row j + d.
 * So the steps S' = (S << 1) & Ch become ANDs of rows of classes at their distances, for 512 starts
 * each; they may be taken in any order, the rarest first, and most are never taken: a few leave no
 * start at all.
 *
 * 1. 16 rows of text at a time: bytes of 512 lanes side by side (8 x 8 transpositions in words).
 * 2. A row for every byte that matters, by comparison; of these the rows of classes, as unions or
 *    complements of unions, each from as few others as the builder found. All patterns share them.
 *    What an optional part may move by some bytes, a class or a group of classes at fixed
 *    distances, has the union of its last rows.
 * 3. Every pattern on 16 rows of starts: its `early` tests; where some survive, the `late` ones.
 * 4. What still survives is compared byte by byte: the fixed positions before the first optional
 *    one, then, if there is any, the set of places that are reachable, segment by segment.
 *
 * An end that is reached from several starts is reported from the last of them: a start is silent
 * about an end that a later one reaches too, which the segments say when they are run backwards.
 * That decides what a place says without remembering any other, whatever the slices.
 *
 * Invariant: all occurrences of whose starts the last is before `base` have been reported, and no
 * other, but for records that are held back. They are, as long as the block may be given up: its
 * tiles lie across all of it, so it is left to the fallback as a whole.
 *
 * Cost: O(n * patterns / 512), and what survives. Bytes above `end` read as 0: the comparison
 * refuses what they let through.
 *
 * Sources: Baeza-Yates and Gonnet 1992, Navarro and Raffinot 2001 (SHIFT-AND); Biham 1997 (words as
 * many machines of one bit).
 */
#include "table/bitslice.h"

#include "walk/vec.h"

enum { HIT_ROWS = 4 };

/* Nanoseconds, for give_up. */
enum { WORK_HIT = 12, WORK_START = 8, WORK_PLACE = 4 };

/* A block that is being searched. */
typedef struct slicer {
    const text_task *task;
    const bitslice_tables *tables;
    u8 *rows;   /* [rows][stride][BITSLICE_ROW] */
    u8 *square; /* [BITSLICE_STEP][BITSLICE_LANES]: text, a row beside the other */
    u8 *hits;   /* [HIT_ROWS][BITSLICE_ROW] */
    size_t stride;
    u32 base, length; /* where the block begins, bytes of a lane */
    u64 work, candidates;
    const sink *out;
} slicer;

/* ---- text to rows --------------------------------------------------------------- */

/* words[i] is row i of 8 x 8 bytes: make it column i. */
WALK_INTO void transpose8(u64 *words)
{
    static const u64 keep[3] = { 0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu };
    const u16 probe = 1;
    if (*(const u8 *)&probe != 1) { /* the first byte of memory is the highest of a word */
        for (u32 i = 0; i < 4; i++) {
            const u64 word = words[i];
            words[i] = words[7 - i];
            words[7 - i] = word;
        }
    }
    for (u32 level = 0; level < 3; level++) {
        const u32 far = 1u << level, shift = 8u << level;
        for (u32 i = 0; i < 8; i++) {
            if (i & far)
                continue;
            const u64 low = words[i], high = words[i + far];
            words[i] = (low & keep[level]) | (high & keep[level]) << shift;
            words[i + far] = (low >> shift & keep[level]) | (high & ~keep[level]);
        }
    }
    if (*(const u8 *)&probe != 1) {
        for (u32 i = 0; i < 4; i++) {
            const u64 word = words[i];
            words[i] = words[7 - i];
            words[7 - i] = word;
        }
    }
}

/* Bytes [at, at + 8) of the text; zeros behind its end. */
WALK_INTO u64 eight_bytes(const text_task *t, u64 at)
{
    u64 word = 0;
    if (PORT_LIKELY(at + 8 <= t->end))
        memcpy(&word, t->text + at, 8);
    else if (at < t->end)
        memcpy(&word, t->text + at, (size_t)(t->end - at));
    return word;
}

/* Rows [row, row + BITSLICE_STEP) of the text. */
WALK_APART void slice_text(const slicer *s, u32 row)
{
    for (u32 lane = 0; lane < BITSLICE_LANES; lane += 8)
        for (u32 j = 0; j < BITSLICE_STEP; j += 8) {
            u64 words[8];
            for (u32 i = 0; i < 8; i++)
                words[i] = eight_bytes(s->task, s->base + (u64)(lane + i) * s->length + row + j);
            transpose8(words);
            for (u32 i = 0; i < 8; i++)
                memcpy(s->square + (size_t)(j + i) * BITSLICE_LANES + lane, &words[i], 8);
        }
}

WALK_INTO u8 *row_at(const slicer *s, u32 property, u32 row)
{
    return s->rows + (property * s->stride + row) * BITSLICE_ROW;
}

WALK_APART void slice_letters(const slicer *s, u32 row)
{
    const bitslice_tables *t = s->tables;
    const bitslice_letter *letters = (const bitslice_letter *)(s->task->tables + t->letter);
    const u8 *bytes = (const u8 *)(s->task->tables + t->bytes);
    for (u32 j = 0; j < BITSLICE_STEP; j++) {
        const u8 *text = s->square + (size_t)j * BITSLICE_LANES;
        vec v[BITSLICE_LANES / 64];
        for (u32 w = 0; w < BITSLICE_LANES / 64; w++)
            v[w] = vec_load(text + (size_t)w * 64);
        for (u32 i = 0; i < t->letters; i++) {
            const u8 *of = bytes + letters[i].first;
            u64 masks[BITSLICE_LANES / 64] = { 0 };
            for (u32 b = 0; b < letters[i].count; b++) {
                const vec letter = vec_all(of[b]);
                for (u32 w = 0; w < BITSLICE_LANES / 64; w++)
                    masks[w] |= vec_eq(v[w], letter);
            }
            memcpy(row_at(s, i, row + j), masks, sizeof masks);
        }
    }
}

/* Rows [row, row + BITSLICE_STEP) of all that is made of others. */
WALK_APART void slice_classes(const slicer *s, u32 row)
{
    const bitslice_tables *t = s->tables;
    const bitslice_operation *operations =
        (const bitslice_operation *)(s->task->tables + t->operation);
    const u32 *inputs = s->task->tables + t->inputs;
    const vec ones = vec_all(255);
    for (u32 i = t->letters; i < t->rows; i++) {
        const bitslice_operation *op = &operations[i - t->letters];
        const u32 *in = inputs + op->first;
        u8 *to = row_at(s, i, row);
        if (op->kind == BITSLICE_WIDEN) {
            const u8 *from = row_at(s, in[0], row);
            for (u32 j = row < in[1] ? in[1] - row : 0; j < BITSLICE_STEP; j++) {
                const u8 *here = from + (size_t)j * BITSLICE_ROW;
                vec_store(to + (size_t)j * BITSLICE_ROW,
                          vec_or(vec_load(here), vec_load(here - (size_t)in[1] * BITSLICE_ROW)));
            }
            continue;
        }
        if (op->kind == BITSLICE_ALL) {
            u32 back = 0;
            for (u32 k = 1; k < op->count; k += 2)
                back = in[k] > back ? in[k] : back;
            for (u32 j = row < back ? back - row : 0; j < BITSLICE_STEP; j++) {
                vec all = ones;
                for (u32 k = 0; k < op->count; k += 2)
                    all = vec_and(all, vec_load(row_at(s, in[k], row + j - in[k + 1])));
                vec_store(to + (size_t)j * BITSLICE_ROW, all);
            }
            continue;
        }
        const vec turn = op->kind == BITSLICE_NONE ? ones : vec_all(0);
        for (u32 j = 0; j < BITSLICE_STEP; j += 4) {
            vec a = vec_all(0), b = a, c = a, d = a;
            for (u32 k = 0; k < op->count; k++) {
                const u8 *from = row_at(s, in[k], row + j);
                a = vec_or(a, vec_load(from));
                b = vec_or(b, vec_load(from + BITSLICE_ROW));
                c = vec_or(c, vec_load(from + (size_t)2 * BITSLICE_ROW));
                d = vec_or(d, vec_load(from + (size_t)3 * BITSLICE_ROW));
            }
            u8 *here = to + (size_t)j * BITSLICE_ROW;
            vec_store(here, vec_xor(a, turn));
            vec_store(here + BITSLICE_ROW, vec_xor(b, turn));
            vec_store(here + (size_t)2 * BITSLICE_ROW, vec_xor(c, turn));
            vec_store(here + (size_t)3 * BITSLICE_ROW, vec_xor(d, turn));
        }
    }
}

/* ---- what survives --------------------------------------------------------------- */

/* Numbers 0 .. 255: how far behind a start, or before an end. */
typedef struct far_set {
    u64 word[4];
} far_set;

WALK_INTO bool belongs(const u32 *sets, u32 class, u8 byte)
{
    return sets[class * 8 + byte / 32] >> (byte % 32) & 1;
}

WALK_INTO void add_far(far_set *set, u32 d)
{
    set->word[d / 64] |= (u64)1 << (d % 64);
}

WALK_INTO bool segment_fits(const slicer *s, const bitslice_segment *g, const u8 *text)
{
    const u32 *checks = s->task->tables + g->checks, *sets = s->task->tables + s->tables->sets;
    for (u32 i = 0; i < g->check_count; i++)
        if (!belongs(sets, BITSLICE_WHAT(checks[i]), text[BITSLICE_WHERE(checks[i])]))
            return false;
    return true;
}

/* `d`, and what lies behind it as far as bytes of the gap's class reach; from[d], or from[-d]. */
WALK_INTO void cross_gap(const slicer *s, const bitslice_segment *g, const u8 *from, bool back,
                         u32 d, u32 most, far_set *to)
{
    const u32 *sets = s->task->tables + s->tables->sets;
    add_far(to, d);
    for (u32 i = 0; i < g->gap && d < most; i++, add_far(to, d)) {
        if (!belongs(sets, g->gap_class, back ? *(from - d) : from[d]))
            break;
        d++;
    }
}

WALK_INTO bool any_far(const far_set *set)
{
    return (set->word[0] | set->word[1] | set->word[2] | set->word[3]) != 0;
}

/* Whether a start behind `start` reaches the same end too. */
WALK_APART bool later_start(const slicer *s, const bitslice_pattern *p, u32 start, u32 stop)
{
    const bitslice_segment *segments = (const bitslice_segment *)(s->task->tables + p->segments);
    const u8 *last = s->task->text + stop - 1;
    const u32 most = stop - start - 1;
    far_set set = { { 1 } };
    for (u32 k = p->segment_count; k-- > 0 && any_far(&set);) {
        const bitslice_segment *g = &segments[k];
        far_set open = { { 0 } }, next = { { 0 } };
        for (u32 w = 0; w < 4; w++)
            for (; set.word[w]; set.word[w] &= set.word[w] - 1)
                cross_gap(s, g, last, true, w * 64 + PORT_CTZ64(set.word[w]), most, &open);
        for (u32 w = 0; w < 4; w++)
            for (; open.word[w]; open.word[w] &= open.word[w] - 1) {
                const u32 d = w * 64 + PORT_CTZ64(open.word[w]) + g->length;
                if (d <= most && segment_fits(s, g, s->task->text + stop - d))
                    add_far(&next, d);
            }
        set = next;
    }
    return any_far(&set);
}

/* `words`, of the sets: a constant at each call. */
WALK_INTO void report_ends(slicer *s, const bitslice_pattern *p, u32 start, u32 words)
{
    const text_task *task = s->task;
    const bitslice_segment *segments = (const bitslice_segment *)(task->tables + p->segments);
    const u8 *text = task->text + start;
    const u32 left = task->end - start;
    const u32 most = left < words * 64 - 1 ? left : words * 64 - 1;
    far_set set = { { 1 } };
    for (u32 k = 0; k < p->segment_count; k++) {
        const bitslice_segment *g = &segments[k];
        far_set next = { { 0 } };
        u64 any = 0;
        for (u32 w = 0; w < words; w++)
            for (; set.word[w]; set.word[w] &= set.word[w] - 1) {
                const u32 d = w * 64 + PORT_CTZ64(set.word[w]);
                s->work += WORK_PLACE;
                if (d + g->length <= most && segment_fits(s, g, text + d))
                    cross_gap(s, g, text, false, d + g->length, most, &next);
            }
        for (u32 w = 0; w < words; w++)
            any |= next.word[w];
        if (!any)
            return;
        set = next;
    }
    for (u32 w = 0; w < words; w++)
        for (; set.word[w]; set.word[w] &= set.word[w] - 1) {
            const u32 stop = start + w * 64 + PORT_CTZ64(set.word[w]);
            if (stop > task->begin && stop > start && !later_start(s, p, start, stop))
                sink_put(s->out, stop, p->index);
        }
}

/* A start that passed all tests. */
WALK_INTO void verify_start(slicer *s, const bitslice_pattern *p, u32 start)
{
    const text_task *task = s->task;
    const u32 *checks = task->tables + p->checks, *sets = task->tables + s->tables->sets;
    const u8 *text = task->text + start;
    s->work += WORK_START;
    s->candidates++;
    if (p->length > task->end - start)
        return;
    for (u32 i = 0; i < p->check_count; i++)
        if (!belongs(sets, BITSLICE_WHAT(checks[i]), text[BITSLICE_WHERE(checks[i])]))
            return;
    if (p->segment_count && p->longest < 64)
        report_ends(s, p, start, 1);
    else if (p->segment_count)
        report_ends(s, p, start, 4);
    else if (start + p->length > task->begin)
        sink_put(s->out, start + p->length, p->index);
}

/* Rows [row, row + HIT_ROWS) of starts, of which some survived the early tests: s->hits. */
WALK_APART void rows_hit(slicer *s, const bitslice_pattern *p, u32 row)
{
    const u32 *tests = s->task->tables + p->tests + p->early;
    s->work += WORK_HIT;
    for (u32 j = 0; j < HIT_ROWS; j++) {
        vec v = vec_load(s->hits + (size_t)j * BITSLICE_ROW);
        u64 words[BITSLICE_LANES / 64];
        for (u32 k = 0; k < p->late && vec_any(v); k++)
            v = vec_and(v, vec_load(row_at(s, BITSLICE_WHAT(tests[k]),
                                           row + j + BITSLICE_WHERE(tests[k]))));
        if (!vec_any(v))
            continue;
        vec_store(words, v);
        for (u64 bytes = vec_nonzero(v); bytes;) {
            const u32 w = PORT_CTZ64(bytes) / 8;
            bytes &= ~((u64)255 << (8 * w));
            for (; words[w]; words[w] &= words[w] - 1) {
                const u64 lane = w * 64 + PORT_CTZ64(words[w]);
                const u64 start = s->base + lane * s->length + row + j;
                if (start < s->task->end)
                    verify_start(s, p, (u32)start);
            }
        }
    }
}

/* ---- tests ---------------------------------------------------------------------- */

/* BITSLICE_STEP rows of starts through `early` tests, a constant at each call. */
WALK_INTO void test_rows(slicer *s, const bitslice_pattern *p, u32 row, u32 early)
{
    const u32 *tests = s->task->tables + p->tests;
    const u8 *from[8];
    for (u32 k = 0; k < early; k++)
        from[k] = row_at(s, BITSLICE_WHAT(tests[k]), row + BITSLICE_WHERE(tests[k]));
    for (u32 j = 0; j < BITSLICE_STEP; j += HIT_ROWS) {
        const size_t at = (size_t)j * BITSLICE_ROW;
        vec a = vec_load(from[0] + at), b = vec_load(from[0] + at + BITSLICE_ROW);
        vec c = vec_load(from[0] + at + (size_t)2 * BITSLICE_ROW);
        vec d = vec_load(from[0] + at + (size_t)3 * BITSLICE_ROW);
        for (u32 k = 1; k < early; k++) {
            a = vec_and(a, vec_load(from[k] + at));
            b = vec_and(b, vec_load(from[k] + at + BITSLICE_ROW));
            c = vec_and(c, vec_load(from[k] + at + (size_t)2 * BITSLICE_ROW));
            d = vec_and(d, vec_load(from[k] + at + (size_t)3 * BITSLICE_ROW));
        }
        if (PORT_UNLIKELY(vec_any(vec_or(vec_or(a, b), vec_or(c, d))))) {
            vec_store(s->hits, a);
            vec_store(s->hits + BITSLICE_ROW, b);
            vec_store(s->hits + (size_t)2 * BITSLICE_ROW, c);
            vec_store(s->hits + (size_t)3 * BITSLICE_ROW, d);
            rows_hit(s, p, row + j);
        }
    }
}

/* All patterns on BITSLICE_STEP rows of starts. False: it took more work than `most`. */
WALK_APART bool test_patterns(slicer *s, u32 row, u64 most)
{
    const bitslice_pattern *p = (const bitslice_pattern *)(s->task->tables + s->tables->pattern);
    const bitslice_pattern *end = p + s->tables->count;
    for (; p < end && s->work <= most; p++)
        switch (p->early) {
        case 1:
            test_rows(s, p, row, 1);
            break;
        case 2:
            test_rows(s, p, row, 2);
            break;
        case 3:
            test_rows(s, p, row, 3);
            break;
        case 4:
            test_rows(s, p, row, 4);
            break;
        case 5:
            test_rows(s, p, row, 5);
            break;
        case 6:
            test_rows(s, p, row, 6);
            break;
        case 7:
            test_rows(s, p, row, 7);
            break;
        default:
            test_rows(s, p, row, 8);
            break;
        }
    return s->work <= most;
}

/* ---- blocks --------------------------------------------------------------------- */

/* Hand on what was held back; from now on the block cannot be given up. */
static void let_go(slicer *s, const sink *held, const sink *out)
{
    for (u64 i = 0; i < *held->cursor; i++)
        sink_put(out, held->records[i].pos, held->records[i].index);
    *held->cursor = 0;
    s->out = out;
}

/* The block at s->base. False: it is too much work, and nothing of it has been reported. */
static bool slice_block(slicer *s, const sink *held)
{
    const text_task *task = s->task;
    const u32 rows = bitslice_rows_of(s->tables, s->length);
    const bool may_stop = task->allowance != WALK_NEVER;
    u32 made = 0;
    s->out = may_stop ? held : task->out;
    for (u32 row = 0; row < s->length; row += BITSLICE_STEP) {
        const u32 wanted = row + BITSLICE_STEP + s->tables->ahead;
        for (; made < rows && made < wanted; made += BITSLICE_STEP) {
            slice_text(s, made);
            slice_letters(s, made);
            slice_classes(s, made);
        }
        const bool stops = s->out == held;
        const u64 bytes = s->base - task->from + (u64)(row + BITSLICE_STEP) * BITSLICE_LANES;
        const u64 most = task->allowance + s->tables->patience * bytes;
        if (!test_patterns(s, row, stops ? most : UINT64_MAX))
            return false;
        if (!stops)
            continue;
        if (*held->cursor > held->capacity) /* some were not kept */
            return false;
        if (*held->cursor > held->capacity / 2)
            let_go(s, held, task->out);
    }
    if (s->out == held)
        let_go(s, held, task->out);
    return true;
}

u32 VEC_NAME(bitslice_walk)(text_task *task);

u32 VEC_NAME(bitslice_walk)(text_task *task)
{
    const bitslice_tables *t = (const bitslice_tables *)task->tables;
    u8 *scratch = (u8 *)task->state + (BITSLICE_ROW - (uintptr_t)task->state % BITSLICE_ROW);
    slicer s = { .task = task, .tables = t, .base = task->from };
    u64 count = 0;
    s.square = scratch;
    s.hits = s.square + (size_t)BITSLICE_STEP * BITSLICE_LANES;
    const sink held = { &count, (record *)(void *)(s.hits + (size_t)HIT_ROWS * BITSLICE_ROW),
                        BITSLICE_RECORDS };
    s.rows = (u8 *)(held.records + BITSLICE_RECORDS);
    while (s.base < task->end) {
        const u32 left = task->end - s.base;
        const u32 shared = (left - 1) / BITSLICE_LANES + 1;
        s.length = (shared + BITSLICE_STEP - 1) / BITSLICE_STEP * BITSLICE_STEP;
        s.length = s.length < t->length ? s.length : t->length;
        s.stride = (size_t)bitslice_rows_of(t, s.length) + 1;
        count = 0;
        const bool whole = slice_block(&s, &held);
        task->candidates = s.candidates;
        if (!whole)
            return s.base;
        const u64 next = s.base + (u64)s.length * BITSLICE_LANES;
        s.base = next < task->end ? (u32)next : task->end;
    }
    return task->end;
}
