/* test_device_result.c: what is found stays on a device: trawl_collect_device, trawl_count_device,
 * and trawl_count_each on contexts of devices.
 *
 * What is expected comes from the serial backend, which test_differential.c holds to the oracle.
 * targets.h says which devices take part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_device.h"
#include "random.h"
#include "targets.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 400
#define GUARD UINT64_C(0x5a5a5a5a5a5a5a5a)

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

static trawl_pattern extended(const char *text)
{
    return (trawl_pattern){ text, strlen(text), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
}

static int by_place(const void *a, const void *b)
{
    const trawl_device_match *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

/* ---- what is expected ------------------------------------------------------------------- */

typedef struct expected {
    trawl_device_match *matches; /* sorted */
    uint64_t *counts;
    size_t count, given;
} expected;

static expected expect(const trawl_plan *plan, const char *text, size_t length,
                       const trawl_scan_options *options)
{
    expected e = { 0 };
    trawl_match *found = NULL;
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    e.given = info.patterns;
    e.counts = calloc(e.given, sizeof *e.counts);
    assert_int_equal(trawl_collect(serial, plan, text, length, options, &found, &e.count, NULL),
                     TRAWL_OK);
    e.matches = malloc((e.count + 1) * sizeof *e.matches);
    assert_true(e.counts && e.matches);
    for (size_t i = 0; i < e.count; i++) {
        const bool known = found[i].start != TRAWL_UNKNOWN;
        e.matches[i] =
            (trawl_device_match){ found[i].end, found[i].pattern,
                                  known ? (uint32_t)(found[i].end - found[i].start) : 0 };
        e.counts[found[i].pattern]++;
    }
    qsort(e.matches, e.count, sizeof *e.matches, by_place);
    trawl_matches_free(found);
    return e;
}

static void expected_free(expected *e)
{
    free(e->matches);
    free(e->counts);
}

/* ---- what a device says ------------------------------------------------------------------- */

/* Memory of a device with room for matches and counts; after each stands a guard. */
typedef struct room {
    void *memory;
    trawl_device_result result;
    size_t given;
} room;

static room room_open(own_device *o, uint64_t capacity, size_t given)
{
    room r = { .result = TRAWL_DEVICE_RESULT_INIT, .given = given };
    const size_t matches = (size_t)capacity * sizeof(trawl_device_match);
    const size_t bytes = 16 + matches + 8 + given * sizeof(uint64_t) + 8;
    uint64_t *guards = malloc(bytes);
    assert_non_null(guards);
    for (size_t i = 0; i < bytes / 8; i++)
        guards[i] = GUARD;
    r.memory = own_memory(o, bytes);
    own_write(o, r.memory, 0, guards, bytes);
    r.result.matches = r.result.counts = r.memory;
    r.result.matches_offset = 16;
    r.result.capacity = capacity;
    r.result.counts_offset = 16 + matches + 8;
    free(guards);
    return r;
}

static bool is_one_of(const trawl_device_match *m, const expected *e)
{
    const trawl_device_match *same =
        e->count ? bsearch(m, e->matches, e->count, sizeof *m, by_place) : NULL;
    return same && same->length == m->length;
}

