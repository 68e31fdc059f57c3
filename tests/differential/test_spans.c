/* test_spans.c: the reports for patterns that are programs. Random programs,
 * among them sequences, go into plans without tables; what an engine and the
 * sieve would tell the reporter comes from a search so plain that it needs no
 * proof: from each start forward, all positions at once, in Perl's order. Texts
 * are fed in pieces, of which no more is there than the reporter asks for.
 *
 * A case is a plan and some texts under one report. TRAWL_TEST_CASES says how
 * many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fence.h"
#include "match/order.h"
#include "match/sieve.h"
#include "matches.h"
#include "random.h"
#include "scan/facts.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

enum { CASES = 6000, SELDOM = 200 };
enum { ORDERS = 4, PATTERNS = 32, POSITIONS = 7, LINKS = 64, CHAIN = 90 };

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NONE UINT64_MAX

/* What the plan has for one: elements; a program, by a pattern for each condition of links to the
 * end; elements, and a program for the order of matches; a program in two parts, by the first byte
 * of a match. */
enum { SEQUENCE, PROGRAM, WITH_ELEMENTS, DIVIDED, SHAPES };

/* One of the caller's patterns. */
typedef struct given {
    uint32_t shape;
    program *own;
    element elements[2];
    demands asks;
    uint32_t id, flags;
    uint64_t min, max;
    bool fixed;
    bool doubted; /* DIVIDED: engines report ends of the second part that are none */
} given;

typedef struct set {
    memory memory;
    given given[ORDERS];
    uint32_t count;
    pattern patterns[PATTERNS];
    pattern_list list;
    trawl_plan *plan;
} set;

typedef struct text {
    uint8_t *bytes;
    uint64_t length;
} text;

/* ---- random programs
 * ----------------------------------------------------------- */

static byte_class random_class(rng *r)
{
    static const char letters[] = "ab_.\n";
    byte_class c = { { 0 } };
    if (rng_chance(r, 6))
        class_invert(&c);
    else
        for (uint32_t i = rng_between(r, 1, 3); i > 0; i--)
            class_add(&c, (uint8_t)letters[rng_below(r, 5)]);
    return c;
}

/* NULL: it came out without matches. */
static program *random_program(memory *m, rng *r)
{
    static const uint32_t afters[] = { AFTER_ANY, AFTER_ANY, AFTER_LETTER | AFTER_LOW_LINE,
                                       AFTER_END | AFTER_LINE | AFTER_LAST_LINE, AFTER_OTHER };
    byte_class sets[POSITIONS];
    uint32_t first[POSITIONS + 2], count = 0;
    program_link links[LINKS];
    const uint32_t positions = rng_between(r, 1, POSITIONS);
    const bool forward = rng_chance(r, 2);
    for (uint32_t list = 0; list <= positions; list++) {
        if (list > 0)
            sets[list - 1] = random_class(r);
        first[list] = count;
        for (uint32_t i = rng_between(r, 0, 3) + (list == 0); i > 0; i--) {
            const uint32_t low = forward ? list : 0;
            if (list > 0 && (low >= positions || rng_chance(r, 3)))
                links[count++] = (program_link){ PROGRAM_END, afters[rng_below(r, COUNT(afters))] };
            else
                links[count++] = (program_link){ rng_between(r, low, positions - 1),
                                                 list > 0           ? 0
                                                 : rng_chance(r, 3) ? rng_between(r, 1, BEFORE_ANY)
                                                                    : BEFORE_ANY };
        }
    }
    first[positions + 1] = count;
    program *raw = program_make(m, positions, sets, first, links, '\n'), *made = NULL;
    assert_non_null(raw);
    assert_true(program_restrict(m, raw, BEFORE_ANY, AFTER_ANY, &made));
    memory_give(m, raw);
    return made;
}

/* c1 c2{min,max}, or the lazy c1 c2{min,max}?, both as elements and as a program. */
static program *random_sequence(memory *m, rng *r, bool lazy, element *elements)
{
    const bool unbounded = rng_chance(r, 2);
    const uint32_t first[] = { 0, 1, 3, 5 };
    const program_link end = { PROGRAM_END, AFTER_ANY }, goes_on = { 1, 0 };
    const program_link again = unbounded ? goes_on : end;
    const program_link links[] = { { 0, BEFORE_ANY },
                                   lazy ? end : goes_on,
                                   lazy ? goes_on : end,
                                   lazy ? end : again,
                                   lazy ? again : end };
    elements[0] = (element){ random_class(r), 1, 1 };
    elements[1] = (element){ random_class(r), 0, unbounded ? REPEAT_UNBOUNDED : 1 };
    const byte_class sets[] = { elements[0].set, elements[1].set };
    program *made = program_make(m, 2, sets, first, links, '\n');
    assert_non_null(made);
    return made;
}

