/* torture_text.c: patterns are compiled, and texts scanned, in all ways, while calls fail.
 *
 * A call that fails says so. It is then repeated with the same objects, without failures, and the
 * right result comes; what it gave before was right as far as it went.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torture_library.h"
#include "trawl/device.h"

#define TEXT 6000u /* no small one to the library */
#define MAX_MATCHES 200000u
#define MAX_STATE (1u << 20)

/* ---- patterns and texts ---------------------------------------------------------- */

#define LITERAL(text, flags, id, name)                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_LITERAL, flags, id, name                              \
    }
#define EXTENDED(text, flags, id)                                                                  \
    {                                                                                              \
        text, sizeof(text) - 1, TRAWL_SYNTAX_EXTENDED, flags, id, NULL                             \
    }

static const trawl_pattern one[] = { LITERAL("abcab", 0, 1, "one") };
static const trawl_pattern literals[] = {
    LITERAL("abcab", 0, 1, "first"), LITERAL("ab", 0, 2, NULL),   LITERAL("a", 0, 9, "short"),
    LITERAL("needle", 0, 4, "n"),    LITERAL("abcde", 0, 2, ""),  LITERAL("abcdf", 0, 2, ""),
    LITERAL("abcdef", 0, 2, ""),     LITERAL("abcdeg", 0, 2, ""), LITERAL("abcdefgh", 0, 2, ""),
};
static const trawl_pattern folded[] = { LITERAL("bcA", TRAWL_NOCASE, 1, "folded"),
                                        LITERAL("nEE", TRAWL_NOCASE | TRAWL_ONCE, 2, "once"),
                                        LITERAL("eedle", 0, 3, NULL) };
static const trawl_pattern bounded[] = { EXTENDED("a[bc]{1,3}.?c", 0, 5), EXTENDED("ab{3}", 0, 6),
                                         EXTENDED("[ab]{3,70}c", TRAWL_NOCASE, 7) };
static const trawl_pattern unbounded[] = { EXTENDED("a[^c]*c", 0, 5), EXTENDED("ne+d", 0, 6),
                                           EXTENDED("[ab]{130}a+", 0, 7) };
static const trawl_pattern once[] = { EXTENDED("a[bc]+", TRAWL_ONCE, 1),
                                      EXTENDED("ne{2}dle", TRAWL_ONCE, 2) };
static const trawl_pattern mixed[] = { LITERAL("abcab", 0, 1, "first"),
                                       EXTENDED("a[bc]{1,3}.?c", 0, 5), LITERAL("b", 0, 2, NULL),
                                       EXTENDED("a[^c]{1,40}c", 0, 5),
                                       LITERAL("needle", TRAWL_ONCE, 4, "n") };

typedef struct set {
    const char *name;
    const trawl_pattern *patterns;
    size_t count;
    bool unbounded;
} set;

#define SET(name, open)                                                                            \
    {                                                                                              \
#name, name, COUNT(name), open                                                             \
    }

static const set sets[] = { SET(one, false),     SET(literals, false), SET(folded, false),
                            SET(bounded, false), SET(unbounded, true), SET(once, true),
                            SET(mixed, false) };

static const char *const engines[] = { "auto",
                                       "bm",
                                       "wm",
                                       "ac",
                                       "pfac",
                                       "shiftand",
                                       "hnfa",
                                       "wm/ac",
                                       "pfac/ac",
                                       "packed/bm",
                                       "teddy/ac",
                                       "qgrams/ac",
                                       "kmers/ac",
                                       "bitslice/shiftand",
                                       "factors/shiftand" };

/* Letters at random, a needle now and then, and a long run; or the same letter all along. */
static const uint8_t *text_of(bool dense)
{
    static uint8_t texts[2][TEXT];
    uint32_t random = 1;
    if (!texts[0][0]) {
        memset(texts[1], 'a', TEXT);
        for (size_t i = 0; i < TEXT; i++)
            texts[0][i] = "abcABcdabz"[(random = random * 1664525u + 1013904223u) >> 16 & 7];
        for (size_t i = 500; i + 10 < TEXT; i += 900)
            memcpy(texts[0] + i, i % 3 ? "needle" : "abcdefgh", 6);
        memset(texts[0] + 3000, 'b', 140);
        memset(texts[0] + 3140, 'a', 9);
    }
    return texts[dense];
}

/* ---- results ------------------------------------------------------------------------ */

typedef struct result {
    trawl_match *matches;
    size_t count;
    bool lost; /* there were more */
} result;

