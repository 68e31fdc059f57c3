/* test_devices.c: every walk on every device against the oracle, over the tunings of each.
 *
 * targets.h says which devices. TRAWL_TEST_CASES says how many comparisons at least,
 * TRAWL_TEST_SEED where to begin.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "fence.h"
#include "matches.h"
#include "oracle.h"
#include "random.h"
#include "random_grid.h"
#include "targets.h"
#include "ways.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 6000
#define GRID_CASES 3000
#define LONGEST 20000

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *cpu;

/* What became of the cases of a target. */
typedef struct tally {
    trawl_context *contexts[WAYS]; /* opened when first used */
    uint64_t run, refused;
} tally;

static tally tallies[MAX_TARGETS];

static tally *tally_of(const test_target *t)
{
    return &tallies[t - targets];
}

static trawl_context *context_of(const test_target *t, size_t w)
{
    trawl_context **context = &tally_of(t)->contexts[w];
    if (!*context)
        *context = target_open(t, t->device, ways[w].tuning);
    return *context;
}

static int open_cpu(void **state)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.backend = "serial";
    return trawl_context_open(&options, &cpu, NULL);
}

static int close_targets(void **state)
{
    (void)state;
    trawl_context_close(cpu);
    for (size_t i = 0; i < target_count; i++) {
        for (size_t w = 0; w < WAYS; w++) {
            trawl_context_close(tallies[i].contexts[w]);
            tallies[i].contexts[w] = NULL;
        }
    }
    return 0;
}

/* ---- text ------------------------------------------------------------------------------ */

typedef struct text_case {
    const scenario *scenario;
    const way *way;
    const test_target *target;
    const trawl_plan *plan;
    uint32_t mode;
} text_case;

static void case_failed(const text_case *c, const char *what)
{
    printf("\n%s\nengine %s, %s device %s (%s), tuning %s, report %u\n", what, c->way->engine,
           c->target->backend, c->target->device, c->target->info.name,
           c->way->tuning ? c->way->tuning : "none", c->mode);
    scenario_print(c->scenario, stdout);
    printf("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_devices\n",
           (unsigned long long)c->scenario->seed);
    fflush(stdout);
    fail();
}

/* False when the device or this set does not take the tuning. */
static bool run_case(const text_case *c, trawl_context *context, const matches *expected)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    uint64_t count = 0;
    options.report = c->mode;
    int status = trawl_collect(context, c->plan, c->scenario->text, c->scenario->length, &options,
                               &found.items, &found.count, &error);
    if (status == TRAWL_ERROR_UNSUPPORTED && c->way->tuning)
        return false;
    if (status != TRAWL_OK)
        case_failed(c, error.message);
    if (!matches_agree(expected, &found))
        case_failed(c, "the matches differ");
    trawl_matches_free(found.items);
    if (trawl_count(context, c->plan, c->scenario->text, c->scenario->length, &options, &count,
                    &error) != TRAWL_OK)
        case_failed(c, error.message);
    if (count != expected->count)
        case_failed(c, "trawl_count counts other than trawl_collect");
    return true;
}

typedef struct follower {
    const matches *expected;
    size_t seen;
    bool wrong;
} follower;

static int follow_one(const trawl_match *m, void *user)
{
    follower *f = user;
    f->wrong |=
        f->seen >= f->expected->count || memcmp(m, &f->expected->items[f->seen], sizeof *m) != 0;
    f->seen++;
    return f->wrong;
}

EACH_MATCH(follow)

static trawl_stream *open_stream(const text_case *c, trawl_context *context, follower *f)
{
    trawl_stream *stream = NULL;
    assert_int_equal(trawl_stream_open(context, c->plan, NULL, follow, f, &stream, NULL), TRAWL_OK);
    return stream;
}

/* Whether the device does not take the plan, as run_case has it: what it does with a text of no
 * bytes does not tell. */