/* c{1,n}, or c{1,n}?, for many n. */
static program *random_chain(memory *m, rng *r)
{
    byte_class sets[CHAIN];
    uint32_t first[CHAIN + 2] = { 0, 1 }, count = 1;
    program_link links[2 * CHAIN + 1] = { { 0, BEFORE_ANY } };
    const uint32_t positions = rng_between(r, 20, CHAIN);
    const bool lazy = rng_chance(r, 2);
    const byte_class set = random_class(r);
    for (uint32_t q = 0; q < positions; q++) {
        const bool last = q + 1 == positions;
        sets[q] = set;
        if (!last)
            links[count + lazy] = (program_link){ q + 1, 0 };
        links[count + (!lazy && !last)] = (program_link){ PROGRAM_END, AFTER_ANY };
        count += last ? 1 : 2;
        first[q + 2] = count;
    }
    program *made = program_make(m, positions, sets, first, links, '\n');
    assert_non_null(made);
    return made;
}

static demands random_demands(rng *r)
{
    demands d = { TRAWL_PLACE_ANY, TRAWL_WORD_ANY, 0, 0 };
    if (rng_chance(r, 2)) {
        d.place = rng_chance(r, 2) ? TRAWL_PLACE_BEGIN : TRAWL_PLACE_END;
        d.offset = rng_below(r, 20);
        d.within = rng_below(r, 10);
    } else {
        d.word = TRAWL_WORD_FULL_WIDE;
    }
    return d;
}

static void make_given(set *s, rng *r, given *g)
{
    *g = (given){ .id = rng_below(r, 3), .flags = rng_chance(r, 8) ? TRAWL_ONCE : 0 };
    g->shape = rng_chance(r, 2) ? PROGRAM : rng_below(r, SHAPES);
    const bool sequence = g->shape == SEQUENCE || g->shape == WITH_ELEMENTS;
    while (!g->own)
        g->own = sequence ? random_sequence(&s->memory, r, g->shape == WITH_ELEMENTS, g->elements)
                 : rng_chance(r, 12) ? random_chain(&s->memory, r)
                                     : random_program(&s->memory, r);
    if (g->shape != SEQUENCE && rng_chance(r, 6))
        g->asks = random_demands(r);
    assert_true(program_check(&s->memory, g->own, program_size(g->own->positions, g->own->links)));
    assert_true(program_measure(&s->memory, g->own, &g->min, &g->max));
    g->doubted = g->shape == DIVIDED && g->min != g->max && rng_chance(r, 2);
    g->fixed = g->min == g->max && g->shape != DIVIDED;
}

/* ---- plans
 * ------------------------------------------------------------------------ */

static bool stands_before(const pattern *a, const pattern *b)
{
    const bool fixed = a->min_length == a->max_length && !a->varied;
    if (fixed != (b->min_length == b->max_length && !b->varied))
        return fixed;
    if (fixed && a->min_length != b->min_length)
        return a->min_length > b->min_length;
    return a->id != b->id ? a->id < b->id : a->order < b->order;
}

static void add_pattern(set *s, pattern p)
{
    size_t i = s->list.count++;
    assert_in_range(i, 0, PATTERNS - 1);
    for (; i > 0 && stands_before(&p, &s->patterns[i - 1]); i--)
        s->patterns[i] = s->patterns[i - 1];
    s->patterns[i] = p;
}

static void add_patterns(set *s, uint32_t order)
{
    given *g = &s->given[order];
    const program_link *links = program_links(g->own);
    uint64_t there = 0;
    pattern p = { .id = g->id,
                  .order = order,
                  .flags = g->flags,
                  .syntax = TRAWL_SYNTAX_EXTENDED,
                  .min_length = g->min,
                  .max_length = g->max,
                  .asks = g->asks };
    if (g->shape == SEQUENCE || g->shape == WITH_ELEMENTS) {
        p.elements = g->elements;
        p.length = 2;
    }
    p.program = g->shape != SEQUENCE ? g->own : NULL;
    p.varied = g->shape == DIVIDED;
    if (g->shape != PROGRAM)
        add_pattern(s, p);
    if (g->doubted) {
        p.opened = true;
        p.before = (border){ .given = 1, .edge = { 1, 1 } };
        p.min_length++;
        p.max_length += p.max_length != LENGTH_UNBOUNDED;
    }
    if (g->shape == DIVIDED)
        add_pattern(s, p);
    if (g->shape != PROGRAM)
        return;
    for (uint32_t i = 0; i < g->own->links; i++) {
        if (links[i].to != PROGRAM_END || there >> links[i].when & 1)
            continue;
        there |= UINT64_C(1) << links[i].when;
        p.when = links[i].when;
        add_pattern(s, p);
    }
}

