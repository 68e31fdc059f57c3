/* test_bitstreams.c: SHIFT-AND by bit streams, against RunHNFA.
 *
 * Streams are run by chunks of some thousand bytes, and begin anew where a window of rare positions
 * ends; the oracle is too slow for such texts. test_differential holds both to it on short ones. A
 * scenario is some patterns, and a text of one filler with letters of the patterns here and there,
 * now close together and now apart, so that windows lie on the borders of blocks, chunks, slices
 * and feeds, and that streams go on after them.
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

#include "fence.h"
#include "matches.h"
#include "random.h"
#include "trawl.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SCENARIOS = 400, MAX_PATTERNS = 10, WRITTEN = 500, MAX_TEXT = 30000, PIECES = 10 };

typedef struct scene {
    uint64_t seed;
    char written[MAX_PATTERNS][WRITTEN];
    trawl_pattern patterns[MAX_PATTERNS];
    size_t count;
    uint8_t *text; /* of its exact length */
    size_t length;
    uint32_t letters;
} scene;

static void failed(const scene *s, const char *what)
{
    printf("\n%s\nTRAWL_TEST_SEED=%llu TRAWL_TEST_CASES=1 test_bitstreams\n%zu bytes\n", what,
           (unsigned long long)s->seed, s->length);
    for (size_t i = 0; i < s->count; i++)
        printf("pattern %zu, flags %u: %s\n", i, s->patterns[i].flags, s->written[i]);
    fflush(stdout);
    fail();
}

/* ---- scenarios ----------------------------------------------------------------------- */

static void write_set(rng *r, const scene *s, char *to, size_t room)
{
    const char a = (char)('a' + rng_below(r, s->letters)),
               b = (char)('a' + rng_below(r, s->letters));
    switch (rng_below(r, 11)) {
    case 9:
        snprintf(to, room, "\\x00"); /* which stands after texts that are no whole block */
        break;
    case 10:
        snprintf(to, room, "[%c\\x00]", a);
        break;
    case 0:
        snprintf(to, room, ".");
        break;
    case 1:
        snprintf(to, room, "[^%c]", a);
        break;
    case 2:
        snprintf(to, room, "[%c%c]", a, b);
        break;
    case 3:
        snprintf(to, room, "[a-%cx]", a);
        break;
    case 4:
        snprintf(to, room, "[%c\\x80-\\xf3]", a);
        break;
    default:
        snprintf(to, room, "%c", a);
    }
}

static void write_pattern(rng *r, const scene *s, char *to)
{
    static const char *const repeats[] = { "?",    "*",      "+",       "{2}",  "{0,3}",  "{2,5}",
                                           "{3,}", "{1,70}", "{20,90}", "{31}", "{2,600}" };
    bool some = false; /* positions that every match has */
    to[0] = '\0';
    for (uint32_t n = rng_between(r, 1, 8); n > 0 || !some; n -= n > 0) {
        char set[16];
        const char *repeat = rng_chance(r, 3) ? repeats[rng_below(r, COUNT(repeats))] : "";
        const size_t length = strlen(to);
        write_set(r, s, set, sizeof set);
        snprintf(to + length, WRITTEN - length, "%s%s", set, repeat);
        some = some || (*repeat != '?' && *repeat != '*' && strcmp(repeat, "{0,3}") != 0);
    }
}

static void make_text(rng *r, scene *s)
{
    uint32_t apart = rng_chance(r, 2) ? 3000 : rng_between(r, 1, 300);
    s->length = rng_between(r, 1, rng_chance(r, 4) ? 1500 : MAX_TEXT);
    s->text = fenced_text(s->length, rng_chance(r, 2));
    for (size_t at = 0; at < s->length;) {
        for (uint32_t n = rng_between(r, 1, 14); n > 0 && at < s->length; n--)
            s->text[at++] = rng_chance(r, 30) ? (uint8_t)rng_below(r, 256)
                                              : (uint8_t)('a' + rng_below(r, s->letters));
        for (uint32_t n = rng_below(r, apart); n > 0 && at < s->length; n--)
            s->text[at++] = 'x';
        if (rng_chance(r, 20))
            apart = rng_chance(r, 2) ? 3000 : 20;
    }
}

static void make_scene(rng *r, scene *s)
{
    s->letters = rng_between(r, 1, 6);
    s->count = rng_chance(r, 2) ? 1 : rng_between(r, 2, MAX_PATTERNS);
    for (size_t i = 0; i < s->count; i++) {
        write_pattern(r, s, s->written[i]);
        s->patterns[i] = (trawl_pattern){ .text = s->written[i],
                                          .length = strlen(s->written[i]),
                                          .syntax = TRAWL_SYNTAX_EXTENDED,
                                          .flags = rng_chance(r, 5)   ? TRAWL_NOCASE
                                                   : rng_chance(r, 5) ? TRAWL_LINES
                                                                      : 0,
                                          .id = (uint32_t)i };
    }
    make_text(r, s);
}

