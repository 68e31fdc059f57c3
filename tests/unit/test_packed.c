/* test_packed.c: the packed comparison at its borders: texts of 1 to 200 bytes, slices that begin
 * at each byte of them, room for no, some and all matches, under every instruction set; longer
 * ones, which its loops take; and when it gives up. Texts are allocated to their exact length, so
 * that a byte too many is seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/shared/walk.h"
#include "fence.h"
#include "plan/plan.h"
#include "random.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

enum { MOST = 200, ROUNDS = 24, LONGEST = 2000, LONG_ROUNDS = 400 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static u8 sample[4096];
static fence around; /* a slice and what is before it */

static int open_fence(void **state)
{
    (void)state;
    around = fence_open(LONGEST);
    return 0;
}

static int close_fence(void **state)
{
    (void)state;
    fence_close(&around);
    return 0;
}

static trawl_plan *compile(const char *text, size_t length, uint32_t flags)
{
    const trawl_pattern pattern = { text, length, TRAWL_SYNTAX_LITERAL, flags, 0, NULL };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.engine = "packed";
    options.sample = sample;
    options.sample_length = sizeof sample;
    assert_int_equal(trawl_compile(&pattern, 1, &options, &plan, NULL), TRAWL_OK);
    return plan;
}

static u8 lower(u8 c)
{
    return c >= 'A' && c <= 'Z' ? (u8)(c + 32) : c;
}

static bool stands(const u8 *text, const u8 *pattern, u32 length, bool fold)
{
    u32 i = 0;
    while (i < length && (fold ? lower(text[i]) == lower(pattern[i]) : text[i] == pattern[i]))
        i++;
    return i == length;
}

/* text[from .. end) as a slice that begins at `begin`, with room for `capacity` records. */
static void expect_slice(isa set, const trawl_plan *plan, const u8 *text, u32 from, u32 begin,
                         u32 end, const u8 *pattern, u32 length, bool fold, u64 capacity)
{
    static record records[LONGEST + 1], expected[LONGEST + 1];
    const size_t room = end - from + 1;
    u64 count = 0, all = 0;
    u8 *copy = fence_copy(&around, text + from, end - from, (begin + end) % 2);
    memset(records, 0xee, room * sizeof *records);
    memset(expected, 0xee, room * sizeof *expected);
    for (u32 e = begin + 1; e <= end; e++)
        if (e >= from + length && stands(text + e - length, pattern, length, fold)) {
            if (all < capacity)
                expected[all] = (record){ e - from, 0 };
            all++;
        }
    const sink out = { &count, records, capacity };
    text_task t = { .tables = stage_tables(plan, part_stages(plan, plan_parts(plan))),
                    .text = copy,
                    .begin = begin - from,
                    .end = end - from,
                    .allowance = WALK_NEVER,
                    .out = &out };
    const u32 done = walk_of(set, WALK_PACKED)->text(&t);
    const u64 kept = all < capacity ? all : capacity;
    if (done != end - from || count != all ||
        memcmp(records, expected, (size_t)kept * sizeof *records) != 0 ||
        memcmp(records + capacity, expected + capacity,
               (room - (size_t)capacity) * sizeof *records) != 0)
        fail_msg("%s: %u bytes, slice from %u, begin %u, room %llu: %llu matches, expected %llu",
                 isa_name(set), length, from, begin, (unsigned long long)capacity,
                 (unsigned long long)count, (unsigned long long)all);
}

/* For no, some or all records of a text. */
static u64 some_room(u32 length, rng *r)
{
    const u64 rooms[] = { 0, rng_below(r, length < 9 ? length : 9), length };
    return rooms[rng_below(r, COUNT(rooms))];
}

/* Each slice of a text up to its end. */
static void expect_slices(isa set, const trawl_plan *plan, const u8 *text, u32 end,
                          const u8 *pattern, u32 length, bool fold, rng *r)
{
    for (u32 begin = 0; begin < end; begin++) {
        const u32 most = begin >= length - 1 ? begin - (length - 1) : 0;
        const u32 from = rng_chance(r, 3) ? (u32)rng_below(r, most + 1) : most;
        expect_slice(set, plan, text, from, begin, end, pattern, length, fold,
                     some_room(end - from, r));
    }
}