static void set_make(set *s, rng *r)
{
    memset(s, 0, sizeof *s);
    memory_open(&s->memory, NULL, UINT64_MAX, "", "");
    s->count = rng_between(r, 1, ORDERS);
    for (uint32_t i = 0; i < s->count; i++) {
        make_given(s, r, &s->given[i]);
        add_patterns(s, i);
    }
    s->list.memory = &s->memory;
    s->list.given = s->count;
    s->list.opening = '\n';
    s->list.patterns = s->patterns;
    /* what carries looks at nothing before its windows */
    const part_draft part = { .list = &s->list, .stages = { { .carries = 1 } }, .stage_count = 1 };
    assert_int_equal(plan_assemble(&s->list, &part, 1, "", "", &s->plan, NULL), TRAWL_OK);
}

static void set_free(set *s)
{
    trawl_plan_free(s->plan);
    for (uint32_t i = 0; i < s->count; i++)
        memory_give(&s->memory, s->given[i].own);
}

static text random_text(rng *r, uint64_t most)
{
    static const char letters[] = "ab_.\n";
    const uint32_t kinds = rng_chance(r, 3) ? 2 : 5;
    text t = { NULL, rng_below(r, (uint32_t)most) };
    t.bytes = malloc(t.length + 1);
    assert_non_null(t.bytes);
    for (uint64_t i = 0; i < t.length; i++)
        t.bytes[i] = rng_chance(r, 12)   ? 0
                     : rng_chance(r, 60) ? '\n'
                                         : (uint8_t)letters[rng_below(r, kinds)];
    return t;
}

/* ---- what is right
 * ------------------------------------------------------------------- */

static uint32_t kinds_before(const program *p, const text *t, uint64_t start)
{
    return start == 0 ? BEFORE_BEGIN : program_before(p, t->bytes[start - 1]);
}

static uint32_t kinds_after(const program *p, const text *t, uint64_t end)
{
    return end == t->length ? AFTER_END : program_after(p, t->bytes[end], end + 1 == t->length);
}

static bool alphanumeric_at(const text *t, uint64_t at)
{
    return at < t->length && is_alphanumeric(t->bytes[at]);
}

static bool asks_before(const demands *d, const text *t, uint64_t start)
{
    const uint64_t from = d->place == TRAWL_PLACE_END ? t->length - d->offset : d->offset;
    if (d->place == TRAWL_PLACE_END && d->offset > t->length)
        return false;
    if (d->place != TRAWL_PLACE_ANY && (start < from || start - from > d->within))
        return false;
    return d->word != TRAWL_WORD_FULL_WIDE || start < 2 || t->bytes[start - 1] != 0 ||
           !alphanumeric_at(t, start - 2);
}

static bool asks_after(const demands *d, const text *t, uint64_t end)
{
    return d->word != TRAWL_WORD_FULL_WIDE || end + 1 >= t->length || t->bytes[end + 1] != 0 ||
           !alphanumeric_at(t, end);
}

/* The positions that took the last byte, in Perl's order. */
typedef struct threads {
    uint32_t at[CHAIN];
    uint32_t count;
} threads;

static void add_thread(const program *p, threads *to, uint32_t position, uint8_t byte)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (to->at[i] == position)
            return;
    if (class_has(&program_sets(p)[position], byte))
        to->at[to->count++] = position;
}

/* Called for each match from `start`, ascending, once for each condition it
 * ends by; if `preferred`, only the last one of these counts. */
typedef void (*see_end)(void *user, uint64_t start, uint64_t end, uint32_t when);

