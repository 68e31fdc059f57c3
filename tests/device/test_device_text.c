/* test_device_text.c: trawl_scan_device: texts that are in a device's memory already, put there by
 * the driver's own calls (own_device.h).
 *
 * What is expected comes from the serial backend, which test_differential.c holds to the oracle.
 * Around a text stand bytes that would match. targets.h says which devices take part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/shared/device/kernel.h"
#include "engines/shared/engine.h"
#include "own_device.h"
#include "plan/plan.h"
#include "random.h"
#include "scan/scan.h"
#include "targets.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 1500

static test_target targets[MAX_TARGETS];
static size_t target_count;
static trawl_context *serial;

static trawl_pattern pattern_of(const char *text, trawl_syntax syntax, uint32_t flags)
{
    return (trawl_pattern){ text, strlen(text), syntax, flags, 0, NULL };
}

static trawl_plan *compile_extended(const char *text, const char *engine)
{
    const trawl_pattern p = pattern_of(text, TRAWL_SYNTAX_EXTENDED, 0);
    return target_compile(&p, 1, engine);
}

/* ---- comparing --------------------------------------------------------------------------- */

typedef struct found {
    trawl_match *matches;
    size_t count, room, most; /* of `most` matches the last one stops the scan */
} found;

static int keep(const trawl_match *matches, size_t count, void *user)
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
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->matches, b->matches, a->count * sizeof *a->matches) == 0);
}

/* all[before .. before + length) as a text, within a buffer of the device that holds all of it. */
typedef struct placed {
    void *memory;
    trawl_device_text text;
} placed;

static placed place(own_device *o, const void *all, size_t bytes, size_t before, size_t length)
{
    placed p = { NULL, TRAWL_DEVICE_TEXT_INIT };
    p.memory = own_memory(o, bytes ? bytes : 1);
    own_write(o, p.memory, 0, all, bytes);
    p.text.memory = p.memory;
    p.text.offset = before;
    p.text.length = length;
    return p;
}

/* On the device as on the host. */
/* The matches of each pattern, counted there. */
static void check_each(bench *b, const trawl_plan *plan, const trawl_device_text *device,
                       const trawl_scan_options *options, const found *expected)
{
    trawl_plan_info info = { .size = sizeof info };
    assert_int_equal(trawl_plan_get_info(plan, &info), TRAWL_OK);
    uint64_t *each = calloc(2 * info.patterns, sizeof *each), *tally = each + info.patterns;
    assert_non_null(each);
    for (size_t i = 0; i < expected->count; i++)
        tally[expected->matches[i].pattern]++;
    assert_int_equal(trawl_count_each_device(b->context, plan, device, options, each, NULL),
                     TRAWL_OK);
    assert_memory_equal(each, tally, info.patterns * sizeof *each);
    free(each);
}

static void expect_same(bench *b, const trawl_plan *plan, const trawl_device_text *device,
                        const char *text, const trawl_scan_options *options, size_t most,
                        const char *what)
{
    found host = { .most = most }, there = { .most = most };
    trawl_error error = { 0 };
    const int expected =
        trawl_scan(serial, plan, text, device->length, options, keep, &host, &error);
    const int status = trawl_scan_device(b->context, plan, device, options, keep, &there, &error);
    const bool lacking = status == TRAWL_ERROR_UNSUPPORTED && strstr(error.message, "no kernels");
    if (!lacking && (status != expected || !same(&host, &there)))
        fail_msg("%s on %s device %s: %zu bytes at offset %zu: status %d, %zu matches; expected "
                 "status %d, %zu matches; %s",
                 what, b->target->backend, b->target->device, device->length, device->offset,
                 status, there.count, expected, host.count, status < 0 ? error.message : "");
    if (!lacking && !most && expected == TRAWL_OK)
        check_each(b, plan, device, options, &host);
    free(host.matches);
    free(there.matches);
}

/* ---- the same matches as on the host -------------------------------------------------------- */

