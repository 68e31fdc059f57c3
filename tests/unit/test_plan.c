/* test_plan.c: plans saved and loaded, damaged, and changed by someone who knows their form.
 *
 * A damaged plan must give TRAWL_ERROR_PLAN: every byte is changed, every length is cut and
 * drawn out. A hostile one, whose checksum was put right, may be refused or may scan
 * nonsense, but must neither crash nor hang: run this under the sanitizers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "engines/grid/ku/layout.h"
#include "engines/literal/kmers/layout.h"
#include "engines/literal/packed/layout.h"
#include "engines/shared/engine.h"
#include "fence.h"
#include "hostile.h"
#include "matches.h"
#include "oracle.h"
#include "random_grid.h"
#include "random_syntax.h"
#include "trawl/experimental.h"

#include <cmocka.h> /* last: it makes a macro of fail() */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EDITS 60000
#define MAX_WORDS 200

static trawl_plan *plans[HOSTILE_PLANS];
static size_t plan_count;
static trawl_context *context;

static int make_plans(void **state)
{
    trawl_context_options serial = TRAWL_CONTEXT_OPTIONS_INIT;
    (void)state;
    serial.backend = "serial";
    serial.chunks = 3;
    plan_count = hostile_plans(plans);
    return plan_count > 20 ? trawl_context_open(&serial, &context, NULL) : -1;
}

static int free_plans(void **state)
{
    (void)state;
    while (plan_count > 0)
        trawl_plan_free(plans[--plan_count]);
    trawl_context_close(context);
    return 0;
}

static uint8_t *copy_of(const void *block, size_t bytes, size_t room)
{
    uint8_t *copy = calloc(room ? room : 1, 1);
    assert_non_null(copy);
    memcpy(copy, block, bytes < room ? bytes : room);
    return copy;
}

/* ---- saved and loaded --------------------------------------------------------- */

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < plan_count; i++) {
        size_t bytes = 0, again = 0;
        trawl_plan *loaded = NULL;
        trawl_plan_info a = { .size = sizeof a }, b = { .size = sizeof b };
        const void *block = trawl_plan_save(plans[i], &bytes);
        /* From any address: one byte off is what a file in memory may have. */
        uint8_t *odd = malloc(bytes + 1);
        assert_non_null(odd);
        memcpy(odd + 1, block, bytes);
        assert_int_equal(trawl_plan_load(odd + 1, bytes, &loaded, NULL), TRAWL_OK);
        free(odd);
        const void *saved = trawl_plan_save(loaded, &again);
        assert_int_equal(bytes, again);
        assert_memory_equal(block, saved, bytes);
        assert_int_equal(trawl_plan_get_info(plans[i], &a), TRAWL_OK);
        assert_int_equal(trawl_plan_get_info(loaded, &b), TRAWL_OK);
        assert_string_equal(a.engine, b.engine);
        assert_string_equal(a.why, b.why);
        assert_true(a.patterns == b.patterns && a.bytes == b.bytes && a.bytes == bytes &&
                    a.min_length == b.min_length && a.max_length == b.max_length &&
                    a.cell_size == b.cell_size);
        for (size_t k = 0; k <= a.patterns; k++)
            assert_string_equal(trawl_plan_pattern_name(plans[i], k),
                                trawl_plan_pattern_name(loaded, k));
        assert_true(a.tag == b.tag && a.keeps_texts == b.keeps_texts && a.version == b.version &&
                    a.stages == b.stages && a.stages > 0);
        trawl_stage_info stage = { .size = sizeof stage };
        assert_int_equal(trawl_plan_get_stage(loaded, a.stages - 1, &stage), TRAWL_OK);
        assert_int_equal(trawl_plan_get_stage(loaded, a.stages, &stage), TRAWL_ERROR_ARGUMENT);
        trawl_plan_free(loaded);
    }
}

/* ---- every plan that can be made ------------------------------------------------- */

#define SETS 12000

