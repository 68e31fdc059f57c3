/* selftest.c: `trawl devices --selftest`: does every walk find on every device what the
 * serial walk finds?
 *
 * Each engine gets a set that its walk must work for (overlaps, repeats that cross slices,
 * several rows) and a text in which it has many matches, always the same. Matches are compared
 * one by one, then counted without being stored.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { TEXT_BYTES = 300000, GRID_ROWS = 300, GRID_COLS = 401, MOST_PATTERNS = 4 };

/* Planted in the text: long walks are handed from kernel to kernel. */
#define LONG_PATTERN "abcdabcdabcdabcddcbadcbadcba"
enum { PLANT_EVERY = 1009 };

static const char command[] = "devices";

typedef struct text_case {
    const char *engine;
    const char *patterns[MOST_PATTERNS]; /* extended strings */
} text_case;

static const text_case text_cases[] = {
    { "bm", { "abcab" } },
    { "wm", { "abca", "bcabd", "dacabba", "ccccc" } },
    { "ac", { "a", "abca", "bcabd", LONG_PATTERN } },
    { "pfac", { "a", "abca", "bcabd", LONG_PATTERN } },
    { "shiftand", { "ab?c+d", "[ac]d{2,5}b*a", "b.{1,70}dddd", "dc+da*b" } },
    { "hnfa", { "ab?c+d", "[ac]d{2,5}b*a", "a{4}.{60,200}dddd", "d[ab]+.?c{3}[bd]*dcba" } },
};

static const char *const grid_cases[] = { "bb", "byr", "direct" };

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
    const char *engine;
    trawl_plan *plan;
    const uint8_t *text; /* TEXT_BYTES, or GRID_ROWS * GRID_COLS cells */
    bool grid;
} subject;

