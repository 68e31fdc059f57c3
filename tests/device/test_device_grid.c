/* test_device_grid.c: trawl_scan_grid_device and trawl_count_grid_device: grids that are in a
 * device's memory already, put there by the driver's own calls (own_device.h), at places and
 * strides that do and do not suit kernels.
 *
 * What is expected comes from the oracle, and of large grids, and of needles that a place may
 * differ from, from the serial backend, which test_grid.c and test_like.c hold to a look at every
 * place. Around a grid, and between its rows, stand cells that would match. targets.h says which
 * devices take part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "own_device.h"
#include "plan/plan.h"
#include "random.h"
#include "random_grid.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 1500

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

/* ---- grids on a device ----------------------------------------------------------------------- */

/* A grid within a buffer of the device, and as it is on the host. */
typedef struct placed {
    trawl_device_grid grid;
    trawl_grid host;
    uint8_t *all;
    uint32_t cell_size;
} placed;

/* The grid with `stride` bytes from row to row, `before` bytes after the begin of a buffer that
 * has `behind` more; all else in it repeats the grid's first bytes. */
static placed place(own_device *o, const trawl_grid *from, uint32_t cell_size, size_t stride,
                    size_t before, size_t behind)
{
    const size_t row = from->cols * cell_size, old = from->stride ? from->stride : row;
    const size_t bytes = before + (from->rows - 1) * stride + row + behind;
    placed p = { .grid = TRAWL_DEVICE_GRID_INIT, .host = *from, .cell_size = cell_size };
    p.all = malloc(bytes + 4);
    assert_non_null(p.all);
    for (size_t i = 0; i < bytes; i++)
        p.all[i] = ((const uint8_t *)from->cells)[(i + row - before % row) % row];
    for (uint64_t i = 0; i < from->rows; i++)
        memcpy(p.all + before + i * stride, (const uint8_t *)from->cells + i * old, row);
    p.grid.memory = own_memory(o, bytes);
    own_write(o, p.grid.memory, 0, p.all, bytes);
    p.grid.offset = before;
    p.grid.rows = from->rows;
    p.grid.cols = from->cols;
    p.grid.stride = stride;
    return p;
}

static void displace(own_device *o, placed *p)
{
    own_memory_free(o, p->grid.memory);
    free(p->all);
}

/* ---- comparing ----------------------------------------------------------------------------- */

typedef struct found {
    trawl_grid_match *matches;
    size_t count, room, most; /* of `most` matches the last one stops the scan */
} found;

static int keep(const trawl_grid_match *matches, size_t count, void *user)
{
    found *f = user;
    for (size_t i = 0; i < count; i++) {
        if (f->count == f->room) {
            f->room = 2 * f->room + 64;
            f->matches = realloc(f->matches, f->room * sizeof *f->matches);
            assert_non_null(f->matches);
        }
        f->matches[f->count++] = matches[i];
        if (f->count == f->most)
            return 1;
    }
    return 0;
}

static bool same(const found *a, const found *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const trawl_grid_match *x = &a->matches[i], *y = &b->matches[i];
        if (x->row != y->row || x->col != y->col || x->id != y->id || x->needle != y->needle)
            return false;
    }
    return a->count == b->count;
}

/* The same matches as an array, and those of each needle counted. */
static void check_each(bench *b, const trawl_plan *plan, const trawl_device_grid *grid,
                       const trawl_scan_options *options, int status, const found *expected)
{
    trawl_plan_info info = { .size = sizeof info };
    found there = { 0 };
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    uint64_t *each = calloc(2 * info.patterns, sizeof *each), *tally = each + info.patterns;
    assert_non_null(each);
    for (size_t i = 0; i < expected->count; i++)
        tally[expected->matches[i].needle]++;
    assert_int_equal(trawl_count_each_grid_device(b->context, plan, grid, options, each, NULL),
                     status);
    assert_memory_equal(each, tally, info.patterns * sizeof *each);
    assert_int_equal(trawl_collect_grid_device(b->context, plan, grid, options, &there.matches,
                                               &there.count, NULL),
                     status);
    assert_true(same(expected, &there));
    trawl_grid_matches_free(there.matches);
    free(each);
}

