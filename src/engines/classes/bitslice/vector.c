/* vector.c: thousands of class patterns at once, by bit-slicing.
 *
 * Idea: extended SHIFT-AND (classes/shiftand/vector.c) turned on its side. There a word holds
 * positions of patterns and moves with every byte. Here a word holds the answers to one question
 * for many places of the text, and nothing moves. A block is cut into 512 lanes of L bytes; bit l
 * of row j of a class says that byte l * L + j belongs to it. What lies d bytes after all those
 * places is row j + d. So the steps S' = (S << 1) & Ch become ANDs of rows of classes at their
 * distances, for 512 places each; they may be taken in any order, the rarest first, and most are
 * never taken: after a few no place is left.
 *
 * 1. 16 rows of text at a time: bytes of 512 lanes side by side (8 x 8 transpositions in words).
 * 2. A row for every byte that matters, by comparison; from these the rows of classes, as unions or
 *    complements of unions, each of as few others as the builder found. All patterns share them. A
 *    class that an optional part may move by some bytes has the union of its last rows.
 * 3. Every pattern on 16 rows of places: its `early` tests; where some survive, the `late` ones.
 * 4. What still survives is compared byte by byte.
 *
 * A place is not where a match may begin, but its anchor: a position that every match has, chosen
 * so that it and the few rows after it say most. What lies between two optional parts is a segment.
 * The segment with the anchor is compared first; then, if there are others, the set of places that
 * can be reached, segment by segment: back to some start, and on to the ends.
 *
 * An end that several anchors lead to is reported by the last of them: an anchor does not report an
 * end that a later one leads to, too, which shows when the segments are run backwards. So what a
 * place reports depends on no other place, whatever the slices.
 *
 * Invariant: all occurrences whose last anchor is before `base` have been reported, and no other,
 * except records that are held back. They are held back as long as the block may be given up: its
 * tiles lie across all of it, so it is left to the fallback as a whole. The fallback begins with
 * what begins at `base`; so ends of matches that begin before it, and have their last anchor after
 * it, are then looked for place by place.
 *
 * Rows are kept as long as steps need them: a few hundred properties of some 50 rows of 64 bytes
 * stay in the second cache, however long the lanes are.
 *
 * Cost: O(n * patterns / 512), and what survives. Bytes above `end` read as 0: the comparison
 * refuses what they let through.
 *
 * Sources: Baeza-Yates and Gonnet 1992, Navarro and Raffinot 2001 (SHIFT-AND); Biham 1997 (words as
 * many machines of one bit).
 */
#include "engines/classes/bitslice/layout.h"

#include "engines/shared/vec.h"

enum { HIT_ROWS = 4, CHUNK = 256, FOUND = 512 };

/* Nanoseconds, for give_up. */
enum { WORK_HIT = 12, WORK_START = 8, WORK_PLACE = 4 };

/* A place that passed all tests of a pattern. */
typedef struct found_place {
    u32 pattern, place;
} found_place;

/* A block that is being searched. */
typedef struct slicer {
    const text_task *task;
    const bitslice_tables *tables;
    u8 *rows;   /* [rows][stride][BITSLICE_ROW]: rows of lanes from `low` on */
    u8 *square; /* [BITSLICE_STEP][BITSLICE_LANES]: text, a row beside the other */
    size_t stride;
    u32 base, length; /* where the block begins, bytes of a lane */
    u32 low;
    bool gives_up;              /* the fallback tells of what begins at `base` or after it */
    u64 work, most, candidates; /* more work, and the block is given up, */
    const sink *out, *held;     /* as long as what it reports is held back */
    u32 found_count;
    found_place found[FOUND];
} slicer;

/* ---- text to rows --------------------------------------------------------------- */

/* In rows i and i + far of 8 x 8 bytes, for each i without the bit `far`, exchange the squares of
 * `far` bytes beside the diagonal. `far` is a constant at each call. */
WALK_INTO void exchange(u64 *words, u32 far, u64 keep)
{
    for (u32 i = 0; i < 8; i++)
        if (!(i & far)) {
            const u64 other = ((words[i] >> 8 * far) ^ words[i + far]) & keep;
            words[i + far] ^= other;
            words[i] ^= other << 8 * far;
        }
}

