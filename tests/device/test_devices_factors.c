/* test_devices_factors.c: class patterns by rare grams on devices, against the oracle, and against
 * shiftand where texts are long.
 *
 * test_devices has patterns of all shapes, most of which factors leaves to others there. Here all
 * are near, so that devices must take them: with windows of each stride, in texts that are full of
 * their factors. targets.h says which devices take part.
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
#include "engines/classes/factors/layout.h"
#include "fence.h"
#include "matches.h"
#include "oracle.h"
#include "random.h"
#include "targets.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SCENARIOS 200

enum { MAX_PATTERNS = 60, WRITTEN = 300, MAX_TEXT = 3000, LONG_TEXT = 200000 };

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

/* Groups of few sizes, for some drivers compile a kernel anew for each. */
static const char *const tunings[] = { NULL, "group=64,blocks=1,piece=64", "group=64,queues=2" };
static trawl_context *contexts[MAX_TARGETS][COUNT(tunings)];

static char written[MAX_PATTERNS][WRITTEN];
static trawl_pattern patterns[MAX_PATTERNS];

typedef struct set {
    uint64_t seed;
    size_t count; /* of patterns */
    uint8_t *text;
    size_t length;
    uint32_t letters;
} set;

static void failed(const set *s, const char *what)
{
    printf("\n%s\nTRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_devices_factors\n%zu bytes\n", what,
           (unsigned long long)s->seed, s->length);
    for (size_t i = 0; i < s->count; i++)
        printf("pattern %zu, flags %u: %s\n", i, patterns[i].flags, written[i]);
    fflush(stdout);
    fail();
}

/* ---- patterns and texts ------------------------------------------------------------------ */

static void append(char *to, const char *format, ...)
{
    const size_t length = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + length, WRITTEN - length, format, arguments);
    va_end(arguments);
}

static char letter(rng *r, const set *s)
{
    return (char)('a' + rng_below(r, s->letters));
}

/* Some letters, so that there is a gram. */
static void write_factor(rng *r, const set *s, char *to)
{
    for (uint32_t n = rng_between(r, 1, 9); n > 0; n--)
        append(to, "%c", letter(r, s));
}

/* What varies, of 60 bytes at most. */
static void write_rest(rng *r, const set *s, char *to)
{
    const uint32_t low = rng_below(r, 4), high = low + rng_between(r, 1, 50);
    switch (rng_below(r, 9)) {
    case 0:
        append(to, "[%c%c]", letter(r, s), letter(r, s));
        break;
    case 1:
        append(to, "[^%c]{%u}", letter(r, s), low + 1);
        break;
    case 2:
        append(to, "%c?", letter(r, s));
        break;
    case 3:
        append(to, "[%cx]{%u,%u}", letter(r, s), low, high);
        break;
    case 4:
        append(to, "[^%c]{%u,%u}", letter(r, s), low, high);
        break;
    case 5:
        append(to, "%c{%u,%u}%c?", letter(r, s), low, low + 3, letter(r, s));
        break;
    case 6:
        append(to, ".?[%cx]", letter(r, s));
        break;
    default:
        append(to, ".{%u,%u}", low, high);
    }
}

/* Not longer than 4 * 9 + 3 * 60 bytes. */
static void write_pattern(rng *r, const set *s, size_t i)
{
    char *to = written[i];
    to[0] = '\0';
    if (rng_chance(r, 4))
        write_rest(r, s, to);
    write_factor(r, s, to);
    for (uint32_t n = rng_below(r, 3); n > 0; n--) {
        write_rest(r, s, to);
        write_factor(r, s, to);
    }
    if (rng_chance(r, 4))
        write_rest(r, s, to);
    patterns[i] = (trawl_pattern){ .text = to,
                                   .length = strlen(to),
                                   .syntax = TRAWL_SYNTAX_EXTENDED,
                                   .flags = rng_chance(r, 5)   ? TRAWL_NOCASE
                                            : rng_chance(r, 5) ? TRAWL_LINES
                                                               : 0,
                                   .id = (uint32_t)i };
}

