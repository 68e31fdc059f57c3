/* test_bitslice.c: bit-sliced search of texts of several blocks, against shiftand; on CPUs with
 * every instruction set, and on devices in tiles of every length. And which devices it is planned
 * for.
 *
 * The oracle is too slow for them; test_differential holds shiftand to it. A block is some 120 KB.
 * A scenario is some patterns of classes and gaps, and a text in which calm stretches, dense ones
 * and pieces that fit come in turns, so that blocks are given up after others that were not, with
 * matches that begin before their border and have what is rare in them after it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/classes/bitslice/layout.h"
#include "engines/planner/planner.h"
#include "engines/shared/costs.h"
#include "engines/shared/engine.h"
#include "engines/shared/walk.h"
#include "fence.h"
#include "random.h"
#include "targets.h"
#include "trawl.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define SCENARIOS 60

enum { MAX_PATTERNS = 12, WRITTEN = 800, MAX_TEXT = 500000, MAX_SAMPLE = 300, BLOCK = 512 * 240 };

typedef struct slices {
    uint64_t seed;
    trawl_pattern patterns[MAX_PATTERNS];
    char written[MAX_PATTERNS][WRITTEN];
    uint8_t fits[MAX_PATTERNS][MAX_SAMPLE]; /* what the pattern matches */
    size_t fit_length[MAX_PATTERNS];
    size_t count;
    uint8_t *text;
    size_t length;
} slices;

static void append(char *to, size_t room, const char *format, ...)
{
    const size_t length = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + length, room - length, format, arguments);
    va_end(arguments);
}

/* Common letters are the first four, the others are rare. They are a to h, or bytes at the ends of
 * what there is, and line ends. */
static const uint8_t *letters_of(rng *r)
{
    static const uint8_t plain[] = "abcdefgh";
    static const uint8_t odd[] = { 'a', 0xfe, 'c', 0x80, 0, 0xff, '\n', 'h' };
    return rng_chance(r, 2) ? plain : odd;
}

static void write_pattern(rng *r, const uint8_t *letters, char *to, slices *s, size_t number)
{
    uint32_t slack = 0;
    to[0] = '\0';
    for (uint32_t n = rng_between(r, 2, 14); n > 0; n--) {
        const uint32_t which = rng_chance(r, 3) ? 4 + rng_below(r, 4) : rng_below(r, 4);
        const uint32_t high = rng_chance(r, 3) ? rng_between(r, 1, 40) : rng_between(r, 1, 6);
        const uint32_t low = rng_below(r, high + 1);
        if (rng_chance(r, 2))
            append(to, WRITTEN, "\\x%02x", letters[which]);
        else
            append(to, WRITTEN, "[\\x%02x\\x%02x\\x%02x]", letters[which], letters[6], letters[1]);
        s->fits[number][s->fit_length[number]++] = letters[which];
        if (n == 1 || !rng_chance(r, 3) || slack + high > 120)
            continue;
        slack += high;
        if (rng_chance(r, 2))
            append(to, WRITTEN, ".{%u,%u}", low, high);
        else
            append(to, WRITTEN, "[\\x%02x\\x%02x\\x%02x\\x%02x\\x%02x]{%u,%u}", letters[0],
                   letters[1], letters[2], letters[3], letters[6], low, high);
        for (uint32_t k = rng_between(r, low, high); k > 0; k--)
            s->fits[number][s->fit_length[number]++] = letters[rng_below(r, 4)];
    }
}

static void write_fitting(rng *r, slices *s, size_t *at)
{
    const size_t number = rng_below(r, (uint32_t)s->count);
    for (size_t i = 0; i < s->fit_length[number] && *at < s->length; i++)
        s->text[(*at)++] = s->fits[number][i];
}

