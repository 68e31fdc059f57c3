/* run.c: one run of one row: a scan, timed and tallied.
 *
 * On a device a row has two contexts: one takes the text in the largest pieces and only counts,
 * which gives the time in kernels on a resident text; the other moves text and matches in pieces
 * of its choice, which gives the time end to end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench/bench.h"
#include "cli/bench/pool.h"
#include "cli/bench/run.h"

/* Pieces of a device that is the CPU: large ones bring nothing there. */
enum { MOST_PIECE = 262144, MOST_PIECE_CPU = 16384, LEAST_PIECE = 64 };

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

uint64_t run_piece(const row *r)
{
    uint64_t most = r->backend->cpu ? MOST_PIECE_CPU : MOST_PIECE;
    uint64_t piece = r->length / 1024 + 1;
    return piece < LEAST_PIECE ? LEAST_PIECE : piece < most ? piece : most;
}

static trawl_context *row_context(const cell *c, row *r, bool resident)
{
    char tuning[128];
    trawl_error error;
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = r->backend->name;
    options.threads = r->threads;
    options.schedule = r->schedule;
    options.chunks = r->chunks;
    uint64_t piece = 0;
    if (r->backend->device) {
        options.device = r->devices ? r->devices : c->bench->device;
        piece = resident ? run_piece(r) : 0;
        if (resident)
            snprintf(tuning, sizeof tuning, "%s%spiece=%llu", r->tuning, r->tuning[0] ? "," : "",
                     (unsigned long long)piece);
        else
            snprintf(tuning, sizeof tuning, "%s", r->tuning);
        options.tuning = tuning[0] ? tuning : NULL;
    }
    trawl_context *context = pool_get(c->bench->pool, r->engine, &options, piece << 10, &error);
    if (!context) {
        r->state = error.code == TRAWL_ERROR_UNSUPPORTED || error.code == TRAWL_ERROR_ARGUMENT
                       ? ROW_UNSUPPORTED
                       : ROW_FAILED;
        snprintf(r->note, sizeof r->note, "%.150s", error.message);
    }
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

static bool run_failed(row *r, int status, const trawl_error *error)
{
    if (status == TRAWL_OK)
        return false;
    r->state = status == TRAWL_ERROR_UNSUPPORTED ? ROW_UNSUPPORTED : ROW_FAILED;
    snprintf(r->note, sizeof r->note, "%.150s", error->message);
    return true;
}

/* A later run must find what the first one found. */
static void keep_tally(row *r, const samples *s, const tally *t, bool places)
{
    if (s->count == 0 && places) {
        r->matches = t->count;
        r->checksum = t->sum;
    } else if (r->matches != t->count || (places && r->checksum != t->sum)) {
        r->state = ROW_DISAGREES;
        snprintf(r->note, sizeof r->note, "two runs of this row differ: %llu and %llu matches",
                 (unsigned long long)r->matches, (unsigned long long)t->count);
    }
}

/* The time in kernels of a scan that only counts, pieces as large as they can be. */
static bool run_resident(const cell *c, row *r, double *kernel, tally *t)
{
    trawl_error error;
    trawl_timing timing = { sizeof timing, 0, 0, 0, 0, 0 };
    trawl_context *context = row_context(c, r, true);
    if (!context)
        return false;
    trawl_context_get_timing(context, &timing);
    int status = c->grid
                     ? scan_once(c, r, context, r->length, t, &error)
                     : trawl_count(context, r->plan, c->text, r->length, NULL, &t->count, &error);
    if (run_failed(r, status, &error))
        return false;
    trawl_context_get_timing(context, &timing);
    *kernel = timing.kernel;
    return true;
}

bool run_once(const cell *c, row *r, samples *s)
{
    trawl_error error;
    trawl_timing timing = { sizeof timing, 0, 0, 0, 0, 0 };
    tally found, counted = { 0, 0 };
    double kernel = 0;
    trawl_context *context = row_context(c, r, false);
    if (!context)
        return false;
    trawl_context_get_timing(context, &timing);
    double began = bench_seconds();
    int status = scan_once(c, r, context, r->length, &found, &error);
    double wall = bench_seconds() - began;
    if (run_failed(r, status, &error))
        return false;
    keep_tally(r, s, &found, true);
    if (r->backend->device) {
        trawl_context_get_timing(context, &timing);
        if (timing.on_cpu)
            snprintf(r->note, sizeof r->note, "%llu bytes were scanned by the CPU",
                     (unsigned long long)timing.on_cpu);
        const char *warning = trawl_context_warning(context);
        if (warning && !r->note[0])
            snprintf(r->note, sizeof r->note, "%.150s", warning);
        if (!run_resident(c, r, &kernel, &counted))
            return false;
        keep_tally(r, s, &counted, false);
    }
    s->kernel[s->count] = r->backend->device ? kernel : wall;
    s->transfer[s->count] = timing.to_device + timing.from_device;
    s->wall[s->count] = wall;
    s->count++;
    return true;
}

bool run_part(const cell *c, row *r, uint64_t length, tally *t)
{
    trawl_error error;
    trawl_context *context = row_context(c, r, false);
    return context && scan_once(c, r, context, length, t, &error) == TRAWL_OK;
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
    trawl_context *context = row_context(c, r, false);
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