/* On the device what is expected. */
static void expect(bench *b, const trawl_plan *plan, const trawl_device_grid *grid,
                   const trawl_scan_options *options, int status, const found *expected,
                   const char *what)
{
    found there = { .most = expected->most };
    trawl_error error = { 0 };
    uint64_t count = 0;
    const int got = trawl_scan_grid_device(b->context, plan, grid, options, keep, &there, &error);
    if (got == TRAWL_ERROR_UNSUPPORTED && strstr(error.message, "no kernels"))
        return;
    if (got != status || !same(expected, &there))
        fail_msg(
            "%s on %s device %s: %llu x %llu, stride %zu at offset %zu: status %d, %zu matches; "
            "expected status %d, %zu matches; %s",
            what, b->target->backend, b->target->device, (unsigned long long)grid->rows,
            (unsigned long long)grid->cols, grid->stride, grid->offset, got, there.count, status,
            expected->count, got < 0 ? error.message : "");
    free(there.matches);
    if (expected->most)
        return;
    assert_int_equal(trawl_count_grid_device(b->context, plan, grid, options, &count, NULL),
                     status);
    assert_int_equal(count, expected->count);
    check_each(b, plan, grid, options, status, expected);
}

/* On the device as on the host. */
static void expect_same(bench *b, const trawl_plan *plan, const placed *p,
                        const trawl_scan_options *options, size_t most, const char *what)
{
    found host = { .most = most };
    const int status = trawl_scan_grid(serial, plan, &p->host, options, keep, &host, NULL);
    expect(b, plan, &p->grid, options, status, &host, what);
    free(host.matches);
}

static trawl_plan *compile(const trawl_needle *needles, size_t count, uint32_t cell_size,
                           const trawl_likeness *like, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error = { 0 };
    trawl_plan *plan = NULL;
    options.engine = engine;
    options.likeness = like;
    const int status = trawl_compile_grid(needles, count, cell_size, &options, &plan, &error);
    if (status != TRAWL_OK && status != TRAWL_ERROR_UNSUPPORTED)
        fail_msg("%s: %s", engine, error.message);
    return plan;
}

/* ---- the same matches as the oracle's ------------------------------------------------------ */

static const char *const engines[] = { "auto", "bb", "byr", "byr/bb", "ku", "ku/bb", "direct" };

/* Bytes from row to row: whole 16 bytes, whole cells, or any. */
static size_t random_stride(rng *r, size_t row)
{
    const size_t stride = row + rng_below(r, 40);
    return rng_below(r, 2) ? (stride + 15) / 16 * 16 : stride;
}

static placed place_anywhere(own_device *o, const grid_scenario *g, rng *r)
{
    static const uint32_t befores[] = { 0, 0, 1, 16, 128, 512, 1040, 77, 101, 332 };
    static const uint32_t behinds[] = { 0, 1, 15, 255, 256, 257, 4096 };
    return place(o, &g->text, g->cell_size, random_stride(r, g->text.cols * g->cell_size),
                 befores[rng_below(r, COUNT(befores))], behinds[rng_below(r, COUNT(behinds))]);
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES) / 3;
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (uint64_t i = 0; i < cases; i++) {
            rng r = { ~(seed + i) };
            grid_scenario g;
            char what[96];
            grid_scenario_make(&g, seed + i);
            found expected = { 0 };
            expected.count =
                oracle_scan_grid(g.needles, g.count, g.cell_size, &g.text, &expected.matches);
            placed p = place_anywhere(&b.own, &g, &r);
            for (size_t e = 0; e < COUNT(engines); e++) {
                trawl_plan *plan = compile(g.needles, g.count, g.cell_size, NULL, engines[e]);
                snprintf(what, sizeof what, "%s, TRAWL_TEST_SEED=%llu", engines[e],
                         (unsigned long long)(seed + i));
                if (plan)
                    expect(&b, plan, &p.grid, NULL, TRAWL_OK, &expected, what);
                trawl_plan_free(plan);
            }
            displace(&b.own, &p);
            free(expected.matches);
            grid_scenario_free(&g);
        }
        bench_close(&b);
    }
}

