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

#include "each.h"
#include "oracle.h"
#include "plan/plan.h"
#include "random.h"
#include "scan/scan.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 20000
#define LONGEST 9000
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define LITERAL(text)                                                                              \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_LITERAL, 0, 0, NULL                                   \
    }
#define EXTENDED(text)                                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL                                  \
    }

enum { MODES = TRAWL_REPORT_EACH + 1 };

static trawl_context *context; /* serial, three chunks */
static trawl_context *whole;   /* serial, as it is; first stages give up soon */
static trawl_context *threads; /* two */
static trawl_context *plain;   /* serial, as it comes */

static int open_contexts(void **state)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.backend = "serial";
    options.chunks = 3;
    if (trawl_context_open(&options, &context, NULL) != TRAWL_OK)
        return -1;
    options.chunks = 0;
    if (trawl_context_open(&options, &plain, NULL) != TRAWL_OK)
        return -1;
    if (trawl_context_open(&options, &whole, NULL) != TRAWL_OK)
        return -1;
    whole->worker.limits.allowance = 0;
    options.backend = "auto";
    options.threads = 2;
    return trawl_context_open(&options, &threads, NULL);
}

static int close_contexts(void **state)
{
    (void)state;
    trawl_context_free(context);
    trawl_context_free(whole);
    trawl_context_free(threads);
    trawl_context_free(plain);
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

static size_t choose_piece(rng *r, uint32_t kind, size_t left)
{
    const size_t most = kind == 0 ? 1 : kind == 1 ? 20 : kind == 2 ? 5000 : left;
    const size_t piece = rng_chance(r, 8) ? 0 : rng_below(r, (uint32_t)most) + 1;
    return piece < left ? piece : left;
}

static int feed_pieces(trawl_stream *stream, rng *r, const uint8_t *text, size_t length,
                       trawl_error *error)
{
    const uint32_t kind = rng_below(r, 5); /* the last: of all kinds, so that states lapse */
    int status = TRAWL_OK;
    for (size_t at = 0; at < length && status == TRAWL_OK;) {
        const size_t piece = choose_piece(r, kind < 4 ? kind : rng_below(r, 3), length - at);
        uint8_t *copy = malloc(piece ? piece : 1);
        assert_non_null(copy);
        memcpy(copy, text + at, piece);
        status = trawl_stream_feed(stream, copy, piece, error);
        free(copy);
        at += piece;
    }
    return status;
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
    trawl_context *const feeds = rng_chance(r, 6) ? threads : rng_chance(r, 2) ? whole : context;
    if (status == TRAWL_OK)
        status = trawl_stream_open(feeds, plan, &options, check_match, &e, &stream, &error);
    if (status == TRAWL_OK)
        status = feed_pieces(stream, r, s->text, s->length, &error);
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
        assert_int_not_equal(mode, TRAWL_REPORT_PAIRS);
        assert_int_equal(trawl_stream_drop(stream, NULL), TRAWL_OK);
        return false;
    }
    assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
    assert_null(stream);
    assert_int_equal(error.code, TRAWL_ERROR_UNSUPPORTED);
    assert_true(strstr(error.message, "unbounded") != NULL);
    return true;
}

/* Engines by name, chains, and what is chosen. */
static const char *plan_name(size_t i)
{
    static const char *const more[] = { "auto", "wm/ac", "pfac/ac", "packed/bm", "qgrams/ac" };
    const size_t count = trawl_engine_count();
    return i < count ? trawl_engine_name(i) : i < count + COUNT(more) ? more[i - count] : NULL;
}