/* Whether what `compile` made can be loaded; frees it. NULL: it was refused. */
static bool loads(trawl_plan *plan, trawl_error *error)
{
    size_t bytes = 0;
    trawl_plan *loaded = NULL;
    const void *block = trawl_plan_save(plan, &bytes);
    const bool is_good = !plan || trawl_plan_load(block, bytes, &loaded, error) == TRAWL_OK;
    trawl_plan_free(loaded);
    trawl_plan_free(plan);
    return is_good;
}

static void options_of(rng *r, trawl_compile_options *options)
{
    uint32_t engines = 0;
    while (engine_choice(engines))
        engines++;
    options->engine = rng_chance(r, 4) ? "auto" : engine_choice(rng_below(r, engines));
    options->keep_texts = rng_below(r, 2);
    options->note = "note";
    options->note_length = rng_below(r, 5);
}

/* Load takes every plan that compile has made, whatever the engine and the syntax. */
static void test_all_load(void **state)
{
    const uint64_t seed = test_seed(), sets = test_cases(SETS);
    uint64_t made = 0;
    (void)state;
    for (uint64_t i = 0; i < sets; i++) {
        rng r = { seed + i };
        syntax_set set;
        syntax_set_make(&set, &r);
        for (int again = 0; again < 3; again++) {
            trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
            trawl_plan *plan = NULL;
            trawl_error error = { 0 };
            options_of(&r, &options);
            trawl_compile(set.patterns, set.count, &options, &plan, NULL);
            made += plan != NULL;
            if (loads(plan, &error))
                continue;
            syntax_set_print(&set, stderr);
            fail_msg("TRAWL_TEST_SEED=%llu, engine %s: %s", (unsigned long long)(seed + i),
                     options.engine, error.message);
        }
    }
    printf("%llu plans were loaded\n", (unsigned long long)made);
    assert_true(made > sets / 2);
}

static void test_all_grids_load(void **state)
{
    const uint64_t seed = test_seed(), sets = test_cases(SETS / 4);
    uint64_t made = 0;
    (void)state;
    for (uint64_t i = 0; i < sets; i++) {
        rng r = { seed + i };
        grid_scenario g;
        grid_scenario_make(&g, seed + i);
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        const trawl_likeness like = { .size = sizeof like,
                                      .tolerance = (uint8_t)rng_below(&r, 3),
                                      .wrong = rng_below(&r, 3) };
        trawl_plan *plan = NULL;
        trawl_error error = { 0 };
        options_of(&r, &options);
        options.likeness = rng_chance(&r, 3) ? &like : NULL;
        trawl_compile_grid(g.needles, g.count, g.cell_size, &options, &plan, NULL);
        made += plan != NULL;
        if (!loads(plan, &error))
            fail_msg("TRAWL_TEST_SEED=%llu, engine %s: %s", (unsigned long long)(seed + i),
                     options.engine, error.message);
        grid_scenario_free(&g);
    }
    printf("%llu plans of grids were loaded\n", (unsigned long long)made);
    assert_true(made > sets / 4);
}

/* What may stand before an alternative whose length is not the others' is asked of its own start,
 * and of no byte after the text, by a loaded plan as by a made one. */
