/* test_range.c: a text that is searched by ranges gives what it gives as a whole.
 *
 * Random scenarios are cut at random places, ranges of no bytes among them. Each range lies in
 * memory of its own, with just the bytes beside it that it needs; the ranges are searched in any
 * order, their seams saved and loaded, and told of one another in rounds or one by one. What all
 * hand on must be what the oracle finds. Then texts that are made against cutting: long runs,
 * repeats that never end, matches that overlap from end to end; what is refused; limits.
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
#include "ranges.h"
#include "scan/scan.h"
#include "targets.h"
#include "trawl/range.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define CASES 20000
#define LONGEST 9000
#define LONG 150000u
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MODES = TRAWL_REPORT_EACH + 1 };

/* Serial, three chunks; serial, that gives up soon; threads. */
static range_searchers searchers;
static trawl_context **const contexts = searchers.contexts;

static int open_contexts(void **state)
{
    (void)state;
    contexts[0] = target_cpu("serial", 0, 3);
    contexts[1] = target_cpu("serial", 0, 0);
    contexts[1]->worker.limits.allowance = 0;
    contexts[2] = target_cpu("auto", 2, 0);
    searchers.around = fence_open(LONG);
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < RANGE_CONTEXTS; i++)
        trawl_context_close(contexts[i]);
    fence_close(&searchers.around);
    return 0;
}

static trawl_pattern extended(const char *text)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
}

/* ---- ranges of a text ------------------------------------------------------------ */

/* The range that is the whole text. */
static trawl_range whole(const char *text, size_t length)
{
    trawl_range range = TRAWL_RANGE_INIT;
    range.bytes = text;
    range.length = range.end = length;
    range.last = 1;
    return range;
}

/* ---- random scenarios ------------------------------------------------------------- */

/* Whether a plan's text cannot be cut under a report. */
static bool is_refused(const trawl_plan *plan, uint32_t mode)
{
    trawl_range_needs needs = { .size = sizeof needs };
    trawl_error error = { 0 };
    const int status = trawl_plan_get_range_needs(plan, mode, &needs, &error);
    if (status == TRAWL_OK)
        return false;
    assert_int_equal(status, TRAWL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "unbounded"));
    if (mode == TRAWL_REPORT_ENDS) /* what begins with the text is followed from there on */
        assert_non_null(strstr(error.message, "\\A before"));
    return true;
}

static uint64_t run_scenario(const scenario *s, uint64_t *again)
{
    rng r = { ~s->seed };
    uint64_t cases = 0;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        trawl_match *expected = NULL;
        if (!scenario_affords(s, mode))
            continue;
        const size_t count =
            oracle_scan(s->patterns, s->count, s->text, s->length, mode, &expected);
        for (size_t i = 0; engine_choice(i); i++) {
            trawl_plan *plan = target_compile(s->patterns, s->count, engine_choice(i));
            if (plan && !is_refused(plan, mode)) {
                const uint64_t more =
                    ranges_check(&searchers, &r, plan, mode, s->text, s->length, expected, count);
                if (more == UINT64_MAX) {
                    scenario_print(s, stdout);
                    fail_msg("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_range",
                             (unsigned long long)s->seed);
                }
                *again += more;
                cases++;
            }
            trawl_plan_free(plan);
        }
        free(expected);
    }
    return cases;
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0, again = 0;
    (void)state;
    assert_non_null(s);
    for (uint64_t i = 0; cases < wanted; i++) {
        scenario_make(s, seed + i, LONGEST);
        cases += run_scenario(s, &again);
        scenario_free(s);
    }
    free(s);
    printf("%llu cases agree, %llu ranges were searched again\n", (unsigned long long)cases,
           (unsigned long long)again);
}

/* ---- texts made against cutting ----------------------------------------------------- */

/* What stands in the text, over and over, and what stands once in a while. */
typedef struct hard_text {
    const char *usual, *rare;
    uint32_t every; /* bytes; 0: never */
    const char *patterns[3];
} hard_text;

