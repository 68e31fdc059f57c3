/* test_memory.c: memory is counted, bounded and given back, wherever it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "engines/planner/planner.h"
#include "targets.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define USUAL_LIMIT (UINT64_C(1) << 30)

/* ---- who asks the system for memory ------------------------------------------- */

/* The linker has all calls of this program and the library's come here (--wrap), and none of those
 * that libc and drivers make. */
static atomic_bool watched;
static _Atomic uint64_t asked; /* while they are watched */

#define REAL(call) __real_##call
#define WATCH(result, call, parameters, arguments)                                                 \
    result REAL(call) parameters;                                                                  \
    result __wrap_##call parameters;                                                               \
    result __wrap_##call parameters                                                                \
    {                                                                                              \
        asked += watched;                                                                          \
        return REAL(call) arguments;                                                               \
    }

WATCH(void *, malloc, (size_t size), (size))
WATCH(void *, calloc, (size_t count, size_t size), (count, size))
WATCH(void *, realloc, (void *block, size_t size), (block, size))
WATCH(void *, aligned_alloc, (size_t align, size_t size), (align, size))
WATCH(int, posix_memalign, (void **block, size_t align, size_t size), (block, align, size))
WATCH(char *, strdup, (const char *text), (text))

/* ---- an allocator that counts ------------------------------------------------- */

typedef struct counter {
    _Atomic uint64_t held, most; /* bytes */
    _Atomic uint64_t requests;
    uint64_t fails_at; /* the request that gets nothing, from 1 on; 0: none */
    uint64_t stops_at; /* the one at which compiling is interrupted */
    uint64_t questions;
} counter;

/* trawl_compile_options.interrupted */
static int count_question(void *user)
{
    counter *c = user;
    if (c->stops_at && c->questions >= c->stops_at)
        fail_msg("asked again after the answer");
    return ++c->questions == c->stops_at;
}

static void *count_allocate(void *user, size_t bytes)
{
    counter *c = user;
    if (++c->requests == c->fails_at)
        return NULL;
    c->held += bytes;
    const uint64_t held = c->held;
    c->most = held > c->most ? held : c->most;
    return REAL(malloc)(bytes);
}

static void count_release(void *user, void *memory, size_t bytes)
{
    counter *c = user;
    assert_true(c->held >= bytes);
    c->held -= bytes;
    memset(memory, 0xdd, bytes); /* `bytes` must be what was asked for: sanitizers see to it */
    free(memory);
}

/* ---- the object --------------------------------------------------------------- */

static void use(memory *m)
{
    uint8_t *a = memory_take(m, 100), *b = memory_take_zeroed(m, 7, 11);
    assert_true((uintptr_t)a % _Alignof(max_align_t) == 0);
    assert_true((uintptr_t)b % _Alignof(max_align_t) == 0);
    for (int i = 0; i < 77; i++)
        assert_int_equal(b[i], 0);
    memset(a, 5, 100);
    a = memory_grow(m, a, 5000);
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], 5);
    a = memory_grow(m, a, 10);
    assert_int_equal(a[9], 5);
    const uint64_t before = m->used;
    assert_null(memory_grow(m, a, 1 << 20)); /* over the limit, and left as it was */
    assert_int_equal(m->failure, TRAWL_ERROR_LIMIT);
    assert_true(m->used == before && a[9] == 5);
    assert_null(memory_take(m, SIZE_MAX));
    assert_null(memory_take_array(m, SIZE_MAX / 4, 8));
    assert_null(memory_take_zeroed(m, SIZE_MAX / 4, 8));
    assert_true(m->used == before && m->peak >= 5000 && m->peak <= m->limit);
    memory_give(m, a);
    memory_give(m, b);
    memory_give(m, NULL);
    memory_give(m, memory_grow(m, NULL, 0));
    assert_true(m->used == 0);
}

static void test_object(void **state)
{
    counter c = { 0 };
    const trawl_allocator from = { count_allocate, count_release, &c };
    memory m;
    (void)state;
    memory_open(&m, NULL, 20000, "x.max_memory", "take less");
    use(&m);
    memory_open(&m, &from, 20000, "x.max_memory", "take less");
    use(&m);
    assert_true(c.held == 0 && c.most == m.peak);
}

