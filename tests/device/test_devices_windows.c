/* test_devices_windows.c: several windows of a text in flight on devices at once, by several
 * threads and on several devices: the matches, how calls end early, and what happens when memory
 * or room for records runs out meanwhile.
 *
 * What is expected comes from the serial backend. targets.h says which devices take part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "targets.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LENGTH 3000000u

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

/* A window is 16 pieces at first, so that 5 MB are several. */
static const char *const tunings[] = {
    "queues=4,piece=64",          "queues=7,piece=100",         "queues=2,piece=64",
    "queues=4,piece=64,mapped=0", "queues=4,piece=64,memory=3", /* reserves less than it would like,
                                                                   or nothing */
    "queues=1,piece=64",                                        /* one window after the other */
};

/* ---- what is searched ------------------------------------------------------------------- */

static char *text;

/* Words, some of them in their thousands within a few pieces. */
static void make_text(rng *r)
{
    static const char *const words[] = { "needle ", "hay ", "straw, ", "haystack\n", "nee", "dle" };
    for (size_t at = 0; at < LENGTH;) {
        const bool dense = at / 300000 % 5 == 3;
        const char *word = dense ? "aa" : words[rng_below(r, COUNT(words))];
        const size_t length = strlen(word), some = LENGTH - at < length ? LENGTH - at : length;
        memcpy(text + at, word, some);
        at += some;
    }
}