static bool refuses_streams(const text_case *c, trawl_context *context)
{
    follower f = { NULL, 0, false };
    trawl_stream *stream = NULL;
    const int status = trawl_stream_open(context, c->plan, NULL, follow, &f, &stream, NULL);
    if (status == TRAWL_OK)
        trawl_stream_drop(stream, NULL);
    return status == TRAWL_ERROR_UNSUPPORTED && c->way->tuning;
}

/* A stream begins in one context, and its state goes on in another. */
static void run_moved(const text_case *c, trawl_context *from, trawl_context *to, size_t cut,
                      const matches *expected)
{
    const uint8_t *text = c->scenario->text;
    follower f = { expected, 0, false };
    size_t bytes = 0;
    trawl_stream *stream = open_stream(c, from, &f);
    if (!target_saves(stream)) {
        trawl_stream_drop(stream, NULL);
        return;
    }
    int status = trawl_stream_feed(stream, text, cut, NULL);
    assert_int_equal(trawl_stream_save(stream, NULL, &bytes, NULL), status);
    void *state = malloc(bytes);
    assert_non_null(state);
    assert_int_equal(trawl_stream_save(stream, state, &bytes, NULL), TRAWL_OK);
    trawl_stream_drop(stream, NULL);
    stream = open_stream(c, to, &f);
    assert_int_equal(trawl_stream_restore(stream, state, bytes, NULL), TRAWL_OK);
    status = trawl_stream_feed(stream, text + cut, c->scenario->length - cut, NULL);
    trawl_stream_close(stream, NULL);
    free(state);
    if (status != TRAWL_OK || f.wrong || f.seen != expected->count)
        case_failed(c, "a stream that was saved and restored finds other matches");
}

static trawl_plan *compile(const scenario *s, const char *engine, rng *r)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.engine = engine;
    options.wm_block = rng_chance(r, 2) ? 2 : 3;
    trawl_compile(s->patterns, s->count, &options, &plan, NULL);
    return plan;
}

static uint64_t run_target(const test_target *t, const scenario *s, const trawl_plan *plan,
                           const char *engine, rng *r, const matches *expected, uint32_t mode)
{
    const size_t w = way_choose(t, engine, r);
    const text_case c = { s, &ways[w], t, plan, mode };
    const bool taken = run_case(&c, context_of(t, w), expected);
    if (taken && mode == TRAWL_REPORT_ENDS && rng_chance(r, 8) &&
        !(s->length == 0 && refuses_streams(&c, context_of(t, w)))) {
        const bool device_first = rng_chance(r, 2);
        run_moved(&c, device_first ? context_of(t, w) : cpu, device_first ? cpu : context_of(t, w),
                  rng_below(r, (uint32_t)s->length + 1), expected);
    }
    tally_of(t)->run += taken;
    tally_of(t)->refused += !taken;
    return 1;
}

static uint64_t run_scenario(const scenario *s)
{
    rng r = { ~s->seed };
    matches expected = { NULL, 0, 0 };
    uint64_t cases = 0;
    uint32_t mode = TRAWL_REPORT_ENDS;
    if (rng_chance(&r, 5))
        mode = rng_below(&r, TRAWL_REPORT_EACH + 1);
    if (!scenario_affords(s, mode))
        return 0;
    expected.count = oracle_scan(s->patterns, s->count, s->text, s->length, mode, &expected.items);
    for (size_t w = 0; w < WAYS; w++) {
        const char *engine = ways[w].engine;
        if (w && strcmp(ways[w - 1].engine, engine) == 0)
            continue; /* those of one engine stand together */
        trawl_plan *plan = compile(s, engine, &r);
        for (size_t t = 0; plan && t < target_count; t++)
            for (int twice = 0; twice < 2; twice++)
                cases += run_target(&targets[t], s, plan, engine, &r, &expected, mode);
        trawl_plan_free(plan);
    }
    free(expected.items);
    return cases;
}

