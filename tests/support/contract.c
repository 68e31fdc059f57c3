/* contract.c: see contract.h. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>

#include "contract.h"
#include "random.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

trawl_plan *plan;
trawl_plan *grid_plan;
trawl_context *threads;
trawl_context *both[2];
uint8_t text[LENGTH];
trawl_match *expected;
size_t expected_count;
const uint8_t *zeros;

const uint8_t cells[4] = { 1, 2, 3, 4 };

static void fill_text(void)
{
    rng r = { 11 };
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = rng_chance(&r, 5) ? "abc"[rng_below(&r, 3)] : '.';
}

trawl_context *open_threads(uint32_t count)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.threads = count;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return context;
}

int open_all(void **state)
{
    static const trawl_pattern patterns[] = {
        { .text = "abc", .length = 3, .id = 1 },
        { .text = "c", .length = 1, .id = 2 },
        { .text = "[ab]+c", .length = 6, .syntax = TRAWL_SYNTAX_EXTENDED, .id = 3 },
    };
    static const trawl_needle needle = { cells, 2, 2, 0, 7, NULL };
    (void)state;
    if (trawl_compile(patterns, COUNT(patterns), NULL, &plan, NULL) != TRAWL_OK ||
        trawl_compile_grid(&needle, 1, 1, NULL, &grid_plan, NULL) != TRAWL_OK)
        return -1;
    both[0] = open_threads(1);
    both[1] = threads = open_threads(2);
    const int nothing = open("/dev/zero", O_RDONLY);
    void *map = mmap(NULL, ENDLESS, PROT_READ, MAP_PRIVATE, nothing, 0);
    if (map == MAP_FAILED)
        return -1;
    zeros = map;
    close(nothing);
    fill_text();
    return trawl_collect(both[0], plan, text, LENGTH, NULL, &expected, &expected_count, NULL);
}

int close_all(void **state)
{
    (void)state;
    munmap((void *)(uintptr_t)zeros, ENDLESS);
    trawl_matches_free(expected);
    trawl_context_close(both[0]);
    trawl_context_close(both[1]);
    trawl_plan_free(plan);
    trawl_plan_free(grid_plan);
    return 0;
}

/* ---- tools ------------------------------------------------------------- */

void pause_for(double seconds) /* less than one */
{
    const struct timespec t = { 0, (long)(1e9 * seconds) };
    nanosleep(&t, NULL);
}

static char wrong[200];

void expect(bool holds, const char *what)
{
    if (!holds && !wrong[0])
        snprintf(wrong, sizeof wrong, "not so: %s", what);
}

bool anything_wrong(void)
{
    if (wrong[0])
        printf("%s\n", wrong);
    return wrong[0] != '\0';
}

void nothing_wrong(void)
{
    char what[sizeof wrong];
    memcpy(what, wrong, sizeof what);
    wrong[0] = '\0';
    if (what[0])
        fail_msg("%s", what);
}

int record(const trawl_match *matches, size_t count, void *user)
{
    recorder *r = user;
    expect(count > 0, "a batch holds a match");
    if (r->count + count > r->room) {
        r->room = 2 * (r->count + count);
        r->matches = realloc(r->matches, r->room * sizeof *r->matches);
    }
    memcpy(r->matches + r->count, matches, count * sizeof *matches);
    if (r->count == 0 && r->first)
        r->first(r->with);
    r->count += count;
    return 0;
}

int record_grid(const trawl_grid_match *matches, size_t count, void *user)
{
    recorder *r = user;
    expect(count > 0 && matches, "a batch holds a match");
    if (r->count == 0 && r->first)
        r->first(r->with);
    r->count += count;
    return 0;
}

static bool same(const trawl_match *a, const trawl_match *b)
{
    return a->start == b->start && a->end == b->end && a->id == b->id && a->pattern == b->pattern &&
           a->record == b->record;
}

void expect_prefix(recorder *r, bool all)
{
    expect(r->count <= expected_count, "no more matches than there are");
    expect(!all || r->count == expected_count, "all matches");
    for (size_t i = 0; i < r->count && i < expected_count; i++)
        expect(same(&r->matches[i], &expected[i]), "the same matches in the same order");
    free(r->matches);
    *r = (recorder){ NULL, 0, 0, NULL, NULL };
}

void scan_all_of_it(void *context)
{
    recorder r = { 0 };
    expect(trawl_scan(context, plan, text, LENGTH, NULL, record, &r, NULL) == TRAWL_OK,
           "a context works after a fork");
    expect_prefix(&r, true);
}

void expect_working(trawl_context *context)
{
    scan_all_of_it(context);
    nothing_wrong();
}
