/* test_conditions.c: patterns with conditions (trawl_conditions) against the oracle.
 *
 * Random patterns ask for random places and words, in short texts whose bytes are letters, digits,
 * zeros and others, and longer ones. Every engine, every report: as a whole, as one of many texts,
 * as a stream in small pieces, by ranges, and by a plan that was saved and loaded. Then what is
 * refused.
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
#include "matches.h"
#include "oracle.h"
#include "random.h"
#include "targets.h"
#include "trawl/range.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 6000
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MODES = TRAWL_REPORT_EACH + 1, MAX_PATTERNS = 3, LONGEST = 6000 };

static trawl_context *contexts[2]; /* serial, three chunks; threads */

static int open_contexts(void **state)
{
    (void)state;
    contexts[0] = target_cpu("serial", 0, 3);
    contexts[1] = target_cpu("auto", 2, 0);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(contexts); i++)
        trawl_context_close(contexts[i]);
    return 0;
}

typedef struct conditioned {
    uint64_t seed;
    trawl_pattern patterns[MAX_PATTERNS];
    trawl_conditions given[MAX_PATTERNS];
    const trawl_conditions *conditions[MAX_PATTERNS];
    size_t count;
    bool to_end;
    char text[LONGEST];
    size_t length;
} conditioned;

static void make_case(conditioned *c, uint64_t seed)
{
    static const char *const written[] = {
        "ab",       "a",        "b\\x00",     "a\\x00b\\x00", "a[ab]{1,3}", "[ab]+",
        "a.{0,3}b", "ab|b-?",   "(a|ab)b?a",  "a+b+",         "-?a",        "[ab]\\x00?",
        "_?a{2,4}", "\\bab?",   "ba$",        "^a[ab]?",      "a.*b",       "a\\x00(b\\x00)?",
        "^[ab]a",   "\\b[ab]b", "\\B[ab]{4}", "\\<[ab]{9}",   "a+",         "b+-*a",
        "\\<-{2,}|ab",
    };
    static const char letters[] = { 'a', 'b', 0, 'a', 'b', 0, '-', '_', '\n' };
    rng r = { seed };
    memset(c, 0, sizeof *c);
    c->seed = seed;
    c->length = rng_chance(&r, 20) ? rng_below(&r, LONGEST) : rng_below(&r, 40);
    for (size_t i = 0; i < c->length; i++)
        c->text[i] = letters[rng_below(&r, COUNT(letters))];
    c->count = rng_between(&r, 1, MAX_PATTERNS);
    for (size_t i = 0; i < c->count; i++) {
        const char *text = written[rng_below(&r, COUNT(written))];
        if (strchr(text, '('))
            text = "ab|b-?";
        c->patterns[i] =
            (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, rng_below(&r, 3), NULL };
        trawl_conditions one = TRAWL_CONDITIONS_INIT;
        one.place = rng_below(&r, 3);
        one.word = rng_below(&r, 3);
        if (one.place != TRAWL_PLACE_ANY) {
            one.offset = rng_below(&r, (uint32_t)c->length + 3);
            one.within = rng_chance(&r, 3) ? 0 : rng_below(&r, (uint32_t)c->length + 1);
        }
        c->given[i] = one;
        c->conditions[i] = rng_chance(&r, 5) ? NULL : &c->given[i];
        c->to_end |= c->conditions[i] && one.place == TRAWL_PLACE_END;
    }
}

static void print_case(const conditioned *c)
{
    for (size_t i = 0; i < c->count; i++)
        printf("%s: place %u, word %u, offset %llu, within %llu%s\n",
               (const char *)c->patterns[i].text, c->given[i].place, c->given[i].word,
               (unsigned long long)c->given[i].offset, (unsigned long long)c->given[i].within,
               c->conditions[i] ? "" : " (not given)");
    for (size_t i = 0; i < c->length && i < 100; i++)
        printf("%02x ", (unsigned char)c->text[i]);
    printf("\nagain: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_conditions\n",
           (unsigned long long)c->seed);
}

