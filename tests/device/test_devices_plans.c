/* test_devices_plans.c: what a context with a device does with plans: cuts text into pieces, keeps
 * several plans at hand, runs the parts of one after the other, makes do with little memory.
 *
 * What is expected comes from the serial backend, which test_differential.c holds to the oracle,
 * or from how the text was made. targets.h says which devices take part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/lane.h"
#include "each.h"
#include "oracle.h"
#include "random.h"
#include "scan/scan.h"
#include "targets.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ORACLE_CASES 300

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

static int count_match_one(const trawl_match *m, void *user)
{
    (void)m;
    ++*(uint64_t *)user;
    return 0;
}

EACH_MATCH(count_match)

static trawl_plan *compile(const trawl_pattern *patterns, size_t count, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine;
    if (trawl_compile(patterns, count, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

static trawl_pattern extended(const char *text)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
}

static trawl_pattern literal(const char *text)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
}

/* Letters from a to the `letters`th one. */
static char *random_letters(size_t length, uint32_t letters, uint64_t seed)
{
    char *text = malloc(length);
    rng r = { seed };
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + rng_below(&r, letters));
    return text;
}

/* ---- the same matches ---------------------------------------------------------------- */

/* The matches that are expected, taken off one by one. */
typedef struct expectation {
    const trawl_match *matches;
    size_t count, seen;
    bool wrong;
} expectation;

static int take_off_one(const trawl_match *m, void *user)
{
    expectation *e = user;
    e->wrong |= e->seen >= e->count || memcmp(m, &e->matches[e->seen], sizeof *m) != 0;
    e->seen++;
    return e->wrong;
}

EACH_MATCH(take_off)

static void expect_all(const expectation *e, int status, const test_target *t, const char *tuning,
                       const char *what, const trawl_error *error)
{
    if (status != TRAWL_OK || e->wrong || e->seen != e->count)
        fail_msg("%s on %s device %s, tuning %s: %zu matches expected, %zu seen, the last one %s; "
                 "%s",
                 what, t->backend, t->device, tuning ? tuning : "none", e->count, e->seen,
                 e->wrong ? "wrong" : "right", status == TRAWL_OK ? "no error" : error->message);
}

/* Scan as a whole, where a device is. */
static void scan_whole(const test_target *t, const char *tuning, trawl_context *context,
                       const trawl_plan *plan, const char *text, size_t length,
                       const trawl_match *matches, size_t count, const char *what)
{
    expectation e = { matches, count, 0, false };
    trawl_error error = { 0 };
    uint64_t counted = 0;
    int status = trawl_scan(context, plan, text, length, NULL, take_off, &e, &error);
    expect_all(&e, status, t, tuning, what, &error);
    status = trawl_count(context, plan, text, length, NULL, &counted, &error);
    e.seen = (size_t)counted;
    expect_all(&e, status, t, tuning, "trawl_count", &error);
}