/* Calm as far as the end of the first block, and then dense, or stretches of all kinds. */
static void make(rng *r, slices *s)
{
    const uint8_t *letters = letters_of(r);
    s->count = rng_between(r, 1, MAX_PATTERNS);
    for (size_t i = 0; i < s->count; i++) {
        write_pattern(r, letters, s->written[i], s, i);
        s->patterns[i] = (trawl_pattern){ .text = s->written[i],
                                          .length = strlen(s->written[i]),
                                          .syntax = TRAWL_SYNTAX_EXTENDED,
                                          .id = (uint32_t)i };
    }
    const bool calm_first = rng_chance(r, 2);
    s->length = calm_first         ? rng_between(r, 2 * BLOCK, MAX_TEXT)
                : rng_chance(r, 3) ? rng_between(r, 1, 20000)
                                   : rng_between(r, 100000, MAX_TEXT);
    s->text = fenced_text(s->length, rng_chance(r, 2));
    memset(s->text, 'z', s->length);
    for (size_t at = calm_first ? BLOCK : 0; at < s->length;) {
        const size_t end = calm_first ? s->length : at + rng_between(r, 1, 100000);
        const uint32_t kind = calm_first ? 1 : rng_below(r, 3);
        for (; at < end && at < s->length; at++)
            if (rng_chance(r, kind == 0 ? 2000 : 60))
                write_fitting(r, s, &at);
            else if (kind > 0)
                s->text[at] = letters[rng_below(r, kind == 1 ? 4 : 8)];
    }
    for (size_t at = BLOCK - 200; calm_first && at < BLOCK + 100;)
        write_fitting(r, s, &at);
}

static void failed(const slices *s, const char *what, const char *isa)
{
    printf("\n%s, %s\nTRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_bitslice\n%zu bytes\n", what,
           isa, (unsigned long long)s->seed, s->length);
    for (size_t i = 0; i < s->count; i++)
        printf("pattern %zu: %s\n", i, s->written[i]);
    fflush(stdout);
    fail();
}

static trawl_plan *compile(const slices *s, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    options.engine = engine;
    options.sample = s->text;
    options.sample_length = s->length;
    if (trawl_compile(s->patterns, s->count, &options, &plan, &error) != TRAWL_OK)
        failed(s, error.message, "");
    return plan;
}

/* All ends in order, as one number, and how many. */
static int add(const trawl_match *matches, size_t count, void *user)
{
    uint64_t *sum = user;
    for (size_t i = 0; i < count; i++)
        sum[0] = (sum[0] ^ matches[i].end << 8 ^ matches[i].pattern) * 0x9E3779B97F4A7C15u;
    sum[1] += count;
    return 0;
}

static void scan_on_cpu(const slices *s, const trawl_plan *plan, const char *isa, uint32_t chunks,
                        uint64_t sum[2])
{
    trawl_context_options open = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context;
    trawl_error error = { 0 };
    open.backend = "serial";
    open.chunks = chunks;
    open.isa = isa;
    sum[0] = sum[1] = 0;
    if (trawl_context_open(&open, &context, &error) != TRAWL_OK ||
        trawl_scan(context, plan, s->text, s->length, NULL, add, sum, &error) != TRAWL_OK)
        failed(s, error.message, isa ? isa : "auto");
    trawl_context_close(context);
}

/* Tiles and group sizes are few, those of test_devices: some drivers compile a kernel anew for
 * each. */
static const char *const tunings[] = { NULL, "chars=48,piece=100",
                                       "chars=32,group=64,queues=2,piece=64",
                                       "chars=96,group=64,blocks=1,piece=100" };
enum { TUNINGS = sizeof tunings / sizeof *tunings, ON_DEVICES = 4 };
static test_target targets[MAX_TARGETS];
static trawl_context *on_device[MAX_TARGETS][TUNINGS];
static size_t target_count;

static void scan_on_devices(const slices *s, const trawl_plan *plan, const char *engine,
                            const uint64_t expected[2])
{
    for (size_t i = 0; i < target_count * TUNINGS; i++) {
        const test_target *t = &targets[i / TUNINGS];
        trawl_context **context = &on_device[i / TUNINGS][i % TUNINGS];
        trawl_error error = { 0 };
        uint64_t found[2] = { 0, 0 }, count = 0;
        char what[200];
        snprintf(what, sizeof what, "%s, tuning %s, device", t->backend,
                 tunings[i % TUNINGS] ? tunings[i % TUNINGS] : "none");
        if (!*context)
            *context = target_open(t, t->device, tunings[i % TUNINGS]);
        if (trawl_scan(*context, plan, s->text, s->length, NULL, add, found, &error) != TRAWL_OK ||
            trawl_count(*context, plan, s->text, s->length, NULL, &count, &error) != TRAWL_OK)
            failed(s, error.message, what);
        if (memcmp(expected, found, sizeof found) != 0 || count != expected[1])
            failed(s, engine, what);
    }
}

