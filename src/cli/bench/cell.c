/* cell.c: the rows of a cell, measured against each other.
 *
 * A cell is one text (or grid) and the configurations that search it. All are warmed up once;
 * then each repeat runs them in turn, so that a disturbance of the machine hits all alike; the
 * medians count. Cells with many rows are cut into batches, whose contexts fit together.
 *
 * Every run counts the matches and sums up their places. The first row that saw the whole text
 * is the reference (the serial one, when there is one); a row that differs from it disagrees.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/bench/run.h"

/* Rows whose contexts are open at the same time, and bytes of pieces that they may hold. */
enum { BATCH_ROWS = 10 };
#define BATCH_BYTES (4ull << 30)
#define BATCH_BYTES_CPU (512ull << 20)

/* ---- cells ------------------------------------------------------------------ */

cell cell_open(bench *b, table *t, const void *text, uint64_t length)
{
    cell c = { b, t, text, length, NULL, t->count, b->seconds, NULL };
    return c;
}

cell cell_open_grid(bench *b, table *t, const trawl_grid *grid, uint32_t cell_size)
{
    cell c = cell_open(b, t, NULL, grid->rows * grid->cols * cell_size);
    c.grid = grid;
    return c;
}

/* Kernels of several devices run at the same time, so that the sum of their times says nothing. */
static bool on_several(const bench *b, const bench_backend *backend)
{
    if (!backend->device || !b->device)
        return false;
    return strchr(b->device, ',') || (strcmp(b->device, "all") == 0 && backend->devices > 1);
}

row *cell_add(cell *c, const char *engine, const trawl_plan *plan, const bench_backend *backend,
              const char *tuning)
{
    if (!backend || !plan)
        return NULL;
    row *r = table_add(c->table);
    r->engine = engine;
    r->plan = plan;
    r->backend = backend;
    r->length = c->length;
    r->whole_only = on_several(c->bench, backend);
    r->threads = backend->device || strcmp(backend->name, "serial") == 0 ? 0 : c->bench->cpus;
    snprintf(r->tuning, sizeof r->tuning, "%s", tuning ? tuning : "");
    return r;
}

row *cell_skip(cell *c, const char *engine, const char *format, ...)
{
    row *r = table_add(c->table);
    va_list arguments;
    r->engine = engine;
    r->state = ROW_SKIPPED;
    va_start(arguments, format);
    vsnprintf(r->note, sizeof r->note, format, arguments);
    va_end(arguments);
    return r;
}

void row_key(row *r, size_t key, const char *format, ...)
{
    va_list arguments;
    if (!r)
        return;
    va_start(arguments, format);
    vsnprintf(r->keys[key], KEY_ROOM, format, arguments);
    va_end(arguments);
}

/* ---- a batch ---------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void settle(row *r, samples *s)
{
    if (!s->count)
        return;
    r->samples = s->count;
    r->kernel = r->on_cpu ? 0 : median(s->kernel, s->count);
    r->transfer = median(s->transfer, s->count);
    r->end_to_end = median(s->wall, s->count);
    r->spread = (s->wall[s->count - 1] - s->wall[0]) / r->end_to_end;
}

/* A run that takes this part of a cell's time is the last one of its row. */
static const double long_run = 0.125;

static void measure_batch(cell *c, row *rows, size_t count)
{
    samples *all = bench_alloc(count, sizeof *all);
    const double began = bench_seconds();
    for (size_t i = 0; i < count; i++) {
        const double start = bench_seconds();
        all[i].over = !run_once(c, &rows[i], &all[i]);
        /* A long run on a CPU needs no warm-up. A device's first one builds kernels. */
        if (!rows[i].backend->device && bench_seconds() - start > long_run * c->seconds)
            all[i].over = true;
        if (!all[i].over)
            all[i].count = 0;
    }
    for (uint32_t repeat = 0; repeat < c->bench->repeats; repeat++) {
        if (repeat && bench_seconds() - began > c->seconds)
            break;
        for (size_t i = 0; i < count; i++) {
            const double start = bench_seconds();
            if (all[i].over)
                continue;
            all[i].over =
                !run_once(c, &rows[i], &all[i]) || bench_seconds() - start > long_run * c->seconds;
        }
    }
    for (size_t i = 0; i < count; i++) {
        settle(&rows[i], &all[i]);
        if (rows[i].energy && row_counts(&rows[i]))
            run_energy(c, &rows[i]);
    }
    free(all);
}

/* Rows from `first` on whose contexts fit together. */
static size_t batch_size(const cell *c, size_t first, size_t end)
{
    const row *rows = c->table->rows;
    uint64_t held = 0;
    size_t count = 0;
    for (size_t i = first; i < end && count < BATCH_ROWS; i++, count++) {
        if (!rows[i].backend || !rows[i].backend->device)
            continue;
        held += run_piece(c, &rows[i]) << 10;
        if (count && held > (rows[i].backend->cpu ? BATCH_BYTES_CPU : BATCH_BYTES))
            break;
    }
    return count;
}

