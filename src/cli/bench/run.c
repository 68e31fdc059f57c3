/* run.c: one run of one row: a scan, timed and tallied.
 *
 * A row is run in two ways: a scan that hands over all matches gives the time end to end, and
 * one that only counts gives the time of the search alone. On a device the second one has a
 * context of its own with one queue and pieces as large as they can be, so that the times of
 * its kernels cannot overlap and nothing is read twice; they are summed up, copies are not.
 * Grids are not counted without places: theirs is the same scan. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench/bench.h"
#include "cli/bench/pool.h"
#include "cli/bench/run.h"

/* Pieces of a device that is the CPU: large ones bring nothing there. */
enum { MOST_PIECE = 262144, MOST_PIECE_CPU = 16384, LEAST_PIECE = 64, ROW_ALIGN = 16 };

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sums are the same in any order, and differ when one place does. */
static uint64_t place_number(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    return z ^ (z >> 27);
}

static int count_match(const trawl_match *m, void *user)
{
    tally *t = user;
    t->count++;
    t->sum += place_number(m->end, m->pattern);
    return 0;
}

static int count_grid_match(const trawl_grid_match *m, void *user)
{
    tally *t = user;
    t->count++;
    t->sum += place_number(m->row ^ (m->col << 32), m->needle);
    return 0;
}

/* ---- one run ------------------------------------------------------------------ */

/* The backend needs room for the rows of a grid that two pieces would share, even when there
 * is one piece, and begins every row at a multiple of 16 bytes. */