/* The plan, saved and loaded; NULL where the engine refuses the patterns. */
static trawl_plan *compile(const conditioned *c, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan, *loaded;
    trawl_error error;
    size_t bytes;
    options.engine = engine;
    options.conditions = c->conditions;
    const int status = trawl_compile(c->patterns, c->count, &options, &plan, &error);
    if (status == TRAWL_ERROR_UNSUPPORTED)
        return NULL;
    if (status != TRAWL_OK) {
        print_case(c);
        fail_msg("%s", error.message);
    }
    const void *block = trawl_plan_save(plan, &bytes);
    assert_int_equal(trawl_plan_load(block, bytes, &loaded, &error), TRAWL_OK);
    for (size_t i = 0; i < c->count; i++) {
        trawl_conditions kept = TRAWL_CONDITIONS_INIT, none = TRAWL_CONDITIONS_INIT;
        assert_int_equal(trawl_plan_get_conditions(loaded, i, &kept), TRAWL_OK);
        assert_memory_equal(&kept, c->conditions[i] ? c->conditions[i] : &none, sizeof kept);
    }
    trawl_plan_free(plan);
    return loaded;
}

static void expect(const conditioned *c, const char *engine, const char *how, uint32_t mode,
                   int status, const trawl_error *error, const matches *wanted, matches *found)
{
    if (status != TRAWL_OK || !matches_agree(wanted, found)) {
        print_case(c);
        fail_msg("engine %s, %s, report %u: status %d (%s)", engine, how, mode, status,
                 error->message);
    }
    free(found->items);
    *found = (matches){ NULL, 0, 0 };
}

static int by_stream(const conditioned *c, const trawl_plan *plan, trawl_context *context,
                     const trawl_scan_options *options, rng *r, matches *found, trawl_error *error)
{
    trawl_stream *stream;
    int status = trawl_stream_open(context, plan, options, keep_matches, found, &stream, error);
    if (status != TRAWL_OK)
        return status;
    for (size_t at = 0, piece; at < c->length && status == TRAWL_OK; at += piece) {
        piece = rng_below(r, c->length > 700 ? 300 : 4);
        piece = piece < c->length - at ? piece : c->length - at;
        char *copy = malloc(piece + 1);
        memcpy(copy, c->text + at, piece);
        status = trawl_stream_feed(stream, copy, piece, error);
        free(copy);
    }
    const int closed = trawl_stream_close(stream, error);
    return status == TRAWL_OK ? closed : status;
}

/* In two ranges, where no more is asked of them than the bytes beside them. */
static int by_ranges(const conditioned *c, const trawl_plan *plan, trawl_context *context,
                     const trawl_scan_options *options, rng *r, matches *found, trawl_error *error)
{
    trawl_range_needs needs = { .size = sizeof needs };
    int status = trawl_plan_get_range_needs(plan, options->report, &needs, error);
    if (status != TRAWL_OK)
        return status;
    if (needs.follows || needs.cuts)
        return TRAWL_ERROR_UNSUPPORTED;
    const uint64_t cut = rng_below(r, (uint32_t)c->length + 1);
    for (int second = 0; second < 2 && status == TRAWL_OK; second++) {
        trawl_range range = TRAWL_RANGE_INIT;
        range.begin = second ? cut : 0;
        range.end = second ? c->length : cut;
        range.offset = range.begin > needs.before ? range.begin - needs.before : 0;
        const uint64_t last =
            c->length - range.end > needs.after ? range.end + needs.after : c->length;
        range.last = last == c->length;
        range.length = (size_t)(last - range.offset);
        char *copy = malloc(range.length + 1);
        memcpy(copy, c->text + range.offset, range.length);
        range.bytes = copy;
        status = trawl_scan_range(context, plan, &range, options, NULL, keep_matches, found, NULL,
                                  error);
        free(copy);
    }
    return status;
}