/* Masks, tolerance and wrong cells. */
static void test_likeness(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES) / 5;
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (uint64_t i = 0; i < cases; i++) {
            rng r = { seed + i };
            grid_scenario g;
            uint8_t masks[GRID_NEEDLES][26 * 26];
            const uint8_t *of[GRID_NEEDLES];
            trawl_likeness like = TRAWL_LIKENESS_INIT;
            char what[64];
            grid_scenario_make(&g, seed + i);
            for (size_t k = 0; k < GRID_NEEDLES; k++) {
                for (size_t c = 0; c < sizeof masks[k]; c++)
                    masks[k][c] = rng_below(&r, 3) != 0;
                masks[k][0] = 1;
                of[k] = masks[k];
            }
            like.masks = rng_below(&r, 4) ? of : NULL;
            like.tolerance = rng_below(&r, 3) ? 0 : rng_below(&r, 40);
            like.wrong = rng_below(&r, 3) ? 0 : rng_below(&r, 5);
            placed p = place_anywhere(&b.own, &g, &r);
            snprintf(what, sizeof what, "likeness, TRAWL_TEST_SEED=%llu",
                     (unsigned long long)(seed + i));
            trawl_plan *plan = compile(g.needles, g.count, g.cell_size, &like, "auto");
            assert_non_null(plan);
            expect_same(&b, plan, &p, NULL, 0, what);
            trawl_plan_free(plan);
            displace(&b.own, &p);
            grid_scenario_free(&g);
        }
        bench_close(&b);
    }
}

/* ---- many pieces --------------------------------------------------------------------------- */

enum { ROWS = 420, COLS = 701 };

/* Cells of few values, with tiles and stripes of one. */
static trawl_grid make_large(uint32_t cell_size, uint32_t values)
{
    uint8_t *cells = malloc((size_t)ROWS * COLS * cell_size);
    rng r = { 3 };
    assert_non_null(cells);
    for (size_t i = 0; i < (size_t)ROWS * COLS; i++)
        put_cell(cells, i, cell_size, i / COLS % 97 < 5 ? 1 : rng_below(&r, values));
    return (trawl_grid){ cells, ROWS, COLS, 0 };
}

/* Pieces of the grid: at its top, its bottom, and of several sizes. */
static size_t cut_needles(const trawl_grid *grid, uint32_t cell_size, trawl_needle *needles)
{
    static const uint32_t shapes[][4] = {
        { 2, 3, 0, 0 }, { 3, 3, ROWS - 3, COLS - 3 }, { 40, 7, ROWS / 2, 100 }, { 2, 3, 97, 13 }
    };
    const size_t row = (size_t)COLS * cell_size;
    for (size_t i = 0; i < COUNT(shapes); i++)
        needles[i] = (trawl_needle){ .cells = (const uint8_t *)grid->cells + shapes[i][2] * row +
                                              shapes[i][3] * cell_size,
                                     .rows = shapes[i][0],
                                     .cols = shapes[i][1],
                                     .stride = row,
                                     .id = (uint32_t)i };
    return COUNT(shapes);
}

static void test_pieces(void **state)
{
    static const char *const tunings[] = { "piece=64,queues=3", "piece=100,queues=1", NULL,
                                           "piece=64,mapped=0", "piece=64,stage=4",   "stage=3" };
    static const struct {
        size_t more, before, behind; /* beside a row's whole 16 bytes; 0: those */
    } places[] = { { 0, 0, 0 },    { 0, 0, 4096 }, { 16, 2048, 0 }, { 48, 16, 100 },
                   { 1, 0, 0 },    { 7, 33, 9 },   { 512, 128, 1 }, { 3, 0, 4096 },
                   { 0, 1, 4096 }, { 2048, 0, 0 }, { 4, 100, 0 },   { 9, 303, 4096 },
                   { 6, 98, 300 } };
    (void)state;
    for (size_t t = 0; t < target_count; t++)
        for (uint32_t size = 1; size <= 4; size++) {
            const trawl_grid grid = make_large(size, size % 2 ? 2 : 200);
            const size_t whole = ((size_t)COLS * size + 15) / 16 * 16;
            trawl_needle needles[4];
            const size_t count = cut_needles(&grid, size, needles);
            for (size_t w = 0; w < COUNT(tunings); w++) {
                bench b = bench_open(targets, t, tunings[w]);
                for (size_t k = 0; k < COUNT(places); k++) {
                    const char *engine = engines[(k + w + size) % COUNT(engines)];
                    trawl_plan *plan = compile(needles, count, size, NULL, engine);
                    if (!plan)
                        continue;
                    placed p = place(&b.own, &grid, size, whole + places[k].more, places[k].before,
                                     places[k].behind);
                    expect_same(&b, plan, &p, NULL, 0, engine);
                    displace(&b.own, &p);
                    trawl_plan_free(plan);
                }
                bench_close(&b);
            }
            free((void *)(uintptr_t)grid.cells);
        }
}

