/* calls.c: what a call on a small text costs: trawl_scan and trawl_scan_many beside Hyperscan.
 *
 *     bench_calls TEXT SET...    a text to cut, and files with an extended pattern a line
 *
 * The text is cut into pieces of 100 bytes. Each contender scans them all, a hundred thousand calls
 * a round or more; contenders take turns, and the median of the rounds counts. Every round must
 * find as many matches as the first contender's first. Printed are JSON objects, one a set: name,
 * patterns, matches, engine, and nanoseconds a call of each contender (null: it is not there).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers.h"

enum { PIECE = 100, PIECES = 10000, CALLS = 100000, ROUNDS = 9, CONTENDERS = 4 };

typedef struct job {
    const trawl_text *texts;
    size_t count;
    trawl_plan *plan;
    trawl_context *context;
    peer *hyperscan;
} job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "bench_calls: %s\n", what);
    exit(2);
}

/* ---- contenders: each scans all texts and returns the number of matches ------- */

static int add_count(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    *(uint64_t *)user += count;
    return 0;
}

static uint64_t run_scan(const job *j)
{
    uint64_t found = 0;
    for (size_t i = 0; i < j->count; i++)
        if (trawl_scan(j->context, j->plan, j->texts[i].bytes, j->texts[i].length, NULL, add_count,
                       &found, NULL) != TRAWL_OK)
            give_up("trawl_scan failed");
    return found;
}

static uint64_t run_count(const job *j)
{
    uint64_t found = 0, one;
    for (size_t i = 0; i < j->count; i++) {
        if (trawl_count(j->context, j->plan, j->texts[i].bytes, j->texts[i].length, NULL, &one,
                        NULL) != TRAWL_OK)
            give_up("trawl_count failed");
        found += one;
    }
    return found;
}

static uint64_t run_many(const job *j)
{
    uint64_t found = 0;
    if (trawl_scan_many(j->context, j->plan, j->texts, j->count, NULL, add_count, &found, NULL) !=
        TRAWL_OK)
        give_up("trawl_scan_many failed");
    return found;
}

static uint64_t run_hyperscan(const job *j)
{
    uint64_t found = 0;
    for (size_t i = 0; i < j->count; i++)
        found += peer_count(j->hyperscan, j->texts[i].bytes, j->texts[i].length);
    return found;
}

static const struct {
    const char *name;
    uint64_t (*run)(const job *j);
} contenders[CONTENDERS] = {
    { "hyperscan", run_hyperscan },
    { "trawl_scan", run_scan },
    { "trawl_count", run_count },
    { "trawl_scan_many", run_many },
};

/* ---- one table ------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const job *j, const char *name, size_t patterns)
{
    double seconds[CONTENDERS][ROUNDS];
    const size_t rounds_of_texts = CALLS / j->count + 1;
    const uint64_t expected = run_scan(j);
    for (int r = 0; r < ROUNDS; r++) {
        for (int c = 0; c < CONTENDERS; c++) {
            if (c == 0 && !j->hyperscan)
                continue;
            const double began = now();
            for (size_t k = 0; k < rounds_of_texts; k++)
                if (contenders[c].run(j) != expected)
                    give_up("the contenders find different numbers of matches");
            seconds[c][r] = (now() - began) / (double)(rounds_of_texts * j->count);
        }
    }
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(j->plan, &info);
    printf("{\"name\":\"%s\",\"patterns\":%zu,\"matches\":%llu,\"engine\":\"%s\"", name, patterns,
           (unsigned long long)expected, info.engine);
    for (int c = 0; c < CONTENDERS; c++) {
        if (c == 0 && !j->hyperscan) {
            printf(",\"%s\":null", contenders[c].name);
            continue;
        }
        qsort(seconds[c], ROUNDS, sizeof(double), by_size);
        printf(",\"%s\":%.1f", contenders[c].name, 1e9 * seconds[c][ROUNDS / 2]);
    }
    puts("}");
    fflush(stdout);
}

/* ---- inputs ---------------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc((size_t)64 << 20);
    if (!f || !bytes)
        give_up("cannot read the text or the words");
    *length = fread(bytes, 1, ((size_t)64 << 20) - 1, f);
    bytes[*length] = '\0';
    fclose(f);
    return bytes;
}

/* Measure the set in a file, whose name, without folders, is the set's. */
static void measure_set(const trawl_text *texts, size_t count, const char *path)
{
    size_t length, most = 1, patterns = 0;
    char *set = read_whole(path, &length);
    for (size_t i = 0; i < length; i++)
        most += set[i] == '\n';
    trawl_pattern *list = calloc(most, sizeof *list);
    if (!list)
        give_up("out of memory for the patterns");
    for (char *one = strtok(set, "\n"); one; one = strtok(NULL, "\n"), patterns++)
        list[patterns] =
            (trawl_pattern){ one, strlen(one), TRAWL_SYNTAX_EXTENDED, 0, (uint32_t)patterns, NULL };
    job j = { .texts = texts, .count = count };
    if (!patterns || trawl_context_open(NULL, &j.context, NULL) != TRAWL_OK ||
        trawl_compile(list, patterns, NULL, &j.plan, NULL) != TRAWL_OK)
        give_up("cannot compile a set");
    j.hyperscan = peer_open("hyperscan", list, patterns);
    measure(&j, strrchr(path, '/') ? strrchr(path, '/') + 1 : path, patterns);
    peer_close(j.hyperscan);
    trawl_plan_free(j.plan);
    trawl_context_close(j.context);
    free(list);
    free(set);
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 3)
        give_up("usage: bench_calls TEXT SET...");
    char *text = read_whole(argv[1], &length);
    const size_t count = length / PIECE < PIECES ? length / PIECE : PIECES;
    trawl_text *texts = calloc(count, sizeof *texts);
    if (!texts || !count)
        give_up("the text is shorter than 100 bytes");
    for (size_t i = 0; i < count; i++)
        texts[i] = (trawl_text){ text + i * (length / count), PIECE };
    for (int i = 2; i < argc; i++)
        measure_set(texts, count, argv[i]);
    free(texts);
    free(text);
    return 0;
}
