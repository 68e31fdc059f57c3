/* test_options.c: structs that carry their size, of every size there can be: what is right is
 * taken, all else is refused with a message, and nothing beyond the size is read or written. Each
 * struct lies in memory of its own that ends where its size says, so that sanitizers see more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trawl.h"
#include "trawl/grid.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LITTLE_MORE 64u

static const char text[] = "xabcx";
static trawl_plan *plan, *needle;
static trawl_context *context;
static trawl_context *device; /* NULL: there is none */

static int open_all(void **state)
{
    const trawl_pattern pattern = { .text = "abc", .length = 3 };
    const trawl_needle cell = { .cells = "x", .rows = 1, .cols = 1 };
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.backend = "opencl";
    if (trawl_device_count("opencl", NULL) == 0)
        printf("left out, as there is no device: device text, device grid, device info\n");
    else if (trawl_context_open(&options, &device, NULL) != TRAWL_OK)
        return -1;
    return trawl_compile(&pattern, 1, NULL, &plan, NULL) != TRAWL_OK ||
           trawl_compile_grid(&cell, 1, 1, NULL, &needle, NULL) != TRAWL_OK ||
           trawl_context_open(NULL, &context, NULL) != TRAWL_OK;
}

static int close_all(void **state)
{
    (void)state;
    trawl_context_close(context);
    trawl_context_close(device);
    trawl_plan_free(plan);
    trawl_plan_free(needle);
    return 0;
}

/* ---- a call for each struct -------------------------------------------- */

static int compile_with(void *options, trawl_error *error)
{
    const trawl_pattern pattern = { .text = "abc", .length = 3 };
    trawl_plan *made = NULL;
    const int status = trawl_compile(&pattern, 1, options, &made, error);
    trawl_plan_free(made);
    return status;
}

static int compile_like(void *likeness, trawl_error *error)
{
    const trawl_needle needle = { .cells = "x", .rows = 1, .cols = 1 };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *made = NULL;
    options.likeness = likeness;
    const int status = trawl_compile_grid(&needle, 1, 1, &options, &made, error);
    trawl_plan_free(made);
    return status;
}

static int open_with(void *options, trawl_error *error)
{
    trawl_context *made = NULL;
    const int status = trawl_context_open(options, &made, error);
    trawl_context_close(made);
    return status;
}

static int scan_with(void *options, trawl_error *error)
{
    uint64_t count = 0;
    const int status = trawl_count(context, plan, text, strlen(text), options, &count, error);
    assert_int_equal(count, status == TRAWL_OK ? 1 : 0);
    return status;
}

static int no_match(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    (void)count;
    (void)user;
    return 1;
}

static int scan_device_with(void *there, trawl_error *error)
{
    return trawl_scan_device(device, plan, there, NULL, no_match, NULL, error);
}

static int count_grid_with(void *grid, trawl_error *error)
{
    uint64_t count;
    return trawl_count_grid_device(device, needle, grid, NULL, &count, error);
}

static int collect_device_with(void *result, trawl_error *error)
{
    const trawl_device_text there = TRAWL_DEVICE_TEXT_INIT;
    return trawl_collect_device(device, plan, &there, NULL, result, error);
}

static int plan_info_with(void *info, trawl_error *error)
{
    (void)error;
    return trawl_plan_get_info(plan, info);
}

static int timing_with(void *timing, trawl_error *error)
{
    (void)error;
    return trawl_context_get_timing(context, timing);
}

static int device_info_with(void *info, trawl_error *error)
{
    return trawl_device_get_info("opencl", 0, info, error);
}

static const trawl_likeness no_likeness = TRAWL_LIKENESS_INIT;
static const trawl_compile_options compile_defaults = TRAWL_COMPILE_OPTIONS_INIT;
static const trawl_context_options context_defaults = TRAWL_CONTEXT_OPTIONS_INIT;
static const trawl_scan_options scan_defaults = TRAWL_SCAN_OPTIONS_INIT;
static const trawl_device_text device_defaults = TRAWL_DEVICE_TEXT_INIT;
static const trawl_device_grid grid_defaults = TRAWL_DEVICE_GRID_INIT;
static const trawl_device_result result_defaults = TRAWL_DEVICE_RESULT_INIT;
static const trawl_plan_info no_plan = { .size = sizeof no_plan };
static const trawl_timing no_timing = { .size = sizeof no_timing };
static const trawl_device_info no_device = { .size = sizeof no_device };

typedef struct sized {
    const char *name;
    const void *defaults;
    size_t size, least; /* the whole; what 0.2 began with */
    int (*call)(void *it, trawl_error *error);
    bool filled;  /* by the library, else read by it */
    bool message; /* the call has a trawl_error */
    bool devices; /* it needs one */
} sized;