static uint64_t grid_bytes(const trawl_grid *grid, const trawl_plan *plan)
{
    trawl_plan_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (trawl_plan_get_info(plan, &info) != TRAWL_OK)
        return 0;
    const uint64_t stride = (grid->cols * info.cell_size + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    return (grid->rows + info.max_length) * stride;
}

uint64_t run_piece(const cell *c, const row *r)
{
    const uint64_t most = r->backend->cpu ? MOST_PIECE_CPU : MOST_PIECE;
    const uint64_t bytes = c->grid ? grid_bytes(c->grid, r->plan) : r->length;
    const uint64_t piece = bytes / 1024 + 1;
    return piece < LEAST_PIECE ? LEAST_PIECE : piece < most ? piece : most;
}

static trawl_context *row_context(const cell *c, const row *r, bool resident, trawl_error *error)
{
    char tuning[160];
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = r->backend->name;
    options.threads = r->threads;
    options.schedule = r->schedule;
    options.chunks = r->chunks;
    uint64_t piece = 0;
    if (r->backend->device) {
        options.device = r->devices ? r->devices : c->bench->device;
        piece = resident ? run_piece(c, r) : 0;
        if (resident)
            snprintf(tuning, sizeof tuning, "%s%spiece=%llu,queues=1", r->tuning,
                     r->tuning[0] ? "," : "", (unsigned long long)piece);
        else
            snprintf(tuning, sizeof tuning, "%s", r->tuning);
        options.tuning = tuning[0] ? tuning : NULL;
    }
    return pool_get(c->bench->pool, r->engine, &options, piece << 10, error);
}

static bool run_failed(row *r, int status, const trawl_error *error)
{
    if (status == TRAWL_OK)
        return false;
    r->state = status == TRAWL_ERROR_UNSUPPORTED ? ROW_UNSUPPORTED : ROW_FAILED;
    snprintf(r->note, sizeof r->note, "%.150s", error->message);
    return true;
}

/* The row's context, opened or from the pool. NULL: the row's state says why. A setting that is
 * out of range is one that is not supported. */
static trawl_context *open_context(const cell *c, row *r, bool resident)
{
    trawl_error error;
    trawl_context *context = row_context(c, r, resident, &error);
    if (!context)
        (void)run_failed(
            r, error.code == TRAWL_ERROR_ARGUMENT ? TRAWL_ERROR_UNSUPPORTED : error.code, &error);
    return context;
}

static int scan_once(const cell *c, const row *r, trawl_context *context, uint64_t length, tally *t,
                     trawl_error *error)
{
    t->count = t->sum = 0;
    if (c->grid)
        return trawl_scan_grid(context, r->plan, c->grid, NULL, count_grid_match, t, error);
    return trawl_scan(context, r->plan, c->text, length, NULL, count_match, t, error);
}

/* A later run, the one after the warm-up included, must find what the first one found. */
static void keep_tally(row *r, const tally *t, bool places)
{
    if (!r->tallied) {
        r->tallied = true;
        r->matches = t->count;
        r->checksum = t->sum;
    } else if (r->matches != t->count || (places && r->checksum != t->sum)) {
        r->state = ROW_DISAGREES;
        snprintf(r->note, sizeof r->note, "two runs of this row differ: %llu and %llu matches%s",
                 (unsigned long long)r->matches, (unsigned long long)t->count,
                 r->matches == t->count ? " at other places" : "");
    }
}

/* One scan of the row, or, of a text, one that only counts. */
static bool timed_run(const cell *c, row *r, bool resident, double *wall, trawl_timing *timing)
{
    const bool counts = resident && !c->grid;
    trawl_error error;
    tally t = { 0, 0 };
    memset(timing, 0, sizeof *timing);
    timing->size = sizeof *timing;
    trawl_context *context = open_context(c, r, resident);
    if (!context)
        return false;
    trawl_context_get_timing(context, timing);
    const double began = bench_seconds();
    const int status =
        counts ? trawl_count(context, r->plan, c->text, r->length, NULL, &t.count, &error)
               : scan_once(c, r, context, r->length, &t, &error);
    *wall = bench_seconds() - began;
    if (run_failed(r, status, &error))
        return false;
    trawl_context_get_timing(context, timing);
    const char *warning = trawl_context_warning(context);
    if (timing->on_cpu) {
        r->on_cpu = true;
        snprintf(r->note, sizeof r->note,
                 "no figures of kernels: the device had no memory, the CPU scanned %llu bytes",
                 (unsigned long long)timing->on_cpu);
    } else if (warning && !r->note[0]) {
        snprintf(r->note, sizeof r->note, "%.150s", warning);
    }
    keep_tally(r, &t, !counts);
    return true;
}

bool run_once(const cell *c, row *r, samples *s)
{
    trawl_timing whole, alone;
    double wall, search;
    if (!timed_run(c, r, false, &wall, &whole))
        return false;
    if (r->whole_only)
        search = 0;
    else if (!r->backend->device && c->grid)
        search = wall;
    else if (!timed_run(c, r, true, &search, &alone))
        return false;
    else if (r->backend->device)
        search = alone.kernel;
    s->kernel[s->count] = search;
    s->transfer[s->count] = whole.to_device + whole.from_device;
    s->wall[s->count] = wall;
    s->count++;
    return true;
}

bool run_part(const cell *c, const row *r, uint64_t length, tally *t, trawl_error *error)
{
    trawl_context *context = row_context(c, r, false, error);
    return context && scan_once(c, r, context, length, t, error) == TRAWL_OK;
}

/* ---- energy --------------------------------------------------------------------- */

static bool add_joules(double before, double after, double bytes, double *out)
{
    if (before < 0 || after < 0) {
        *out = JOULES_UNREADABLE;
        return false;
    }
    *out = (after - before) / bytes;
    return true;
}

/* The scan again and again until the meters have moved enough. */
void run_energy(const cell *c, row *r)
{
    const double least = c->bench->quick ? 0.2 : 1.5;
    double gpu[2], cpu[2];
    uint64_t runs = 0;
    tally t;
    trawl_error error;
    trawl_context *context = open_context(c, r, false);
    if (!context)
        return;
    double began = bench_seconds(), took;
    energy_now(c->bench->energy, &gpu[0], &cpu[0]);
    if (gpu[0] < 0 && cpu[0] < 0) {
        r->joules = r->joules_gpu = r->joules_cpu = JOULES_UNREADABLE;
        return;
    }
    do {
        if (run_failed(r, scan_once(c, r, context, r->length, &t, &error), &error))
            return;
        keep_tally(r, &t, true);
        runs++;
        took = bench_seconds() - began;
    } while (took < least);
    energy_now(c->bench->energy, &gpu[1], &cpu[1]);
    double bytes = (double)runs * (double)r->length;
    bool any = add_joules(gpu[0], gpu[1], bytes, &r->joules_gpu);
    any = add_joules(cpu[0], cpu[1], bytes, &r->joules_cpu) || any;
    /* A CPU row is a matter of the CPU's meter, a GPU row of both. */
    double of_gpu = r->backend->device && !r->backend->cpu ? r->joules_gpu : 0;
    if (r->backend->device && !r->backend->cpu)
        r->joules = (of_gpu > 0 ? of_gpu : 0) + (r->joules_cpu > 0 ? r->joules_cpu : 0);
    else
        r->joules = r->joules_cpu;
    if (!any)
        r->joules = JOULES_UNREADABLE;
    else if (r->joules >= 0)
        r->watts = r->joules * bytes / took;
}

void bench_idle(bench *b)
{
    const struct timespec pause = { b->quick ? 0 : 1, b->quick ? 200000000 : 500000000 };
    double gpu[2], cpu[2];
    double began = bench_seconds();
    b->idle_watts_gpu = b->idle_watts_cpu = -1;
    energy_now(b->energy, &gpu[0], &cpu[0]);
    if (gpu[0] < 0 && cpu[0] < 0)
        return;
    nanosleep(&pause, NULL);
    energy_now(b->energy, &gpu[1], &cpu[1]);
    double took = bench_seconds() - began;
    if (gpu[0] >= 0)
        b->idle_watts_gpu = (gpu[1] - gpu[0]) / took;
    if (cpu[0] >= 0)
        b->idle_watts_cpu = (cpu[1] - cpu[0]) / took;
}
