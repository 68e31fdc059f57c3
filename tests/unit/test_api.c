/* test_api.c: what trawl.h promises beyond right matches: option structs of other sizes,
 * NULL here and there, names, error texts, facts of plans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "each.h"
#include "trawl.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static trawl_pattern pattern(const char *text, uint32_t syntax)
{
    return (trawl_pattern){ text, strlen(text), syntax, 0, 0, NULL };
}

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

static trawl_context *open_context(void)
{
    trawl_context *context = NULL;
    assert_int_equal(trawl_context_open(NULL, &context, NULL), TRAWL_OK);
    return context;
}

static int ignore_one(const trawl_match *match, void *user)
{
    (void)match;
    (void)user;
    return 0;
}

EACH_MATCH(ignore)

static int ignore_grid_one(const trawl_grid_match *match, void *user)
{
    (void)match;
    (void)user;
    return 0;
}

EACH_GRID_MATCH(ignore_grid)

/* An error says its code and one line of text. */
static void expect_error(int status, int expected, const trawl_error *error, const char *part)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->code, expected);
    assert_true(memchr(error->message, '\0', sizeof error->message) != NULL);
    assert_null(strchr(error->message, '\n'));
    if (!strstr(error->message, part))
        fail_msg("'%s' is not in: %s", part, error->message);
}

/* ---- freeing nothing, texts, names ----------------------------------------- */

static void test_free_null(void **state)
{
    (void)state;
    trawl_plan_free(NULL);
    trawl_context_close(NULL);
    trawl_matches_free(NULL);
    assert_int_equal(trawl_stream_close(NULL, NULL), TRAWL_OK);
}

