/* test_factors.c: patterns with long jumps, found by factors, against shiftand.
 *
 * The oracle is too slow for repeats of thousands of bytes; test_differential holds shiftand to it.
 * A scenario is some patterns whose pieces, of few letters, stand in the text again and again, so
 * that many ends are within each other's jumps; slices and feeds are cut within jumps and pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engines/classes/factors/layout.h"
#include "fence.h"
#include "matches.h"
#include "oracle.h"
#include "random.h"
#include "trawl.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SCENARIOS 500

#define MANY_SCENARIOS 40

enum { MAX_PATTERNS = 4, WRITTEN = 400, MAX_TEXT = 40000, MANY = 1600, CUTS = 12 };
enum { CROWD = FACTORS_UNITS + 100 }; /* patterns that one pass over the text does not run */

/* Those of the present scenario. */
static char written[CROWD][WRITTEN];
static trawl_pattern patterns[CROWD];

typedef struct jumps {
    uint64_t seed;
    size_t count;  /* of patterns */
    uint8_t *text; /* of its exact length */
    size_t length;
    uint32_t letters;
} jumps;

static void append(char *to, const char *format, ...)
{
    const size_t length = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + length, WRITTEN - length, format, arguments);
    va_end(arguments);
}

/* Some positions: letters, now and then a class, any byte, or a short repeat. */
static void write_piece(rng *r, const jumps *j, char *to)
{
    for (uint32_t n = rng_between(r, 1, 5); n > 0; n--) {
        const char letter = (char)('a' + rng_below(r, j->letters));
        switch (rng_below(r, 12)) {
        case 0:
            append(to, "[%cx]", letter);
            break;
        case 1:
            append(to, "[^%c]", letter);
            break;
        case 2:
            append(to, ".%c", letter);
            break;
        case 3:
            append(to, "%c{%u,%u}", letter, rng_below(r, 2), rng_between(r, 2, 5));
            break;
        case 4:
            append(to, "%c?", letter);
            break;
        default:
            append(to, "%c", letter);
        }
    }
}

static void write_jump(rng *r, const jumps *j, char *to)
{
    static const uint32_t longest[] = { 1,   3,   30,   62,   63,   64,   65,   127,
                                        128, 200, 1000, 1022, 1023, 1024, 5000, 20000 };
    const uint32_t high = longest[rng_below(r, COUNT(longest))];
    const uint32_t low = rng_chance(r, 3) ? high : rng_chance(r, 2) ? 0 : rng_below(r, high);
    if (rng_chance(r, 3))
        append(to, "[^%c]", 'a' + rng_below(r, j->letters + 1));
    else
        append(to, ".");
    if (rng_chance(r, 12))
        append(to, "{%u,}", low);
    else
        append(to, "{%u,%u}", low, high);
}

static void make_patterns(rng *r, jumps *j)
{
    j->count = rng_between(r, 1, MAX_PATTERNS);
    for (size_t i = 0; i < j->count; i++) {
        char *to = written[i];
        to[0] = '\0';
        append(to, "%c", 'a' + rng_below(r, j->letters));
        for (uint32_t pieces = rng_between(r, 1, 4); pieces > 0; pieces--) {
            write_piece(r, j, to);
            if (pieces > 1 || rng_chance(r, 6))
                write_jump(r, j, to);
            if (pieces > 1)
                append(to, "%c", 'a' + rng_below(r, j->letters));
        }
        patterns[i] = (trawl_pattern){ .text = to,
                                       .length = strlen(to),
                                       .syntax = TRAWL_SYNTAX_EXTENDED,
                                       .flags = rng_chance(r, 4)   ? TRAWL_NOCASE
                                                : rng_chance(r, 4) ? TRAWL_LINES
                                                                   : 0,
                                       .id = (uint32_t)i };
    }
}

/* Letters, and stretches of one filler in which the jumps' ends are far apart. */
static void make_text(rng *r, jumps *j)
{
    const uint32_t dense = rng_between(r, 1, 200);
    j->length = rng_chance(r, 3) ? rng_below(r, 300) + 1 : rng_below(r, MAX_TEXT) + 1;
    j->text = fenced_text(j->length, rng_chance(r, 2));
    for (size_t at = 0; at < j->length;) {
        for (uint32_t n = rng_below(r, 12); n > 0 && at < j->length; n--)
            j->text[at++] = (uint8_t)('a' + rng_below(r, j->letters) - 32 * rng_chance(r, 20));
        for (uint32_t n = rng_below(r, dense); n > 0 && at < j->length; n--)
            j->text[at++] = rng_chance(r, 300) ? '\n' : 'x';
    }
}

