/* ranges.c: see ranges.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "matches.h"
#include "ranges.h"
#include "trawl/range.h"

#include <cmocka.h>

enum { MAX_RANGES = 40 };

/* A text, how it is searched, and its ranges. */
typedef struct cut_text {
    const uint8_t *text;
    size_t length;
    const trawl_plan *plan;
    trawl_scan_options options;
    trawl_range_needs needs;
    const range_searchers *by;
    rng *r;
    size_t count;
    uint64_t borders[MAX_RANGES + 1];
    trawl_seam *seams[MAX_RANGES];
    matches found[MAX_RANGES];
    uint64_t again; /* ranges that were searched again */
} cut_text;

/* Where ranges may meet, from there on. */
static uint64_t cut_from(const cut_text *c, uint64_t wanted)
{
    size_t at = 0;
    if (!c->needs.cuts || wanted == 0 || wanted >= c->length)
        return wanted;
    assert_int_equal(trawl_range_cut(c->plan, c->options.report, c->text + wanted - 1,
                                     c->length - (size_t)wanted + 1, &at, NULL),
                     TRAWL_OK);
    return at == TRAWL_NONE ? c->length : wanted - 1 + at;
}

static int by_offset(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void choose_ranges(cut_text *c)
{
    c->count = rng_chance(c->r, 3) ? rng_between(c->r, 1, MAX_RANGES) : rng_between(c->r, 1, 4);
    for (size_t i = 1; i < c->count; i++)
        c->borders[i] = cut_from(c, rng_below(c->r, (uint32_t)c->length + 1));
    c->borders[0] = 0;
    c->borders[c->count] = c->length;
    qsort(c->borders, c->count + 1, sizeof *c->borders, by_offset);
}

static int search(cut_text *c, size_t i, trawl_error *error)
{
    trawl_range range = TRAWL_RANGE_INIT;
    matches news = { NULL, 0, 0 };
    uint64_t settled = 0;
    range.begin = c->borders[i];
    range.end = c->borders[i + 1];
    range.offset = range.begin > c->needs.before ? range.begin - c->needs.before : 0;
    const uint64_t left = c->length - range.end;
    range.last = left <= c->needs.after;
    range.length = (size_t)(range.end - range.offset + (range.last ? left : c->needs.after));
    range.bytes =
        fence_copy(&c->by->around, c->text + range.offset, range.length, rng_chance(c->r, 2));
    trawl_context *context = c->by->contexts[rng_below(c->r, RANGE_CONTEXTS)];
    const int status = trawl_scan_range(context, c->plan, &range, &c->options, c->seams[i],
                                        keep_matches, &news, &settled, error);
    fence_copy(&c->by->around, NULL, 0, false); /* they are not kept */
    if (status == TRAWL_OK) {
        const matches old = c->found[i];
        assert_true(settled >= range.begin && settled <= range.end);
        for (size_t k = 0; k < old.count; k++)
            if (old.items[k].end - c->options.base > settled)
                matches_add(&news, &old.items[k], 1);
        free(old.items);
        c->found[i] = news;
    } else {
        free(news.items);
    }
    return status;
}

/* Through bytes, as to another process. */
static void send_seam(cut_text *c, size_t i)
{
    size_t bytes = 0;
    trawl_seam *there = NULL;
    assert_int_equal(trawl_seam_save(c->seams[i], NULL, &bytes, NULL), TRAWL_OK);
    void *block = malloc(bytes);
    assert_non_null(block);
    assert_int_equal(trawl_seam_save(c->seams[i], block, &bytes, NULL), TRAWL_OK);
    assert_int_equal(trawl_seam_load(c->plan, c->options.report, block, bytes, &there, NULL),
                     TRAWL_OK);
    free(block);
    trawl_seam_close(c->seams[i]);
    c->seams[i] = there;
}

static bool follow(cut_text *c, size_t i)
{
    uint32_t again = 2;
    assert_int_equal(
        trawl_seam_follow(c->seams[i], (const trawl_seam *const *)c->seams, i, &again, NULL),
        TRAWL_OK);
    assert_true(again < 2);
    c->again += again;
    if (rng_chance(c->r, 4))
        send_seam(c, i); /* what it was told goes along */
    return again;
}

/* All are told, then those told so searched again, until none is. */
static int settle_in_rounds(cut_text *c, trawl_error *error)
{
    int status = TRAWL_OK;
    size_t rounds = 0;
    for (bool any = true; any && status == TRAWL_OK; rounds++) {
        bool again[MAX_RANGES];
        any = false;
        for (size_t i = 0; i < c->count; i++)
            any |= again[i] = follow(c, i);
        for (size_t i = 0; i < c->count && status == TRAWL_OK; i++)
            if (again[i])
                status = search(c, i, error);
        assert_true(rounds <= c->count);
    }
    return status;
}

static int settle_in_order(cut_text *c, trawl_error *error)
{
    int status = TRAWL_OK;
    for (size_t i = 0; i < c->count && status == TRAWL_OK; i++)
        if (follow(c, i))
            status = search(c, i, error);
    return status;
}

/* Each is told by the one before it alone, before it is searched. */
static int search_in_order(cut_text *c, trawl_error *error)
{
    int status = TRAWL_OK;
    for (size_t i = 0; i < c->count && status == TRAWL_OK; i++) {
        uint32_t again = 1;
        if (i > 0)
            assert_int_equal(trawl_seam_follow(c->seams[i],
                                               (const trawl_seam *const *)&c->seams[i - 1], 1,
                                               &again, NULL),
                             TRAWL_OK);
        assert_int_equal(again, 1);
        if (i > 0 && rng_chance(c->r, 4))
            send_seam(c, i);
        status = search(c, i, error);
    }
    return status;
}

static int search_all(cut_text *c, trawl_error *error)
{
    if (c->needs.follows && rng_chance(c->r, 4))
        return search_in_order(c, error);
    const size_t first = rng_below(c->r, (uint32_t)c->count);
    int status = TRAWL_OK;
    for (size_t i = 0; i < c->count && status == TRAWL_OK; i++)
        status = search(c, (i + first) % c->count, error);
    if (status != TRAWL_OK || !c->needs.follows)
        return status;
    for (size_t i = 0; i < c->count; i++)
        if (rng_chance(c->r, 2))
            send_seam(c, i);
    return rng_chance(c->r, 2) ? settle_in_rounds(c, error) : settle_in_order(c, error);
}

static bool same_match(const trawl_match *a, const trawl_match *b, uint64_t base)
{
    return (a->start == b->start + base || (a->start == TRAWL_UNKNOWN && b->start == a->start)) &&
           a->end == b->end + base && a->id == b->id && a->pattern == b->pattern;
}

/* How many matches of the ranges are the expected ones. */
static size_t compare(const cut_text *c, const trawl_match *expected, size_t count, size_t *all)
{
    size_t right = 0;
    *all = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->found[i].count; k++, ++*all)
            if (right == *all && right < count)
                right += same_match(&c->found[i].items[k], &expected[right], c->options.base);
    return right;
}