WALK_INTO void turn_over(u64 *words)
{
    for (u32 i = 0; i < 4; i++) {
        const u64 word = words[i];
        words[i] = words[7 - i];
        words[7 - i] = word;
    }
}

/* words[i] is row i of 8 x 8 bytes: make it column i. */
WALK_INTO void transpose8(u64 *words)
{
    const u16 probe = 1;
    const bool turns = *(const u8 *)&probe != 1; /* the first byte of memory is a word's highest */
    if (turns)
        turn_over(words);
    exchange(words, 1, 0x00ff00ff00ff00ffu);
    exchange(words, 2, 0x0000ffff0000ffffu);
    exchange(words, 4, 0x00000000ffffffffu);
    if (turns)
        turn_over(words);
}

/* Bytes [at, at + 8) of the text; zeros after its end. */
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
    return s->rows + (property * s->stride + row - s->low) * BITSLICE_ROW;
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

/* The rows [from, upto) of all lanes to the beginning of those that are kept. */
WALK_APART void move_rows(slicer *s, u32 from, u32 upto)
{
    for (u32 i = 0; i < s->tables->rows; i++)
        memmove(row_at(s, i, s->low), row_at(s, i, from), (size_t)(upto - from) * BITSLICE_ROW);
    s->low = from;
}

/* ---- what survives --------------------------------------------------------------- */

/* Numbers 0 .. 255: how far after a place, or before an end. */
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

WALK_INTO bool any_far(const far_set *set)
{
    return (set->word[0] | set->word[1] | set->word[2] | set->word[3]) != 0;
}

WALK_INTO bool checks_fit(const slicer *s, u32 at, u32 count, const u8 *text)
{
    const u32 *checks = s->task->tables + at, *sets = s->task->tables + s->tables->sets;
    for (u32 i = 0; i < count; i++)
        if (!belongs(sets, BITSLICE_WHAT(checks[i]), text[BITSLICE_WHERE(checks[i])]))
            return false;
    return true;
}

/* `d`, and what lies after it as far as bytes of the gap's class reach; from[d], or from[-d]. */
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

/* From places before `stop`, where segment `last` ends or its gap, to where segment `first` begins:
 * in both sets by their distance from `stop`, at most `most`. Whether there is any. */
static bool go_back(slicer *s, const bitslice_segment *segments, u32 first, u32 last, u32 stop,
                    u32 most, far_set *set)
{
    const u8 *text = s->task->text + stop;
    most = most < BITSLICE_LONGEST ? most : BITSLICE_LONGEST;
    for (u32 k = last + 1; k-- > first && any_far(set);) {
        const bitslice_segment *g = &segments[k];
        far_set open = { { 0 } }, next = { { 0 } };
        for (u32 w = 0; w < 4; w++)
            for (; set->word[w]; set->word[w] &= set->word[w] - 1)
                cross_gap(s, g, text - 1, true, w * 64 + PORT_CTZ64(set->word[w]), most, &open);
        for (u32 w = 0; w < 4; w++)
            for (; open.word[w]; open.word[w] &= open.word[w] - 1) {
                const u32 d = w * 64 + PORT_CTZ64(open.word[w]) + g->length;
                s->work += WORK_PLACE;
                if (d <= most && checks_fit(s, g->checks, g->check_count, text - d))
                    add_far(&next, d);
            }
        *set = next;
    }
    return any_far(set);
}

/* From after segment `first`, which begins at `begin`, to the ends of matches. */
static bool go_on(slicer *s, const bitslice_segment *segments, u32 first, u32 count, u32 begin,
                  far_set *set)
{
    const u8 *text = s->task->text + begin;
    const u32 left = s->task->end - begin;
    const u32 most = left < BITSLICE_LONGEST ? left : BITSLICE_LONGEST;
    cross_gap(s, &segments[first], text, false, segments[first].length, most, set);
    for (u32 k = first + 1; k < count && any_far(set); k++) {
        const bitslice_segment *g = &segments[k];
        far_set next = { { 0 } };
        for (u32 w = 0; w < 4; w++)
            for (; set->word[w]; set->word[w] &= set->word[w] - 1) {
                const u32 d = w * 64 + PORT_CTZ64(set->word[w]);
                s->work += WORK_PLACE;
                if (d + g->length <= most && checks_fit(s, g->checks, g->check_count, text + d))
                    cross_gap(s, g, text, false, d + g->length, most, &next);
            }
        *set = next;
    }
    return any_far(set);
}