static void test_alternatives(void **state)
{
    static const char *const written[] = { "b|\\B..",        "\\<.|bab", "a|\\<..",
                                           "\\b.|[ab]{3,5}", "b|\\b..",  "\\B.{2}|ba+b",
                                           ".{2}|\\<..{2}" };
    static const char *const texts[] = { "aaa", "aba", "bab", "-ab-aab bab", "a", "" };
    (void)state;
    for (size_t i = 0; i < COUNT(written) * COUNT(texts) * (TRAWL_REPORT_EACH + 1); i++) {
        const char *text = texts[i / COUNT(written) % COUNT(texts)];
        const trawl_pattern p = { written[i % COUNT(written)],
                                  strlen(written[i % COUNT(written)]),
                                  TRAWL_SYNTAX_EXTENDED,
                                  0,
                                  1,
                                  NULL };
        const size_t length = strlen(text);
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        matches expected = { NULL, 0, 0 };
        options.report = (uint32_t)(i / COUNT(written) / COUNT(texts));
        uint8_t *fenced = fenced_copy(text, length, true);
        expected.count = oracle_scan(&p, 1, text, length, options.report, &expected.items);
        for (size_t e = 0; engine_choice(e); e++) {
            trawl_compile_options compiling = TRAWL_COMPILE_OPTIONS_INIT;
            trawl_plan *plan = NULL, *loaded = NULL;
            matches found = { NULL, 0, 0 };
            size_t bytes = 0;
            compiling.engine = engine_choice(e);
            if (trawl_compile(&p, 1, &compiling, &plan, NULL) != TRAWL_OK)
                continue;
            const void *block = trawl_plan_save(plan, &bytes);
            assert_int_equal(trawl_plan_load(block, bytes, &loaded, NULL), TRAWL_OK);
            assert_int_equal(trawl_collect(context, loaded, fenced, length, &options, &found.items,
                                           &found.count, NULL),
                             TRAWL_OK);
            if (!matches_agree(&expected, &found))
                fail_msg("%s on %s, report %u, engine %s", written[i % COUNT(written)], text,
                         options.report, compiling.engine);
            trawl_matches_free(found.items);
            trawl_plan_free(loaded);
            trawl_plan_free(plan);
        }
        free(expected.items);
        fenced_free(fenced, length);
    }
}

/* A plan gives its patterns back as they were, in the order in which they were given; texts and
 * tag if it was asked to. */
static void test_patterns(void **state)
{
    static const trawl_pattern given[] = {
        { "a\0b", 3, TRAWL_SYNTAX_LITERAL, TRAWL_NOCASE, 7, "nul" },
        { "x+|yy|zzz", 9, TRAWL_SYNTAX_EXTENDED, TRAWL_LINES | TRAWL_WORDS, 7, NULL },
        { "GTYRAC", 6, TRAWL_SYNTAX_IUPAC, TRAWL_OTHER_STRAND, 1, "" },
        { "4D5A(50|4?)", 11, TRAWL_SYNTAX_HEX, TRAWL_ONCE, 0, "hex" },
        { "\\x41", 4, TRAWL_SYNTAX_ESCAPED, 0, 3, "escaped" },
    };
    (void)state;
    for (uint32_t keep = 0; keep < 2; keep++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL, *loaded = NULL;
        trawl_plan_info info = { .size = sizeof info };
        trawl_pattern p;
        size_t bytes = 0;
        options.keep_texts = keep;
        options.tag = 77 * keep;
        options.note = "no\0te";
        options.note_length = 5 * keep;
        assert_int_equal(trawl_compile(given, COUNT(given), &options, &plan, NULL), TRAWL_OK);
        const void *block = trawl_plan_save(plan, &bytes);
        assert_int_equal(trawl_plan_load(block, bytes, &loaded, NULL), TRAWL_OK);
        trawl_plan_free(plan);
        assert_int_equal(trawl_plan_get_info(loaded, &info), TRAWL_OK);
        assert_true(info.tag == 77 * keep && info.keeps_texts == keep);
        const void *note = trawl_plan_get_note(loaded, &bytes);
        assert_int_equal(bytes, 5 * keep);
        if (keep)
            assert_memory_equal(note, "no\0te", 5);
        else
            assert_null(note);
        for (size_t i = 0; i < COUNT(given); i++) {
            assert_int_equal(trawl_plan_get_pattern(loaded, i, &p), TRAWL_OK);
            assert_true(p.syntax == given[i].syntax && p.flags == given[i].flags &&
                        p.id == given[i].id && !p.name == !given[i].name);
            if (p.name)
                assert_string_equal(p.name, given[i].name);
            assert_int_equal(p.length, keep ? given[i].length : 0);
            if (keep)
                assert_memory_equal(p.text, given[i].text, p.length);
            else
                assert_null(p.text);
        }
        assert_int_equal(trawl_plan_get_pattern(loaded, COUNT(given), &p), TRAWL_ERROR_ARGUMENT);
        trawl_plan_free(loaded);
    }
}

