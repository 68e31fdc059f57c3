/* test_memory.c: memory is counted, bounded and given back, wherever it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

/* ---- an allocator that counts ------------------------------------------------- */

typedef struct counter {
    uint64_t held, most; /* bytes */
    uint64_t requests;
    uint64_t fails_at; /* the request that gets nothing, from 1 on; 0: none */
} counter;

static void *count_allocate(void *user, size_t bytes)
{
    counter *c = user;
    if (++c->requests == c->fails_at)
        return NULL;
    c->held += bytes;
    c->most = c->held > c->most ? c->held : c->most;
    return malloc(bytes);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
