/* test_expressions.c: expressions with groups, in sets with literals and sequences of elements:
 * every engine that takes a set, in every report mode, as a whole, in threads, as a stream, by
 * ranges and from a saved plan, against the oracle of expressions.
 *
 * What trawl_compile refuses is left out of its set and counted by its message; the test fails
 * where too much is refused. TRAWL_TEST_CASES says how many cases at least, an engine and a report
 * being one.
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
#include "pieces.h"
#include "random_expression.h"
#include "ranges.h"
#include "scan/scan.h"
#include "targets.h"
#include "trawl/range.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 20000
#define LONGEST 20010
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
    MODES = TRAWL_REPORT_EACH + 1,
    MAX_REASONS = 40,
    REFUSED_PERCENT = 15, /* of the patterns, at most */
};

static range_searchers searchers; /* serial, three chunks; serial, that gives up soon; threads */

static int open_contexts(void **state)
{
    (void)state;
    searchers.contexts[0] = target_cpu("serial", 0, 3);
    searchers.contexts[1] = target_cpu("serial", 0, 0);
    searchers.contexts[1]->worker.limits.allowance = 0;
    searchers.contexts[2] = target_cpu("auto", 2, 0);
    searchers.around = fence_open(LONGEST);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < RANGE_CONTEXTS; i++)
        trawl_context_close(searchers.contexts[i]);
    fence_close(&searchers.around);
    return 0;
}

/* ---- what is refused -------------------------------------------------------- */

/* How often a pattern was refused with a message, whose quotes and numbers are left out. */
typedef struct tally {
    char reasons[MAX_REASONS][sizeof(((trawl_error *)0)->message)];
    uint64_t times[MAX_REASONS];
    size_t count;
    uint64_t patterns, refused;
} tally;

static void strip(char *message)
{
    char *to = message;
    bool quoted = false;
    for (const char *at = message; *at; at++) {
        if (*at == '\'' || *at == '"')
            quoted = !quoted;
        else if (!quoted && (*at < '0' || *at > '9'))
            *to++ = *at;
    }
    *to = 0;
}

static void count_refusal(tally *t, const trawl_error *error)
{
    char reason[sizeof error->message];
    size_t i = 0;
    strcpy(reason, error->message);
    strip(reason);
    while (i < t->count && strcmp(t->reasons[i], reason) != 0)
        i++;
    if (i == t->count && t->count < MAX_REASONS)
        strcpy(t->reasons[t->count++], reason);
    if (i < MAX_REASONS)
        t->times[i]++;
    t->refused++;
}

/* Leave in the case what the library takes. Where it says that ends tell starts, as conditions
 * leave one length only, it gives them: if it is wrong in that, they differ. */
static void leave_taken(expression_case *c, tally *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        trawl_plan *plan = NULL;
        trawl_error error = { 0 };
        const int status = trawl_compile(&c->patterns[i], 1, NULL, &plan, &error);
        t->patterns++;
        if (status == TRAWL_OK) {
            trawl_report_info info = { .size = sizeof info };
            assert_int_equal(trawl_plan_get_report(plan, TRAWL_REPORT_ENDS, &info, NULL), TRAWL_OK);
            c->one_length[kept] = info.starts;
            c->patterns[kept++] = c->patterns[i];
        } else {
            count_refusal(t, &error);
        }
        trawl_plan_free(plan);
    }
    c->count = kept;
}

static void check_tally(const tally *t)
{
    printf("%llu of %llu patterns are refused\n", (unsigned long long)t->refused,
           (unsigned long long)t->patterns);
    for (size_t i = 0; i < t->count; i++)
        printf("%8llu %s\n", (unsigned long long)t->times[i], t->reasons[i]);
    assert_true(t->refused * 100 <= t->patterns * REFUSED_PERCENT);
}

/* ---- one case ----------------------------------------------------------------- */

typedef struct run {
    expression_case *c;
    rng *r;
    const char *engine;
    trawl_plan *plan;
    uint32_t mode;
    matches wanted;
} run;

static void expect(const run *u, const char *how, int status, const trawl_error *error,
                   matches *found)
{
    if (status != TRAWL_OK || !matches_agree(&u->wanted, found)) {
        expression_case_print(u->c, stdout);
        printf("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_expressions\n",
               (unsigned long long)u->c->seed);
        fail_msg("engine %s, %s, report %u: status %d (%s)", u->engine, how, u->mode, status,
                 error->message);
    }
    free(found->items);
    *found = (matches){ NULL, 0, 0 };
}

static trawl_context *some_context(const run *u)
{
    return searchers.contexts[rng_below(u->r, RANGE_CONTEXTS)];
}