static const hard_text hard_texts[] = {
    { "a", "b", 40000, { "a+", "b", NULL } },             /* runs that cross many ranges */
    { "abc", "X", 100000, { "X.*c", "bc", NULL } },       /* what lives on from one X */
    { "abc", "\n", 5000, { "[^\\n]*c", "^a", "b\\b" } },  /* lines longer than a first part */
    { "aab", "b", 9000, { "a.{2,40}b", "ba", "abaab" } }, /* overlaps from end to end */
    { "ab", "", 0, { "aba", "bab", NULL } },             /* a phase that begins at the first byte */
    { "aaaaaaab", "", 0, { "a{1,3000}", NULL, NULL } },  /* long bounded repeats */
    { "a", "\n", 30000, { "^a+$", "\\Aa{5}", "a\\z" } }, /* borders far away */
    { "xy ", " ", 7000, { "[xy]{2}", "\\b[xy]+\\b", "y x" } },
    { "ab", "q", 50000, { "q[ab]+", "ba", "[ab]{5}" } },
};

static void fill(uint8_t *text, size_t length, const hard_text *h, rng *r)
{
    const size_t usual = strlen(h->usual), rare = strlen(h->rare);
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t)h->usual[i % usual];
    for (size_t i = 0; h->every && rare && i < length; i += rng_between(r, 1, 2 * h->every))
        text[i] = (uint8_t)h->rare[0];
}

static void run_hard(const hard_text *h, rng *r, uint64_t *again, size_t *cases)
{
    const size_t length = rng_between(r, LONG / 2, LONG);
    uint8_t *text = fenced_text(length, rng_chance(r, 2));
    trawl_pattern patterns[3];
    size_t count = 0;
    fill(text, length, h, r);
    for (; count < 3 && h->patterns[count]; count++) {
        patterns[count] = extended(h->patterns[count]);
        patterns[count].id = (uint32_t)count;
    }
    trawl_plan *plan = target_compile(patterns, count, NULL);
    assert_non_null(plan);
    for (uint32_t mode = 0; mode < MODES; mode++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        trawl_match *expected = NULL;
        size_t all = 0;
        uint64_t pairs = 0;
        options.report = mode;
        options.max_matches = 2000000;
        if (is_refused(plan, mode) ||
            trawl_count(contexts[0], plan, text, length, &options, &pairs, NULL) != TRAWL_OK)
            continue;
        assert_int_equal(
            trawl_collect(contexts[0], plan, text, length, &options, &expected, &all, NULL),
            TRAWL_OK);
        const uint64_t more = ranges_check(&searchers, r, plan, mode, text, length, expected, all);
        if (more == UINT64_MAX)
            fail_msg("%s ..., report %u", h->patterns[0], mode);
        *again += more;
        ++*cases;
        trawl_matches_free(expected);
    }
    trawl_plan_free(plan);
    fenced_free(text, length);
}

static void test_hard(void **state)
{
    rng r = { test_seed() };
    uint64_t again = 0;
    size_t cases = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(hard_texts); i++)
        for (int k = 0; k < (test_sanitized() ? 1 : 4); k++)
            run_hard(&hard_texts[i], &r, &again, &cases);
    printf("%zu cases agree, %llu ranges were searched again\n", cases, (unsigned long long)again);
    assert_true(again > 0);
}

/* ---- what is promised besides --------------------------------------------------------- */

/* A range whose state differs at its begin alone is not searched to its end again. */
static void test_ends_soon(void **state)
{
    const size_t length = 1u << 20, border = length / 2;
    uint8_t *text = fenced_text(length, true);
    const trawl_pattern p = extended("X[a-z]*q");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    trawl_range range = TRAWL_RANGE_INIT;
    trawl_seam *seams[2] = { NULL, NULL };
    matches found = { NULL, 0, 0 };
    uint64_t settled;
    uint32_t again;
    (void)state;
    memset(text, 'a', length);
    text[1000] = 'X'; /* so long before the border that nothing tells of it */
    text[border + 5000] = 'q';
    for (size_t i = border + 5001; i < length; i += 50)
        text[i] = ' ';
    range.bytes = text;
    range.length = length;
    range.last = 1;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(trawl_seam_open(plan, TRAWL_REPORT_ENDS, &seams[i], NULL), TRAWL_OK);
        range.begin = i ? border : 0;
        range.end = i ? length : border;
        assert_int_equal(trawl_scan_range(contexts[0], plan, &range, NULL, seams[i], keep_matches,
                                          &found, &settled, NULL),
                         TRAWL_OK);
        assert_int_equal(settled, range.end);
    }
    assert_int_equal(found.count, 0);
    assert_int_equal(trawl_seam_follow(seams[1], (const trawl_seam *const *)seams, 1, &again, NULL),
                     TRAWL_OK);
    assert_int_equal(again, 1);
    assert_int_equal(trawl_scan_range(contexts[0], plan, &range, NULL, seams[1], keep_matches,
                                      &found, &settled, NULL),
                     TRAWL_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].end, border + 5001);
    assert_true(settled > border + 5000 && settled < border + 20000);
    free(found.items);
    fenced_free(text, length);
    trawl_seam_close(seams[0]);
    trawl_seam_close(seams[1]);
    trawl_plan_free(plan);
}

