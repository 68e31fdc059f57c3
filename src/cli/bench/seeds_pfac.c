/* seeds_pfac.c: "PFAC on embedded GPUs with OpenCL, and energy": options, threads, joules.
 *
 * The paper varies one option after the other: how data gets to the device, local memory, the
 * work group, the characters a work item takes. The cross goes through all tables' places. The
 * serial reference is Aho-Corasick with failure links. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { OPTIONS, CROSS, THREADS, RATES, ENERGY };

/* Literals of 22 bytes and more have about as many states as the paper's set. */
enum { PATTERNS = 1000, LONG = 22, SHORT = 5, LONGEST = 128 };

static const table_head tables_of_pfac[] = {
    { "pfac_options",
      "Options, one after the other",
      "The rows of the paper's two tables, and its times of the whole for 10 MB on an Adreno 330 "
      "and a Mali-T604.",
      { "data", "local", "group", "chars", "adreno_ms", "mali_ms" } },
    { "pfac_cross",
      "Where text and tables are",
      "Text staged through local memory, the trie's first row there, tables through the texture "
      "path, starts filtered by a bitmap of prefixes: all combinations.",
      { "staged", "row", "texture", "filter" } },
    { "pfac_threads",
      "Threads",
      "PFAC and Aho-Corasick on 1 to 4 threads and on all, with the paper's PFAC on the four "
      "cores of the Sony phone.",
      { "threads", "sony_ms" } },
    { "pfac_rates",
      "Two sets, two texts",
      "Devices with what Trawl chooses, without the filter, and with Aho-Corasick, on 1000 "
      "literals "
      "like the paper's, one of them put into every 8 KiB of the text, and on 1000 of all lengths "
      "from 5 bytes. Of a large text the serial rows see the first part only.",
      { "literals", "form" } },
    { "pfac_energy",
      "Energy",
      "The scan again and again for 1.5 s. Nothing is subtracted; watts while nothing runs stand "
      "beside it. The GPU's meter is NVML's, the CPU's is RAPL's.",
      { "gpu_J_per_GB", "cpu_J_per_GB", "watts", "idle_watts_gpu", "idle_watts_cpu" } },
};

static const plot_head plots_of_pfac[] = {
    { "pfac_chars", "PFAC: characters a work item takes (mapped, group 256)", "pfac_options",
      "data=mapped local=no group=256", "chars", "kernel_GBps", "characters", "GB/s in kernels",
      "backend", false, false },
    { "pfac_group", "PFAC: work group (mapped, one character)", "pfac_options",
      "data=mapped local=no chars=1", "group", "kernel_GBps", "work items of a group",
      "GB/s in kernels", "backend", true, false },
    { "pfac_threads", "PFAC and Aho-Corasick on threads", "pfac_threads", "", "threads", "speedup",
      "threads", "times serial Aho-Corasick", "engine", false, false },
};

typedef struct option_row {
    bool mapped, local;
    uint32_t group, chars;
    const char *adreno, *mali;
} option_row;

static const option_row options[] = {
    { false, true, 128, 1, "492", "446" },  { true, true, 128, 1, "242", "392" },
    { true, false, 128, 1, "184", "247" },  { true, false, 64, 1, "202", "252" },
    { true, false, 256, 1, "174", "240" },  { true, false, 512, 1, "", "" },
    { true, false, 256, 4, "133", "211" },  { true, false, 256, 8, "114", "201" },
    { true, false, 256, 12, "236", "198" }, { true, false, 256, 16, "232", "194" },
    { false, false, 256, 16, "", "" },
};

typedef struct inputs {
    uint8_t *text;
    uint64_t length;
    pattern_bag bag;
    trawl_plan *pfac, *ac;
} inputs;

/* Literals of rules hardly occur in peaceful texts: one is put into every 8 KiB. */
static void plant(uint8_t *text, uint64_t length, const pattern_bag *bag, uint64_t seed)
{
    enum { EVERY = 8192 };
    uint64_t state = seed;
    for (uint64_t at = 0; bag->count && at + EVERY <= length; at += EVERY) {
        const trawl_pattern *p = &bag->patterns[random_below(&state, bag->count)];
        memcpy(text + at + random_below(&state, EVERY - p->length), p->text, p->length);
    }
}

/* The paper's speedups are over serial Aho-Corasick. */
static cell pfac_cell(bench *b, table *t, const uint8_t *text, uint64_t length)
{
    cell c = cell_open(b, t, text, length);
    c.base = "ac";
    return c;
}

static void add_serial(cell *c, const inputs *in)
{
    const bench_backend *serial = bench_backend_named(c->bench, "serial");
    cell_add(c, "ac", in->ac, serial, NULL);
    cell_add(c, "pfac", in->pfac, serial, NULL);
}