/* Rows are read where they are, but for those at the end of their buffer, those whose cells lie
 * across, and grids shortly after its begin; timing says so. The buffer is the caller's alone
 * again. */
static void test_in_place(void **state)
{
    static const struct {
        uint32_t cell_size;
        size_t more, before, behind;
        bool copied;
        uint32_t pieces;
    } cases[] = { { 1, 0, 0, 256, false, 1 },    { 1, 16, 2048, 300, false, 1 },
                  { 1, 0, 0, 0, true, 2 },       { 1, 0, 1, 4096, true, 1 },
                  { 1, 1, 0, 4096, false, 1 },   { 1, 3, 95, 4096, true, 1 },
                  { 1, 3, 97, 4096, false, 1 },  { 1, 3, 101, 4096, false, 1 },
                  { 2, 6, 102, 4096, false, 1 }, { 2, 5, 102, 4096, true, 1 },
                  { 2, 6, 101, 4096, true, 1 } };
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (size_t i = 0; i < COUNT(cases); i++) {
            const uint32_t size = cases[i].cell_size;
            const trawl_grid grid = make_large(size, 3);
            trawl_timing timing = { .size = sizeof timing };
            trawl_needle needles[4];
            found all = { 0 };
            const size_t count = cut_needles(&grid, size, needles);
            trawl_plan *plan =
                compile(needles + 1, count - 2, size, NULL, "bb"); /* few matches: one pass */
            assert_non_null(plan);
            placed p = place(&b.own, &grid, size, (COLS * size + 15) / 16 * 16 + cases[i].more,
                             cases[i].before, cases[i].behind);
            assert_int_equal(trawl_context_get_timing(b.context, &timing), TRAWL_OK);
            assert_int_equal(
                trawl_scan_grid_device(b.context, plan, &p.grid, NULL, keep, &all, NULL), TRAWL_OK);
            assert_int_equal(trawl_context_get_timing(b.context, &timing), TRAWL_OK);
            assert_int_equal(timing.to_device > 0, cases[i].copied);
            if (!b.own.cuda) /* whose allocations may be longer than what was asked for */
                assert_int_equal(timing.pieces, cases[i].pieces);
            assert_true(own_alone(&b.own, p.grid.memory));
            free(all.matches);
            displace(&b.own, &p);
            trawl_plan_free(plan);
            free((void *)(uintptr_t)grid.cells);
        }
        bench_close(&b);
    }
}

/* More matches than there is room for: rows are searched again, and none is lost. */
static void test_crowds(void **state)
{
    const uint8_t dot[4] = { 7, 7, 7, 7 };
    const trawl_needle needles[] = { { dot, 1, 1, 0, 5, NULL }, { dot, 2, 2, 2, 1, NULL } };
    uint8_t *cells = malloc((size_t)ROWS * COLS);
    const trawl_grid grid = { cells, ROWS, COLS, 0 };
    (void)state;
    assert_non_null(cells);
    memset(cells, 7, (size_t)ROWS * COLS);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        trawl_plan *plan = compile(needles, COUNT(needles), 1, NULL, "auto");
        for (size_t stride = COLS + 2; stride < COLS + 4; stride++) { /* not, and 16 times 44 */
            placed p = place(&b.own, &grid, 1, stride, 128, 5);
            expect_same(&b, plan, &p, NULL, 0, "a crowd");
            displace(&b.own, &p);
        }
        trawl_plan_free(plan);
        bench_close(&b);
    }
    free(cells);
}

