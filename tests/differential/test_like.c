/* test_like.c: needles with masks, tolerance and wrong cells, against a look at every place, for
 * every instruction set, cutting, backend and device; then the edges and the arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fence.h"
#include "random.h"
#include "random_grid.h"
#include "targets.h"
#include "trawl.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 3000

typedef struct setting {
    const char *backend, *isa;
    uint32_t threads, chunks;
} setting;

enum { MAX_CONTEXTS = 64 };
static trawl_context *contexts[MAX_CONTEXTS];
static size_t context_count;

static void open_one(const setting *s)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_error error = { 0 };
    options.backend = s->backend;
    options.isa = s->isa;
    options.threads = s->threads;
    options.chunks = s->chunks;
    if (trawl_context_open(&options, &contexts[context_count], &error) == TRAWL_OK)
        context_count++;
    else if (error.code != TRAWL_ERROR_UNSUPPORTED && error.code != TRAWL_ERROR_DEVICE)
        fail_msg("%s", error.message);
}

/* Contexts of each device: as usual, and with small groups and pieces, several in flight. */
static void open_devices(void)
{
    static const char *const tunings[] = { NULL, "group=64,piece=64,queues=2",
                                           "group=32,mapped=0" };
    static test_target targets[MAX_TARGETS];
    const size_t count = targets_find(targets);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT(tunings) && context_count < MAX_CONTEXTS; k++)
            contexts[context_count++] = target_open(&targets[i], targets[i].device, tunings[k]);
}

static int open_all(void **state)
{
    (void)state;
    for (size_t i = 0; trawl_isa_name(i); i++) {
        open_one(&(setting){ "serial", trawl_isa_name(i), 0, 0 });
        open_one(&(setting){ "serial", trawl_isa_name(i), 0, 7 });
    }
    open_one(&(setting){ "threads", NULL, 3, 5 });
    open_one(&(setting){ "threads", NULL, 2, 0 });
    open_devices();
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < context_count; i++)
        trawl_context_close(contexts[i]);
    return 0;
}

/* ---- the oracle ------------------------------------------------------------- */

static uint32_t channel_at(const uint8_t *p, uint32_t bytes)
{
    uint16_t two = 0;
    uint32_t four = 0;
    memcpy(&two, p, bytes < 2 ? 0 : 2);
    memcpy(&four, p, bytes < 4 ? 0 : 4);
    return bytes == 1   ? p[0]
           : bytes == 2 ? two
           : bytes == 3 ? p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16
                        : four;
}

static bool cell_alike(const uint8_t *a, const uint8_t *b, uint32_t size,
                       const trawl_likeness *like)
{
    const uint32_t bytes = like->channel_bytes ? like->channel_bytes : size;
    for (uint32_t k = 0; k < size; k += bytes) {
        const uint32_t x = channel_at(a + k, bytes), y = channel_at(b + k, bytes);
        if ((x > y ? x - y : y - x) > like->tolerance)
            return false;
    }
    return true;
}

static bool place_alike(const trawl_grid *text, uint32_t size, const trawl_needle *n,
                        const uint8_t *mask, const trawl_likeness *like, uint64_t row, uint64_t col)
{
    uint64_t wrong = 0;
    const size_t stride = n->stride ? n->stride : n->cols * size;
    for (uint64_t r = 0; r < n->rows; r++)
        for (uint64_t c = 0; c < n->cols; c++)
            if (!mask || mask[r * n->cols + c])
                wrong += !cell_alike(cell_at(text, size, row + r, col + c),
                                     (const uint8_t *)n->cells + r * stride + c * size, size, like);
    return wrong <= like->wrong;
}

typedef struct found {
    trawl_grid_match *matches;
    size_t count, room;
} found;

static void add(found *f, uint64_t row, uint64_t col, uint32_t needle)
{
    if (f->count == f->room) {
        f->room = 2 * f->room + 64;
        f->matches = realloc(f->matches, f->room * sizeof *f->matches);
        assert_non_null(f->matches);
    }
    f->matches[f->count++] = (trawl_grid_match){ row, col, needle, needle };
}