static void as_whole(const run *u, const trawl_scan_options *options)
{
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    uint64_t count = 0;
    for (size_t i = 0; i < RANGE_CONTEXTS; i++) {
        const int status = trawl_scan(searchers.contexts[i], u->plan, u->c->text, u->c->length,
                                      options, keep_matches, &found, &error);
        expect(u, i == 2 ? "threads" : "serial", status, &error, &found);
    }
    assert_int_equal(
        trawl_count(some_context(u), u->plan, u->c->text, u->c->length, options, &count, &error),
        TRAWL_OK);
    if (count != u->wanted.count) {
        matches none = { NULL, (size_t)count, 0 };
        expect(u, "counted", TRAWL_ERROR_ARGUMENT, &error, &none);
    }
}

/* As the second of two texts. */
static void as_one_of_many(const run *u, const trawl_scan_options *options)
{
    const trawl_text texts[] = { { "", 0 }, { u->c->text, u->c->length } };
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    const int status =
        trawl_scan_many(some_context(u), u->plan, texts, 2, options, keep_matches, &found, &error);
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(found.items[i].record, 1);
        found.items[i].record = 0;
    }
    expect(u, "one of many", status, &error, &found);
}

/* True: it was searched as a stream; plans of unbounded patterns may be refused. */
static bool as_stream(const run *u, const trawl_scan_options *options)
{
    trawl_stream *stream = NULL;
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    trawl_report_info info = { .size = sizeof info };
    assert_int_equal(trawl_plan_get_report(u->plan, u->mode, &info, NULL), TRAWL_OK);
    int status =
        trawl_stream_open(some_context(u), u->plan, options, keep_matches, &found, &stream, &error);
    assert_int_equal(status == TRAWL_ERROR_UNSUPPORTED, info.whole_text);
    if (status == TRAWL_ERROR_UNSUPPORTED) {
        assert_true(u->mode != TRAWL_REPORT_ENDS && u->c->unbounded);
        return false;
    }
    if (status == TRAWL_OK)
        status = pieces_feed(stream, &searchers.around, u->r, u->c->text, u->c->length, &error);
    const int closed = trawl_stream_close(stream, &error);
    expect(u, "stream", status == TRAWL_OK ? closed : status, &error, &found);
    return true;
}

static bool by_ranges(const run *u)
{
    trawl_range_needs needs = { .size = sizeof needs };
    const int status = trawl_plan_get_range_needs(u->plan, u->mode, &needs, NULL);
    if (status == TRAWL_ERROR_UNSUPPORTED)
        return false;
    assert_int_equal(status, TRAWL_OK);
    if (ranges_check(&searchers, u->r, u->plan, u->mode, u->c->text, u->c->length, u->wanted.items,
                     u->wanted.count) == UINT64_MAX) {
        matches none = { NULL, 0, 0 };
        expect(u, "ranges", TRAWL_ERROR_ARGUMENT, &(trawl_error){ 0 }, &none);
    }
    return true;
}

