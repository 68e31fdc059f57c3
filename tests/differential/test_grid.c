/* test_grid.c: both grid engines against the oracle, on every backend and cutting; then the
 * edges: sizes, strides, crowded texts, limits, bad arguments, damaged tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "each.h"
#include "engines/shared/engine.h"
#include "fence.h"
#include "oracle.h"
#include "random_grid.h"
#include "scan/scan.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 3000
#define DAMAGES 4000

static const char *const engines[] = { "bb", "byr", "byr/bb", "ku", "ku/bb", "direct" };

/* One way to run a scan. */
typedef struct setting {
    const char *backend;
    uint32_t threads, schedule, chunks;
} setting;

#define SERIAL 2 /* that many of them come first */

static const setting settings[] = {
    { "serial", 0, TRAWL_SCHEDULE_DYNAMIC, 0 },  { "serial", 0, TRAWL_SCHEDULE_DYNAMIC, 50 },
    { "threads", 2, TRAWL_SCHEDULE_DYNAMIC, 3 }, { "threads", 3, TRAWL_SCHEDULE_STATIC, 5 },
    { "threads", 2, TRAWL_SCHEDULE_DYNAMIC, 0 },
};

/* One for each setting, for all tests: their memory is too much to clear for every case. */
static trawl_context *contexts[COUNT(settings)];

/* ---- helpers --------------------------------------------------------------- */

static trawl_context *open_context(const setting *s)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.backend = s->backend;
    options.threads = s->threads;
    options.schedule = s->schedule;
    options.chunks = s->chunks;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return context;
}