/* Letters of patterns, as they are written, among random ones: so that factors are everywhere. */
static void make_text(rng *r, set *s, size_t most)
{
    const uint32_t dense = rng_between(r, 1, 60);
    s->length = rng_below(r, (uint32_t)most) + 1;
    s->text = fenced_text(s->length, rng_chance(r, 2));
    for (size_t at = 0; at < s->length;) {
        const char *of = written[rng_below(r, (uint32_t)s->count)];
        for (uint32_t n = rng_below(r, 3); *of && at < s->length; of++)
            if (*of >= 'a' && *of <= 'z')
                s->text[at++] = (uint8_t)(*of - 32 * rng_chance(r, 50));
            else if (n && rng_chance(r, 4))
                s->text[at++] = 'x';
        for (uint32_t n = rng_below(r, dense); n > 0 && at < s->length; n--)
            s->text[at++] = rng_chance(r, 100) ? '\n' : (uint8_t)letter(r, s);
    }
}

static void make_set(rng *r, set *s, uint64_t seed, size_t most)
{
    const bool dense = most == MAX_TEXT; /* a long text has too many matches then */
    s->seed = seed;
    s->letters = dense && rng_chance(r, 4) ? 1 : rng_between(r, dense ? 2 : 8, 20);
    s->count = dense && rng_chance(r, 3) ? rng_between(r, 1, MAX_PATTERNS) : rng_between(r, 1, 4);
    for (size_t i = 0; i < s->count; i++)
        write_pattern(r, s, i);
    make_text(r, s, most);
}

/* ---- searching ----------------------------------------------------------------------------- */

static trawl_context *context_of(size_t t, size_t k)
{
    if (!contexts[t][k])
        contexts[t][k] = target_open(&targets[t], targets[t].device, tunings[k]);
    return contexts[t][k];
}

/* `for_context`: what it is compiled for, or NULL: a CPU. */
static trawl_plan *compile(const set *s, const char *engine, trawl_context *for_context)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine;
    options.sample = s->text;
    options.sample_length = s->length;
    options.context = for_context;
    if (trawl_compile(patterns, s->count, &options, &plan, &error) != TRAWL_OK)
        failed(s, error.message);
    return plan;
}

/* The stride of a plan of one part by factors; 0: it has none, devices do not take it. */
static uint32_t stride_of(const trawl_plan *plan)
{
    const plan_stage *stage = searching_stage(plan, plan_parts(plan), false);
    if (!stage || stage->kind != WALK_FACTORS)
        return 0;
    return FACTORS_STRIDE(
        ((const factors_tables *)(const void *)stage_tables(plan, stage))->windows);
}

/* All matches, and their number, in this context. */
static void run(const set *s, trawl_context *context, const trawl_plan *plan,
                const matches *expected, const char *what)
{
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    uint64_t count = 0;
    if (trawl_collect(context, plan, s->text, s->length, NULL, &found.items, &found.count,
                      &error) != TRAWL_OK ||
        trawl_count(context, plan, s->text, s->length, NULL, &count, &error) != TRAWL_OK)
        failed(s, error.message);
    if (!matches_agree(expected, &found))
        failed(s, what);
    if (count != expected->count)
        failed(s, "trawl_count counts other than trawl_collect");
    trawl_matches_free(found.items);
}

/* By factors on every device, compiled for it and for a CPU; adds to seen[stride]. */
static void run_targets(const set *s, rng *r, const matches *expected, uint64_t seen[5])
{
    for (size_t t = 0; t < target_count; t++)
        for (int on = 0; on < 2; on++) {
            const size_t k = rng_below(r, COUNT(tunings));
            const char *engine = rng_chance(r, 2) ? "factors" : "factors/shiftand";
            trawl_context *context = context_of(t, k);
            trawl_plan *plan = compile(s, engine, on ? context : NULL);
            const uint32_t stride = stride_of(plan);
            if (!stride || (!on && stride != 1))
                failed(s, "a set of short patterns is not for devices");
            seen[stride]++;
            run(s, context, plan, expected, targets[t].info.name);
            trawl_plan_free(plan);
        }
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(SCENARIOS);
    uint64_t ends = 0, seen[5] = { 0 };
    (void)state;
    for (uint64_t i = 0; i < wanted; i++) {
        rng r = { seed + i };
        set s;
        matches expected = { NULL, 0, 0 };
        make_set(&r, &s, seed + i, MAX_TEXT);
        expected.count =
            oracle_scan(patterns, s.count, s.text, s.length, TRAWL_REPORT_ENDS, &expected.items);
        run_targets(&s, &r, &expected, seen);
        ends += expected.count;
        free(expected.items);
        fenced_free(s.text, s.length);
    }
    printf("%llu sets with %llu ends; strides 1: %llu, 2: %llu, 4: %llu\n",
           (unsigned long long)wanted, (unsigned long long)ends, (unsigned long long)seen[1],
           (unsigned long long)seen[2], (unsigned long long)seen[4]);
    assert_true(wanted < 100 || (ends > wanted && seen[1] && seen[2] && seen[4]));
}

