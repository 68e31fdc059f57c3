/* test_stream.c: a text fed piece by piece gives what it gives as a whole.
 *
 * Random scenarios are cut at random places, with pieces of one byte and of none, and each
 * piece lies in memory of its own that is gone after the feed. Then the rest of what
 * trawl.h says of streams: what is refused, stopping, limits, offsets beyond 32 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "each.h"
#include "fence.h"
#include "oracle.h"
#include "pieces.h"
#include "plan/plan.h"
#include "random.h"
#include "scan/scan.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 20000
#define LONGEST 9000
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MODES = TRAWL_REPORT_EACH + 1 };

static trawl_context *context; /* serial, three chunks */
static trawl_context *whole;   /* serial, as it is; first stages give up soon */
static trawl_context *threads; /* two */
static fence around;           /* a piece that is fed */

static int open_contexts(void **state)
{
    (void)state;
    context = target_cpu("serial", 0, 3);
    whole = target_cpu("serial", 0, 0);
    whole->worker.limits.allowance = 0;
    threads = target_cpu("auto", 2, 0);
    around = fence_open(LONGEST);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    trawl_context_close(context);
    trawl_context_close(whole);
    trawl_context_close(threads);
    fence_close(&around);
    return 0;
}

static trawl_pattern extended(const char *text)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
}

/* ---- the same matches as of the whole ------------------------------------------ */

/* The matches that are expected, taken off one by one. */
typedef struct expectation {
    const trawl_match *matches;
    size_t count, seen;
    bool wrong;
} expectation;

static int check_match_one(const trawl_match *m, void *user)
{
    expectation *e = user;
    const trawl_match *next = &e->matches[e->seen];
    e->wrong |= e->seen >= e->count || m->start != next->start || m->end != next->end ||
                m->id != next->id || m->pattern != next->pattern;
    e->seen++;
    return e->wrong;
}

EACH_MATCH(check_match)

static trawl_report_info facts_of(const trawl_plan *plan, uint32_t mode)
{
    trawl_report_info info = { .size = sizeof info };
    assert_int_equal(trawl_plan_get_report(plan, mode, &info, NULL), TRAWL_OK);
    return info;
}

static void run_case(const scenario *s, const trawl_plan *plan, uint32_t mode, rng *r)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    trawl_match *matches = NULL;
    expectation e = { NULL, 0, 0, false };
    trawl_error error = { 0 };
    options.report = mode;
    options.base = rng_chance(r, 2) ? 0 : rng_next(r) >> 4;
    int status =
        trawl_collect(context, plan, s->text, s->length, &options, &matches, &e.count, &error);
    e.matches = matches;
    for (size_t i = 0; i < e.count; i++)
        assert_true(matches[i].start != TRAWL_UNKNOWN || !facts_of(plan, mode).starts);
    trawl_context *const feeds = rng_chance(r, 6) ? threads : rng_chance(r, 2) ? whole : context;
    if (status == TRAWL_OK)
        status = trawl_stream_open(feeds, plan, &options, check_match, &e, &stream, &error);
    if (status == TRAWL_OK)
        status = pieces_feed(stream, &around, r, s->text, s->length, &error);
    const int closed = trawl_stream_close(stream, &error);
    if (status != TRAWL_OK || closed != TRAWL_OK || e.wrong || e.seen != e.count) {
        trawl_plan_info info = { .size = sizeof info };
        trawl_plan_get_info(plan, &info);
        scenario_print(s, stdout);
        printf("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_stream\n",
               (unsigned long long)s->seed);
        fail_msg("engine %s, report %u: status %d, closed %d (%s), %zu matches of %zu, %s",
                 info.engine, mode, status, closed, error.message, e.seen, e.count,
                 e.wrong ? "the last one wrong" : "none wrong");
    }
    trawl_matches_free(matches);
}

/* Whether a stream of an unbounded repeat is refused: all starts are asked for, or no byte ends it.
 */
static bool is_refused(const trawl_plan *plan, uint32_t mode)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    trawl_error error = { 0 };
    expectation none = { NULL, 0, 0, false };
    options.report = mode;
    const int status =
        trawl_stream_open(context, plan, &options, check_match, &none, &stream, &error);
    if (status == TRAWL_OK) {
        if (mode == TRAWL_REPORT_PAIRS) /* what can have no match is taken for the shortest */
            assert_true(plan_head(plan)->max_length != UINT64_MAX);
        assert_int_equal(trawl_stream_drop(stream, NULL), TRAWL_OK);
        assert_false(facts_of(plan, mode).whole_text);
        return false;
    }
    assert_true(facts_of(plan, mode).whole_text);
    assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
    assert_null(stream);
    assert_int_equal(error.code, TRAWL_ERROR_UNSUPPORTED);
    assert_true(strstr(error.message, "unbounded") != NULL);
    return true;
}