/* ---- options, and what comes late ---------------------------------------------------------- */

static void test_options(void **state)
{
    const trawl_grid grid = make_large(2, 200);
    trawl_needle needles[4];
    const size_t count = cut_needles(&grid, 2, needles);
    trawl_plan *plan = compile(needles, count, 2, NULL, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        placed p = place(&b.own, &grid, 2, COLS * 2 + 5, 3, 9);
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        found none = { 0 };
        uint64_t seen = 0;
        options.max_matches = 3;
        expect_same(&b, plan, &p, &options, 0, "max_matches");
        expect_same(&b, plan, &p, NULL, 2, "a callback that stops");
        options.max_matches = 0;
        options.max_seconds = 1e-9;
        assert_int_equal(
            trawl_scan_grid_device(b.context, plan, &p.grid, &options, keep, &none, NULL),
            TRAWL_EXPIRED);
        assert_int_equal(none.count, 0);
        options.max_seconds = 0;
        options.max_steps = 10;
        assert_int_equal(trawl_count_grid_device(b.context, plan, &p.grid, &options, &seen, NULL),
                         TRAWL_EXPIRED);
        options.max_steps = 0;
        options.base = 1;
        assert_int_equal(trawl_count_grid_device(b.context, plan, &p.grid, &options, &seen, NULL),
                         TRAWL_ERROR_ARGUMENT);
        expect_same(&b, plan, &p, NULL, 0, "after all that");
        /* the context scans the host's between */
        assert_int_equal(trawl_count_grid(b.context, plan, &p.host, NULL, &seen, NULL), TRAWL_OK);
        expect_same(&b, plan, &p, NULL, 0, "after a grid of the host");
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free((void *)(uintptr_t)grid.cells);
}

/* The grid comes late: without waiting for the queue something else is found. */
static void test_order(void **state)
{
    const trawl_grid grid = make_large(1, 50);
    trawl_needle needles[4];
    const size_t count = cut_needles(&grid, 1, needles);
    trawl_plan *plan = compile(needles, count, 1, NULL, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (size_t more = 0; more < 2; more++) {
            const size_t stride = (COLS + 15) / 16 * 16 + more;
            placed p = place(&b.own, &grid, 1, stride, 0, 300), late = p;
            const size_t bytes = (ROWS - 1) * stride + COLS + 300;
            uint8_t *other = calloc(bytes, 1);
            assert_non_null(other);
            late.grid.memory = own_memory(&b.own, bytes);
            own_write(&b.own, late.grid.memory, 0, other, bytes);
            late.grid.queue = b.own.queue;
            own_copy_late(&b.own, late.grid.memory, p.grid.memory, bytes);
            expect_same(&b, plan, &late, NULL, 0, "a queue");
            own_finish(&b.own);
            own_memory_free(&b.own, late.grid.memory);
            displace(&b.own, &p);
            free(other);
        }
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free((void *)(uintptr_t)grid.cells);
}

/* ---- what cannot be ------------------------------------------------------------------------ */

static void refuse(trawl_context *context, const trawl_plan *plan, const trawl_device_grid *grid,
                   int expected, const char *words)
{
    found none = { 0 };
    trawl_error error = { 0 };
    uint64_t count = 9;
    const int status = trawl_scan_grid_device(context, plan, grid, NULL, keep, &none, &error);
    if (status != expected || none.count || !strstr(error.message, words))
        fail_msg("status %d where %d was expected with '%s': %s", status, expected, words,
                 error.message);
    assert_int_equal(trawl_count_grid_device(context, plan, grid, NULL, &count, NULL), expected);
    assert_int_equal(count, 0);
}

static void refuse_stranger(bench *b, const trawl_plan *plan, const trawl_device_grid *good)
{
    own_device stranger;
    own_open_stranger(&stranger, &b->own);
    trawl_device_grid grid = *good;
    grid.memory = own_memory(&stranger, 8192);
    refuse(b->context, plan, &grid, TRAWL_ERROR_ARGUMENT,
           b->own.cuda ? "primary context" : "native");
    own_memory_free(&stranger, grid.memory);
    grid = *good;
    grid.queue = stranger.queue;
    refuse(b->context, plan, &grid, TRAWL_ERROR_ARGUMENT,
           b->own.cuda ? "primary context" : "another cl_context");
    own_close(&stranger);
}

static void test_refused(void **state)
{
    enum { SIDE = 64 };
    static uint8_t cells[SIDE * SIDE];
    const trawl_grid host = { cells, SIDE, SIDE, 0 };
    const trawl_needle needle = { cells, 2, 2, SIDE, 0, NULL };
    const trawl_needle tall = { cells, SIDE, 2, SIDE, 0, NULL };
    const trawl_pattern word = { .text = "x", .length = 1 };
    trawl_plan *plan = compile(&needle, 1, 1, NULL, "auto"), *text = NULL;
    trawl_plan *large = compile(&tall, 1, 1, NULL, "auto");
    (void)state;
    cells[SIDE + 1] = 1;
    assert_int_equal(trawl_compile(&word, 1, NULL, &text, NULL), TRAWL_OK);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        placed p = place(&b.own, &host, 1, SIDE, 0, 0);
        trawl_device_grid grid = p.grid;
        refuse(NULL, plan, &grid, TRAWL_ERROR_ARGUMENT, "context");
        refuse(b.context, NULL, &grid, TRAWL_ERROR_ARGUMENT, "plan");
        refuse(b.context, plan, NULL, TRAWL_ERROR_ARGUMENT, "grid is NULL");
        refuse(b.context, text, &grid, TRAWL_ERROR_ARGUMENT, "compiled for text");
        assert_int_equal(trawl_scan_grid_device(b.context, plan, &grid, NULL, NULL, NULL, NULL),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_count_grid_device(b.context, plan, &grid, NULL, NULL, NULL),
                         TRAWL_ERROR_ARGUMENT);
        refuse(serial, plan, &grid, TRAWL_ERROR_UNSUPPORTED, "trawl_scan_grid");
        grid.size = 8;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "size");
        grid = p.grid;
        grid.reserved = 1;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "reserved");
        grid = p.grid;
        grid.device = 1;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "device is 1");
        grid = p.grid;
        grid.offset = 1;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "4096 bytes at offset 1");
        grid = p.grid;
        grid.rows++;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "outside of its buffer");
        grid = p.grid;
        grid.stride = SIDE - 1;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "shorter than its row");
        grid.stride = SIZE_MAX / 2;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "larger than memory");
        grid = p.grid;
        grid.cols = 1ull << 32;
        refuse(b.context, plan, &grid, TRAWL_ERROR_LIMIT, "2^32 columns");
        grid = p.grid;
        grid.memory = NULL;
        refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "memory is NULL");
        const found none = { 0 };
        grid.rows = 0;
        expect(&b, plan, &grid, NULL, TRAWL_OK, &none, "no rows");
        grid.rows = 5;
        grid.cols = 0;
        expect(&b, plan, &grid, NULL, TRAWL_OK, &none, "no columns");
        grid = p.grid;
        grid.rows = SIDE - 1;
        expect(&b, large, &grid, NULL, TRAWL_OK, &none, "a needle that is too tall");
        grid.rows = SIDE;
        grid.cols = 1;
        expect(&b, large, &grid, NULL, TRAWL_OK, &none, "a needle that is too wide");
        if (b.own.cuda) {
            grid = p.grid;
            grid.memory = cells;
            refuse(b.context, plan, &grid, TRAWL_ERROR_ARGUMENT, "trawl_scan_grid");
        }
        refuse_stranger(&b, plan, &p.grid);
        expect_same(&b, plan, &p, NULL, 0, "after all refusals");
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    trawl_plan_free(large);
    trawl_plan_free(text);
}