/* The same plan, saved and loaded. The plan given is freed. */
static trawl_plan *save_and_load(trawl_plan *plan)
{
    size_t bytes = 0, again = 0;
    trawl_plan *loaded = NULL;
    trawl_error error = { 0 };
    const void *block = trawl_plan_save(plan, &bytes);
    if (trawl_plan_load(block, bytes, &loaded, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    const void *copy = trawl_plan_save(loaded, &again);
    assert_int_equal(again, bytes);
    assert_memory_equal(block, copy, bytes);
    trawl_plan_free(plan);
    return loaded;
}

/* What was run, so that it is seen that something was. */
typedef struct counts {
    uint64_t cases, matches, streams, ranges, loaded;
} counts;

static void run_engine(run *u, counts *all, const matches wanted[MODES])
{
    u->plan = target_compile(u->c->patterns, u->c->count, u->engine);
    if (!u->plan)
        return;
    if (rng_chance(u->r, 3)) {
        u->plan = save_and_load(u->plan);
        all->loaded++;
    }
    for (u->mode = 0; u->mode < MODES; u->mode++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        if (!expression_case_affords(u->c, u->mode))
            continue;
        options.report = u->mode;
        u->wanted = wanted[u->mode];
        as_whole(u, &options);
        as_one_of_many(u, &options);
        all->streams += as_stream(u, &options);
        all->ranges += by_ranges(u);
        all->matches += u->wanted.count;
        all->cases++;
    }
    trawl_plan_free(u->plan);
}

static void run_case(expression_case *c, counts *all)
{
    matches wanted[MODES] = { { NULL, 0, 0 } };
    rng r = { ~c->seed };
    run u = { .c = c, .r = &r };
    for (uint32_t mode = 0; mode < MODES; mode++)
        if (expression_case_affords(c, mode))
            wanted[mode].count =
                oracle_scan_expressions(c->patterns, c->one_length, c->count, c->text, c->length,
                                        mode, &wanted[mode].items);
    for (size_t i = 0; (u.engine = engine_choice(i)) != NULL; i++)
        run_engine(&u, all, wanted);
    for (uint32_t mode = 0; mode < MODES; mode++)
        free(wanted[mode].items);
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    expression_case *c = malloc(sizeof *c);
    tally *t = calloc(1, sizeof *t);
    counts all = { 0 };
    (void)state;
    assert_non_null(c);
    assert_non_null(t);
    for (uint64_t i = 0; all.cases < wanted; i++) {
        expression_case_make(c, seed + i, test_sanitized() ? LONGEST / 20 : LONGEST);
        leave_taken(c, t);
        if (c->count > 0)
            run_case(c, &all);
        expression_case_free(c);
    }
    printf("%llu cases agree: %llu matches, %llu streams, %llu texts cut into ranges, %llu plans "
           "saved and loaded\n",
           (unsigned long long)all.cases, (unsigned long long)all.matches,
           (unsigned long long)all.streams, (unsigned long long)all.ranges,
           (unsigned long long)all.loaded);
    if (wanted >= 1000) {
        assert_true(all.matches > all.cases);
        assert_true(all.streams > all.cases / 3 && all.ranges > all.cases / 3);
        check_tally(t);
    }
    free(c);
    free(t);
}

/* ---- what was wrong once ------------------------------------------------------------ */

/* The second pattern may be NULL; its id is 0, that of the first 1. */
typedef struct known_case {
    const char *patterns[2], *text;
    uint32_t flags; /* of the first pattern */
} known_case;

static const known_case known_cases[] = {
    { { "b\\Z", NULL }, "ab\nab\n", 0 },               /* a piece that ends with a newline */
    { { "(x|b)\\Z", NULL }, "ab\nab\n", 0 },           /* likewise */
    { { "x[^B]*y", NULL }, "xcaaaaaaayzaaaaaaa", 0 },  /* waits across chunks of a piece */
    { { " (\\b\\Zb)?", " " }, "a\n \n", TRAWL_WORDS }, /* one length is left: order by ids */
    { { "a|ab", "b" }, "abab", 0 },                    /* alternatives have an order */
    { { "b|\\S{3}?a{,3}a", NULL }, "bbbaa\n\nbaa", 0 },
};

static void test_known(void **state)
{
    expression_case *c = calloc(1, sizeof *c);
    counts all = { 0 };
    (void)state;
    assert_non_null(c);
    for (size_t i = 0; i < COUNT(known_cases); i++) {
        const known_case *k = &known_cases[i];
        tally t = { .count = 0 };
        c->count = k->patterns[1] ? 2 : 1;
        c->length = strlen(k->text);
        c->unbounded = strchr(k->patterns[0], '*') != NULL;
        for (size_t p = 0; p < c->count; p++)
            c->patterns[p] = (trawl_pattern){ k->patterns[p],        strlen(k->patterns[p]),
                                              TRAWL_SYNTAX_EXTENDED, p == 0 ? k->flags : 0,
                                              (uint32_t)(1 - p),     NULL };
        c->text = fenced_copy(k->text, c->length, true);
        leave_taken(c, &t);
        assert_int_equal(t.refused, 0);
        for (c->seed = 0; c->seed < 20; c->seed++) /* cut otherwise */
            run_case(c, &all);
        expression_case_free(c);
    }
    free(c);
}

/* ---- the oracles beside each other ----------------------------------------------- */

/* What has no group means the same to the oracle of sequences. */
static void test_oracles(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES) / 10 + 1;
    scenario *s = malloc(sizeof *s);
    uint64_t compared = 0, some = 0;
    (void)state;
    assert_non_null(s);
    for (uint64_t i = 0; (compared < wanted || some == 0) && i < 1000; i++) {
        scenario_make(s, seed + i, 300);
        for (uint32_t mode = 0; mode < MODES; mode++) {
            matches one = { NULL, 0, 0 }, other = { NULL, 0, 0 };
            if (mode == TRAWL_REPORT_LEFTMOST_FIRST)
                continue; /* alternatives have an order to one of them */
            one.count = oracle_scan(s->patterns, s->count, s->text, s->length, mode, &one.items);
            other.count = oracle_scan_expressions(s->patterns, NULL, s->count, s->text, s->length,
                                                  mode, &other.items);
            if (!matches_agree(&one, &other)) {
                scenario_print(s, stdout);
                fail_msg("the oracles disagree in report %u", mode);
            }
            some += one.count > 0;
            compared++;
            free(one.items);
            free(other.items);
        }
        scenario_free(s);
    }
    free(s);
    assert_true(some > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracles),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