/* Every engine that takes the patterns. */
static void scenario_on(bench *b, const scenario *s, rng *r)
{
    static const uint32_t least[] = { 0, 1, 15, 255, 256, 257, 512 };
    const uint32_t all = (uint32_t)s->length;
    const uint32_t before = rng_below(r, least[rng_below(r, COUNT(least))] % (all + 1) + 1);
    const uint32_t behind = least[rng_below(r, COUNT(least))] % (all - before + 1);
    const char *text = (const char *)s->text + before;
    placed p = place(&b->own, s->text, all, before, all - before - behind);
    char what[64];
    snprintf(what, sizeof what, "TRAWL_TEST_SEED=%llu", (unsigned long long)s->seed);
    for (size_t e = 0; e <= trawl_engine_count(); e++) {
        const char *engine = e == trawl_engine_count() ? "auto" : trawl_engine_name(e);
        if (strcmp(engine, "bitslice") == 0)
            engine = "bitslice/shiftand"; /* which devices know */
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        const struct engine *named = engine_by_name(engine);
        if (named && !device_walk_of(named->kind))
            continue; /* devices run its fallback, where there is one */
        trawl_plan *plan = target_compile(s->patterns, s->count, engine);
        if (!plan)
            continue;
        options.base = rng_below(r, 2) * 1000;
        options.max_matches = rng_chance(r, 3) ? rng_between(r, 1, 20) : 0;
        if (s->bordered) {
            found none = { .most = 0 };
            assert_int_equal(
                trawl_scan_device(b->context, plan, &p.text, &options, keep, &none, NULL),
                TRAWL_ERROR_UNSUPPORTED);
            trawl_plan_free(plan);
            continue;
        }
        expect_same(b, plan, &p.text, text, &options, rng_chance(r, 5) ? rng_between(r, 1, 20) : 0,
                    what);
        trawl_plan_free(plan);
    }
    own_memory_free(&b->own, p.memory);
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), cases = test_cases(CASES) / 5;
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (uint64_t i = 0; i < cases; i++) {
            scenario s;
            rng r = { ~(seed + i) };
            scenario_make(&s, seed + i, 3000);
            scenario_on(&b, &s, &r);
            scenario_free(&s);
        }
        bench_close(&b);
    }
}

/* Letters from a to c, a few words among them. */
static char *random_letters(size_t length)
{
    char *text = malloc(length);
    rng r = { 5 };
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + rng_below(&r, 3));
    for (size_t i = 0; i + 6 < length; i += 1 + rng_below(&r, 3000))
        memcpy(text + i, "needle", 6);
    return text;
}

/* The same with words across both borders, if there is room. */
static placed place_crossed(own_device *o, char *all, size_t before, size_t length, size_t behind)
{
    if (before > 1 && length > 3)
        memcpy(all + before - 2, "needle", 6);
    if (behind > 1 && length > 3)
        memcpy(all + before + length - 4, "needle", 6);
    return place(o, all, before + length + behind, before, length);
}

typedef struct way {
    const char *pattern, *engine, *tuning;
    bool second; /* pattern of another part: x*y */
} way;

static const way ways[] = {
    { "needle", "bm", "piece=64", false },
    { "needle", "wm", "piece=256", false },
    { "needle", "wm", "piece=64,texture=1", false },
    { "needle", "wm", "piece=256,texture=1", false },
    { "needle", "ac", "piece=64", false },
    { "needle", "ac", "piece=256,queues=1", false },
    { "needle", "pfac", "piece=256", false },
    { "needle", "qgrams", "piece=64", false },
    { "n[a-e]{2,90}le", "shiftand", "piece=256", false },
    { "n[a-e]{2,90}le", "hnfa", "piece=64", false },
    { "ne+[a-c]*le", "shiftand", "piece=256", false },
    { "le[a-c]+ne", "hnfa", "piece=64", false },
    { "le[a-e]*ne", "hnfa", "piece=256,queues=2", false },
    { "needle", "auto", "piece=256,queues=2", true },
    { "n[a-e]{9,4000}needle", "auto", "piece=64", false },
};

static trawl_plan *way_plan(const way *w)
{
    const trawl_pattern both[] = { pattern_of(w->pattern, TRAWL_SYNTAX_EXTENDED, 0),
                                   pattern_of("lea+[bc]*a+ne", TRAWL_SYNTAX_EXTENDED, 0) };
    return target_compile(both, w->second ? 2 : 1, w->engine);
}