/* A cl_mem may be a part of another: what is after it is not the caller's to read. */
static void test_parts_of_buffers(void **state)
{
    const trawl_grid grid = make_large(1, 3);
    trawl_needle needles[4];
    const size_t count = cut_needles(&grid, 1, needles), stride = (COLS + 15) / 16 * 16;
    trawl_plan *plan = compile(needles, count, 1, NULL, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        placed p = place(&b.own, &grid, 1, stride, 65536, 4096);
        trawl_device_grid part = p.grid;
        const size_t bytes = (ROWS - 1) * stride + COLS;
        part.memory = own_part(&b.own, p.grid.memory, 65536, bytes);
        part.offset = 0;
        if (part.memory) {
            placed q = p;
            q.grid = part;
            expect_same(&b, plan, &q, NULL, 0, "a part");
            part.rows++;
            refuse(b.context, plan, &part, TRAWL_ERROR_ARGUMENT, "outside of its buffer");
            own_memory_free(&b.own, part.memory);
        }
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free((void *)(uintptr_t)grid.cells);
}

/* The CPU cannot take over here; the context serves on. */
static void test_too_little_memory(void **state)
{
    enum { SIDE = 1200 };
    uint8_t *cells = malloc((size_t)SIDE * SIDE);
    const trawl_grid grid = { cells, SIDE, SIDE, 0 };
    const trawl_needle large = { cells, SIDE - 8, SIDE - 8, SIDE, 0, NULL };
    const trawl_needle small = { cells, 2, 9, SIDE, 0, NULL };
    rng r = { 7 };
    (void)state;
    assert_non_null(cells);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        cells[i] = (uint8_t)rng_below(&r, 256);
    trawl_plan *plans[] = { compile(&large, 1, 1, NULL, "bb"), compile(&small, 1, 1, NULL, "bb") };
    assert_true(plan_head(plans[0])->bytes > 1 << 20);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "memory=1");
        placed p = place(&b.own, &grid, 1, SIDE + 1, 0, 0);
        refuse(b.context, plans[0], &p.grid, TRAWL_ERROR_MEMORY, "the CPU cannot take over a grid");
        assert_null(trawl_context_warning(b.context));
        expect_same(&b, plans[1], &p, NULL, 0, "after a lack of memory");
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plans[0]);
    trawl_plan_free(plans[1]);
    free(cells);
}