static uint64_t run_scenario(const scenario *s)
{
    rng r = { ~s->seed };
    uint64_t cases = 0;
    for (size_t i = 0; engine_choice(i); i++) {
        trawl_plan *plan = target_compile(s->patterns, s->count, engine_choice(i));
        for (uint32_t mode = 0; plan && mode < MODES; mode++, cases++) {
            if (mode == TRAWL_REPORT_ENDS || !s->unbounded || !is_refused(plan, mode))
                run_case(s, plan, mode, &r);
        }
        trawl_plan_free(plan);
    }
    return cases;
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0;
    (void)state;
    assert_non_null(s);
    for (uint64_t i = 0; cases < wanted; i++) {
        scenario_make(s, seed + i, LONGEST);
        cases += run_scenario(s);
        scenario_free(s);
    }
    free(s);
    printf("%llu cases agree\n", (unsigned long long)cases);
}

/* ---- pieces larger than what is scanned at once --------------------------------- */

/* A feed of 20 MiB is cut by the library itself. */
static void test_large_feed(void **state)
{
    const size_t length = 20u << 20;
    uint8_t *text = fenced_text(length, true);
    (void)state;
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t)("the quick brown fox "[i % 20] ^ (i % 65521 == 0));
    const trawl_pattern patterns[] = { extended("fox the quick brown fox"), extended("q.{4,60}b"),
                                       extended("[^a-z ].*[^a-z ]") };
    for (size_t i = 0; i < COUNT(patterns); i++) {
        trawl_plan *plan = target_compile(&patterns[i], 1, NULL);
        trawl_match *matches = NULL;
        trawl_stream *stream = NULL;
        expectation e = { NULL, 0, 0, false };
        assert_int_equal(trawl_collect(context, plan, text, length, NULL, &matches, &e.count, NULL),
                         TRAWL_OK);
        assert_true(e.count > 50);
        e.matches = matches;
        assert_int_equal(trawl_stream_open(context, plan, NULL, check_match, &e, &stream, NULL),
                         TRAWL_OK);
        assert_int_equal(trawl_stream_feed(stream, text, length, NULL), TRAWL_OK);
        assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
        assert_false(e.wrong);
        assert_int_equal(e.seen, e.count);
        trawl_matches_free(matches);
        trawl_plan_free(plan);
    }
    fenced_free(text, length);
}

/* ---- stopping and limits --------------------------------------------------------- */

typedef struct stopper {
    uint64_t seen, stop_at;
} stopper;

static int stop_after_one(const trawl_match *match, void *user)
{
    stopper *s = user;
    (void)match;
    return ++s->seen == s->stop_at ? 42 : 0;
}

EACH_MATCH(stop_after)

static const char *const stop_patterns[] = { "ab", "a.?b", "[ab]{1,3}b" };

/* The status stays what it was: a stream that has ended feeds nothing more. */
static void test_callback_stops(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stop_patterns); i++) {
        const trawl_pattern p = extended(stop_patterns[i]);
        trawl_plan *plan = target_compile(&p, 1, NULL);
        for (uint32_t mode = 0; mode < MODES; mode++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            trawl_stream *stream = NULL;
            stopper s = { 0, 3 };
            int status = TRAWL_OK;
            options.report = mode;
            assert_int_equal(
                trawl_stream_open(context, plan, &options, stop_after, &s, &stream, NULL),
                TRAWL_OK);
            for (int k = 0; k < 100 && status == TRAWL_OK; k++)
                status = trawl_stream_feed(stream, "ab", 2, NULL);
            assert_int_equal(status, TRAWL_STOPPED);
            assert_int_equal(trawl_stream_feed(stream, "abab", 4, NULL), TRAWL_STOPPED);
            assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_STOPPED);
            assert_int_equal(s.seen, 3);
        }
        trawl_plan_free(plan);
    }
}

static void check_limit(const trawl_plan *plan, uint32_t mode, uint64_t limit, uint64_t all)
{
    static const char text[] = "ababababababababababababababababababababab";
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    stopper s = { 0, UINT64_MAX };
    uint64_t count = 0;
    int status = TRAWL_OK;
    options.report = mode;
    options.max_matches = limit;
    assert_int_equal(trawl_stream_open(context, plan, &options, stop_after, &s, &stream, NULL),
                     TRAWL_OK);
    for (size_t at = 0; at < sizeof text - 1 && status == TRAWL_OK; at++)
        status = trawl_stream_feed(stream, text + at, 1, NULL);
    status = trawl_stream_close(stream, NULL);
    assert_int_equal(s.seen, limit < all ? limit : all);
    if (limit < all)
        assert_int_equal(status, TRAWL_LIMITED);
    if (limit > all)
        assert_int_equal(status, TRAWL_OK);
    assert_int_equal(trawl_count(context, plan, text, sizeof text - 1, &options, &count, NULL),
                     status);
    assert_int_equal(count, s.seen);
}