/* Texts of many pieces, at places that do and do not suit kernels. */
static void test_pieces(void **state)
{
    static const struct {
        size_t before, behind;
    } places[] = { { 0, 0 },     { 0, 300 },  { 1, 1 },      { 16, 255 },
                   { 512, 256 }, { 4096, 0 }, { 777, 1200 }, { 100000, 100000 } };
    static const size_t lengths[] = { 0,      1,      65535,  65536,  65537, 66560,
                                      131072, 262144, 262143, 330000, 700001 };
    enum { LONGEST = 700001, PLACES = 200000 };
    char *all = random_letters(LONGEST + PLACES);
    (void)state;
    memset(all + 65000, 'a', 2000); /* states that live on across borders */
    for (size_t t = 0; t < target_count; t++) {
        for (size_t w = 0; w < COUNT(ways); w++) {
            bench b = bench_open(targets, t, ways[w].tuning);
            trawl_plan *plan = way_plan(&ways[w]);
            assert_non_null(plan);
            for (size_t i = 0; i < COUNT(lengths) * COUNT(places); i++) {
                const size_t length = lengths[i / COUNT(places)], k = i % COUNT(places);
                if (length != LONGEST && (i + w) % 7)
                    continue; /* others are for the next way */
                placed p = place_crossed(&b.own, all, places[k].before, length, places[k].behind);
                expect_same(&b, plan, &p.text, all + places[k].before, NULL, 0, ways[w].pattern);
                own_memory_free(&b.own, p.memory);
            }
            trawl_plan_free(plan);
            bench_close(&b);
        }
    }
    free(all);
}

/* Several windows; a context scans texts of the host in between. */
static void test_windows(void **state)
{
    static const char *const patterns[] = { "needle", "nee[a-d]*le" };
    const size_t length = test_sanitized() ? 1000003 : 70000003;
    char *all = random_letters(3 + length), *text = all + 3;
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        placed p = place_crossed(&b.own, all, 3, length, 0);
        for (size_t i = 0; i < COUNT(patterns); i++) {
            trawl_plan *plan = compile_extended(patterns[i], "auto");
            found host = { 0 };
            expect_same(&b, plan, &p.text, text, NULL, 0, patterns[i]);
            assert_int_equal(trawl_scan(b.context, plan, text, 100000, NULL, keep, &host, NULL),
                             TRAWL_OK);
            p.text.length = 100000;
            expect_same(&b, plan, &p.text, text, NULL, 0, patterns[i]);
            p.text.length = length;
            free(host.matches);
            trawl_plan_free(plan);
        }
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    free(all);
}

/* What begins aligned and does not end with its buffer is not copied; and is the caller's again. */
static void test_in_place(void **state)
{
    const size_t length = 1000000;
    char *text = random_letters(length + 4096);
    trawl_plan *plan = compile_extended("needle", "ac");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (size_t before = 0; before < 2; before++) {
            placed p = place(&b.own, text, length + 4096, 2048 + before, length);
            trawl_timing timing = { .size = sizeof timing };
            expect_same(&b, plan, &p.text, text + p.text.offset, NULL, 0, "in place");
            assert_true(own_alone(&b.own, p.memory));
            assert_int_equal(trawl_context_get_timing(b.context, &timing), TRAWL_OK);
            assert_int_equal(timing.to_device > 0, before);
            assert_int_equal(timing.pieces, 2 * (1 + before)); /* counted, too */
            own_memory_free(&b.own, p.memory);
        }
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free(text);
}

/* More matches than there is room for: stretches are searched again, and none is lost. */
static void test_crowds(void **state)
{
    static const char *const patterns[] = { "[ab]{1,2}", "a+b*" };
    const size_t length = test_sanitized() ? 300001 : 3000001;
    char *text = malloc(length + 105);
    (void)state;
    assert_non_null(text);
    memset(text, 'a', length + 105);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=256");
        placed p = place(&b.own, text, length + 105, 5, length);
        for (size_t i = 0; i < COUNT(patterns); i++) {
            const trawl_pattern many[] = { pattern_of(patterns[i], TRAWL_SYNTAX_EXTENDED, 0),
                                           pattern_of("a", TRAWL_SYNTAX_LITERAL, 0),
                                           pattern_of("aaa", TRAWL_SYNTAX_LITERAL, 0) };
            trawl_plan *plan = target_compile(many, COUNT(many), "auto");
            expect_same(&b, plan, &p.text, text, NULL, 0, patterns[i]);
            trawl_plan_free(plan);
        }
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    free(text);
}