static void failed(const jumps *j, const char *what)
{
    printf("\n%s\nTRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_factors\n%zu bytes\n", what,
           (unsigned long long)j->seed, j->length);
    for (size_t i = 0; i < j->count && j->count <= MAX_PATTERNS; i++)
        printf("pattern %zu, flags %u: %s\n", i, patterns[i].flags, written[i]);
    fflush(stdout);
    fail();
}

static trawl_plan *compile(const jumps *j, const char *engine, int *status)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine;
    options.sample = j->text;
    options.sample_length = j->length;
    *status = trawl_compile(patterns, j->count, &options, &plan, &error);
    if (*status != TRAWL_OK && *status != TRAWL_ERROR_UNSUPPORTED)
        failed(j, error.message);
    return plan;
}

static trawl_plan *save_and_load(const jumps *j, trawl_plan *plan)
{
    size_t bytes = 0;
    trawl_plan *loaded = NULL;
    const void *block = trawl_plan_save(plan, &bytes);
    if (trawl_plan_load(block, bytes, &loaded, NULL) != TRAWL_OK)
        failed(j, "a saved plan is not loaded");
    trawl_plan_free(plan);
    return loaded;
}

static matches scan(const jumps *j, const trawl_plan *plan, const char *backend, uint32_t chunks,
                    uint32_t report)
{
    trawl_context_options open = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_context *context;
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    open.backend = backend;
    open.threads = strcmp(backend, "threads") == 0 ? 2 : 0;
    open.chunks = chunks;
    options.report = report;
    if (trawl_context_open(&open, &context, &error) != TRAWL_OK ||
        trawl_collect(context, plan, j->text, j->length, &options, &found.items, &found.count,
                      &error) != TRAWL_OK)
        failed(j, error.message);
    trawl_context_close(context);
    return found;
}