static void option_cell(bench *b, table *t, const inputs *in)
{
    char tuning[96];
    cell c = pfac_cell(b, t, in->text, in->length);
    add_serial(&c, in);
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t n = 0; n < sizeof options / sizeof options[0]; n++) {
            const option_row *o = &options[n];
            if (!b->backends[i].device || (b->quick && o->group > 128 && o->chars != 8))
                continue;
            snprintf(tuning, sizeof tuning, "mapped=%d,staged=%d,group=%u,chars=%u,filter=0",
                     o->mapped, o->local, o->group, o->chars);
            row *r = cell_add(&c, "pfac", in->pfac, &b->backends[i], tuning);
            row_key(r, 0, "%s", o->mapped ? "mapped" : "copied");
            row_key(r, 1, "%s", o->local ? "yes" : "no");
            row_key(r, 2, "%u", o->group);
            row_key(r, 3, "%u", o->chars);
            row_key(r, 4, "%s", o->adreno);
            row_key(r, 5, "%s", o->mali);
        }
        if (b->backends[i].device)
            row_key(cell_add(&c, "pfac", in->pfac, &b->backends[i], NULL), 0, "chosen");
    }
    cell_run(&c);
}

static void cross_cell(bench *b, table *t, const inputs *in)
{
    char tuning[96];
    cell c = pfac_cell(b, t, in->text, in->length);
    add_serial(&c, in);
    for (size_t i = 0; i < b->backend_count; i++) {
        for (uint32_t bits = 0; b->backends[i].device && bits < 16; bits++) {
            /* A quick trial takes none, each alone, and all. */
            if (b->quick && (bits & (bits - 1)) && bits != 15)
                continue;
            const uint32_t on[4] = { bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 };
            snprintf(tuning, sizeof tuning, "staged=%u,row=%u,texture=%u,filter=%u,group=128",
                     on[0], on[1], on[2], on[3]);
            row *r = cell_add(&c, "pfac", in->pfac, &b->backends[i], tuning);
            for (size_t k = 0; k < 4; k++)
                row_key(r, k, "%u", on[k]);
        }
    }
    cell_run(&c);
}

static void threads_cell(bench *b, table *t, const inputs *in)
{
    static const char *const sony[] = { "348", "175", "118", "89", "" };
    const bench_backend *k = bench_backend_named(b, "threads");
    cell c = pfac_cell(b, t, in->text, in->length);
    add_serial(&c, in);
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t threads = i < 4 ? i + 1 : b->cpus;
        if (i == 4 && b->cpus <= 4)
            break;
        for (size_t e = 0; e < 2; e++) {
            row *r = cell_add(&c, e ? "ac" : "pfac", e ? in->ac : in->pfac, k, NULL);
            if (r)
                r->threads = threads;
            row_key(r, 0, "%u", threads);
            row_key(r, 1, "%s", e ? "" : sony[i]);
        }
    }
    cell_run(&c);
}

/* One set of literals on one text. */
static void rates_cell(bench *b, table *t, const char *literals, const pattern_bag *bag,
                       const uint8_t *text, uint64_t length)
{
    const uint64_t part = length < 32 << 20 ? length : 32 << 20;
    static const struct {
        const char *engine, *tuning, *form;
    } forms[] = { { "pfac", NULL, "chosen" },
                  { "pfac", "filter=0", "no filter" },
                  { "pfac", "filter=0,staged=1,row=1", "staged, first row local" },
                  { "ac", NULL, "chosen" } };
    trawl_plan *pfac = input_plan(b, bag, "pfac", 0), *ac = input_plan(b, bag, "ac", 0);
    cell c = pfac_cell(b, t, text, length);
    for (size_t e = 0; e < 2; e++) {
        const char *engine = e ? "ac" : "pfac";
        row *r = cell_add(&c, engine, e ? ac : pfac, bench_backend_named(b, "serial"), NULL);
        row_key(r, 0, "%s", literals);
        row_key(r, 1, "%s", part < length ? "first part" : "");
        if (r)
            r->length = part;
        row_key(cell_add(&c, engine, e ? ac : pfac, bench_backend_named(b, "threads"), NULL), 0,
                "%s", literals);
    }
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t f = 0; b->backends[i].device && f < sizeof forms / sizeof *forms; f++) {
            const bool is_ac = strcmp(forms[f].engine, "ac") == 0;
            row *r =
                cell_add(&c, forms[f].engine, is_ac ? ac : pfac, &b->backends[i], forms[f].tuning);
            row_key(r, 0, "%s", literals);
            row_key(r, 1, "%s", forms[f].form);
        }
    }
    cell_run(&c);
    trawl_plan_free(pfac);
    trawl_plan_free(ac);
}