/* Whether the end `stop` is told of by a later anchor than that of the segment at `begin`, or by
 * the fallback. */
static bool silent(slicer *s, const bitslice_pattern *p, const bitslice_segment *segments,
                   u32 begin, u32 stop)
{
    const u32 last = p->segment_count - 1;
    far_set set = { { 1 } };
    if (go_back(s, segments, p->at, last, stop, stop - begin - 1, &set) &&
        (p->at == 0 || go_back(s, segments, 0, p->at - 1, stop, stop - s->task->from, &set)))
        return true;
    set = (far_set){ { 1 } };
    return s->gives_up && stop > s->base &&
           go_back(s, segments, 0, last, stop, stop - s->base, &set);
}

/* The ends over the segment with the anchor, which begins at `begin` and has been compared. */
WALK_APART void report_ends(slicer *s, const bitslice_pattern *p, u32 begin)
{
    const text_task *task = s->task;
    const bitslice_segment *segments = (const bitslice_segment *)(task->tables + p->segments);
    far_set set = { { 1 } }, ends = { { 0 } };
    if ((p->at > 0 && !go_back(s, segments, 0, p->at - 1, begin, begin - task->from, &set)) ||
        !go_on(s, segments, p->at, p->segment_count, begin, &ends))
        return;
    for (u32 w = 0; w < 4; w++)
        for (; ends.word[w]; ends.word[w] &= ends.word[w] - 1) {
            const u32 stop = begin + w * 64 + PORT_CTZ64(ends.word[w]);
            if (stop > task->begin && !silent(s, p, segments, begin, stop))
                sink_put(s->out, stop, p->index);
        }
}

/* A place that passed the tests; `count` checks are left. */
WALK_INTO void verify_place(slicer *s, const bitslice_pattern *p, u32 place, u32 count)
{
    const text_task *task = s->task;
    const u32 begin = place - p->anchor;
    s->work += WORK_START;
    s->candidates++;
    if (place - task->from < p->anchor || p->length > task->end - begin ||
        !checks_fit(s, p->checks, count, task->text + begin))
        return;
    if (p->segment_count)
        report_ends(s, p, begin);
    else if (begin + p->length > task->begin)
        sink_put(s->out, begin + p->length, p->index);
}

/* Hand on what was held back; from now on the block cannot be given up. */
static void let_go(slicer *s)
{
    const sink *held = s->held, *out = s->task->out;
    for (u64 i = 0; i < *held->cursor; i++)
        sink_put(out, held->records[i].pos, held->records[i].index);
    *held->cursor = 0;
    s->out = out;
}

/* What has been found so far. False: the block is to be given up. */
static bool verify_found(slicer *s)
{
    const bitslice_pattern *p = (const bitslice_pattern *)(s->task->tables + s->tables->pattern);
    for (u32 i = 0; i < s->found_count; i++) {
        const bitslice_pattern *of = p + s->found[i].pattern;
        verify_place(s, of, s->found[i].place, of->check_count);
    }
    s->found_count = 0;
    if (s->out != s->held)
        return true;
    if (s->work > s->most || *s->held->cursor > s->held->capacity) /* some were not kept */
        return false;
    if (*s->held->cursor > s->held->capacity / 2)
        let_go(s);
    return true;
}

/* A place that passed all tests. What there is to compare is wanted later. */
WALK_INTO bool note_place(slicer *s, const bitslice_pattern *p, u32 pattern, u32 place)
{
    if (!p->check_count && !p->segment_count) {
        verify_place(s, p, place, 0);
        return true;
    }
    VEC_PREFETCH(s->task->text + place);
    VEC_PREFETCH(s->task->tables + p->checks);
    s->found[s->found_count++] = (found_place){ pattern, place };
    return s->found_count < FOUND || verify_found(s);
}

/* Rows [row, row + HIT_ROWS) of places, of which some survived the early tests: through all, once
 * more, and all rows at once, for which ones are left cannot be foreseen. */