static trawl_match good_matches[MAX_MATCHES], got_matches[MAX_MATCHES];
static result good = { good_matches, 0, false }, got = { got_matches, 0, false };

static int take(const trawl_match *matches, size_t count, void *user)
{
    result *r = user;
    const size_t room = MAX_MATCHES - r->count, taken = count < room ? count : room;
    memcpy(r->matches + r->count, matches, taken * sizeof *matches);
    r->count += taken;
    r->lost = r->lost || taken < count;
    return 0;
}

/* A number in place of a match. */
static void take_number(result *r, uint64_t number)
{
    const trawl_match match = { .end = number };
    take(&match, 1, r);
}

static void check_result(const char *call, bool whole)
{
    if (got.lost || good.lost || got.count > good.count || (whole && got.count < good.count) ||
        memcmp(got.matches, good.matches, got.count * sizeof *got.matches) != 0)
        torture_fault("%s: wrong matches, %zu, not %zu", call, got.count, good.count);
}

/* ---- calls -------------------------------------------------------------------------- */

typedef enum how { SCAN, NUMBER, EACH, COLLECT, MANY, FEED, BREAK, SAVE, HOWS } how;

static const char *const how_names[HOWS] = { "trawl_scan",         "trawl_count",
                                             "trawl_count_each",   "trawl_collect",
                                             "trawl_scan_many",    "trawl_stream_feed",
                                             "trawl_stream_break", "trawl_stream_restore" };

typedef struct recipe {
    const set *set;
    const char *engine;
    uint32_t report;
    how how;
    bool dense;
    torture_way way;
    trawl_plan *plan;
} recipe;

static int count_each(const recipe *r, trawl_context *context, const trawl_scan_options *options,
                      trawl_error *error)
{
    uint64_t counts[16];
    const int status =
        trawl_count_each(context, r->plan, text_of(r->dense), TEXT, options, counts, error);
    for (size_t i = 0; status == TRAWL_OK && i < r->set->count; i++)
        take_number(&got, counts[i]);
    return status;
}

static int collect(const recipe *r, trawl_context *context, const trawl_scan_options *options,
                   trawl_error *error)
{
    trawl_match *matches = got_matches;
    size_t count = 1;
    const int status =
        trawl_collect(context, r->plan, text_of(r->dense), TEXT, options, &matches, &count, error);
    if (status != TRAWL_OK && (matches || count))
        torture_fault("trawl_collect failed and gave matches");
    if (status == TRAWL_OK && count)
        take(matches, count, &got);
    trawl_matches_free(matches);
    return status;
}

static int scan_many(const recipe *r, trawl_context *context, const trawl_scan_options *options,
                     trawl_error *error)
{
    const uint8_t *text = text_of(r->dense);
    const trawl_text texts[] = { { text, 100 }, { NULL, 0 }, { text, TEXT }, { text + 480, 70 } };
    return trawl_scan_many(context, r->plan, texts, COUNT(texts), options, take, &got, error);
}

/* A stream that failed has ended: it says so again, and gives nothing more. */
static void check_ended(trawl_stream *stream, int status, const uint8_t *text)
{
    const size_t before = got.count;
    trawl_error error = { .code = TRAWL_OK };
    size_t bytes = 0;
    if (trawl_stream_feed(stream, text, 100, &error) != status || error.code != status ||
        trawl_stream_break(stream, &error) != status ||
        trawl_stream_save(stream, NULL, &bytes, &error) >= 0 || got.count != before)
        torture_fault("a stream that failed goes on");
}

/* Have another stream go on where this one is, which is closed. */
static trawl_stream *move(const recipe *r, trawl_context *context,
                          const trawl_scan_options *options, trawl_stream *from)
{
    static uint8_t state[MAX_STATE];
    trawl_stream *to = NULL;
    trawl_error error;
    size_t bytes = sizeof state;
    int status = trawl_stream_save(from, state, &bytes, &error);
    if (status != TRAWL_OK)
        torture_fault("trawl_stream_save: %s", error.message);
    if (torture_refused("trawl_stream_open",
                        trawl_stream_open(context, r->plan, options, take, &got, &to, &error),
                        &error))
        trawl_stream_open(context, r->plan, options, take, &got, &to, &error);
    if (torture_refused("trawl_stream_restore", trawl_stream_restore(to, state, bytes, &error),
                        &error) &&
        trawl_stream_restore(to, state, bytes, &error) != TRAWL_OK)
        torture_fault("trawl_stream_restore, again: %s", error.message);
    trawl_stream_drop(from, NULL);
    return to;
}