static int stop_at_once(const trawl_match *all, size_t count, void *user)
{
    (void)all;
    *(size_t *)user += count;
    return 1;
}

static void test_limits(void **state)
{
    static const char text[] = "abababababababababab";
    const trawl_pattern p = extended("a[ab]");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    (void)state;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        const trawl_range range = whole(text, sizeof text - 1);
        matches found = { NULL, 0, 0 };
        trawl_seam *seam = NULL;
        size_t seen = 0;
        uint64_t settled = 7;
        options.report = mode;
        options.max_matches = 3;
        assert_int_equal(trawl_seam_open(plan, mode, &seam, NULL), TRAWL_OK);
        assert_int_equal(trawl_scan_range(contexts[0], plan, &range, &options, seam, keep_matches,
                                          &found, &settled, NULL),
                         TRAWL_LIMITED);
        assert_int_equal(found.count, 3);
        assert_int_equal(settled, 0);
        options.max_matches = 0;
        assert_int_equal(trawl_scan_range(contexts[0], plan, &range, &options, seam, stop_at_once,
                                          &seen, &settled, NULL),
                         TRAWL_STOPPED);
        options.max_steps = 5;
        assert_int_equal(trawl_scan_range(contexts[0], plan, &range, &options, seam, keep_matches,
                                          &found, &settled, NULL),
                         TRAWL_EXPIRED);
        size_t bytes = 0; /* it was never searched to the end */
        assert_int_equal(trawl_seam_save(seam, NULL, &bytes, NULL), TRAWL_ERROR_ARGUMENT);
        free(found.items);
        trawl_seam_close(seam);
    }
    trawl_plan_free(plan);
}

static int refused(const trawl_plan *plan, const trawl_range *range, uint32_t mode,
                   trawl_seam *seam, const char *why)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    matches found = { NULL, 0, 0 };
    trawl_error error = { 0 };
    options.report = mode;
    const int status = trawl_scan_range(contexts[0], plan, range, &options, seam, keep_matches,
                                        &found, NULL, &error);
    free(found.items);
    if (status < 0 && !strstr(error.message, why))
        fail_msg("\"%s\" says nothing of \"%s\"", error.message, why);
    return status;
}

static void test_refusals(void **state)
{
    static const char text[] = "aaaa bbbb";
    const trawl_pattern words = extended("[ab]+"), any = extended("a.*b"), one = extended("\\Aa+");
    trawl_plan *plan = target_compile(&words, 1, NULL), *endless = target_compile(&any, 1, NULL);
    trawl_plan *first = target_compile(&one, 1, NULL);
    trawl_range range = whole(text, 9);
    trawl_range_needs needs = { .size = sizeof needs };
    trawl_seam *seam = NULL, *other = NULL;
    (void)state;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_ENDS, NULL, "seam is NULL"),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(refused(endless, &range, TRAWL_REPORT_LONGEST, NULL, "unbounded"),
                     TRAWL_ERROR_UNSUPPORTED);
    assert_int_equal(refused(first, &range, TRAWL_REPORT_ENDS, NULL, "\\A before"),
                     TRAWL_ERROR_UNSUPPORTED);
    assert_int_equal(refused(first, &range, TRAWL_REPORT_PAIRS, NULL, ""), TRAWL_OK);
    trawl_plan_free(first);
    range.begin = 2;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_LONGEST, NULL, "begins at 2"),
                     TRAWL_ERROR_ARGUMENT);
    range.begin = 5;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_LONGEST, NULL, ""), TRAWL_OK);
    range.begin = range.offset = 5;
    range.length = 4;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_LONGEST, NULL, "before the range"),
                     TRAWL_ERROR_ARGUMENT);
    range.begin = 4;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_LONGEST, NULL, "does not lie"),
                     TRAWL_ERROR_ARGUMENT);
    range = whole(text, 9);
    range.last = 2;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_LONGEST, NULL, "last"),
                     TRAWL_ERROR_ARGUMENT);
    range.last = 1;
    assert_int_equal(trawl_seam_open(endless, TRAWL_REPORT_ENDS, &other, NULL), TRAWL_OK);
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_ENDS, other, "another plan"),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_seam_open(plan, TRAWL_REPORT_ENDS, &seam, NULL), TRAWL_OK);
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_ENDS, seam, ""), TRAWL_OK);
    range.end = 3;
    assert_int_equal(refused(plan, &range, TRAWL_REPORT_ENDS, seam, "another range"),
                     TRAWL_ERROR_ARGUMENT);
    uint32_t again;
    const trawl_seam *before[] = { seam };
    assert_int_equal(trawl_seam_follow(seam, before, 1, &again, NULL), TRAWL_ERROR_ARGUMENT);
    before[0] = other;
    assert_int_equal(trawl_seam_follow(seam, before, 1, &again, NULL), TRAWL_ERROR_ARGUMENT);
    before[0] = seam;
    assert_int_equal(trawl_seam_follow(other, before, 1, &again, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_seam_follow(NULL, before, 1, &again, NULL), TRAWL_ERROR_ARGUMENT);
    needs.size = 3;
    assert_int_equal(trawl_plan_get_range_needs(plan, TRAWL_REPORT_ENDS, &needs, NULL),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_plan_get_range_needs(plan, 99, &needs, NULL), TRAWL_ERROR_ARGUMENT);
    trawl_seam_close(seam);
    trawl_seam_close(other);
    trawl_seam_close(NULL);
    trawl_plan_free(plan);
    trawl_plan_free(endless);
}

