/* selftest.c: see selftest.h.
 *
 * Each walk of engines.def searches every set below that it takes: overlaps, repeats that cross
 * slices, several rows, more matches than a filter is worth. The text is always the same: random
 * letters, words that are looked for, and runs of one letter. Matches are compared one by one, then
 * counted without being stored, and by pattern. Tunings lead through all kernels.
 */
#include "selftest/selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/grid.h"

enum { TEXT_BYTES = 150000, GRID_ROWS = 150, GRID_COLS = 401, MAX_PATTERNS = 5 };

/* Planted in the text: long walks are handed from kernel to kernel. */
#define LONG_PATTERN "abcdabcdabcdabcddcbadcbadcba"
enum { PLANT_EVERY = 1009, RUN_EVERY = 40009, RUN_BYTES = 700 };

/* Besides patterns, `words` of `length` bytes and more are cut out of the text. */
typedef struct text_set {
    const char *patterns[MAX_PATTERNS]; /* extended strings */
    unsigned words, length;
} text_set;

/* Walks that take classes are not asked for sets of literals. */
enum { CLASS_SETS = 5 };
static const text_set text_sets[] = {
    { { "abcd.{0,9}[bc]adb", "[bd]cabb{1,3}d?a[^c]", "a.?dbca", "bad[abcd]{2,40}cab" }, 0, 0 },
    { { "[ab]c.[bd]{2}a.?[^a]d", "b.{1,3}[ac]d[ac]b", "d[bc]a[^c]{3}dd", "[a-c]dcba[ab]" }, 0, 0 },
    { { "[ab][ab][ab][ab][ab]", "[ab]aaaa.{0,5}b", "d[bc]a[^c]{3}dd" }, 0, 0 },
    { { "ab?c+d", "[ac]d{2,5}b*a", "b.{1,70}dddd", "d[ab]+.?c{3}[bd]*dcba", "a{4}.{60,200}dddd" },
      0,
      0 },
    { { "abcabd", "b.{1,3}[ac]d[ac]b" }, 30, 8 },
    { { "abcab" }, 0, 0 },
    { { "aaaaab" }, 0, 0 },
    { { "a", "abca", "bcabd", "ccccc", LONG_PATTERN }, 0, 0 },
    { { "aaaaa", "abcabd" }, 300, 6 },
    { { "aaaaaaaaaaab", "aaaaaaaaab" }, 3000, 9 },
    { { "aaaaaaaaaaaaaaaa", LONG_PATTERN }, 1500, 16 },
};

typedef struct grid_set {
    uint32_t cell_size;
    uint32_t tolerance, wrong; /* of places that differ and count all the same */
} grid_set;

static const grid_set grid_sets[] = {
    { 1, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 }, { 1, 1, 3 }, { 4, 1, 3 }
};

enum { TEXT_SETS = sizeof text_sets / sizeof *text_sets };
enum { GRID_SETS = sizeof grid_sets / sizeof *grid_sets };

/* Walks by themselves, and with their fallbacks. */
static const struct tuned {
    const char *engine, *tuning;
    bool some; /* devices leave some sets to its fallback */
} tuned[] = {
#define NO_KERNELS(name)
#define SOME_KERNELS(name) { #name, NULL, true },
#define KERNELS(name) { #name, NULL, false },
#define ENGINE(name, NAME, kind, room, loop, device, title) device(name)
#define TUNED(engine, tuning, needs) { engine, tuning, false },
#include "engines/engines.def"
    { "auto", NULL, false },
};

enum { ALL_TUNED = sizeof tuned / sizeof *tuned };

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
    trawl_context_close(context);
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

/* The `number`th set of a walk: the first one in all cuts and with all tunings, the others in one
 * cut, for a context takes a device tenths of a second. *status: as of scan_tuned; UNSUPPORTED: the
 * device leaves this set to the fallback. */