WALK_INTO bool rows_hit(slicer *s, const bitslice_pattern *p, u32 pattern, u32 row)
{
    const u32 *tests = s->task->tables + p->tests;
    const u8 *rows = row_at(s, 0, row);
    vec a = vec_all(255), b = a, c = a, d = a;
    u64 words[HIT_ROWS * BITSLICE_LANES / 64];
    s->work += WORK_HIT;
    for (u32 k = 0; k < p->test_count; k++) {
        const u8 *from = rows + (size_t)tests[k] * BITSLICE_ROW;
        a = vec_and(a, vec_load(from));
        b = vec_and(b, vec_load(from + BITSLICE_ROW));
        c = vec_and(c, vec_load(from + (size_t)2 * BITSLICE_ROW));
        d = vec_and(d, vec_load(from + (size_t)3 * BITSLICE_ROW));
    }
    u32 left =
        vec_nonzero64(a) | vec_nonzero64(b) << 8 | vec_nonzero64(c) << 16 | vec_nonzero64(d) << 24;
    if (!left)
        return true;
    vec_store(words, a);
    vec_store(words + BITSLICE_LANES / 64, b);
    vec_store(words + 2 * BITSLICE_LANES / 64, c);
    vec_store(words + 3 * BITSLICE_LANES / 64, d);
    for (; left; left &= left - 1) {
        const u32 i = PORT_CTZ64(left);
        const u64 lane = i * 64 % BITSLICE_LANES, j = i * 64 / BITSLICE_LANES;
        const u64 first = s->base + lane * s->length + row + j;
        for (u64 word = words[i]; word; word &= word - 1) {
            const u64 place = first + (u64)PORT_CTZ64(word) * s->length;
            if (place < s->task->end && !note_place(s, p, pattern, (u32)place))
                return false;
        }
    }
    return true;
}

/* Those of `count` hits: HIT_ROWS rows, a number from `row` on, of a pattern, after `first`. */
WALK_APART bool take_hits(slicer *s, u32 first, u32 row, const u16 *hits, u32 count)
{
    enum { SOON = 4 };
    const bitslice_pattern *p = (const bitslice_pattern *)(s->task->tables + s->tables->pattern);
    for (u32 i = 0; i < count; i++) {
        const u32 pattern = first + hits[i] / (BITSLICE_STEP / HIT_ROWS);
        VEC_PREFETCH(p + first +
                     hits[i + SOON < count ? i + SOON : i] / (BITSLICE_STEP / HIT_ROWS));
        if (!rows_hit(s, p + pattern, pattern,
                      row + hits[i] % (BITSLICE_STEP / HIT_ROWS) * HIT_ROWS))
            return false;
    }
    return verify_found(s);
}

/* The block at s->base is left to the fallback: tell of what begins before it, and has its last
 * anchor there. */
static void give_block_up(slicer *s)
{
    const text_task *task = s->task;
    const bitslice_pattern *p = (const bitslice_pattern *)(task->tables + s->tables->pattern);
    s->out = task->out;
    s->gives_up = true;
    for (u32 i = 0; s->base > task->from && i < s->tables->count; i++)
        for (u32 k = 0; k < p[i].before && k < task->end - s->base; k++)
            verify_place(s, &p[i], s->base + k, p[i].full_count);
}

/* ---- tests ---------------------------------------------------------------------- */

/* BITSLICE_STEP rows of places through the early tests of `count` patterns, `early` of each, a
 * constant at each call. What some place passes is noted without a branch, which would often be
 * foretold wrongly. False: the block is to be given up. */