static const sized structs[] = {
    { "compile options", &compile_defaults, sizeof compile_defaults,
      offsetof(trawl_compile_options, likeness), compile_with, false, true, false },
    { "likeness", &no_likeness, sizeof no_likeness, sizeof no_likeness, compile_like, false, true,
      false },
    { "context options", &context_defaults, sizeof context_defaults,
      offsetof(trawl_context_options, isa), open_with, false, true, false },
    { "scan options", &scan_defaults, sizeof scan_defaults, sizeof scan_defaults, scan_with, false,
      true, false },
    { "device text", &device_defaults, sizeof device_defaults, sizeof device_defaults,
      scan_device_with, false, true, true },
    { "device grid", &grid_defaults, sizeof grid_defaults, sizeof grid_defaults, count_grid_with,
      false, true, true },
    { "device result", &result_defaults, sizeof result_defaults, sizeof result_defaults,
      collect_device_with, false, true, true },
    { "plan info", &no_plan, sizeof no_plan, offsetof(trawl_plan_info, tag), plan_info_with, true,
      false, false },
    { "timing", &no_timing, sizeof no_timing, sizeof no_timing, timing_with, true, false, false },
    { "device info", &no_device, sizeof no_device, sizeof no_device, device_info_with, true, true,
      true },
};

/* ---- the test ---------------------------------------------------------- */

/* The struct as someone has it to whom it has `size` bytes; at least the size itself is there. */
static uint8_t *made_of(const sized *s, size_t size, size_t room, int rest)
{
    uint8_t *it = malloc(room < sizeof size ? sizeof size : room);
    assert_non_null(it);
    memset(it, rest, room);
    memcpy(it, s->defaults, room < s->size ? room : s->size);
    memcpy(it, &size, sizeof size);
    return it;
}

static void expect_refusal(const sized *s, size_t size, uint8_t *it)
{
    trawl_error error = { 0 };
    const int status = s->call(it, &error);
    if (status != TRAWL_ERROR_ARGUMENT)
        fail_msg("%s of %zu bytes: status %d", s->name, size, status);
    if (s->message && (error.code != TRAWL_ERROR_ARGUMENT || !error.message[0] ||
                       !memchr(error.message, '\0', sizeof error.message)))
        fail_msg("%s of %zu bytes: no message", s->name, size);
    free(it);
}

static void expect_taken(const sized *s, size_t size)
{
    trawl_error error = { 0 };
    uint8_t *it = made_of(s, size, size, s->filled ? 0xee : 0);
    size_t kept;
    if (s->call(it, &error) != TRAWL_OK)
        fail_msg("%s of %zu bytes: %s", s->name, size, error.message);
    memcpy(&kept, it, sizeof kept);
    assert_int_equal(kept, size);
    for (size_t i = s->size; i < size; i++)
        assert_int_equal(it[i], 0);
    free(it);
}

static void test_sizes(void **state)
{
    static const size_t large[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2 + 1,
                                    SIZE_MAX > UINT32_MAX ? (size_t)((uint64_t)1 << 32)
                                                          : SIZE_MAX / 4 + 1 };
    (void)state;
    for (const sized *s = structs; s < structs + COUNT(structs); s++) {
        if (s->devices && !device)
            continue;
        for (size_t size = 0; size <= s->size + LITTLE_MORE; size++)
            if (size >= s->least && size % _Alignof(size_t) == 0)
                expect_taken(s, size);
            else
                expect_refusal(s, size, made_of(s, size, size, 0));
        for (size_t i = 0; i < COUNT(large); i++)
            expect_refusal(s, large[i], made_of(s, large[i], sizeof(size_t), 0));
    }
}

/* Any byte after what this library knows is something that it cannot do. */
static void test_unknown_members(void **state)
{
    (void)state;
    for (const sized *s = structs; s < structs + COUNT(structs); s++) {
        if (s->filled || (s->devices && !device))
            continue;
        for (size_t size = s->size + 8; size <= s->size + LITTLE_MORE; size += 8)
            for (size_t at = s->size; at < size; at++) {
                uint8_t *it = made_of(s, size, size, 0);
                it[at] = 1;
                expect_refusal(s, size, it);
            }
    }
}

/* An unused member that is not 0 may mean something to a later library. */
static void test_reserved(void **state)
{
    trawl_scan_options scanning = scan_defaults;
    trawl_device_text there = device_defaults;
    trawl_error error = { 0 };
    (void)state;
    scanning.reserved = 1;
    assert_int_equal(scan_with(&scanning, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "reserved"));
    if (!device)
        skip();
    there.reserved = 1;
    assert_int_equal(scan_device_with(&there, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "reserved"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_unknown_members),
        cmocka_unit_test(test_reserved),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