static trawl_match *collect(const trawl_plan *plan, const char *text, size_t length, size_t *count)
{
    trawl_match *matches = NULL;
    trawl_error error = { 0 };
    if (trawl_collect(serial, plan, text, length, NULL, &matches, count, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return matches;
}

static uint64_t bytes_on_cpu(trawl_context *context)
{
    trawl_timing timing = { .size = sizeof timing };
    assert_int_equal(trawl_context_get_timing(context, &timing), TRAWL_OK);
    return timing.on_cpu;
}

/* ---- several pieces, several devices --------------------------------------------------- */

/* "needle" planted every `step` bytes, so also across the borders of pieces. */
static char *planted_text(size_t length, size_t step)
{
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, '.', length);
    for (size_t at = 0; at + 6 <= length; at += step)
        memcpy(text + at, "needle", 6);
    return text;
}

static uint64_t count_planted(const test_target *t, const char *device, const char *tuning,
                              const char *pattern, const char *text, size_t length, bool *warned)
{
    const trawl_pattern p = extended(pattern);
    trawl_context *context = target_open(t, device, tuning);
    trawl_plan *plan = compile(&p, 1, NULL);
    trawl_error error = { 0 };
    uint64_t count = 0;
    if (trawl_scan(context, plan, text, length, NULL, count_match, &count, &error) != TRAWL_OK)
        fail_msg("%s, tuning %s: %s", t->backend, tuning ? tuning : "none", error.message);
    *warned = trawl_context_warning(context) != NULL;
    trawl_plan_free(plan);
    trawl_context_close(context);
    return count;
}

static void test_pieces(void **state)
{
    static const char *const tunings[] = { "piece=64,queues=1", "piece=64,queues=2",
                                           "piece=100,queues=8,mapped=0", "piece=262144" };
    static const char *const patterns[] = { "needle", "nee[a-d]le", "n[ed]+le", "n.{4}e\\.*" };
    const size_t length = 3000001, step = 17;
    char *text = planted_text(length, step);
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        for (size_t i = 0; i < COUNT(tunings); i++) {
            for (size_t p = 0; p < COUNT(patterns); p++) {
                bool warned;
                const uint64_t whole = (length - 6) / step + 1;
                /* the last pattern ends at each byte up to the next needle */
                const uint64_t expected = p < 3 ? whole : length - 5 - (whole - 1) * 5;
                const uint64_t found =
                    count_planted(&targets[t], p % 2 ? targets[t].device : "all", tunings[i],
                                  patterns[p], text, length, &warned);
                if (found != expected || warned)
                    fail_msg("%s, %s, %s: %llu found, %llu expected", targets[t].backend,
                             tunings[i], patterns[p], (unsigned long long)found,
                             (unsigned long long)expected);
            }
        }
    }
    free(text);
}

/* ---- several plans ------------------------------------------------------------------------- */

/* One context scans with several plans in turn, and keeps them. A plan that is freed may leave its
 * place to another, which is not it. */
static void test_plans_in_turn(void **state)
{
    static const char *const engines[] = { "bm", "wm", "pfac/ac", "shiftand", "hnfa", "auto" };
    enum { ROUNDS = 40, PLANS = COUNT(engines) };
    const size_t length = 20000;
    char *text = random_letters(length, 3, 11);
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, NULL);
        trawl_plan *plans[PLANS] = { NULL };
        uint64_t expected[PLANS];
        trawl_error error = { 0 };
        rng r = { 5 };
        for (size_t i = 0; i < ROUNDS * PLANS; i++) {
            const size_t at = i % PLANS;
            char word[8] = "";
            for (size_t k = 0; k < 4; k++)
                word[k] = (char)('a' + rng_below(&r, 3));
            /* Now and then another plan, whose memory is likely that of the one before. */
            if (!plans[at] || rng_chance(&r, 10)) {
                const trawl_pattern p = literal(word);
                trawl_plan_free(plans[at]);
                plans[at] = compile(&p, 1, engines[at]);
                assert_int_equal(
                    trawl_count(serial, plans[at], text, length, NULL, &expected[at], &error),
                    TRAWL_OK);
            }
            uint64_t count = 0;
            if (trawl_count(context, plans[at], text, length, NULL, &count, &error) != TRAWL_OK)
                fail_msg("%s: %s", engines[at], error.message);
            if (count != expected[at])
                fail_msg("%s on %s, round %zu: %llu counted, %llu expected", engines[at],
                         targets[t].backend, i / PLANS, (unsigned long long)count,
                         (unsigned long long)expected[at]);
        }
        for (size_t i = 0; i < PLANS; i++)
            trawl_plan_free(plans[i]);
        trawl_context_close(context);
    }
    free(text);
}

/* More plans than a device keeps. */
static void test_many_plans(void **state)
{
    enum { PLANS = MAX_LOADED + 5, ROUNDS = 3 };
    const size_t length = 20000;
    char *text = random_letters(length, 4, 12);
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, NULL);
        trawl_plan *plans[PLANS];
        trawl_match *expected[PLANS];
        size_t counts[PLANS];
        for (uint32_t i = 0; i < PLANS; i++) {
            const char word[] = { 'a', (char)('a' + i % 4), (char)('a' + i / 4 % 4),
                                  (char)('a' + i / 16), '\0' };
            const trawl_pattern p = literal(word);
            plans[i] = compile(&p, 1, i % 2 ? "shiftand" : "ac");
            expected[i] = collect(plans[i], text, length, &counts[i]);
        }
        for (uint32_t i = 0; i < ROUNDS * PLANS; i++)
            scan_whole(&targets[t], NULL, context, plans[i % PLANS], text, length,
                       expected[i % PLANS], counts[i % PLANS], "one of many plans");
        for (uint32_t i = 0; i < PLANS; i++) {
            trawl_plan_free(plans[i]);
            trawl_matches_free(expected[i]);
        }
        trawl_context_close(context);
    }
    free(text);
}

