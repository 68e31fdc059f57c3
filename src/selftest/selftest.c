/* selftest.c: see selftest.h.
 *
 * A walk has lines in the tables below: a set that its kernels must work for (overlaps, repeats
 * that cross slices, several rows), and tunings that lead through all of them. The text is always
 * the same, and has many matches: random letters, words that are looked for, and runs of one
 * letter, where there are more than a filter is worth. Matches are compared one by one, then
 * counted without being stored, and by pattern.
 */
#include "selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/grid.h"

enum { TEXT_BYTES = 150000, GRID_ROWS = 150, GRID_COLS = 401, MOST_PATTERNS = 5, MOST_TUNINGS = 3 };

/* Planted in the text: long walks are handed from kernel to kernel. */
#define LONG_PATTERN "abcdabcdabcdabcddcbadcbadcba"
enum { PLANT_EVERY = 1009, RUN_EVERY = 40009, RUN_BYTES = 700, MOST_WORDS = 6000 };

/* Besides patterns, `words` of `length` bytes and more are cut out of the text. Every set is run
 * with the cuts below; the tunings are for single kernels. */
typedef struct text_case {
    const char *engine;
    const char *patterns[MOST_PATTERNS]; /* extended strings */
    unsigned words, length;
    const char *tunings[MOST_TUNINGS];
} text_case;

#define LETTERS "a", "abca", "bcabd", LONG_PATTERN
#define CLASSES "[ab]c.[bd]{2}a.?[^a]d", "b.{1,3}[ac]d[ac]b", "d[bc]a[^c]{3}dd", "[a-c]dcba[ab]"

static const text_case text_cases[] = {
    { "bm", { "abcab" }, 0, 0, { "staged=0", "staged=1,group=64,chars=20,cascade=3" } },
    { "packed", { "abcabd" }, 0, 0, { "group=64,blocks=1,page=64" } },
    { "packed/bm", { "aaaaab" }, 0, 0, { NULL } },
    { "wm",
      { "abca", "bcabd", "dacabba", "ccccc" },
      0,
      0,
      { "borders=1,page=64,group=64", "borders=0,page=48,group=64", "staged=1,group=64" } },
    { "wm/ac", { "aaaaa" }, 300, 6, { NULL } },
    { "ac",
      { LETTERS },
      0,
      0,
      { "staged=1,row=0,page=64,group=64", "staged=0,row=1,page=100", "texture=1" } },
    { "ac", { NULL }, 3000, 7, { NULL } },
    { "pfac",
      { LETTERS },
      0,
      0,
      { "filter=0,staged=0,row=0,chars=4", "filter=1,staged=1,row=1,chars=16,group=64",
        "filter=0,staged=1,texture=1" } },
    { "pfac/ac", { "aaaaaaaaaaab", "aaaaaaaaaaaaaaaaaab" }, 200, 9, { "filter=1,group=64" } },
    { "qgrams", { "abcabd" }, 200, 6, { "group=64,blocks=1" } },
    { "qgrams/ac", { "aaaaaaaab" }, MOST_WORDS, 9, { NULL } },
    { "kmers", { LONG_PATTERN }, 500, 16, { "group=64,blocks=1,page=64" } },
    { "kmers/ac", { "aaaaaaaaaaaaaaaa" }, 1500, 16, { NULL } },
    { "shiftand",
      { "ab?c+d", "[ac]d{2,5}b*a", "b.{1,70}dddd", "dc+da*b" },
      0,
      0,
      { "page=64,group=64" } },
    { "bitslice", { CLASSES }, 0, 0, { "chars=32,group=64", "chars=64,blocks=1,group=64" } },
    { "bitslice/shiftand", { "[ab][ab][ab][ab][ab]", CLASSES }, 0, 0, { NULL } },
    { "factors",
      { "abcd.{0,9}[bc]adb", "[bd]cabb{1,3}d?a[^c]", "a.?dbca", "bad[abcd]{2,40}cab" },
      0,
      0,
      { "group=64,blocks=1" } },
    { "factors/shiftand", { "[ab]aaaa.{0,5}b", CLASSES }, 0, 0, { NULL } },
    { "hnfa",
      { "ab?c+d", "[ac]d{2,5}b*a", "a{4}.{60,200}dddd", "d[ab]+.?c{3}[bd]*dcba" },
      0,
      0,
      { "exchange=atomic,page=512", "exchange=relay,page=512" } },
    { "auto", { "abcabd", "d[ab]+.?c{3}[bd]*dcba", "b.{1,3}[ac]d[ac]b" }, 300, 8, { NULL } },
};

