/* seeds_hnfa.c: "Extended strings on the GPU": the exchange between the modules of RunHNFA.
 *
 * The unit of work is a word step: one byte of text for one word of 64 states of one pattern.
 * Each cell's text is as long as a budget of word steps allows. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { EXCHANGE, SHIFTAND };
enum { MOST_CHECKED = 1 << 20, MOST_COMPILED = 1 << 22, MOST_ON_CPU = 1 << 16 };

static const table_head tables_of_hnfa[] = {
    { "hnfa_exchange",
      "Atomic, relay and ballot",
      "Patterns of m states with classes, optional elements and repeats, each derived from a "
      "stretch of the text. Word steps are bytes times patterns times words of 64 states.",
      { "states", "patterns", "exchange", "Gwordsteps_per_s" } },
    { "hnfa_shiftand",
      "Extended SHIFT-AND",
      "One word where the states fit into 64 bits, else many.",
      { "states", "patterns", "words", "Gwordsteps_per_s" } },
};

static const plot_head plots_of_hnfa[] = {
    { "hnfa_exchange_1", "RunHNFA, one pattern: rate in kernels", "hnfa_exchange", "patterns=1",
      "states", "kernel_GBps", "states", "GB/s", "backend exchange", true, true },
    { "hnfa_exchange_256", "RunHNFA, 256 patterns: 10^9 word steps a second", "hnfa_exchange",
      "patterns=256", "states", "Gwordsteps_per_s", "states", "10^9 word steps/s",
      "backend exchange", true, true },
    { "hnfa_exchange_m64", "RunHNFA, 64 states: 10^9 word steps a second", "hnfa_exchange",
      "states=64", "patterns", "Gwordsteps_per_s", "patterns", "10^9 word steps/s",
      "backend exchange", true, true },
    { "hnfa_shiftand", "SHIFT-AND: 10^9 word steps a second", "hnfa_shiftand", "", "words",
      "Gwordsteps_per_s", "words of 64 states", "10^9 word steps/s", "backend", true, true },
};

static uint64_t words_of(uint32_t states, uint32_t patterns)
{
    return (uint64_t)patterns * ((states + 63) / 64);
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static uint64_t cell_length(const bench *b, uint64_t words)
{
    const uint64_t budget = bench_size(b, 8000000, 60000000, 1000000000);
    return between(bench_size(b, 16 << 10, 32 << 10, 64 << 10), budget / words,
                   bench_size(b, 256 << 10, 1 << 20, 16 << 20));
}

static uint64_t serial_length(const bench *b, uint64_t words, uint64_t length)
{
    const uint64_t budget = bench_size(b, 8000000, 60000000, 30000000);
    return between(length < 4096 ? length : 4096, budget / words, length);
}

/* Word steps a second of the kernels, once they are measured. */
static void fill_steps(const table *t, size_t first, uint64_t words)
{
    for (size_t i = first; i < t->count; i++) {
        row *r = &t->rows[i];
        if (r->samples && r->kernel > 0)
            row_key(r, 3, "%.4g", (double)r->length * (double)words / r->kernel / 1e9);
    }
}

static void fill_keys(const table *t, size_t first, uint32_t states, uint32_t patterns)
{
    for (size_t i = first; i < t->count; i++) {
        row_key(&t->rows[i], 0, "%u", states);
        row_key(&t->rows[i], 1, "%u", patterns);
    }
}

/* Why a cell is left out, or NULL. */
static const char *too_large(const bench *b, uint64_t size)
{
    if (size > MOST_COMPILED)
        return "more than 4,194,304 states: the tables would take gigabytes";
    if (size > MOST_ON_CPU && !bench_has_gpu(b))
        return "more than 65,536 states: too slow without a GPU";
    return NULL;
}

static void exchange_cell(bench *b, table *t, const uint8_t *text, uint32_t states,
                          uint32_t patterns)
{
    static const char *const exchanges[] = { "atomic", "relay", "ballot" };
    const uint64_t words = words_of(states, patterns), length = cell_length(b, words);
    const bool checked = (uint64_t)states * patterns <= MOST_CHECKED;
    const char *why = too_large(b, (uint64_t)states * patterns);
    cell c = cell_open(b, t, text, length);
    const size_t first = c.first;
    c.seconds /= 2; /* 56 such cells */
    pattern_bag bag = { NULL, NULL, 0 };
    trawl_plan *plan = NULL;
    if (why) {
        cell_skip(&c, "hnfa", "%s", why);
    } else {
        bag = input_extended(text, length, patterns, states, b->seed + states);
        plan = input_plan(b, &bag, "hnfa", 0);
        row *r = checked ? cell_add(&c, "hnfa", plan, bench_backend_named(b, "serial"), NULL)
                         : cell_skip(&c, "hnfa",
                                     "no serial check: more than 1,048,576 states; "
                                     "the exchanges are compared with each other");
        if (r && checked) {
            r->length = serial_length(b, words, length);
            row_key(r, 2, "serial");
        }
        if (checked)
            row_key(cell_add(&c, "hnfa", plan, bench_backend_named(b, "threads"), NULL), 2,
                    "threads");
    }
    for (size_t i = 0; !why && i < b->backend_count; i++) {
        for (size_t x = 0; b->backends[i].device && x < 3; x++) {
            char tuning[32];
            snprintf(tuning, sizeof tuning, "exchange=%s", exchanges[x]);
            row_key(cell_add(&c, "hnfa", plan, &b->backends[i], tuning), 2, "%s", exchanges[x]);
        }
    }
    fill_keys(t, first, states, patterns);
    cell_run(&c);
    fill_steps(t, first, words);
    trawl_plan_free(plan);
    bag_free(&bag);
}