/* The limit is exact, and each failure has its own error. */
static void test_errors(void **state)
{
    counter c = { .fails_at = 3 };
    const trawl_allocator from = { count_allocate, count_release, &c };
    trawl_error error;
    memory m;
    (void)state;
    memory_open(&m, &from, 1000, "x.max_memory", "take less");
    void *one = memory_take(&m, 0);
    const uint64_t head = m.used;
    assert_null(memory_take(&m, (size_t)(1000 - 2 * head + 1)));
    assert_int_equal(memory_failed(&m, &error, "%d things", 4), TRAWL_ERROR_LIMIT);
    assert_string_equal(error.message,
                        "x.max_memory of 1000 bytes is too small for 4 things: raise it, or "
                        "take less");
    void *all = memory_take(&m, (size_t)(1000 - 2 * head));
    assert_non_null(all);
    assert_true(m.used == 1000);
    memory_give(&m, all);
    assert_null(memory_take(&m, 1)); /* the third request that reaches the allocator */
    assert_int_equal(memory_failed(&m, &error, "a thing"), TRAWL_ERROR_MEMORY);
    assert_string_equal(error.message, "out of memory for a thing: take less");
    memory_free(&from, one);
    assert_true(c.held == 0);
}

/* ---- compiling ------------------------------------------------------------------ */

#define LITERAL(text, flags, id, name)                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_LITERAL, flags, id, name                              \
    }
#define EXTENDED(text, id)                                                                         \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_EXTENDED, 0, id, NULL                                 \
    }

static const trawl_pattern one[] = { LITERAL("abcab", 0, 1, "one") };
static const trawl_pattern literals[] = {
    LITERAL("abcab", 0, 1, "first"), LITERAL("ab", 0, 2, NULL),   LITERAL("a", 0, 9, "short"),
    LITERAL("needle", 0, 4, "n"),    LITERAL("abcde", 0, 2, ""),  LITERAL("abcdf", 0, 2, ""),
    LITERAL("abcdef", 0, 2, ""),     LITERAL("abcdeg", 0, 2, ""), LITERAL("abcdefgh", 0, 2, ""),
};
static const trawl_pattern cases[] = { LITERAL("abcA", TRAWL_NOCASE, 1, "folded"),
                                       LITERAL("AbC", 0, 2, "exact") };
static const trawl_pattern classes[] = { EXTENDED("a[bc]{1,3}.?c", 5), EXTENDED("ab{3}", 6),
                                         EXTENDED("a[^c]*c", 5), EXTENDED("[ab]{130}a+", 6) };
static const trawl_pattern mixed[] = { LITERAL("abcab", 0, 1, "first"),
                                       EXTENDED("a[bc]{1,3}.?c", 5), LITERAL("b", 0, 2, NULL),
                                       EXTENDED("a[^c]*c", 5), LITERAL("needle", 0, 4, "n") };
static const uint32_t cells[] = { 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0 };
static const trawl_needle needles[] = { { cells, 2, 3, 0, 3, "wide" },
                                        { cells, 3, 2, 0, 4, NULL },
                                        { cells, 1, 1, 0, 5, "dot" } };

static const struct {
    const trawl_pattern *patterns; /* NULL: the needles */
    size_t count;
} sets[] = { { one, COUNT(one) },         { literals, COUNT(literals) }, { cases, COUNT(cases) },
             { classes, COUNT(classes) }, { mixed, COUNT(mixed) },       { NULL, COUNT(needles) } };

static int compile(size_t set, const char *engine, uint64_t limit, counter *c, trawl_plan **plan,
                   trawl_error *error)
{
    const trawl_allocator from = { count_allocate, count_release, c };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    options.engine = engine;
    options.max_memory = limit;
    options.allocator = c ? &from : NULL;
    options.interrupted = c ? count_question : NULL;
    options.interrupted_user = c;
    *plan = (trawl_plan *)&options; /* not what a failed call may leave */
    return sets[set].patterns
               ? trawl_compile(sets[set].patterns, sets[set].count, &options, plan, error)
               : trawl_compile_grid(needles, COUNT(needles), 4, &options, plan, error);
}

static void assert_same(const trawl_plan *a, const trawl_plan *b)
{
    size_t bytes = 0, others = 0;
    const void *block = trawl_plan_save(a, &bytes), *other = trawl_plan_save(b, &others);
    assert_int_equal(bytes, others);
    assert_memory_equal(block, other, bytes);
}

/* What a call that failed must leave. */
static void assert_refused(const char *engine, int status, int expected, const trawl_plan *plan,
                           const counter *c, const trawl_error *error)
{
    if (status != expected || error->code != expected || error->message[0] == '\0')
        fail_msg("%s, request %llu: status %d, not %d: %s", engine, (unsigned long long)c->fails_at,
                 status, expected, error->message);
    assert_null(plan);
    assert_true(c->held == 0);
}