typedef struct grid_case {
    const char *engine;
    uint32_t cell_size;
    uint32_t tolerance, wrong; /* of places that differ and count all the same */
    const char *tunings[MOST_TUNINGS];
} grid_case;

static const grid_case grid_cases[] = {
    { "bb", 1, 0, 0, { "stage=1,group=64", "stage=2", "stage=4" } },
    { "bb", 4, 0, 0, { NULL } },
    { "byr", 1, 0, 0, { "stage=1,chars=4,group=64", "stage=3", "stage=4,chars=8" } },
    { "byr/bb", 2, 0, 0, { NULL } },
    { "ku", 1, 0, 0, { "group=96" } },
    { "ku/bb", 2, 0, 0, { NULL } },
    { "ku/bb", 4, 0, 0, { NULL } },
    { "direct", 1, 1, 3, { "group=64" } },
    { "direct", 4, 1, 3, { NULL } },
};

/* What one scan found. */
typedef struct found {
    uint64_t count, hash;
} found;

/* FNV-1a over the numbers of a match: order matters. */
static void add_number(found *f, uint64_t number)
{
    f->hash = (f->hash ^ number) * 0x100000001b3u;
}

static int add_matches(const trawl_match *m, size_t count, void *user)
{
    found *f = user;
    f->count += count;
    for (size_t i = 0; i < count; i++) {
        add_number(f, m[i].start);
        add_number(f, m[i].end);
        add_number(f, m[i].pattern);
    }
    return 0;
}

static int add_grid_matches(const trawl_grid_match *m, size_t count, void *user)
{
    found *f = user;
    f->count += count;
    for (size_t i = 0; i < count; i++) {
        add_number(f, m[i].row);
        add_number(f, m[i].col);
        add_number(f, m[i].needle);
    }
    return 0;
}

/* A plan and what it is scanned over. */
typedef struct subject {
    const char *const *tunings;
    trawl_plan *plan;
    const uint8_t *text; /* TEXT_BYTES, or GRID_ROWS * GRID_COLS cells */
    bool grid;
} subject;

/* By pattern, as trawl_count_each counts. */
static int count_each(trawl_context *context, const subject *s, uint64_t *sum, trawl_error *error)
{
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(s->plan, &info);
    uint64_t *counts = calloc(info.patterns, sizeof *counts);
    if (!counts)
        return TRAWL_ERROR_MEMORY;
    const int status = trawl_count_each(context, s->plan, s->text, TEXT_BYTES, NULL, counts, error);
    *sum = 0;
    for (size_t i = 0; i < info.patterns; i++)
        *sum += counts[i];
    free(counts);
    return status;
}

static int scan(trawl_context *context, const subject *s, found *f, trawl_error *error)
{
    const trawl_grid grid = { s->text, GRID_ROWS, GRID_COLS, 0 };
    uint64_t count = 0, sum = 0;
    memset(f, 0, sizeof *f);
    if (s->grid)
        return trawl_scan_grid(context, s->plan, &grid, NULL, add_grid_matches, f, error);
    int status = trawl_scan(context, s->plan, s->text, TEXT_BYTES, NULL, add_matches, f, error);
    if (status == TRAWL_OK)
        status = trawl_count(context, s->plan, s->text, TEXT_BYTES, NULL, &count, error);
    if (status == TRAWL_OK)
        status = count_each(context, s, &sum, error);
    if (status == TRAWL_OK && (count != f->count || sum != f->count))
        f->hash = ~f->hash; /* counted otherwise than found */
    return status;
}