/* The block is read where it stands, if that is aligned. */
static void test_view(void **state)
{
    (void)state;
    for (size_t i = 0; i < plan_count; i++) {
        size_t bytes = 0, again = 0;
        trawl_plan *viewed = NULL;
        trawl_error error = { 0 };
        const void *block = trawl_plan_save(plans[i], &bytes);
        uint8_t *copy = aligned_alloc(64, (bytes + 127) / 64 * 64);
        assert_non_null(copy);
        memcpy(copy, block, bytes);
        assert_int_equal(trawl_plan_view(copy, bytes, &viewed, &error), TRAWL_OK);
        assert_ptr_equal(trawl_plan_save(viewed, &again), copy);
        assert_int_equal(again, bytes);
        assert_string_equal(trawl_plan_pattern_name(viewed, 0),
                            trawl_plan_pattern_name(plans[i], 0));
        trawl_plan_free(viewed);
        assert_memory_equal(copy, block, bytes);
        memmove(copy + 8, block, bytes);
        assert_int_equal(trawl_plan_view(copy + 8, bytes, &viewed, &error), TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "64 bytes"));
        assert_null(viewed);
        memcpy(copy, block, bytes);
        copy[bytes / 2] ^= 1;
        assert_int_equal(trawl_plan_view(copy, bytes, &viewed, &error), TRAWL_ERROR_PLAN);
        assert_int_equal(trawl_plan_view(copy, 0, &viewed, &error), TRAWL_ERROR_PLAN);
        free(copy);
    }
}

/* ---- damaged --------------------------------------------------------------------- */

static void must_refuse(const void *block, size_t bytes, const char *what, size_t at)
{
    trawl_plan *loaded = NULL;
    trawl_error error = { 0 };
    const int status = trawl_plan_load(block, bytes, &loaded, &error);
    if (status != TRAWL_ERROR_PLAN || loaded || error.code != TRAWL_ERROR_PLAN ||
        error.message[0] == '\0')
        fail_msg("%s at %zu of %zu: status %d, message '%s'", what, at, bytes, status,
                 error.message);
}

/* Each byte of small plans; of large ones those at the beginning and some of the others. */
static void test_each_byte(void **state)
{
    rng r = { test_seed() };
    (void)state;
    for (size_t i = 0; i < plan_count; i++) {
        size_t bytes = 0;
        const void *block = trawl_plan_save(plans[i], &bytes);
        uint8_t *copy = copy_of(block, bytes, bytes);
        for (size_t at = 0; at < bytes; at += at < 2000 ? 1 : 1 + bytes / 100) {
            const uint8_t before = copy[at];
            copy[at] ^= (uint8_t)(1 + rng_below(&r, 255));
            must_refuse(copy, bytes, "changed byte", at);
            copy[at] = before;
        }
        free(copy);
    }
}

static void test_each_length(void **state)
{
    (void)state;
    for (size_t i = 0; i < plan_count; i++) {
        size_t bytes = 0;
        const void *block = trawl_plan_save(plans[i], &bytes);
        for (size_t cut = 0; cut < bytes; cut += cut < 500 ? 1 : 1 + bytes / 50) {
            uint8_t *copy = copy_of(block, bytes, cut);
            must_refuse(copy, cut, "cut", cut);
            hostile_repair(copy, cut);
            if (cut >= sizeof(plan_header))
                hostile_scan(copy, cut, context);
            free(copy);
        }
        for (size_t more = 1; more <= 130; more++) {
            uint8_t *copy = copy_of(block, bytes, bytes + more);
            must_refuse(copy, bytes + more, "drawn out", bytes + more);
            free(copy);
        }
    }
}