static void test_texts(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES) * target_count;
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0, scenarios = 0;
    (void)state;
    assert_non_null(s);
    for (; cases < wanted; scenarios++) {
        scenario_make(s, seed + scenarios, LONGEST);
        cases += run_scenario(s);
        scenario_free(s);
    }
    free(s);
    for (size_t t = 0; t < target_count; t++)
        printf("%s %s: %llu cases agree, %llu refused\n", targets[t].backend, targets[t].device,
               (unsigned long long)tallies[t].run, (unsigned long long)tallies[t].refused);
}

/* ---- grids ----------------------------------------------------------------------------- */

typedef struct grid_found {
    const trawl_grid_match *matches;
    size_t count, seen;
    bool wrong;
} grid_found;

static int compare_grid_one(const trawl_grid_match *m, void *user)
{
    grid_found *f = user;
    if (f->seen < f->count) {
        const trawl_grid_match *e = &f->matches[f->seen];
        f->wrong |=
            e->row != m->row || e->col != m->col || e->id != m->id || e->needle != m->needle;
    }
    f->seen++;
    return 0;
}

EACH_GRID_MATCH(compare_grid)

static void run_grid(const test_target *t, size_t w, const grid_scenario *g, uint64_t seed,
                     const trawl_grid_match *expected, size_t count)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    grid_found f = { expected, count, 0, false };
    options.engine = ways[w].engine;
    options.context = seed % 2 ? context_of(t, w) : NULL; /* plans for a CPU run as well */
    int status = trawl_compile_grid(g->needles, g->count, g->cell_size, &options, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_scan_grid(context_of(t, w), plan, &g->text, NULL, compare_grid, &f, &error);
    const bool refused = status == TRAWL_ERROR_UNSUPPORTED && ways[w].tuning;
    tally_of(t)->refused += refused;
    tally_of(t)->run += !refused;
    if (!refused && (status != TRAWL_OK || f.wrong || f.seen != count))
        fail_msg("seed %llu, engine %s, %s device %s, tuning %s: %zu matches expected, %zu seen, "
                 "%s %s",
                 (unsigned long long)seed, ways[w].engine, t->backend, t->device,
                 ways[w].tuning ? ways[w].tuning : "none", count, f.seen,
                 f.wrong ? "others" : "equal so far", error.message);
    trawl_plan_free(plan);
}

static void test_grids(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(GRID_CASES) * target_count;
    uint64_t cases = 0;
    (void)state;
    for (uint64_t n = seed; cases < wanted; n++) {
        rng r = { ~n };
        grid_scenario g;
        trawl_grid_match *expected = NULL;
        grid_scenario_make(&g, n);
        const size_t count = oracle_scan_grid(g.needles, g.count, g.cell_size, &g.text, &expected);
        for (size_t t = 0; t < target_count; t++) {
            for (int tries = 0; tries < 2;) {
                const size_t w = rng_below(&r, WAYS);
                if (!way_fits(&targets[t], &ways[w], "bb") &&
                    !way_fits(&targets[t], &ways[w], "byr") &&
                    !way_fits(&targets[t], &ways[w], "byr/bb") &&
                    !way_fits(&targets[t], &ways[w], "direct") &&
                    !way_fits(&targets[t], &ways[w], "ku") &&
                    !way_fits(&targets[t], &ways[w], "ku/bb"))
                    continue;
                run_grid(&targets[t], w, &g, n, expected, count);
                tries++;
                cases++;
            }
        }
        free(expected);
        grid_scenario_free(&g);
    }
    for (size_t t = 0; t < target_count; t++)
        printf("%s %s: %llu cases agree, %llu refused\n", targets[t].backend, targets[t].device,
               (unsigned long long)tallies[t].run, (unsigned long long)tallies[t].refused);
}

/* Copies of needles in the corners of a text of several pieces and anywhere: one row, one column,
 * small ones, those that a group compares, the text itself; alone and together. */
enum { EDGE_ROWS = 500, EDGE_COLS = 307, EDGE_NEEDLES = 6 };