static int feed(const recipe *r, trawl_context *context, const trawl_scan_options *options,
                trawl_error *error)
{
    static const size_t pieces[] = { 1, 20, 100, 700, 5000, 179 };
    const uint8_t *text = text_of(r->dense);
    trawl_stream *stream = (trawl_stream *)&got;
    int status = trawl_stream_open(context, r->plan, options, take, &got, &stream, error);
    if (status != TRAWL_OK) {
        if (stream)
            torture_fault("trawl_stream_open failed and gave a stream");
        return status;
    }
    for (size_t i = 0; status == TRAWL_OK && i < COUNT(pieces); i++) {
        status = trawl_stream_feed(stream, text, pieces[i], error);
        text += pieces[i];
        if (r->how == BREAK && status == TRAWL_OK)
            status = trawl_stream_break(stream, error);
        if (r->how == SAVE && status == TRAWL_OK)
            stream = move(r, context, options, stream);
    }
    if (status != TRAWL_OK)
        check_ended(stream, status, text);
    const int closed = trawl_stream_close(stream, error);
    if (status != TRAWL_OK && closed != status)
        torture_fault("trawl_stream_close: %d behind %d", closed, status);
    return closed;
}

static int call(const void *user, trawl_context *context, trawl_error *error)
{
    const recipe *r = user;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    const uint8_t *text = text_of(r->dense);
    uint64_t count = 0;
    int status;
    options.report = r->report;
    got.count = 0;
    got.lost = false;
    switch (r->how) {
    case SCAN:
        return trawl_scan(context, r->plan, text, TEXT, &options, take, &got, error);
    case NUMBER:
        status = trawl_count(context, r->plan, text, TEXT, &options, &count, error);
        if (status == TRAWL_OK)
            take_number(&got, count);
        return status;
    case EACH:
        return count_each(r, context, &options, error);
    case COLLECT:
        return collect(r, context, &options, error);
    case MANY:
        return scan_many(r, context, &options, error);
    default:
        return feed(r, context, &options, error);
    }
}

/* ---- runs --------------------------------------------------------------------------- */

static void keep_result(void)
{
    good.count = got.count;
    good.lost = got.lost;
    memcpy(good.matches, got.matches, got.count * sizeof *got.matches);
}

static void run_call(void *user, bool first)
{
    static const torture_call calls = { call, keep_result, check_result };
    const recipe *r = user;
    torture_on_context(&calls, &r->way, r, how_names[r->how], first);
}

static int compile(const recipe *r, const trawl_context *context, trawl_plan **plan,
                   trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    options.engine = r->engine;
    options.context = context;
    options.max_memory = UINT64_MAX;
    options.allocator = r->way.allocator ? &torture_allocator : NULL;
    options.sample = r->dense ? text_of(true) : NULL;
    options.sample_length = r->dense ? TEXT : 0;
    return trawl_compile(r->set->patterns, r->set->count, &options, plan, error);
}

static void check_same(const char *what, const trawl_plan *a, const trawl_plan *b)
{
    size_t bytes, others;
    const void *block = trawl_plan_save(a, &bytes), *other = trawl_plan_save(b, &others);
    if (bytes != others || memcmp(block, other, bytes) != 0)
        torture_fault("%s: another plan", what);
}

/* Load a plan's block, copied or where it stands. */
static void load(const recipe *r, const trawl_plan *plan,
                 int (*loader)(const void *, size_t, trawl_plan **, trawl_error *),
                 const char *name)
{
    trawl_error error;
    trawl_plan *loaded = NULL;
    size_t bytes;
    const void *block = trawl_plan_save(plan, &bytes);
    if (torture_refused(name, loader(block, bytes, &loaded, &error), &error)) {
        if (loaded)
            torture_fault("%s failed and gave a plan", name);
        if (loader(block, bytes, &loaded, &error) != TRAWL_OK)
            torture_fault("%s, again: %s", name, error.message);
    }
    check_same(name, loaded, r->plan ? r->plan : plan);
    trawl_plan_free(loaded);
}