/* ---- several parts --------------------------------------------------------------------------- */

enum { MAX_PATTERNS = 8100 };

/* A plan of several parts: besides the patterns it has `more` literals of 12 letters that no text
 * here holds. And a class pattern that no text holds either, which factors takes only in one part
 * with unbounded ones. */
static trawl_plan *parts_plan(const trawl_pattern *given, size_t count, size_t more)
{
    static const char refused[] = "\\xfe\\xf0{0,1500}\\xf1{0,1500}\\xff";
    static char written[MAX_PATTERNS][12];
    static trawl_pattern patterns[MAX_PATTERNS];
    rng r = { 17 };
    assert_true(count + more < MAX_PATTERNS);
    memcpy(patterns, given, count * sizeof *given);
    for (size_t i = 0; i < more; i++) {
        for (size_t k = 0; k < sizeof *written; k++)
            written[i][k] = (char)('p' + rng_below(&r, 10));
        patterns[count + i] =
            (trawl_pattern){ written[i], sizeof *written, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    patterns[count + more] =
        (trawl_pattern){ refused, sizeof refused - 1, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
    return compile(patterns, count + more + 1, "auto");
}

/* Literals, bounded classes, and classes without a bound. */
static trawl_plan *mixed_plan(bool unbounded)
{
    const trawl_pattern patterns[] = {
        literal("abcab"),        literal("ab"),        literal("c"),
        literal("bacbabacbaba"), literal("cabcab"),    extended("a[bc]{1,3}.?c"),
        extended("[ab]{20}c.b"), extended("a[^c]*ca"), extended("c+bb"),
    };
    trawl_plan *plan = parts_plan(patterns, COUNT(patterns) - (unbounded ? 0 : 2), 8000);
    assert_true(plan_head(plan)->part_count > 1);
    assert_int_equal(plan_head(plan)->carries, unbounded);
    return plan;
}

static const char *const part_tunings[] = { NULL, "piece=64", "piece=64,queues=2,mapped=0",
                                            "piece=100,queues=8,group=64" };

/* Random texts, against the oracle. */
static void test_parts_oracle(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(ORACLE_CASES);
    uint64_t several = 0; /* all but for some on processors without vectors */
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, NULL);
        for (uint64_t n = seed; n < seed + cases; n++) {
            rng r = { n };
            char written[8][12];
            trawl_pattern patterns[8];
            const size_t count = rng_between(&r, 5, COUNT(patterns)), length = rng_below(&r, 3000);
            const uint32_t letters = rng_between(&r, 2, 5);
            static const char *const ends[] = { "[ab]{0,2}c", "b+c", "[^a]*a", ".?b?", "c{2,5}" };
            for (size_t i = 0; i < count; i++) {
                for (size_t k = 0; k < 3; k++)
                    written[i][k] = (char)('a' + rng_below(&r, letters));
                written[i][3] = '\0';
                patterns[i] = literal(written[i]);
                if (i % 2) {
                    strcpy(written[i] + 1, ends[rng_below(&r, COUNT(ends))]);
                    patterns[i] = extended(written[i]);
                }
            }
            char *text = random_letters(length ? length : 1, letters, n);
            trawl_plan *plan = parts_plan(patterns, count, 100);
            several += plan_head(plan)->part_count > 1;
            trawl_match *expected = NULL;
            char what[64];
            snprintf(what, sizeof what, "TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1",
                     (unsigned long long)n);
            const size_t found =
                oracle_scan(patterns, count, text, length, TRAWL_REPORT_ENDS, &expected);
            scan_whole(&targets[t], NULL, context, plan, text, length, expected, found, what);
            free(expected);
            trawl_plan_free(plan);
            free(text);
        }
        trawl_context_close(context);
    }
    assert_true(several > 0 || cases < ORACLE_CASES);
}

/* Texts of many pieces. */
static void test_parts_pieces(void **state)
{
    const size_t length = test_sanitized() ? 150001 : 700001;
    char *text = random_letters(length, 3, 13);
    (void)state;
    memset(text + 65000, 'a', 2000); /* a state that lives on across the border of pieces */
    for (uint32_t unbounded = 0; unbounded < 2; unbounded++) {
        trawl_plan *plan = mixed_plan(unbounded);
        size_t count;
        trawl_match *expected = collect(plan, text, length, &count);
        for (size_t t = 0; t < target_count; t++) {
            for (size_t i = 0; i < COUNT(part_tunings); i++) {
                trawl_context *context = target_open(&targets[t], "all", part_tunings[i]);
                scan_whole(&targets[t], part_tunings[i], context, plan, text, length, expected,
                           count, "parts in pieces");
                assert_null(trawl_context_warning(context));
                trawl_context_close(context);
            }
        }
        trawl_matches_free(expected);
        trawl_plan_free(plan);
    }
    free(text);
}

/* The text arrives in small pieces. */
static void test_parts_streams(void **state)
{
    const size_t length = 60000;
    char *text = random_letters(length, 3, 14);
    (void)state;
    for (uint32_t unbounded = 0; unbounded < 2; unbounded++) {
        trawl_plan *plan = mixed_plan(unbounded);
        expectation e = { NULL, 0, 0, false };
        trawl_match *expected = collect(plan, text, length, &e.count);
        e.matches = expected;
        for (size_t t = 0; t < target_count; t++) {
            trawl_context *context = target_open(&targets[t], targets[t].device, "piece=64");
            for (uint32_t most = 30; most <= 30000; most *= 10) {
                trawl_stream *stream = NULL;
                trawl_error error = { 0 };
                rng r = { most };
                size_t feeds = 0;
                e.seen = 0;
                int status = trawl_stream_open(context, plan, NULL, take_off, &e, &stream, &error);
                for (size_t at = 0, piece; at < length && status == TRAWL_OK; at += piece) {
                    piece = ++feeds < 150 ? rng_below(&r, most) : length - at;
                    piece = piece < length - at ? piece : length - at;
                    status = trawl_stream_feed(stream, text + at, piece, &error);
                }
                const int closed = trawl_stream_close(stream, &error);
                expect_all(&e, status ? status : closed, &targets[t], "piece=64",
                           "a stream of parts", &error);
            }
            trawl_context_close(context);
        }
        trawl_matches_free(expected);
        trawl_plan_free(plan);
    }
    free(text);
}

/* A stretch of text has more matches than there is room for: only that is searched again. */
static void test_parts_crowds(void **state)
{
    enum { PIECE = 64 << 10, PIECES = 16, DENSE = 5 };
    const trawl_pattern patterns[] = {
        literal("a"),           literal("aa"),  extended("[ax]{1,40}b?"),
        extended("[ay]{2,50}"), extended("a+"), extended("[az]+")
    };
    const size_t length = PIECES * PIECE;
    char *text = malloc(length);
    (void)state;
    assert_non_null(text);
    memset(text, '.', length);
    memset(text + DENSE * PIECE, 'a', PIECE);
    for (uint32_t unbounded = 0; unbounded < 2; unbounded++) {
        trawl_plan *plan = parts_plan(patterns, unbounded ? 6 : 4, 8000);
        size_t count;
        assert_true(plan_head(plan)->part_count > 1);
        trawl_match *expected = collect(plan, text, length, &count);
        assert_true(count > 3 * (size_t)PIECE);
        assert_true(count > SCAN_RECORDS / PIECES); /* a slice has less room */
        for (size_t t = 0; t < target_count; t++) {
            trawl_context *context = target_open(&targets[t], targets[t].device, "piece=64");
            expectation e = { expected, count, 0, false };
            trawl_error error = { 0 };
            trawl_timing timing = { .size = sizeof timing };
            const int status = trawl_scan(context, plan, text, length, NULL, take_off, &e, &error);
            expect_all(&e, status, &targets[t], "piece=64", "a crowd", &error);
            assert_int_equal(trawl_context_get_timing(context, &timing), TRAWL_OK);
            if (!unbounded && (timing.pieces <= PIECES || timing.pieces >= 2 * PIECES))
                fail_msg("%llu pieces were searched", (unsigned long long)timing.pieces);
            trawl_context_close(context);
        }
        trawl_matches_free(expected);
        trawl_plan_free(plan);
    }
    free(text);
}

/* ---- too little memory ------------------------------------------------------------------------
 */

enum { MANY = 4000, LONG = 12 };

/* More than 1 MiB of tables: literals, those with another part, patterns without a bound. */
static trawl_plan *large_plan(const char *engine, const char *end, size_t others)
{
    static char written[MANY][LONG + 40];
    static trawl_pattern patterns[MANY];
    rng r = { 7 };
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < LONG; k++)
            written[i][k] = (char)('a' + rng_below(&r, 26));
        written[i][LONG] = '\0';
        if (i == 0)
            memcpy(written[i], "needle......", LONG);
        if (i > 0 && i <= others)
            strcpy(written[i] + LONG, end);
        if (i == 1 && others) /* what factors does not take, so that others do */
            strcat(written[i], "x{0,1500}y{0,1500}");
        patterns[i] = i > 0 && i <= others ? extended(written[i]) : literal(written[i]);
    }
    return compile(patterns, MANY, engine);
}

