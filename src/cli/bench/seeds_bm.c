/* seeds_bm.c: "Boyer-Moore on many cores and GPUs": speedups over the pattern's length, blocks
 * and threads a multiprocessor, and algorithmic cascading (ACC).
 *
 * The paper's 240 threads on 60 cores of a Xeon Phi are rows with two and four times as many
 * threads as cores. What ACC reads twice is computed by the paper's formulas: a thread owns 24
 * bytes, a block searches degree * (threads - 1) * (length - 1) bytes twice and copies
 * length - 1 of its neighbour. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { SPEEDUP, PAIRS, ACC };
enum { CHUNKS = 1000, BYTES_A_THREAD = 24 };

static const table_head tables_of_bm[] = {
    { "bm_speedup",
      "Speedup over pattern lengths",
      "One literal, cut from the text. Static: as many chunks as threads; dynamic: 1000 chunks; "
      "2x, 4x: more threads than cores, as on the Xeon Phi.",
      { "length", "text", "form" } },
    { "bm_pairs",
      "Blocks a multiprocessor and threads a block",
      "The four pairs of the paper's Table 8, without cascading.",
      { "length", "blocks", "threads" } },
    { "bm_acc",
      "Algorithmic cascading",
      "Degrees 1 to 64 at 16 blocks of 128 threads. What is searched and copied twice is by the "
      "paper's formulas for this text, 24 bytes a thread.",
      { "length", "degree", "searched_twice", "copied_twice" } },
};

static const plot_head plots_of_bm[] = {
    { "bm_speedup", "Boyer-Moore: speedup over serial, end to end", "bm_speedup", "text=source",
      "length", "speedup", "pattern length", "times serial", "backend form", false, false },
    { "bm_kernel", "Boyer-Moore: rate on a resident text", "bm_speedup", "text=source", "length",
      "kernel_GBps", "pattern length", "GB/s", "backend form", false, true },
    { "bm_pairs", "Boyer-Moore: threads a block (blocks x threads = 2048)", "bm_pairs", "",
      "threads", "kernel_GBps", "threads a block", "GB/s in kernels", "backend length", true,
      false },
    { "bm_acc", "Boyer-Moore: degree of cascading", "bm_acc", "", "degree", "kernel_GBps",
      "degree of cascading", "GB/s in kernels", "backend length", true, false },
};

static void add_threads(cell *c, const trawl_plan *plan, const char *form, uint32_t threads,
                        uint32_t schedule, uint32_t chunks)
{
    const bench_backend *k = bench_backend_named(c->bench, "threads");
    row *r = cell_add(c, "bm", plan, k, NULL);
    if (!r)
        return;
    r->threads = threads;
    r->schedule = schedule;
    r->chunks = chunks;
    row_key(r, 2, "%s", form);
}

static void speedup_cell(bench *b, table *t, const uint8_t *text, uint64_t length, const char *name,
                         uint32_t size)
{
    pattern_bag bag = input_stretches(text, length, 1, size, size, b->seed + size);
    trawl_plan *plan = input_plan(b, &bag, "bm", 0);
    cell c = cell_open(b, t, text, length);
    const uint32_t cpus = b->cpus;
    row_key(cell_add(&c, "bm", plan, bench_backend_named(b, "serial"), NULL), 2, "serial");
    add_threads(&c, plan, "static", cpus, TRAWL_SCHEDULE_STATIC, cpus);
    add_threads(&c, plan, "dynamic", cpus, TRAWL_SCHEDULE_DYNAMIC, CHUNKS);
    add_threads(&c, plan, "2x", 2 * cpus, TRAWL_SCHEDULE_DYNAMIC, CHUNKS);
    add_threads(&c, plan, "4x", 4 * cpus, TRAWL_SCHEDULE_DYNAMIC, CHUNKS);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            row_key(cell_add(&c, "bm", plan, &b->backends[i], NULL), 2, "device");
    for (size_t i = c.first; i < t->count; i++) {
        row_key(&t->rows[i], 0, "%u", size);
        row_key(&t->rows[i], 1, "%s", name);
    }
    cell_run(&c);
    trawl_plan_free(plan);
    bag_free(&bag);
}

static void speedups(bench *b, table *t, const uint8_t *text, uint64_t length)
{
    const uint32_t step = b->quick ? 15 : 5;
    for (uint32_t size = 5; size <= 50; size += step)
        speedup_cell(b, t, text, length, "source", size);
    uint8_t *genome = input_genome(b, length);
    for (uint32_t size = 5; genome && size <= 50; size += 15)
        speedup_cell(b, t, genome, length, "genome", size);
    free(genome);
}

/* Devices only, with a serial row to compare with; `step` adds a cell's rows of one device. */
static void device_cell(bench *b, table *t, const uint8_t *text, uint64_t length, uint32_t size,
                        void (*step)(cell *, const trawl_plan *, const bench_backend *, uint32_t))
{
    pattern_bag bag = input_stretches(text, length, 1, size, size, b->seed + size);
    trawl_plan *plan = input_plan(b, &bag, "bm", 0);
    cell c = cell_open(b, t, text, length);
    row_key(cell_add(&c, "bm", plan, bench_backend_named(b, "serial"), NULL), 0, "%u", size);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            step(&c, plan, &b->backends[i], size);
    cell_run(&c);
    trawl_plan_free(plan);
    bag_free(&bag);
}

