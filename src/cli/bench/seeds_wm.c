/* seeds_wm.c: "Wu-Manber on CUDA": sets of 100 to 2000 patterns, and how the work is laid out.
 *
 * grid * block * page is the text's length. The paper's form has a second kernel for the borders
 * between pages (borders=1); its optimised form keeps the tables in texture and constant memory
 * (texture=1). */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { SETS, LAYOUT, DEVICES };

static const table_head tables_of_wm[] = {
    { "wm_sets",
      "Sizes of the set, before and after the optimisation",
      "Patterns of 6 to 17 characters. paper: pages of 512 bytes, 128 threads, a second kernel "
      "for the borders; optimised: the same with tables in texture and constant memory; chosen: "
      "as Trawl runs it when nothing is asked.",
      { "patterns", "B", "form" } },
    { "wm_layout",
      "Grid, block and page",
      "1000 patterns, not optimised. 128 x 512 x 512 failed on the paper's GPU.",
      { "grid", "block", "page", "B", "paper" } },
    { "wm_devices",
      "Several devices",
      "The paper's next step: the text divided among devices (1000 patterns), in pieces of 4 MiB "
      "with three queues a device; times end to end only. The text is 512 MiB.",
      { "devices", "B" } },
};

static const plot_head plots_of_wm[] = {
    { "wm_sets", "Wu-Manber: rate in kernels over the size of the set (B = 2)", "wm_sets", "B=2",
      "patterns", "kernel_GBps", "patterns", "GB/s", "backend form", false, true },
    { "wm_speedup", "Wu-Manber: speedup of kernels over serial (B = 2)", "wm_sets", "B=2",
      "patterns", "kernel_speedup", "patterns", "times serial", "backend form", false, true },
    { "wm_layout", "Wu-Manber: bytes of a page, 1000 patterns", "wm_layout", "", "page",
      "kernel_GBps", "bytes a page", "GB/s in kernels", "backend B block", true, false },
};

typedef struct layout {
    uint32_t grid, block, page;
    const char *paper;
} layout;

static const layout layouts[] = {
    { 512, 128, 512, "9.42" },  { 128, 512, 512, "error" }, { 256, 128, 1024, "7.43" },
    { 128, 256, 1024, "7.26" }, { 128, 128, 2048, "7.31" }, { 128, 64, 4096, "6.12" },
};

static void add_form(cell *c, const trawl_plan *plan, const bench_backend *k, const char *form,
                     const char *tuning)
{
    row_key(cell_add(c, "wm", plan, k, tuning), 2, "%s", form);
}

static void set_cell(bench *b, table *t, const uint8_t *text, uint64_t length, uint32_t patterns,
                     uint32_t block)
{
    pattern_bag bag = input_stretches(text, length, patterns, 6, 17, b->seed + 5);
    trawl_plan *plan = input_plan(b, &bag, "wm", block);
    cell c = cell_open(b, t, text, length);
    add_form(&c, plan, bench_backend_named(b, "serial"), "serial", NULL);
    add_form(&c, plan, bench_backend_named(b, "threads"), "threads", NULL);
    for (size_t i = 0; i < b->backend_count; i++) {
        const bench_backend *k = &b->backends[i];
        if (!k->device)
            continue;
        add_form(&c, plan, k, "paper", "group=128,page=512,borders=1,texture=0");
        add_form(&c, plan, k, "optimised", "group=128,page=512,borders=1,texture=1");
        add_form(&c, plan, k, "chosen", NULL);
    }
    for (size_t i = c.first; i < t->count; i++) {
        row_key(&t->rows[i], 0, "%u", patterns);
        row_key(&t->rows[i], 1, "%u", block);
    }
    cell_run(&c);
    trawl_plan_free(plan);
    bag_free(&bag);
}

static void layout_cell(bench *b, table *t, const uint8_t *text, uint64_t length, uint32_t block)
{
    char tuning[96];
    pattern_bag bag = input_stretches(text, length, 1000, 6, 17, b->seed + 5);
    trawl_plan *plan = input_plan(b, &bag, "wm", block);
    cell c = cell_open(b, t, text, length);
    cell_add(&c, "wm", plan, bench_backend_named(b, "serial"), NULL);
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t n = 0; n < sizeof layouts / sizeof layouts[0]; n++) {
            const layout *l = &layouts[n];
            if (!b->backends[i].device || (b->quick && l->block > 128))
                continue;
            snprintf(tuning, sizeof tuning, "group=%u,page=%u,borders=1", l->block, l->page);
            row *r = cell_add(&c, "wm", plan, &b->backends[i], tuning);
            row_key(r, 0, "%u", l->grid);
            row_key(r, 1, "%u", l->block);
            row_key(r, 2, "%u", l->page);
            row_key(r, 4, "%s", l->paper);
        }
    }
    for (size_t i = c.first; i < t->count; i++)
        row_key(&t->rows[i], 3, "%u", block);
    cell_run(&c);
    trawl_plan_free(plan);
    bag_free(&bag);
}

/* One, two, ... devices of each backend that has several. The text is long and the pieces are
 * small, so that all devices have many; their kernels run at the same time, so that the sum of
 * kernel times says nothing. */
