/* test_records.c: calls that are short for others give what those give: trawl_scan_many and
 * trawl_stream_break as many scans, TRAWL_ONCE as a scan of which all later matches are left out,
 * counts for each pattern as a tally, counted and collected grids as scanned ones, a plan in a
 * mapped file as the one that it was saved from.
 *
 * Random patterns; the texts are pieces of the scenario's text, each in memory of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fence.h"
#include "random.h"
#include "random_grid.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 6000
#define LONGEST 6000
#define MAX_TEXTS 5000u
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MODES = TRAWL_REPORT_EACH + 1, CONTEXTS = 7 };

static trawl_context *serial;
static trawl_context *contexts[CONTEXTS]; /* `serial` among them */
static size_t context_count, cpu_count;

static int open_one(const char *backend, uint32_t threads, uint32_t chunks, uint32_t schedule)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.threads = threads;
    options.chunks = chunks;
    options.schedule = schedule;
    return trawl_context_open(&options, &contexts[context_count++], NULL);
}

static int open_contexts(void **state)
{
    test_target targets[MAX_TARGETS];
    (void)state;
    if (open_one("serial", 0, 0, 0) || open_one("serial", 0, 3, 0) || open_one("auto", 1, 0, 0) ||
        open_one("auto", 2, 0, 0) || open_one("auto", 3, 0, 1) || open_one("auto", 4, 5, 0))
        return -1;
    serial = contexts[0];
    cpu_count = context_count;
    if (targets_find(targets) > 0)
        contexts[context_count++] = target_open(&targets[0], targets[0].device, NULL);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < context_count; i++)
        trawl_context_close(contexts[i]);
    return 0;
}