static void add_pairs(cell *c, const trawl_plan *plan, const bench_backend *k, uint32_t size)
{
    char tuning[96];
    for (uint32_t blocks = 16; blocks >= 2; blocks /= 2) {
        snprintf(tuning, sizeof tuning, "blocks=%u,group=%u,chars=%d,cascade=1,staged=1", blocks,
                 2048 / blocks, BYTES_A_THREAD);
        row *r = cell_add(c, "bm", plan, k, tuning);
        row_key(r, 0, "%u", size);
        row_key(r, 1, "%u", blocks);
        row_key(r, 2, "%u", 2048 / blocks);
    }
}

static void add_degrees(cell *c, const trawl_plan *plan, const bench_backend *k, uint32_t size)
{
    enum { THREADS = 128 };
    char tuning[96];
    for (uint32_t degree = 1; degree <= 64; degree *= c->bench->quick ? 8 : 2) {
        const uint64_t block = (uint64_t)THREADS * BYTES_A_THREAD * degree;
        const uint64_t blocks = (c->length + block - 1) / block;
        snprintf(tuning, sizeof tuning, "blocks=16,group=%d,chars=%d,cascade=%u,staged=1", THREADS,
                 BYTES_A_THREAD, degree);
        row *r = cell_add(c, "bm", plan, k, tuning);
        row_key(r, 0, "%u", size);
        row_key(r, 1, "%u", degree);
        row_key(r, 2, "%llu", (unsigned long long)(degree * blocks * (THREADS - 1) * (size - 1)));
        row_key(r, 3, "%llu", (unsigned long long)((blocks - 1) * (size - 1)));
    }
}

/* ---- the summary ---------------------------------------------------------------- */

static void threads_findings(bench *b, const table *t)
{
    static const char *const forms[][3] = {
        { "static", "static schedule over serial", "10x, 12 Xeon cores" },
        { "dynamic", "dynamic schedule, 1000 chunks, over serial", "11x, 12 Xeon cores" },
        { "2x", "twice as many threads as cores",
          "mean 14.75x, best 17.14x, over 80 Gbit/s: 180 threads, 60 cores (Xeon Phi)" },
        { "4x", "four times as many threads as cores", "240 threads were slower than 180" },
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char where[64];
        snprintf(where, sizeof where, "text=source backend=threads form=%s", forms[i][0]);
        figures speedup = table_figures(t, "speedup", where);
        figures rate = table_figures(t, "end_to_end_GBps", where);
        if (speedup.count)
            finding(b, &paper_bm, forms[i][1], forms[i][2],
                    "mean %.2fx, best %.2fx, up to %.1f Gbit/s, %u cores", speedup.mean,
                    speedup.most, 8 * rate.most, b->cpus);
    }
}