/* ---- options ----------------------------------------------------------------------------------
 */

static void test_options(void **state)
{
    const trawl_pattern patterns[] = { pattern_of("ab", TRAWL_SYNTAX_LITERAL, TRAWL_ONCE),
                                       pattern_of("needle", TRAWL_SYNTAX_LITERAL, 0),
                                       pattern_of("dle", TRAWL_SYNTAX_LITERAL, 0) };
    const size_t length = 100001;
    char *all = random_letters(length + 22), *text = all + 11;
    trawl_plan *plan = target_compile(patterns, COUNT(patterns), "auto");
    trawl_plan *once = target_compile(patterns, 1, "auto");
    trawl_plan *variable = compile_extended("ne+dle", "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "piece=64");
        placed p = place_crossed(&b.own, all, 11, length, 11);
        found none = { 0 };
        trawl_error error = { 0 };
        for (uint32_t report = 0; report <= TRAWL_REPORT_EACH; report++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            options.report = report;
            options.base = 1000;
            expect_same(&b, plan, &p.text, text, &options, 0, "reports");
            expect_same(&b, once, &p.text, text, &options, 0, "TRAWL_ONCE");
            if (report == TRAWL_REPORT_ENDS)
                continue;
            assert_int_equal(
                trawl_scan_device(b.context, variable, &p.text, &options, keep, &none, &error),
                TRAWL_ERROR_UNSUPPORTED);
            assert_non_null(strstr(error.message, "TRAWL_REPORT_ENDS"));
        }
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        options.max_matches = 3;
        expect_same(&b, plan, &p.text, text, &options, 0, "max_matches");
        expect_same(&b, plan, &p.text, text, NULL, 3, "a callback that stops");
        options.max_matches = 0;
        options.max_steps = 50000;
        expect_same(&b, plan, &p.text, text, &options, 0, "max_steps");
        options.max_steps = 0;
        options.max_seconds = 1e-9;
        assert_int_equal(trawl_scan_device(b.context, plan, &p.text, &options, keep, &none, &error),
                         TRAWL_EXPIRED);
        assert_int_equal(none.count, 0);
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    trawl_plan_free(once);
    trawl_plan_free(variable);
    free(all);
}

/* ---- the caller's queue ------------------------------------------------------------------------
 */

/* The text comes late: without waiting for the queue nothing, or something else, is found. */
static void test_order(void **state)
{
    const size_t length = 300000;
    char *text = random_letters(length), *other = malloc(length + 300);
    trawl_plan *plans[] = { compile_extended("needle", "auto"),
                            compile_extended("le.*ne", "auto") };
    (void)state;
    assert_non_null(other);
    memset(other, 'n', length + 300);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        for (size_t i = 0; i < 2 * COUNT(plans); i++) {
            placed from = place(&b.own, text, length, 0, length);
            placed to = place(&b.own, other, length + 300 * (i % 2), 0, length);
            to.text.queue = b.own.queue;
            own_copy_late(&b.own, to.memory, from.memory, length);
            expect_same(&b, plans[i / 2], &to.text, text, NULL, 0, "a queue");
            own_finish(&b.own);
            own_memory_free(&b.own, from.memory);
            own_memory_free(&b.own, to.memory);
        }
        bench_close(&b);
    }
    for (size_t i = 0; i < COUNT(plans); i++)
        trawl_plan_free(plans[i]);
    free(text);
    free(other);
}

/* ---- what cannot be
 * ------------------------------------------------------------------------------ */

/* trawl_report_info.reads_again says which reports of a plan are refused. */
static void refuse_reports(bench *b, const trawl_device_text *text)
{
    static const char *const sets[] = { "needle", "ne+dle", "ne?dle", "\\bneedle", "n|needle" };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        trawl_plan *plan = compile_extended(sets[i], "auto");
        for (uint32_t report = 0; report <= TRAWL_REPORT_EACH; report++) {
            trawl_report_info info = { .size = sizeof info };
            trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
            found all = { 0 };
            options.report = report;
            assert_int_equal(trawl_plan_get_report(plan, report, &info, NULL), TRAWL_OK);
            assert_int_equal(trawl_scan_device(b->context, plan, text, &options, keep, &all, NULL),
                             info.reads_again ? TRAWL_ERROR_UNSUPPORTED : TRAWL_OK);
            free(all.matches);
        }
        trawl_plan_free(plan);
    }
}