static void shiftand_cell(bench *b, table *t, const uint8_t *text, uint32_t states,
                          uint32_t patterns)
{
    const uint64_t words = ((uint64_t)states * patterns + 63) / 64, length = cell_length(b, words);
    cell c = cell_open(b, t, text, length);
    const size_t first = c.first;
    pattern_bag bag = input_extended(text, length, patterns, states, b->seed + states);
    trawl_plan *plan = input_plan(b, &bag, "shiftand", 0);
    row *r = cell_add(&c, "shiftand", plan, bench_backend_named(b, "serial"), NULL);
    if (r)
        r->length = serial_length(b, words, length);
    cell_add(&c, "shiftand", plan, bench_backend_named(b, "threads"), NULL);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            cell_add(&c, "shiftand", plan, &b->backends[i], NULL);
    fill_keys(t, first, states, patterns);
    for (size_t i = first; i < t->count; i++)
        row_key(&t->rows[i], 2, "%llu", (unsigned long long)words);
    cell_run(&c);
    fill_steps(t, first, words);
    trawl_plan_free(plan);
    bag_free(&bag);
}

/* ---- the summary ---------------------------------------------------------------- */

static void exchange_findings(bench *b, const table *t, const bench_backend *k)
{
    static const char *const exchanges[] = { "atomic", "relay", "ballot" };
    char where[200], what[160];
    size_t wins[3] = { 0, 0, 0 };
    double most[3] = { 0, 0, 0 };
    for (size_t i = 0; i < t->count; i++) {
        double rates[3] = { 0, 0, 0 };
        size_t best = 0;
        if (t->rows[i].backend != k || strcmp(t->rows[i].keys[2], "atomic") != 0)
            continue;
        for (size_t x = 0; x < 3; x++) {
            snprintf(where, sizeof where, "backend=%s states=%s patterns=%s exchange=%s", k->name,
                     t->rows[i].keys[0], t->rows[i].keys[1], exchanges[x]);
            rates[x] = table_figures(t, "Gwordsteps_per_s", where).most;
            most[x] = rates[x] > most[x] ? rates[x] : most[x];
            best = rates[x] > rates[best] ? x : best;
        }
        wins[best]++;
    }
    snprintf(what, sizeof what, "%s: which exchange is fastest", k->name);
    if (wins[0] + wins[1] + wins[2])
        finding(b, &paper_hnfa, what,
                "the relay should beat atomics; the proof on hardware is left open",
                "atomic in %zu cells, relay in %zu, ballot in %zu; at best %.3g, %.3g and %.3g "
                "billion word steps a second",
                wins[0], wins[1], wins[2], most[0], most[1], most[2]);
}

static void run_hnfa(bench *b, table *tables)
{
    static const uint32_t counts[] = { 1, 16, 4, 64, 256, 1024, 4096 };
    static const uint32_t single[][2] = { { 32, 1 },  { 64, 1 },   { 256, 1 },  { 1024, 1 },
                                          { 32, 16 }, { 32, 256 }, { 32, 1024 } };
    char what[96];
    const uint64_t length = bench_size(b, 256 << 10, 1 << 20, 16 << 20);
    uint8_t *text = input_text(b, length, what);
    const uint32_t most_states = b->quick ? 128 : 4096;
    for (size_t i = 0; i < (b->quick ? 2 : 7); i++)
        for (uint32_t states = 32; states <= most_states; states *= b->quick ? 4 : 2)
            exchange_cell(b, &tables[EXCHANGE], text, states, counts[i]);
    for (size_t i = 0; i < 7; i += b->quick ? 2 : 1)
        shiftand_cell(b, &tables[SHIFTAND], text, single[i][0], single[i][1]);
    free(text);
    finding(b, &paper_hnfa, "text", "no measurements", "up to %.1f MB: %s", (double)length / 1e6,
            what);
    for (size_t i = 0; i < b->backend_count; i++) {
        char where[96];
        const bench_backend *k = &b->backends[i];
        if (k->device)
            exchange_findings(b, &tables[EXCHANGE], k);
        snprintf(where, sizeof where, "backend=%s words=1", k->name);
        figures one = table_figures(&tables[SHIFTAND], "kernel_GBps", where);
        snprintf(where, sizeof where, "backend=%s", k->name);
        figures steps = table_figures(&tables[SHIFTAND], "Gwordsteps_per_s", where);
        char line[96];
        snprintf(line, sizeof line, "SHIFT-AND on %s", k->name);
        if (one.count && steps.count)
            finding(b, &paper_hnfa, line, "-",
                    "one word: %.3g GB/s; at best %.3g billion word steps a second", one.most,
                    steps.most);
    }
}

const paper paper_hnfa = {
    "hnfa",
    "Extended strings on the GPU",
    "A pattern of m states is cut into words (lower modules), which tell an upper module when "
    "they end and are told when they begin. All modules touching the upper word with atomics is "
    "the baseline; the relay, a helper that broadcasts and collects through an array in shared "
    "memory, brings O(n * (m / wb) * broadcast). The paper has no measurements and leaves the "
    "proof on hardware open. ballot, the third form, uses the votes of today's hardware.",
    tables_of_hnfa,
    sizeof tables_of_hnfa / sizeof tables_of_hnfa[0],
    plots_of_hnfa,
    sizeof plots_of_hnfa / sizeof plots_of_hnfa[0],
    run_hnfa,
};