static void room_check(own_device *o, const room *r, int status, const expected *e,
                       const char *what)
{
    const uint64_t kept = e->count < r->result.capacity ? e->count : r->result.capacity;
    const size_t words = 2 + 2 * (size_t)r->result.capacity + 1 + r->given + 1;
    uint64_t *all = malloc(8 * words);
    assert_non_null(all);
    own_read(o, r->memory, 0, all, 8 * words);
    if (status != (kept < e->count ? TRAWL_LIMITED : TRAWL_OK) || r->result.count != e->count)
        fail_msg("%s: status %d, %llu matches, %zu expected", what, status,
                 (unsigned long long)r->result.count, e->count);
    trawl_device_match *matches = (trawl_device_match *)(void *)(all + 2);
    qsort(matches, (size_t)kept, sizeof *matches, by_place);
    for (size_t i = 0; i < kept; i++)
        if (!is_one_of(&matches[i], e) || (i && by_place(&matches[i - 1], &matches[i]) == 0))
            fail_msg("%s: match %zu of %zu ends at %llu, pattern %u, length %u: no such one is "
                     "expected, or twice",
                     what, i, e->count, (unsigned long long)matches[i].end, matches[i].pattern,
                     matches[i].length);
    for (size_t i = 2 + 2 * (size_t)kept; i < 3 + 2 * r->result.capacity; i++)
        assert_int_equal(all[i], GUARD);
    assert_memory_equal(all + words - 1 - r->given, e->counts, 8 * r->given);
    assert_true(all[0] == GUARD && all[1] == GUARD && all[words - 1] == GUARD);
    free(all);
}

/* A plan over a text of the device, with room for a share of its matches, `of` 4. False: the device
 * has no kernels for the plan. */
static bool collect(bench *b, const trawl_plan *plan, trawl_device_text *there, const char *text,
                    const trawl_scan_options *options, uint64_t quarters, const char *what)
{
    expected e = expect(plan, text, there->length, options);
    trawl_error error = { 0 };
    uint64_t count = 0;
    room r = room_open(&b->own, e.count * quarters / 4, e.given);
    int status = trawl_collect_device(b->context, plan, there, options, &r.result, &error);
    const bool runs = status != TRAWL_ERROR_UNSUPPORTED;
    if (!runs && !strstr(error.message, "no kernels"))
        fail_msg("%s: %s", what, error.message);
    if (runs) {
        if (status < 0)
            fail_msg("%s: %s", what, error.message);
        room_check(&b->own, &r, status, &e, what);
        assert_int_equal(trawl_count_device(b->context, plan, there, options, &count, NULL),
                         TRAWL_OK);
        assert_int_equal(count, e.count);
        uint64_t *counts = malloc(e.given * sizeof *counts);
        assert_non_null(counts);
        assert_int_equal(
            trawl_count_each(b->context, plan, text, there->length, options, counts, NULL),
            TRAWL_OK);
        if (memcmp(counts, e.counts, e.given * sizeof *counts) != 0)
            fail_msg("%s: trawl_count_each counts otherwise", what);
        free(counts);
    }
    own_memory_free(&b->own, r.memory);
    expected_free(&e);
    return runs;
}

static trawl_device_text place(own_device *o, const void *text, size_t length)
{
    trawl_device_text t = TRAWL_DEVICE_TEXT_INIT;
    t.memory = own_memory(o, length + 1);
    t.length = length;
    own_write(o, t.memory, 0, text, length);
    return t;
}

/* ---- any patterns ---------------------------------------------------------------------- */

static void test_random(void **state)
{
    static const char *const engines[] = { "auto", "ac", "pfac/ac", "wm/ac", "shiftand", "hnfa" };
    const uint64_t seed = test_seed(), cases = test_cases(CASES);
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        for (uint64_t i = 0; i < cases; i++) {
            scenario s;
            char what[64];
            rng r = { ~(seed + i) };
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            scenario_make(&s, seed + i, 20000);
            options.base = rng_below(&r, 2) * UINT64_C(5000000000);
            snprintf(what, sizeof what, "TRAWL_TEST_SEED=%llu", (unsigned long long)s.seed);
            trawl_device_text there = place(&b.own, s.text, s.length);
            trawl_plan *plan = s.bordered ? NULL
                                          : target_compile(s.patterns, s.count,
                                                           engines[rng_below(&r, COUNT(engines))]);
            if (plan)
                collect(&b, plan, &there, (const char *)s.text, &options, rng_below(&r, 6), what);
            trawl_plan_free(plan);
            own_memory_free(&b.own, there.memory);
            scenario_free(&s);
        }
        bench_close(&b);
    }
}

