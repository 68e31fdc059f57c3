/* test_differential.c: every text engine on every backend and cutting, in every report mode,
 * against the oracle.
 *
 * A scenario is some patterns and a text, made from one seed. A case is one comparison of
 * an engine, a setting and a mode with the oracle. TRAWL_TEST_CASES says how many cases at
 * least, TRAWL_TEST_SEED where to begin; a failure prints the seed that brings it back.
 * Then come texts too large for the oracle, for which arithmetic says what is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/scan.h" /* before cmocka, which has a macro fail */

#include <cmocka.h>

#include "choices.h"
#include "each.h"
#include "fence.h"
#include "matches.h"
#include "oracle.h"
#include "random.h"
#include "targets.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CASES 200000
#define LONGEST 200000

enum { MODES = TRAWL_REPORT_EACH + 1 };

static const char *const mode_names[MODES] = {
    "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", "each"
};

/* ---- settings: one way to run a scan ----------------------------------------- */

typedef struct setting {
    const char *backend;
    uint32_t threads, schedule, chunks;
    trawl_context *context; /* opened when first used */
} setting;

#define SERIAL(chunks)                                                                             \
    {                                                                                              \
        "serial", 0, 0, chunks, NULL                                                               \
    }
#define OPENMP(threads, schedule, chunks)                                                          \
    {                                                                                              \
        "openmp", threads, schedule, chunks, NULL                                                  \
    }
#define STATIC(threads, chunks)                                                                    \
    {                                                                                              \
        "threads", threads, TRAWL_SCHEDULE_STATIC, chunks, NULL                                    \
    }
#define DYNAMIC(threads, chunks)                                                                   \
    {                                                                                              \
        "threads", threads, TRAWL_SCHEDULE_DYNAMIC, chunks, NULL                                   \
    }

/* 100000 chunks are more than there are slices: then each is as short as it can be. */
static setting settings[] = {
    SERIAL(0),
    SERIAL(1),
    SERIAL(2),
    SERIAL(3),
    SERIAL(5),
    SERIAL(17),
    SERIAL(300),
    SERIAL(100000),
    STATIC(1, 0),
    STATIC(2, 0),
    STATIC(3, 0),
    STATIC(4, 0),
    STATIC(5, 0),
    STATIC(2, 7),
    STATIC(3, 100000),
    STATIC(9, 20),
    DYNAMIC(1, 0),
    DYNAMIC(2, 0),
    DYNAMIC(3, 0),
    DYNAMIC(4, 11),
    DYNAMIC(5, 64),
    DYNAMIC(9, 30),
    DYNAMIC(2, 999),
    DYNAMIC(2, 100000),
    OPENMP(3, TRAWL_SCHEDULE_STATIC, 20),
    OPENMP(2, TRAWL_SCHEDULE_DYNAMIC, 9),
};

static const uint32_t allowances[] = { 0, 40, DEFAULT_ALLOWANCE };

static trawl_context *setting_context(setting *s)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_error error;
    if (s->context)
        return s->context;
    options.backend = s->backend;
    options.threads = s->threads;
    options.schedule = s->schedule;
    options.chunks = s->chunks;
    if (trawl_context_open(&options, &s->context, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    /* Texts are short: let first stages give up early in most settings. */
    s->context->worker.limits.allowance = allowances[(s - settings) % COUNT(allowances)];
    return s->context;
}

static int open_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++)
        if (strcmp(settings[i].backend, "openmp") == 0 && !target_runs("openmp"))
            settings[i].backend = "threads";
    return 0;
}

static int close_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        trawl_context_close(settings[i].context);
        settings[i].context = NULL;
    }
    return 0;
}

/* ---- one case ------------------------------------------------------------------ */

typedef struct test_case {
    const scenario *scenario;
    const char *engine;
    uint32_t wm_block;
    const trawl_plan *plan;
    setting *setting;
    uint32_t mode;
} test_case;

static void case_failed(const test_case *c, const char *what)
{
    printf("\n%s\nengine %s, wm_block %u, backend %s, threads %u, %s, chunks %u, report %s\n", what,
           c->engine, c->wm_block, c->setting->backend, c->setting->threads,
           c->setting->schedule ? "static" : "dynamic", c->setting->chunks, mode_names[c->mode]);
    scenario_print(c->scenario, stdout);
    printf("again: TRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_differential\n",
           (unsigned long long)c->scenario->seed);
    fflush(stdout);
    fail();
}