static void rates_cells(bench *b, table *t, const inputs *in)
{
    char what[96];
    pattern_bag any = input_rules(b, in->text, in->length, PATTERNS, SHORT, LONGEST, what);
    const bool large = b->large && b->large > in->length;
    for (uint32_t i = 0; i < (large ? 2u : 1u); i++) {
        const uint64_t length = i ? b->large : in->length;
        uint8_t *text = input_text(b, length, what);
        rates_cell(b, t, "5-128", &any, text, length);
        plant(text, length, &in->bag, b->seed);
        rates_cell(b, t, "22-128", &in->bag, text, length);
        free(text);
    }
    bag_free(&any);
}

/* ---- energy -------------------------------------------------------------------------- */

static const row *fastest(const table *t, const bench_backend *k)
{
    const row *best = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->backend == k && row_counts(r) && (!best || r->end_to_end < best->end_to_end))
            best = r;
    }
    return best;
}

static void watts_key(row *r, size_t key, double value, double scale)
{
    if (value >= 0)
        row_key(r, key, "%.4g", value * scale);
    else
        row_key(r, key, "%s", value <= JOULES_UNREADABLE ? "not readable here" : "");
}

static void energy_cell(bench *b, table *t, const table *tried, const inputs *in)
{
    cell c = pfac_cell(b, t, in->text, in->length);
    const size_t first = t->count;
    add_serial(&c, in);
    cell_add(&c, "pfac", in->pfac, bench_backend_named(b, "threads"), NULL);
    cell_add(&c, "ac", in->ac, bench_backend_named(b, "threads"), NULL);
    for (size_t i = 0; i < b->backend_count; i++) {
        const row *best = b->backends[i].device ? fastest(tried, &b->backends[i]) : NULL;
        if (best)
            cell_add(&c, "pfac", in->pfac, &b->backends[i], best->tuning);
    }
    for (size_t i = first; i < t->count; i++)
        t->rows[i].energy = true;
    cell_run(&c);
    for (size_t i = first; i < t->count; i++) {
        row *r = &t->rows[i];
        watts_key(r, 0, r->joules_gpu, 1e9);
        watts_key(r, 1, r->joules_cpu, 1e9);
        watts_key(r, 2, r->watts > 0 ? r->watts : JOULES_UNMEASURED, 1);
        watts_key(r, 3, b->idle_watts_gpu >= 0 ? b->idle_watts_gpu : JOULES_UNREADABLE, 1);
        watts_key(r, 4, b->idle_watts_cpu >= 0 ? b->idle_watts_cpu : JOULES_UNREADABLE, 1);
    }
}

/* ---- the summary ----------------------------------------------------------------------- */

static void device_findings(bench *b, const table *tables, const bench_backend *k)
{
    char what[160];
    const table *t = &tables[OPTIONS];
    const row *base = NULL, *best = fastest(t, k);
    for (size_t i = 0; i < t->count && !base; i++)
        if (t->rows[i].backend == k && row_counts(&t->rows[i]))
            base = &t->rows[i];
    if (!base || !best)
        return;
    snprintf(what, sizeof what, "%s: copied, local memory, group 128, one character", k->name);
    finding(b, &paper_pfac, what, "492 ms, 2.1x (Adreno 330); 446 ms, 4.7x (Mali-T604)",
            "%.3g ms, %.2fx serial Aho-Corasick; kernels %.3g ms", 1e3 * base->end_to_end,
            base->speedup, 1e3 * base->kernel);
    snprintf(what, sizeof what, "%s: best of the options, end to end", k->name);
    finding(b, &paper_pfac, what,
            "114 ms, 9.2x: mapped, no local memory, 256, 8 characters (Adreno); 194 ms, 10.8x: "
            "16 characters (Mali)",
            "%.3g ms, %.2fx: %s; kernels %.3g ms", 1e3 * best->end_to_end, best->speedup,
            best->tuning[0] ? best->tuning : "as chosen by Trawl", 1e3 * best->kernel);
    static const char *const sets[] = { "5", "22" };
    for (size_t i = 0; i < 2; i++) {
        char where[96];
        snprintf(where, sizeof where, "backend=%s engine=pfac literals=%s-128", k->name, sets[i]);
        figures rate = table_figures(&tables[RATES], "kernel_GBps", where);
        figures whole = table_figures(&tables[RATES], "end_to_end_GBps", where);
        snprintf(what, sizeof what, "%s: best rates, literals from %s bytes", k->name, sets[i]);
        if (whole.count)
            finding(b, &paper_pfac, what, "0.088 GB/s end to end (Adreno 330)",
                    "kernels %.4g GB/s; end to end %.4g GB/s", rate.most, whole.most);
    }
}