static void plant(uint8_t *cells, uint32_t size, const trawl_needle *n, size_t row, size_t col)
{
    for (size_t r = 0; r < n->rows; r++)
        memcpy(cells + ((row + r) * EDGE_COLS + col) * size,
               (const uint8_t *)n->cells + r * n->cols * size, n->cols * size);
}

static void check_edges(const test_target *t, const trawl_grid *text, uint32_t size,
                        const trawl_needle *needles, size_t count, trawl_context *context)
{
    static const char *const engines[] = { "ku", "ku/bb", "byr/bb" };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_grid_match *expected = NULL;
    size_t matches = 0;
    trawl_plan *plan = NULL;
    options.engine = "bb";
    assert_int_equal(trawl_compile_grid(needles, count, size, &options, &plan, NULL), TRAWL_OK);
    assert_int_equal(trawl_collect_grid(cpu, plan, text, NULL, &expected, &matches, NULL),
                     TRAWL_OK);
    assert_true(matches >= count);
    trawl_plan_free(plan);
    for (size_t e = 0; e < 2 * COUNT(engines); e++) {
        trawl_error error = { 0 };
        grid_found f = { expected, matches, 0, false };
        options.engine = engines[e / 2];
        options.context = e % 2 ? context : NULL;
        assert_int_equal(trawl_compile_grid(needles, count, size, &options, &plan, NULL), TRAWL_OK);
        if (trawl_scan_grid(context, plan, text, NULL, compare_grid, &f, &error) != TRAWL_OK ||
            f.wrong || f.seen != matches)
            fail_msg("%s on %s %s, cells of %u: %zu of %zu matches, %s %s", options.engine,
                     t->backend, t->device, size, f.seen, matches, f.wrong ? "others" : "",
                     error.message);
        trawl_plan_free(plan);
    }
    trawl_grid_matches_free(expected);
}

static void test_edges(void **state)
{
    static const uint32_t shapes[EDGE_NEEDLES][2] = { { 1, 9 },   { 11, 1 },  { 4, 4 },
                                                      { 13, 10 }, { 96, 97 }, { 33, 300 } };
    uint64_t seed = 20261122;
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t size = k / 2 + 1, letters = k % 2 ? 2 : 250;
        uint8_t *cells = malloc((size_t)EDGE_ROWS * EDGE_COLS * size);
        trawl_needle needles[EDGE_NEEDLES];
        assert_non_null(cells);
        for (size_t i = 0; i < EDGE_ROWS * EDGE_COLS; i++)
            put_cell(cells, i, size, next_random(&seed) % letters);
        for (size_t i = 0; i < EDGE_NEEDLES; i++) {
            const size_t rows = shapes[i][0], cols = shapes[i][1];
            uint8_t *of = malloc(rows * cols * size);
            assert_non_null(of);
            for (size_t c = 0; c < rows * cols; c++)
                put_cell(of, c, size, next_random(&seed) % letters);
            needles[i] = (trawl_needle){ of, rows, cols, 0, (uint32_t)i, NULL };
        }
        for (size_t i = EDGE_NEEDLES; i-- > 0;) { /* the small ones last, which may hide others */
            const size_t down = EDGE_ROWS - needles[i].rows, across = EDGE_COLS - needles[i].cols;
            for (size_t at = 0; at < 4; at++)
                plant(cells, size, &needles[i], at / 2 * down, at % 2 * across);
            for (size_t at = 0; at < 6; at++)
                plant(cells, size, &needles[i], next_random(&seed) % down,
                      next_random(&seed) % across);
        }
        for (size_t i = 0; i < EDGE_NEEDLES; i++)
            plant(cells, size, &needles[i], i < 4 ? 100 + 20 * i : i == 4 ? 200 : 300, 3);
        const trawl_grid text = { cells, EDGE_ROWS, EDGE_COLS, 0 };
        const trawl_needle whole = { cells, EDGE_ROWS, EDGE_COLS, 0, 9, NULL };
        for (size_t t = 0; t < target_count; t++) {
            trawl_context *context =
                target_open(&targets[t], targets[t].device, k % 4 < 2 ? "piece=64" : NULL);
            for (size_t i = 0; i < EDGE_NEEDLES; i++)
                check_edges(&targets[t], &text, size, &needles[i], 1, context);
            check_edges(&targets[t], &text, size, needles, EDGE_NEEDLES, context);
            check_edges(&targets[t], &text, size, needles + 2, 3, context);
            check_edges(&targets[t], &text, size, &whole, 1, context);
            trawl_context_close(context);
        }
        for (size_t i = 0; i < EDGE_NEEDLES; i++)
            free((void *)(uintptr_t)needles[i].cells);
        free(cells);
    }
}