static void device_cell(bench *b, table *t)
{
    static const char *const lists[] = { "0", "0,1", "0,1,2,3", "0,1,2,3,4,5,6,7" };
    char what[96];
    const uint64_t length = b->quick ? 8 << 20 : 512 << 20;
    uint8_t *text = input_text(b, length, what);
    pattern_bag bag = input_stretches(text, length, 1000, 6, 17, b->seed + 5);
    trawl_plan *plan = input_plan(b, &bag, "wm", 2);
    cell c = cell_open(b, t, text, length);
    cell_add(&c, "wm", plan, bench_backend_named(b, "serial"), NULL);
    for (size_t i = 0; i < b->backend_count; i++) {
        const size_t devices = b->backends[i].devices;
        for (size_t n = 0; devices > 1 && n < 4 && devices >= (size_t)1 << n; n++) {
            row *r = cell_add(&c, "wm", plan, &b->backends[i],
                              b->quick ? "piece=64,queues=3" : "piece=4096,queues=3");
            if (r) {
                r->devices = lists[n];
                r->whole_only = true;
            }
            row_key(r, 0, "%u", 1u << n);
        }
    }
    for (size_t i = c.first; i < t->count; i++)
        row_key(&t->rows[i], 1, "2");
    cell_run(&c);
    trawl_plan_free(plan);
    bag_free(&bag);
    free(text);
}

/* ---- the summary ---------------------------------------------------------------- */

static void device_findings(bench *b, const table *tables, const bench_backend *k)
{
    char where[96], what[160];
    static const char *const forms[][3] = {
        { "paper", "without optimisation, B = 2", "6.12x to 9.42x, by layout" },
        { "optimised", "optimised, B = 2", "over 10x for every set" },
        { "chosen", "as chosen by Trawl, B = 2", "-" },
    };
    for (size_t i = 0; i < 3; i++) {
        snprintf(where, sizeof where, "backend=%s B=2 form=%s", k->name, forms[i][0]);
        figures kernel = table_figures(&tables[SETS], "kernel_speedup", where);
        figures whole = table_figures(&tables[SETS], "speedup", where);
        snprintf(what, sizeof what, "%s over serial, %s", k->name, forms[i][1]);
        if (kernel.count)
            finding(b, &paper_wm, what, forms[i][2],
                    "kernels %.1fx to %.1fx; end to end %.2fx to %.2fx", kernel.least, kernel.most,
                    whole.least, whole.most);
    }
    const row *best = NULL;
    double most = 0, rate;
    for (size_t i = 0; i < tables[LAYOUT].count; i++) {
        const row *r = &tables[LAYOUT].rows[i];
        if (r->backend == k && strcmp(r->keys[3], "2") == 0 &&
            table_number(&tables[LAYOUT], r, "kernel_GBps", &rate) && rate > most) {
            best = r;
            most = rate;
        }
    }
    snprintf(what, sizeof what, "%s: best grid x block, page", k->name);
    if (best)
        finding(b, &paper_wm, what, "512 x 128, 512 bytes: 9.42x",
                "%s x %s, %s bytes: kernels %.1fx", best->keys[0], best->keys[1], best->keys[2],
                best->kernel_speedup);
}

static void run_wm(bench *b, table *tables)
{
    static const uint32_t sets[] = { 100, 200, 500, 1000, 1500, 2000 };
    char what[96];
    const uint64_t length = bench_size(b, 1 << 20, 32 << 20, 32 << 20);
    uint8_t *text = input_text(b, length, what);
    bool several = false;
    for (uint32_t block = 2; block <= 3; block++)
        for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i += b->quick ? 3 : 1)
            set_cell(b, &tables[SETS], text, length, sets[i], block);
    for (uint32_t block = 2; block <= (b->quick ? 2 : 3); block++)
        layout_cell(b, &tables[LAYOUT], text, length, block);
    for (size_t i = 0; i < b->backend_count; i++)
        several = several || b->backends[i].devices > 1;
    if (several)
        device_cell(b, &tables[DEVICES]);
    free(text);
    finding(b, &paper_wm, "text", "32 MB", "%.1f MB: %s", (double)length / 1e6, what);
    figures serial = table_figures(&tables[SETS], "end_to_end_GBps", "backend=serial B=2");
    figures threads = table_figures(&tables[SETS], "speedup", "backend=threads B=2");
    if (serial.count)
        finding(b, &paper_wm, "serial, B = 2", "not said (Core 2 E7200)", "%.3f to %.3f GB/s",
                serial.least, serial.most);
    if (threads.count)
        finding(b, &paper_wm, "threads over serial, B = 2", "-", "%.2fx to %.2fx, %u cores",
                threads.least, threads.most, b->cpus);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            device_findings(b, tables, &b->backends[i]);
}

const paper paper_wm = {
    "wm",
    "Wu-Manber on CUDA",
    "Each thread searches a page of the text; a second kernel searches the borders between pages. "
    "32 MB of text, 100 to 2000 patterns of 6 to 17 characters, GeForce 9800GT against one core "
    "of a Core 2 E7200. By grid, block and page: 6.12x to 9.42x over serial. With the patterns in "
    "constant memory and the tables in texture memory over 10x for every set, rising up to 1000 "
    "patterns, then falling.",
    tables_of_wm,
    sizeof tables_of_wm / sizeof tables_of_wm[0],
    plots_of_wm,
    sizeof plots_of_wm / sizeof plots_of_wm[0],
    run_wm,
};