/* The message says which of these it is. */
static void test_messages(void **state)
{
    static const struct {
        size_t offset;
        const char *part;
    } cases[] = {
        { offsetof(plan_header, magic), "not a Trawl plan" },
        { offsetof(plan_header, version), "version" },
        { offsetof(plan_header, byte_order), "byte order" },
        { offsetof(plan_header, bytes), "cut or joined" },
        { offsetof(plan_header, min_length), "checksum" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t bytes = 0;
        trawl_plan *loaded = NULL;
        trawl_error error = { 0 };
        const void *block = trawl_plan_save(plans[0], &bytes);
        uint8_t *copy = copy_of(block, bytes, bytes);
        copy[cases[i].offset] ^= 1;
        assert_int_equal(trawl_plan_load(copy, bytes, &loaded, &error), TRAWL_ERROR_PLAN);
        if (!strstr(error.message, cases[i].part))
            fail_msg("'%s' is not in: %s", cases[i].part, error.message);
        free(copy);
    }
}

/* A file of `trawl compile --grep` with lines that no match tells. */
static void test_conditional(void **state)
{
    (void)state;
    size_t bytes = 0;
    trawl_plan *loaded = NULL;
    trawl_error error = { 0 };
    const void *block = trawl_plan_save(plans[0], &bytes);
    uint8_t *file = calloc(1, 64 + bytes);
    assert_non_null(file);
    memcpy(file, TRAWL_PLAN_CONDITIONAL, 8);
    memcpy(file + 64, block, bytes);
    assert_int_equal(trawl_plan_load(file, 64 + bytes, &loaded, &error), TRAWL_ERROR_UNSUPPORTED);
    assert_null(loaded);
    assert_non_null(strstr(error.message, "trawl grep --plan"));
    assert_int_equal(trawl_plan_load(file, 8, &loaded, &error), TRAWL_ERROR_UNSUPPORTED);
    assert_int_equal(trawl_plan_load(file, 7, &loaded, &error), TRAWL_ERROR_PLAN);
    free(file);
}

/* ---- hostile ---------------------------------------------------------------------- */

/* Values that tables are likely to trust. */
static uint32_t telling_value(rng *r)
{
    static const uint32_t values[] = { 0,          1,          2,          63,
                                       64,         65,         255,        256,
                                       0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                       0x40000000, 0x3fffffff, 1u << 20,   (1u << 20) + 1,
                                       1u << 26 };
    switch (rng_below(r, 3)) {
    case 0:
        return values[rng_below(r, COUNT(values))];
    case 1:
        return rng_below(r, 300);
    default:
        return (uint32_t)rng_next(r) >> rng_below(r, 32);
    }
}

static void test_hostile(void **state)
{
    const uint64_t seed = test_seed();
    uint64_t loaded = 0;
    const uint64_t edits =
        environment_number("TRAWL_TEST_EDITS", test_sanitized() ? EDITS / 5 : EDITS);
    (void)state;
    for (uint64_t i = 0; i < edits; i++) {
        rng r = { seed + i };
        size_t bytes = 0;
        const void *block = trawl_plan_save(plans[rng_below(&r, (uint32_t)plan_count)], &bytes);
        if (bytes > 100000 && !rng_chance(&r, 20))
            continue; /* Wu-Manber's tables take long to copy */
        uint8_t *copy = copy_of(block, bytes, bytes);
        for (uint32_t k = rng_between(&r, 1, 3); k > 0; k--) {
            const plan_edit edit = {
                (uint8_t)rng_next(&r), (uint8_t)rng_next(&r),
                (uint16_t)(rng_chance(&r, 2) ? rng_below(&r, 40) : rng_next(&r)), telling_value(&r)
            };
            hostile_edit(copy, bytes, &edit);
        }
        hostile_repair(copy, bytes);
        loaded += hostile_scan(copy, bytes, context);
        free(copy);
    }
    printf("%llu of %llu hostile plans were loaded\n", (unsigned long long)loaded,
           (unsigned long long)edits);
}

/* Each word of small tables, one too high or too low: among them those that say which pattern has
 * matched, so that one is reported twice at one place. */
static void test_each_word(void **state)
{
    static const trawl_pattern set[] = {
        { "[0-9]{2,5}", 10, TRAWL_SYNTAX_EXTENDED, 0, 5, NULL },
        { "k.{1,4}=[a-f]{3}", 16, TRAWL_SYNTAX_EXTENDED, 0, 6, NULL },
    };
    static const char *const engines[] = { "bitslice", "shiftand", "hnfa", "factors" };
    rng r = { test_seed() };
    (void)state;
    for (size_t e = 0; e < COUNT(engines); e++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        size_t bytes = 0;
        options.engine = engines[e];
        assert_int_equal(trawl_compile(set, COUNT(set), &options, &plan, NULL), TRAWL_OK);
        const void *block = trawl_plan_save(plan, &bytes);
        const plan_range tables = plan_head(plan)->section[PLAN_TABLES];
        uint8_t *copy = copy_of(block, bytes, bytes);
        for (size_t at = 0; at < 2 * MAX_WORDS && at / 2 * 4 < tables.bytes;
             at += test_sanitized() ? 1 + rng_below(&r, 32) : 1) {
            uint32_t *word = (uint32_t *)(void *)(copy + tables.offset + at / 2 * 4);
            const uint32_t before = *word;
            *word += at % 2 ? 1 : UINT32_MAX;
            hostile_repair(copy, bytes);
            hostile_scan(copy, bytes, context);
            *word = before;
        }
        free(copy);
        trawl_plan_free(plan);
    }
}

/* ---- chains that no engine names ------------------------------------------------------ */

static memory heap = { .limit = UINT64_MAX };

/* A part of stages by these engines, put together as no planner would, for a GPU or not; false:
 * refused. */
static bool chain_loads(const pattern_list *list, const char *const engines[2], bool gpu)
{
    const problem p = {
        .memory = &heap, .list = list, .sample = profile_of(NULL, 0, list), .target = { .gpu = gpu }
    };
    part_draft part = { .list = list, .stage_count = 2 };
    trawl_plan *plan = NULL;
    size_t bytes = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const engine *e = engine_by_name(engines[i]);
        part.stages[i].kind = (uint32_t)e->kind;
        part.stages[i].tables.memory = &heap;
        e->build(&p, &part.stages[i]);
        assert_false(part.stages[i].tables.failed);
    }
    assert_int_equal(plan_assemble(list, &part, 1, "x", "forged", &plan, NULL), TRAWL_OK);
    for (uint32_t i = 0; i < 2; i++)
        block_free(&part.stages[i].tables);
    const void *block = trawl_plan_save(plan, &bytes);
    const bool loaded = hostile_scan(block, bytes, context);
    trawl_plan_free(plan);
    return loaded;
}