static void search_from(const given *g, const text *t, uint64_t start, bool preferred, see_end see,
                        void *user)
{
    const program *p = g->own;
    const program_link *l, *end;
    threads now = { .count = 0 };
    if (start >= t->length)
        return;
    for (program_list(p, 0, &l, &end); l < end; l++)
        if (l->when & kinds_before(p, t, start))
            add_thread(p, &now, l->to, t->bytes[start]);
    for (uint64_t i = start + 1; now.count > 0; i++) {
        threads next = { .count = 0 };
        bool cut = false;
        for (uint32_t k = 0; k < now.count && !cut; k++) {
            for (program_list(p, now.at[k] + 1, &l, &end); l < end && !cut; l++) {
                if (l->to != PROGRAM_END) {
                    if (i < t->length)
                        add_thread(p, &next, l->to, t->bytes[i]);
                } else if (l->when & kinds_after(p, t, i) && asks_after(&g->asks, t, i)) {
                    see(user, start, i, l->when);
                    cut = preferred;
                }
            }
        }
        now = next;
    }
}

/* The matches of one start, or whether a place is an end. */
typedef struct seen {
    uint64_t nearest, farthest, last;
    uint64_t *whens; /* by end: the conditions */
    matches *pairs;
    trawl_match match; /* id and pattern */
} seen;

static void see_match(void *user, uint64_t start, uint64_t end, uint32_t when)
{
    seen *s = user;
    if (s->last != end && s->pairs) {
        const trawl_match m = { start, end, s->match.id, s->match.pattern, 0 };
        matches_add(s->pairs, &m, 1);
    }
    s->nearest = s->nearest == 0 ? end : s->nearest;
    s->farthest = s->last = end;
    if (s->whens)
        s->whens[end] |= UINT64_C(1) << when;
}

static int by_end(const void *left, const void *right)
{
    const trawl_match *a = left, *b = right;
    const found_match x = { a->start, a->start, a->end, a->id, a->pattern, 0 };
    const found_match y = { b->start, b->start, b->end, b->id, b->pattern, 0 };
    return match_before_by_end(&y, &x) - match_before_by_end(&x, &y);
}

/* The end of the match from `start` that the report asks for; 0: there is none.
 */
static uint64_t wanted_end(const given *g, const text *t, uint64_t start, uint32_t report)
{
    seen s = { .last = NONE };
    if (!asks_before(&g->asks, t, start))
        return 0;
    search_from(g, t, start, report == TRAWL_REPORT_LEFTMOST_FIRST && g->shape != SEQUENCE,
                see_match, &s);
    return report == TRAWL_REPORT_SHORTEST ? s.nearest : s.farthest;
}

static void keep(matches *m, const given *g, uint32_t order, uint64_t start, uint64_t end)
{
    const trawl_match match = { start, end, g->id, order, 0 };
    matches_add(m, &match, 1);
}

static void expect_ends(const set *s, const text *t, matches *m)
{
    for (uint32_t order = 0; order < s->count; order++) {
        const given *g = &s->given[order];
        uint64_t *whens = calloc(t->length + 1, sizeof *whens);
        seen all = { .whens = whens };
        assert_non_null(whens);
        for (uint64_t start = 0; start < t->length; start++)
            if (asks_before(&g->asks, t, start))
                search_from(g, t, start, false, see_match, &all);
        for (uint64_t end = 1; end <= t->length; end++)
            if (whens[end])
                keep(m, g, order, g->fixed ? end - g->min : TRAWL_UNKNOWN, end);
        free(whens);
    }
}

/* Of each pattern the wanted match of each start, or all; under EACH chosen
 * among. */
static void expect_starts(const set *s, const text *t, uint32_t report, uint64_t cursor, matches *m)
{
    for (uint32_t order = 0; order < s->count; order++) {
        const given *g = &s->given[order];
        uint64_t next = report == TRAWL_REPORT_EACH && !g->fixed ? cursor : 0;
        for (uint64_t start = 0; start < t->length; start++) {
            seen all = { .pairs = m, .match = { .id = g->id, .pattern = order } };
            if (report == TRAWL_REPORT_PAIRS) {
                if (asks_before(&g->asks, t, start))
                    search_from(g, t, start, false, see_match, &all);
                continue;
            }
            const uint64_t end = wanted_end(g, t, start, report);
            if (end == 0 || start < next)
                continue;
            keep(m, g, order, start, end);
            next = report == TRAWL_REPORT_EACH && !g->fixed ? end : 0;
        }
    }
}

static void expect_leftmost(const set *s, const text *t, uint32_t report, uint64_t cursor,
                            matches *m)
{
    for (uint64_t start = cursor; start < t->length; start++) {
        uint64_t best = 0;
        uint32_t of = 0;
        for (uint32_t order = 0; order < s->count; order++) {
            const uint64_t end = wanted_end(&s->given[order], t, start, report);
            const bool better = report == TRAWL_REPORT_LEFTMOST_FIRST ? best == 0
                                : end != best                         ? end > best
                                              : s->given[order].id < s->given[of].id;
            if (end && better) {
                best = end;
                of = order;
            }
        }
        if (best) {
            keep(m, &s->given[of], of, start, best);
            start = best - 1;
        }
    }
}