static void run_case(const test_case *c, const matches *expected)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_context *context = setting_context(c->setting);
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    uint64_t count = 0;
    options.report = c->mode;
    if (trawl_collect(context, c->plan, c->scenario->text, c->scenario->length, &options,
                      &found.items, &found.count, &error) != TRAWL_OK)
        case_failed(c, error.message);
    if (!matches_agree(expected, &found))
        case_failed(c, "the matches differ");
    trawl_matches_free(found.items);
    if (c->mode != TRAWL_REPORT_ENDS && c->mode != TRAWL_REPORT_LEFTMOST_LONGEST)
        return;
    if (trawl_count(context, c->plan, c->scenario->text, c->scenario->length, &options, &count,
                    &error) != TRAWL_OK)
        case_failed(c, error.message);
    if (count != expected->count)
        case_failed(c, "trawl_count counts other than trawl_collect");
}

/* ---- one scenario ----------------------------------------------------------------- */

/* The plan of an engine, or NULL when it does not take these patterns. */
static trawl_plan *compile(test_case *c, rng *r)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    const uint32_t block = rng_below(r, 3);
    c->wm_block = options.wm_block = block ? block + 1 : 0;
    options.engine = c->engine;
    const int status =
        trawl_compile(c->scenario->patterns, c->scenario->count, &options, &plan, &error);
    if (status != TRAWL_OK && status != TRAWL_ERROR_UNSUPPORTED)
        case_failed(c, error.message);
    return plan;
}

/* The same plan, saved and loaded. The plan given is freed. */
static trawl_plan *save_and_load(const test_case *c, trawl_plan *plan)
{
    size_t bytes = 0, again = 0;
    trawl_plan *loaded = NULL;
    trawl_error error = { 0 };
    const void *block = trawl_plan_save(plan, &bytes);
    if (trawl_plan_load(block, bytes, &loaded, &error) != TRAWL_OK)
        case_failed(c, error.message);
    const void *copy = trawl_plan_save(loaded, &again);
    if (again != bytes || memcmp(block, copy, bytes) != 0)
        case_failed(c, "a loaded plan is saved otherwise");
    trawl_plan_free(plan);
    return loaded;
}

/* One setting of each kind: serial, static, dynamic. */
static void choose_settings(rng *r, setting *chosen[3])
{
    for (uint32_t i = 0; i < 3; i++)
        chosen[i] = &settings[i * 8 + rng_below(r, 8)];
}

static uint64_t run_engine(test_case *c, rng *r, const matches expected[MODES])
{
    setting *chosen[3];
    uint64_t cases = 0;
    choose_settings(r, chosen);
    c->setting = chosen[0];
    c->mode = TRAWL_REPORT_ENDS;
    trawl_plan *plan = compile(c, r);
    if (!plan)
        return 0;
    if (rng_chance(r, 2))
        plan = save_and_load(c, plan);
    c->plan = plan;
    for (uint32_t i = 0; i < COUNT(chosen); i++) {
        c->setting = chosen[i];
        for (c->mode = 0; c->mode < MODES; c->mode++) {
            if (!scenario_affords(c->scenario, c->mode))
                continue;
            run_case(c, &expected[c->mode]);
            cases++;
        }
    }
    trawl_plan_free(plan);
    return cases;
}

static uint64_t run_scenario(const scenario *s)
{
    matches expected[MODES] = { { NULL, 0, 0 } };
    test_case c = { .scenario = s };
    rng r = { ~s->seed };
    uint64_t cases = 0;
    for (uint32_t mode = 0; mode < MODES; mode++)
        if (scenario_affords(s, mode))
            expected[mode].count =
                oracle_scan(s->patterns, s->count, s->text, s->length, mode, &expected[mode].items);
    for (size_t i = 0; (c.engine = engine_choice(i)) != NULL; i++)
        cases += run_engine(&c, &r, expected);
    for (uint32_t mode = 0; mode < MODES; mode++)
        free(expected[mode].items);
    return cases;
}