/* ---- searching ------------------------------------------------------------------------ */

/* With a sample half the time, for it decides which windows there are. Saved and loaded. */
static trawl_plan *compile(rng *r, const scene *s, const char *engine)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL, *loaded = NULL;
    trawl_error error = { 0 };
    size_t bytes = 0;
    options.engine = engine;
    if (rng_chance(r, 2)) {
        options.sample = s->text;
        options.sample_length = s->length;
    }
    if (trawl_compile(s->patterns, s->count, &options, &plan, &error) != TRAWL_OK)
        failed(s, error.message);
    const void *block = trawl_plan_save(plan, &bytes);
    if (trawl_plan_load(block, bytes, &loaded, &error) != TRAWL_OK)
        failed(s, error.message);
    trawl_plan_free(plan);
    return loaded;
}

static matches scan(const scene *s, const trawl_plan *plan, const char *backend, uint32_t chunks)
{
    trawl_context_options open = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    matches found = { NULL, 0, 0 };
    open.backend = backend;
    open.threads = strcmp(backend, "threads") == 0 ? 2 : 0;
    open.chunks = chunks;
    if (trawl_context_open(&open, &context, &error) != TRAWL_OK ||
        trawl_collect(context, plan, s->text, s->length, NULL, &found.items, &found.count,
                      &error) != TRAWL_OK)
        failed(s, error.message);
    trawl_context_close(context);
    return found;
}

static void feed(const scene *s, const trawl_plan *plan, rng *r, const matches *expected)
{
    const uint32_t piece = rng_chance(r, 2) ? 600 : 9000;
    trawl_context *context;
    trawl_stream *stream;
    matches found = { NULL, 0, 0 };
    assert_int_equal(trawl_context_open(NULL, &context, NULL), TRAWL_OK);
    assert_int_equal(trawl_stream_open(context, plan, NULL, keep_matches, &found, &stream, NULL),
                     TRAWL_OK);
    for (size_t at = 0, n; at < s->length; at += n) {
        n = rng_between(r, 1, piece);
        n = n < s->length - at ? n : s->length - at;
        if (trawl_stream_feed(stream, s->text + at, n, NULL) != TRAWL_OK)
            failed(s, "feeding");
    }
    assert_int_equal(trawl_stream_close(stream, NULL), TRAWL_OK);
    if (!matches_agree(expected, &found))
        failed(s, "in a stream");
    free(found.items);
    trawl_context_close(context);
}

/* Pieces as texts of their own, which short ones have another way for. */
static void cut(const scene *s, const trawl_plan *plan, const trawl_plan *other, rng *r)
{
    for (int i = 0; i < PIECES; i++) {
        scene piece = *s;
        const size_t most = rng_chance(r, 2) ? 70 : 600;
        const size_t at = rng_below(r, (uint32_t)s->length);
        const size_t left = s->length - at;
        piece.length = rng_between(r, 1, (uint32_t)(left < most ? left : most));
        piece.text = fenced_copy(s->text + at, piece.length, rng_chance(r, 2));
        const matches expected = scan(&piece, other, "serial", 1);
        const matches found = scan(&piece, plan, "serial", 1);
        if (!matches_agree(&expected, &found))
            failed(&piece, "in a piece");
        trawl_matches_free(expected.items);
        trawl_matches_free(found.items);
        fenced_free(piece.text, piece.length);
    }
}

static void run(scene *s, rng *r)
{
    static const struct {
        const char *backend, *way;
        uint32_t chunks;
    } ways[] = { { "serial", "in one slice", 1 },
                 { "serial", "in 7 slices", 7 },
                 { "threads", "by threads", 5 } };
    trawl_plan *plan = compile(r, s, "shiftand"), *other = compile(r, s, "hnfa");
    const matches expected = scan(s, other, "serial", 1);
    for (size_t i = 0; i < COUNT(ways); i++) {
        const matches found = scan(s, plan, ways[i].backend, ways[i].chunks);
        if (!matches_agree(&expected, &found))
            failed(s, ways[i].way);
        trawl_matches_free(found.items);
    }
    feed(s, plan, r, &expected);
    cut(s, plan, other, r);
    trawl_matches_free(expected.items);
    trawl_plan_free(other);
    trawl_plan_free(plan);
}

static void test_streams(void **state)
{
    const uint64_t seed = test_seed(), wanted = test_cases(SCENARIOS);
    (void)state;
    for (uint64_t i = 0; i < wanted && i < SCENARIOS; i++) {
        scene *s = calloc(1, sizeof *s);
        rng r = { seed + i };
        assert_non_null(s);
        s->seed = seed + i;
        make_scene(&r, s);
        run(s, &r);
        fenced_free(s->text, s->length);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_streams) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
