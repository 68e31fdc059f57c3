/* test_stream_saved.c: a stream whose state is saved goes on in another as if nothing was.
 *
 * Streams move after pieces of any length, after every byte, to contexts of other kinds, with every
 * engine. Then what is refused: states that were cut, changed or forged, of another plan or report.
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
#include "fence.h"
#include "matches.h"
#include "oracle.h"
#include "plan/plan.h"
#include "random.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 5000
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define LITERAL(text)                                                                              \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_LITERAL, 0, 0, NULL                                   \
    }
#define EXTENDED(text)                                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL                                  \
    }

static trawl_context *context; /* serial, three chunks */
static trawl_context *threads; /* two */
static trawl_context *plain;   /* serial, as it comes */

static int open_contexts(void **state)
{
    (void)state;
    context = target_cpu("serial", 0, 3);
    threads = target_cpu("auto", 2, 0);
    plain = target_cpu("serial", 0, 0);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    trawl_context_close(context);
    trawl_context_close(threads);
    trawl_context_close(plain);
    return 0;
}

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

static uint8_t *make_text(size_t length, uint64_t seed)
{
    rng r = { seed };
    uint8_t *text = fenced_text(length, rng_chance(&r, 2));
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
                                 matches *found)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    options.base = base;
    assert_int_equal(trawl_stream_open(in, plan, &options, keep_matches, found, &stream, NULL),
                     TRAWL_OK);
    return stream;
}

/* The state of `stream`, which ends, goes on in another. */
static trawl_stream *move_stream(trawl_stream *stream, trawl_context *to, const trawl_plan *plan,
                                 uint64_t base, matches *found)
{
    size_t bytes;
    trawl_error error = { 0 };
    uint8_t *state = save(stream, &bytes);
    assert_int_equal(trawl_stream_drop(stream, NULL), TRAWL_OK);
    stream = open_stream(to, plan, base, found);
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
                          uint32_t one_in, rng *r, matches *found)
{
    trawl_stream *stream = open_stream(any_context(r), plan, 0, found);
    const bool states = target_saves(stream);
    for (size_t at = 0, piece; at < length; at += piece) {
        const size_t left = length - at;
        piece = rng_below(r, (uint32_t)most) + 1;
        piece = piece < left ? piece : left;
        if (states && rng_chance(r, one_in))
            stream = move_stream(stream, any_context(r), plan, 0, found);
        assert_int_equal(trawl_stream_feed(stream, text + at, piece, NULL), TRAWL_OK);
    }
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
}

static void test_moves_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0;
    (void)state;
    assert_non_null(s);
    for (uint64_t i = 0; cases < wanted; i++) {
        matches expected = { NULL, 0, 0 };
        scenario_make(s, seed + i, 2000);
        rng r = { ~s->seed };
        expected.count = oracle_scan(s->patterns, s->count, s->text, s->length, TRAWL_REPORT_ENDS,
                                     &expected.items);
        for (size_t k = 0; engine_choice(k); k++) {
            trawl_plan *plan = target_compile(s->patterns, s->count, engine_choice(k));
            matches found = { NULL, 0, 0 };
            if (!plan)
                continue;
            const size_t most = rng_chance(&r, 2) ? 30 : s->length + 1;
            feed_and_move(plan, s->text, s->length, most, 3, &r, &found);
            if (!matches_agree(&expected, &found)) {
                scenario_print(s, stdout);
                fail_msg("engine %s; again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 "
                         "test_stream_saved",
                         engine_choice(k), (unsigned long long)s->seed);
            }
            free(found.items);
            trawl_plan_free(plan);
            cases++;
        }
        free(expected.items);
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
        matches expected = { NULL, 0, 0 };
        expected.count = oracle_scan(sets[i].patterns, sets[i].count, text, LENGTH,
                                     TRAWL_REPORT_ENDS, &expected.items);
        assert_true(expected.count > 3);
        for (size_t k = 0; engine_choice(k); k++) {
            trawl_plan *plan = target_compile(sets[i].patterns, sets[i].count, engine_choice(k));
            for (size_t most = 1; plan && most <= LENGTH; most = 8 * most + 1) {
                matches found = { NULL, 0, 0 };
                feed_and_move(plan, text, LENGTH, most, 1, &r, &found);
                assert_true(matches_agree(&expected, &found));
                free(found.items);
            }
            trawl_plan_free(plan);
        }
        free(expected.items);
    }
    fenced_free(text, LENGTH);
}