/* Stages that take turns must have the same kind of state. */
static void test_chains(void **state)
{
    static const struct {
        const char *engines[2];
        bool fits;
    } chains[] = {
        { { "wm", "ac" }, true },          { { "qgrams", "ac" }, true },
        { { "kmers", "ac" }, true },       { { "pfac", "ac" }, true },
        { { "teddy", "ac" }, true },       { { "ac", "ac" }, false },
        { { "teddy", "teddy" }, false },   { { "ac", "shiftand" }, false },
        { { "shiftand", "hnfa" }, false }, { { "wm", "pfac" }, false },
    };
    char written[20][41];
    trawl_pattern patterns[COUNT(written)];
    pattern_list list;
    (void)state;
    for (size_t i = 0; i < COUNT(written); i++) { /* more than 8 words of positions */
        memset(written[i], 'a' + (int)(i % 4), sizeof written[i] - 1);
        patterns[i] = (trawl_pattern){ written[i], sizeof written[i] - 1, 0, 0, (uint32_t)i, NULL };
    }
    assert_int_equal(pattern_list_make(&heap, patterns, COUNT(patterns), NULL, &list, NULL),
                     TRAWL_OK);
    for (size_t i = 0; i < 2 * COUNT(chains); i++) {
        const size_t c = i / 2;
        if (chain_loads(&list, chains[c].engines, i % 2 == 1) != chains[c].fits)
            fail_msg("chain %zu, from %s on, was %s", c, chains[c].engines[0],
                     chains[c].fits ? "refused" : "loaded");
    }
    list.count = list.given = 1; /* engines for a single literal */
    static const char *const single[] = { "packed", "bm" };
    assert_true(chain_loads(&list, single, false));
    assert_true(chain_loads(&list, single, true));
    list.count = COUNT(patterns);
    pattern_list_free(&list);
}