/* Many more matches than a lane has room for: pieces are searched again in stretches. */
static void test_crowds(void **state)
{
    static const char *const patterns[] = { "a", "aa", "a[ab]a", "aaaaaaaaaaaa", "b" };
    static const char *const engines[] = { "auto", "ac", "shiftand" };
    const size_t length = test_sanitized() ? 100001 : 400001;
    trawl_pattern list[COUNT(patterns)];
    char *text = malloc(length);
    (void)state;
    assert_non_null(text);
    memset(text, 'a', length);
    for (size_t i = 0; i < length; i += 9973)
        text[i] = 'b';
    for (size_t i = 0; i < COUNT(patterns); i++)
        list[i] = extended(patterns[i]);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=128");
        trawl_device_text there = place(&b.own, text, length);
        for (size_t e = 0; e < COUNT(engines); e++) {
            trawl_plan *plan =
                target_compile(list, strcmp(engines[e], "ac") == 0 ? 2 : COUNT(list), engines[e]);
            assert_true(collect(&b, plan, &there, text, NULL, 3 + e, engines[e]));
            trawl_plan_free(plan);
        }
        own_memory_free(&b.own, there.memory);
        bench_close(&b);
    }
    free(text);
}

/* a^k b for k from 1 to 200 in runs of a: pfac gives up, and its fallback's matches count once. */
static void test_giving_up(void **state)
{
    enum { PATTERNS = 200, RUN = 3001 };
    static char written[PATTERNS][PATTERNS + 2];
    static trawl_pattern list[PATTERNS];
    const size_t length = test_sanitized() ? 50000 : 300000;
    char *text = malloc(length);
    (void)state;
    assert_non_null(text);
    memset(text, 'a', length);
    for (size_t at = RUN; at < length; at += RUN + 1)
        text[at] = 'b';
    for (size_t i = 0; i < PATTERNS; i++) {
        memset(written[i], 'a', i + 1);
        written[i][i + 1] = 'b';
        list[i] = (trawl_pattern){ written[i], i + 2, TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    trawl_plan *plan = target_compile(list, PATTERNS, "pfac/ac");
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        trawl_device_text there = place(&b.own, text, length);
        assert_true(collect(&b, plan, &there, text, NULL, 4, "giving up"));
        own_memory_free(&b.own, there.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free(text);
}

/* More patterns than are counted in local memory, in two parts. */
static void test_many_patterns(void **state)
{
    enum { MANY = 5000, LENGTH = 300000 };
    static char written[MANY][8], text[LENGTH];
    static trawl_pattern list[MANY];
    rng r = { 11 };
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(written[i], sizeof written[i], "w%zuz", i % 4900);
        list[i] =
            (trawl_pattern){ written[i], strlen(written[i]), TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    list[MANY - 1] = extended("z.{1,3}w[0-3]+[4-6]");
    for (size_t at = 0; at < LENGTH;)
        at += (size_t)snprintf(text + at, LENGTH - at, "w%uz.", rng_below(&r, 5000));
    trawl_plan *plan = target_compile(list, MANY - 1, "auto"),
               *both = target_compile(list, MANY, "auto");
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        trawl_device_text there = place(&b.own, text, LENGTH);
        assert_true(collect(&b, plan, &there, text, NULL, 4, "many"));
        assert_true(collect(&b, both, &there, text, NULL, 2, "many, and one that repeats"));
        own_memory_free(&b.own, there.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    trawl_plan_free(both);
}

/* With too little memory on the device the CPU counts a text of the host; nothing counts twice. */
static void test_little_memory(void **state)
{
    enum { MANY = 4000, LENGTH = 300000 };
    static char written[MANY][8], text[LENGTH];
    static trawl_pattern list[MANY];
    uint64_t counts[MANY];
    rng r = { 3 };
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(written[i], sizeof written[i], "w%zuz", i);
        list[i] =
            (trawl_pattern){ written[i], strlen(written[i]), TRAWL_SYNTAX_LITERAL, 0, 0, NULL };
    }
    for (size_t at = 0; at < LENGTH;)
        at += (size_t)snprintf(text + at, LENGTH - at, "w%uz.", rng_below(&r, 5000));
    trawl_plan *plan = target_compile(list, MANY, "ac");
    expected e = expect(plan, text, LENGTH, NULL);
    for (size_t t = 0; t < target_count; t++) {
        static const char *const tunings[] = { "memory=1", "memory=2", "memory=3,piece=64" };
        for (size_t i = 0; i < COUNT(tunings); i++) {
            trawl_context *context = target_open(&targets[t], targets[t].device, tunings[i]);
            assert_int_equal(trawl_count_each(context, plan, text, LENGTH, NULL, counts, NULL),
                             TRAWL_OK);
            assert_memory_equal(counts, e.counts, sizeof counts);
            trawl_context_close(context);
        }
    }
    expected_free(&e);
    trawl_plan_free(plan);
}

/* ---- what cannot be ---------------------------------------------------------------------- */

static void refuse(bench *b, const trawl_plan *plan, const trawl_device_text *text,
                   const trawl_scan_options *options, trawl_device_result *result,
                   const char *words)
{
    trawl_error error = { 0 };
    const int status = trawl_collect_device(b->context, plan, text, options, result, &error);
    if (status != TRAWL_ERROR_ARGUMENT || !strstr(error.message, words))
        fail_msg("status %d where an argument is wrong with '%s': %s", status, words,
                 error.message);
}

static void test_refused(void **state)
{
    const trawl_pattern p = extended("needle");
    trawl_plan *plan = target_compile(&p, 1, "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        trawl_device_text there = place(&b.own, "a needle", 8);
        room good = room_open(&b.own, 100, 1);
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        uint64_t count;
        refuse(&b, plan, &there, NULL, NULL, "result");
        trawl_device_result bad = good.result;
        bad.size = 8;
        refuse(&b, plan, &there, NULL, &bad, "size");
        bad = good.result;
        bad.matches_offset = 4;
        refuse(&b, plan, &there, NULL, &bad, "multiples of 8");
        bad = good.result;
        bad.capacity = UINT64_MAX;
        refuse(&b, plan, &there, NULL, &bad, "capacity");
        bad = good.result;
        bad.capacity = 1000;
        refuse(&b, plan, &there, NULL, &bad, "where the result goes");
        bad = good.result;
        bad.counts_offset += 8;
        bad.counts_offset *= 1000;
        refuse(&b, plan, &there, NULL, &bad, "where the result goes");
        options.max_matches = 1;
        bad = good.result;
        refuse(&b, plan, &there, &options, &bad, "max_matches");
        assert_int_equal(trawl_count_device(b.context, plan, &there, NULL, NULL, NULL),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_count_device(serial, plan, &there, NULL, &count, NULL),
                         TRAWL_ERROR_UNSUPPORTED);
        there.length = 0;
        assert_int_equal(trawl_collect_device(b.context, plan, &there, NULL, &good.result, NULL),
                         TRAWL_OK);
        assert_int_equal(good.result.count, 0);
        there.memory = NULL; /* nothing is held, and counts must arrive all the same */
        assert_int_equal(trawl_collect_device(b.context, plan, &there, NULL, &good.result, NULL),
                         TRAWL_OK);
        there.device = 99;
        bad = good.result;
        refuse(&b, plan, &there, NULL, &bad, "device is 99");
        own_memory_free(&b.own, good.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
}

int main(int argc, char **argv)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    serial = target_cpu("serial", 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_giving_up),     cmocka_unit_test(test_many_patterns),
        cmocka_unit_test(test_little_memory), cmocka_unit_test(test_refused),
    };
    if (argc > 1) /* one of them: under a sanitizer all take long */
        cmocka_set_test_filter(argv[1]);
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    trawl_context_close(serial);
    return status;
}