/* Each request in turn gets nothing; or compiling is interrupted there, and nothing asked again. */
static void fail_each(size_t set, const char *engine, uint64_t requests, bool interrupted)
{
    for (uint64_t k = 1; k <= requests; k++) {
        counter c = { .fails_at = interrupted ? 0 : k, .stops_at = interrupted ? k : 0 };
        trawl_plan *plan;
        trawl_error error;
        const int status = compile(set, engine, UINT64_MAX, &c, &plan, &error);
        assert_refused(engine, status, interrupted ? TRAWL_CANCELLED : TRAWL_ERROR_MEMORY, plan, &c,
                       &error);
        assert_true(!interrupted || c.questions == k);
    }
}

/* Limits from one byte to what it takes. With a little less it may do as well. */
static void limit_each(size_t set, const char *engine, uint64_t peak, const trawl_plan *expected)
{
    for (uint64_t limit = 1; limit <= peak;
         limit = limit == peak || limit + peak / 50 + 1 < peak ? limit + peak / 50 + 1 : peak) {
        counter c = { 0 };
        trawl_plan *plan;
        trawl_error error;
        const int status = compile(set, engine, limit, &c, &plan, &error);
        assert_true(c.most <= limit);
        if (status == TRAWL_OK)
            assert_same(plan, expected);
        else
            assert_refused(engine, status, TRAWL_ERROR_LIMIT, plan, &c, &error);
        assert_true(status == TRAWL_OK ? limit > 100 : limit < peak);
        trawl_plan_free(status == TRAWL_OK ? plan : NULL);
    }
}

/* A plan is the same wherever its memory is from, and everything is given back. */
static void test_compile(void **state)
{
    uint32_t taken = 0;
    (void)state;
    for (size_t set = 0; set < COUNT(sets); set++)
        for (size_t e = 0; engine_choice(e); e++) {
            counter c = { 0 };
            trawl_plan *usual, *plan;
            trawl_error error;
            if (compile(set, engine_choice(e), 0, NULL, &usual, &error) != TRAWL_OK)
                continue; /* the engine does not take this set */
            assert_int_equal(compile(set, engine_choice(e), UINT64_MAX, &c, &plan, &error),
                             TRAWL_OK);
            assert_same(plan, usual);
            const uint64_t requests = c.requests, peak = c.most;
            assert_true(c.held > 0 && c.held < peak);
            trawl_plan_free(plan);
            assert_true(c.held == 0);
            fail_each(set, engine_choice(e), requests, false);
            fail_each(set, engine_choice(e), requests, true);
            limit_each(set, engine_choice(e), peak, usual);
            trawl_plan_free(usual);
            taken++;
        }
    assert_true(taken > 30);
}

/* Literals with much in common are counted, where a node for each byte would not fit. */
static void test_shared_prefixes(void **state)
{
    enum { LITERALS = 200, LENGTH = 2000 };
    static char texts[LITERALS][LENGTH];
    trawl_pattern patterns[LITERALS];
    trawl_plan *usual, *plan;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    (void)state;
    for (uint32_t i = 0; i < LITERALS; i++) {
        memset(texts[i], 'a', LENGTH);
        texts[i][LENGTH - 1] = (char)i;
        patterns[i] = (trawl_pattern){ texts[i], LENGTH, TRAWL_SYNTAX_LITERAL, 0, i, NULL };
    }
    options.engine = "ac";
    assert_int_equal(trawl_compile(patterns, LITERALS, &options, &usual, NULL), TRAWL_OK);
    options.max_memory = (size_t)LITERALS * LENGTH * 33;
    assert_int_equal(trawl_compile(patterns, LITERALS, &options, &plan, NULL), TRAWL_OK);
    assert_same(plan, usual);
    trawl_plan_free(plan);
    trawl_plan_free(usual);
}

/* ---- what is far too large ------------------------------------------------------ */

static void assert_too_large(const trawl_pattern *patterns, size_t count, uint64_t most)
{
    counter c = { 0 };
    const trawl_allocator from = { count_allocate, count_release, &c };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan;
    trawl_error error;
    assert_int_equal(trawl_compile(patterns, count, NULL, &plan, &error), TRAWL_ERROR_LIMIT);
    assert_null(plan);
    options.allocator = &from;
    const int status = trawl_compile(patterns, count, &options, &plan, &error);
    assert_refused("auto", status, TRAWL_ERROR_LIMIT, plan, &c, &error);
    assert_non_null(strstr(error.message, "max_memory"));
    if (c.most > most)
        fail_msg("%llu bytes were taken before: %s", (unsigned long long)c.most, error.message);
}