/* ---- more matches than there is room for -------------------------------------------------- */

static int count_match_one(const trawl_match *m, void *user)
{
    (void)m;
    ++*(uint64_t *)user;
    return 0;
}

EACH_MATCH(count_match)

/* a{l} on a text of a alone ends at every byte from l on. */
static void test_crowds(void **state)
{
    static const char *const engines[] = { "bm",   "wm",     "ac",    "pfac",  "shiftand",
                                           "hnfa", "packed", "kmers", "qgrams" };
    const size_t length = test_sanitized() ? 300000 : 3000000;
    char *text = (char *)fenced_text(length, true);
    (void)state;
    memset(text, 'a', length);
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, NULL);
        for (size_t e = 0; e < COUNT(engines); e++) {
            trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
            const trawl_pattern pattern = { "aaaa", 4, 0, 0, 0, NULL };
            trawl_plan *plan = NULL;
            trawl_error error = { 0 };
            uint64_t seen = 0, count = 0;
            options.engine = engines[e];
            assert_int_equal(trawl_compile(&pattern, 1, &options, &plan, &error), TRAWL_OK);
            if (trawl_scan(context, plan, text, length, NULL, count_match, &seen, &error) ||
                trawl_count(context, plan, text, length, NULL, &count, &error))
                fail_msg("%s: %s", engines[e], error.message);
            if (seen != length - 3 || count != length - 3)
                fail_msg("%s on %s: %llu seen, %llu counted, %zu expected", engines[e],
                         targets[t].backend, (unsigned long long)seen, (unsigned long long)count,
                         length - 3);
            trawl_plan_free(plan);
        }
        trawl_context_close(context);
    }
    fenced_free(text, length);
}

/* ---- borders --------------------------------------------------------------------------- */

/* All matches of a plan, on a context. */
static matches collect(trawl_context *context, const trawl_plan *plan, const char *text,
                       size_t length)
{
    matches found = { NULL, 0, 0 };
    trawl_error error = { 0 };
    if (trawl_collect(context, plan, text, length, NULL, &found.items, &found.count, &error) !=
        TRAWL_OK)
        fail_msg("%s", error.message);
    return found;
}

/* A literal of `length` bytes at every place modulo 16, 512, ..., at both ends of the text, and
 * into each other: periods of 1 to 4; the third one has both cases, and no two bits in a row tell
 * the letters of the fourth apart. */