static void print_cuts(const cut_text *c)
{
    printf("cut at");
    for (size_t i = 0; i <= c->count; i++)
        printf(" %llu", (unsigned long long)c->borders[i]);
    printf("\n");
}

uint64_t ranges_check(const range_searchers *by, rng *r, const trawl_plan *plan, uint32_t mode,
                      const uint8_t *text, size_t length, const trawl_match *expected, size_t count)
{
    cut_text c = { .text = text,
                   .length = length,
                   .plan = plan,
                   .options = TRAWL_SCAN_OPTIONS_INIT,
                   .needs = { .size = sizeof c.needs },
                   .by = by,
                   .r = r };
    trawl_error error = { 0 };
    size_t all;
    c.options.report = mode;
    c.options.base = rng_chance(r, 2) ? 0 : rng_next(r) >> 4;
    assert_int_equal(trawl_plan_get_range_needs(plan, mode, &c.needs, NULL), TRAWL_OK);
    choose_ranges(&c);
    for (size_t i = 0; i < c.count && (c.needs.follows || rng_chance(r, 2)); i++)
        assert_int_equal(trawl_seam_open(plan, mode, &c.seams[i], NULL), TRAWL_OK);
    const int status = search_all(&c, &error);
    const size_t right = compare(&c, expected, count, &all);
    const bool wrong = status != TRAWL_OK || right != count || all != count;
    if (wrong) {
        trawl_plan_info info = { .size = sizeof info };
        trawl_plan_get_info(plan, &info);
        print_cuts(&c);
        printf("engine %s, report %u: status %d (%s), %zu of %zu matches right, %zu in all\n",
               info.engine, mode, status, error.message, right, count, all);
        for (size_t i = 0, n = 0; i < c.count; i++)
            for (size_t k = 0; k < c.found[i].count; k++, n++)
                if (n + 2 > right && n < right + 3)
                    printf("  range %zu: %llu %llu pattern %u\n", i,
                           (unsigned long long)(c.found[i].items[k].start - c.options.base),
                           (unsigned long long)(c.found[i].items[k].end - c.options.base),
                           c.found[i].items[k].pattern);
        if (right < count)
            printf("  expected: %llu %llu pattern %u\n", (unsigned long long)expected[right].start,
                   (unsigned long long)expected[right].end, expected[right].pattern);
    }
    for (size_t i = 0; i < c.count; i++) {
        trawl_seam_close(c.seams[i]);
        free(c.found[i].items);
    }
    return wrong ? UINT64_MAX : c.again;
}