static void refuse(trawl_context *context, const trawl_plan *plan, const trawl_device_text *text,
                   int expected, const char *words)
{
    found none = { 0 };
    trawl_error error = { 0 };
    const int status = trawl_scan_device(context, plan, text, NULL, keep, &none, &error);
    if (status != expected || none.count || !strstr(error.message, words))
        fail_msg("status %d where %d was expected with '%s': %s", status, expected, words,
                 error.message);
}

/* Memory and a queue of a context that Trawl does not use. */
static void refuse_stranger(bench *b, const trawl_plan *plan, const trawl_device_text *good)
{
    own_device stranger;
    own_open_stranger(&stranger, &b->own);
    placed p = place(&stranger, "needle", 6, 0, 6);
    trawl_device_text text = p.text;
    refuse(b->context, plan, &text, TRAWL_ERROR_ARGUMENT,
           b->own.cuda ? "primary context" : "native");
    text = *good;
    text.queue = stranger.queue;
    refuse(b->context, plan, &text, TRAWL_ERROR_ARGUMENT,
           b->own.cuda ? "primary context" : "another cl_context");
    own_memory_free(&stranger, p.memory);
    own_close(&stranger);
}

static void refuse_native(const bench *b, const trawl_plan *plan, const trawl_device_text *good)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    options.backend = b->own.cuda ? "cuda" : "serial";
    options.native = (void *)&options;
    assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "native"));
    assert_null(context);
    if (b->own.cuda)
        return;
    context = own_context(b->target, NULL, NULL); /* with a cl_context of its own */
    refuse(context, plan, good, TRAWL_ERROR_ARGUMENT, "native");
    trawl_context_close(context);
    for (size_t t = 0; t < target_count; t++) {
        if (strcmp(targets[t].backend, "opencl") != 0 || &targets[t] == b->target)
            continue;
        options.backend = "opencl";
        options.device = targets[t].device;
        options.native = b->own.context;
        assert_int_equal(trawl_context_open(&options, &context, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "was not made for"));
    }
}

static void test_refused(void **state)
{
    enum { ALL = 4096 }; /* drivers may round up what is shorter */
    static char on_host[ALL];
    trawl_plan *plan = compile_extended("needle", "auto");
    (void)state;
    memset(on_host, '.', ALL);
    memcpy(on_host, "needle needle", 13);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        placed p = place(&b.own, on_host, ALL, 0, ALL);
        trawl_device_text text = p.text;
        found all = { 0 };
        refuse(NULL, plan, &text, TRAWL_ERROR_ARGUMENT, "context");
        refuse(b.context, NULL, &text, TRAWL_ERROR_ARGUMENT, "plan");
        refuse(b.context, plan, NULL, TRAWL_ERROR_ARGUMENT, "text");
        assert_int_equal(trawl_scan_device(b.context, plan, &text, NULL, NULL, NULL, NULL),
                         TRAWL_ERROR_ARGUMENT);
        refuse(serial, plan, &text, TRAWL_ERROR_UNSUPPORTED, "trawl_scan");
        text.size = 8;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "size");
        text = p.text;
        text.reserved = 1;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "reserved");
        text = p.text;
        text.device = 1;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "device is 1");
        text = p.text;
        text.offset = 1;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "4096 bytes at offset 1");
        text.offset = SIZE_MAX - 5;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "outside of its buffer");
        text.offset = ALL + 1;
        text.length = 0;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "outside of its buffer");
        text = p.text;
        text.memory = NULL;
        refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "NULL");
        text.length = 0;
        expect_same(&b, plan, &text, "", NULL, 0, "nothing");
        if (b.own.cuda) {
            text = p.text;
            text.memory = on_host;
            refuse(b.context, plan, &text, TRAWL_ERROR_ARGUMENT, "trawl_scan");
        }
        refuse_stranger(&b, plan, &p.text);
        refuse_native(&b, plan, &p.text);
        refuse_reports(&b, &p.text);
        assert_int_equal(trawl_scan_device(b.context, plan, &p.text, NULL, keep, &all, NULL),
                         TRAWL_OK);
        assert_int_equal(all.count, 2);
        free(all.matches);
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
}

