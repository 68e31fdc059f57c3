/* bench_engines.c: every engine, serial against threads and a peer, in one run.
 *
 *     bench_engines [TEXT-FILE [MEGABYTES [REPEATS [SEED]]]]
 *
 * The text is the file repeated up to 200 MB (default: this machine's word list, or the
 * program itself). Serial, threads and peer take turns within each repeat, so that noise
 * hits all alike; printed are medians, spreads (slowest / fastest) and ratios of medians.
 * Counts are compared in every pass: a difference ends the program with status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define MOST_REPEATS 101

typedef struct series {
    double value[MOST_REPEATS];
    size_t count;
} series;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(series *s)
{
    qsort(s->value, s->count, sizeof *s->value, by_value);
    return s->value[s->count / 2];
}

static double spread(const series *sorted)
{
    return sorted->value[sorted->count - 1] / sorted->value[0];
}

static void die(const char *what, const trawl_error *error)
{
    fprintf(stderr, "bench_engines: %s: %s\n", what, error->message);
    exit(2);
}

static uint8_t *load_text(const char *path, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *text = malloc(bytes);
    if (!file || !text) {
        fprintf(stderr, "bench_engines: %s cannot be read\n", path);
        exit(2);
    }
    size_t have = fread(text, 1, bytes, file);
    fclose(file);
    if (have < 1024) {
        fprintf(stderr, "bench_engines: %s is too short: give a text of 1 KiB or more\n", path);
        exit(2);
    }
    for (size_t at = have; at < bytes; at += have)
        memcpy(text + at, text, bytes - at < have ? bytes - at : have);
    return text;
}

static void check_count(const char *engine, const char *who, uint64_t expected, uint64_t found)
{
    if (expected == found)
        return;
    fprintf(stderr, "bench_engines: %s: %s found %llu matches, serial %llu\n", engine, who,
            (unsigned long long)found, (unsigned long long)expected);
    exit(1);
}

static void run_text(const text_case *c, trawl_context *serial, trawl_context *threads,
                     const uint8_t *text, size_t bytes, size_t repeats)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan;
    trawl_error error;
    series alone = { { 0 }, 0 }, together = { { 0 }, 0 }, peer = { { 0 }, 0 };
    uint64_t count = 0, again = 0;
    options.engine = c->engine;
    if (trawl_compile(c->patterns, c->count, &options, &plan, &error) != TRAWL_OK)
        die(c->what, &error);
    for (size_t i = 0; i < repeats; i++) {
        double t0 = seconds();
        if (trawl_count(serial, plan, text, bytes, NULL, &count, &error) != TRAWL_OK)
            die(c->what, &error);
        double t1 = seconds();
        if (trawl_count(threads, plan, text, bytes, NULL, &again, &error) != TRAWL_OK)
            die(c->what, &error);
        double t2 = seconds();
        check_count(c->engine, "threads", count, again);
        alone.value[alone.count++] = t1 - t0;
        together.value[together.count++] = t2 - t1;
        if (c->peer) {
            peer.value[peer.count++] = c->peer(c, text, bytes, &again);
            check_count(c->engine, c->peer_name, count, again);
        }
    }
    double one = median(&alone), all = median(&together);
    double gb = (double)bytes * 1e-9;
    printf("%-8s  %-28s  %10llu  %7.3f  %7.3f  %5.2f  %5.2f", c->engine, c->what,
           (unsigned long long)count, gb / one, gb / all, one / all, spread(&alone));
    if (c->peer)
        printf("  %7.3f  %5.2f  %s", gb / median(&peer), median(&peer) / one, c->peer_name);
    printf("\n");
    fflush(stdout);
    trawl_plan_free(plan);
}

static int count_grid(const trawl_grid_match *match, void *user)
{
    (void)match;
    ++*(uint64_t *)user;
    return 0;
}

static double time_grid(trawl_context *context, const trawl_plan *plan, const trawl_grid *grid,
                        uint64_t *count)
{
    trawl_error error;
    double began = seconds();
    *count = 0;
    if (trawl_scan_grid(context, plan, grid, NULL, count_grid, count, &error) != TRAWL_OK)
        die("grid", &error);
    return seconds() - began;
}

static void run_grid(const grid_case *c, trawl_context *serial, trawl_context *threads,
                     size_t repeats)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan;
    trawl_error error;
    series alone = { { 0 }, 0 }, together = { { 0 }, 0 };
    uint64_t count = 0, again = 0;
    const uint64_t row = c->rows / 2, col = c->cols / 3;
    trawl_needle needle = { 0 };
    trawl_grid grid = { c->cells, c->rows, c->cols, 0 };
    needle.cells = (const uint8_t *)c->cells + (row * c->cols + col) * c->cell_size;
    needle.rows = needle.cols = c->needle;
    needle.stride = (size_t)c->cols * c->cell_size;
    options.engine = c->engine;
    if (trawl_compile_grid(&needle, 1, c->cell_size, &options, &plan, &error) != TRAWL_OK)
        die(c->what, &error);
    for (size_t i = 0; i < repeats; i++) {
        alone.value[alone.count++] = time_grid(serial, plan, &grid, &count);
        together.value[together.count++] = time_grid(threads, plan, &grid, &again);
        check_count(c->engine, "threads", count, again);
    }
    double one = median(&alone), all = median(&together);
    double giga = (double)c->rows * (double)c->cols * 1e-9;
    printf("%-8s  %-28s  %10llu  %7.3f  %7.3f  %5.2f  %5.2f\n", c->engine, c->what,
           (unsigned long long)count, giga / one, giga / all, one / all, spread(&alone));
    fflush(stdout);
    trawl_plan_free(plan);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/usr/share/dict/words";
    const size_t bytes = (size_t)(argc > 2 ? atof(argv[2]) : 200) * 1000000;
    size_t repeats = argc > 3 ? (size_t)atoi(argv[3]) : 5;
    const uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 20260101;
    trawl_context_options one = TRAWL_CONTEXT_OPTIONS_INIT, all = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *serial, *threads;
    trawl_error error;
    FILE *probe = fopen(path, "rb");
    if (!probe)
        path = argv[0];
    else
        fclose(probe);
    repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : repeats;
    one.backend = "serial";
    all.backend = "threads";
    if (trawl_context_open(&one, &serial, &error) || trawl_context_open(&all, &threads, &error))
        die("context", &error);

    uint8_t *text = load_text(path, bytes);
    size_t text_count, grid_count;
    text_case *texts = make_text_cases(text, bytes, seed, &text_count);
    grid_case *grids = make_grid_cases(seed, &grid_count);
    printf("# %s, %zu bytes, %zu repeats, seed %llu, %u threads; GB/s (text) and gigacells/s\n",
           path, bytes, repeats, (unsigned long long)seed, trawl_context_threads(threads));
    printf("%-8s  %-28s  %10s  %7s  %7s  %5s  %5s  %7s  %5s\n", "engine", "patterns", "matches",
           "serial", "threads", "ratio", "noise", "peer", "s/p");
    for (size_t i = 0; i < text_count; i++)
        run_text(&texts[i], serial, threads, text, bytes, repeats);
    for (size_t i = 0; i < grid_count; i++)
        run_grid(&grids[i], serial, threads, repeats);
    trawl_context_free(serial);
    trawl_context_free(threads);
    return 0;
}