WALK_INTO bool test_run(slicer *s, u32 first, const u32 *tests, u32 count, u32 early, u32 row)
{
    const u8 *rows = row_at(s, 0, row);
    for (u32 done = 0; done < count; done += CHUNK) {
        const u32 some = count - done < CHUNK ? count - done : CHUNK;
        u16 hits[CHUNK * (BITSLICE_STEP / HIT_ROWS)];
        u32 hit_count = 0;
        for (u32 i = 0; i < some; i++, tests += early)
            for (u32 j = 0; j < BITSLICE_STEP; j += HIT_ROWS) {
                const u8 *here = rows + (size_t)j * BITSLICE_ROW;
                const u8 *from = here + (size_t)tests[0] * BITSLICE_ROW;
                vec a = vec_load(from), b = vec_load(from + BITSLICE_ROW);
                vec c = vec_load(from + (size_t)2 * BITSLICE_ROW);
                vec d = vec_load(from + (size_t)3 * BITSLICE_ROW);
                for (u32 k = 1; k < early; k++) {
                    from = here + (size_t)tests[k] * BITSLICE_ROW;
                    a = vec_and(a, vec_load(from));
                    b = vec_and(b, vec_load(from + BITSLICE_ROW));
                    c = vec_and(c, vec_load(from + (size_t)2 * BITSLICE_ROW));
                    d = vec_and(d, vec_load(from + (size_t)3 * BITSLICE_ROW));
                }
                hits[hit_count] = (u16)((i * BITSLICE_STEP + j) / HIT_ROWS);
                hit_count += vec_any(vec_or(vec_or(a, b), vec_or(c, d)));
            }
        if (hit_count && !take_hits(s, first + done, row, hits, hit_count))
            return false;
    }
    return true;
}

/* All patterns on BITSLICE_STEP rows of places. */
WALK_APART bool test_patterns(slicer *s, u32 row)
{
    const u32 *tests = s->task->tables + s->tables->early, *runs = s->tables->runs;
    bool goes_on = true;
    u32 first = 0;
#define TEST_RUN(early)                                                                            \
    goes_on = goes_on && test_run(s, first, tests, runs[(early)-1], early, row);                   \
    first += runs[(early)-1];                                                                      \
    tests += (size_t)runs[(early)-1] * (early);
    TEST_RUN(1)
    TEST_RUN(2)
    TEST_RUN(3)
    TEST_RUN(4)
    TEST_RUN(5)
    TEST_RUN(6)
    TEST_RUN(7)
    TEST_RUN(8)
#undef TEST_RUN
    return goes_on;
}

/* ---- blocks --------------------------------------------------------------------- */

/* The block at s->base. False: it is too much work, and nothing of it has been reported. */
static bool slice_block(slicer *s)
{
    const text_task *task = s->task;
    const u32 ahead = bitslice_rows_ahead(s->tables);
    u32 made = 0;
    s->out = task->allowance != WALK_NEVER ? s->held : task->out;
    s->low = s->found_count = 0;
    for (u32 row = 0; row < s->length; row += BITSLICE_STEP) {
        for (; made < row + BITSLICE_STEP + ahead; made += BITSLICE_STEP) {
            if (made + BITSLICE_STEP - s->low > s->tables->held)
                move_rows(s, row, made);
            slice_text(s, made);
            slice_letters(s, made);
            slice_classes(s, made);
        }
        const u64 bytes = s->base - task->from + (u64)(row + BITSLICE_STEP) * BITSLICE_LANES;
        s->most = task->allowance + (1 + task->patience / 2) * bytes;
        if (!test_patterns(s, row))
            return false;
    }
    if (s->out == s->held)
        let_go(s);
    return true;
}

static u32 bitslice_walk(text_task *task)
{
    const bitslice_tables *t = (const bitslice_tables *)task->tables;
    u8 *scratch = (u8 *)task->state + (BITSLICE_ROW - (uintptr_t)task->state % BITSLICE_ROW);
    slicer s = { .task = task, .tables = t, .base = task->from, .stride = (size_t)t->held + 1 };
    u64 count = 0;
    s.square = scratch;
    const sink held = { &count, (record *)(void *)(s.square + BITSLICE_STEP * BITSLICE_LANES),
                        BITSLICE_RECORDS };
    s.held = &held;
    s.rows = (u8 *)(held.records + BITSLICE_RECORDS);
    while (s.base < task->end) {
        const u32 left = task->end - s.base;
        const u32 shared = (left - 1) / BITSLICE_LANES + 1;
        s.length = (shared + BITSLICE_STEP - 1) / BITSLICE_STEP * BITSLICE_STEP;
        s.length = s.length < t->length ? s.length : t->length;
        count = 0;
        const bool whole = slice_block(&s);
        task->candidates = s.candidates;
        if (!whole) {
            give_block_up(&s);
            return s.base;
        }
        const u64 next = s.base + (u64)s.length * BITSLICE_LANES;
        s.base = next < task->end ? (u32)next : task->end;
    }
    return task->end;
}

const walk VEC_NAME(walk_bitslice) = { .text = bitslice_walk, .scratch = true };