static trawl_plan *compile(const char *engine, const char *const *written, size_t count,
                           uint32_t flags)
{
    trawl_pattern patterns[8];
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error = { 0 };
    trawl_plan *plan = NULL;
    for (size_t i = 0; i < count; i++)
        patterns[i] = (trawl_pattern){ written[i], strlen(written[i]), TRAWL_SYNTAX_EXTENDED,
                                       flags,      (uint32_t)i,        NULL };
    options.engine = engine;
    if (trawl_compile(patterns, count, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

/* ---- matches, told from one another by a number ------------------------------------------ */

typedef struct seen {
    uint64_t count, sum, last;
    uint64_t stop;         /* the callback's wish, after as many matches; 0: never */
    trawl_context *cancel; /* then */
} seen;

static int see(const trawl_match *matches, size_t count, void *user)
{
    seen *s = user;
    for (size_t i = 0; i < count; i++) {
        const trawl_match *m = &matches[i];
        assert_true(m->end >= s->last);
        s->last = m->end;
        s->sum = s->sum * 31 + m->start * 7 + m->end * 3 + m->pattern;
        s->count++;
        if (s->count == s->stop && s->cancel)
            trawl_cancel(s->cancel);
        if (s->count == s->stop && !s->cancel)
            return 1;
    }
    return 0;
}

static seen scan(trawl_context *context, const trawl_plan *plan, uint32_t report, int expected)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error = { 0 };
    seen s = { 0 };
    options.report = report;
    options.base = 1000;
    const int status = trawl_scan(context, plan, text, LENGTH, &options, see, &s, &error);
    if (status != expected)
        fail_msg("status %d: %s", status, error.message);
    return s;
}

static void expect_all(const test_target *t, const char *device, const char *tuning,
                       const trawl_plan *plan, uint32_t report, const seen *expected)
{
    trawl_context *context = target_open(t, device, tuning);
    for (uint32_t again = 0; again < 2; again++) { /* it has learned then */
        const seen found = scan(context, plan, report, TRAWL_OK);
        uint64_t count = 0;
        if (found.count != expected->count || found.sum != expected->sum)
            fail_msg("%s %s, tuning %s, report %u: %llu matches, %llu expected%s", t->backend,
                     device, tuning, report, (unsigned long long)found.count,
                     (unsigned long long)expected->count,
                     found.count == expected->count ? ", others" : "");
        assert_int_equal(trawl_count(context, plan, text, LENGTH, NULL, &count, NULL), TRAWL_OK);
        if (report == TRAWL_REPORT_ENDS)
            assert_int_equal(count, expected->count);
    }
    trawl_context_close(context);
}

/* ---- tests --------------------------------------------------------------------------------- */

typedef struct kind {
    const char *engine;
    const char *patterns[3];
    size_t count;
    uint32_t report, flags;
    bool carries;
} kind;

static const kind kinds[] = {
    { "auto", { "needle", "straw", "stack" }, 3, TRAWL_REPORT_ENDS, 0, false },
    { "pfac/ac", { "aaaa", "needle", "yst" }, 3, TRAWL_REPORT_ENDS, 0, false },
    { "pfac/ac", { "aaaa", "needle", "yst" }, 3, TRAWL_REPORT_LEFTMOST_LONGEST, 0, false },
    { "auto", { "s[a-z]{2,6}", "e{2}dle" }, 2, TRAWL_REPORT_ENDS, 0, false },
    { "auto", { "s[a-z]{2,6}", "e{2}dle" }, 2, TRAWL_REPORT_LONGEST, 0, false },
    { "auto", { "hay", "straw" }, 2, TRAWL_REPORT_ENDS, TRAWL_WORDS, false },
    { "auto", { "needle", "nee" }, 2, TRAWL_REPORT_ENDS, TRAWL_ONCE, false },
    { "auto", { "hays[^\n]*needle", "nee" }, 2, TRAWL_REPORT_ENDS, 0, true },
};

static void test_matches(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const kind *what = &kinds[k];
        trawl_plan *plan = compile(what->engine, what->patterns, what->count, what->flags);
        const seen expected = scan(serial, plan, what->report, TRAWL_OK);
        assert_true(expected.count > 0);
        for (size_t t = 0; t < target_count; t++)
            for (size_t w = k % 3; w < COUNT(tunings); w += 3)
                expect_all(&targets[t], w % 2 ? "all" : targets[t].device, tunings[w], plan,
                           what->report, &expected);
        trawl_plan_free(plan);
    }
}

/* More matches end at one place than a lane has room for while windows are in flight. */
static void test_crowd(void **state)
{
    enum { SUFFIXES = 2600 };
    static trawl_pattern patterns[SUFFIXES];
    char run[SUFFIXES], *const before = text;
    trawl_plan *plan = NULL;
    (void)state;
    memset(run, 'a', sizeof run);
    for (uint32_t i = 0; i < SUFFIXES; i++)
        patterns[i] = (trawl_pattern){ run, i + 1, TRAWL_SYNTAX_LITERAL, 0, i, NULL };
    assert_int_equal(trawl_compile(patterns, SUFFIXES, NULL, &plan, NULL), TRAWL_OK);
    text = malloc(LENGTH);
    assert_non_null(text);
    memset(text, '.', LENGTH);
    memset(text + LENGTH / 2, 'a', SUFFIXES + 2);
    const seen expected = scan(serial, plan, TRAWL_REPORT_ENDS, TRAWL_OK);
    for (size_t t = 0; t < target_count; t++)
        expect_all(&targets[t], targets[t].device, "queues=2,piece=64", plan, TRAWL_REPORT_ENDS,
                   &expected);
    free(text);
    text = before;
    trawl_plan_free(plan);
}

/* ---- many texts ------------------------------------------------------------------------------ */

/* Pieces of the text, mostly short, some empty, a few long. */
static size_t make_texts(rng *r, trawl_text *texts, size_t most)
{
    size_t count = 0;
    for (size_t at = 0; at < LENGTH && count < most; count++) {
        size_t length = rng_chance(r, 10) ? 0 : rng_below(r, rng_chance(r, 200) ? 100000 : 60);
        length = length < LENGTH - at ? length : LENGTH - at;
        texts[count] = (trawl_text){ length ? text + at : NULL, length };
        at += length;
    }
    return count;
}

static int see_records(const trawl_match *matches, size_t count, void *user)
{
    seen *s = user;
    for (size_t i = 0; i < count; i++) {
        const trawl_match *m = &matches[i];
        s->sum = s->sum * 31 + m->start * 7 + m->end * 3 + m->pattern + m->record * 11;
        if (++s->count == s->stop)
            return 1;
    }
    return 0;
}

static seen scan_many(trawl_context *context, const trawl_plan *plan, uint32_t report,
                      const trawl_text *texts, size_t count, uint64_t stop)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_error error = { 0 };
    seen s = { .stop = stop };
    options.report = report;
    const int status =
        trawl_scan_many(context, plan, texts, count, &options, see_records, &s, &error);
    if (status != (stop ? TRAWL_STOPPED : TRAWL_OK))
        fail_msg("status %d: %s", status, error.message);
    return s;
}