static found expect(const trawl_grid *text, uint32_t size, const trawl_needle *needles,
                    size_t count, const trawl_likeness *like)
{
    found f = { NULL, 0, 0 };
    for (uint64_t row = 0; row < text->rows; row++)
        for (uint64_t col = 0; col < text->cols; col++)
            for (size_t i = 0; i < count; i++)
                if (needles[i].rows <= text->rows - row && needles[i].cols <= text->cols - col &&
                    place_alike(text, size, &needles[i], like->masks ? like->masks[i] : NULL, like,
                                row, col))
                    add(&f, row, col, (uint32_t)i);
    return f;
}

/* ---- comparing ---------------------------------------------------------------- */

static trawl_plan *compile(const trawl_needle *needles, size_t count, uint32_t size,
                           const trawl_likeness *like, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.likeness = like;
    options.engine = engine;
    if (trawl_compile_grid(needles, count, size, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

static void check_scan(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                       const found *expected, uint64_t seed)
{
    trawl_grid_match *matches;
    size_t count;
    uint64_t counted;
    trawl_error error = { 0 };
    if (trawl_collect_grid(context, plan, text, NULL, &matches, &count, &error) != TRAWL_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
    if (count != expected->count ||
        (count && memcmp(matches, expected->matches, count * sizeof *matches) != 0))
        fail_msg("seed %llu, %s: %zu matches, not %zu, or others", (unsigned long long)seed,
                 trawl_context_backend(context), count, expected->count);
    trawl_grid_matches_free(matches);
    assert_int_equal(trawl_count_grid(context, plan, text, NULL, &counted, &error), TRAWL_OK);
    assert_int_equal(counted, expected->count);
}

static void check_everywhere(const trawl_grid *text, uint32_t size, const trawl_needle *needles,
                             size_t count, const trawl_likeness *like, uint64_t seed)
{
    static const char *const engines[] = { NULL, "direct", "ku/direct", "ku" };
    found expected = expect(text, size, needles, count, like);
    const size_t fit = like->tolerance || like->wrong ? 2 : COUNT(engines);
    for (size_t k = 0; k < fit; k++) {
        trawl_plan *plan = compile(needles, count, size, like, engines[k]), *loaded = NULL;
        for (size_t i = 0; i < context_count; i++)
            check_scan(contexts[i], plan, text, &expected, seed);
        size_t bytes;
        const void *block = trawl_plan_save(plan, &bytes);
        assert_int_equal(trawl_plan_load(block, bytes, &loaded, NULL), TRAWL_OK);
        check_scan(contexts[0], loaded, text, &expected, seed);
        trawl_plan_free(loaded);
        trawl_plan_free(plan);
    }
    free(expected.matches);
}

/* ---- random cases ---------------------------------------------------------------- */

/* Cells become more alike: their bytes differ by little. */
static void blur(const trawl_grid *text, uint32_t size, uint64_t *seed)
{
    uint8_t *cells = (uint8_t *)(uintptr_t)text->cells;
    const size_t stride = text->stride ? text->stride : text->cols * size;
    for (uint64_t row = 0; row < text->rows; row++)
        for (uint64_t i = 0; i < text->cols * size; i++)
            cells[row * stride + i] =
                (uint8_t)((cells[row * stride + i] & 1) * 2 + next_random(seed) % 3 + 126);
}

static uint8_t *random_mask(const trawl_needle *n, uint64_t *seed)
{
    const size_t cells = (size_t)(n->rows * n->cols);
    const uint32_t density = next_random(seed) % 5;
    uint8_t *mask = malloc(cells);
    assert_non_null(mask);
    for (size_t i = 0; i < cells; i++)
        mask[i] = next_random(seed) % 4 < density ? (uint8_t)(1 + next_random(seed) % 255) : 0;
    mask[next_random(seed) % cells] = 1;
    return mask;
}

static void check_case(uint64_t first)
{
    grid_scenario g;
    uint64_t seed = first;
    const uint8_t *masks[GRID_NEEDLES] = { NULL };
    grid_scenario_make(&g, first);
    trawl_likeness like = TRAWL_LIKENESS_INIT;
    const bool blurred = next_random(&seed) % 2;
    if (blurred)
        blur(&g.text, g.cell_size, &seed);
    if (next_random(&seed) % 2)
        like.tolerance = next_random(&seed) % 4;
    if (next_random(&seed) % 16 == 0)
        like.tolerance = next_random(&seed);
    if (next_random(&seed) % 2)
        like.wrong = next_random(&seed) % (next_random(&seed) % 4 ? 6 : 300);
    like.channel_bytes = next_random(&seed) % 3;
    if (like.channel_bytes && g.cell_size % like.channel_bytes != 0)
        like.channel_bytes = 1;
    for (size_t i = 0; i < g.count; i++)
        if (next_random(&seed) % 2)
            masks[i] = random_mask(&g.needles[i], &seed);
    like.masks = next_random(&seed) % 4 ? masks : NULL;
    for (size_t i = 0; i < g.count; i++)
        g.needles[i].id = (uint32_t)i;
    check_everywhere(&g.text, g.cell_size, g.needles, g.count, &like, first);
    for (size_t i = 0; i < g.count; i++)
        free((void *)(uintptr_t)masks[i]);
    grid_scenario_free(&g);
}

static void test_random(void **state)
{
    (void)state;
    const uint64_t cases = test_cases(CASES);
    const uint64_t seed = test_seed();
    for (uint64_t i = 0; i < cases; i++)
        check_case(seed + i);
}

/* Text wider than several vectors, needles at its very ends. */
static void test_wide(void **state)
{
    (void)state;
    enum { ROWS = 9, COLS = 301 };
    uint64_t seed = 4711;
    for (uint32_t size = 1; size <= 4; size++)
        for (uint32_t wrong = 0; wrong < 9; wrong += 4) {
            uint32_t cells[ROWS * COLS];
            for (size_t i = 0; i < COUNT(cells); i++)
                cells[i] = next_random(&seed) & 0x03030303u;
            const trawl_grid text = { cells, ROWS, COLS, COLS * size };
            const size_t stride = COLS * size;
            const uint8_t *base = (const uint8_t *)cells;
            const trawl_needle needles[] = {
                { base, 4, 5, stride, 0, NULL },
                { base + 5 * stride + (COLS - 7) * (size_t)size, 4, 7, stride, 1, NULL },
                { base + 3 * stride + 100 * (size_t)size, 2, 90, stride, 2, NULL },
            };
            const trawl_likeness like = { sizeof like, NULL, wrong > 4, 1, wrong };
            check_everywhere(&text, size, needles, 3, &like, wrong);
        }
}

/* ---- even pictures ------------------------------------------------------------------ */

static void fill(uint8_t *cells, uint32_t cols, uint32_t size, const uint32_t box[4],
                 uint32_t value)
{
    for (uint32_t r = box[0]; r < box[0] + box[2]; r++)
        for (uint32_t c = box[1]; c < box[1] + box[3]; c++)
            put_cell(cells + (size_t)r * cols * size, c, size, value);
}

/* Pages with a few boxes, some noise of low contrast and some dots, and needles that are nearly
 * everywhere: places live so long there that needles are searched by boxes. */
static void check_even(uint64_t first, uint32_t size)
{
    enum { ROWS = 40, COLS = 230, BOXES = 3 };
    uint64_t seed = first;
    uint8_t *cells = fenced_text((size_t)ROWS * COLS * size, next_random(&seed) % 2);
    const trawl_grid text = { cells, ROWS, COLS, COLS * (size_t)size };
    fill(cells, COLS, size, (uint32_t[]){ 0, 0, ROWS, COLS }, 100);
    for (uint32_t i = 0; i < BOXES; i++) {
        const uint32_t row = next_random(&seed) % ROWS, col = next_random(&seed) % COLS;
        const uint32_t box[] = { row, col, next_random(&seed) % (ROWS - row),
                                 next_random(&seed) % (COLS - col) };
        fill(cells, COLS, size, box, 100 + next_random(&seed) % 3);
    }
    const uint32_t noise = next_random(&seed) % 4, dots = next_random(&seed) % 100;
    for (size_t i = 0; i < (size_t)ROWS * COLS * size; i++)
        cells[i] = (uint8_t)(cells[i] + (noise ? next_random(&seed) % noise : 0));
    for (uint32_t i = 0; i < dots; i++)
        cells[next_random(&seed) % ((size_t)ROWS * COLS * size)] =
            (uint8_t)(next_random(&seed) % 2 ? next_random(&seed) : 98 + next_random(&seed) % 6);
    trawl_needle needles[3];
    const uint8_t *masks[3] = { NULL };
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t rows = 1 + next_random(&seed) % 24, cols = 1 + next_random(&seed) % 60;
        const uint32_t row = next_random(&seed) % (ROWS - rows);
        const uint32_t col = next_random(&seed) % (COLS - cols);
        needles[i] =
            (trawl_needle){ cell_at(&text, size, row, col), rows, cols, text.stride, i, NULL };
        if (next_random(&seed) % 3 == 0) {
            uint8_t *mask = malloc((size_t)rows * cols);
            assert_non_null(mask);
            memset(mask, 1, (size_t)rows * cols);
            memset(mask, 0, (size_t)(rows / 3) * cols);
            masks[i] = mask;
        }
    }
    static const uint32_t tolerances[] = { 0, 1, 3, 6, 250 }, wrong[] = { 0, 0, 1, 7, 90 };
    const trawl_likeness like = { sizeof like, masks, tolerances[next_random(&seed) % 5],
                                  size % 2 == 0 && next_random(&seed) % 2 ? 2 : 1,
                                  wrong[next_random(&seed) % 5] };
    check_everywhere(&text, size, needles, 3, &like, first);
    for (uint32_t i = 0; i < 3; i++)
        free((void *)(uintptr_t)masks[i]);
    free_text(&text, size);
}

static void test_even(void **state)
{
    (void)state;
    const uint64_t cases = test_cases(CASES) / 25 + 8;
    const uint64_t seed = test_seed();
    for (uint64_t i = 0; i < cases; i++)
        check_even(seed + i, (uint32_t)(i % 4 + 1));
}

/* ---- arguments --------------------------------------------------------------------- */

static void must_refuse(const trawl_needle *n, const trawl_likeness *like, const char *engine,
                        int status, const char *text)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.likeness = like;
    options.engine = engine;
    assert_int_equal(trawl_compile_grid(n, 1, 4, &options, &plan, &error), status);
    assert_null(plan);
    if (!strstr(error.message, text))
        fail_msg("expected \"%s\" in: %s", text, error.message);
}

static void test_arguments(void **state)
{
    (void)state;
    static const uint32_t cells[4] = { 1, 2, 3, 4 };
    static const uint8_t nothing[4] = { 0 }, all[4] = { 1, 1, 1, 1 };
    const uint8_t *const none[] = { nothing }, *const whole[] = { all };
    const trawl_needle n = { cells, 2, 2, 0, 0, NULL };
    trawl_likeness like = TRAWL_LIKENESS_INIT;
    like.masks = none;
    must_refuse(&n, &like, NULL, TRAWL_ERROR_ARGUMENT, "no cell of the needle to compare");
    like.masks = NULL;
    like.channel_bytes = 3;
    must_refuse(&n, &like, NULL, TRAWL_ERROR_ARGUMENT, "channels of 3 bytes do not divide cells");
    like.channel_bytes = 0;
    like.wrong = 1;
    must_refuse(&n, &like, "ku", TRAWL_ERROR_UNSUPPORTED, "direct takes masks");
    like.size = 4;
    must_refuse(&n, &like, NULL, TRAWL_ERROR_ARGUMENT, "likeness");
    /* What lets nothing more pass is searched as ever. */
    like = (trawl_likeness)TRAWL_LIKENESS_INIT;
    like.masks = whole;
    trawl_plan *plan = compile(&n, 1, 4, &like, NULL);
    trawl_plan_info info = { .size = sizeof info };
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    assert_null(strstr(info.engine, "direct"));
    trawl_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