static void search_borders(const test_target *t, const char *engine, const char *tuning,
                           size_t length, uint32_t flags)
{
    static const char *const periods[] = { "a", "ac", "aCg", "abdh" };
    enum { TEXT = 40000, MOST = 64 };
    trawl_context *context = target_open(t, t->device, tuning);
    char *text = (char *)fenced_text(TEXT, true);
    char literal[MOST];
    for (size_t p = 0; p < COUNT(periods); p++) {
        const size_t period = strlen(periods[p]);
        const trawl_pattern pattern = { literal, length, TRAWL_SYNTAX_LITERAL, flags, 0, NULL };
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        options.engine = engine;
        for (size_t i = 0; i < length; i++)
            literal[i] = periods[p][i % period];
        for (size_t i = 0, at = 0; i < TEXT; i++, at++) { /* runs, a byte longer each time */
            if (at >= length + i / 5000)
                at = i % 2;
            text[i] = i % 4099 == 4098 ? 'x' : periods[p][at % period];
            if (flags && i % 7 == 0)
                text[i] = (char)(text[i] ^ ('a' ^ 'A'));
        }
        assert_int_equal(trawl_compile(&pattern, 1, &options, &plan, NULL), TRAWL_OK);
        for (size_t less = 0; less < 40; less += 13) {
            matches expected = collect(cpu, plan, text + less, TEXT - 2 * less);
            matches found = collect(context, plan, text + less, TEXT - 2 * less);
            if (found.count != expected.count ||
                memcmp(found.items, expected.items, found.count * sizeof *found.items) != 0)
                fail_msg("%s, tuning %s, length %zu, period %zu: %zu matches, %zu expected", engine,
                         tuning ? tuning : "none", length, period, found.count, expected.count);
            trawl_matches_free(found.items);
            trawl_matches_free(expected.items);
        }
        trawl_plan_free(plan);
    }
    fenced_free(text, TEXT);
    trawl_context_close(context);
}

static void test_borders(void **state)
{
    static const char *const engines[] = { "packed", "kmers", "qgrams" };
    static const size_t lengths[] = { 1, 2, 3, 4, 5, 8, 16, 17, 33, 64 };
    (void)state;
    for (size_t t = 0; t < target_count; t++)
        for (size_t e = 0; e < COUNT(engines); e++)
            for (size_t i = strcmp(engines[e], "qgrams") == 0; i < COUNT(lengths); i++) {
                const char *tuning = i % 2 ? "group=64,blocks=1,page=128,piece=64" : NULL;
                search_borders(&targets[t], engines[e], tuning, lengths[i], 0);
                search_borders(&targets[t], engines[e], tuning, lengths[i], TRAWL_NOCASE);
            }
}

/* A plan has `expected` matches, by every tuning. */
static void expect_matches(const trawl_plan *plan, const char *text, size_t length,
                           uint64_t expected)
{
    static const char *const tunings[] = { NULL, "filter=1,group=64,piece=64",
                                           "filter=0,group=64,piece=100,queues=2" };
    for (size_t t = 0; t < target_count; t++) {
        for (size_t i = 0; i < COUNT(tunings); i++) {
            trawl_context *context = target_open(&targets[t], targets[t].device, tunings[i]);
            trawl_error error = { 0 };
            uint64_t seen = 0, count = 0;
            if (trawl_scan(context, plan, text, length, NULL, count_match, &seen, &error) ||
                trawl_count(context, plan, text, length, NULL, &count, &error))
                fail_msg("%s", error.message);
            if (seen != expected || count != expected)
                fail_msg("%s, tuning %s: %llu seen, %llu counted, %llu expected",
                         targets[t].backend, tunings[i] ? tunings[i] : "none",
                         (unsigned long long)seen, (unsigned long long)count,
                         (unsigned long long)expected);
            trawl_context_close(context);
        }
    }
}

/* a^k b for k from 1 to 200 in runs of a: every start goes on for long, or has many literals to be
 * compared with, so a search gives up, and its fallback finds all. A run of n bytes a before a b
 * has min(n, 200) of them. And a^200, where each start is compared for long. */