static void expect_matches(const set *s, const text *t, uint32_t report, uint64_t cursor,
                           matches *m)
{
    bool once[ORDERS] = { false };
    size_t kept = 0;
    if (report == TRAWL_REPORT_ENDS)
        expect_ends(s, t, m);
    else if (report == TRAWL_REPORT_LEFTMOST_LONGEST || report == TRAWL_REPORT_LEFTMOST_FIRST)
        expect_leftmost(s, t, report, cursor, m);
    else
        expect_starts(s, t, report, cursor, m);
    if (m->count)
        qsort(m->items, m->count, sizeof *m->items, by_end);
    for (size_t i = 0; i < m->count; i++) {
        const trawl_match match = m->items[i];
        if (s->given[match.pattern].flags & TRAWL_ONCE && once[match.pattern])
            continue;
        once[match.pattern] = true;
        m->items[kept++] = match;
    }
    m->count = kept;
}

/* ---- feeding
 * ---------------------------------------------------------------------------
 */

typedef struct records {
    record *items;
    size_t count;
} records;

/* The ends of matches whose first byte belongs to a word (part 1) or does not (part 0), each with
 * the conditions of its links; part 2: of all. Engines know nothing of places and wide words. */
static uint64_t *find_ends(given g, const text *t, uint32_t part)
{
    uint64_t *whens = calloc(t->length + 1, sizeof *whens);
    seen ends = { .whens = whens };
    assert_non_null(whens);
    g.asks = (demands){ 0 };
    for (uint64_t start = 0; start < t->length; start++)
        if (part == 2 || is_word_byte(t->bytes[start]) == part)
            search_from(&g, t, start, false, see_match, &ends);
    return whens;
}

static records make_records(const set *s, const text *t)
{
    records all = { malloc((t->length + 1) * s->list.count * sizeof(record)), 0 };
    uint64_t *whens[PATTERNS];
    assert_non_null(all.items);
    for (uint32_t i = 0; i < s->list.count; i++) {
        const pattern *p = &s->patterns[i];
        const bool second = i > 0 && s->patterns[i - 1].order == p->order;
        whens[i] = find_ends(s->given[p->order], t, p->varied ? second : 2);
    }
    for (uint64_t end = 1; end <= t->length; end++) {
        for (uint32_t i = 0; i < s->list.count; i++) {
            const uint32_t when = s->patterns[i].when;
            if (s->patterns[i].opened && end % 11 == 0)
                all.items[all.count++] = (record){ (u32)end, i };
            else if (when ? whens[i][end] >> when & 1 : whens[i][end] != 0)
                all.items[all.count++] = (record){ (u32)end, i };
        }
    }
    for (uint32_t i = 0; i < s->list.count; i++)
        free(whens[i]);
    return all;
}

typedef struct run_state {
    const set *set;
    fence fence;
    rng *rng;
    reporter *reporter;
    uint32_t report;
    bool whole; /* all of the text is to be there */
    last_end last[ORDERS];
    uint64_t texts, longest_piece, look_back;
} run_state;

/* Feed (done, upto]; the text is there from where the reporter, or the sieve,
 * asks for it. */
static void feed(run_state *f, const text *t, const records *all, uint64_t done, uint64_t upto,
                 size_t *next)
{
    const plan_header *head = plan_head(f->set->plan);
    const uint64_t keeps = reporter_keeps(f->reporter), back = f->look_back;
    const uint64_t kept = keeps < head->beside ? 0 : keeps - head->beside;
    const uint64_t sieved = done < back ? 0 : done - back;
    const uint64_t begin = f->whole ? 0 : kept < sieved ? kept : sieved;
    const uint64_t known = f->whole || t->length - upto < 2 ? t->length : upto + 2;
    const uint8_t *there =
        fence_copy(&f->fence, t->bytes + begin, (size_t)(known - begin), rng_chance(f->rng, 2));
    const text_view view = { there, begin, known, 0 };
    size_t count = 0;
    record *some = malloc((all->count - *next + 1) * sizeof *some);
    assert_non_null(some);
    for (; *next < all->count && all->items[*next].pos <= upto; ++*next)
        some[count++] = (record){ all->items[*next].pos - (u32)done, all->items[*next].index };
    count = sieve_records(f->set->plan, some, count, done, view);
    if (plan_has_alternatives(f->set->plan))
        count = sieve_alternatives(f->set->plan, some, count, done, false, f->texts, f->last);
    assert_int_equal(reporter_feed(f->reporter, some, count, done, view, upto, false, NULL),
                     TRAWL_OK);
    if (upto == t->length)
        assert_int_equal(reporter_feed(f->reporter, NULL, 0, 0, view, upto, true, NULL), TRAWL_OK);
    free(some);
}