static void run(const slices *s, uint64_t *ends)
{
    static const char *const engines[] = { "bitslice", "bitslice/shiftand" };
    static const uint32_t chunks[] = { 1, 3 };
    uint64_t expected[2], found[2];
    trawl_plan *plan = compile(s, "shiftand");
    scan_on_cpu(s, plan, NULL, 1, expected);
    trawl_plan_free(plan);
    for (size_t e = 0; e < 2; e++) {
        plan = compile(s, engines[e]);
        for (size_t i = 0; trawl_isa_name(i); i++)
            for (size_t c = 0; c < 2; c++) {
                scan_on_cpu(s, plan, trawl_isa_name(i), chunks[c], found);
                if (memcmp(expected, found, sizeof found) != 0)
                    failed(s, engines[e], trawl_isa_name(i));
            }
        if (s->seed % ON_DEVICES == 0) /* all of them would take long where a CPU is the device */
            scan_on_devices(s, plan, engines[e], expected);
        trawl_plan_free(plan);
    }
    *ends += expected[1];
}

static void test_blocks(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(SCENARIOS);
    uint64_t ends = 0;
    (void)state;
    for (uint64_t i = 0; i < wanted && i < SCENARIOS; i++) {
        rng r = { seed + i };
        slices s = { .seed = seed + i };
        make(&r, &s);
        run(&s, &ends);
        fenced_free(s.text, s.length);
    }
    printf("%llu ends\n", (unsigned long long)ends);
}

/* ---- batches ------------------------------------------------------------------------- */

enum { PATTERNS = 160, PARTS = 3, PART = 80 * 4 + 3 };

/* So many classes that their rows are not all in local memory, which is so large on no device. */
static void test_batches(void **state)
{
    static const char *const together[] = { NULL, "group=64" };
    static char written[PATTERNS][PARTS * PART];
    static trawl_pattern patterns[PATTERNS];
    static uint8_t text[100000];
    rng r = { test_seed() };
    trawl_plan *plans[2];
    uint64_t expected[2] = { 0, 0 };
    (void)state;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        written[i][0] = '\0';
        for (uint32_t k = 0; k < PARTS; k++) {
            append(written[i], sizeof written[i], "[");
            for (uint32_t n = 0; n < 12; n++)
                append(written[i], sizeof written[i], "\\x%02x", rng_below(&r, 256));
            append(written[i], sizeof written[i], "]");
        }
        patterns[i] = (trawl_pattern){ .text = written[i],
                                       .length = strlen(written[i]),
                                       .syntax = TRAWL_SYNTAX_EXTENDED,
                                       .id = i };
    }
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)rng_below(&r, 256);
    plans[0] = target_compile(patterns, PATTERNS, "shiftand");
    plans[1] = target_compile(patterns, PATTERNS, "bitslice/shiftand");
    trawl_context *serial = NULL;
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = "serial";
    assert_int_equal(trawl_context_open(&options, &serial, NULL), TRAWL_OK);
    assert_int_equal(trawl_scan(serial, plans[0], text, sizeof text, NULL, add, expected, NULL),
                     TRAWL_OK);
    for (size_t i = 0; i < target_count * 2; i++) {
        const test_target *t = &targets[i / 2];
        trawl_context *context = target_open(t, t->device, together[i % 2]);
        uint64_t found[2] = { 0, 0 }, count = 0;
        trawl_error error = { 0 };
        if (trawl_scan(context, plans[1], text, sizeof text, NULL, add, found, &error) ||
            trawl_count(context, plans[1], text, sizeof text, NULL, &count, &error))
            fail_msg("%s", error.message);
        assert_memory_equal(found, expected, sizeof found);
        assert_int_equal(count, expected[1]);
        trawl_context_close(context);
    }
    printf("%llu ends\n", (unsigned long long)expected[1]);
    trawl_context_close(serial);
    trawl_plan_free(plans[0]);
    trawl_plan_free(plans[1]);
}

/* ---- plans for devices ---------------------------------------------------------------- */

enum { MOTIFS = 300, MOTIF = 160 };