static bool test_subject(const selftest_walk *walk, const subject *s, size_t number,
                         uint64_t *matches, int *status, trawl_error *error)
{
    const bool all = number == 0;
    char device[24];
    found expected = { 0, 0 };
    bool equal = true;
    snprintf(device, sizeof device, "%zu", walk->device);
    *status = scan_on("serial", NULL, NULL, s, &expected, error);
    for (size_t i = 0; i < CUTS && *status == TRAWL_OK && equal; i++)
        if (all || i == number % CUTS)
            *status = scan_tuned(walk->backend, device, cuts[i], s, &expected, &equal, error);
    for (size_t i = 0; i < ALL_TUNED && all && *status == TRAWL_OK && equal; i++)
        if (tuned[i].tuning && strcmp(tuned[i].engine, walk->engine) == 0)
            *status =
                scan_tuned(walk->backend, device, tuned[i].tuning, s, &expected, &equal, error);
    *matches += expected.count;
    return equal || *status != TRAWL_OK;
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

static int compile_text(const text_set *c, const char *engine, const uint8_t *text,
                        trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    size_t count = 0;
    uint32_t x = 88172645u;
    trawl_pattern *patterns = calloc(MAX_PATTERNS + c->words, sizeof *patterns);
    if (!patterns)
        return TRAWL_ERROR_MEMORY;
    for (; count < MAX_PATTERNS && c->patterns[count]; count++) {
        patterns[count].text = c->patterns[count];
        patterns[count].length = strlen(c->patterns[count]);
        patterns[count].syntax = TRAWL_SYNTAX_EXTENDED;
    }
    for (size_t i = 0; i < c->words; i++, count++) {
        patterns[count].text = text + next_number(&x) % (TEXT_BYTES - 64);
        patterns[count].length = c->length + i % 5;
    }
    options.engine = engine;
    const int status = trawl_compile(patterns, count, &options, plan, error);
    free(patterns);
    return status;
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
static int compile_grid(const grid_set *c, const char *engine, const uint8_t *cells,
                        trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    const size_t size = c->cell_size, row = GRID_COLS * size;
    const trawl_needle needles[] = {
        { cells + 5 * row + 7 * size, 2, 3, row, 0, NULL },
        { cells + 90 * row + 380 * size, 9, 5, row, 1, NULL },
        { cells + 21 * row + 33 * size, 80, 90, row, 2, NULL },
        { cells + 60 * row + 100 * size, 12, 33, row, 3, NULL },
    };
    const trawl_likeness nearly = { sizeof nearly, NULL, c->tolerance, 1, c->wrong };
    options.engine = engine;
    if (c->tolerance || c->wrong)
        options.likeness = &nearly;
    return trawl_compile_grid(needles, sizeof needles / sizeof *needles, c->cell_size, &options,
                              plan, error);
}

/* ---- all of them ------------------------------------------------------------------------ */

/* The plan of set `i`, texts before grids, for a walk. */
static int make_subject(size_t i, const char *engine, const uint8_t *text, subject *s,
                        trawl_error *error)
{
    *s = (subject){ NULL, text, i >= TEXT_SETS };
    if (!s->grid)
        return compile_text(&text_sets[i], engine, text, &s->plan, error);
    const grid_set *set = &grid_sets[i - TEXT_SETS];
    s->text = make_cells(text, set->cell_size);
    return s->text ? compile_grid(set, engine, s->text, &s->plan, error) : TRAWL_ERROR_MEMORY;
}

/* All sets that the walk takes; its tunings with the first of them. */
static void test_walk(const selftest *t, selftest_walk *walk, bool some, const uint8_t *text)
{
    trawl_error error = { .message = "it takes no set of the self-test" };
    bool equal = true;
    int status = TRAWL_OK;
    size_t taken = 0;
    walk->matches = 0;
    t->begin(t->user, walk);
    for (size_t i = 0; i < TEXT_SETS + GRID_SETS && equal && status == TRAWL_OK; i++) {
        subject s;
        if (i == CLASS_SETS && taken)
            i = TEXT_SETS;
        status = make_subject(i, walk->engine, text, &s, &error);
        if (status == TRAWL_OK)
            equal = test_subject(walk, &s, taken++, &walk->matches, &status, &error);
        if (status == TRAWL_ERROR_UNSUPPORTED && (!s.plan || some))
            status = TRAWL_OK;
        trawl_plan_free(s.plan);
        if (s.grid)
            free((void *)(uintptr_t)s.text);
    }
    walk->why = status == TRAWL_OK && equal && taken ? NULL : error.message;
    t->end(t->user, walk);
}

/* Each walk once. */
static bool is_new(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(tuned[k].engine, tuned[i].engine) == 0)
            return false;
    return true;
}

static void test_device(const selftest *t, const char *backend, size_t device, const uint8_t *text)
{
    for (size_t i = 0; i < ALL_TUNED; i++) {
        selftest_walk walk = { backend, device, tuned[i].engine, NULL, 0 };
        if (is_new(i) && (!t->engine || strcmp(t->engine, walk.engine) == 0))
            test_walk(t, &walk, tuned[i].some, text);
    }
}

bool selftest_has(const char *engine)
{
    for (size_t i = 0; i < ALL_TUNED; i++)
        if (strcmp(tuned[i].engine, engine) == 0)
            return true;
    return false;
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
