/* test_planner.c: what the planner chooses, and what it expects that to cost: counted, not timed.
 *
 * Each set stands for a cliff: where another choice was made, a few bytes more or less of patterns
 * made a search several times slower.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "engines/planner/planner.h"
#include "engines/shared/engine.h"
#include "random.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MOST = 8192, WRITTEN = 128 };

static char written[MOST][WRITTEN];
static trawl_pattern patterns[MOST];
static memory heap = { .limit = UINT64_MAX };

static void set_pattern(size_t i, trawl_syntax syntax)
{
    patterns[i] = (trawl_pattern){
        .text = written[i], .length = strlen(written[i]), .syntax = syntax, .id = (uint32_t)i
    };
}

/* The plan of the first `count` patterns for a CPU by an engine, without a sample. */
static trawl_plan *planned_by(const char *engine, size_t count)
{
    pattern_list list;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    assert_int_equal(pattern_list_make(&heap, patterns, count, NULL, &list, &error), TRAWL_OK);
    const problem p = { .memory = &heap,
                        .list = &list,
                        .sample = profile_of(NULL, 0, &list),
                        .target = { .threads = 1, .isa = ISA_AVX2 } };
    if (plan_make(&p, engine, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    pattern_list_free(&list);
    return plan;
}

static trawl_plan *planned(size_t count)
{
    return planned_by("auto", count);
}

/* Its engines, and its cost in *cost. */
static const char *engines_of(const trawl_plan *plan, double *cost)
{
    trawl_plan_info info = { .size = sizeof info };
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    *cost = info.cost;
    return info.engine;
}

static void letters(rng *r, size_t i, size_t count)
{
    const size_t length = strlen(written[i]);
    for (size_t k = 0; k < count; k++)
        written[i][length + k] = (char)('a' + rng_below(r, 26));
    written[i][length + count] = '\0';
}

/* Expressions as rules have them, however many: what they cost grows as their number does. */
static void test_many_unbounded(void **state)
{
    static const size_t counts[] = { 400, 1000, 2000, 4000, 8000 };
    rng r = { 1 };
    double first = 0;
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        snprintf(written[i], WRITTEN, "/");
        letters(&r, i, 12);
        strcat(written[i], "\\.php\\?[^\\n]*id=[0-9]+");
        letters(&r, i, 12);
        set_pattern(i, TRAWL_SYNTAX_EXTENDED);
    }
    for (size_t i = 0; i < COUNT(counts); i++) {
        double cost;
        trawl_plan *plan = planned(counts[i]);
        const char *engines = engines_of(plan, &cost);
        if (strncmp(engines, "factors", 7) != 0)
            fail_msg("%zu expressions by '%s'", counts[i], engines);
        first = i ? first : cost;
        if (cost > first * (double)counts[i] / (double)counts[0])
            fail_msg("%zu cost %g ns a byte, %zu cost %g", counts[0], first, counts[i], cost);
        trawl_plan_free(plan);
    }
}

/* Single patterns whose words are many, and need not be looked at, or all of them must. */
static void test_long_patterns(void **state)
{
    static const struct {
        const char *pattern, *engine;
        double most; /* nanoseconds a byte */
    } cases[] = { { "\\sPARTIAL.*BODY\\.PEEK\\[[^\\]]{1024}", "factors/shiftand", 5 },
                  { "[^\\x0d\\x0a]{520}", "hnfa", 30 },
                  { "needle[^\\n]{600}needle", "factors/shiftand", 5 } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double cost;
        snprintf(written[0], WRITTEN, "%s", cases[i].pattern);
        set_pattern(0, TRAWL_SYNTAX_EXTENDED);
        trawl_plan *plan = planned(1);
        const char *engines = engines_of(plan, &cost);
        if (strcmp(engines, cases[i].engine) != 0 || cost > cases[i].most)
            fail_msg("%s by '%s' for %g ns a byte", cases[i].pattern, engines, cost);
        trawl_plan_free(plan);
    }
}

/* A CRISPR guide of 20 bases and NGG, with four of them left open in every way. */
static void test_guide(void **state)
{
    enum { GUIDE = 20, OPEN = 4, WAYS = 4845 };
    static const char guide[] = "GACGTTAGCCATGGATCTTA";
    size_t made = 0;
    double cost;
    (void)state;
    for (uint32_t open = 0; open < 1u << GUIDE; open++) {
        uint32_t bits = 0;
        for (uint32_t rest = open; rest; rest &= rest - 1)
            bits++;
        if (bits != OPEN)
            continue;
        written[made][0] = '\0';
        for (uint32_t k = 0; k < GUIDE; k++)
            if (open >> k & 1)
                strcat(written[made], "[ACGT]");
            else
                strncat(written[made], guide + k, 1);
        strcat(written[made], "[ACGT]GG");
        set_pattern(made++, TRAWL_SYNTAX_EXTENDED);
    }
    assert_int_equal(made, WAYS);
    trawl_plan *plan = planned(made);
    assert_string_equal(engines_of(plan, &cost), "bitslice/shiftand");
    trawl_plan_free(plan);
}

/* Literals of which some have bytes that no text has are searched for in packets and programs, so
 * their page has such bytes, and grams of all kinds. */
static void test_signatures(void **state)
{
    pattern_list list;
    rng r = { 4 };
    (void)state;
    for (uint32_t with = 0; with < 2; with++) {
        size_t others = 0;
        for (size_t i = 0; i < 1000; i++) {
            written[i][0] = '\0';
            letters(&r, i, 8);
            written[i][3] = with && i % 20 == 0 ? 1 : written[i][3];
            set_pattern(i, TRAWL_SYNTAX_LITERAL);
        }
        assert_int_equal(pattern_list_make(&heap, patterns, 1000, NULL, &list, NULL), TRAWL_OK);
        const profile page = profile_of(NULL, 0, &list);
        for (size_t half = 0; half < 2; half++, others = 0) { /* that engines compare */
            for (size_t i = half * page.length / 2; i < (half + 1) * page.length / 2; i++)
                others += page.bytes[i] > 126;
            assert_true(with ? others > page.length / 32 : others == 0);
        }
        pattern_list_free(&list);
    }
}

enum { PIECES = 4, PIECE = 9 };

/* Whether a filter searches all of a text that is full of the first `count` patterns, which are
 * pieces of words. */
static bool stands(size_t count)
{
    static char text[8 * MOST * PIECE];
    static record records[COUNT(text)];
    uint64_t found = 0;
    const sink out = { &found, records, COUNT(records) };
    size_t length = 0;
    trawl_plan *plan = planned_by("teddy/ac", count);
    for (size_t i = 0; length + 2 * PIECE < sizeof text; i = (i + PIECES) % count)
        length += (size_t)snprintf(text + length, 2 * PIECE, "%s%s", written[i],
                                   written[i + PIECES - 1] + PIECE + 1 - PIECES);
    const bool all =
        slice_run_plain(ISA_PORTABLE, plan, (const uint8_t *)text, (uint32_t)length, 4096, &out);
    assert_true(!all || found >= length / (PIECE + PIECES - 1) * PIECES);
    trawl_plan_free(plan);
    return all;
}

/* A filter gives up where its fallback is faster, and no sooner: an automaton of thousands of
 * literals is slow where a text is full of them, and one of a few is not. */
static void test_patience(void **state)
{
    rng r = { 5 };
    (void)state;
    for (size_t i = 0; i < MOST; i += PIECES) {
        written[i][0] = '\0';
        letters(&r, i, PIECE + PIECES - 1);
        for (size_t k = PIECES; k-- > 0;) {
            memmove(written[i + k], written[i] + k, PIECE);
            written[i + k][PIECE] = '\0';
            set_pattern(i + k, TRAWL_SYNTAX_LITERAL);
        }
    }
    assert_true(stands(MOST));
    assert_false(stands(PIECES));
}

/* What many patterns share no filter looks for: it is frequent in their texts, too, whether the
 * page has it or not. */
static void test_shared_grams(void **state)
{
    enum { COUNT_SHARED = 1000, LENGTH = 16384 };
    static const char *const engines[] = { "qgrams/ac", "teddy/ac" };
    static u8 text[LENGTH];
    rng r = { 6 };
    (void)state;
    for (size_t i = 0; i < COUNT_SHARED; i++) {
        written[i][0] = '\0';
        letters(&r, i, 4);
        strcat(written[i],
               i ? "qzxv" : ""); /* a short one, for which no filter leaves out places */
        set_pattern(i, TRAWL_SYNTAX_LITERAL);
    }
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (u8) "qzxv"[i % 4];
    for (size_t e = 0; e < COUNT(engines); e++) {
        record records[1];
        slice s = { .end = LENGTH, .records = records, .capacity = COUNT(records) };
        trawl_plan *plan = planned_by(engines[e], COUNT_SHARED);
        const text_job job = {
            .plan = plan, .isa = ISA_PORTABLE, .window = text, .slices = &s, .count = 1
        };
        assert_int_equal(slice_run_text(&job, &s), TRAWL_OK);
        assert_int_equal(s.count, 0);
        assert_true(s.candidates[0] < LENGTH / 100);
        trawl_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_unbounded), cmocka_unit_test(test_long_patterns),
        cmocka_unit_test(test_guide),          cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_patience),       cmocka_unit_test(test_shared_grams)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