static uint64_t run_scenario(const scenario *s)
{
    rng r = { ~s->seed };
    uint64_t cases = 0;
    for (size_t i = 0; plan_name(i); i++) {
        trawl_plan *plan = target_compile(s->patterns, s->count, plan_name(i));
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
    uint8_t *text = malloc(length);
    (void)state;
    assert_non_null(text);
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
    free(text);
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
    char *piece = calloc(1, PIECE);
    trawl_plan *plan = target_compile(&pattern, 1, "bm");
    trawl_stream *stream = NULL;
    expectation e = { matches, 2, 0, false };
    assert_non_null(piece);
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
    free(piece);
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

/* ---- saved states ------------------------------------------------------------------- */

/* Small, of every kind of plan: carried and not, mixed, with a reach of many pieces. */
static const trawl_pattern one_literal[] = { LITERAL("abcab") };
static const trawl_pattern literals[] = { LITERAL("abcab"), LITERAL("ab"), LITERAL("c"),
                                          LITERAL("cabacabbac") };
static const trawl_pattern bounded[] = { EXTENDED("a[bc]{1,3}.?c"), EXTENDED("b.{60,75}a") };
static const trawl_pattern unbounded[] = { EXTENDED("a[^c]*c"), EXTENDED("b{2,70}a+"),
                                           EXTENDED("ac.*ca.*b") };
static const trawl_pattern mixed[] = { LITERAL("abcab"), EXTENDED("a[bc]{1,3}.?c"), LITERAL("b"),
                                       EXTENDED("cc.*aa"), EXTENDED("[ab]{65}") };
static const trawl_pattern far[] = { EXTENDED("a.{290,300}b"), LITERAL("abc") };

static const struct {
    const trawl_pattern *patterns;
    size_t count;
} sets[] = {
    { one_literal, COUNT(one_literal) }, { literals, COUNT(literals) }, { bounded, COUNT(bounded) },
    { unbounded, COUNT(unbounded) },     { mixed, COUNT(mixed) },       { far, COUNT(far) },
};

static const char *const engines[] = { "auto",
                                       "bm",
                                       "wm",
                                       "wm/ac",
                                       "ac",
                                       "pfac",
                                       "pfac/ac",
                                       "shiftand",
                                       "hnfa",
                                       "packed",
                                       "packed/bm",
                                       "teddy",
                                       "teddy/ac",
                                       "qgrams",
                                       "qgrams/ac",
                                       "kmers",
                                       "kmers/ac",
                                       "bitslice",
                                       "bitslice/shiftand" };

static uint8_t *make_text(size_t length, uint64_t seed)
{
    rng r = { seed };
    uint8_t *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t) "aabbbc"[rng_below(&r, 6)];
    return text;
}

/* malloc'ed to its exact length. */
static uint8_t *save(const trawl_stream *stream, size_t *bytes)
{
    size_t room;
    *bytes = 0;
    assert_int_equal(trawl_stream_save(stream, NULL, bytes, NULL), TRAWL_OK);
    room = *bytes;
    uint8_t *state = malloc(room);
    assert_non_null(state);
    assert_int_equal(trawl_stream_save(stream, state, &room, NULL), TRAWL_OK);
    assert_int_equal(room, *bytes);
    return state;
}

static trawl_stream *open_stream(trawl_context *in, const trawl_plan *plan, uint64_t base,
                                 expectation *e)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    options.base = base;
    assert_int_equal(trawl_stream_open(in, plan, &options, check_match, e, &stream, NULL),
                     TRAWL_OK);
    return stream;
}