static void test_limits(void **state)
{
    static const char text[] = "ababababababababababababababababababababab";
    (void)state;
    for (size_t i = 0; i < COUNT(stop_patterns); i++) {
        const trawl_pattern p = extended(stop_patterns[i]);
        trawl_plan *plan = target_compile(&p, 1, NULL);
        for (uint32_t mode = 0; mode < MODES; mode++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            uint64_t all = 0;
            options.report = mode;
            assert_int_equal(
                trawl_count(context, plan, text, sizeof text - 1, &options, &all, NULL), TRAWL_OK);
            assert_true(all > 10);
            for (uint64_t limit = 1; limit < all + 2; limit++)
                check_limit(plan, mode, limit, all);
        }
        trawl_plan_free(plan);
    }
}

/* ---- offsets beyond 32 bits -------------------------------------------------------- */

static void test_base(void **state)
{
    static const uint64_t bases[] = { (UINT64_C(1) << 32) - 7, (UINT64_C(1) << 31) - 7,
                                      (UINT64_C(1) << 40) + 12345, UINT64_MAX - 100 };
    static const char text[] = "..abc..abbc..";
    const trawl_pattern p = extended("ab{1,2}c");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    (void)state;
    for (size_t i = 0; i < COUNT(bases); i++) {
        const uint64_t b = bases[i];
        const trawl_match matches[] = { { b + 2, b + 5, 0, 0, 0 }, { b + 7, b + 11, 0, 0, 0 } };
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        trawl_stream *stream = NULL;
        expectation e = { matches, 2, 0, false };
        options.base = b;
        options.report = TRAWL_REPORT_PAIRS;
        assert_int_equal(trawl_stream_open(context, plan, &options, check_match, &e, &stream, NULL),
                         TRAWL_OK);
        for (size_t at = 0; at < sizeof text - 1; at++)
            assert_int_equal(trawl_stream_feed(stream, text + at, 1, NULL), TRAWL_OK);
        assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
        assert_false(e.wrong);
        assert_int_equal(e.seen, 2);
    }
    trawl_plan_free(plan);
}

/* More than 4 GiB through a stream, with a match across the border. */
static void test_beyond_4_gib(void **state)
{
    enum { PIECE = 1 << 22 };
    static const char needle[] = "0123456789abcdef";
    const uint64_t border = UINT64_C(1) << 32;
    const trawl_pattern pattern = { needle, 16, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    const trawl_match matches[] = { { border - 8, border + 8, 0, 0, 0 },
                                    { border + PIECE, border + PIECE + 16, 0, 0, 0 } };
    (void)state;
    if (test_sanitized())
        skip();
    char *piece = (char *)fenced_text(PIECE, true);
    trawl_plan *plan = target_compile(&pattern, 1, "bm");
    trawl_stream *stream = NULL;
    expectation e = { matches, 2, 0, false };
    assert_int_equal(trawl_stream_open(context, plan, NULL, check_match, &e, &stream, NULL),
                     TRAWL_OK);
    for (uint64_t at = 0; at < border + 2 * (uint64_t)PIECE; at += PIECE) {
        memset(piece, 0, 16);
        if (at + PIECE == border)
            memcpy(piece + PIECE - 8, needle, 8);
        if (at == border)
            memcpy(piece, needle + 8, 8);
        if (at == border + PIECE)
            memcpy(piece, needle, 16);
        assert_int_equal(trawl_stream_feed(stream, piece, PIECE, NULL), TRAWL_OK);
        if (at + PIECE == border)
            memset(piece + PIECE - 8, 0, 8);
    }
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    assert_false(e.wrong);
    assert_int_equal(e.seen, 2);
    trawl_plan_free(plan);
    fenced_free(piece, PIECE);
}

/* ---- bad calls ---------------------------------------------------------------------- */

static void test_bad_calls(void **state)
{
    const trawl_pattern p = extended("ab");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    trawl_stream *stream = NULL;
    trawl_error error = { 0 };
    expectation none = { NULL, 0, 0, false };
    (void)state;
    assert_int_equal(trawl_stream_open(NULL, plan, NULL, check_match, &none, &stream, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_open(context, NULL, NULL, check_match, &none, &stream, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_open(context, plan, NULL, NULL, &none, &stream, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_open(context, plan, NULL, check_match, &none, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_feed(NULL, "a", 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_close(NULL, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_open(context, plan, NULL, check_match, &none, &stream, &error),
                     TRAWL_OK);
    assert_int_equal(trawl_stream_feed(stream, NULL, 3, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_feed(stream, NULL, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
    trawl_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),         cmocka_unit_test(test_large_feed),
        cmocka_unit_test(test_callback_stops), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_base),           cmocka_unit_test(test_beyond_4_gib),
        cmocka_unit_test(test_bad_calls),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