/* A window of a far wider grid takes room for its own cells, not for the rows they stand in. */
static void test_narrow_window(void **state)
{
    const trawl_grid large = make_large(1, 200), window = { large.cells, 40, 16, COLS };
    const trawl_needle needle = {
        (const uint8_t *)large.cells + 5 * COLS + 3, 10, 8, COLS, 0, NULL
    };
    trawl_plan *plan = compile(&needle, 1, 1, NULL, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "memory=4");
        placed p = place(&b.own, &window, 1, 1 << 20, 0, 0);
        expect_same(&b, plan, &p, NULL, 0, "a narrow window");
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free((void *)(uintptr_t)large.cells);
}

/* Which of a context's devices has the grid: CUDA's need no context in common. */
static void test_several_devices(void **state)
{
    const trawl_grid grid = make_large(1, 3);
    trawl_needle needles[4];
    const size_t count = cut_needles(&grid, 1, needles);
    trawl_plan *plan = compile(needles, count, 1, NULL, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        if (strcmp(targets[t].backend, "cuda") != 0)
            continue;
        bench b = bench_open(targets, t, NULL);
        trawl_context_close(b.context);
        b.context = target_open(&targets[t], "all", "piece=64");
        placed p = place(&b.own, &grid, 1, COLS, 5, 5);
        p.grid.device = (uint32_t)(targets[t].device[0] - '0');
        expect_same(&b, plan, &p, NULL, 0, "one of several devices");
        displace(&b.own, &p);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free((void *)(uintptr_t)grid.cells);
}

int main(int argc, char **argv)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    serial = target_cpu("serial", 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_likeness),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_parts_of_buffers),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_narrow_window),
        cmocka_unit_test(test_several_devices),
    };
    if (argc > 1) /* one of them: under a sanitizer all take long */
        cmocka_set_test_filter(argv[1]);
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    trawl_context_close(serial);
    return status;
}