static trawl_plan *compile(const trawl_pattern *patterns, size_t count)
{
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    if (trawl_compile(patterns, count, NULL, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

/* ---- many texts, and what each of them has ----------------------------- */

typedef struct collection {
    trawl_text *texts;
    size_t count;
    trawl_match *matches; /* of all texts, in order */
    size_t match_count, room;
} collection;

enum { FENCED = 20 }; /* texts that have pages of their own */

/* Few texts or many, none, empty ones, a long one among short ones. */
static size_t choose_count(rng *r)
{
    switch (rng_below(r, 12)) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return rng_below(r, rng_chance(r, 6) ? MAX_TEXTS : 600);
    default:
        return rng_below(r, 12);
    }
}

static void make_texts(collection *c, const scenario *s, rng *r)
{
    c->count = choose_count(r);
    c->texts = calloc(c->count + 1, sizeof *c->texts);
    const bool fenced = c->count <= FENCED; /* the others are parts of the scenario's */
    const uint32_t most = fenced ? 200 : 30;
    const size_t whole = rng_below(r, (uint32_t)c->count + 1);
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t all = (uint32_t)s->length;
        const size_t begin = i == whole ? 0 : rng_below(r, all + 1);
        size_t length = i == whole ? all : rng_chance(r, 6) ? 0 : rng_below(r, most);
        length = length < all - begin ? length : all - begin;
        const bool absent = length == 0 && rng_chance(r, 2);
        c->texts[i] = (trawl_text){ absent ? NULL : s->text + begin, length };
        if (fenced && !absent)
            c->texts[i].bytes = fenced_copy(s->text + begin, length, rng_chance(r, 2));
    }
}

static void free_texts(collection *c)
{
    for (size_t i = 0; i < c->count && c->count <= FENCED; i++)
        fenced_free(c->texts[i].bytes, c->texts[i].length);
    free(c->texts);
    free(c->matches);
}

static void append(collection *c, const trawl_match *m)
{
    if (c->match_count == c->room) {
        c->room = 2 * c->room + 100;
        c->matches = realloc(c->matches, c->room * sizeof *c->matches);
        assert_non_null(c->matches);
    }
    c->matches[c->match_count++] = *m;
}

/* Text by text, with a plan in which nothing is reported once; of patterns that are, the later
 * matches are left out here. */
static void find_expected(collection *c, const trawl_plan *plan, const scenario *s,
                          const trawl_scan_options *options)
{
    for (size_t i = 0; i < c->count; i++) {
        bool seen[SCENARIO_PATTERNS] = { false };
        trawl_match *matches = NULL;
        size_t count = 0;
        assert_int_equal(trawl_collect(serial, plan, c->texts[i].bytes, c->texts[i].length, options,
                                       &matches, &count, NULL),
                         TRAWL_OK);
        for (size_t k = 0; k < count; k++) {
            const uint32_t which = matches[k].pattern;
            matches[k].record = i;
            if (!seen[which] || !(s->patterns[which].flags & TRAWL_ONCE))
                append(c, &matches[k]);
            seen[which] = true;
        }
        trawl_matches_free(matches);
    }
}

/* ---- the matches that are expected, taken off batch by batch ----------- */

typedef struct expectation {
    const trawl_match *matches;
    size_t count, seen;
    bool wrong;
} expectation;

static bool same(const trawl_match *a, const trawl_match *b)
{
    return a->start == b->start && a->end == b->end && a->id == b->id && a->pattern == b->pattern &&
           a->record == b->record;
}

static int check_batch(const trawl_match *matches, size_t count, void *user)
{
    expectation *e = user;
    e->wrong |= count == 0;
    for (size_t i = 0; i < count; i++, e->seen++)
        e->wrong |= e->seen >= e->count || !same(&matches[i], &e->matches[e->seen]);
    return e->wrong;
}

static expectation expect_all(const collection *c)
{
    return (expectation){ c->matches, c->match_count, 0, false };
}

static void check_through(const expectation *e, int status, const char *call, const char *backend,
                          const scenario *s, uint32_t report)
{
    if (status == TRAWL_OK && !e->wrong && e->seen == e->count)
        return;
    scenario_print(s, stdout);
    fail_msg("%s, %s, report %u: status %d, %zu of %zu matches, %s", call, backend, report, status,
             e->seen, e->count, e->wrong ? "others" : "right so far");
}

/* ---- scan_many --------------------------------------------------------- */

static void check_many(trawl_context *context, const collection *c, const trawl_plan *plan,
                       const trawl_scan_options *options, const scenario *s)
{
    expectation e = expect_all(c);
    const int status = trawl_scan_many(context, plan, c->count ? c->texts : NULL, c->count, options,
                                       check_batch, &e, NULL);
    check_through(&e, status, "scan_many", trawl_context_backend(context), s, options->report);
}

/* Counted, counted each and collected. */
static void check_many_together(trawl_context *context, const collection *c, const trawl_plan *plan,
                                const trawl_scan_options *options, const scenario *s)
{
    const trawl_text *texts = c->count ? c->texts : NULL;
    uint64_t tally[SCENARIO_PATTERNS] = { 0 }, each[SCENARIO_PATTERNS], all = 77;
    trawl_match *matches = NULL;
    expectation e = expect_all(c);
    size_t found = 77;
    for (size_t i = 0; i < c->match_count; i++)
        tally[c->matches[i].pattern]++;
    assert_int_equal(trawl_count_many(context, plan, texts, c->count, options, &all, NULL),
                     TRAWL_OK);
    assert_int_equal(all, c->match_count);
    assert_int_equal(trawl_count_each_many(context, plan, texts, c->count, options, each, NULL),
                     TRAWL_OK);
    assert_memory_equal(each, tally, s->count * sizeof *each);
    assert_int_equal(
        trawl_collect_many(context, plan, texts, c->count, options, &matches, &found, NULL),
        TRAWL_OK);
    assert_int_equal(found, c->match_count);
    if (found > 0)
        check_batch(matches, found, &e);
    assert_false(e.wrong);
    trawl_matches_free(matches);
}

/* So many matches, and no more: the first ones. */
static void check_limit(trawl_context *context, const collection *c, const trawl_plan *plan,
                        const trawl_scan_options *options, rng *r)
{
    trawl_scan_options limited = *options;
    expectation e = expect_all(c);
    if (c->match_count == 0)
        return;
    limited.max_matches = 1 + rng_below(r, (uint32_t)c->match_count);
    assert_int_equal(
        trawl_scan_many(context, plan, c->texts, c->count, &limited, check_batch, &e, NULL),
        TRAWL_LIMITED);
    assert_false(e.wrong);
    assert_int_equal(e.seen, limited.max_matches);
}

/* ---- one of the texts -------------------------------------------------- */

static void check_one(trawl_context *context, const collection *c, const trawl_plan *plan,
                      const trawl_scan_options *options, const scenario *s, rng *r)
{
    if (c->count == 0)
        return;
    const size_t which = rng_below(r, (uint32_t)c->count);
    const trawl_text *text = &c->texts[which];
    uint64_t tally[SCENARIO_PATTERNS] = { 0 }, each[SCENARIO_PATTERNS], count = 0, all = 0;
    for (size_t i = 0; i < c->match_count; i++)
        if (c->matches[i].record == which) {
            tally[c->matches[i].pattern]++;
            all++;
        }
    memset(each, 0xee, sizeof each);
    assert_int_equal(
        trawl_count_each(context, plan, text->bytes, text->length, options, each, NULL), TRAWL_OK);
    for (size_t i = 0; i < s->count; i++)
        if (each[i] != tally[i]) {
            scenario_print(s, stdout);
            fail_msg("count_each, %s, report %u, pattern %zu: %llu, not %llu",
                     trawl_context_backend(context), options->report, i,
                     (unsigned long long)each[i], (unsigned long long)tally[i]);
        }
    assert_int_equal(trawl_count(context, plan, text->bytes, text->length, options, &count, NULL),
                     TRAWL_OK);
    if (count != all) {
        scenario_print(s, stdout);
        fail_msg("count, %s, report %u: %llu, not %llu", trawl_context_backend(context),
                 options->report, (unsigned long long)count, (unsigned long long)all);
    }
}

/* ---- streams with breaks ----------------------------------------------- */

/* Go on in another stream, on another context perhaps. */
static trawl_stream *move_on(trawl_stream *from, trawl_context *to, const trawl_plan *plan,
                             const trawl_scan_options *options, expectation *e)
{
    trawl_stream *stream = NULL;
    size_t bytes = 0;
    assert_int_equal(trawl_stream_save(from, NULL, &bytes, NULL), TRAWL_OK);
    void *state = malloc(bytes);
    assert_int_equal(trawl_stream_save(from, state, &bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_open(to, plan, options, check_batch, e, &stream, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_restore(stream, state, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_drop(from, NULL), TRAWL_OK);
    free(state);
    return stream;
}

static trawl_context *any_cpu(rng *r)
{
    return contexts[rng_below(r, (uint32_t)cpu_count)];
}

static void check_breaks(trawl_context *context, const collection *c, const trawl_plan *plan,
                         const trawl_scan_options *options, const scenario *s, rng *r)
{
    bool moves = options->report == TRAWL_REPORT_ENDS && rng_chance(r, 2);
    expectation e = expect_all(c);
    trawl_stream *stream = NULL;
    int status = trawl_stream_open(context, plan, options, check_batch, &e, &stream, NULL);
    if (status == TRAWL_ERROR_UNSUPPORTED && s->unbounded)
        return;
    moves = moves && target_saves(stream);
    for (size_t i = 0; i < c->count && status == TRAWL_OK; i++) {
        const trawl_text *text = &c->texts[i];
        for (size_t at = 0, piece; at < text->length && status == TRAWL_OK; at += piece) {
            const size_t left = text->length - at;
            piece = 1 + rng_below(r, rng_chance(r, 3) ? 3 : (uint32_t)left);
            piece = piece < left ? piece : left;
            status = trawl_stream_feed(stream, (const uint8_t *)text->bytes + at, piece, NULL);
            if (moves && rng_chance(r, 6))
                stream = move_on(stream, any_cpu(r), plan, options, &e);
        }
        if (i + 1 < c->count && status == TRAWL_OK)
            status = trawl_stream_break(stream, NULL);
        if (moves && rng_chance(r, 6) && status == TRAWL_OK)
            stream = move_on(stream, any_cpu(r), plan, options, &e);
    }
    const int closed = trawl_stream_close(stream, NULL);
    check_through(&e, status ? status : closed, moves ? "stream, moved" : "stream",
                  trawl_context_backend(context), s, options->report);
}

/* ---- all of it --------------------------------------------------------- */

static void run_case(uint64_t seed)
{
    scenario s;
    rng r = { ~seed };
    scenario_make(&s, seed, LONGEST);
    trawl_plan *plain = compile(s.patterns, s.count);
    const bool once = rng_chance(&r, 2);
    for (size_t i = 0; once && i < s.count; i++)
        s.patterns[i].flags |= rng_chance(&r, 2) ? TRAWL_ONCE : 0;
    trawl_plan *plan = compile(s.patterns, s.count);
    for (uint32_t report = 0; report < MODES; report++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        collection c = { 0 };
        if (!scenario_affords(&s, report))
            continue;
        options.report = report;
        options.base = rng_chance(&r, 2) ? 0 : rng_next(&r) >> 4;
        make_texts(&c, &s, &r);
        find_expected(&c, plain, &s, &options);
        for (size_t i = 0; i < context_count; i++) {
            if (i >= cpu_count && (c.count > 20 || !rng_chance(&r, 10)))
                continue; /* devices take text by text */
            check_many(contexts[i], &c, plan, &options, &s);
            check_many_together(any_cpu(&r), &c, plan, &options, &s);
            check_one(contexts[i], &c, plan, &options, &s, &r);
        }
        check_many_together(any_cpu(&r), &c, plan, &options, &s);
        check_limit(any_cpu(&r), &c, plan, &options, &r);
        check_breaks(any_cpu(&r), &c, plan, &options, &s, &r);
        free_texts(&c);
    }
    trawl_plan_free(plain);
    trawl_plan_free(plan);
    scenario_free(&s);
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES);
    (void)state;
    for (uint64_t i = 0; i < cases; i++)
        run_case(seed + i);
}

/* ---- what is refused, stops and has no text ---------------------------- */

static int stop(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 1;
}

static void test_stopping(void **state)
{
    enum { TEXTS = 1000 };
    const trawl_pattern pattern = { .text = "a", .length = 1 };
    trawl_plan *plan = compile(&pattern, 1);
    trawl_text texts[TEXTS];
    (void)state;
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = (trawl_text){ "aaaaaaaa", i % 9 };
    for (size_t i = 0; i < context_count; i++) {
        uint64_t taken = 0;
        assert_int_equal(trawl_scan_many(contexts[i], plan, texts, TEXTS, NULL, stop, &taken, NULL),
                         TRAWL_STOPPED);
        assert_true(taken > 0 && taken < 3000);
    }
    trawl_plan_free(plan);
}

static void test_arguments(void **state)
{
    const trawl_pattern pattern = { .text = "a", .length = 1 };
    const trawl_text nothing[] = { { "a", 1 }, { NULL, 1 } };
    trawl_plan *plan = compile(&pattern, 1);
    trawl_error e = { 0 };
    uint64_t taken = 0, counts[1];
    (void)state;
    assert_int_equal(trawl_scan_many(NULL, plan, nothing, 1, NULL, stop, &taken, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scan_many(serial, NULL, nothing, 1, NULL, stop, &taken, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scan_many(serial, plan, NULL, 1, NULL, stop, &taken, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scan_many(serial, plan, nothing, 1, NULL, NULL, &taken, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scan_many(serial, plan, nothing, 2, NULL, stop, &taken, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(taken, 0); /* texts are looked at before any is scanned */
    assert_int_equal(trawl_scan_many(serial, plan, NULL, 0, NULL, stop, &taken, &e), TRAWL_OK);
    assert_int_equal(trawl_count_each(serial, NULL, "a", 1, NULL, counts, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_count_each(serial, plan, "a", 1, NULL, NULL, &e), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_count_each(serial, plan, NULL, 1, NULL, counts, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_break(NULL, &e), TRAWL_ERROR_ARGUMENT);
    trawl_plan_free(plan);
}

/* One text that takes all threads, among many that take one. */
static void test_long_among_short(void **state)
{
    enum { TEXTS = 500, LONG = 5 << 20 };
    const trawl_pattern patterns[] = {
        { .text = "abc", .length = 3, .id = 1 },
        { .text = "b[ab]+c", .length = 7, .syntax = TRAWL_SYNTAX_EXTENDED, .id = 2 },
    };
    trawl_plan *plan = compile(patterns, COUNT(patterns));
    trawl_text texts[TEXTS];
    uint8_t *bytes = fenced_text(LONG, true);
    collection c = { texts, TEXTS, NULL, 0, 0 };
    const trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    scenario s = { .count = COUNT(patterns) };
    rng r = { 3 };
    (void)state;
    for (size_t i = 0; i < LONG; i++)
        bytes[i] = (uint8_t) "abc...."[rng_below(&r, 7)];
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = (trawl_text){ bytes + rng_below(&r, LONG / 2),
                                 i == 77 || i == 499 ? LONG / 2 : rng_below(&r, 3000) };
    memcpy(s.patterns, patterns, sizeof patterns);
    find_expected(&c, plan, &s, &options);
    for (size_t i = 0; i < cpu_count; i++)
        check_many(contexts[i], &c, plan, &options, &s);
    free(c.matches);
    fenced_free(bytes, LONG);
    trawl_plan_free(plan);
}

/* ---- grids ------------------------------------------------------------- */

typedef struct grid_list {
    trawl_grid_match matches[4096];
    size_t count;
} grid_list;

static int keep_grid(const trawl_grid_match *matches, size_t count, void *user)
{
    grid_list *list = user;
    for (size_t i = 0; i < count && list->count < COUNT(list->matches); i++)
        list->matches[list->count++] = matches[i];
    return 0;
}

static void check_grid(trawl_context *context, const trawl_plan *plan, size_t needles,
                       const trawl_grid *text, uint64_t max_matches)
{
    static grid_list list;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_grid_match *matches = NULL;
    uint64_t count = 77;
    size_t collected = 77;
    options.max_matches = max_matches;
    list.count = 0;
    const int status = trawl_scan_grid(context, plan, text, &options, keep_grid, &list, NULL);
    assert_true(status == TRAWL_OK || status == TRAWL_LIMITED);
    assert_int_equal(trawl_count_grid(context, plan, text, &options, &count, NULL), status);
    assert_int_equal(trawl_collect_grid(context, plan, text, &options, &matches, &collected, NULL),
                     status);
    uint64_t each[GRID_NEEDLES], sum = 0;
    assert_int_equal(trawl_count_each_grid(context, plan, text, &options, each, NULL), status);
    for (size_t i = 0; i < needles; i++) {
        uint64_t tally = 0;
        for (size_t k = 0; k < collected; k++)
            tally += matches[k].needle == i;
        assert_int_equal(each[i], tally);
        sum += tally;
    }
    assert_int_equal(sum, collected);
    if (count != collected || (list.count < COUNT(list.matches) && collected != list.count))
        fail_msg("%zu scanned, %llu counted, %zu collected", list.count, (unsigned long long)count,
                 collected);
    assert_true((matches == NULL) == (collected == 0));
    for (size_t i = 0; i < list.count; i++) {
        const trawl_grid_match *a = &list.matches[i], *b = &matches[i];
        assert_true(a->row == b->row && a->col == b->col && a->id == b->id &&
                    a->needle == b->needle);
    }
    trawl_grid_matches_free(matches);
}

static void test_grids(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES) / 2;
    (void)state;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = { seed + i };
        grid_scenario g;
        trawl_plan *plan = NULL;
        grid_scenario_make(&g, seed + i);
        assert_int_equal(trawl_compile_grid(g.needles, g.count, g.cell_size, NULL, &plan, NULL),
                         TRAWL_OK);
        check_grid(any_cpu(&r), plan, g.count, &g.text, 0);
        check_grid(any_cpu(&r), plan, g.count, &g.text, 1 + rng_below(&r, 50));
        if (context_count > cpu_count && rng_chance(&r, 20))
            check_grid(contexts[cpu_count], plan, g.count, &g.text, 0);
        trawl_plan_free(plan);
        grid_scenario_free(&g);
    }
    trawl_grid_matches_free(NULL);
}

static void test_grid_arguments(void **state)
{
    const uint8_t cell = 1;
    const trawl_needle needle = { &cell, 1, 1, 0, 0, NULL };
    const trawl_grid grid = { &cell, 1, 1, 0 };
    const trawl_pattern pattern = { .text = "a", .length = 1 };
    trawl_plan *plan = NULL, *text_plan = compile(&pattern, 1);
    trawl_grid_match *matches = NULL;
    uint64_t count;
    size_t collected;
    trawl_error e = { 0 };
    (void)state;
    assert_int_equal(trawl_compile_grid(&needle, 1, 1, NULL, &plan, NULL), TRAWL_OK);
    assert_int_equal(trawl_count_grid(serial, plan, &grid, NULL, NULL, &e), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_count_grid(serial, plan, NULL, NULL, &count, &e), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_count_grid(NULL, plan, &grid, NULL, &count, &e), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_count_grid(serial, text_plan, &grid, NULL, &count, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_collect_grid(serial, plan, &grid, NULL, NULL, &collected, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_collect_grid(serial, plan, &grid, NULL, &matches, NULL, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_collect_grid(serial, text_plan, &grid, NULL, &matches, &collected, &e),
                     TRAWL_ERROR_ARGUMENT);
    assert_null(matches);
    trawl_plan_free(plan);
    trawl_plan_free(text_plan);
}

/* ---- a plan in a mapped file ------------------------------------------- */

/* The block in a file of its own, mapped so that nobody can write to it. */
static const uint8_t *map_block(const void *block, size_t bytes)
{
    char path[] = "/tmp/trawl-plan-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, block, bytes) == (ssize_t)bytes);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    assert_true(map != MAP_FAILED);
    close(file);
    unlink(path);
    return map;
}

static void check_view(const scenario *s, uint32_t report)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan *plan = compile(s->patterns, s->count), *view = NULL;
    trawl_error error = { 0 };
    size_t bytes = 0, again = 0;
    const void *block = trawl_plan_save(plan, &bytes);
    const uint8_t *map = map_block(block, bytes);
    const trawl_text text = { s->text, s->length };
    collection c = { (trawl_text *)(uintptr_t)&text, 1, NULL, 0, 0 };
    if (trawl_plan_view(map, bytes, &view, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    options.report = report;
    find_expected(&c, plan, s, &options);
    trawl_plan_free(plan);
    for (size_t i = 0; i < cpu_count; i++)
        check_many(contexts[i], &c, view, &options, s);
    assert_ptr_equal(trawl_plan_save(view, &again), map); /* nothing is copied */
    assert_int_equal(again, bytes);
    assert_int_equal(trawl_plan_get_info(view, &info), TRAWL_OK);
    assert_int_equal(info.patterns, s->count);
    trawl_plan_free(view);
    munmap((void *)(uintptr_t)map, bytes);
    free(c.matches);
}

static void test_view(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES) / 20;
    (void)state;
    for (uint64_t i = 0; i < cases; i++) {
        scenario s;
        scenario_make(&s, seed + i, LONGEST);
        const uint32_t report = (uint32_t)(i % MODES);
        if (scenario_affords(&s, report))
            check_view(&s, report);
        scenario_free(&s);
    }
}

static void test_view_refused(void **state)
{
    const trawl_pattern patterns[] = {
        { .text = "abc", .length = 3 },
        { .text = "b[ab]+c", .length = 7, .syntax = TRAWL_SYNTAX_EXTENDED },
    };
    trawl_plan *plan = compile(patterns, COUNT(patterns)), *view = NULL;
    trawl_error error = { 0 };
    size_t bytes = 0;
    const void *block = trawl_plan_save(plan, &bytes);
    uint8_t *copy = NULL;
    (void)state;
    assert_int_equal(posix_memalign((void **)&copy, 64, bytes + 64), 0);
    for (size_t at = 1; at < 64; at++) {
        memcpy(copy + at, block, bytes);
        assert_int_equal(trawl_plan_view(copy + at, bytes, &view, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "64"));
        assert_null(view);
    }
    memcpy(copy, block, bytes);
    for (size_t at = 0; at < bytes; at += 7) {
        copy[at] ^= 0x10;
        if (trawl_plan_view(copy, bytes, &view, &error) != TRAWL_ERROR_PLAN || view)
            fail_msg("a block with byte %zu changed is taken", at);
        copy[at] ^= 0x10;
    }
    for (size_t less = 1; less < bytes; less = less * 2 + 1)
        assert_int_equal(trawl_plan_view(copy, bytes - less, &view, &error), TRAWL_ERROR_PLAN);
    assert_int_equal(trawl_plan_view(NULL, 0, &view, &error), TRAWL_ERROR_PLAN);
    assert_int_equal(trawl_plan_view(NULL, 1, &view, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_plan_view(copy, bytes, NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_plan_view(copy, bytes, &view, &error), TRAWL_OK);
    trawl_plan_free(view);
    free(copy);
    trawl_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_long_among_short),
        cmocka_unit_test(test_grids),     cmocka_unit_test(test_grid_arguments),
        cmocka_unit_test(test_view),      cmocka_unit_test(test_view_refused),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