/* One state goes on with several texts, in a stream that was used before, at another base. */
static void test_restore_again(void **state)
{
    const trawl_pattern patterns[] = { EXTENDED("ab"), EXTENDED("ax+b") };
    trawl_match places[] = { { 1000, 1002, 0, 0, 0 },
                             { TRAWL_UNKNOWN, 1009, 0, 1, 0 },
                             { 1006, 1008, 0, 0, 0 } };
    trawl_plan *plan = target_compile(patterns, 2, NULL);
    const matches expected = { places, COUNT(places), COUNT(places) };
    matches none = { NULL, 0, 0 }, found = { NULL, 0, 0 };
    trawl_stream *saved = open_stream(context, plan, 0, &none);
    size_t bytes;
    (void)state;
    assert_int_equal(trawl_stream_feed(saved, "......a", 7, NULL), TRAWL_OK);
    uint8_t *block = save(saved, &bytes);
    uint8_t *unaligned = malloc(bytes + 1);
    assert_non_null(unaligned);
    memcpy(unaligned + 1, block, bytes);
    trawl_stream *stream = open_stream(context, plan, 1000, &found);
    assert_int_equal(trawl_stream_feed(stream, "ab..ax", 6, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_restore(stream, unaligned + 1, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(stream, "xb", 2, NULL), TRAWL_OK);
    assert_int_equal(found.count, 2);
    assert_int_equal(trawl_stream_restore(stream, block, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(stream, "b", 1, NULL), TRAWL_OK);
    assert_true(matches_agree(&expected, &found));
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_close(saved, NULL), TRAWL_OK);
    assert_int_equal(none.count, 0);
    free(found.items);
    free(unaligned);
    free(block);
    trawl_plan_free(plan);
}

/* What is left of max_matches is the new stream's; one that has ended has no state. */
static void test_state_limits(void **state)
{
    const trawl_pattern p = EXTENDED("ab+");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *first = NULL, *second = NULL;
    matches found = { NULL, 0, 0 };
    trawl_error error = { 0 };
    size_t bytes;
    (void)state;
    options.max_matches = 3;
    assert_int_equal(trawl_stream_open(context, plan, &options, keep_matches, &found, &first, NULL),
                     TRAWL_OK);
    assert_int_equal(trawl_stream_feed(first, "abb", 3, NULL), TRAWL_OK);
    uint8_t *block = save(first, &bytes);
    assert_int_equal(
        trawl_stream_open(context, plan, &options, keep_matches, &found, &second, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_restore(second, block, bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_feed(second, "bbbbbb", 6, NULL), TRAWL_LIMITED);
    assert_int_equal(found.count, 2 + 3);
    assert_int_equal(trawl_stream_save(second, NULL, &bytes, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "ended"));
    assert_int_equal(trawl_stream_restore(second, block, bytes, &error), TRAWL_ERROR_ARGUMENT);
    trawl_stream_close(first, NULL);
    trawl_stream_close(second, NULL);
    free(found.items);
    free(block);
    trawl_plan_free(plan);
}

static void test_state_bad_calls(void **state)
{
    const trawl_pattern p = EXTENDED("ab{1,9}c");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    matches none = { NULL, 0, 0 };
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
    for (options.report = 1; options.report <= TRAWL_REPORT_EACH; options.report++) {
        assert_int_equal(
            trawl_stream_open(context, plan, &options, keep_matches, &none, &pairs, NULL),
            TRAWL_OK);
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
    matches found = { NULL, 0, 0 };
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
    assert_int_equal(
        trawl_stream_open(any_context(r), plan, NULL, keep_matches, &found, &stream, NULL),
        TRAWL_OK);
    if (trawl_stream_restore(stream, forged, bytes, NULL) == TRAWL_OK)
        for (size_t i = 0; i < 30; i++)
            assert_int_equal(trawl_stream_feed(stream, "abcabbbbccbabababaacb", 21, NULL),
                             TRAWL_OK);
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    free(found.items);
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
        for (size_t k = 0; engine_choice(k); k++) {
            trawl_plan *plan = target_compile(sets[i].patterns, sets[i].count, engine_choice(k));
            matches none = { NULL, 0, 0 };
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
    const trawl_pattern p = EXTENDED("a+");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    matches none = { NULL, 0, 0 };
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
        cmocka_unit_test(test_moves_random),    cmocka_unit_test(test_moves_often),
        cmocka_unit_test(test_restore_again),   cmocka_unit_test(test_state_limits),
        cmocka_unit_test(test_state_bad_calls), cmocka_unit_test(test_hostile_states),
        cmocka_unit_test(test_hostile_offset),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
