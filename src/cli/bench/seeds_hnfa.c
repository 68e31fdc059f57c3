/* seeds_hnfa.c: "Extended strings on the GPU": the exchange between the modules of RunHNFA.
 *
 * The unit of work is a word step: one byte of text for one word of 64 states of one pattern.
 * Each cell's text is as long as a budget of word steps allows. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { EXCHANGE, SHIFTAND };
enum { MOST_CHECKED = 1 << 20, MOST_COMPILED = 1 << 22, MOST_ON_CPU = 1 << 16 };
enum { PART = 4096, SERIAL_STEPS = 50000000 }; /* serial word steps a second, at least */

static const char too_large[] = "more than 4,194,304 states: the tables would take gigabytes";
static const char too_slow[] = "more than 65,536 states: too slow without a GPU";
static const char one_module[] = "one module: nothing to exchange";

static const table_head tables_of_hnfa[] = {
    { "hnfa_exchange",
      "Atomic, relay and ballot",
      "Patterns of m states with classes, optional elements and repeats, each derived from a "
      "stretch of the text. Word steps are bytes times patterns times words of 64 states. Of more "
      "than 1,048,576 states the serial row sees the first 4 KiB at most.",
      { "states", "patterns", "exchange", "Gwordsteps_per_s" } },
    { "hnfa_shiftand",
      "Extended SHIFT-AND",
      "One word where the states fit into 64 bits, else many.",
      { "states", "patterns", "words", "Gwordsteps_per_s" } },
};

enum { EXCHANGES = 3, MODULE = 64 };

static const char *const exchanges[EXCHANGES] = { "atomic", "relay", "ballot" };

static const plot_head plots_of_hnfa[] = {
    { "hnfa_exchange_1", "RunHNFA, one pattern: rate in kernels", "hnfa_exchange", "patterns=1",
      "states", "kernel_GBps", "states", "GB/s", "backend exchange", true, true },
    { "hnfa_exchange_256", "RunHNFA, 256 patterns: 10^9 word steps a second", "hnfa_exchange",
      "patterns=256", "states", "Gwordsteps_per_s", "states", "10^9 word steps/s",
      "backend exchange", true, true },
    { "hnfa_exchange_m256", "RunHNFA, 256 states: 10^9 word steps a second", "hnfa_exchange",
      "states=256", "patterns", "Gwordsteps_per_s", "patterns", "10^9 word steps/s",
      "backend exchange", true, true },
    { "hnfa_exchange_m1024", "RunHNFA, 1024 states: 10^9 word steps a second", "hnfa_exchange",
      "states=1024", "patterns", "Gwordsteps_per_s", "patterns", "10^9 word steps/s",
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
    return between(length < PART ? length : PART, budget / words, length);
}

/* A check of a very large set: the first bytes, in a run and in counting no longer than --seconds
 * allows; so many that some patterns end there. */
static uint64_t part_length(const bench *b, uint64_t words)
{
    return between(1, (uint64_t)(b->seconds * SERIAL_STEPS) / words, PART);
}

/* Word steps a second of the kernels, once they are measured. */
static void fill_steps(const table *t, size_t first, uint64_t words)
{
    for (size_t i = first; i < t->count; i++) {
        row *r = &t->rows[i];
        if (row_counts(r) && r->kernel > 0)
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
static const char *left_out(const bench *b, uint64_t size)
{
    if (size > MOST_COMPILED)
        return too_large;
    return size > MOST_ON_CPU && !bench_has_gpu(b) ? too_slow : NULL;
}

static void add_exchanges(cell *c, const trawl_plan *plan, uint32_t states)
{
    const bench *b = c->bench;
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t x = 0; b->backends[i].device && x < EXCHANGES; x++) {
            char tuning[32];
            snprintf(tuning, sizeof tuning, "exchange=%s", exchanges[x]);
            row *r = cell_add(c, "hnfa", plan, &b->backends[i], tuning);
            row_key(r, 2, "%s", exchanges[x]);
            if (r && states <= MODULE)
                snprintf(r->note, sizeof r->note, "%s", one_module);
        }
    }
}

static void exchange_cell(bench *b, table *t, const uint8_t *text, uint32_t states,
                          uint32_t patterns)
{
    const uint64_t words = words_of(states, patterns), length = cell_length(b, words);
    const bool checked = (uint64_t)states * patterns <= MOST_CHECKED;
    const char *why = left_out(b, (uint64_t)states * patterns);
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
        row *r = cell_add(&c, "hnfa", plan, bench_backend_named(b, "serial"), NULL);
        row_key(r, 2, "serial");
        if (r)
            r->length = checked ? serial_length(b, words, length) : part_length(b, words);
        if (checked)
            row_key(cell_add(&c, "hnfa", plan, bench_backend_named(b, "threads"), NULL), 2,
                    "threads");
        add_exchanges(&c, plan, states);
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

/* The exchange that is faster than all others by 3% in a cell; EXCHANGES when none is, and
 * EXCHANGES + 1 when there are no two to compare. */
static size_t winner(const double *rates)
{
    size_t best = 0;
    double second = 0;
    for (size_t x = 1; x < EXCHANGES; x++)
        best = rates[x] > rates[best] ? x : best;
    for (size_t x = 0; x < EXCHANGES; x++)
        second = x != best && rates[x] > second ? rates[x] : second;
    if (second <= 0)
        return EXCHANGES + 1;
    return rates[best] >= 1.03 * second ? best : EXCHANGES;
}

static void exchange_findings(bench *b, const table *t, const bench_backend *k)
{
    char where[200], what[160];
    size_t wins[EXCHANGES + 2] = { 0 };
    double most[EXCHANGES] = { 0 };
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        double rates[EXCHANGES];
        if (r->backend != k || strcmp(r->keys[2], exchanges[0]) != 0 ||
            strtoul(r->keys[0], NULL, 10) <= MODULE)
            continue;
        for (size_t x = 0; x < EXCHANGES; x++) {
            snprintf(where, sizeof where, "backend=%s states=%s patterns=%s exchange=%s", k->name,
                     r->keys[0], r->keys[1], exchanges[x]);
            rates[x] = table_figures(t, "Gwordsteps_per_s", where).most;
            most[x] = rates[x] > most[x] ? rates[x] : most[x];
        }
        wins[winner(rates)]++;
    }
    snprintf(what, sizeof what, "%s: which exchange is fastest, from two modules on", k->name);
    if (wins[0] + wins[1] + wins[2] + wins[EXCHANGES])
        finding(b, &paper_hnfa, what,
                "the relay should beat atomics; the proof on hardware is left open",
                "atomic in %zu cells, relay in %zu, ballot in %zu, even (within 3%%) in %zu; at "
                "best %.3g, %.3g and %.3g billion word steps a second",
                wins[0], wins[1], wins[2], wins[EXCHANGES], most[0], most[1], most[2]);
}

/* The cells that are left out for one reason. */
static void skip_findings(bench *b, const table *t, const char *why)
{
    char cells[300] = "";
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->state == ROW_SKIPPED && strcmp(r->note, why) == 0 && n < sizeof cells)
            n += (size_t)snprintf(cells + n, sizeof cells - n, "%s(%s, %s)", n ? ", " : "",
                                  r->keys[0], r->keys[1]);
    }
    if (n)
        finding(b, &paper_hnfa, "left out (states, patterns)", "-", "%s: %s", why, cells);
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
    skip_findings(b, &tables[EXCHANGE], too_large);
    skip_findings(b, &tables[EXCHANGE], too_slow);
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