static void run_compile(void *user, bool first)
{
    recipe *r = user;
    trawl_error error;
    trawl_plan *plan = (trawl_plan *)&error; /* not what a failed call may leave */
    if (torture_refused("trawl_compile", compile(r, NULL, &plan, &error), &error)) {
        if (plan)
            torture_fault("trawl_compile failed and gave a plan");
        if (compile(r, NULL, &plan, &error) != TRAWL_OK)
            torture_fault("trawl_compile, again: %s", error.message);
    }
    if (!first)
        check_same("trawl_compile", plan, r->plan);
    load(r, plan, trawl_plan_load, "trawl_plan_load");
    load(r, plan, trawl_plan_view, "trawl_plan_view");
    trawl_plan_free(plan);
}

/* ---- groups ------------------------------------------------------------------------- */

/* Each engine with each set that it takes. */
static void each_plan(void (*each)(recipe *r))
{
    for (size_t s = 0; s < COUNT(sets); s++)
        for (size_t e = 0; e < COUNT(engines); e++) {
            recipe r = { .set = &sets[s], .engine = engines[e] };
            trawl_error error;
            if (compile(&r, NULL, &r.plan, &error) == TRAWL_OK) {
                each(&r);
                trawl_plan_free(r.plan);
            }
        }
}

static void compile_each(recipe *r)
{
    for (int a = 0; a < 2; a++) {
        trawl_error error;
        r->way.allocator = r->dense = a;
        trawl_plan_free(r->plan);
        if (compile(r, NULL, &r->plan, &error) != TRAWL_OK)
            torture_fault("%s", error.message);
        torture(KIND(FAIL_MEMORY), run_compile, r, "compile %s, %s%s", r->set->name, r->engine,
                a ? ", sample, allocator" : "");
    }
}

void torture_compile(void)
{
    each_plan(compile_each);
}

/* Engines give ends, whoever asks for them and on whichever threads: not all with all. */
static bool is_taken(const recipe *r, int way, int h, uint32_t report)
{
    return strcmp(r->engine, "auto") == 0 || (way == SERIAL && report == TRAWL_REPORT_ENDS) ||
           ((uint32_t)(way + h) + report) % 5 == 0;
}

static void each_report(recipe *r, how begin, how end)
{
    for (int way = 0; way < WAYS; way++)
        for (int h = begin; h < (int)end; h++)
            for (uint32_t report = 0; report <= TRAWL_REPORT_EACH; report++) {
                const bool streams = h >= (int)FEED;
                r->way = torture_ways[way];
                r->how = (how)h;
                r->report = report;
                if ((streams && report && r->set->unbounded) || (h == (int)SAVE && report))
                    continue;
                if (!is_taken(r, way, h, report))
                    continue;
                torture(KIND(FAIL_MEMORY) | (way ? KIND(FAIL_THREAD) : 0), run_call, r,
                        "%s, %s, %s, report %u, %s%s", r->set->name, r->engine, how_names[h],
                        report, r->way.name, r->dense ? ", dense" : "");
            }
}

static void scan_each(recipe *r)
{
    for (int dense = 0; dense < 2; dense++) {
        r->dense = dense;
        if (!dense || r->set->patterns == literals)
            each_report(r, SCAN, FEED);
    }
}

static void stream_each(recipe *r)
{
    each_report(r, FEED, HOWS);
}

void torture_scan(void)
{
    each_plan(scan_each);
}

void torture_stream(void)
{
    each_plan(stream_each);
}

/* The first device of OpenCL, where there is one. Its walks are chosen by the plan. */
static void device_each(recipe *r)
{
    static const how hows[] = { SCAN, EACH, COLLECT, FEED };
    const bool automatic = strcmp(r->engine, "auto") == 0;
    const unsigned files = KIND(FAIL_READ) | KIND(FAIL_OPEN) | KIND(FAIL_WRITE) | KIND(FAIL_FACTS);
    if (r->set->patterns != mixed && r->set->patterns != unbounded && r->set->patterns != one)
        return;
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(r->plan, &info);
    if (!automatic && strcmp(info.engine, r->engine) != 0) /* alone the first has no kernels */
        return;
    r->way = torture_opencl;
    for (size_t h = 0; h < (automatic ? COUNT(hows) : 1); h++) {
        r->how = hows[h];
        torture(KIND(FAIL_MEMORY) | (h ? 0 : files), run_call, r, "%s, %s, %s, opencl",
                r->set->name, r->engine, how_names[r->how]);
    }
}

void torture_device(void)
{
    if (!trawl_device_count("opencl", NULL)) {
        torture_skip("there is no device of OpenCL");
        return;
    }
    each_plan(device_each);
    torture_device_grid();
}