/* A saved seam that was changed in any byte, or cut anywhere, is refused. */
static void check_saved(const trawl_plan *plan, uint32_t mode, const trawl_seam *seam)
{
    trawl_seam *read = NULL;
    size_t bytes = 0;
    trawl_error error;
    assert_int_equal(trawl_seam_save(seam, NULL, &bytes, NULL), TRAWL_OK);
    uint8_t *block = malloc(bytes);
    assert_non_null(block);
    size_t room = bytes - 1;
    assert_int_equal(trawl_seam_save(seam, block, &room, NULL), TRAWL_ERROR_LIMIT);
    assert_int_equal(trawl_seam_save(seam, block, &bytes, NULL), TRAWL_OK);
    for (size_t i = 0; i < bytes; i++) {
        block[i] ^= 0x10;
        assert_int_equal(trawl_seam_load(plan, mode, block, bytes, &read, &error),
                         TRAWL_ERROR_PLAN);
        assert_null(read);
        block[i] ^= 0x10;
        assert_int_equal(trawl_seam_load(plan, mode, block, i, &read, NULL), TRAWL_ERROR_PLAN);
    }
    assert_int_equal(trawl_seam_load(plan, (mode + 1) % 6, block, bytes, &read, NULL),
                     TRAWL_ERROR_PLAN);
    assert_int_equal(trawl_seam_load(plan, mode, block, bytes, &read, NULL), TRAWL_OK);
    trawl_seam_close(read);
    free(block);
}

/* The state of a range that was searched, and of one that was told. */
static void test_damaged(void **state)
{
    static const char text[] = "aaaa bbbb aaaa";
    const trawl_pattern p = extended("[ab]+ ?");
    trawl_plan *plan = target_compile(&p, 1, NULL);
    (void)state;
    for (uint32_t mode = 0; mode < MODES; mode++) {
        const trawl_range range = whole(text, sizeof text - 1);
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        matches found = { NULL, 0, 0 };
        trawl_seam *seam = NULL, *next = NULL;
        uint32_t again;
        if (is_refused(plan, mode))
            continue;
        options.report = mode;
        assert_int_equal(trawl_seam_open(plan, mode, &seam, NULL), TRAWL_OK);
        assert_int_equal(trawl_scan_range(contexts[0], plan, &range, &options, seam, keep_matches,
                                          &found, NULL, NULL),
                         TRAWL_OK);
        check_saved(plan, mode, seam);
        assert_int_equal(trawl_seam_open(plan, mode, &next, NULL), TRAWL_OK);
        assert_int_equal(trawl_seam_follow(next, (const trawl_seam *const *)&seam, 1, &again, NULL),
                         TRAWL_OK);
        check_saved(plan, mode, next);
        trawl_seam_close(next);
        trawl_seam_close(seam);
        free(found.items);
    }
    trawl_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_hard),
        cmocka_unit_test(test_ends_soon), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