/* Scan on one backend and device; on an error f is empty and *error says why. */
static int scan_on(const char *backend, const char *device, const char *tuning, const subject *s,
                   found *f, trawl_error *error)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context;
    options.backend = backend;
    options.device = device;
    options.tuning = tuning;
    int status = trawl_context_open(&options, &context, error);
    if (status == TRAWL_OK)
        status = scan(context, s, f, error);
    if (status == TRAWL_OK && trawl_context_warning(context)) {
        snprintf(error->message, sizeof error->message, "%s", trawl_context_warning(context));
        status = TRAWL_ERROR_DEVICE;
    }
    trawl_context_free(context);
    return status;
}

/* One piece of text; several, which cross between lanes, copied and mapped. */
static const char *const cuts[] = { NULL, "piece=64,queues=3,mapped=0",
                                    "piece=64,queues=2,mapped=1" };

enum { CUTS = sizeof cuts / sizeof *cuts };

/* What a tuning asks for and a device does not have, as textures, is left out. */
static int scan_tuned(const char *backend, const char *device, const char *tuning, const subject *s,
                      const found *expected, bool *equal, trawl_error *error)
{
    found got = { 0, 0 };
    const int status = scan_on(backend, device, tuning, s, &got, error);
    if (status == TRAWL_ERROR_UNSUPPORTED && tuning)
        return TRAWL_OK;
    *equal = got.count == expected->count && got.hash == expected->hash;
    if (status == TRAWL_OK && !*equal)
        snprintf(error->message, sizeof error->message,
                 "%llu matches, serial finds %llu%s, tuning %s", (unsigned long long)got.count,
                 (unsigned long long)expected->count,
                 got.count == expected->count ? ", others or counted otherwise" : "",
                 tuning ? tuning : "none");
    return status;
}

/* Without a plan *error says why. */
static void test_walk(const selftest *t, const subject *s, selftest_walk *walk, trawl_error *error)
{
    char device[24];
    found expected = { 0, 0 };
    bool equal = true;
    snprintf(device, sizeof device, "%zu", walk->device);
    t->begin(t->user, walk);
    int status = s->plan ? scan_on("serial", NULL, NULL, s, &expected, error) : TRAWL_ERROR_PLAN;
    for (size_t i = 0; i < CUTS && status == TRAWL_OK && equal; i++)
        status = scan_tuned(walk->backend, device, cuts[i], s, &expected, &equal, error);
    for (size_t i = 0; i < MOST_TUNINGS && s->tunings[i] && status == TRAWL_OK && equal; i++)
        status = scan_tuned(walk->backend, device, s->tunings[i], s, &expected, &equal, error);
    walk->why = status != TRAWL_OK || !equal ? error->message : NULL;
    walk->matches = expected.count;
    t->end(t->user, walk);
}

/* ---- texts and sets ---------------------------------------------------------------- */