/* The CPU takes over what a device has no memory for, and says so; what comes next is the device's
 * again. */
static void expect_takeover(const test_target *t, const trawl_plan *large, uint32_t parts)
{
    const size_t length = 100000, step = 100;
    const trawl_pattern p = literal("needle");
    trawl_plan *small = compile(&p, 1, "ac");
    trawl_context *context = target_open(t, t->device, "memory=1");
    trawl_context *automatic = NULL;
    char *text = planted_text(length, step);
    size_t count;
    trawl_match *expected = collect(large, text, length, &count);
    expectation e = { expected, count, 0, false };
    trawl_error error = { 0 };
    assert_in_range(plan_head(large)->part_count, parts, MAX_PARTS);
    assert_true(count >= length / step);
    int status = trawl_scan(context, large, text, length, NULL, take_off, &e, &error);
    expect_all(&e, status, t, "memory=1", "a large plan", &error);
    assert_int_equal(bytes_on_cpu(context), length);
    assert_int_equal(bytes_on_cpu(context), 0); /* since the last call */
    const char *warning = trawl_context_warning(context);
    assert_non_null(warning);
    if (!strstr(warning, "the CPU did what the device had no memory for: out of memory: "))
        fail_msg("the warning says '%s'", warning);

    /* With the threads that a context on the CPU would have. */
    assert_int_equal(trawl_context_open(NULL, &automatic, NULL), TRAWL_OK);
    assert_string_equal(context->spare.backend->name, trawl_context_backend(automatic));
    assert_int_equal(context->spare.threads, trawl_context_threads(automatic));
    assert_string_equal(trawl_context_backend(context), t->backend);

    uint64_t seen = 0;
    status = trawl_scan(context, small, text, length, NULL, count_match, &seen, &error);
    assert_int_equal(status, TRAWL_OK);
    assert_int_equal(seen, length / step);
    assert_int_equal(bytes_on_cpu(context), 0);
    trawl_matches_free(expected);
    trawl_context_close(automatic);
    trawl_context_close(context);
    trawl_plan_free(small);
    free(text);
}