static void test_long_repeats(void **state)
{
    static trawl_pattern patterns[1000];
    (void)state;
    for (uint32_t i = 0; i < COUNT(patterns); i++)
        patterns[i] = (trawl_pattern)EXTENDED("[a-z]{1,100000}x+", i);
    assert_too_large(patterns, COUNT(patterns), USUAL_LIMIT);
}

/* 20 literals of 20 MiB: nothing is taken beyond their copies. */
static void test_long_literals(void **state)
{
    enum { LITERALS = 20, LENGTH = 20 << 20 };
    uint8_t *text = malloc(LENGTH + LITERALS);
    trawl_pattern patterns[LITERALS];
    uint32_t random = 1;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH + LITERALS; i++)
        text[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    for (uint32_t i = 0; i < LITERALS; i++)
        patterns[i] = (trawl_pattern){ text + i, LENGTH, TRAWL_SYNTAX_LITERAL, 0, i, NULL };
    assert_too_large(patterns, LITERALS, (uint64_t)LITERALS * LENGTH + (4 << 20));
    free(text);
}

/* ---- options, loading ------------------------------------------------------------- */

static void test_options(void **state)
{
    counter c = { 0 };
    const trawl_allocator halves[] = { { count_allocate, NULL, &c }, { NULL, count_release, &c } };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan;
    trawl_error error;
    (void)state;
    for (size_t i = 0; i < COUNT(halves); i++) {
        options.allocator = &halves[i];
        assert_int_equal(trawl_compile(one, 1, &options, &plan, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "allocate and release"));
    }
    assert_true(c.requests == 0);
}

/* ---- contexts --------------------------------------------------------------------- */

static int count_all(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 0;
}

/* Matches of one pattern of unbounded length, as all pairs and through a stream. */
static int scan_all(trawl_context *context, const trawl_plan *plan, const char *text, size_t length,
                    uint64_t *found)
{
    trawl_scan_options pairs = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream = NULL;
    pairs.report = TRAWL_REPORT_PAIRS;
    int status = trawl_scan(context, plan, text, length, &pairs, count_all, found, NULL);
    if (status == TRAWL_OK)
        status = trawl_stream_open(context, plan, NULL, count_all, found, &stream, NULL);
    if (status != TRAWL_OK)
        return status;
    status = trawl_stream_feed(stream, text, length, NULL);
    const int closed = trawl_stream_close(stream, NULL);
    return status == TRAWL_OK ? closed : status;
}

/* All that a context and its calls hold comes from its allocator, and goes back. */
static void test_context(void **state)
{
    const trawl_pattern p = { "a[bc]*a", 7, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
    char text[6000];
    counter c = { 0 };
    const trawl_allocator from = { count_allocate, count_release, &c };
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_plan *plan;
    trawl_error error;
    uint64_t requests, wanted = 0;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abcb"[i % 4];
    assert_int_equal(trawl_compile(&p, 1, NULL, &plan, NULL), TRAWL_OK);
    options.backend = "serial";
    options.allocator = &from;
    assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_OK);
    assert_true(c.held > 0 && c.held < 4096);
    assert_int_equal(scan_all(context, plan, text, sizeof text, &wanted), TRAWL_OK);
    trawl_context_close(context);
    requests = c.requests;
    assert_true(c.held == 0 && requests > 8 && wanted > 0);
    for (uint64_t k = 1; k <= requests; k++) {
        uint64_t found = 0;
        c = (counter){ .fails_at = k };
        int status = trawl_context_open(&options, &context, &error);
        if (status == TRAWL_OK)
            status = scan_all(context, plan, text, sizeof text, &found);
        assert_int_equal(status, TRAWL_ERROR_MEMORY);
        trawl_context_close(context);
        assert_true(c.held == 0);
    }
    const trawl_allocator half = { count_allocate, NULL, &c };
    options.allocator = &half;
    assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(context);
    trawl_plan_free(plan);
}

static int count_cells(const trawl_grid_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 0;
}