static trawl_plan *compile(const trawl_needle *needles, size_t count, uint32_t cell_size,
                           const char *engine_name)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine_name;
    if (trawl_compile_grid(needles, count, cell_size, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

/* What a scan reported, compared match by match with what it should. */
typedef struct expected {
    const trawl_grid_match *matches;
    size_t count, seen;
    bool wrong;
} expected;

static int compare_next_one(const trawl_grid_match *match, void *user)
{
    expected *e = user;
    if (e->seen >= e->count) {
        e->wrong = true;
    } else {
        const trawl_grid_match *m = &e->matches[e->seen];
        e->wrong = e->wrong || m->row != match->row || m->col != match->col || m->id != match->id ||
                   m->needle != match->needle;
    }
    e->seen++;
    return 0;
}

EACH_GRID_MATCH(compare_next)

static bool scan_gives(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                       const trawl_grid_match *matches, size_t count)
{
    expected e = { matches, count, 0, false };
    trawl_error error = { 0 };
    int status = trawl_scan_grid(context, plan, text, NULL, compare_next, &e, &error);
    if (status != TRAWL_OK)
        fail_msg("%s", error.message);
    return !e.wrong && e.seen == count;
}

/* Scan with both engines in settings [first, stop). */
static void check_ways(const trawl_needle *needles, size_t count, uint32_t cell_size,
                       const trawl_grid *text, size_t first, size_t stop, const char *what)
{
    trawl_grid_match *matches = NULL;
    size_t found = oracle_scan_grid(needles, count, cell_size, text, &matches);
    for (size_t e = 0; e < COUNT(engines); e++) {
        trawl_plan *plan = compile(needles, count, cell_size, engines[e]);
        for (size_t s = first; s < stop; s++) {
            if (!scan_gives(contexts[s], plan, text, matches, found))
                fail_msg("%s: engine %s, setting %zu, %zu matches expected", what, engines[e], s,
                         found);
        }
        trawl_plan_free(plan);
    }
    free(matches);
}

static void check_all_ways(const trawl_needle *needles, size_t count, uint32_t cell_size,
                           const trawl_grid *text, const char *what)
{
    check_ways(needles, count, cell_size, text, 0, COUNT(settings), what);
}

static int count_match_one(const trawl_grid_match *match, void *user)
{
    (void)match;
    ++*(uint64_t *)user;
    return 0;
}

EACH_GRID_MATCH(count_match)

static uint64_t count_matches(const trawl_plan *plan, const trawl_grid *text)
{
    trawl_error error = { 0 };
    uint64_t count = 0;
    if (trawl_scan_grid(contexts[0], plan, text, NULL, count_match, &count, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return count;
}

/* ---- random cases ------------------------------------------------------------ */

static void one_random_case(uint64_t start)
{
    grid_scenario g;
    char what[64];
    grid_scenario_make(&g, start);
    snprintf(what, sizeof what, "seed %llu", (unsigned long long)start);
    if (start % 10 == 0) /* threads: they take long to start when the machine is busy */
        check_ways(g.needles, g.count, g.cell_size, &g.text, SERIAL, COUNT(settings), what);
    else
        check_ways(g.needles, g.count, g.cell_size, &g.text, 0, SERIAL, what);
    grid_scenario_free(&g);
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        one_random_case(seed);
}

/* ---- sizes ------------------------------------------------------------------- */

/* 256 x 256 needles: more than 65,536 states. */
static void test_large_needles(void **state)
{
    (void)state;
    static const uint32_t letters[] = { 2, 256, 1 << 24, 1024 };
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t cell_size = i + 1;
        uint64_t seed = 77 + i;
        trawl_grid text = { NULL, 600, 517, 517 * cell_size };
        uint8_t *cells = fenced_text(grid_bytes(&text, cell_size), i % 2);
        for (size_t k = 0; k < text.rows * text.cols; k++)
            put_cell(cells, k, cell_size, next_random(&seed) % letters[i]);
        for (size_t row = 0; row < 256; row++) /* a second place */
            memcpy(cells + (row + 300) * text.stride + 20 * cell_size,
                   cells + (row + 7) * text.stride + 250 * cell_size, 256 * cell_size);
        text.cells = cells;
        trawl_needle needles[] = {
            { cell_at(&text, cell_size, 7, 250), 256, 256, text.stride, 1, "a" },
            { cell_at(&text, cell_size, 344, 261), 256, 256, text.stride, 2, "b" },
            { cell_at(&text, cell_size, 0, 0), 600, 517, text.stride, 3, "all of it" },
            { cell_at(&text, cell_size, 100, 3), 64, 64, text.stride, 4, "c" },
        };
        check_all_ways(needles, 2, cell_size, &text, "two of 256 x 256");
        check_all_ways(needles, COUNT(needles), cell_size, &text, "large ones");
        free_text(&text, cell_size);
    }
}

/* Many needles in a wide text: lattices of all shapes, rows that are many vectors long. */
static void test_many_needles(void **state)
{
    enum { MOST = 60 };
    static const uint32_t letters[] = { 2, 3, 40, 256 };
    static const size_t counts[] = { 1, 2, 9, MOST };
    static const uint32_t sides[] = { 4, 9, 17, 40 };
    (void)state;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t cell_size = 1 + i % 4;
        uint64_t seed = 900 + i;
        trawl_grid text = { NULL, 150, 333 + i, (333 + i) * cell_size };
        uint8_t *cells = fenced_text(grid_bytes(&text, cell_size), i / 4 % 2);
        trawl_needle needles[MOST];
        const size_t count = counts[i / 4 % 4];
        for (size_t k = 0; k < text.rows * text.cols; k++)
            put_cell(cells, k, cell_size,
                     next_random(&seed) % 8 == 0 || i % 3 ? next_random(&seed) % letters[i / 8]
                                                          : 0);
        text.cells = cells;
        for (size_t n = 0; n < count; n++)
            needles[n] = random_needle(&seed, cell_size, &text, sides[next_random(&seed) % 4]);
        check_ways(needles, count, cell_size, &text, 0, SERIAL, "many needles");
        for (size_t n = 0; n < count; n++)
            free((void *)needles[n].cells);
        free_text(&text, cell_size);
    }
}

static void test_edges(void **state)
{
    (void)state;
    static const uint8_t cells[] = "abcabdabc";
    const trawl_grid text = { cells, 3, 3, 0 };
    const trawl_needle equal = { cells, 3, 3, 0, 0, NULL };
    const trawl_needle cell = { cells + 1, 1, 1, 0, 0, NULL };
    const trawl_needle tall = { cells, 4, 1, 0, 0, NULL };
    const trawl_needle wide = { cells, 1, 4, 0, 0, NULL };
    const trawl_needle row = { cells, 1, 3, 0, 0, NULL };
    const trawl_needle column = { cells, 3, 1, 3, 0, NULL };
    const trawl_needle mixed[] = { equal, cell, tall, wide, row, column, cell };
    check_all_ways(&equal, 1, 1, &text, "the text itself");
    check_all_ways(&cell, 1, 1, &text, "a cell");
    check_all_ways(&tall, 1, 1, &text, "taller than the text");
    check_all_ways(&wide, 1, 1, &text, "wider than the text");
    check_all_ways(mixed, COUNT(mixed), 1, &text, "all of them");
    const trawl_grid no_rows = { NULL, 0, 3, 0 }, no_cols = { NULL, 3, 0, 0 };
    check_all_ways(mixed, COUNT(mixed), 1, &no_rows, "no rows");
    check_all_ways(mixed, COUNT(mixed), 1, &no_cols, "no columns");
}

/* Nothing after the last cell is read: there a page begins that cannot be. The needle, which ends
 * there too, is where the text ends. */
static void test_last_cell(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)(2 * page)), 0);
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
    fclose(file);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (uint32_t cell_size = 1; cell_size <= 4; cell_size++)
        for (uint64_t cols = 1; cols <= 40; cols++) {
            const trawl_grid text = { pages + page - 5 * cols * cell_size, 5, cols,
                                      cols * cell_size };
            uint64_t seed = cols;
            for (size_t k = 0; k < 5 * cols; k++)
                put_cell((uint8_t *)text.cells, k, cell_size, next_random(&seed) % 3);
            const uint64_t width = (cols + 1) / 2;
            const trawl_needle corner = {
                cell_at(&text, cell_size, 3, cols - width), 2, width, text.stride, 0, NULL
            };
            check_all_ways(&corner, 1, cell_size, &text, "the last corner");
        }
    munmap(pages, 2 * page);
}