static int scan(trawl_context *context, const subject *s, found *f, trawl_error *error)
{
    const trawl_grid grid = { s->text, GRID_ROWS, GRID_COLS, 0 };
    uint64_t count = 0;
    memset(f, 0, sizeof *f);
    if (s->grid)
        return trawl_scan_grid(context, s->plan, &grid, NULL, add_grid_matches, f, error);
    int status = trawl_scan(context, s->plan, s->text, TEXT_BYTES, NULL, add_matches, f, error);
    if (status == TRAWL_OK)
        status = trawl_count(context, s->plan, s->text, TEXT_BYTES, NULL, &count, error);
    if (status == TRAWL_OK && count != f->count)
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

/* One line of the report. */
static bool test_walk(const char *backend, size_t index, const subject *s)
{
    char device[24];
    found expected, got = { 0, 0 };
    trawl_error error = { 0 };
    bool equal = true;
    snprintf(device, sizeof device, "%zu", index);
    printf("  %-8s  %zu  %-8s  ", backend, index, s->engine);
    fflush(stdout);
    const double began = now();
    int status = scan_on("serial", NULL, NULL, s, &expected, &error);
    for (size_t i = 0; i < CUTS && status == TRAWL_OK && equal; i++) {
        status = scan_on(backend, device, cuts[i], s, &got, &error);
        equal = got.count == expected.count && got.hash == expected.hash;
    }
    if (status != TRAWL_OK)
        printf("FAILED: %s\n", error.message);
    else if (!equal)
        printf("FAILED: %llu matches, serial finds %llu%s\n", (unsigned long long)got.count,
               (unsigned long long)expected.count,
               got.count == expected.count ? ", others or counted otherwise" : "");
    else
        printf("ok, %llu matches, %.2f s\n", (unsigned long long)got.count, now() - began);
    return status == TRAWL_OK && equal;
}

/* Letters a to d, always the same. */
static uint8_t *make_text(void)
{
    uint8_t *text = malloc(TEXT_BYTES);
    uint32_t x = 2463534242u;
    for (size_t i = 0; text && i < TEXT_BYTES; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        text[i] = (uint8_t)('a' + (x >> 20) % 4);
    }
    for (size_t i = 0; text && i + sizeof LONG_PATTERN <= TEXT_BYTES; i += PLANT_EVERY)
        memcpy(text + i, LONG_PATTERN, sizeof LONG_PATTERN - 1);
    return text;
}

static trawl_plan *compile_text(const text_case *c, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_pattern patterns[MOST_PATTERNS];
    trawl_plan *plan = NULL;
    size_t count = 0;
    memset(patterns, 0, sizeof patterns);
    for (; count < MOST_PATTERNS && c->patterns[count]; count++) {
        patterns[count].text = c->patterns[count];
        patterns[count].length = strlen(c->patterns[count]);
        patterns[count].syntax = TRAWL_SYNTAX_EXTENDED;
    }
    options.engine = c->engine;
    trawl_compile(patterns, count, &options, &plan, error);
    return plan;
}

/* Needles cut out of the text's own cells; the large one is compared by whole groups. */
static trawl_plan *compile_grid(const char *engine, const uint8_t *text, trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    const trawl_needle needles[] = {
        { text + 5 * GRID_COLS + 7, 2, 3, GRID_COLS, 0, NULL },
        { text + 90 * GRID_COLS + 380, 9, 5, GRID_COLS, 1, NULL },
        { text + 21 * GRID_COLS + 33, 80, 90, GRID_COLS, 2, NULL },
    };
    trawl_plan *plan = NULL;
    const trawl_likeness nearly = { sizeof nearly, NULL, 1, 1, 3 };
    options.engine = engine;
    if (strcmp(engine, "direct") == 0)
        options.likeness = &nearly;
    trawl_compile_grid(needles, sizeof needles / sizeof *needles, 1, &options, &plan, error);
    return plan;
}

static bool test_subject(const char *backend, size_t device, subject *s, trawl_error *error)
{
    if (!s->plan)
        printf("  %-8s  %zu  %-8s  FAILED: %s\n", backend, device, s->engine, error->message);
    const bool right = s->plan && test_walk(backend, device, s);
    trawl_plan_free(s->plan);
    return right;
}

static int test_device(const char *backend, size_t device, const uint8_t *text)
{
    trawl_error error = { 0 };
    int failures = 0;
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        subject s = { text_cases[i].engine, compile_text(&text_cases[i], &error), text, false };
        failures += !test_subject(backend, device, &s, &error);
    }
    for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
        subject s = { grid_cases[i], compile_grid(grid_cases[i], text, &error), text, true };
        failures += !test_subject(backend, device, &s, &error);
    }
    return failures;
}

/* Is there a backend of devices of that name? */
static bool known_backend(const char *wanted)
{
    if (strcmp(wanted, "opencl") == 0 || strcmp(wanted, "cuda") == 0)
        return true;
    complain(command, "--selftest: there is no backend of devices '%s': opencl and cuda are",
             wanted);
    return false;
}

int selftest(const char *wanted)
{
    if (wanted && !known_backend(wanted))
        return EXIT_ERROR;
    uint8_t *text = make_text();
    size_t tested = 0;
    int failures = 0;
    if (!text) {
        complain(command, "out of memory");
        return EXIT_ERROR;
    }
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const char *backend = trawl_backend_name(i);
        const bool left_out = wanted && strcmp(wanted, backend) != 0;
        const size_t devices = left_out ? 0 : trawl_device_count(backend, NULL);
        for (size_t d = 0; d < devices; d++, tested++)
            failures += test_device(backend, d, text);
    }
    free(text);
    if (tested == 0)
        puts("No device to test: see `trawl devices` for why.");
    else
        printf("%zu device%s, %d failure%s\n", tested, tested == 1 ? "" : "s", failures,
               failures == 1 ? "" : "s");
    return failures ? EXIT_ERROR : tested ? EXIT_MATCH : EXIT_NONE;
}
