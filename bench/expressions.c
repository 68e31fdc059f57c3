/* expressions.c: bench_expressions PATTERNS TEXT REPEATS, which measures Trawl beside Hyperscan at
 * a set of expressions for bench/expressions.
 *
 * PATTERNS has one a line: 1 or 0 (either case or not), a blank, and the expression, which means
 * the same to both. Each is compiled alone by both; those that both take are compiled as a set,
 * with the text as the sample, and searched for in rounds, in turn. Printed are lines of a key and
 * a value.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers.h"

enum { MAX_REPEATS = 101, SAMPLE = 1 << 16 };

typedef struct bytes {
    char *at;
    size_t length;
} bytes;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "bench_expressions: %s\n", what);
    exit(2);
}

/* With a byte 0 after it. */
static bytes read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    bytes all = { NULL, 0 };
    if (!file || fseek(file, 0, SEEK_END) || ftell(file) < 0)
        give_up(name);
    all.length = (size_t)ftell(file);
    all.at = calloc(all.length + 1, 1);
    rewind(file);
    if (!all.at || fread(all.at, 1, all.length, file) != all.length)
        give_up(name);
    fclose(file);
    return all;
}

static trawl_plan *compile(const trawl_pattern *patterns, size_t count, const bytes *text,
                           trawl_error *error)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    options.sample = text->at;
    options.sample_length = text->length < SAMPLE ? text->length : SAMPLE;
    trawl_compile(patterns, count, &options, &plan, error);
    return plan;
}

/* What the line has, in place; its number is the id. */
static trawl_pattern read_line(char *line, uint32_t number)
{
    trawl_pattern p = { line + 2, 0, TRAWL_SYNTAX_EXTENDED, 0, number, NULL };
    if ((*line != '0' && *line != '1') || line[1] != ' ')
        give_up("a line of the patterns is malformed");
    p.length = strlen(line + 2);
    p.flags = *line == '1' ? TRAWL_NOCASE : 0;
    return p;
}

static int by_number(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, by_number);
    return times[count / 2];
}

/* Leave those that both take; of a machine without Hyperscan those that Trawl takes. */
static size_t leave_taken(trawl_pattern *all, size_t count, bool alone)
{
    size_t kept = 0, ours = 0, theirs = 0;
    for (size_t i = 0; i < count; i++) {
        trawl_plan *plan = NULL;
        peer *other = peer_open("hyperscan", &all[i], 1);
        const bool taken = trawl_compile(&all[i], 1, NULL, &plan, NULL) == TRAWL_OK;
        trawl_plan_free(plan);
        ours += taken;
        theirs += other != NULL;
        if (taken && (other || alone))
            all[kept++] = all[i];
        peer_close(other);
    }
    printf("patterns %zu\ntrawl_takes %zu\npeer_takes %zu\nboth %zu\n", count, ours, theirs, kept);
    return kept;
}

static void measure(const trawl_pattern *set, size_t count, const bytes *text, size_t repeats,
                    bool alone)
{
    double ours[MAX_REPEATS], theirs[MAX_REPEATS], began = seconds();
    trawl_plan_info info = { .size = sizeof info };
    trawl_context_options serial = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    uint64_t found = 0, expected = 0;
    trawl_plan *plan = compile(set, count, text, &error);
    serial.backend = "serial";
    printf("trawl_compile %.6f\n", seconds() - began);
    if (!plan || trawl_context_open(&serial, &context, &error) != TRAWL_OK) {
        printf("failed %s\n", error.message);
        return;
    }
    trawl_plan_get_info(plan, &info);
    began = seconds();
    peer *other = alone ? NULL : peer_open("hyperscan", set, count);
    printf("peer_compile %.6f\nengine %s\n", seconds() - began, info.engine);
    for (size_t i = 0; i < repeats; i++) {
        began = seconds();
        if (trawl_count(context, plan, text->at, text->length, NULL, &found, &error) != TRAWL_OK)
            give_up(error.message);
        ours[i] = seconds() - began;
        began = seconds();
        expected = other ? peer_count(other, text->at, text->length) : 0;
        theirs[i] = seconds() - began;
    }
    printf("trawl_ends %llu\ntrawl_ns %.6f\n", (unsigned long long)found,
           1e9 * median(ours, repeats) / (double)text->length);
    if (other)
        printf("peer_ends %llu\npeer_ns %.6f\n", (unsigned long long)expected,
               1e9 * median(theirs, repeats) / (double)text->length);
    peer_close(other);
    trawl_context_close(context);
    trawl_plan_free(plan);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        give_up("usage: bench_expressions PATTERNS TEXT REPEATS");
    bytes list = read_file(argv[1]), text = read_file(argv[2]);
    const size_t asked = (size_t)strtoul(argv[3], NULL, 10);
    const size_t repeats = asked < 1 ? 1 : asked < MAX_REPEATS ? asked : MAX_REPEATS;
    trawl_pattern *patterns = calloc(list.length / 2 + 1, sizeof *patterns);
    const trawl_pattern probe = { "probe", 5, TRAWL_SYNTAX_EXTENDED, 0, 0, NULL };
    size_t count = 0;
    if (!patterns)
        give_up("out of memory");
    for (char *line = list.at, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            give_up("the last line of the patterns does not end");
        *end = 0;
        patterns[count] = read_line(line, (uint32_t)count);
        count++;
    }
    peer *there = peer_open("hyperscan", &probe, 1);
    const bool alone = there == NULL;
    peer_close(there);
    count = leave_taken(patterns, count, alone);
    if (count > 0)
        measure(patterns, count, &text, repeats, alone);
    free(patterns);
    free(list.at);
    free(text.at);
    return 0;
}