/* ---- crowded texts ------------------------------------------------------------ */

typedef struct order_check {
    uint64_t count, row, col;
    uint32_t needle;
    bool wrong;
} order_check;

static int check_order_one(const trawl_grid_match *m, void *user)
{
    order_check *o = user;
    bool after = m->row > o->row || (m->row == o->row && m->col > o->col) ||
                 (m->row == o->row && m->col == o->col && m->needle > o->needle);
    o->wrong = o->wrong || (o->count > 0 && !after);
    o->count++;
    o->row = m->row;
    o->col = m->col;
    o->needle = m->needle;
    return 0;
}

EACH_GRID_MATCH(check_order)

/* Every place matches: more matches than are kept at once. */
static void check_crowd(uint64_t rows, uint64_t cols, const trawl_needle *needles, size_t count)
{
    const trawl_grid text = { fenced_text((size_t)(rows * cols), true), rows, cols, 0 };
    uint64_t matches = 0;
    for (size_t i = 0; i < count; i++)
        matches += (rows - needles[i].rows + 1) * (cols - needles[i].cols + 1);
    for (size_t e = 0; e < COUNT(engines); e++) {
        trawl_plan *plan = compile(needles, count, 1, engines[e]);
        for (size_t s = 0; s < COUNT(settings); s += 2) {
            order_check check = { 0 };
            assert_int_equal(
                trawl_scan_grid(contexts[s], plan, &text, NULL, check_order, &check, NULL),
                TRAWL_OK);
            assert_int_equal(check.count, matches);
            assert_false(check.wrong);
        }
        trawl_plan_free(plan);
    }
    free_text(&text, 1);
}

static void test_crowded(void **state)
{
    (void)state;
    static const uint8_t zeros[64 * 64];
    const trawl_needle one = { zeros, 1, 1, 0, 0, NULL };
    const trawl_needle pair[] = { { zeros, 3, 2, 0, 0, NULL }, { zeros, 5, 4, 0, 1, NULL } };
    const trawl_needle block = { zeros, 64, 64, 0, 0, NULL };
    check_crowd(2000, 1500, &one, 1);
    check_crowd(1600, 1200, pair, 2);
    check_crowd(1, 2500000, &one, 1);
    check_crowd(600, 500, &block, 1);
}