static void test_random(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(CASES);
    const size_t longest = test_sanitized() ? LONGEST / 20 : LONGEST;
    scenario *s = malloc(sizeof *s);
    uint64_t cases = 0, scenarios = 0;
    (void)state;
    assert_non_null(s);
    for (; cases < wanted; scenarios++) {
        scenario_make(s, seed + scenarios,
                      (size_t)environment_number("TRAWL_TEST_LONGEST", longest));
        cases += run_scenario(s);
        scenario_free(s);
    }
    free(s);
    printf("%llu cases in %llu scenarios agree\n", (unsigned long long)cases,
           (unsigned long long)scenarios);
}

/* ---- sequences ---------------------------------------------------------------------- */

enum { SEQUENCES = 40, SEQUENCE = 20000 };

/* Bases of both cases, some runs of one, and bytes that are none, as line breaks; the literals are
 * bases from it, of lengths from one letter to some more than packed words hold. */
static void make_sequence(rng *r, scenario *s)
{
    static const char others[] = "N\nRn\xff";
    const uint32_t upper = rng_below(r, 3), longest = rng_between(r, 1, 150);
    const uint32_t least = rng_below(r, longest), mixed = rng_below(r, 3);
    s->length = rng_between(r, 200, SEQUENCE);
    s->text = fenced_text(s->length, rng_chance(r, 2));
    for (size_t i = 0; i < s->length; i++)
        s->text[i] = (uint8_t)(rng_chance(r, 60) ? others[rng_below(r, sizeof others - 1)]
                               : rng_chance(r, upper * 4 + 2) && i ? s->text[i - 1]
                               : upper || rng_chance(r, 2)         ? "ACGT"[rng_below(r, 4)]
                                                                   : "acgt"[rng_below(r, 4)]);
    s->count = rng_between(r, 1, SCENARIO_PATTERNS);
    for (size_t p = 0; p < s->count; p++) {
        const uint32_t length = rng_between(r, least + 1, longest);
        const uint32_t at = rng_below(r, (uint32_t)s->length - length + 1);
        for (uint32_t i = 0; i < length; i++) {
            const char letter = (char)s->text[at + i];
            s->written[p][i] = letter && strchr("ACGTacgt", letter) ? letter : 'A';
        }
        s->patterns[p] = (trawl_pattern){ .text = s->written[p], .length = length };
        s->patterns[p].flags = mixed == 2 || (mixed && rng_chance(r, 2)) ? TRAWL_NOCASE : 0;
    }
}

static void test_sequences(void **state)
{
    const uint64_t seed = test_seed();
    static const char *const engines[] = { "kmers", "kmers/ac", "auto" };
    (void)state;
    for (uint64_t n = 0; n < (test_sanitized() ? SEQUENCES / 10 : SEQUENCES); n++) {
        matches expected = { NULL, 0, 0 };
        scenario *s = calloc(1, sizeof *s);
        test_case c = { .scenario = s, .setting = &settings[0] };
        rng r = { s ? (s->seed = seed + n) : 0 };
        assert_non_null(s);
        make_sequence(&r, s);
        expected.count =
            oracle_scan(s->patterns, s->count, s->text, s->length, c.mode, &expected.items);
        for (size_t e = 0; e < COUNT(engines); e++) {
            c.engine = engines[e];
            c.plan = compile(&c, &r);
            assert_non_null(c.plan);
            for (uint32_t i = 0; i < COUNT(settings); i++) {
                c.setting = &settings[i];
                run_case(&c, &expected);
            }
            trawl_plan_free((trawl_plan *)c.plan);
        }
        free(expected.items);
        scenario_free(s);
        free(s);
    }
}

/* ---- patterns of thousands of positions ---------------------------------------------- */

/* A run of b of each telling length between a and c; before them some c without an a. */
static void make_runs(scenario *s)
{
    static const size_t runs[] = { 0, 1, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 4201 };
    static const char lonely[] = "cbcbbbc";
    size_t at = strlen(lonely);
    s->length = at;
    for (size_t i = 0; i < COUNT(runs); i++)
        s->length += runs[i] + 2;
    s->text = fenced_text(s->length, true);
    memcpy(s->text, lonely, at);
    for (size_t i = 0; i < COUNT(runs); at += runs[i] + 2, i++) {
        memset(s->text + at, 'b', runs[i] + 2);
        s->text[at] = 'a';
        s->text[at + runs[i] + 1] = 'c';
    }
}