/* A cl_mem may be a part of another: what is after it is not the caller's to read. */
static void test_parts_of_buffers(void **state)
{
    const size_t length = 200000, first = 65536;
    char *text = random_letters(length + 1000);
    trawl_plan *plan = compile_extended("nee[d-l]+e", "auto");
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, NULL);
        placed p = place(&b.own, text, length + 1000, 0, length);
        p.text.memory = own_part(&b.own, p.memory, first, 100000);
        if (p.text.memory) {
            p.text.offset = 7;
            p.text.length = 100000 - 7;
            expect_same(&b, plan, &p.text, text + first + 7, NULL, 0, "a part");
            p.text.length++;
            refuse(b.context, plan, &p.text, TRAWL_ERROR_ARGUMENT, "outside of its buffer");
            own_memory_free(&b.own, p.text.memory);
        }
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    trawl_plan_free(plan);
    free(text);
}

/* The CPU cannot take over here; the context serves on. */
static void test_too_little_memory(void **state)
{
    enum { MANY = 4000, LONG = 12 };
    static char written[MANY][LONG + 1];
    static trawl_pattern patterns[MANY];
    rng r = { 7 };
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < LONG; k++)
            written[i][k] = (char)('a' + rng_below(&r, 26));
        patterns[i] = pattern_of(written[i], TRAWL_SYNTAX_LITERAL, 0);
    }
    trawl_plan *large = target_compile(patterns, MANY, "ac"),
               *small = compile_extended("needle", "ac");
    assert_true(plan_head(large)->bytes > 1 << 20);
    for (size_t t = 0; t < target_count; t++) {
        bench b = bench_open(targets, t, "memory=1");
        placed p = place(&b.own, ".needle needle", 14, 1, 13);
        refuse(b.context, large, &p.text, TRAWL_ERROR_MEMORY, "the CPU cannot take over");
        assert_null(trawl_context_warning(b.context));
        expect_same(&b, small, &p.text, "needle needle", NULL, 0, "after a lack of memory");
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    trawl_plan_free(large);
    trawl_plan_free(small);
}

/* Which of a context's devices has the text, and that it alone works. CUDA contexts of all devices
 * need no cl_context in common. */
static void test_several_devices(void **state)
{
    trawl_plan *plans[] = { compile_extended("needle", "auto"),
                            compile_extended("le.*ne", "auto") };
    char *all = random_letters(300010), *text = all + 5;
    (void)state;
    for (size_t t = 0; t < target_count; t++) {
        if (strcmp(targets[t].backend, "cuda") != 0)
            continue;
        bench b = bench_open(targets, t, NULL);
        trawl_context_close(b.context);
        b.context = target_open(&targets[t], "all", "piece=64");
        placed p = place_crossed(&b.own, all, 5, 300000, 5);
        p.text.device = (uint32_t)(targets[t].device[0] - '0');
        for (size_t i = 0; i < COUNT(plans); i++)
            expect_same(&b, plans[i], &p.text, text, NULL, 0, "one of several devices");
        for (size_t other = 0; other < target_count; other++) {
            if (other == t || strcmp(targets[other].backend, "cuda") != 0)
                continue;
            p.text.device = (uint32_t)(targets[other].device[0] - '0');
            refuse(b.context, plans[0], &p.text, TRAWL_ERROR_ARGUMENT, "memory of CUDA device");
        }
        own_memory_free(&b.own, p.memory);
        bench_close(&b);
    }
    for (size_t i = 0; i < COUNT(plans); i++)
        trawl_plan_free(plans[i]);
    free(all);
}

int main(int argc, char **argv)
{
    target_count = targets_find(targets);
    if (target_count == 0)
        return targets_missing();
    serial = target_cpu("serial", 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_parts_of_buffers),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_several_devices),
    };
    if (argc > 1) /* one of them: under a sanitizer all take long */
        cmocka_set_test_filter(argv[1]);
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    trawl_context_close(serial);
    return status;
}