static void feed_text(run_state *f, const text *t)
{
    const records all = make_records(f->set, t);
    const uint32_t most = (uint32_t)(rng_chance(f->rng, 3)   ? t->length
                                     : rng_chance(f->rng, 2) ? f->longest_piece
                                                             : 3);
    uint64_t done = 0;
    size_t next = 0;
    do {
        const uint64_t piece = rng_between(f->rng, 1, most ? most : 1);
        const uint64_t upto = t->length - done < piece ? t->length : done + piece;
        feed(f, t, &all, done, upto, &next);
        done = upto;
    } while (done < t->length);
    f->texts++;
    free(all.items);
}

/* Texts one after the other, with one reporter. */
static bool reports_right(const set *s, rng *r, uint32_t report, uint64_t longest, uint32_t texts)
{
    matches found = { 0 };
    trawl_match batch[MATCH_BATCH];
    uint64_t reported = 0;
    bool right = true;
    match_out out = { .fn = keep_matches,
                      .user = &found,
                      .left = UINT64_MAX,
                      .batch = batch,
                      .reported = &reported,
                      .open = UINT64_MAX };
    run_state f = { .set = s,
                    .fence = fence_open((size_t)longest + 1),
                    .rng = r,
                    .report = report,
                    .whole = plan_head(s->plan)->to_end || report_waits(s->plan, report),
                    .longest_piece = longest / 4 };
    const atomic_uint state = CALL_RUNNING;
    memory m;
    memory_open(&m, NULL, UINT64_MAX, "", "");
    uint32_t waits;
    stream_borders(s->plan, &waits, &f.look_back);
    budget_open(&out.budget, &state, 0, 0);
    assert_int_equal(reporter_open(s->plan, report, &out, &m, &f.reporter, NULL), TRAWL_OK);
    for (uint32_t i = 0; right && i < texts; i++) {
        const text t = random_text(r, longest);
        matches expected = { 0 };
        /* a reporter that begins elsewhere is not used again */
        const bool inside = i + 1 == texts && rng_chance(r, 2);
        const uint64_t cursor = inside ? rng_below(r, (uint32_t)t.length + 1) : 0;
        if (i > 0)
            reporter_restart(f.reporter);
        reported = 0;
        found.count = 0;
        if (cursor > 0 && report >= TRAWL_REPORT_LEFTMOST_LONGEST)
            reporter_begin(f.reporter, cursor);
        feed_text(&f, &t);
        assert_int_equal(match_flush(&out), TRAWL_OK);
        expect_matches(s, &t, report, cursor, &expected);
        right = matches_agree(&expected, &found);
        free(expected.items);
        free(t.bytes);
    }
    reporter_free(f.reporter);
    assert_int_equal(m.used, 0);
    fence_close(&f.fence);
    free(found.items);
    return right;
}

/* `apart`: with no unbounded program, so that long texts have not too many matches. */
static void run_cases(uint64_t cases, uint64_t longest, uint32_t texts, bool apart)
{
    uint64_t seed = test_seed();
    for (uint64_t i = 0; i < cases; i++, seed++) {
        rng r = { seed };
        set s;
        set_make(&s, &r);
        const uint32_t report = rng_below(&r, TRAWL_REPORT_EACH + 1);
        const bool asked = (report != TRAWL_REPORT_ENDS || s.plan->doubtful) &&
                           !(apart && plan_head(s.plan)->max_length == LENGTH_UNBOUNDED);
        if (asked && !reports_right(&s, &r, report, longest, texts))
            fail_msg("report %u; again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_spans", report,
                     (unsigned long long)seed);
        set_free(&s);
    }
}

static void test_programs(void **state)
{
    (void)state;
    run_cases(test_cases(CASES), 200, 3, false);
}

/* Texts that the reporter takes in several steps. */
static void test_steps(void **state)
{
    (void)state;
    run_cases(test_cases(CASES) / SELDOM + 1, 200000, 1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_programs),
                                        cmocka_unit_test(test_steps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