static void feed(const jumps *j, const trawl_plan *plan, rng *r, const matches *expected)
{
    const uint32_t piece = rng_chance(r, 2) ? 30 : 9000;
    trawl_context *context;
    trawl_stream *stream;
    matches found = { NULL, 0, 0 };
    assert_int_equal(trawl_context_open(NULL, &context, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_open(context, plan, NULL, keep_matches, &found, &stream, NULL),
                     TRAWL_OK);
    for (size_t at = 0; at < j->length;) {
        size_t n = rng_between(r, 1, piece);
        n = n < j->length - at ? n : j->length - at;
        if (trawl_stream_feed(stream, j->text + at, n, NULL) != TRAWL_OK)
            failed(j, "feeding");
        at += n;
    }
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    if (!matches_agree(expected, &found))
        failed(j, "in a stream");
    free(found.items);
    trawl_context_close(context);
}

/* Returns whether the patterns were taken. */
static bool run(jumps *j, rng *r, uint64_t *ends)
{
    static const struct {
        const char *backend, *way;
        uint32_t chunks;
    } ways[] = { { "serial", "in one slice", 1 },
                 { "serial", "in many slices", 100000 },
                 { "serial", "in 7 slices", 7 },
                 { "threads", "by threads", 5 } };
    int status;
    trawl_plan *plan = compile(j, rng_chance(r, 4) ? "auto" : "factors", &status);
    if (!plan)
        return false;
    if (rng_chance(r, 2))
        plan = save_and_load(j, plan);
    trawl_plan *other = compile(j, "shiftand", &status);
    const uint32_t reports = rng_chance(r, 4) ? 2 : 1;
    for (uint32_t report = 0; report < reports; report++) {
        const uint32_t mode = report && j->length < 1000 ? TRAWL_REPORT_SHORTEST : 0;
        const matches expected = scan(j, other, "serial", 1, mode);
        for (size_t i = 0; i < COUNT(ways); i++) {
            if (ways[i].chunks > 1000 && j->length > 2000)
                continue;
            const matches found = scan(j, plan, ways[i].backend, ways[i].chunks, mode);
            if (!matches_agree(&expected, &found))
                failed(j, ways[i].way);
            trawl_matches_free(found.items);
        }
        if (mode == 0)
            feed(j, plan, r, &expected);
        *ends += expected.count;
        trawl_matches_free(expected.items);
    }
    trawl_plan_free(other);
    trawl_plan_free(plan);
    return true;
}

static void test_jumps(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(SCENARIOS);
    uint64_t taken = 0, ends = 0;
    (void)state;
    for (uint64_t i = 0; i < wanted && i < SCENARIOS; i++) {
        rng r = { seed + i };
        jumps j = { .seed = seed + i, .letters = rng_between(&r, 2, 4) };
        make_patterns(&r, &j);
        make_text(&r, &j);
        taken += run(&j, &r, &ends);
        fenced_free(j.text, j.length);
    }
    const uint64_t tried = wanted < SCENARIOS ? wanted : SCENARIOS;
    printf("%llu of %llu sets were taken, with %llu ends\n", (unsigned long long)taken,
           (unsigned long long)tried, (unsigned long long)ends);
    assert_true(tried < 10 || (taken > tried / 2 && ends > tried));
}

/* Literals of 1 to 12 letters, mostly from the text, and among them classes and repeats. */
static void make_many(rng *r, jumps *j, bool unbounded)
{
    j->count = rng_between(r, 1000, MANY);
    for (size_t i = 0; i < j->count; i++) {
        char *to = written[i];
        const bool literal = !rng_chance(r, 12);
        const uint32_t length = rng_chance(r, 8) ? rng_between(r, 1, 3) : rng_between(r, 3, 12);
        const size_t at = rng_below(r, (uint32_t)(j->length - length));
        to[0] = '\0';
        for (uint32_t k = 0; k < length && literal; k++)
            append(to, "%c", rng_chance(r, 40) ? 'a' : j->text[at + k]);
        for (uint32_t k = rng_between(r, 1, 3); k > 0 && !literal; k--) {
            write_piece(r, j, to);
            append(to, unbounded && rng_chance(r, 6) ? "%c+" : "%c",
                   'a' + rng_below(r, j->letters));
        }
        if (!literal && rng_chance(r, 12))
            append(to, ".{%u,%u}%c", rng_below(r, 40), rng_between(r, 40, 140),
                   'a' + rng_below(r, j->letters));
        patterns[i] =
            (trawl_pattern){ .text = to,
                             .length = strlen(to),
                             .syntax = literal ? TRAWL_SYNTAX_LITERAL : TRAWL_SYNTAX_EXTENDED,
                             .flags = rng_chance(r, 6) ? TRAWL_NOCASE : 0,
                             .id = (uint32_t)i };
    }
}

static void test_many(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(MANY_SCENARIOS);
    (void)state;
    for (uint64_t i = 0; i < wanted && i < MANY_SCENARIOS; i++) {
        rng r = { seed + i };
        jumps j = { .seed = seed + i, .letters = rng_between(&r, 2, 4) };
        int status;
        j.length = rng_between(&r, 100, 300);
        j.text = fenced_text(j.length, rng_chance(&r, 2));
        for (size_t k = 0; k < j.length; k++)
            j.text[k] = (uint8_t)('a' + rng_below(&r, j.letters));
        make_many(&r, &j, rng_chance(&r, 2));
        trawl_plan *other = compile(&j, "shiftand", &status);
        assert_non_null(other);
        const matches expected = scan(&j, other, "serial", 1, 0);
        for (uint32_t k = 0; k < 2; k++) {
            trawl_plan *plan = compile(&j, k ? "factors/shiftand" : "factors", &status);
            assert_non_null(plan);
            for (uint32_t cut = 0; cut < CUTS; cut++) {
                const uint32_t most = cut % 2 ? 12 : (uint32_t)j.length;
                const matches found =
                    scan(&j, plan, cut ? "serial" : "threads", rng_between(&r, 2, most), 0);
                if (!matches_agree(&expected, &found))
                    failed(&j, k ? "with a fallback" : "bare");
                trawl_matches_free(found.items);
            }
            feed(&j, plan, &r, &expected);
            trawl_plan_free(plan);
        }
        trawl_matches_free(expected.items);
        trawl_plan_free(other);
        fenced_free(j.text, j.length);
    }
}

/* More units than one pass runs, some of several words: all are run, whatever the slices. */
static void test_crowd(void **state)
{
    static const char *const backends[] = { "serial", "threads", "openmp" };
    rng r = { test_seed() };
    jumps j = { .seed = r.state, .count = CROWD, .length = 3000 };
    trawl_match *expected = NULL;
    int status;
    (void)state;
    j.text = malloc(j.length);
    assert_non_null(j.text);
    for (size_t i = 0; i < CROWD; i++) {
        const uint32_t more = rng_chance(&r, 20) ? 70 : 33; /* than half a word, or a chain */
        written[i][0] = '\0';
        for (uint32_t k = 0; k < 3; k++)
            append(written[i], "%c", 'a' + rng_below(&r, 4));
        append(written[i], "[^z]*[a-d]{%u}%c", more, 'a' + rng_below(&r, 4));
        patterns[i] = (trawl_pattern){ .text = written[i],
                                       .length = strlen(written[i]),
                                       .syntax = TRAWL_SYNTAX_EXTENDED,
                                       .id = (uint32_t)i };
    }
    memset(j.text, 'z', j.length);
    for (uint32_t stretch = 0; stretch < 4; stretch++) /* the first is long enough for matches */
        for (size_t at = rng_below(&r, 2900), last = at + (stretch ? rng_below(&r, 100) : 99);
             at < last; at++)
            j.text[at] = (uint8_t)('a' + rng_below(&r, 4));
    const size_t count =
        oracle_scan(patterns, CROWD, j.text, j.length, TRAWL_REPORT_ENDS, &expected);
    assert_true(count > 0);
    trawl_plan *plan = compile(&j, "factors", &status);
    assert_non_null(plan);
    for (size_t i = 0; i < 2 * COUNT(backends); i++) {
        matches found = scan(&j, plan, backends[i / 2], i % 2 ? 9 : 2, 0);
        const matches all = { expected, count, count };
        if (!matches_agree(&all, &found))
            failed(&j, backends[i / 2]);
        trawl_matches_free(found.items);
    }
    const matches all = { expected, count, count };
    feed(&j, plan, &r, &all);
    trawl_plan_free(plan);
    free(expected);
    free(j.text);
}

/* Two bytes so far apart as a repeat can say, and one nearer or farther. */
static void test_far(void **state)
{
    enum { APART = 180000 };
    static const char *const far[] = { "qz.{179998}zq", "qz.{0,179998}zq", "qz[^\\n]{9,179999}zq",
                                       "qz.{179000,180100}zq" };
    (void)state;
    for (uint32_t p = 0; p < COUNT(far); p++)
        for (uint32_t off = 0; off < 3; off++) {
            jumps j = { .count = 1, .length = 3 * APART };
            int status;
            strcpy(written[0], far[p]);
            patterns[0] = (trawl_pattern){ .text = written[0],
                                           .length = strlen(written[0]),
                                           .syntax = TRAWL_SYNTAX_EXTENDED };
            j.text = fenced_text(j.length, off % 2);
            memcpy(j.text + APART / 2, "qz", 2);
            memcpy(j.text + APART / 2 + APART + off - 1, "zq", 2);
            trawl_plan *plan = compile(&j, "factors", &status);
            assert_non_null(plan);
            const uint64_t between = APART + off - 3;
            const bool match = p == 0   ? between == 179998
                               : p == 1 ? between <= 179998
                               : p == 2 ? between <= 179999
                                        : true;
            for (uint32_t chunks = 1; chunks < 40; chunks += 13) {
                const matches found = scan(&j, plan, "serial", chunks, 0);
                if (found.count != match ||
                    (match && found.items[0].end != APART / 2 + APART + off + 1))
                    failed(&j, "a far end");
                trawl_matches_free(found.items);
            }
            trawl_plan_free(plan);
            fenced_free(j.text, j.length);
        }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *text, *says;
    } sets[] = { { "ab.{0,2000}[x]{0,2000}cd", "side by side" },
                 { "ab.{0,2000}c?", "nothing but repeats" } };
    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++) {
        const trawl_pattern p = { .text = sets[i].text,
                                  .length = strlen(sets[i].text),
                                  .syntax = TRAWL_SYNTAX_EXTENDED };
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        trawl_error error = { 0 };
        options.engine = "factors";
        assert_int_equal(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, sets[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_jumps), cmocka_unit_test(test_many),
                                        cmocka_unit_test(test_crowd), cmocka_unit_test(test_far),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