/* Texts of several pieces, in which matches lie across borders. */
static void test_long(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(SCENARIOS) / 20 + 1;
    uint64_t seen[5] = { 0 };
    (void)state;
    for (uint64_t i = 0; i < wanted; i++) {
        rng r = { ~(seed + i) };
        set s;
        matches expected = { NULL, 0, 0 };
        make_set(&r, &s, seed + i, LONG_TEXT);
        trawl_plan *plan = compile(&s, "shiftand", NULL);
        assert_int_equal(trawl_collect(serial, plan, s.text, s.length, NULL, &expected.items,
                                       &expected.count, NULL),
                         TRAWL_OK);
        trawl_plan_free(plan);
        run_targets(&s, &r, &expected, seen);
        trawl_matches_free(expected.items);
        fenced_free(s.text, s.length);
    }
}

/* ---- where it is hardest --------------------------------------------------------------- */

/* These patterns in a text of 'a', but for another letter after every `apart` of them. */
static void test_in_letters(rng *r, const char *const *texts, size_t count, char other,
                            uint32_t apart)
{
    static uint8_t text[3000];
    const set s = { .count = count, .text = text, .length = sizeof text, .letters = 2 };
    uint64_t seen[5] = { 0 };
    matches expected = { NULL, 0, 0 };
    for (size_t i = 0; i < s.length; i++)
        text[i] = (uint8_t)(i % (apart + 1) == apart ? other : 'a');
    for (size_t i = 0; i < count; i++) {
        snprintf(written[i], WRITTEN, "%s", texts[i]);
        patterns[i] = (trawl_pattern){ .text = written[i],
                                       .length = strlen(written[i]),
                                       .syntax = TRAWL_SYNTAX_EXTENDED,
                                       .id = (uint32_t)i };
    }
    expected.count =
        oracle_scan(patterns, count, text, s.length, TRAWL_REPORT_ENDS, &expected.items);
    assert_true(expected.count > 0);
    for (int i = 0; i < 4; i++)
        run_targets(&s, r, &expected, seen);
    free(expected.items);
}

/* Texts of one letter, and nearly so: all grams are everywhere, and an end has many anchors. */
static void test_even(void **state)
{
    static const char *const hard[] = {
        "aaaa",         "aaaa.{0,9}a",        "[ab]aaaa.?a{1,9}", "a{4}[^b]{3,40}a{5}b?",
        "a{3}b?a{3}",   "[ab]{0,30}aaaa[ab]", "a{60,100}",        ".{0,50}aaaab{0,3}.{0,50}",
        "baaaa[^b]{9}", "a?a?a?aaaab?[ab]?",  "aaaab.{90,200}b"
    };
    static const uint32_t apart[] = { 1000000, 5, 61, 1021 };
    rng r = { 20261122 };
    (void)state;
    for (size_t k = 0; k < COUNT(apart); k++)
        test_in_letters(&r, hard, COUNT(hard), 'b', apart[k]);
}

/* Grams of one byte, the same of all patterns, with five and more bytes before it that slots know:
 * so what is looked at ends before the four bytes that the kernel takes for a gram do. */
static void test_last_grams(void **state)
{
    static const char *const alike[] = { "aaaaaa{1,4}a?aaaaaaaaa?aaaaaaaaa[^a]",
                                         "aaaaaaaa[^a]{3,4}", "aaaaaaa[ax]{0,30}aaaaaa?" };
    rng r = { 20261123 };
    (void)state;
    test_in_letters(&r, alike, COUNT(alike), 'x', 40);
}