/* ---- limits and arguments ------------------------------------------------------ */

static int stop_third_one(const trawl_grid_match *match, void *user)
{
    (void)match;
    return ++*(int *)user == 3;
}

EACH_GRID_MATCH(stop_third)

static void test_limits(void **state)
{
    (void)state;
    static const uint8_t zeros[100];
    const trawl_needle needle = { zeros, 2, 2, 0, 7, "n" };
    const trawl_grid text = { zeros, 10, 10, 0 };
    trawl_plan *plan = compile(&needle, 1, 1, "auto");
    trawl_context *context = contexts[0];
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    uint64_t count = 0;
    int calls = 0;
    options.max_matches = 5;
    assert_int_equal(trawl_scan_grid(context, plan, &text, &options, count_match, &count, NULL),
                     TRAWL_LIMITED);
    assert_int_equal(count, 5);
    assert_int_equal(trawl_scan_grid(context, plan, &text, NULL, stop_third, &calls, NULL),
                     TRAWL_STOPPED);
    assert_int_equal(calls, 3);
    trawl_plan_free(plan);
}

static void test_arguments(void **state)
{
    (void)state;
    static const uint32_t cells[16];
    const uint8_t *odd = (const uint8_t *)cells + 1;
    const trawl_needle needle = { cells, 2, 2, 0, 7, NULL };
    const trawl_needle tall = { cells, 4, 1, 0, 7, NULL };
    const struct {
        trawl_grid text;
        int status;
    } bad[] = {
        { { NULL, 2, 2, 0 }, TRAWL_ERROR_ARGUMENT },
        { { odd, 2, 2, 0 }, TRAWL_ERROR_ARGUMENT },
        { { cells, 2, 2, 9 }, TRAWL_ERROR_ARGUMENT },
        { { cells, 2, 2, 4 }, TRAWL_ERROR_ARGUMENT },
        { { cells, UINT64_MAX, 2, 8 }, TRAWL_ERROR_ARGUMENT },
        { { cells, 1, (uint64_t)1 << 32, 0 }, TRAWL_ERROR_LIMIT },
        { { cells, 4, UINT32_MAX - 1, 0 }, /* of 32 bits' memory it is more than there is */
          SIZE_MAX > UINT32_MAX ? TRAWL_ERROR_LIMIT : TRAWL_ERROR_ARGUMENT },
    };
    const trawl_needle both[] = { needle, tall };
    trawl_plan *plan = compile(both, 2, 4, "auto");
    trawl_context *context = contexts[0];
    for (size_t i = 0; i < COUNT(bad); i++) {
        trawl_error error = { 0 };
        uint64_t count = 0;
        int status =
            trawl_scan_grid(context, plan, &bad[i].text, NULL, count_match, &count, &error);
        assert_int_equal(status, bad[i].status);
        assert_int_equal(error.code, bad[i].status);
        assert_true(error.message[0] != 0);
    }
    const trawl_grid good = { cells, 4, 4, 0 };
    assert_int_equal(trawl_scan_grid(context, plan, &good, NULL, NULL, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scan_grid(NULL, plan, &good, NULL, count_match, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    trawl_plan_free(plan);

    const trawl_pattern word = { "word", 4, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    assert_int_equal(trawl_compile(&word, 1, NULL, &plan, NULL), TRAWL_OK);
    assert_int_equal(trawl_scan_grid(context, plan, &good, NULL, count_match, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    trawl_plan_free(plan);

    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error = { 0 };
    for (size_t e = 0; e < COUNT(engines); e++) {
        options.engine = engines[e];
        assert_int_equal(trawl_compile(&word, 1, &options, &plan, &error), TRAWL_ERROR_UNSUPPORTED);
    }
}

/* ---- saved and damaged plans ----------------------------------------------------- */

static void test_saved(void **state)
{
    (void)state;
    for (uint32_t cell_size = 1; cell_size <= 4; cell_size++) {
        uint64_t seed = 5;
        trawl_grid text = random_text(&seed, cell_size, 60);
        trawl_needle needle = random_needle(&seed, cell_size, &text, 3);
        for (size_t e = 0; e < COUNT(engines); e++) {
            trawl_plan *plan = compile(&needle, 1, cell_size, engines[e]), *loaded = NULL;
            trawl_plan_info info = { .size = sizeof info };
            size_t size = 0;
            const void *saved = trawl_plan_save(plan, &size);
            assert_int_equal(trawl_plan_load(saved, size, &loaded, NULL), TRAWL_OK);
            assert_int_equal(trawl_plan_get_info(loaded, &info), TRAWL_OK);
            assert_int_equal(info.cell_size, cell_size);
            assert_int_equal(count_matches(plan, &text), count_matches(loaded, &text));
            trawl_plan_free(plan);
            trawl_plan_free(loaded);
        }
        free((void *)needle.cells);
        free_text(&text, cell_size);
    }
}

/* Change words of the tables in place. What the engine's check lets pass must scan without
 * a read or write out of bounds (sanitizers tell) and must end. */
static void damage(trawl_plan *plan, const trawl_grid *text, uint64_t *seed)
{
    const plan_part *part = plan_parts(plan);
    const plan_stage *stage = part_stages(plan, part);
    const stage_facts facts = { .pattern_count = part->pattern_count,
                                .cell_size = plan_head(plan)->cell_size,
                                .min_length = part->min_length,
                                .max_length = part->max_length,
                                .state_words = stage->state_words };
    const engine *e = engine_of_kind(stage->kind);
    size_t words = (size_t)stage->bytes / 4;
    uint32_t *tables = (uint32_t *)(void *)(uintptr_t)stage_tables(plan, stage);
    uint32_t *whole = malloc(words * 4);
    uint32_t passed = 0;
    assert_non_null(whole);
    memcpy(whole, tables, words * 4);
    assert_true(e->check(&facts, tables, words));
    for (uint32_t i = 0; i < DAMAGES; i++) {
        for (uint32_t k = 1 + next_random(seed) % 2; k > 0; k--) {
            size_t at = next_random(seed) % (next_random(seed) % 2 ? words : words / 8 + 30);
            uint32_t how = next_random(seed) % 4;
            uint32_t *word = &tables[at % words];
            *word = how == 0   ? next_random(seed) * 2
                    : how == 1 ? *word + 1
                    : how == 2 ? *word - 1
                               : next_random(seed) % 20;
        }
        if (e->check(&facts, tables, words)) {
            count_matches(plan, text);
            passed++;
        }
        memcpy(tables, whole, words * 4);
    }
    assert_true(passed > 0 && passed < DAMAGES);
    for (size_t shorter = 0; shorter < words; shorter += 1 + words / 64) {
        /* Cells of a needle may be filled up to whole words: cut more than that. */
        assert_false(e->check(&facts, tables, shorter));
    }
    free(whole);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t e = 0; e < COUNT(engines); e++)
        for (uint32_t cell_size = 1; cell_size <= 4; cell_size++) {
            uint64_t seed = 11 + cell_size;
            trawl_grid text = random_text(&seed, cell_size, 30);
            trawl_needle needles[4];
            for (size_t i = 0; i < COUNT(needles); i++)
                needles[i] = random_needle(&seed, cell_size, &text, 4);
            trawl_plan *plan = compile(needles, COUNT(needles), cell_size, engines[e]);
            damage(plan, &text, &seed);
            trawl_plan_free(plan);
            for (size_t i = 0; i < COUNT(needles); i++)
                free((void *)needles[i].cells);
            free_text(&text, cell_size);
        }
}

static int open_contexts(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++) {
        contexts[s] = open_context(&settings[s]);
        if (s % 2 == 0) /* small pages: let first stages give up soon */
            contexts[s]->worker.limits.allowance = 0;
    }
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(settings); s++)
        trawl_context_close(contexts[s]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),       cmocka_unit_test(test_large_needles),
        cmocka_unit_test(test_many_needles), cmocka_unit_test(test_edges),
        cmocka_unit_test(test_last_cell),    cmocka_unit_test(test_crowded),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_saved),        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