static uint32_t next_number(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

/* Letters a to d, always the same. */
static uint8_t *make_text(void)
{
    uint8_t *text = malloc(TEXT_BYTES);
    uint32_t x = 2463534242u;
    for (size_t i = 0; text && i < TEXT_BYTES; i++)
        text[i] = (uint8_t)('a' + (next_number(&x) >> 20) % 4);
    for (size_t i = 0; text && i + sizeof LONG_PATTERN <= TEXT_BYTES; i += PLANT_EVERY)
        memcpy(text + i, LONG_PATTERN, sizeof LONG_PATTERN - 1);
    for (size_t i = RUN_EVERY; text && i + RUN_BYTES <= TEXT_BYTES; i += RUN_EVERY)
        memset(text + i, 'a', RUN_BYTES);
    return text;
}

static trawl_plan *compile_text(const text_case *c, const uint8_t *text, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    size_t count = 0;
    uint32_t x = 88172645u;
    trawl_pattern *patterns = calloc(MOST_PATTERNS + c->words, sizeof *patterns);
    if (!patterns)
        return NULL;
    for (; count < MOST_PATTERNS && c->patterns[count]; count++) {
        patterns[count].text = c->patterns[count];
        patterns[count].length = strlen(c->patterns[count]);
        patterns[count].syntax = TRAWL_SYNTAX_EXTENDED;
    }
    for (size_t i = 0; i < c->words; i++, count++) {
        patterns[count].text = text + next_number(&x) % (TEXT_BYTES - 64);
        patterns[count].length = c->length + i % 5;
    }
    options.engine = c->engine;
    trawl_compile(patterns, count, &options, &plan, error);
    free(patterns);
    return plan;
}

/* Cells of so many bytes, of which the highest one differs as the lowest does. */
static uint8_t *make_cells(const uint8_t *text, uint32_t cell_size)
{
    const size_t count = (size_t)GRID_ROWS * GRID_COLS;
    uint8_t *cells = calloc(count, cell_size);
    for (size_t i = 0; cells && i < count; i++)
        cells[i * cell_size] = cells[(i + 1) * cell_size - 1] = text[i];
    return cells;
}

/* Needles cut out of the text's own cells; the large one is compared by whole groups. */
static trawl_plan *compile_grid(const grid_case *c, const uint8_t *cells, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    const size_t size = c->cell_size, row = GRID_COLS * size;
    const trawl_needle needles[] = {
        { cells + 5 * row + 7 * size, 2, 3, row, 0, NULL },
        { cells + 90 * row + 380 * size, 9, 5, row, 1, NULL },
        { cells + 21 * row + 33 * size, 80, 90, row, 2, NULL },
        { cells + 60 * row + 100 * size, 12, 33, row, 3, NULL },
    };
    trawl_plan *plan = NULL;
    const trawl_likeness nearly = { sizeof nearly, NULL, c->tolerance, 1, c->wrong };
    options.engine = c->engine;
    if (c->tolerance || c->wrong)
        options.likeness = &nearly;
    trawl_compile_grid(needles, sizeof needles / sizeof *needles, c->cell_size, &options, &plan,
                       error);
    return plan;
}

/* ---- all of them ------------------------------------------------------------------------ */

static bool is_asked(const selftest *t, const char *engine)
{
    return !t->engine || strcmp(t->engine, engine) == 0;
}

static void test_device(const selftest *t, const char *backend, size_t device, const uint8_t *text)
{
    selftest_walk walk = { backend, device, NULL, NULL, 0 };
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        const text_case *c = &text_cases[i];
        walk.engine = c->engine;
        if (!is_asked(t, c->engine))
            continue;
        trawl_error error = { 0 };
        subject s = { c->tunings, compile_text(c, text, &error), text, false };
        test_walk(t, &s, &walk, &error);
        trawl_plan_free(s.plan);
    }
    for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
        const grid_case *c = &grid_cases[i];
        walk.engine = c->engine;
        if (!is_asked(t, c->engine))
            continue;
        uint8_t *cells = make_cells(text, c->cell_size);
        trawl_error error = { 0 };
        subject s = { c->tunings, cells ? compile_grid(c, cells, &error) : NULL, cells, true };
        test_walk(t, &s, &walk, &error);
        trawl_plan_free(s.plan);
        free(cells);
    }
}

bool selftest_has(const char *engine)
{
    bool has = false;
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++)
        has |= strcmp(text_cases[i].engine, engine) == 0;
    for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++)
        has |= strcmp(grid_cases[i].engine, engine) == 0;
    return has;
}

bool selftest_run(const selftest *t, size_t *devices)
{
    uint8_t *text = make_text();
    *devices = 0;
    for (size_t i = 0; text && i < trawl_backend_count(); i++) {
        const char *backend = trawl_backend_name(i);
        const bool asked = !t->backend || strcmp(backend, t->backend) == 0;
        const size_t count = asked ? trawl_device_count(backend, NULL) : 0;
        for (size_t d = 0; d < count; d++, ++*devices)
            test_device(t, backend, d, text);
    }
    free(text);
    return text;
}