/* Patterns that share all their grams, in a text of nothing else: so long that the search gives up,
 * and shiftand finds what there is. */
static void test_giving_up(void **state)
{
    const size_t length = test_sanitized() ? 100000 : 1000000;
    uint64_t seen[5] = { 0 };
    set s = { .count = MAX_PATTERNS, .length = length, .letters = 1 };
    matches expected = { NULL, 0, 0 };
    rng r = { 20261122 };
    (void)state;
    s.text = fenced_text(length, true);
    memset(s.text, 'a', length);
    for (size_t i = 0; i < length; i += 4099)
        s.text[i] = 'b';
    for (size_t i = 0; i < s.count; i++) {
        snprintf(written[i], WRITTEN, "aaaaa[^b]{1,%zu}aaa[bc]", i + 1);
        patterns[i] = (trawl_pattern){ .text = written[i],
                                       .length = strlen(written[i]),
                                       .syntax = TRAWL_SYNTAX_EXTENDED,
                                       .id = (uint32_t)i };
    }
    trawl_plan *plan = compile(&s, "shiftand", NULL);
    assert_int_equal(
        trawl_collect(serial, plan, s.text, length, NULL, &expected.items, &expected.count, NULL),
        TRAWL_OK);
    trawl_plan_free(plan);
    assert_true(expected.count > s.count);
    run_targets(&s, &r, &expected, seen);
    trawl_matches_free(expected.items);
    fenced_free(s.text, s.length);
}

/* What is not near is left to shiftand, or refused where that is not there. */
static void test_not_near(void **state)
{
    static const char *const far[] = { "abcd.{0,300}efgh", "abcd[a-z]+efgh", "abcd.{2,}e" };
    char text[700];
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text + 100, "abcd", 4);
    memcpy(text + 300, "efgh", 4);
    set s = { .count = 1, .text = (uint8_t *)text, .length = sizeof text };
    for (size_t i = 0; i < COUNT(far); i++) {
        snprintf(written[0], WRITTEN, "%s", far[i]);
        patterns[0] = (trawl_pattern){ .text = written[0],
                                       .length = strlen(written[0]),
                                       .syntax = TRAWL_SYNTAX_EXTENDED };
        matches expected = { NULL, 0, 0 };
        expected.count =
            oracle_scan(patterns, 1, s.text, s.length, TRAWL_REPORT_ENDS, &expected.items);
        for (size_t t = 0; t < target_count; t++) {
            trawl_context *context = context_of(t, 0);
            trawl_error error = { 0 };
            uint64_t count = 0;
            trawl_plan *plan = compile(&s, "factors", context);
            assert_int_equal(stride_of(plan), 0);
            assert_int_equal(trawl_count(context, plan, text, sizeof text, NULL, &count, &error),
                             TRAWL_ERROR_UNSUPPORTED);
            assert_non_null(strstr(error.message, "no kernels for devices"));
            trawl_plan_free(plan);
            if (i == 0) { /* shiftand is the fallback of those that are bounded */
                plan = compile(&s, "factors/shiftand", context);
                run(&s, context, plan, &expected, "factors/shiftand");
                trawl_plan_free(plan);
            }
            plan = compile(&s, "auto", context);
            run(&s, context, plan, &expected, "auto");
            trawl_plan_free(plan);
        }
        free(expected.items);
    }
}

static int open_serial(void **state)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.backend = "serial";
    return trawl_context_open(&options, &serial, NULL);
}

static int close_all(void **state)
{
    (void)state;
    trawl_context_close(serial);
    for (size_t t = 0; t < target_count; t++)
        for (size_t k = 0; k < COUNT(tunings); k++)
            trawl_context_close(contexts[t][k]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_long),
        cmocka_unit_test(test_even),      cmocka_unit_test(test_last_grams),
        cmocka_unit_test(test_giving_up), cmocka_unit_test(test_not_near),
    };
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    return cmocka_run_group_tests(tests, open_serial, close_all);
}