static uint64_t run_mode(const conditioned *c, const trawl_plan *plan, const char *engine,
                         uint32_t mode, rng *r)
{
    trawl_context *context = contexts[rng_below(r, COUNT(contexts))];
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    matches wanted = { NULL, 0, 0 }, found = { NULL, 0, 0 };
    trawl_error error = { 0 };
    uint64_t count;
    options.report = mode;
    wanted.count = oracle_scan_if(c->patterns, c->conditions, c->count, c->text, c->length, mode,
                                  &wanted.items);
    int status =
        trawl_scan(context, plan, c->text, c->length, &options, keep_matches, &found, &error);
    expect(c, engine, "whole", mode, status, &error, &wanted, &found);
    assert_int_equal(trawl_count(context, plan, c->text, c->length, &options, &count, &error),
                     TRAWL_OK);
    assert_int_equal(count, wanted.count);
    const trawl_text texts[] = { { "", 0 }, { c->text, c->length } };
    status = trawl_scan_many(context, plan, texts, 2, &options, keep_matches, &found, &error);
    size_t kept = 0; /* of the second text; conditions may hold in the empty one only for none */
    for (size_t i = 0; i < found.count; i++)
        if (found.items[i].record == 1) {
            found.items[kept] = found.items[i];
            found.items[kept++].record = 0;
        }
    assert_int_equal(kept, found.count);
    expect(c, engine, "many", mode, status, &error, &wanted, &found);
    status = by_stream(c, plan, context, &options, r, &found, &error);
    if (c->to_end) {
        assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "TRAWL_PLACE_END"));
    } else if (status != TRAWL_ERROR_UNSUPPORTED) {
        expect(c, engine, "stream", mode, status, &error, &wanted, &found);
    }
    status = by_ranges(c, plan, context, &options, r, &found, &error);
    if (c->to_end)
        assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
    else if (status != TRAWL_ERROR_UNSUPPORTED)
        expect(c, engine, "ranges", mode, status, &error, &wanted, &found);
    free(wanted.items);
    return 1;
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    uint64_t cases = 0;
    conditioned *c = malloc(sizeof *c);
    (void)state;
    assert_non_null(c);
    for (uint64_t i = 0; cases < wanted; i++) {
        make_case(c, seed + i);
        rng r = { ~c->seed };
        for (size_t k = 0; engine_choice(k); k++) {
            trawl_plan *plan = compile(c, engine_choice(k));
            for (uint32_t mode = 0; plan && mode < MODES; mode++)
                cases += run_mode(c, plan, engine_choice(k), mode, &r);
            trawl_plan_free(plan);
        }
    }
    free(c);
    printf("%llu cases agree\n", (unsigned long long)cases);
}

/* Where all parts carry a state, no reach keeps what stands before a match whose place is asked
 * for: byte by byte a stream keeps little else. */
static void test_before_a_match(void **state)
{
    static const char *const written[] = { "^[ab]{9}", "\\b[ab]{40}", "a.*b" };
    conditioned *c = calloc(1, sizeof *c);
    (void)state;
    assert_non_null(c);
    c->count = COUNT(written);
    for (size_t i = 0; i < 600; i++)
        c->text[c->length++] = i % 60 == 59 ? '\n' : "ab"[i * i / 7 % 2];
    for (size_t i = 0; i < c->count; i++) {
        const char *text = written[i];
        c->patterns[i] = (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
        c->given[i] = (trawl_conditions){ sizeof c->given[i], TRAWL_PLACE_BEGIN, 0, 1, 500 };
        c->conditions[i] = i < 2 ? &c->given[i] : NULL;
    }
    for (size_t k = 0; engine_choice(k); k++) {
        trawl_plan *plan = compile(c, engine_choice(k));
        rng r = { k };
        for (uint32_t mode = 0; plan && mode < MODES; mode++)
            run_mode(c, plan, engine_choice(k), mode, &r);
        trawl_plan_free(plan);
    }
    free(c);
}

static void refused(trawl_conditions one, const char *why)
{
    const trawl_pattern p = { "ab", 2, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    const trawl_conditions *const conditions[] = { &one };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan;
    trawl_error error;
    options.conditions = conditions;
    assert_int_equal(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(plan);
    assert_int_equal(error.pattern, 0);
    assert_non_null(strstr(error.message, why));
}

static void test_refused(void **state)
{
    (void)state;
    refused((trawl_conditions){ sizeof(trawl_conditions), 3, 0, 0, 0 }, "place 3");
    refused((trawl_conditions){ sizeof(trawl_conditions), 0, 3, 0, 0 }, "word 3");
    refused((trawl_conditions){ sizeof(trawl_conditions), 0, 0, 1, 0 }, "without a place");
    refused((trawl_conditions){ 8, 0, 0, 0, 0 }, "size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_before_a_match),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
