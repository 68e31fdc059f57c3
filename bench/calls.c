/* calls.c: what a call on a small text costs: trawl_scan and trawl_scan_many beside Hyperscan.
 *
 *     bench_calls TEXT WORDS     a text to cut, and a file with a literal a line
 *
 * The text is cut into pieces of 100 bytes. Each contender scans them all, a million calls a round;
 * contenders take turns, and the median of the rounds counts. Every round must find as many
 * matches as the first contender's first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peers.h"

enum { PIECE = 100, CALLS = 1000000, ROUNDS = 9, MOST_WORDS = 1000, CONTENDERS = 4 };

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

static void measure(const job *j, size_t words)
{
    double seconds[CONTENDERS][ROUNDS], first = 0;
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
    printf("%zu literal%s, %llu matches in %zu texts of %d bytes, engine %s\n", words,
           words == 1 ? "" : "s", (unsigned long long)expected, j->count, PIECE, info.engine);
    for (int c = 0; c < CONTENDERS; c++) {
        if (c == 0 && !j->hyperscan)
            continue;
        qsort(seconds[c], ROUNDS, sizeof(double), by_size);
        const double median = seconds[c][ROUNDS / 2];
        first = first > 0 ? first : median;
        printf("  %-16s %8.1f ns a call   %5.2f\n", contenders[c].name, 1e9 * median,
               median / first);
    }
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

int main(int argc, char **argv)
{
    static trawl_pattern patterns[MOST_WORDS];
    size_t length, list, words = 0;
    if (argc != 3)
        give_up("usage: bench_calls TEXT WORDS");
    const char *text = read_whole(argv[1], &length);
    char *word = strtok(read_whole(argv[2], &list), "\n");
    for (; word && words < MOST_WORDS; word = strtok(NULL, "\n"), words++)
        patterns[words] =
            (trawl_pattern){ word, strlen(word), TRAWL_SYNTAX_LITERAL, 0, (uint32_t)words, NULL };
    const size_t count = length / PIECE < 10000 ? length / PIECE : 10000;
    trawl_text *texts = calloc(count, sizeof *texts);
    if (!texts || !count || !words)
        give_up("the text or the list of words is empty");
    for (size_t i = 0; i < count; i++)
        texts[i] = (trawl_text){ text + i * (length / count), PIECE };
    const size_t sizes[] = { 1, words };
    for (size_t s = 0; s < 2; s++) {
        job j = { .texts = texts, .count = count };
        if (trawl_context_open(NULL, &j.context, NULL) != TRAWL_OK ||
            trawl_compile(patterns, sizes[s], NULL, &j.plan, NULL) != TRAWL_OK)
            give_up("cannot compile the words");
        j.hyperscan = peer_open("hyperscan", patterns, sizes[s]);
        measure(&j, sizes[s]);
        peer_close(j.hyperscan);
        trawl_plan_free(j.plan);
        trawl_context_free(j.context);
    }
    free(texts);
    return 0;
}