static void run_long_pattern(const scenario *s, uint32_t mode)
{
    setting *const used[] = { &settings[0], &settings[5], &settings[11], &settings[20] };
    matches expected = { NULL, 0, 0 };
    test_case c = { .scenario = s, .mode = mode };
    rng r = { mode };
    expected.count = oracle_scan(s->patterns, 1, s->text, s->length, mode, &expected.items);
    for (size_t i = 0; i < 2 * COUNT(used); i++) {
        c.engine = i % 2 ? "hnfa" : "shiftand";
        c.setting = used[i / 2];
        trawl_plan *plan = compile(&c, &r);
        c.plan = plan;
        run_case(&c, &expected);
        trawl_plan_free(plan);
    }
    free(expected.items);
}

/* Optional runs that span many words, with enough modules that the upper module of hnfa has
 * several words itself. */
static void test_long_patterns(void **state)
{
    static const char *const written[] = {
        "ab{0,8400}c",   "ab{4100,4300}c", "ab{0,130}b{1,4000}b{0,200}c", "[ab]{4097}c",
        "x?ab{63,129}c", "ab{4096}c{0,2}", "b{0,4100}a{0,4100}bc",        "ab{4095,}c",
    };
    scenario *s = calloc(1, sizeof *s);
    (void)state;
    assert_non_null(s);
    make_runs(s);
    s->count = 1;
    for (size_t i = 0; i < COUNT(written); i++) {
        s->patterns[0] =
            (trawl_pattern){ written[i], strlen(written[i]), TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
        run_long_pattern(s, TRAWL_REPORT_ENDS);
        if (test_sanitized())
            continue;
        run_long_pattern(s, TRAWL_REPORT_LONGEST);
        run_long_pattern(s, TRAWL_REPORT_LEFTMOST_LONGEST);
    }
    scenario_free(s);
    free(s);
}

/* ---- texts made against a filter ------------------------------------------------------- */

enum { SHARED_PATTERNS = 20000, SHARED_LENGTH = 64 << 10 };

/* Search a short slice of what patterns share, and nothing else, up to a match every `period`
 * bytes. */
static void search_shared(const char *engine, const trawl_pattern *patterns, size_t count,
                          const char *shared, uint32_t period, slice *s)
{
    static u8 text[SHARED_LENGTH];
    static record records[SHARED_LENGTH];
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    for (size_t i = 0; i < SHARED_LENGTH; i++)
        text[i] = (u8)shared[i % strlen(shared)];
    options.engine = engine;
    assert_int_equal(trawl_compile(patterns, count, &options, &plan, NULL), TRAWL_OK);
    *s = (slice){ .end = SHARED_LENGTH, .records = records, .capacity = SHARED_LENGTH };
    const text_job job = { .plan = plan,
                           .isa = isa_usual(),
                           .window = text,
                           .slices = s,
                           .count = 1,
                           .allowance = DEFAULT_ALLOWANCE };
    assert_int_equal(slice_run_text(&job, s), TRAWL_OK);
    assert_int_equal(s->count, period ? SHARED_LENGTH / period : 0);
    trawl_plan_free(plan);
}

/* Each of many short slices tries a filter once: it must not take long to give up, be it by one
 * list of all patterns, or by starts that go on for long. */
static void test_giving_up_soon(void **state)
{
    static char written[SHARED_PATTERNS][20], long_one[8193];
    static trawl_pattern patterns[SHARED_PATTERNS];
    slice s;
    (void)state;
    for (uint32_t i = 0; i < SHARED_PATTERNS; i++) {
        snprintf(written[i], sizeof written[i], "http://www.%07u", i);
        patterns[i] = (trawl_pattern){ written[i], i ? 18 : 11, 0, 0, i, NULL };
    }
    search_shared("wm/ac", patterns, SHARED_PATTERNS, "http://www.", 11, &s);
    assert_true(s.candidates[0] <= 1);
    memset(long_one, 'a', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = 'b';
    patterns[0] = (trawl_pattern){ long_one, sizeof long_one, 0, 0, 0, NULL };
    search_shared("pfac/ac", patterns, 1, "a", 0, &s);
    assert_true(s.done[0] <= 3);
    search_shared("kmers/ac", patterns, 1, "a", 0, &s);
    assert_true(s.done[0] <= 3);
    for (uint32_t i = 0; i < SHARED_PATTERNS; i++) {
        memset(written[i], 'A', 10);
        for (uint32_t k = 0; k < 7; k++)
            written[i][10 + k] = i ? "ACGT"[i >> (2 * k) & 3] : 'G';
        written[i][17] = 'T';
        patterns[i] = (trawl_pattern){ written[i], i ? 18 : 11, 0, 0, i, NULL };
    }
    search_shared("kmers/ac", patterns, SHARED_PATTERNS, "AAAAAAAAAAG", 11, &s);
    assert_true(s.candidates[0] <= 2000);
}

/* A filter gives up after a match that begins before the place and ends after another one, which
 * begins there: the first is reported, once, and so is the other. */
static void test_giving_up_between(void **state)
{
    enum { BLOCK = 16384, LENGTH = 3 * BLOCK }; /* of engines/shared/prints/vector.h */
    static const char *const engines[] = { "qgrams/ac", "teddy/ac" };
    static char like[300]; /* its grams, as far as filters look, are all alike */
    static const trawl_pattern patterns[] = {
        { "numerical", 9, 0, 0, 0, NULL },
        { "eric", 4, 0, 0, 1, NULL },
        { like, sizeof like, 0, 0, 2, NULL },
    };
    static u8 text[LENGTH];
    (void)state;
    memset(like, 'z', sizeof like - 1);
    for (size_t e = 0; e < COUNT(engines); e++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        options.engine = engines[e];
        assert_int_equal(trawl_compile(patterns, COUNT(patterns), &options, &plan, NULL), TRAWL_OK);
        for (uint32_t before = 0; before <= 9; before++) {
            record records[4] = { { 0, 0 } };
            slice s = { .end = LENGTH, .records = records, .capacity = COUNT(records) };
            memset(text, ' ', BLOCK);
            memset(text + BLOCK, 'z', LENGTH - BLOCK);
            memcpy(text + BLOCK - before, "numerical", 9);
            const text_job job = {
                .plan = plan, .isa = isa_usual(), .window = text, .slices = &s, .count = 1
            };
            assert_int_equal(slice_run_text(&job, &s), TRAWL_OK);
            assert_int_equal(s.done[0], BLOCK);
            assert_int_equal(s.count, 2);
            assert_int_equal(records[0].index + records[1].index, 1 + 2); /* from long to short */
        }
        trawl_plan_free(plan);
    }
}

/* ---- more matches than there is room for ------------------------------------------- */

/* On a text of equal bytes pattern p of length l ends at l, l + 1 .. n, and those that share
 * an end stand from long to short, then by index. */
typedef struct crowd {
    const uint32_t *lengths; /* by pattern, falling */
    uint32_t patterns;
    uint64_t end;
    uint32_t next; /* pattern */
    uint64_t seen;
    bool wrong;
} crowd;

static int check_crowd_one(const trawl_match *m, void *user)
{
    crowd *c = user;
    while (c->end < c->lengths[c->next]) {
        if (++c->next == c->patterns) {
            c->next = 0;
            c->end++;
        }
    }
    c->wrong |= m->end != c->end || m->pattern != c->next || m->id != c->next ||
                (m->start != m->end - c->lengths[c->next] && m->start != TRAWL_UNKNOWN);
    c->seen++;
    if (++c->next == c->patterns) {
        c->next = 0;
        c->end++;
    }
    return c->wrong;
}

EACH_MATCH(check_crowd)

static void scan_crowd(const trawl_plan *plan, const char *text, size_t length, setting *s,
                       const uint32_t *lengths, uint32_t patterns)
{
    crowd c = { .lengths = lengths, .patterns = patterns, .end = 1 };
    trawl_error error = { 0 };
    uint64_t expected = 0, count = 0;
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    for (uint32_t i = 0; i < patterns; i++)
        expected += length >= lengths[i] ? length - lengths[i] + 1 : 0;
    if (trawl_scan(setting_context(s), plan, text, length, NULL, check_crowd, &c, &error) < 0 ||
        trawl_count(setting_context(s), plan, text, length, NULL, &count, &error) < 0)
        fail_msg("%s", error.message);
    if (c.wrong || c.seen != expected || count != expected)
        fail_msg("%s on %s with %u chunks: %llu matches expected, %llu seen (%s), "
                 "%llu counted",
                 info.engine, s->backend, s->chunks, (unsigned long long)expected,
                 (unsigned long long)c.seen, c.wrong ? "the last one wrong" : "right",
                 (unsigned long long)count);
}

/* `carried`: the patterns repeat without bound, so that state crosses slice borders. */
static void crowd_engine(const char *engine, size_t length, uint32_t patterns, bool carried,
                         setting *const *used, size_t used_count)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_pattern *list = calloc(patterns, sizeof *list);
    uint32_t *lengths = calloc(patterns, sizeof *lengths);
    char(*written)[32] = calloc(patterns, sizeof *written);
    char *text = (char *)fenced_text(length, true);
    trawl_plan *plan = NULL;
    trawl_error error = { 0 };
    assert_true(list && lengths && written);
    memset(text, 'a', length);
    for (uint32_t i = 0; i < patterns; i++) {
        /* Lengths fall, so that order of end, start and id is order of index. */
        lengths[i] = carried || i >= 7 ? 1 : 7 - i;
        snprintf(written[i], sizeof written[i], carried ? "a+" : "a{%u}", lengths[i]);
        list[i] =
            (trawl_pattern){ written[i], strlen(written[i]), TRAWL_SYNTAX_EXTENDED, 0, i, NULL };
    }
    options.engine = engine;
    if (trawl_compile(list, patterns, &options, &plan, &error) != TRAWL_OK)
        fail_msg("%s: %s", engine, error.message);
    for (size_t i = 0; i < used_count; i++)
        scan_crowd(plan, text, length, used[i], lengths, patterns);
    trawl_plan_free(plan);
    free(list);
    free(lengths);
    free(written);
    fenced_free(text, length);
}

static void test_crowded(void **state)
{
    setting *const used[] = { &settings[1], &settings[6], &settings[9], &settings[22] };
    static const char *const engines[] = {
        "wm", "ac", "pfac", "shiftand", "hnfa", "teddy", "kmers"
    };
    (void)state;
    for (size_t i = 0; i < COUNT(engines); i++)
        crowd_engine(engines[i], 200000, 15, false, used, COUNT(used)); /* 3 million */
    crowd_engine("shiftand", 200000, 15, true, used, COUNT(used));
    crowd_engine("hnfa", 200000, 15, true, used, COUNT(used));
}

/* More matches end at each byte than any room for records holds. */
static void test_crowded_byte(void **state)
{
    setting *const used[] = { &settings[0], &settings[14] };
    (void)state;
    crowd_engine("ac", 9, 300000, false, used, COUNT(used));
    crowd_engine("shiftand", 9, 300000, true, used, COUNT(used));
}

/* ---- texts of more than one window --------------------------------------------------- */

/* A filler with needles at known places, which lie across the borders of windows, slices and
 * snapshots; the second pattern joins two of them with a # far after. */
static const size_t needle_ends[] = {
    8,        4096 + 3,         65536 + 1, (1u << 20) - 1, (1u << 20) + 20, (3u << 20) + 5,
    5u << 20, (5u << 20) + 4097
};
static const size_t joint_ends[] = { (2u << 20) + 1, (4u << 20) + 2 };

static void check_windows(setting *s, const trawl_plan *plan, const char *text, size_t length,
                          bool joined)
{
    matches found = { NULL, 0, 0 };
    size_t needle = 0, joint = 0;
    assert_int_equal(trawl_collect(setting_context(s), plan, text, length, NULL, &found.items,
                                   &found.count, NULL),
                     TRAWL_OK);
    for (size_t i = 0; i < found.count; i++) {
        if (found.items[i].id == 0 && needle < COUNT(needle_ends))
            assert_true(found.items[i].end == needle_ends[needle++]);
        else if (found.items[i].id == 1 && joint < COUNT(joint_ends))
            assert_true(found.items[i].end == joint_ends[joint++]);
        else
            fail_msg("a match too many, at %llu", (unsigned long long)found.items[i].end);
        assert_true(i == 0 || found.items[i - 1].end < found.items[i].end);
    }
    assert_int_equal(needle, COUNT(needle_ends));
    assert_int_equal(joint, joined ? COUNT(joint_ends) : 0);
    trawl_matches_free(found.items);
}

static void test_windows(void **state)
{
    static const char needle[] = "<needle>", joint[] = "<ne.{2,3}le>[^#]*#";
    const size_t length = (5u << 20) + 4097, width = sizeof needle - 1;
    const trawl_pattern patterns[] = {
        { needle, width, TRAWL_SYNTAX_LITERAL, 0, 0, NULL },
        { joint, sizeof joint - 1, TRAWL_SYNTAX_EXTENDED, 0, 1, NULL },
    };
    char *text = (char *)fenced_text(length, true);
    (void)state;
    memset(text, 'x', length);
    for (size_t i = 0; i < COUNT(needle_ends); i++)
        memcpy(text + needle_ends[i] - width, needle, width);
    for (size_t i = 0; i < COUNT(joint_ends); i++)
        text[joint_ends[i] - 1] = '#';
    for (size_t e = 0; trawl_engine_name(e); e++) {
        const char *name = trawl_engine_name(e);
        const bool joined = strcmp(name, "shiftand") == 0 || strcmp(name, "hnfa") == 0;
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        options.engine = name;
        if (trawl_compile(patterns, joined ? 2 : 1, &options, &plan, NULL) != TRAWL_OK)
            continue;
        for (size_t i = 0; i < COUNT(settings); i += 3)
            check_windows(&settings[i], plan, text, length, joined);
        trawl_plan_free(plan);
    }
    fenced_free(text, length);
}

/* A text beyond 4 GiB. Most of it is never written, so it takes little memory. */
static void test_beyond_4_gib(void **state)
{
    static const char needle[] = "0123456789abcdef";
    const size_t width = sizeof needle - 1;
    const uint64_t length = (UINT64_C(1) << 32) + (300u << 20);
    const uint64_t starts[] = { 5, (UINT64_C(1) << 31) - 3, (UINT64_C(1) << 32) - 7,
                                UINT64_C(1) << 32, length - width };
    const trawl_pattern pattern = { needle, width, TRAWL_SYNTAX_LITERAL, 0, 7, NULL };
    setting *const used[] = { &settings[0], &settings[17] };
    (void)state;
    if (test_sanitized() || length > SIZE_MAX / 2)
        skip();
    char *text = calloc(1, (size_t)length);
    if (!text)
        skip();
    memcpy(text + starts[0], needle, width);
    for (size_t i = 1; i < COUNT(starts); i++)
        memcpy(text + starts[i], needle, i == 2 ? 7 : width);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.engine = "bm";
    assert_int_equal(trawl_compile(&pattern, 1, &options, &plan, NULL), TRAWL_OK);
    for (size_t i = 0; i < COUNT(used); i++) {
        matches found = { NULL, 0, 0 };
        assert_int_equal(trawl_collect(setting_context(used[i]), plan, text, (size_t)length, NULL,
                                       &found.items, &found.count, NULL),
                         TRAWL_OK);
        assert_int_equal(found.count, 4); /* starts[2] holds the first seven bytes alone */
        for (size_t k = 0, next = 0; k < COUNT(starts); k++)
            if (k != 2)
                assert_true(found.items[next++].start == starts[k]);
        trawl_matches_free(found.items);
    }
    trawl_plan_free(plan);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_long_patterns),
        cmocka_unit_test(test_crowded),
        cmocka_unit_test(test_crowded_byte),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_beyond_4_gib),
        cmocka_unit_test(test_giving_up_soon),
        cmocka_unit_test(test_giving_up_between),
    };
    return cmocka_run_group_tests(tests, open_settings, close_settings);
}