static void test_giving_up(void **state)
{
    enum { PATTERNS = 200 };
    static const char *const engines[] = { "pfac/ac", "kmers/ac" };
    const size_t length = test_sanitized() ? 200000 : 1000000, run = 3001;
    char written[PATTERNS][PATTERNS + 2];
    trawl_pattern patterns[PATTERNS];
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    char *text = (char *)fenced_text(length, true);
    (void)state;
    memset(text, 'a', length);
    for (size_t at = run; at < length; at += run + 1)
        text[at] = 'b';
    for (size_t i = 0; i < PATTERNS; i++) {
        memset(written[i], 'a', i + 1);
        written[i][i + 1] = 'b';
        patterns[i] = (trawl_pattern){ written[i], i + 2, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    for (size_t e = 0; e < COUNT(engines); e++) {
        options.engine = engines[e];
        assert_int_equal(trawl_compile(patterns, PATTERNS, &options, &plan, NULL), TRAWL_OK);
        expect_matches(plan, text, length, (length - run - 1) / (run + 1) * PATTERNS + PATTERNS);
        trawl_plan_free(plan);
    }
    options.engine = "packed/bm";
    patterns[PATTERNS - 1].length = PATTERNS;
    assert_int_equal(trawl_compile(&patterns[PATTERNS - 1], 1, &options, &plan, NULL), TRAWL_OK);
    const size_t rest = length % (run + 1);
    expect_matches(plan, text, length,
                   length / (run + 1) * (run - PATTERNS + 1) +
                       (rest < PATTERNS ? 0 : rest - PATTERNS + 1));
    trawl_plan_free(plan);
    fenced_free(text, length);
}

/* a^8 b^k c for k from 1 to 200 in runs of a^8 b^k without c, mostly: the sample has the grams with
 * c, so others are taken, and each run has them of all patterns. */
static void test_giving_up_grams(void **state)
{
    enum { PATTERNS = 200, HEAD = 8, SAMPLE = 4096 };
    const size_t length = test_sanitized() ? 200000 : 1000000;
    char written[PATTERNS][HEAD + PATTERNS + 2], sample[SAMPLE];
    trawl_pattern patterns[PATTERNS];
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    uint64_t expected = 0;
    char *text = (char *)fenced_text(length, true);
    (void)state;
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = i % 4 == 3 ? 'c' : 'b';
    for (size_t i = 0; i < PATTERNS; i++) {
        memset(written[i], 'a', HEAD);
        memset(written[i] + HEAD, 'b', i + 1);
        written[i][HEAD + i + 1] = 'c';
        patterns[i] = (trawl_pattern){ written[i], HEAD + i + 2, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    memset(text, 'b', length);
    for (size_t at = 0, run = 0; at + HEAD < length; at += HEAD + PATTERNS, run++) {
        memset(text + at, 'a', HEAD);
        if (run % 100 == 0)
            text[at + HEAD + PATTERNS / 2 < length ? at + HEAD + PATTERNS / 2 : at] = 'c';
    }
    options.engine = "qgrams/ac";
    options.sample = sample;
    options.sample_length = SAMPLE;
    assert_int_equal(trawl_compile(patterns, PATTERNS, &options, &plan, NULL), TRAWL_OK);
    assert_int_equal(trawl_count(cpu, plan, text, length, NULL, &expected, NULL), TRAWL_OK);
    assert_true(expected > 0);
    expect_matches(plan, text, length, expected);
    trawl_plan_free(plan);
    fenced_free(text, length);
}

/* ---- more matches than little memory holds ------------------------------------------- */

static int count_grid_match_one(const trawl_grid_match *m, void *user)
{
    (void)m;
    ++*(uint64_t *)user;
    return 0;
}

EACH_GRID_MATCH(count_grid_match)

static uint64_t count_crowd(const test_target *t, const char *tuning, size_t patterns,
                            size_t length)
{
    trawl_pattern *list = malloc(patterns * sizeof *list);
    char *text = (char *)fenced_text(length, true);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_context *context = target_open(t, t->device, tuning);
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    uint64_t seen = 0;
    assert_non_null(list);
    memset(text, 'a', length);
    for (size_t i = 0; i < patterns; i++)
        list[i] = (trawl_pattern){ "a", 1, 0, 0, (uint32_t)i, NULL };
    options.engine = "ac";
    if (trawl_compile(list, patterns, &options, &plan, &error) != TRAWL_OK ||
        trawl_scan(context, plan, text, length, NULL, count_match, &seen, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    trawl_plan_free(plan);
    trawl_context_close(context);
    free(list);
    fenced_free(text, length);
    return seen;
}

/* Two bytes, or two rows, have more matches than little memory holds, and one has fewer: what is
 * scanned again must become shorter. Then one byte alone has more, which the CPU must find. */
static void test_crowds_in_little_memory(void **state)
{
    enum { EACH = 5000, BYTES = 200, ROWS = 40, MANY_MORE = 300000 };
    const trawl_needle dot = { "a", 1, 1, 0, 0, NULL };
    char *cells = malloc(EACH * ROWS);
    const trawl_grid grid = { cells, ROWS, EACH, 0 };
    trawl_plan *dots = NULL;
    (void)state;
    assert_non_null(cells);
    memset(cells, 'a', EACH * ROWS);
    assert_int_equal(trawl_compile_grid(&dot, 1, 1, NULL, &dots, NULL), TRAWL_OK);
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, "memory=1");
        trawl_error error = { 0 };
        uint64_t seen = 0;
        if (trawl_scan_grid(context, dots, &grid, NULL, count_grid_match, &seen, &error) !=
            TRAWL_OK)
            fail_msg("%s", error.message);
        assert_int_equal(seen, EACH * ROWS);
        trawl_context_close(context);
        assert_int_equal(count_crowd(&targets[t], "memory=1", EACH, BYTES), EACH * BYTES);
        assert_int_equal(count_crowd(&targets[t], "memory=3", MANY_MORE, 1), MANY_MORE);
    }
    trawl_plan_free(dots);
    free(cells);
}

/* ---- arguments ---------------------------------------------------------------------------- */

static void expect_refusal(const test_target *t, const char *device, const char *tuning,
                           const char *part)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.backend = t->backend;
    options.device = device;
    options.tuning = tuning;
    assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(context);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not say '%s'", error.message, part);
}

static void test_arguments(void **state)
{
    const test_target *t = &targets[0];
    const test_target cpu = { .backend = "serial" };
    (void)state;
    expect_refusal(t, "99", NULL, "device '99'");
    expect_refusal(t, "x", NULL, "device 'x'");
    expect_refusal(t, "0,0", NULL, "twice");
    expect_refusal(t, "0,", NULL, "device '0,'");
    expect_refusal(t, "", NULL, "device ''");
    expect_refusal(t, NULL, "grop=1", "'grop'");
    expect_refusal(t, NULL, "group=0", "group is 1 to 1024");
    expect_refusal(t, NULL, "group=1025", "group is 1 to 1024");
    expect_refusal(t, NULL, "group", "group is 1 to 1024");
    expect_refusal(t, NULL, "staged=1,exchange=shout", "exchange is atomic");
    expect_refusal(t, NULL, "group=99999999999999999999", "group is");
    expect_refusal(&cpu, "0", NULL, "device and tuning");
    expect_refusal(&cpu, NULL, "group=64", "device and tuning");
    trawl_context_options threads = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    threads.backend = t->backend;
    threads.threads = 2;
    assert_int_equal(trawl_context_open(&threads, &context, NULL), TRAWL_ERROR_ARGUMENT);
    trawl_device_info info = { .size = sizeof info };
    trawl_error error = { 0 };
    assert_int_equal(trawl_device_get_info(t->backend, 999, &info, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_device_get_info("serial", 0, &info, &error), TRAWL_ERROR_ARGUMENT);
    char why[256];
    assert_int_equal(trawl_device_count("serial", why), 0);
    assert_non_null(strstr(why, "CPU"));
}

int main(int argc, char **argv)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_texts),
        cmocka_unit_test(test_grids),           cmocka_unit_test(test_edges),
        cmocka_unit_test(test_crowds),          cmocka_unit_test(test_giving_up),
        cmocka_unit_test(test_giving_up_grams), cmocka_unit_test(test_crowds_in_little_memory),
        cmocka_unit_test(test_borders),
    };
    if (argc > 1) /* one of them: tests/device/gpu.sh runs many processes side by side */
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, open_cpu, close_targets);
}