/* ---- what the rows of a cell say together ----------------------------------------- */

static void compare(row *r, uint64_t matches, uint64_t checksum)
{
    if (r->state == ROW_DISAGREES)
        return;
    if (r->matches == matches && r->checksum == checksum) {
        r->state = ROW_AGREES;
        return;
    }
    r->state = ROW_DISAGREES;
    snprintf(r->note, sizeof r->note, "%llu matches, the reference has %llu%s",
             (unsigned long long)r->matches, (unsigned long long)matches,
             r->matches == matches ? " at other places" : "");
}

/* A row that saw the first part of the text only is compared with one that sees that part. */
static void compare_part(const cell *c, row *r, const row *reference)
{
    trawl_error error;
    tally t;
    if (run_part(c, reference, r->length, &t, &error)) {
        compare(r, t.count, t.sum);
        return;
    }
    r->state = ROW_FAILED;
    snprintf(r->note, sizeof r->note, "the run to compare with failed: %.120s", error.message);
}

static void check_cell(cell *c, row *rows, size_t count)
{
    row *reference = NULL;
    size_t compared = 0;
    for (size_t i = 0; i < count && !reference; i++)
        if (row_ran(&rows[i]) && rows[i].length == c->length)
            reference = &rows[i];
    if (!reference)
        return;
    for (size_t i = 0; i < count; i++) {
        row *r = &rows[i];
        if (r == reference || !row_ran(r))
            continue;
        if (r->length == c->length)
            compare(r, reference->matches, reference->checksum);
        else
            compare_part(c, r, reference);
        compared += r->state != ROW_FAILED;
    }
    if (compared && reference->state == ROW_ALONE)
        reference->state = ROW_AGREES;
}

/* Over the serial row of the cell's base engine, else of the row's own. By rates, because the
 * serial row may have seen less text. */
static void compute_speedups(const cell *c, row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        row *r = &rows[i];
        const char *engine = c->base ? c->base : r->engine;
        const row *base = NULL;
        for (size_t j = 0; j < count && !base; j++)
            if (row_ran(&rows[j]) && strcmp(rows[j].backend->name, "serial") == 0 &&
                strcmp(rows[j].engine, engine) == 0)
                base = &rows[j];
        if (!base || !row_ran(r))
            continue;
        const double bytes = (double)r->length / (double)base->length;
        r->speedup = bytes * base->end_to_end / r->end_to_end;
        if (r->kernel > 0)
            r->kernel_speedup = bytes * base->kernel / r->kernel;
    }
}

static void show(const cell *c, const row *r)
{
    fprintf(stderr, "trawl bench: %s", c->table->head->name);
    for (size_t k = 0; k < TABLE_KEYS && c->table->head->keys[k]; k++)
        if (r->keys[k][0])
            fprintf(stderr, " %s=%s", c->table->head->keys[k], r->keys[k]);
    fprintf(stderr, " %s", r->engine ? r->engine : "");
    if (r->backend)
        fprintf(stderr, " on %s", r->backend->name);
    if (r->tuning[0])
        fprintf(stderr, " (%s)", r->tuning);
    if (r->samples && r->end_to_end > 0)
        fprintf(stderr, ": %.4g GB/s, kernel %.4g GB/s, %llu matches%s",
                (double)r->length / r->end_to_end / 1e9,
                r->kernel > 0 ? (double)r->length / r->kernel / 1e9 : 0,
                (unsigned long long)r->matches, r->state == ROW_DISAGREES ? ", DISAGREES" : "");
    fprintf(stderr, "%s%s\n", r->note[0] ? ": " : "", r->note);
}

void cell_run(cell *c)
{
    bench *b = c->bench;
    for (size_t at = c->first; at < c->table->count;) {
        size_t end = at + batch_size(c, at, c->table->count);
        size_t run = at;
        while (run < end && c->table->rows[run].state != ROW_SKIPPED)
            run++;
        if (run > at)
            measure_batch(c, c->table->rows + at, run - at);
        at = run == at ? at + 1 : run;
    }
    row *rows = c->table->rows + c->first;
    const size_t count = c->table->count - c->first;
    check_cell(c, rows, count);
    compute_speedups(c, rows, count);
    for (size_t i = 0; i < count; i++) {
        show(c, &rows[i]);
        rows[i].plan = NULL; /* the caller frees it */
        b->rows++;
        b->alone += row_ran(&rows[i]) && rows[i].state == ROW_ALONE;
        b->disagreements += rows[i].state == ROW_DISAGREES;
        b->failures += rows[i].state == ROW_FAILED;
        b->unsupported += rows[i].state == ROW_UNSUPPORTED;
    }
    c->first = c->table->count;
}