static void test_many(void **state)
{
    enum { MOST = 100000 };
    trawl_text *texts = malloc(MOST * sizeof *texts);
    rng r = { test_seed() };
    (void)state;
    assert_non_null(texts);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const kind *what = &kinds[k];
        trawl_plan *plan = compile(what->engine, what->patterns, what->count, what->flags);
        const size_t count = make_texts(&r, texts, MOST);
        const size_t some = what->carries ? 200 : count; /* which go one by one */
        const seen expected = scan_many(serial, plan, what->report, texts, some, 0);
        for (size_t t = 0; t < target_count; t++) {
            trawl_context *context = target_open(&targets[t], targets[t].device, tunings[k % 2]);
            const seen found = scan_many(context, plan, what->report, texts, some, 0);
            if (found.count != expected.count || found.sum != expected.sum)
                fail_msg("%s, kind %zu: %llu matches, %llu expected", targets[t].backend, k,
                         (unsigned long long)found.count, (unsigned long long)expected.count);
            uint64_t length = 0;
            for (size_t i = 0; i < some; i++)
                length += texts[i].length;
            assert_true(trawl_context_scanned(context) >= length);
            const seen ended =
                scan_many(context, plan, what->report, texts, some, expected.count / 2 + 1);
            assert_int_equal(ended.count, expected.count / 2 + 1);
            trawl_context_close(context);
        }
        trawl_plan_free(plan);
    }
    free(texts);
}

/* ---- ends ---------------------------------------------------------------------------------------
 */

/* A call ends where the callback says, is cancelled, or may find no more: and the next is whole. */
static void test_ends(void **state)
{
    static const char *const patterns[] = { "needle", "aaa" };
    trawl_plan *plan = compile("auto", patterns, 2, 0);
    const seen all = scan(serial, plan, TRAWL_REPORT_ENDS, TRAWL_OK);
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, tunings[0]);
        for (uint64_t stop = 1; stop < all.count; stop = stop * 9 + 1) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            seen s = { .stop = stop };
            assert_int_equal(trawl_scan(context, plan, text, LENGTH, &options, see, &s, NULL),
                             TRAWL_STOPPED);
            assert_int_equal(s.count, stop);
            s = (seen){ .stop = stop, .cancel = context };
            assert_int_equal(trawl_scan(context, plan, text, LENGTH, &options, see, &s, NULL),
                             TRAWL_CANCELLED);
            assert_in_range(s.count, stop, stop + 200);
            s = (seen){ 0 };
            options.max_matches = stop;
            assert_int_equal(trawl_scan(context, plan, text, LENGTH, &options, see, &s, NULL),
                             TRAWL_LIMITED);
            assert_int_equal(s.count, stop);
            s = (seen){ 0 };
            options.max_matches = 0;
            options.max_seconds = 1e-9;
            assert_int_equal(trawl_scan(context, plan, text, LENGTH, &options, see, &s, NULL),
                             TRAWL_EXPIRED);
            s = scan(context, plan, TRAWL_REPORT_ENDS, TRAWL_OK);
            assert_true(s.count == all.count && s.sum == all.sum);
        }
        assert_true(trawl_context_scanned(context) >= LENGTH);
        trawl_context_close(context);
    }
    trawl_plan_free(plan);
}

/* Plans in turn, on one context: what is loaded, learned and kept is each one's own. */
static void test_turns(void **state)
{
    enum { PLANS = 4 };
    trawl_plan *plans[PLANS];
    seen expected[PLANS];
    (void)state;
    for (size_t k = 0; k < PLANS; k++) {
        plans[k] = compile(kinds[k].engine, kinds[k].patterns, kinds[k].count, 0);
        expected[k] = scan(serial, plans[k], TRAWL_REPORT_ENDS, TRAWL_OK);
    }
    for (size_t t = 0; t < target_count; t++) {
        trawl_context *context = target_open(&targets[t], targets[t].device, tunings[0]);
        for (size_t n = 0; n < 3 * PLANS; n++) {
            const seen s = scan(context, plans[n * 3 % PLANS], TRAWL_REPORT_ENDS, TRAWL_OK);
            assert_true(s.count == expected[n * 3 % PLANS].count &&
                        s.sum == expected[n * 3 % PLANS].sum);
        }
        trawl_context_close(context);
    }
    for (size_t k = 0; k < PLANS; k++)
        trawl_plan_free(plans[k]);
}

static int open_text(void **state)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    rng r = { test_seed() };
    (void)state;
    options.backend = "serial";
    text = malloc(LENGTH);
    if (!text)
        return 1;
    make_text(&r);
    return trawl_context_open(&options, &serial, NULL);
}

static int close_text(void **state)
{
    (void)state;
    trawl_context_close(serial);
    free(text);
    return 0;
}

int main(void)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches), cmocka_unit_test(test_crowd), cmocka_unit_test(test_many),
        cmocka_unit_test(test_ends),    cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, open_text, close_text);
}