/* Joules of the serial row over those of a device's. */
static void energy_findings(bench *b, const table *t)
{
    double serial = -1;
    for (size_t i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        char what[160];
        if (!row_counts(r))
            continue;
        if (strcmp(r->backend->name, "serial") == 0 && serial < 0)
            serial = r->joules;
        snprintf(what, sizeof what, "energy: %s on %s", r->engine, r->backend->name);
        if (r->joules < 0)
            finding(b, &paper_pfac, what, "15.1x better than a core (Adreno), 9.5x (Mali)",
                    "not readable here");
        else if (serial > 0)
            finding(b, &paper_pfac, what, "15.1x better than a core (Adreno), 9.5x (Mali)",
                    "%.3g J/GB, %.2fx better than serial Aho-Corasick", 1e9 * r->joules,
                    serial / r->joules);
        else
            finding(b, &paper_pfac, what, "15.1x better than a core (Adreno), 9.5x (Mali)",
                    "%.3g J/GB; the serial row cannot be read here", 1e9 * r->joules);
    }
}

/* The meters that cannot be read, and idle power where they can. */
static void meter_findings(bench *b)
{
    for (size_t i = 0; i < 2; i++) {
        char why[160];
        const double watts = i ? b->idle_watts_cpu : b->idle_watts_gpu;
        energy_reason(b, i == 0, why, sizeof why);
        if (watts >= 0)
            finding(b, &paper_pfac, i ? "the CPU's power when idle" : "the GPU's power when idle",
                    "-", "%.1f W (not subtracted)", watts);
        else
            finding(b, &paper_pfac, i ? "the CPU's meter" : "the GPU's meter",
                    "an oscilloscope on the board's supply", "not readable here: %s", why);
    }
}

static void threads_findings(bench *b, const table *t)
{
    char ours[160] = "";
    size_t n = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        char where[64];
        snprintf(where, sizeof where, "backend=threads engine=pfac threads=%u", threads);
        figures f = table_figures(t, "end_to_end_s", where);
        if (f.count)
            n += (size_t)snprintf(ours + n, sizeof ours - n, "%s%.1f", n ? ", " : "", 1e3 * f.mean);
    }
    if (n)
        finding(b, &paper_pfac, "PFAC on 1, 2, 3, 4 threads", "348, 175, 118, 89 ms (Sony phone)",
                "%s ms, %u cores", ours, b->cpus);
}

static void run_pfac(bench *b, table *tables)
{
    char what[96], rules[96];
    inputs in;
    memset(&in, 0, sizeof in);
    in.length = bench_size(b, 1 << 20, 10000000, 10000000);
    in.text = input_text(b, in.length, what);
    in.bag = input_rules(b, in.text, in.length, PATTERNS, LONG, LONGEST, rules);
    plant(in.text, in.length, &in.bag, b->seed);
    in.pfac = input_plan(b, &in.bag, "pfac", 0);
    in.ac = input_plan(b, &in.bag, "ac", 0);
    bench_idle(b);
    option_cell(b, &tables[OPTIONS], &in);
    cross_cell(b, &tables[CROSS], &in);
    threads_cell(b, &tables[THREADS], &in);
    rates_cells(b, &tables[RATES], &in);
    energy_cell(b, &tables[ENERGY], &tables[OPTIONS], &in);
    finding(b, &paper_pfac, "patterns", "1000 of Snort, up to 128 characters, 27,570 states",
            "%zu %s, up to %d, %llu states", in.bag.count, rules, LONGEST,
            (unsigned long long)input_trie_states(&in.bag));
    finding(b, &paper_pfac, "text", "10 MB", "%.1f MB: %s, with a pattern put into every 8 KiB",
            (double)in.length / 1e6, what);
    threads_findings(b, &tables[THREADS]);
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device)
            device_findings(b, tables, &b->backends[i]);
    meter_findings(b);
    energy_findings(b, &tables[ENERGY]);
    trawl_plan_free(in.pfac);
    trawl_plan_free(in.ac);
    bag_free(&in.bag);
    free(in.text);
}

const paper paper_pfac = {
    "pfac",
    "PFAC on embedded GPUs with OpenCL, and energy",
    "A work item starts at every character and walks the trie until there is no transition. 1000 "
    "Snort patterns, 10 MB of text. Adreno 330: copied buffers and local memory 492 ms, 2.1x over "
    "one core; mapped 242 ms; without local memory 184 ms; groups of 256 174 ms; 8 characters a "
    "work item 114 ms, 9.2x, 15.1x less energy. Mali-T604: 446 ms to 194 ms, 10.8x, 9.5x less "
    "energy. Four cores of the phone: 89 ms.",
    tables_of_pfac,
    sizeof tables_of_pfac / sizeof tables_of_pfac[0],
    plots_of_pfac,
    sizeof plots_of_pfac / sizeof plots_of_pfac[0],
    run_pfac,
};
