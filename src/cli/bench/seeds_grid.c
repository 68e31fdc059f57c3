/* seeds_grid.c: "Two-dimensional matching on the GPU": n, alphabet, m and stage.
 *
 * Random n * n texts and an m * m needle cut from them. Stages: 1 tables in global memory, 2
 * through the texture path, 3 the needle in local memory (Baker-Bird), 4 text in local memory
 * by coalesced reads (Baeza-Yates-Regnier). */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"

enum { STAGES, RATIO, IMAGE };

static const table_head tables_of_grid[] = {
    { "grid_stages",
      "Text, alphabet, needle and stage",
      "Alphabets of 2 and 256 are cells of one byte, 1024 is cells of two; rates are in bytes.",
      { "n", "alphabet", "m", "stage", "Gcells_per_s" } },
    { "grid_ratio",
      "Final over first stage",
      "Time of the kernels in stage 1 over that in stage 4, the last. The paper's last stage of "
      "Baker-Bird is what is stage 3 here; in the fourth, text is staged too, and what remains of "
      "a "
      "row is compared at once where the trie has no branch left.",
      { "n", "alphabet", "m", "algorithm", "on", "final_over_first" } },
    { "grid_image",
      "Real pictures",
      "Needles cut from a picture of --data; pixels are compared whole.",
      { "picture", "m", "Gcells_per_s" } },
};

static const plot_head plots_of_grid[] = {
    { "grid_bb", "Baker-Bird, n = 10000, alphabet 256: kernels", "grid_stages",
      "engine=bb n=10000 alphabet=256", "m", "kernel_s", "m", "seconds", "backend stage", true,
      true },
    { "grid_byr", "Baeza-Yates-Regnier, n = 10000, alphabet 256: kernels", "grid_stages",
      "engine=byr n=10000 alphabet=256", "m", "kernel_s", "m", "seconds", "backend stage", true,
      true },
    { "grid_small_bb", "Baker-Bird, n = 1000, alphabet 256: kernels", "grid_stages",
      "engine=bb n=1000 alphabet=256", "m", "kernel_s", "m", "seconds", "backend stage", true,
      true },
    { "grid_small_byr", "Baeza-Yates-Regnier, n = 1000, alphabet 256: kernels", "grid_stages",
      "engine=byr n=1000 alphabet=256", "m", "kernel_s", "m", "seconds", "backend stage", true,
      true },
    { "grid_quick", "n = 200 (quick trial): kernels", "grid_stages", "n=200", "m", "kernel_s", "m",
      "seconds", "engine backend alphabet stage", true, true },
    { "grid_ratio", "Final over first stage", "grid_ratio", "", "m", "final_over_first", "m",
      "times faster", "algorithm on n alphabet", true, false },
};

static const char *const engines[] = { "bb", "byr" };

static trawl_plan *needle_plan(bench *b, const uint8_t *cells, uint64_t cols, uint32_t cell_size,
                               uint64_t row, uint64_t col, uint32_t m, const char *engine)
{
    trawl_compile_options how = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_plan *plan = NULL;
    trawl_error error;
    trawl_needle needle;
    memset(&needle, 0, sizeof needle);
    needle.cells = cells + (row * cols + col) * cell_size;
    needle.rows = needle.cols = m;
    needle.stride = (size_t)(cols * cell_size);
    needle.id = 1;
    how.engine = engine;
    if (trawl_compile_grid(&needle, 1, cell_size, &how, &plan, &error) != TRAWL_OK)
        bench_complain(b, "%s: %s", engine, error.message);
    return plan;
}

/* Copies of the needle elsewhere, so that there is more than one match. */
static void plant(uint8_t *cells, uint64_t n, uint32_t cell_size, uint32_t m, uint64_t seed)
{
    uint64_t state = seed;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t row = random_below(&state, n - m), col = random_below(&state, n - m);
        for (uint32_t r = 0; r < m; r++)
            memmove(cells + ((row + r) * n + col) * cell_size, cells + r * n * cell_size,
                    (size_t)m * cell_size);
    }
}

static void fill_rates(const table *t, size_t first, uint64_t cells, size_t key)
{
    for (size_t i = first; i < t->count; i++)
        if (row_counts(&t->rows[i]) && t->rows[i].kernel > 0)
            row_key(&t->rows[i], key, "%.4g", (double)cells / t->rows[i].kernel / 1e9);
}