/* The most rows of a part that bitslice searches, or 0. */
static uint32_t rows_of(const trawl_plan *plan)
{
    const plan_part *parts = plan_parts(plan);
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan_head(plan)->part_count; i++) {
        const plan_stage *stage = part_stages(plan, &parts[i]);
        const bitslice_tables *t = (const bitslice_tables *)stage_tables(plan, stage);
        if (stage->kind == WALK_BITSLICE && t->rows > most)
            most = t->rows;
    }
    return most;
}

/* Motifs of classes of some of 20 letters. */
static void write_motif(rng *r, uint32_t classes, char to[MOTIF])
{
    static const char letters[] = "ACDEFGHIKLMNPQRSTVWY";
    size_t length = 0;
    for (uint32_t n = rng_between(r, 4, 9); n > 0; n--) {
        rng class = { rng_below(r, classes) };
        to[length++] = '[';
        for (uint32_t k = rng_between(&class, 1, 5); k > 0; k--)
            to[length++] = letters[rng_below(&class, 20)];
        to[length++] = ']';
    }
    to[length] = '\0';
}

static trawl_plan *planned(const problem *p, const char *engine)
{
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    if (plan_make(p, engine, &plan, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return plan;
}

/* bitslice is offered where the rows of its tables find room in a group's local memory, and there
 * alone, for else the device would search by the fallback. CPUs have no such limit. */
static void test_local_memory(void **state)
{
    static const uint32_t kibs[] = { 8, 16, 32, 48, 227 };
    enum { LOCALS = sizeof kibs / sizeof *kibs };
    const uint64_t seed = test_seed();
    static char written[MOTIFS][MOTIF];
    static trawl_pattern patterns[MOTIFS];
    static memory heap = { .limit = UINT64_MAX };
    uint32_t offered[LOCALS] = { 0 };
    (void)state;
    for (uint32_t turn = 0; turn < 12; turn++) {
        rng r = { seed + turn };
        const uint32_t count = rng_between(&r, 30, MOTIFS), classes = 8u << turn % 6;
        pattern_list list;
        for (uint32_t i = 0; i < count; i++) {
            write_motif(&r, classes, written[i]);
            patterns[i] = (trawl_pattern){ .text = written[i],
                                           .length = strlen(written[i]),
                                           .syntax = TRAWL_SYNTAX_EXTENDED,
                                           .id = i };
        }
        assert_int_equal(pattern_list_make(&heap, patterns, count, NULL, &list, NULL), TRAWL_OK);
        for (uint32_t i = 0; i <= LOCALS; i++) {
            const bool cpu = i == LOCALS;
            const uint64_t bytes = (uint64_t)kibs[cpu ? 0 : i] << 10;
            const problem p = { .memory = &heap,
                                .list = &list,
                                .sample = profile_of(NULL, 0, &list),
                                .target = { .gpu = true,
                                            .cpu = cpu,
                                            .local_bytes = (uint32_t)bytes,
                                            .threads = 1,
                                            .isa = ISA_AVX2 } };
            trawl_plan *named = planned(&p, "bitslice"), *chosen = planned(&p, "auto");
            const uint64_t rows = rows_of(named), taken = rows_of(chosen);
            const bool fits = cpu || 4 * (BITSLICE_LOCAL + BITSLICE_LOCAL_ROW * rows) <= bytes;
            const bool offers = engine_by_name("bitslice")->cost(&p) < COST_IMPOSSIBLE;
            if (offers != fits)
                fail_msg("seed %llu: %llu rows for %u KiB", (unsigned long long)(seed + turn),
                         (unsigned long long)rows, (uint32_t)(bytes >> 10));
            if (!cpu && taken && 4 * (BITSLICE_LOCAL + BITSLICE_LOCAL_ROW * taken) > bytes)
                fail_msg("seed %llu: auto", (unsigned long long)(seed + turn));
            if (!cpu)
                offered[i] += offers;
            trawl_plan_free(named);
            trawl_plan_free(chosen);
        }
        pattern_list_free(&list);
    }
    assert_true(offered[0] < offered[2] && offered[1] < offered[3]);
}

static int find_devices(void **state)
{
    (void)state;
    target_count = targets_find(targets);
    return 0;
}

static int close_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < target_count * TUNINGS; i++)
        trawl_context_close(on_device[i / TUNINGS][i % TUNINGS]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_local_memory),
                                        cmocka_unit_test(test_batches),
                                        cmocka_unit_test(test_blocks) };
    return cmocka_run_group_tests(tests, find_devices, close_devices);
}