/* The state of `stream`, which ends, goes on in another. */
static trawl_stream *move_stream(trawl_stream *stream, trawl_context *to, const trawl_plan *plan,
                                 uint64_t base, expectation *e)
{
    size_t bytes;
    trawl_error error = { 0 };
    uint8_t *state = save(stream, &bytes);
    assert_int_equal(trawl_stream_drop(stream, NULL), TRAWL_OK);
    stream = open_stream(to, plan, base, e);
    if (trawl_stream_restore(stream, state, bytes, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    free(state);
    return stream;
}

static trawl_context *any_context(rng *r)
{
    const uint32_t which = rng_below(r, 8);
    return which == 0 ? threads : which < 4 ? plain : context;
}

/* Feed in pieces of at most `most` bytes; `one_in` pieces the stream moves. */
static void feed_and_move(const trawl_plan *plan, const uint8_t *text, size_t length, size_t most,
                          uint32_t one_in, rng *r, expectation *e)
{
    trawl_stream *stream = open_stream(any_context(r), plan, 0, e);
    for (size_t at = 0, piece; at < length && !e->wrong; at += piece) {
        const size_t left = length - at;
        piece = rng_below(r, (uint32_t)most) + 1;
        piece = piece < left ? piece : left;
        if (rng_chance(r, one_in))
            stream = move_stream(stream, any_context(r), plan, 0, e);
        if (!e->wrong)
            trawl_stream_feed(stream, text + at, piece, NULL);
    }
    trawl_stream_close(stream, NULL);
}

static void test_moves_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES / 4);
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0;
    (void)state;
    assert_non_null(s);
    for (uint64_t i = 0; cases < wanted; i++) {
        trawl_match *matches;
        scenario_make(s, seed + i, 2000);
        rng r = { ~s->seed };
        const size_t count =
            oracle_scan(s->patterns, s->count, s->text, s->length, TRAWL_REPORT_ENDS, &matches);
        for (size_t k = 0; k < COUNT(engines); k++) {
            trawl_plan *plan = target_compile(s->patterns, s->count, engines[k]);
            expectation e = { matches, count, 0, false };
            if (!plan)
                continue;
            const size_t most = rng_chance(&r, 2) ? 30 : s->length + 1;
            feed_and_move(plan, s->text, s->length, most, 3, &r, &e);
            if (e.wrong || e.seen != count) {
                scenario_print(s, stdout);
                fail_msg("engine %s, seed %llu: %zu matches of %zu, %s", engines[k],
                         (unsigned long long)s->seed, e.seen, count,
                         e.wrong ? "the last one wrong" : "none wrong");
            }
            trawl_plan_free(plan);
            cases++;
        }
        free(matches);
        scenario_free(s);
    }
    free(s);
    printf("%llu cases agree\n", (unsigned long long)cases);
}

/* The stream moves after every byte, and in pieces that are cut into slices. */
static void test_moves_often(void **state)
{
    enum { LENGTH = 1200 };
    uint8_t *text = make_text(LENGTH, 5);
    rng r = { 6 };
    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++) {
        trawl_match *matches;
        const size_t count =
            oracle_scan(sets[i].patterns, sets[i].count, text, LENGTH, TRAWL_REPORT_ENDS, &matches);
        assert_true(count > 3);
        for (size_t k = 0; k < COUNT(engines); k++) {
            trawl_plan *plan = target_compile(sets[i].patterns, sets[i].count, engines[k]);
            for (size_t most = 1; plan && most <= LENGTH; most = 8 * most + 1) {
                expectation e = { matches, count, 0, false };
                feed_and_move(plan, text, LENGTH, most, 1, &r, &e);
                assert_false(e.wrong);
                assert_int_equal(e.seen, count);
            }
            trawl_plan_free(plan);
        }
        free(matches);
    }
    free(text);
}