/* Little memory makes pieces small; where not even the tables find room, the CPU takes over. */
static void test_too_little_memory(void **state)
{
    static const char *const patterns[] = { "needle", "n[ed]+le", "n.{4}e\\.?" };
    const size_t length = 3000000, step = 100;
    char *text = planted_text(length, step);
    trawl_plan *literals = large_plan("ac", "", 0);
    trawl_plan *parts = large_plan("auto", "[xy]z", MANY / 2);
    trawl_plan *carrying = large_plan("hnfa", "x*y", MANY - 1);
    trawl_plan *both = large_plan("auto", "x*y", MANY / 2);
    (void)state;
    assert_true(plan_head(carrying)->carries && plan_head(both)->carries);
    for (size_t t = 0; t < target_count; t++) {
        for (size_t i = 0; i < COUNT(patterns); i++) {
            bool warned;
            const uint64_t found = count_planted(&targets[t], targets[t].device, "memory=3",
                                                 patterns[i], text, length, &warned);
            assert_int_equal(found, (i == 2 ? 2 : 1) * (length / step));
            assert_false(warned);
        }
        expect_takeover(&targets[t], literals, 1);
        expect_takeover(&targets[t], parts, 2);
        expect_takeover(&targets[t], carrying, 1);
        expect_takeover(&targets[t], both, 2);
    }
    trawl_plan_free(literals);
    trawl_plan_free(parts);
    trawl_plan_free(carrying);
    trawl_plan_free(both);
    free(text);
}