static void stage_cell(bench *b, table *t, uint8_t *cells, uint32_t n, uint32_t alphabet,
                       uint32_t m)
{
    const uint32_t cell_size = alphabet > 256 ? 2 : 1;
    plant(cells, n, cell_size, m, b->seed + m);
    const trawl_grid grid = { cells, n, n, 0 };
    trawl_plan *plans[2];
    cell c = cell_open_grid(b, t, &grid, cell_size);
    const size_t first = c.first;
    if (n > 1000) /* 21 such cells */
        c.seconds /= 3;
    for (size_t e = 0; e < 2; e++) {
        plans[e] = needle_plan(b, cells, n, cell_size, 0, 0, m, engines[e]);
        row_key(cell_add(&c, engines[e], plans[e], bench_backend_named(b, "serial"), NULL), 3,
                "serial");
        row_key(cell_add(&c, engines[e], plans[e], bench_backend_named(b, "threads"), NULL), 3,
                "threads");
    }
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t e = 0; b->backends[i].device && e < 2; e++) {
            for (uint32_t stage = 1; stage <= 4; stage++) {
                char tuning[32];
                snprintf(tuning, sizeof tuning, "stage=%u", stage);
                row_key(cell_add(&c, engines[e], plans[e], &b->backends[i], tuning), 3, "%u",
                        stage);
            }
        }
    }
    for (size_t i = first; i < t->count; i++) {
        row_key(&t->rows[i], 0, "%u", n);
        row_key(&t->rows[i], 1, "%u", alphabet);
        row_key(&t->rows[i], 2, "%u", m);
    }
    cell_run(&c);
    fill_rates(t, first, (uint64_t)n * n, 4);
    trawl_plan_free(plans[0]);
    trawl_plan_free(plans[1]);
}

/* Seconds of the kernels of one engine on one backend in one stage; 0: not measured. */
static double stage_seconds(const table *t, size_t first, const bench_backend *k,
                            const char *engine, const char *stage)
{
    for (size_t i = first; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->backend == k && strcmp(r->engine, engine) == 0 && strcmp(r->keys[3], stage) == 0 &&
            row_counts(r))
            return r->kernel;
    }
    return 0;
}

static void add_ratios(bench *b, const table *t, size_t first, table *ratios)
{
    for (size_t i = 0; i < b->backend_count; i++) {
        for (size_t e = 0; b->backends[i].device && e < 2; e++) {
            const bench_backend *k = &b->backends[i];
            double one = stage_seconds(t, first, k, engines[e], "1");
            double last = stage_seconds(t, first, k, engines[e], "4");
            if (one <= 0 || last <= 0)
                continue;
            row *r = table_add(ratios);
            r->state = ROW_DERIVED;
            for (size_t key = 0; key < 3; key++)
                row_key(r, key, "%s", t->rows[first].keys[key]);
            row_key(r, 3, "%s", engines[e]);
            row_key(r, 4, "%s", k->name);
            row_key(r, 5, "%.3f", one / last);
        }
    }
}

/* ---- pictures ------------------------------------------------------------------------ */

/* A place whose m * m cells are not all alike: blank ones occur millions of times. */
static void choose_place(const uint8_t *cells, const trawl_grid *grid, uint32_t cell_size,
                         uint32_t m, uint64_t *state, uint64_t *row_at, uint64_t *col_at)
{
    for (uint32_t tries = 0; tries < 1000; tries++) {
        *row_at = random_below(state, grid->rows - m);
        *col_at = random_below(state, grid->cols - m);
        for (uint32_t r = m / 4; r < m; r += m / 4) {
            const uint8_t *line = cells + ((*row_at + r) * grid->cols + *col_at) * cell_size;
            if (memcmp(line, line + cell_size, (size_t)(m - 1) * cell_size) != 0)
                return;
        }
    }
}

static void image_cell(bench *b, table *t, const char *path)
{
    uint64_t rows, cols, state = b->seed;
    uint32_t cell_size;
    uint8_t *cells = input_raster(b, path, &rows, &cols, &cell_size);
    const char *name = strrchr(path, '/');
    for (uint32_t m = 16; cells && m <= 256 && m < rows && m < cols; m *= b->quick ? 16 : 4) {
        const trawl_grid grid = { cells, rows, cols, 0 };
        uint64_t row_at, col;
        choose_place(cells, &grid, cell_size, m, &state, &row_at, &col);
        trawl_plan *plans[2];
        cell c = cell_open_grid(b, t, &grid, cell_size);
        const size_t first = c.first;
        for (size_t e = 0; e < 2; e++) {
            plans[e] = needle_plan(b, cells, cols, cell_size, row_at, col, m, engines[e]);
            for (size_t i = 0; i < b->backend_count; i++)
                cell_add(&c, engines[e], plans[e], &b->backends[i], NULL);
        }
        for (size_t i = first; i < t->count; i++) {
            row_key(&t->rows[i], 0, "%s", name ? name + 1 : path);
            row_key(&t->rows[i], 1, "%u", m);
        }
        cell_run(&c);
        fill_rates(t, first, rows * cols, 2);
        trawl_plan_free(plans[0]);
        trawl_plan_free(plans[1]);
    }
    free(cells);
}