/* One state goes on with several texts, in a stream that was used before, at another base. */
static void test_restore_again(void **state)
{
    const trawl_pattern patterns[] = { EXTENDED("ab"), EXTENDED("ax+b") };
    const trawl_match matches[] = { { 1000, 1002, 0, 0, 0 },
                                    { TRAWL_UNKNOWN, 1009, 0, 1, 0 },
                                    { 1006, 1008, 0, 0, 0 } };
    trawl_plan *plan = target_compile(patterns, 2, NULL);
    expectation none = { NULL, 0, 0, false }, e = { matches, 3, 0, false };
    trawl_stream *saved = open_stream(context, plan, 0, &none);
    size_t bytes;
    (void)state;
    assert_int_equal(trawl_stream_feed(saved, "......a", 7, NULL), TRAWL_OK);
    uint8_t *block = save(saved, &bytes);
    uint8_t *unaligned = malloc(bytes + 1);
    assert_non_null(unaligned);
    memcpy(unaligned + 1, block, bytes);
    trawl_stream *stream = open_stream(context, plan, 1000, &e);
    assert_int_equal(trawl_stream_feed(stream, "ab..ax", 6, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_restore(stream, unaligned + 1, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(stream, "xb", 2, NULL), TRAWL_OK);
    assert_int_equal(e.seen, 2);
    assert_int_equal(trawl_stream_restore(stream, block, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(stream, "b", 1, NULL), TRAWL_OK);
    assert_false(e.wrong);
    assert_int_equal(e.seen, 3);
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_close(saved, NULL), TRAWL_OK);
    free(unaligned);
    free(block);
    trawl_plan_free(plan);
}

/* What is left of max_matches is the new stream's; one that has ended has no state. */
static void test_state_limits(void **state)
{
    const trawl_pattern p = extended("ab+");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *first = NULL, *second = NULL;
    stopper s = { 0, UINT64_MAX };
    trawl_error error = { 0 };
    size_t bytes;
    (void)state;
    options.max_matches = 3;
    assert_int_equal(trawl_stream_open(context, plan, &options, stop_after, &s, &first, NULL),
                     TRAWL_OK);
    assert_int_equal(trawl_stream_feed(first, "abb", 3, NULL), TRAWL_OK);
    uint8_t *block = save(first, &bytes);
    assert_int_equal(trawl_stream_open(context, plan, &options, stop_after, &s, &second, NULL),
                     TRAWL_OK);
    assert_int_equal(trawl_stream_restore(second, block, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(second, "bbbbbb", 6, NULL), TRAWL_LIMITED);
    assert_int_equal(s.seen, 2 + 3);
    assert_int_equal(trawl_stream_save(second, NULL, &bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "ended"));
    assert_int_equal(trawl_stream_restore(second, block, bytes, &error), TRAWL_ERROR_ARGUMENT);
    trawl_stream_close(first, NULL);
    trawl_stream_close(second, NULL);
    free(block);
    trawl_plan_free(plan);
}

static void test_state_bad_calls(void **state)
{
    const trawl_pattern p = extended("ab{1,9}c");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    expectation none = { NULL, 0, 0, false };
    trawl_stream *stream = open_stream(context, plan, 0, &none), *pairs = NULL;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error = { 0 };
    size_t bytes = 0;
    uint8_t small[1] = { 77 };
    (void)state;
    assert_int_equal(trawl_stream_feed(stream, "....", 4, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_save(NULL, NULL, &bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_save(stream, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    uint8_t *block = save(stream, &bytes);
    for (size_t room = 0; room <= 1; room++) {
        size_t said = room;
        assert_int_equal(trawl_stream_save(stream, small, &said, &error), TRAWL_ERROR_LIMIT);
        assert_int_equal(said, bytes);
        assert_int_equal(small[0], 77);
    }
    assert_int_equal(trawl_stream_restore(NULL, block, bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_restore(stream, NULL, bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_restore(stream, NULL, 0, &error), TRAWL_ERROR_PLAN);
    for (options.report = 1; options.report < MODES; options.report++) {
        assert_int_equal(
            trawl_stream_open(context, plan, &options, check_match, &none, &pairs, NULL), TRAWL_OK);
        assert_int_equal(trawl_stream_save(pairs, NULL, &bytes, &error), TRAWL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "TRAWL_REPORT_ENDS"));
        assert_int_equal(trawl_stream_restore(pairs, block, bytes, &error),
                         TRAWL_ERROR_UNSUPPORTED);
        assert_int_equal(trawl_stream_close(pairs, NULL), TRAWL_OK);
    }
    trawl_stream_close(stream, NULL);
    free(block);
    trawl_plan_free(plan);
}

/* ---- hostile states ------------------------------------------------------------------ */

/* Refused, with a message, and the stream as it was. */
static void expect_bad_state(trawl_stream *stream, const uint8_t *block, size_t bytes)
{
    trawl_error error = { 0 };
    size_t before, after;
    uint8_t *exact = malloc(bytes ? bytes : 1);
    uint8_t *was = save(stream, &before);
    assert_non_null(exact);
    memcpy(exact, block, bytes);
    assert_int_equal(trawl_stream_restore(stream, exact, bytes, &error), TRAWL_ERROR_PLAN);
    assert_int_equal(error.code, TRAWL_ERROR_PLAN);
    assert_true(strlen(error.message) > 20);
    uint8_t *is = save(stream, &after);
    assert_int_equal(before, after);
    assert_memory_equal(was, is, before);
    free(exact);
    free(was);
    free(is);
}

/* Changes that keep the checksum right: refused, or another state, from which scans still end. */
static void forge(const trawl_plan *plan, const uint8_t *block, size_t bytes, rng *r)
{
    const size_t head = offsetof(plan_header, checksum) + 3 * sizeof(uint64_t);
    uint8_t *forged = malloc(bytes);
    trawl_stream *stream = NULL;
    stopper s = { 0, UINT64_MAX };
    assert_non_null(forged);
    memcpy(forged, block, bytes);
    for (uint32_t edits = rng_below(r, 40) + 1; edits > 0; edits--) {
        const bool in_head = rng_chance(r, 16);
        const size_t at =
            in_head ? rng_below(r, (uint32_t)head) : head + rng_below(r, (uint32_t)(bytes - head));
        forged[at] = rng_chance(r, 4) ? 255 : (uint8_t)rng_next(r);
    }
    const uint64_t checksum = plan_checksum(forged, bytes);
    memcpy(forged + offsetof(plan_header, checksum), &checksum, sizeof checksum);
    assert_int_equal(trawl_stream_open(any_context(r), plan, NULL, stop_after, &s, &stream, NULL),
                     TRAWL_OK);
    if (trawl_stream_restore(stream, forged, bytes, NULL) == TRAWL_OK)
        for (size_t i = 0; i < 30; i++)
            assert_int_equal(trawl_stream_feed(stream, "abcabbbbccbabababaacb", 21, NULL),
                             TRAWL_OK);
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    free(forged);
}

static void test_hostile_states(void **state)
{
    const trawl_pattern another = LITERAL("another");
    trawl_plan *other = target_compile(&another, 1, NULL);
    const uint32_t forgeries = (uint32_t)test_cases(200);
    rng r = { 7 };
    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++) {
        for (size_t k = 0; k < COUNT(engines); k++) {
            trawl_plan *plan = target_compile(sets[i].patterns, sets[i].count, engines[k]);
            expectation none = { NULL, 0, 0, false };
            size_t bytes;
            if (!plan)
                continue;
            trawl_stream *stream = open_stream(context, plan, 0, &none);
            trawl_stream *others = open_stream(context, other, 0, &none);
            assert_int_equal(trawl_stream_feed(stream, "............", 12, NULL), TRAWL_OK);
            uint8_t *block = save(stream, &bytes);
            uint8_t *changed = calloc(1, bytes + 1);
            assert_non_null(changed);
            expect_bad_state(others, block, bytes);
            for (size_t cut = 0; cut < bytes; cut++)
                expect_bad_state(stream, block, cut);
            memcpy(changed, block, bytes);
            expect_bad_state(stream, changed, bytes + 1);
            for (size_t at = 0; at < bytes; at++) {
                changed[at] ^= (uint8_t)(1u << rng_below(&r, 8));
                expect_bad_state(stream, changed, bytes);
                changed[at] = block[at];
            }
            for (uint32_t n = 0; n < forgeries; n++)
                forge(plan, block, bytes, &r);
            trawl_stream_close(stream, NULL);
            trawl_stream_close(others, NULL);
            free(changed);
            free(block);
            trawl_plan_free(plan);
        }
    }
    trawl_plan_free(other);
}

/* An offset that no base leaves room for. */
static void test_hostile_offset(void **state)
{
    const trawl_pattern p = extended("a+");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    expectation none = { NULL, 0, 0, false };
    trawl_stream *stream = open_stream(context, plan, 5, &none);
    const uint64_t offset = UINT64_MAX - 5;
    trawl_error error = { 0 };
    size_t bytes;
    (void)state;
    uint8_t *block = save(stream, &bytes);
    memcpy(block + offsetof(plan_header, checksum) + 2 * sizeof offset, &offset, sizeof offset);
    const uint64_t checksum = plan_checksum(block, bytes);
    memcpy(block + offsetof(plan_header, checksum), &checksum, sizeof checksum);
    assert_int_equal(trawl_stream_restore(stream, block, bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "64 bits"));
    trawl_stream_close(stream, NULL);
    free(block);
    trawl_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),         cmocka_unit_test(test_large_feed),
        cmocka_unit_test(test_callback_stops), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_base),           cmocka_unit_test(test_beyond_4_gib),
        cmocka_unit_test(test_bad_calls),      cmocka_unit_test(test_moves_random),
        cmocka_unit_test(test_moves_often),    cmocka_unit_test(test_restore_again),
        cmocka_unit_test(test_state_limits),   cmocka_unit_test(test_state_bad_calls),
        cmocka_unit_test(test_hostile_states), cmocka_unit_test(test_hostile_offset),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