/* Bytes with many occurrences of many patterns. */
static void fill(rng *r, u8 *bytes, u32 count, uint64_t kind)
{
    for (u32 i = 0; i < count; i++)
        bytes[i] = kind == 0   ? 'a'
                   : kind == 1 ? (u8) "aab"[rng_below(r, 3)]
                   : kind == 2 ? (u8) "aA[{"[rng_below(r, 4)]
                               : (u8)(255 * rng_below(r, 2));
}

static void test_borders(void **state)
{
    static const u32 lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 33, 63, 64, 65, 100, 130 };
    rng r = { test_seed() };
    (void)state;
    for (u32 round = 0; round < ROUNDS; round++) {
        const u32 length = lengths[rng_below(&r, COUNT(lengths))];
        const bool fold = rng_chance(&r, 2);
        const uint64_t kind = rng_below(&r, 4);
        u8 pattern[MOST], text[MOST];
        fill(&r, pattern, length, kind);
        trawl_plan *plan = compile((const char *)pattern, length, fold ? TRAWL_NOCASE : 0);
        for (u32 end = 1 + round % 4; end <= MOST; end += 4) {
            fill(&r, text, end, kind);
            for (u32 planted = 0; planted < 3 && end >= length; planted++)
                memcpy(text + rng_below(&r, end - length + 1), pattern, length);
            for (isa set = ISA_PORTABLE; set < ISA_COUNT; set = (isa)(set + 1))
                if (isa_runs(set))
                    expect_slices(set, plan, text, end, pattern, length, fold, &r);
        }
        trawl_plan_free(plan);
    }
}

/* The sample has bytes as the text has, or says nothing of it: then more and more are compared. */
static void test_loops(void **state)
{
    rng r = { test_seed() };
    (void)state;
    for (u32 round = 0; round < LONG_ROUNDS; round++) {
        const u32 length = 1 + (u32)rng_below(&r, rng_chance(&r, 2) ? 9 : 90);
        const u32 end = LONGEST - (u32)rng_below(&r, LONGEST - 2 * length);
        const bool fold = rng_chance(&r, 2);
        const uint64_t kind = rng_below(&r, 4);
        u8 pattern[MOST], text[LONGEST];
        fill(&r, pattern, length, kind);
        fill(&r, text, end, kind);
        fill(&r, sample, sizeof sample, rng_chance(&r, 2) ? kind : 0);
        for (u32 planted = 0; planted < 3; planted++)
            memcpy(text + rng_below(&r, end - length + 1), pattern, length);
        trawl_plan *plan = compile((const char *)pattern, length, fold ? TRAWL_NOCASE : 0);
        for (isa set = ISA_PORTABLE; set < ISA_COUNT; set = (isa)(set + 1)) {
            const u32 begin = (u32)rng_below(&r, 100) % end;
            if (isa_runs(set))
                expect_slice(set, plan, text, 0, begin, end, pattern, length, fold,
                             some_room(end, &r));
        }
        trawl_plan_free(plan);
    }
}

/* A text of the pattern's rare bytes, of which the sample had none: the walk stops soon, and all
 * that begins before that place is reported, and no more. */
static void test_giving_up(void **state)
{
    enum { TEXT = 1 << 20, LONG = 1000, APART = 3000 };
    u8 *text = fenced_text(TEXT, true);
    char pattern[LONG];
    (void)state;
    for (u32 i = 0; i < TEXT; i++)
        text[i] = i % 2 ? 'a' : 'c';
    memcpy(pattern, text, LONG);
    pattern[LONG / 2] = 'b';
    for (u32 i = 0; i + LONG <= TEXT; i += APART)
        memcpy(text + i, pattern, LONG);
    memset(sample, 'b', sizeof sample);
    trawl_plan *plan = compile(pattern, LONG, 0);
    for (isa set = ISA_PORTABLE; set < ISA_COUNT; set = (isa)(set + 1)) {
        if (!isa_runs(set))
            continue;
        u64 count = 0, before = 0;
        const sink out = { &count, NULL, 0 };
        text_task t = { .tables = stage_tables(plan, part_stages(plan, plan_parts(plan))),
                        .text = text,
                        .end = TEXT,
                        .allowance = 100000,
                        .out = &out };
        const u32 done = walk_of(set, WALK_PACKED)->text(&t);
        for (u32 i = 0; i + LONG <= TEXT; i += APART)
            before += i < done;
        assert_true(done > APART && done < TEXT / 4);
        assert_true(count == before && t.candidates > count);
    }
    trawl_plan_free(plan);
    fenced_free(text, TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_giving_up),
    };
    return cmocka_run_group_tests(tests, open_fence, close_fence);
}