/* ---- tables that only devices read ---------------------------------------------------- */

/* A loaded plan's block with its first stage's table changed by `edit`; whether it loads. */
static bool edited_loads(trawl_plan *plan, void (*edit)(uint32_t *tables))
{
    size_t bytes = 0;
    const void *block = trawl_plan_save(plan, &bytes);
    uint8_t *copy = copy_of(block, bytes, bytes);
    const plan_header *head = (const plan_header *)(const void *)copy;
    const plan_stage *stage =
        (const plan_stage *)(const void *)(copy + head->section[PLAN_STAGES].offset);
    edit((uint32_t *)(void *)(copy + head->section[PLAN_TABLES].offset + stage->tables));
    hostile_repair(copy, bytes);
    const bool loaded = hostile_scan(copy, bytes, context);
    free(copy);
    return loaded;
}

static void edit_nothing(uint32_t *tables)
{
    (void)tables;
}

/* Devices read the cells of test strings from the needle. */
static void edit_ku_column(uint32_t *tables)
{
    const ku_tables *t = (const ku_tables *)tables;
    ((ku_test *)(tables + t->tests))->col = 0x40000000;
}

/* Devices load these 16 bytes at once. */
static void edit_packed_pattern(uint32_t *tables)
{
    ((packed_tables *)tables)->pattern++;
}

static void edit_packed_keep(uint32_t *tables)
{
    ((packed_tables *)tables)->keep--;
}

static void edit_kmers_entries(uint32_t *tables)
{
    kmers_tables *t = (kmers_tables *)tables;
    const size_t count = tables[t->buckets + (1u << (32 - t->shift))];
    t->entries -= 2; /* what is before them fills up to 64 bytes */
    memmove(tables + t->entries, tables + t->entries + 2, count * sizeof(kmers_entry));
}

/* A CPU looks letters up, a device takes them from their bits. */
static void edit_kmers_letters(uint32_t *tables)
{
    ((kmers_tables *)tables)->letter_bit++;
}

static void test_device_tables(void **state)
{
    static const struct {
        const char *engine;
        void (*edit)(uint32_t *tables);
    } cases[] = {
        { "ku", edit_ku_column },        { "packed", edit_packed_pattern },
        { "packed", edit_packed_keep },  { "kmers", edit_kmers_entries },
        { "kmers", edit_kmers_letters },
    };
    static const uint8_t cells[64] = { 1, 2, 3, 0, 5, 6, 0, 8, 9, 1, 7 };
    static const trawl_needle needle = { cells, 8, 8, 0, 1, NULL };
    static const trawl_pattern dna[] = { { "ACGTACGGTTAACCGG", 16, 0, 0, 1, NULL } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL;
        const bool grid = strcmp(cases[i].engine, "ku") == 0;
        options.engine = cases[i].engine;
        assert_int_equal(grid ? trawl_compile_grid(&needle, 1, 1, &options, &plan, NULL)
                              : trawl_compile(dna, 1, &options, &plan, NULL),
                         TRAWL_OK);
        assert_true(edited_loads(plan, edit_nothing));
        if (edited_loads(plan, cases[i].edit))
            fail_msg("forged tables of %s, case %zu, were loaded", cases[i].engine, i);
        trawl_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_view),
        cmocka_unit_test(test_all_load),     cmocka_unit_test(test_all_grids_load),
        cmocka_unit_test(test_alternatives), cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_each_length),  cmocka_unit_test(test_messages),
        cmocka_unit_test(test_each_word),    cmocka_unit_test(test_conditional),
        cmocka_unit_test(test_hostile),      cmocka_unit_test(test_chains),
        cmocka_unit_test(test_patterns),     cmocka_unit_test(test_device_tables),
    };
    return cmocka_run_group_tests(tests, make_plans, free_plans);
}