static void device_findings(bench *b, const table *tables, const bench_backend *k)
{
    char where[96], what[160];
    snprintf(where, sizeof where, "text=source backend=%s", k->name);
    figures kernel = table_figures(&tables[SPEEDUP], "kernel_speedup", where);
    figures whole = table_figures(&tables[SPEEDUP], "speedup", where);
    figures rate = table_figures(&tables[SPEEDUP], "kernel_GBps", where);
    if (!kernel.count)
        return;
    snprintf(what, sizeof what, "%s over serial", k->name);
    finding(b, &paper_bm, what, "mean 33x, best 47x (Tesla K20, ACC)",
            "kernels mean %.1fx, best %.1fx, up to %.0f GB/s; end to end mean %.2fx, best %.2fx",
            kernel.mean, kernel.most, rate.most, whole.mean, whole.most);
    snprintf(where, sizeof where, "backend=%s degree=1", k->name);
    figures one = table_figures(&tables[ACC], "kernel_GBps", where);
    snprintf(where, sizeof where, "backend=%s degree=64", k->name);
    figures most = table_figures(&tables[ACC], "kernel_GBps", where);
    snprintf(what, sizeof what, "%s: cascading 64 over 1, in kernels", k->name);
    if (one.count && most.count)
        finding(b, &paper_bm, what, "30% faster", "%+.0f%% (mean of the lengths)",
                100 * (most.mean / one.mean - 1));
    double best = 0;
    uint32_t pair = 0;
    for (uint32_t blocks = 16; blocks >= 2; blocks /= 2) {
        snprintf(where, sizeof where, "backend=%s blocks=%u", k->name, blocks);
        figures f = table_figures(&tables[PAIRS], "kernel_GBps", where);
        if (f.count && f.mean > best) {
            best = f.mean;
            pair = blocks;
        }
    }
    snprintf(what, sizeof what, "%s: best (blocks, threads)", k->name);
    if (pair)
        finding(b, &paper_bm, what, "(16, 128)", "(%u, %u), %.0f GB/s in kernels", pair,
                2048 / pair, best);
}

static void run_bm(bench *b, table *tables)
{
    static const uint32_t lengths[] = { 50, 5, 25 };
    char what[96];
    const uint64_t length = bench_size(b, 1 << 20, 64 << 20, 256 << 20);
    uint8_t *text = input_text(b, length, what);
    speedups(b, &tables[SPEEDUP], text, length);
    for (size_t i = 0; i < (b->quick ? 1 : 3); i++) {
        device_cell(b, &tables[PAIRS], text, length, lengths[i], add_pairs);
        device_cell(b, &tables[ACC], text, length, lengths[i], add_degrees);
    }
    free(text);
    finding(b, &paper_bm, "text", "not said; about 4 GB on the GPU", "%.0f MB: %s",
            (double)length / 1e6, what);
    finding(b, &paper_bm, "bytes read twice, 1000 chunks: (chunks - 1) * (length - 1)",
            "3,996 for length 5, 48,951 for length 50", "%d and %d by that formula",
            (CHUNKS - 1) * 4, (CHUNKS - 1) * 49);
    finding(b, &paper_bm, "bytes searched twice, degree 64, length 50, 21,730 blocks",
            "8,654,450,560", "%llu by degree * blocks * (threads - 1) * (length - 1)",
            (unsigned long long)64 * 21730 * 127 * 49);
    threads_findings(b, &tables[SPEEDUP]);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            device_findings(b, tables, &b->backends[i]);
}

const paper paper_bm = {
    "bm",
    "Boyer-Moore on many cores and GPUs",
    "The text is cut into chunks, each of which reads length - 1 bytes of its neighbour. Static "
    "scheduling deals out as many chunks as threads, dynamic scheduling has 1000. 12 Xeon cores: "
    "10x static, 11x dynamic over serial. Xeon Phi, 180 threads on 60 cores: mean 14.75x, best "
    "17.14x, over 80 Gbit/s. Tesla K20 with algorithmic cascading: mean 33x, best 47x, of which "
    "cascading is worth 30%; 16 blocks of 128 threads and degree 64 were best.",
    tables_of_bm,
    sizeof tables_of_bm / sizeof tables_of_bm[0],
    plots_of_bm,
    sizeof plots_of_bm / sizeof plots_of_bm[0],
    run_bm,
};