/* ---- the summary ------------------------------------------------------------------------ */

static void ratio_findings(bench *b, const table *ratios, const bench_backend *k)
{
    static const struct {
        const char *engine, *n, *name, *theirs;
    } lines[] = {
        { "bb", "1000", "Baker-Bird", "1 to 1.20x" },
        { "bb", "10000", "Baker-Bird", "0.96 to 1.50x" },
        { "byr", "1000", "Baeza-Yates-Regnier", "1 to 2x" },
        { "byr", "10000", "Baeza-Yates-Regnier", "2 to 15x" },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char where[96], what[160];
        snprintf(where, sizeof where, "algorithm=%s n=%s on=%s", lines[i].engine, lines[i].n,
                 k->name);
        figures f = table_figures(ratios, "final_over_first", where);
        snprintf(what, sizeof what, "%s, n = %s, final over first stage, %s", lines[i].name,
                 lines[i].n, k->name);
        if (f.count)
            finding(b, &paper_grid, what, lines[i].theirs, "%.2f to %.2fx, mean %.2fx", f.least,
                    f.most, f.mean);
    }
}

static void speedup_findings(bench *b, const table *t, const bench_backend *k)
{
    for (size_t e = 0; e < 2; e++) {
        char where[96], what[96];
        snprintf(where, sizeof where, "engine=%s backend=%s", engines[e], k->name);
        figures kernel = table_figures(t, "kernel_speedup", where);
        figures whole = table_figures(t, "speedup", where);
        figures rate = table_figures(t, "Gcells_per_s", where);
        snprintf(what, sizeof what, "%s on %s over serial", engines[e], k->name);
        if (kernel.count)
            finding(b, &paper_grid, what, "over ten times, all stages",
                    "kernels mean %.3gx, best %.3gx; end to end mean %.3gx; up to %.3g billion "
                    "cells a second",
                    kernel.mean, kernel.most, whole.mean, rate.most);
    }
}

static void run_grid(bench *b, table *tables)
{
    static const uint32_t alphabets[] = { 2, 256, 1024 };
    const uint32_t quick[] = { 200, 0 }, full[] = { 1000, 10000 };
    const uint32_t *sizes = b->quick ? quick : full;
    for (size_t s = 0; s < 2 && sizes[s]; s++) {
        for (size_t a = 0; a < 3; a += b->quick ? 2 : 1) {
            uint8_t *cells = input_cells(sizes[s], sizes[s], alphabets[a], b->seed + a);
            for (uint32_t m = 4; m <= (b->quick ? 16 : 256); m *= b->quick ? 4 : 2) {
                size_t first = tables[STAGES].count;
                stage_cell(b, &tables[STAGES], cells, sizes[s], alphabets[a], m);
                add_ratios(b, &tables[STAGES], first, &tables[RATIO]);
            }
            free(cells);
        }
    }
    if (b->data) {
        image_cell(b, &tables[IMAGE], "images/raster/world.byte.tif");
        image_cell(b, &tables[IMAGE], "images/browserquest/map_1x.png");
        image_cell(b, &tables[IMAGE], "images/leptonica/rabi.png");
    } else {
        fprintf(stderr, "trawl bench: pictures are left out: --data FOLDER has them\n");
    }
    for (size_t i = 0; i < b->backend_count; i++) {
        if (strcmp(b->backends[i].name, "serial") != 0)
            speedup_findings(b, &tables[STAGES], &b->backends[i]);
        ratio_findings(b, &tables[RATIO], &b->backends[i]);
    }
    finding(b, &paper_grid, "needles of 256 x 256, stage 2",
            "not possible: 65,537 states exceed a texture's rows", "%s",
            table_figures(&tables[STAGES], "kernel_s", "m=256 stage=2").count
                ? "runs"
                : "not measured in this run");
}

const paper paper_grid = {
    "grid",
    "Two-dimensional matching on the GPU",
    "Baker-Bird gives each cell the number of a needle's row by Aho-Corasick and matches columns "
    "of numbers; Baeza-Yates-Regnier scans every m-th row and checks around a hit. Random texts "
    "of 1,000 and 10,000 cells squared, alphabets of 2, 256 and 1024, needles of 4 to 256 cells "
    "squared, GTX 970. Final over first stage: Baker-Bird 1 to 1.20x and 0.96 to 1.50x, "
    "Baeza-Yates-Regnier 1 to 2x and 2 to 15x; both over ten times faster than serial. Stages "
    "with textures ended at m = 128.",
    tables_of_grid,
    sizeof tables_of_grid / sizeof tables_of_grid[0],
    plots_of_grid,
    sizeof plots_of_grid / sizeof plots_of_grid[0],
    run_grid,
};