static void test_texts(void **state)
{
    static const int statuses[] = { TRAWL_OK,
                                    TRAWL_STOPPED,
                                    TRAWL_LIMITED,
                                    TRAWL_ERROR_ARGUMENT,
                                    TRAWL_ERROR_MEMORY,
                                    TRAWL_ERROR_PATTERN,
                                    TRAWL_ERROR_UNSUPPORTED,
                                    TRAWL_ERROR_PLAN,
                                    TRAWL_ERROR_LIMIT,
                                    12345 };
    char version[32];
    (void)state;
    for (size_t i = 0; i < COUNT(statuses); i++) {
        const char *text = trawl_error_text(statuses[i]);
        assert_true(text && text[0]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(text, trawl_error_text(statuses[k]));
    }
    snprintf(version, sizeof version, "%d.%d.%d", TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR,
             TRAWL_VERSION_PATCH);
    assert_string_equal(trawl_version(), version);
}

static void test_registries(void **state)
{
    static const char *const engines[] = {
#define ENGINE(name, NAME, kind, room, loop, device, title) #name,
#include "engines/engines.def"
    };
    static const char *const backends[] = { "serial", "threads", "openmp", "opencl", "cuda" };
    (void)state;
    assert_int_equal(trawl_engine_count(), COUNT(engines));
    for (size_t i = 0; i < COUNT(engines); i++) {
        assert_string_equal(trawl_engine_name(i), engines[i]);
        assert_true(strlen(trawl_engine_about(i)) > 10);
    }
    assert_int_equal(trawl_backend_count(), COUNT(backends));
    for (size_t i = 0; i < COUNT(backends); i++) {
        assert_string_equal(trawl_backend_name(i), backends[i]);
        assert_true(strlen(trawl_backend_about(i)) > 5);
    }
    assert_null(trawl_engine_name(COUNT(engines)));
    assert_null(trawl_engine_about(TRAWL_NONE));
    assert_null(trawl_backend_name(COUNT(backends)));
    assert_null(trawl_backend_about(TRAWL_NONE));
}

/* ---- compiling --------------------------------------------------------------- */

static void test_compile_arguments(void **state)
{
    const trawl_pattern p = pattern("abc", TRAWL_SYNTAX_LITERAL);
    trawl_pattern odd = p;
    trawl_plan *plan = (trawl_plan *)&odd; /* must become NULL */
    trawl_error error = { 0 };
    (void)state;
    expect_error(trawl_compile(&p, 1, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT, &error, "plan");
    expect_error(trawl_compile(&p, 0, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "no pattern");
    assert_null(plan);
    expect_error(trawl_compile(NULL, 1, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "");
    odd.syntax = 99;
    expect_error(trawl_compile(&odd, 1, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "99");
    odd = p;
    odd.flags = 0x40;
    expect_error(trawl_compile(&odd, 1, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "");
    odd = p;
    odd.text = NULL;
    expect_error(trawl_compile(&odd, 1, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "");
    assert_null(plan);
    /* Without a trawl_error the status alone tells. */
    assert_int_equal(trawl_compile(NULL, 1, NULL, &plan, NULL), TRAWL_ERROR_ARGUMENT);
}

static void test_compile_options(void **state)
{
    const trawl_pattern p = pattern("abc", TRAWL_SYNTAX_LITERAL);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    (void)state;
    options.engine = "boyer";
    expect_error(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "boyer");
    options.engine = "wm";
    options.wm_block = 4;
    expect_error(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "4");
    options.wm_block = 0;
    options.size = offsetof(trawl_compile_options, likeness); /* as it was in 0.2.0 */
    assert_int_equal(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_OK);
    trawl_plan_free(plan);
    options.size -= 8;
    expect_error(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "size");
    /* A newer caller's struct has more members: they may be zero, and nothing else. */
    struct {
        trawl_compile_options known;
        uint64_t more[2];
    } newer = { TRAWL_COMPILE_OPTIONS_INIT, { 0 } };
    newer.known.size = sizeof newer;
    assert_int_equal(trawl_compile(&p, 1, &newer.known, &plan, &error), TRAWL_OK);
    trawl_plan_free(plan);
    newer.more[1] = 1;
    expect_error(trawl_compile(&p, 1, &newer.known, &plan, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "newer library");
    options.size = 0;
    expect_error(trawl_compile(&p, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "INIT");
}

/* Each engine says what it does not take, and what to use instead. */
static void test_refusals(void **state)
{
    const trawl_pattern two[] = { pattern("abc", TRAWL_SYNTAX_LITERAL),
                                  pattern("ab", TRAWL_SYNTAX_LITERAL) };
    const trawl_pattern repeat = pattern("ab+", TRAWL_SYNTAX_EXTENDED);
    const uint32_t cell = 1;
    const trawl_needle needle = { &cell, 1, 1, 0, 0, NULL };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    (void)state;
    options.engine = "bm";
    expect_error(trawl_compile(two, 2, &options, &plan, &error), TRAWL_ERROR_UNSUPPORTED, &error,
                 "'bm'");
    static const char *const literal_engines[] = { "bm",     "wm", "ac",    "pfac",   "bb",   "byr",
                                                   "packed", "ku", "teddy", "qgrams", "kmers" };
    for (size_t i = 0; i < COUNT(literal_engines); i++) {
        options.engine = literal_engines[i];
        expect_error(trawl_compile(&repeat, 1, &options, &plan, &error), TRAWL_ERROR_UNSUPPORTED,
                     &error, literal_engines[i]);
        assert_null(plan);
    }
    static const char *const text_engines[] = { "bm",       "wm",    "ac",      "pfac",
                                                "shiftand", "hnfa",  "packed",  "teddy",
                                                "qgrams",   "kmers", "factors", "bitslice" };
    for (size_t i = 0; i < COUNT(text_engines); i++) {
        options.engine = text_engines[i];
        expect_error(trawl_compile_grid(&needle, 1, 4, &options, &plan, &error),
                     TRAWL_ERROR_UNSUPPORTED, &error, text_engines[i]);
        assert_null(plan);
    }
    expect_error(trawl_compile_grid(&needle, 1, 5, NULL, &plan, &error), TRAWL_ERROR_ARGUMENT,
                 &error, "5");
}

/* A malformed pattern is named, with the offset in it. */
static void test_pattern_errors(void **state)
{
    const trawl_pattern patterns[] = { pattern("fine", TRAWL_SYNTAX_EXTENDED),
                                       pattern("ab(c", TRAWL_SYNTAX_EXTENDED) };
    const trawl_pattern empty = pattern("a*", TRAWL_SYNTAX_EXTENDED);
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    (void)state;
    expect_error(trawl_compile(patterns, 2, NULL, &plan, &error), TRAWL_ERROR_PATTERN, &error,
                 "column 3");
    assert_int_equal(error.pattern, 1);
    assert_int_equal(error.offset, 2);
    assert_null(plan);
    expect_error(trawl_compile(&empty, 1, NULL, &plan, &error), TRAWL_ERROR_PATTERN, &error,
                 "empty");
    assert_int_equal(error.pattern, 0);
}

/* ---- facts of plans ------------------------------------------------------------ */

static void test_plan_info(void **state)
{
    trawl_pattern patterns[] = { pattern("a[bc]{2,5}", TRAWL_SYNTAX_EXTENDED),
                                 pattern("xy", TRAWL_SYNTAX_EXTENDED),
                                 pattern("q", TRAWL_SYNTAX_LITERAL) };
    trawl_plan_info info = { .size = sizeof info };
    size_t bytes = 0;
    (void)state;
    patterns[0].name = "range";
    patterns[2].name = "queue";
    trawl_plan *plan = compile(patterns, 3, "hnfa");
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    assert_string_equal(info.engine, "hnfa");
    assert_true(strlen(info.why) > 5);
    assert_int_equal(info.patterns, 3);
    assert_int_equal(info.min_length, 1);
    assert_int_equal(info.max_length, 6);
    assert_int_equal(info.cell_size, 0);
    assert_int_equal(info.conditions, 0);
    assert_non_null(trawl_plan_save(plan, &bytes));
    assert_int_equal(info.bytes, bytes);
    assert_string_equal(trawl_plan_pattern_name(plan, 0), "range");
    assert_string_equal(trawl_plan_pattern_name(plan, 1), "");
    assert_string_equal(trawl_plan_pattern_name(plan, 2), "queue");
    assert_string_equal(trawl_plan_pattern_name(plan, 3), "");
    assert_string_equal(trawl_plan_pattern_name(NULL, 0), "");
    trawl_plan_free(plan);

    const trawl_pattern endless = pattern("ab+$", TRAWL_SYNTAX_EXTENDED);
    plan = compile(&endless, 1, NULL);
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    assert_true(info.max_length == UINT64_MAX);
    assert_int_equal(info.conditions, 1);

    /* What a newer caller knows more of is zero. */
    struct {
        trawl_plan_info known;
        uint64_t more;
    } newer = { { .size = sizeof newer }, 7 };
    assert_int_equal(trawl_plan_get_info(plan, &newer.known), TRAWL_OK);
    assert_int_equal(newer.known.patterns, 1);
    assert_int_equal(newer.known.size, sizeof newer);
    assert_int_equal(newer.more, 0);
    newer.known.size = sizeof newer + 1;
    assert_int_equal(trawl_plan_get_info(plan, &newer.known), TRAWL_ERROR_ARGUMENT);
    newer.known.size = offsetof(trawl_plan_info, why);
    assert_int_equal(trawl_plan_get_info(plan, &newer.known), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_plan_get_info(NULL, &info), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_plan_get_info(plan, NULL), TRAWL_ERROR_ARGUMENT);
    assert_null(trawl_plan_save(NULL, &bytes));
    trawl_plan_free(plan);
}

static void test_load_arguments(void **state)
{
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    (void)state;
    expect_error(trawl_plan_load("x", 1, NULL, &error), TRAWL_ERROR_ARGUMENT, &error, "NULL");
    expect_error(trawl_plan_load(NULL, 1, &plan, &error), TRAWL_ERROR_ARGUMENT, &error, "NULL");
    expect_error(trawl_plan_load(NULL, 0, &plan, &error), TRAWL_ERROR_PLAN, &error, "");
    expect_error(trawl_plan_load("x", SIZE_MAX, &plan, &error), TRAWL_ERROR_MEMORY, &error, "");
}

/* ---- contexts -------------------------------------------------------------------- */

static void test_context_options(void **state)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    (void)state;
    expect_error(trawl_context_open(NULL, NULL, &error), TRAWL_ERROR_ARGUMENT, &error, "context");
    options.backend = "quantum";
    expect_error(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "quantum");
    assert_null(context);
    options.backend = "serial";
    options.schedule = 9;
    expect_error(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT, &error, "9");
    options.schedule = TRAWL_SCHEDULE_STATIC;
    options.size = sizeof options + 1;
    expect_error(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT, &error,
                 "size");
    options.size = sizeof options;
    assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_OK);
    assert_string_equal(trawl_context_backend(context), "serial");
    assert_int_equal(trawl_context_threads(context), 1);
    trawl_context_close(context);
    assert_string_equal(trawl_context_backend(NULL), "");
    assert_int_equal(trawl_context_threads(NULL), 0);
}

static void test_threads(void **state)
{
    static const uint32_t schedules[] = { TRAWL_SCHEDULE_DYNAMIC, TRAWL_SCHEDULE_STATIC };
    (void)state;
    for (size_t i = 0; i < COUNT(schedules); i++) {
        trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
        trawl_context *context = NULL;
        trawl_error error = { 0 };
        options.backend = "threads";
        options.threads = 7;
        options.schedule = schedules[i];
        assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_OK);
        assert_string_equal(trawl_context_backend(context), "threads");
        assert_int_equal(trawl_context_threads(context), 7);
        trawl_context_close(context);
        options.threads = 0xffffffff;
        expect_error(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT, &error,
                     "4294967295");
    }
}

/* ---- scanning ---------------------------------------------------------------------- */

static void test_scan_arguments(void **state)
{
    const trawl_pattern p = pattern("abc", TRAWL_SYNTAX_LITERAL);
    trawl_plan *plan = compile(&p, 1, NULL);
    trawl_context *c = open_context();
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_match *matches = NULL;
    trawl_error e = { 0 };
    size_t found = 0;
    uint64_t count = 0;
    (void)state;
    expect_error(trawl_scan(NULL, plan, "a", 1, NULL, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "context");
    expect_error(trawl_scan(c, NULL, "a", 1, NULL, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "plan");
    expect_error(trawl_scan(c, plan, NULL, 1, NULL, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "text");
    expect_error(trawl_scan(c, plan, "a", 1, NULL, NULL, NULL, &e), TRAWL_ERROR_ARGUMENT, &e, "fn");
    expect_error(trawl_count(c, plan, "a", 1, NULL, NULL, &e), TRAWL_ERROR_ARGUMENT, &e, "count");
    expect_error(trawl_count(c, plan, NULL, 1, NULL, &count, &e), TRAWL_ERROR_ARGUMENT, &e, "text");
    expect_error(trawl_collect(c, plan, "a", 1, NULL, NULL, &found, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "matches");
    expect_error(trawl_collect(c, plan, "a", 1, NULL, &matches, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "count");
    options.report = 77;
    expect_error(trawl_scan(c, plan, "a", 1, &options, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "77");
    options.report = 0;
    options.size = sizeof options + 1;
    expect_error(trawl_count(c, plan, "a", 1, &options, &count, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "size");
    options.size = sizeof options;
    options.base = UINT64_MAX - 2;
    expect_error(trawl_scan(c, plan, "abc", 3, &options, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT,
                 &e, "64 bits");
    /* A newer caller's options go the long way of counting too. */
    struct {
        trawl_scan_options known;
        uint64_t more;
    } newer = { TRAWL_SCAN_OPTIONS_INIT, 0 };
    newer.known.size = sizeof newer;
    newer.known.max_matches = 1;
    assert_int_equal(trawl_count(c, plan, "abcabc", 6, &newer.known, &count, &e), TRAWL_LIMITED);
    assert_int_equal(count, 1);
    /* No bytes, and no match. */
    assert_int_equal(trawl_collect(c, plan, NULL, 0, NULL, &matches, &found, &e), TRAWL_OK);
    assert_null(matches);
    assert_int_equal(found, 0);
    assert_int_equal(trawl_count(c, plan, NULL, 0, NULL, &count, &e), TRAWL_OK);
    trawl_context_close(c);
    trawl_plan_free(plan);
}

/* A plan for texts scans no grid, and the other way round. */
static void test_other_dimension(void **state)
{
    const trawl_pattern p = pattern("abc", TRAWL_SYNTAX_LITERAL);
    const uint8_t cell = 1;
    const trawl_needle needle = { &cell, 1, 1, 0, 0, NULL };
    const trawl_grid grid = { &cell, 1, 1, 0 };
    trawl_plan *text_plan = compile(&p, 1, NULL), *grid_plan = NULL;
    trawl_context *c = open_context();
    trawl_stream *stream = NULL;
    trawl_error e = { 0 };
    uint64_t count;
    (void)state;
    assert_int_equal(trawl_compile_grid(&needle, 1, 1, NULL, &grid_plan, &e), TRAWL_OK);
    expect_error(trawl_scan(c, grid_plan, "a", 1, NULL, ignore, NULL, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "grid");
    expect_error(trawl_count(c, grid_plan, "a", 1, NULL, &count, &e), TRAWL_ERROR_ARGUMENT, &e,
                 "grid");
    expect_error(trawl_stream_open(c, grid_plan, NULL, ignore, NULL, &stream, &e),
                 TRAWL_ERROR_ARGUMENT, &e, "grid");
    expect_error(trawl_scan_grid(c, text_plan, &grid, NULL, ignore_grid, NULL, &e),
                 TRAWL_ERROR_ARGUMENT, &e, "text");
    trawl_context_close(c);
    trawl_plan_free(text_plan);
    trawl_plan_free(grid_plan);
}

/* ---- the example of the design ------------------------------------------------------- */

static void test_report_example(void **state)
{
    static const struct {
        uint32_t report;
        const char *expected;
    } rows[] = {
        { TRAWL_REPORT_ENDS, "?-3 ?-5 ?-8 ?-9 ?-10 " },
        { TRAWL_REPORT_PAIRS, "0-3 0-5 5-8 5-9 5-10 " },
        { TRAWL_REPORT_LONGEST, "0-5 5-10 " },
        { TRAWL_REPORT_SHORTEST, "0-3 5-8 " },
    };
    const trawl_pattern p = pattern("A.{1,3}C", TRAWL_SYNTAX_EXTENDED);
    trawl_context *context = open_context();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        trawl_plan *plan = compile(&p, 1, i % 2 ? "hnfa" : "shiftand");
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        trawl_match *matches = NULL;
        char found[128] = "";
        size_t count = 0, used = 0;
        options.report = rows[i].report;
        assert_int_equal(
            trawl_collect(context, plan, "ABCDCACCCC", 10, &options, &matches, &count, NULL),
            TRAWL_OK);
        for (size_t k = 0; k < count; k++) {
            if (matches[k].start == TRAWL_UNKNOWN)
                used += (size_t)snprintf(found + used, sizeof found - used, "?");
            else
                used += (size_t)snprintf(found + used, sizeof found - used, "%d",
                                         (int)matches[k].start);
            used +=
                (size_t)snprintf(found + used, sizeof found - used, "-%d ", (int)matches[k].end);
        }
        assert_string_equal(found, rows[i].expected);
        trawl_matches_free(matches);
        trawl_plan_free(plan);
    }
    trawl_context_close(context);
}

/* One call from patterns to matches. */
static void test_find(void **state)
{
    const trawl_pattern patterns[] = { pattern("ab+", TRAWL_SYNTAX_EXTENDED),
                                       pattern("b", TRAWL_SYNTAX_LITERAL) };
    const trawl_pattern bad = pattern("a{", TRAWL_SYNTAX_EXTENDED);
    trawl_match *matches = NULL;
    size_t found = 77;
    trawl_error error = { 0 };
    (void)state;
    assert_int_equal(trawl_find(patterns, 2, "xabbx", 5, TRAWL_REPORT_LEFTMOST_LONGEST, &matches,
                                &found, &error),
                     TRAWL_OK);
    assert_int_equal(found, 1);
    assert_true(matches[0].start == 1 && matches[0].end == 4 && matches[0].pattern == 0);
    trawl_matches_free(matches);
    assert_int_equal(trawl_find(patterns, 2, NULL, 0, TRAWL_REPORT_ENDS, &matches, &found, &error),
                     TRAWL_OK);
    assert_true(found == 0 && matches == NULL);
    assert_int_equal(trawl_find(&bad, 1, "a", 1, TRAWL_REPORT_ENDS, &matches, &found, &error),
                     TRAWL_ERROR_PATTERN);
    assert_true(error.pattern == 0 && matches == NULL);
    assert_int_equal(trawl_find(patterns, 2, "a", 1, 99, &matches, &found, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_find(patterns, 2, "a", 1, TRAWL_REPORT_ENDS, NULL, &found, &error),
                     TRAWL_ERROR_ARGUMENT);
}

/* What a stream holds; test_stream.c and test_device_text.c hold the rest to what calls do. */
static void test_report_facts(void **state)
{
    static const struct {
        const char *text;
        uint32_t report;
        uint32_t starts, whole_text, reads_again;
        uint64_t keeps;
    } cases[] = {
        { "needle", TRAWL_REPORT_ENDS, 1, 0, 0, 5 },
        { "needle", TRAWL_REPORT_PAIRS, 1, 0, 0, 5 },
        { "ne?dle", TRAWL_REPORT_ENDS, 0, 0, 0, 4 },
        { "ne?dle", TRAWL_REPORT_LONGEST, 1, 0, 1, 10 },
        { "[a-z]+", TRAWL_REPORT_EACH, 1, 0, 1, UINT64_MAX },
        { "[a-z]+", TRAWL_REPORT_PAIRS, 1, 1, 1, UINT64_MAX },
        { "a.*b", TRAWL_REPORT_EACH, 1, 1, 1, UINT64_MAX },
        { "a.*b", TRAWL_REPORT_ENDS, 0, 0, 0, 0 },
        { "needle\\b", TRAWL_REPORT_ENDS, 1, 0, 1, 7 },
    };
    trawl_report_info info = { .size = sizeof info };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trawl_pattern p = pattern(cases[i].text, TRAWL_SYNTAX_EXTENDED);
        trawl_plan *plan = compile(&p, 1, NULL);
        assert_int_equal(trawl_plan_get_report(plan, cases[i].report, &info, NULL), TRAWL_OK);
        if (info.starts != cases[i].starts || info.whole_text != cases[i].whole_text ||
            info.reads_again != cases[i].reads_again || info.keeps != cases[i].keeps)
            fail_msg("%s, report %u: %u %u %u, keeps %llu", cases[i].text,
                     (unsigned)cases[i].report, (unsigned)info.starts, (unsigned)info.whole_text,
                     (unsigned)info.reads_again, (unsigned long long)info.keeps);
        assert_int_equal(trawl_plan_get_report(plan, 99, &info, NULL), TRAWL_ERROR_ARGUMENT);
        info.size = 4;
        assert_int_equal(trawl_plan_get_report(plan, 0, &info, NULL), TRAWL_ERROR_ARGUMENT);
        info.size = sizeof info;
        trawl_plan_free(plan);
    }
    assert_int_equal(trawl_plan_get_report(NULL, 0, &info, NULL), TRAWL_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_null),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_registries),
        cmocka_unit_test(test_compile_arguments),
        cmocka_unit_test(test_compile_options),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_pattern_errors),
        cmocka_unit_test(test_plan_info),
        cmocka_unit_test(test_load_arguments),
        cmocka_unit_test(test_context_options),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_scan_arguments),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_report_facts),
        cmocka_unit_test(test_other_dimension),
        cmocka_unit_test(test_report_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