/* What a plan of a set finds in a text, or a grid, of its own. */
static int find_all(trawl_context *context, const trawl_plan *plan, size_t set, uint64_t *found,
                    trawl_error *error)
{
    static const char word[] = "abcabcAb needle abbb accaab abcdefgh";
    static char text[40000];
    static uint32_t pixels[60 * 60];
    const trawl_grid grid = { .cells = pixels, .rows = 60, .cols = 60 };
    *found = 0;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = word[i * i % (sizeof word - 1)];
    for (size_t i = 0; i < COUNT(pixels); i++)
        pixels[i] = i * i / 7 % 5 == 1;
    return sets[set].patterns
               ? trawl_scan(context, plan, text, sizeof text, NULL, count_all, found, error)
               : trawl_scan_grid(context, plan, &grid, NULL, count_cells, found, error);
}

/* Nor is any memory of the host's that is not the allocator's taken for a search on a device. */
static void search_on(const test_target *t, size_t set, const char *engine, uint32_t *searched)
{
    counter c = { 0 };
    const trawl_allocator from = { count_allocate, count_release, &c };
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL, *usual = target_cpu("serial", 1, 0);
    trawl_plan *plan = NULL;
    trawl_error error;
    uint64_t found = 0, expected = 0;
    if (compile(set, engine, 0, NULL, &plan, &error) != TRAWL_OK) {
        trawl_context_close(usual);
        return; /* the engine does not take this set */
    }
    assert_int_equal(find_all(usual, plan, set, &expected, &error), TRAWL_OK);
    options.backend = t->backend;
    options.device = t->info.cpu ? NULL : t->device;
    options.allocator = &from;
    asked = 0;
    watched = true;
    int status = trawl_context_open(&options, &context, &error);
    if (status == TRAWL_OK)
        status = find_all(context, plan, set, &found, &error);
    trawl_context_close(context);
    watched = false;
    if (asked != 0)
        fail_msg("%s, %s, set %zu: %llu requests for memory passed the allocator by", t->backend,
                 engine, set, (unsigned long long)asked);
    assert_true(c.requests > 0 && c.held == 0);
    if (status == TRAWL_OK && found != expected)
        fail_msg("%s, %s, set %zu: %llu matches, not %llu", t->backend, engine, set,
                 (unsigned long long)found, (unsigned long long)expected);
    if (status != TRAWL_OK && status != TRAWL_ERROR_UNSUPPORTED) /* no kernels for these */
        fail_msg("%s, %s, set %zu: %s", t->backend, engine, set, error.message);
    *searched += status == TRAWL_OK;
    trawl_plan_free(plan);
    trawl_context_close(usual);
}

static void test_backends(void **state)
{
    test_target targets[MAX_TARGETS + 2] = { { .backend = "serial" }, { .backend = "threads" } };
    const size_t count = 2 + targets_find(targets + 2);
    (void)state;
    for (size_t i = 0; i < 2; i++)
        targets[i].info.cpu = 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t searched = 0;
        for (size_t set = 0; set < COUNT(sets); set++)
            for (size_t e = 0; engine_choice(e); e++)
                search_on(&targets[i], set, engine_choice(e), &searched);
        print_message("%s: %u plans\n", targets[i].backend, searched);
        assert_true(searched > 20);
    }
}

/* A plan that memory does not suffice to check is not damaged. */
static void test_load(void **state)
{
    (void)state;
    for (size_t set = 0; set < COUNT(sets); set++) {
        counter c = { 0 };
        trawl_allocator from = { count_allocate, count_release, &c };
        trawl_plan *plan, *loaded = NULL;
        trawl_error error;
        size_t bytes = 0;
        memory m;
        assert_int_equal(compile(set, "auto", 0, NULL, &plan, &error), TRAWL_OK);
        const void *block = trawl_plan_save(plan, &bytes);
        memory_open(&m, &from, UINT64_MAX, "", "take less");
        assert_int_equal(plan_load(&m, block, bytes, &loaded, &error), TRAWL_OK);
        assert_same(loaded, plan);
        trawl_plan_free(loaded);
        assert_true(c.held == 0 && c.requests > 3);
        for (uint64_t requests = c.requests, k = 1; k <= requests; k++) {
            c = (counter){ .fails_at = k };
            loaded = NULL;
            memory_open(&m, &from, UINT64_MAX, "", "take less");
            const int status = plan_load(&m, block, bytes, &loaded, &error);
            assert_refused("load", status, TRAWL_ERROR_MEMORY, loaded, &c, &error);
        }
        trawl_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_compile),      cmocka_unit_test(test_shared_prefixes),
        cmocka_unit_test(test_long_repeats), cmocka_unit_test(test_long_literals),
        cmocka_unit_test(test_options),      cmocka_unit_test(test_context),
        cmocka_unit_test(test_backends),     cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