static int count_needle_one(const trawl_grid_match *m, void *user)
{
    uint64_t *seen = user;
    seen[0]++;
    seen[1] += m->row * 7 + m->col * 5 + m->needle;
    return 0;
}

EACH_GRID_MATCH(count_needle)

/* The same in two dimensions. */
static void test_too_little_memory_grid(void **state)
{
    enum { SIDE = 600, NEEDLES = 250, EDGE = 20 };
    static const char *const engines[] = { "bb", "byr", "byr/bb", "ku/bb" };
    static trawl_needle needles[NEEDLES];
    uint8_t *cells = (uint8_t *)random_letters((size_t)SIDE * SIDE, 26, 15);
    uint8_t *others = (uint8_t *)random_letters((size_t)NEEDLES * EDGE * EDGE, 26, 16);
    const trawl_grid grid = { cells, SIDE, SIDE, 0 };
    (void)state;
    for (size_t i = 0; i < NEEDLES; i++) {
        const size_t row = 37 * i % (SIDE - EDGE), col = 53 * i % (SIDE - EDGE);
        needles[i] = (trawl_needle){ others + i * EDGE * EDGE, EDGE, EDGE, 0, (uint32_t)i, NULL };
        if (i % 2) {
            needles[i].cells = cells + row * SIDE + col;
            needles[i].stride = SIDE;
        }
    }
    for (size_t t = 0; t < target_count; t++) {
        for (size_t i = 0; i < COUNT(engines); i++) {
            trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
            trawl_context *context = target_open(&targets[t], targets[t].device, "memory=1");
            trawl_plan *plan = NULL;
            trawl_error error = { 0 };
            uint64_t expected[2] = { 0, 0 }, seen[2] = { 0, 0 };
            options.engine = engines[i];
            assert_int_equal(trawl_compile_grid(needles, NEEDLES, 1, &options, &plan, &error),
                             TRAWL_OK);
            assert_true(plan_head(plan)->bytes > 1 << 20);
            assert_int_equal(
                trawl_scan_grid(serial, plan, &grid, NULL, count_needle, expected, &error),
                TRAWL_OK);
            if (trawl_scan_grid(context, plan, &grid, NULL, count_needle, seen, &error))
                fail_msg("%s: %s", engines[i], error.message);
            assert_int_equal(expected[0], NEEDLES / 2);
            assert_memory_equal(seen, expected, sizeof seen);
            /* all rows in which a needle may begin */
            assert_int_equal(bytes_on_cpu(context), (SIDE - EDGE + 1) * SIDE);
            assert_non_null(trawl_context_warning(context));
            assert_non_null(context->spare.backend);
            assert_false(on_devices(&context->spare));
            trawl_plan_free(plan);
            trawl_context_close(context);
        }
    }
    free(cells);
    free(others);
}

int main(void)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    serial = target_cpu("serial", 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_plans_in_turn),
        cmocka_unit_test(test_many_plans),
        cmocka_unit_test(test_parts_oracle),
        cmocka_unit_test(test_parts_pieces),
        cmocka_unit_test(test_parts_streams),
        cmocka_unit_test(test_parts_crowds),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_too_little_memory_grid),
    };
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    trawl_context_close(serial);
    return status;
}
