/* torture_grid.c: needles are compiled, and grids scanned, in all ways, while calls fail. */
#include <stdint.h>
#include <string.h>

#include "torture_library.h"
#include "trawl/grid.h"

#define ROWS 60u
#define COLS 50u
#define MAX_MATCHES 20000u

typedef struct grid_result {
    trawl_grid_match matches[MAX_MATCHES];
    size_t count;
} grid_result;

static grid_result good, got;
static uint32_t cells[ROWS * COLS]; /* of any size: bytes that repeat */

static const uint8_t zeros[64] = { 0 };

typedef enum how { SCAN, NUMBER, COLLECT, HOWS } how;

static const char *const how_names[HOWS] = { "trawl_scan_grid", "trawl_count_grid",
                                             "trawl_collect_grid" };

typedef struct recipe {
    const char *engine;
    uint32_t cell_size;
    how how;
    torture_way way;
    trawl_plan *plan;
} recipe;

/* Three needles: a piece of the text, one that is in many places, one cell. */
static int compile(const recipe *r, trawl_plan **plan, trawl_error *error)
{
    const uint8_t *piece = (const uint8_t *)cells + 8 * r->cell_size;
    const trawl_needle needles[] = {
        { piece, 3, 5, (size_t)COLS * r->cell_size, 3, "wide" },
        { zeros, 2, 2, 0, 4, NULL },
        { zeros, 1, 1, 0, 5, "dot" },
        { piece, 4, 2, (size_t)COLS * r->cell_size, 3, "" },
    };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    options.engine = r->engine;
    options.allocator = r->way.allocator ? &torture_allocator : NULL;
    return trawl_compile_grid(needles, COUNT(needles), r->cell_size, &options, plan, error);
}

static int take(const trawl_grid_match *matches, size_t count, void *user)
{
    grid_result *r = user;
    if (count > MAX_MATCHES - r->count)
        return 1;
    memcpy(r->matches + r->count, matches, count * sizeof *matches);
    r->count += count;
    return 0;
}

static int collect(const recipe *r, trawl_context *context, const trawl_grid *text,
                   trawl_error *error)
{
    trawl_grid_match *matches = got.matches;
    size_t count = 1;
    const int status = trawl_collect_grid(context, r->plan, text, NULL, &matches, &count, error);
    if (status != TRAWL_OK && (matches || count))
        torture_fault("trawl_collect_grid failed and gave matches");
    if (status == TRAWL_OK && count)
        take(matches, count, &got);
    trawl_grid_matches_free(matches);
    return status;
}

static int call(const void *user, trawl_context *context, trawl_error *error)
{
    const recipe *r = user;
    const trawl_grid text = { cells, ROWS, COLS, 0 };
    uint64_t count = 0;
    got.count = 0;
    if (r->how == SCAN)
        return trawl_scan_grid(context, r->plan, &text, NULL, take, &got, error);
    if (r->how == COLLECT)
        return collect(r, context, &text, error);
    const int status = trawl_count_grid(context, r->plan, &text, NULL, &count, error);
    got.matches[0] = (trawl_grid_match){ .row = count };
    got.count = status == TRAWL_OK;
    return status;
}

static void check_result(const char *what, bool whole)
{
    if (got.count > good.count || (whole && got.count < good.count) ||
        memcmp(got.matches, good.matches, got.count * sizeof *got.matches) != 0)
        torture_fault("%s: wrong matches, %zu, not %zu", what, got.count, good.count);
}

static void keep_result(void)
{
    good = got;
}

static void run_call(void *user, bool first)
{
    static const torture_call calls = { call, keep_result, check_result };
    const recipe *r = user;
    torture_on_context(&calls, &r->way, r, how_names[r->how], first);
}

static void run_compile(void *user, bool first)
{
    recipe *r = user;
    trawl_error error;
    trawl_plan *plan = (trawl_plan *)&error;
    size_t bytes, others;
    if (torture_refused("trawl_compile_grid", compile(r, &plan, &error), &error)) {
        if (plan)
            torture_fault("trawl_compile_grid failed and gave a plan");
        if (compile(r, &plan, &error) != TRAWL_OK)
            torture_fault("trawl_compile_grid, again: %s", error.message);
    }
    const void *block = trawl_plan_save(plan, &bytes);
    const void *other = trawl_plan_save(r->plan, &others);
    if (!first && (bytes != others || memcmp(block, other, bytes) != 0))
        torture_fault("another plan");
    trawl_plan *loaded = NULL;
    if (torture_refused("trawl_plan_load", trawl_plan_load(block, bytes, &loaded, &error),
                        &error) &&
        (loaded || trawl_plan_load(block, bytes, &loaded, &error) != TRAWL_OK))
        torture_fault("trawl_plan_load, again: %s", error.message);
    trawl_plan_free(loaded);
    trawl_plan_free(plan);
}

static void fill(void)
{
    uint8_t *bytes = (uint8_t *)cells;
    uint32_t random = 7;
    for (size_t i = 0; i < sizeof cells; i += 4) /* runs of equal cells of any size */
        memset(bytes + i, ((random = random * 1664525u + 1013904223u) >> 16) % 3 == 0, 4);
}

static void torture_plan(recipe *r)
{
    for (int a = 0; a < 2; a++) {
        r->way.allocator = a;
        torture(KIND(FAIL_MEMORY), run_compile, r, "compile cells of %u bytes, %s", r->cell_size,
                r->engine);
    }
    for (int way = 0; way < WAYS; way++)
        for (int h = 0; h < (int)HOWS; h++) {
            r->way = torture_ways[way];
            r->how = (how)h;
            torture(KIND(FAIL_MEMORY) | (way ? KIND(FAIL_THREAD) : 0), run_call, r,
                    "cells of %u bytes, %s, %s, %s", r->cell_size, r->engine, how_names[h],
                    r->way.name);
        }
}

void torture_device_grid(void)
{
    static const char *const engines[] = { "bb", "byr/bb", "ku/bb" };
    fill();
    for (size_t e = 0; e < COUNT(engines); e++) {
        recipe r = { .engine = engines[e], .cell_size = 1, .way = torture_opencl };
        trawl_error error;
        if (compile(&r, &r.plan, &error) != TRAWL_OK)
            torture_fault("%s: %s", engines[e], error.message);
        torture(KIND(FAIL_MEMORY), run_call, &r, "%s, opencl", engines[e]);
        trawl_plan_free(r.plan);
    }
}

void torture_grid(void)
{
    static const char *const engines[] = { "auto", "bb", "byr", "byr/bb", "ku", "ku/bb", "direct" };
    fill();
    for (uint32_t size = 1; size <= 4; size++)
        for (size_t e = 0; e < COUNT(engines); e++) {
            recipe r = { .engine = engines[e], .cell_size = size };
            trawl_error error;
            if (compile(&r, &r.plan, &error) != TRAWL_OK)
                torture_fault("%s: %s", engines[e], error.message);
            torture_plan(&r);
            trawl_plan_free(r.plan);
        }
}
