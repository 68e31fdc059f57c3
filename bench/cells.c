/* cells.c: bench_cells, which measures what bench/seeds, engines, cliffs, busy and peers ask for.
 *
 * A cell is one text or grid and the rows that search it. Requests and answers are JSON, a line
 * each, on standard input and output:
 *
 *     {"meter": [BUS]}                  read the energy meter of one GPU ([]: of all)
 *     {"text": FILE, "length",          a cell; or "grid": FILE, "shape": [rows, columns, bytes]
 *      "repeats", "seconds",
 *      "plans": [{"engine", "wm_block", "sample", "for", "extended", "nocase",
 *                 "patterns": [escaped or extended, ...]} or
 *                {"engine", "needle": [row, column, cells a side]} or
 *                {"engine", "needles": [...]}],
 *      "rows": [{"plan": NUMBER, "backend", "device", "tuning", "threads", "schedule",
 * "chunks", "length", "most", "scan", "count", "feed", "report", "resident", "energy"} or
 *               {"plan", "peer"}]}
 *
 * A row is run in two ways: a scan that hands over all matches gives the time end to end
 * (unless "scan" is 0), and one that only counts gives the time of the search alone (unless
 * "count" is 0). A row of a device has a second context for that, with the tuning "resident":
 * one queue and large pieces, so that the times of its kernels cannot overlap and nothing is
 * read twice; they are summed up, copies are not. Grids cannot be counted without places: theirs
 * are scans, and on a CPU the same one. A scan with "feed" is a stream that is fed that number of
 * bytes at a time. A plan's "sample" is a number of bytes from the beginning of the text; it is
 * made "for" the first device of a backend, or else for a CPU.
 *
 * A row whose run would take more than "most" seconds, as far as its first part tells, is run on
 * that part; the answer gives the length.
 *
 * All rows are warmed up once; then each repeat runs them in turn, so that a disturbance of the
 * machine hits all alike. Many rows are cut into batches, whose contexts fit together. Every run
 * counts the matches, and scans sum up their places. The first row that saw the whole text is the
 * reference; a row that differs from it disagrees.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "energy/energy.h"
#include "peers.h"
#include "trawl/grid.h"

enum { BATCH_ROWS = 10, MIN_PART = 4096 };

typedef enum row_state { ALONE, AGREES, DISAGREES, UNSUPPORTED, FAILED } row_state;

static const char *const state_names[] = { "not compared", "yes", "NO", "unsupported", "failed" };

typedef struct tally {
    uint64_t count, sum;
    bool places; /* the sum is known */
} tally;

typedef struct compiled {
    trawl_plan *plan;
    trawl_pattern *patterns;
    size_t count;
    int status;
    trawl_error error;
} compiled;

typedef struct row {
    /* What is asked. */
    const compiled *plan;
    const char *peer, *resident;
    trawl_context_options options;
    uint64_t length, feed; /* bytes; bytes at a time, 0: no stream */
    int scan, count, report;
    double most, energy; /* seconds of a run, 0: any; of energy, at least */
    /* While its batch runs. */
    struct peer *other;
    trawl_context *whole, *alone;
    bool over;     /* no more runs: it failed, or one takes too long */
    bool searches; /* its count means something */
    /* What came out. */
    row_state state;
    tally tally;
    bool tallied;
    uint64_t on_cpu;                           /* bytes that a device had no memory for */
    json_t *kernel, *transfer, *wall, *joules; /* seconds of each run; a byte */
    char note[256];
} row;

typedef struct cell {
    uint8_t *text;
    uint64_t length;
    trawl_grid grid; /* cells NULL: it is a text */
    uint32_t cell_size, repeats;
    double seconds; /* after which it is repeated no more */
    compiled *plans;
    row *rows;
    size_t plan_count, count;
    energy_meter *meter;
} cell;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench_cells: out of memory (%zu times %zu bytes)\n", count, size);
        exit(2);
    }
    return memory;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- one run -------------------------------------------------------------------- */

/* Sums are the same in any order, and differ when one place does. */
static void add_place(tally *t, uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    t->sum += z ^ (z >> 27);
    t->count++;
}

static int add_matches(const trawl_match *m, size_t count, void *user)
{
    for (size_t i = 0; i < count; i++)
        add_place(user, m[i].end, m[i].pattern);
    return 0;
}

static int add_grid_matches(const trawl_grid_match *m, size_t count, void *user)
{
    for (size_t i = 0; i < count; i++)
        add_place(user, m[i].row ^ (m[i].col << 32), m[i].needle);
    return 0;
}

static int run_stream(const cell *c, const row *r, trawl_context *context, uint64_t length,
                      tally *t, trawl_error *error)
{
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    trawl_stream *stream;
    trawl_error closing;
    options.report = (uint32_t)r->report;
    int status =
        trawl_stream_open(context, r->plan->plan, &options, add_matches, t, &stream, error);
    if (status != TRAWL_OK)
        return status;
    for (uint64_t at = 0; at < length && status == TRAWL_OK; at += r->feed)
        status = trawl_stream_feed(stream, c->text + at,
                                   length - at < r->feed ? length - at : r->feed, error);
    const int closed = trawl_stream_close(stream, &closing);
    if (status == TRAWL_OK && closed != TRAWL_OK)
        *error = closing;
    return status == TRAWL_OK ? closed : status;
}

/* One run over the first `length` bytes that hands over the matches, or only counts them. */
static int run(const cell *c, const row *r, trawl_context *context, bool counts, uint64_t length,
               tally *t, trawl_error *error)
{
    const trawl_plan *plan = r->plan->plan;
    *t = (tally){ 0, 0, c->grid.cells || !counts };
    if (c->grid.cells) {
        trawl_grid grid = c->grid;
        grid.rows = length / (grid.cols * c->cell_size);
        return trawl_scan_grid(context, plan, &grid, NULL, add_grid_matches, t, error);
    }
    if (!counts && r->feed)
        return run_stream(c, r, context, length, t, error);
    if (!counts) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
        options.report = (uint32_t)r->report;
        return trawl_scan(context, plan, c->text, length, &options, add_matches, t, error);
    }
    if (!r->other)
        return trawl_count(context, plan, c->text, length, NULL, &t->count, error);
    t->count = peer_count(r->other, c->text, length);
    return TRAWL_OK;
}

static bool worked(row *r, int status, const trawl_error *error)
{
    if (status == TRAWL_OK)
        return true;
    r->state = status == TRAWL_ERROR_UNSUPPORTED ? UNSUPPORTED : FAILED;
    snprintf(r->note, sizeof r->note, "%s", error->message);
    return false;
}

static bool same(const tally *a, const tally *b)
{
    return a->count == b->count && (!a->places || !b->places || a->sum == b->sum);
}

static void disagree(row *r, const char *who, const tally *other)
{
    r->state = DISAGREES;
    snprintf(r->note, sizeof r->note, "%llu matches, %s has %llu%s",
             (unsigned long long)r->tally.count, who, (unsigned long long)other->count,
             r->tally.count == other->count ? " at other places" : "");
}

/* A later run, the one after the warm-up included, must find what the first one found. */
static void keep_tally(row *r, const tally *t)
{
    if (r->tallied && !same(&r->tally, t))
        disagree(r, "another run of this row", t);
    else if (!r->tallied || t->places)
        r->tally = *t;
    r->tallied = true;
}

/* One run of one of the two kinds. False: the row's state says why not. */
static bool timed_run(const cell *c, row *r, bool counts, double *wall, trawl_timing *timing)
{
    trawl_context *context = counts && r->alone ? r->alone : r->whole;
    trawl_error error;
    tally t;
    timing->size = sizeof *timing;
    if (context)
        trawl_context_get_timing(context, timing);
    const double began = seconds();
    const int status = run(c, r, context, counts, r->length, &t, &error);
    *wall = seconds() - began;
    if (!worked(r, status, &error))
        return false;
    if (context) {
        trawl_context_get_timing(context, timing);
        const char *warning = trawl_context_warning(context);
        if (warning && !r->note[0])
            snprintf(r->note, sizeof r->note, "%.255s", warning);
        r->on_cpu = timing->on_cpu ? timing->on_cpu : r->on_cpu;
    }
    keep_tally(r, &t);
    return true;
}

/* One sample more. */
static bool run_once(const cell *c, row *r)
{
    trawl_timing whole = { 0 }, alone = { 0 };
    double wall = 0, found = 0;
    if (r->scan && !timed_run(c, r, false, &wall, &whole))
        return false;
    if (r->count && r->scan && c->grid.cells && !r->alone)
        found = wall;
    else if (r->count && !timed_run(c, r, true, &found, &alone))
        return false;
    json_array_append_new(r->wall, json_real(r->scan ? wall : found));
    json_array_append_new(r->kernel, json_real(r->alone ? alone.kernel : found));
    json_array_append_new(r->transfer, json_real(whole.to_device + whole.from_device));
    return true;
}

/* ---- contexts ------------------------------------------------------------------- */

/* A setting that is out of range is one that is not supported. */
static bool open_context(row *r, const char *tuning, trawl_context **context)
{
    trawl_context_options options = r->options;
    trawl_error error;
    options.tuning = tuning;
    const int status = trawl_context_open(&options, context, &error);
    return worked(r, status == TRAWL_ERROR_ARGUMENT ? TRAWL_ERROR_UNSUPPORTED : status, &error);
}

/* False: the row's state says why not. */
static bool open_row(row *r)
{
    if (!worked(r, r->plan->status, &r->plan->error))
        return false;
    r->searches = true;
    if (!r->peer)
        return open_context(r, r->options.tuning, &r->whole) &&
               (!r->count || !r->resident || open_context(r, r->resident, &r->alone));
    r->other = peer_open(r->peer, r->plan->patterns, r->plan->count);
    if (!r->other) {
        r->state = UNSUPPORTED;
        snprintf(r->note, sizeof r->note, "%.40s is not there, or does not take this", r->peer);
        return false;
    }
    r->searches = peer_searches(r->other);
    return true;
}

static void close_row(row *r)
{
    peer_close(r->other);
    trawl_context_close(r->whole);
    trawl_context_close(r->alone);
    r->other = NULL;
    r->whole = r->alone = NULL;
}

/* ---- a batch of rows ---------------------------------------------------------------- */

static bool ran(const row *r)
{
    return json_array_size(r->wall) && r->state <= DISAGREES;
}

static json_t *known(bool is, double number)
{
    return is ? json_real(number) : json_null();
}

/* The scan again and again until the meters have moved enough. */
static void run_energy(const cell *c, row *r)
{
    const double began = seconds();
    const energy_reading before = energy_read(c->meter);
    double bytes = 0, took;
    trawl_error error;
    tally t;
    do {
        if (!worked(r, run(c, r, r->whole, false, r->length, &t, &error), &error))
            return;
        keep_tally(r, &t);
        bytes += (double)r->length;
        took = seconds() - began;
    } while ((before.gpu || before.cpu) && took < r->energy);
    const energy_reading used = energy_between(before, energy_read(c->meter));
    r->joules = json_pack("{s:o, s:o, s:f}", "gpu", known(used.gpu, used.gpu_joules / bytes), "cpu",
                          known(used.cpu, used.cpu_joules / bytes), "seconds", took / bytes);
}

/* See "most" above. */
static bool shorten(const cell *c, row *r)
{
    const uint64_t unit = c->grid.cells ? c->grid.cols * c->cell_size : 1;
    for (uint64_t part = MIN_PART; r->most > 0 && part < r->length; part *= 2) {
        const double start = seconds();
        trawl_error error;
        tally t;
        if (!worked(r, run(c, r, r->whole, !r->scan, part, &t, &error), &error))
            return false;
        if (2 * (seconds() - start) > r->most && part >= unit)
            r->length = part / unit * unit;
    }
    return true;
}

/* Run a row; a run that takes an eighth of the cell's time is the last one of its row. */
static void run_next(const cell *c, row *r, bool warm_up)
{
    const double start = seconds();
    if (r->over || (warm_up && (!open_row(r) || !shorten(c, r))) || !run_once(c, r)) {
        r->over = true;
        return;
    }
    /* A long run on a CPU needs no warm-up. A device's first one builds kernels. */
    r->over = !(warm_up && r->resident) && seconds() - start > c->seconds / 8;
    if (warm_up && !r->over) {
        json_array_clear(r->kernel);
        json_array_clear(r->transfer);
        json_array_clear(r->wall);
    }
}

static void measure_batch(const cell *c, row *rows, size_t count)
{
    const double began = seconds();
    for (size_t i = 0; i < count; i++)
        run_next(c, &rows[i], true);
    for (uint32_t n = 0; n < c->repeats && (!n || seconds() - began <= c->seconds); n++)
        for (size_t i = 0; i < count; i++)
            run_next(c, &rows[i], false);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].energy > 0 && ran(&rows[i]) && !rows[i].on_cpu && c->meter)
            run_energy(c, &rows[i]);
        close_row(&rows[i]);
    }
}

/* ---- agreement ------------------------------------------------------------------ */

/* A row that saw the text's first part only is compared with a run of the reference on that. */
static void compare(const cell *c, row *r, row *reference)
{
    tally t = reference->tally;
    trawl_error error = { .message = "its context could not be opened again" };
    if (r->length != c->length) {
        const bool fine = open_row(reference) && run(c, reference, reference->whole, false,
                                                     r->length, &t, &error) == TRAWL_OK;
        close_row(reference);
        if (!fine) {
            r->state = FAILED;
            snprintf(r->note, sizeof r->note, "the run to compare with: %.200s", error.message);
            return;
        }
    }
    if (!same(&r->tally, &t))
        disagree(r, "the reference", &t);
    else if (r->state == ALONE)
        r->state = AGREES;
    if (reference->state == ALONE)
        reference->state = AGREES;
}

static void check_agreement(cell *c)
{
    row *reference = NULL;
    for (size_t i = 0; i < c->count && !reference; i++)
        if (ran(&c->rows[i]) && !c->rows[i].peer && c->rows[i].length == c->length)
            reference = &c->rows[i];
    for (size_t i = 0; reference && i < c->count; i++)
        if (&c->rows[i] != reference && ran(&c->rows[i]) && c->rows[i].searches)
            compare(c, &c->rows[i], reference);
}

/* ---- requests -------------------------------------------------------------------- */

/* The file's first `length` bytes; NULL when it has fewer. */
static uint8_t *read_file(const char *path, uint64_t length)
{
    FILE *in = fopen(path, "rb");
    uint8_t *bytes = allocate(length, 1);
    if (!in || fread(bytes, 1, length, in) != length) {
        free(bytes);
        bytes = NULL;
    }
    if (in)
        fclose(in);
    return bytes;
}

/* A square of the grid. */
static bool read_needle(const cell *c, json_t *asked, trawl_needle *needle)
{
    json_int_t line, column, side;
    if (json_unpack(asked, "[I, I, I]", &line, &column, &side) || line < 0 || column < 0 ||
        side < 1 || (uint64_t)(line + side) > c->grid.rows ||
        (uint64_t)(column + side) > c->grid.cols)
        return false;
    *needle =
        (trawl_needle){ c->text + ((uint64_t)line * c->grid.cols + (uint64_t)column) * c->cell_size,
                        (uint64_t)side,
                        (uint64_t)side,
                        c->grid.cols * c->cell_size,
                        1,
                        NULL };
    return true;
}

static bool compile_needles(const cell *c, json_t *asked, const trawl_compile_options *options,
                            compiled *p)
{
    json_t *one = json_object_get(asked, "needle"), *several = json_object_get(asked, "needles");
    const size_t count = one ? 1 : json_array_size(several);
    trawl_needle *needles = allocate(count, sizeof *needles);
    bool fine = count > 0;
    for (size_t i = 0; i < count && fine; i++)
        fine = read_needle(c, one ? one : json_array_get(several, i), &needles[i]);
    if (fine)
        p->status = trawl_compile_grid(needles, count, c->cell_size, options, &p->plan, &p->error);
    free(needles);
    return fine;
}

static bool compile_plan(const cell *c, json_t *asked, const trawl_context *target, compiled *p)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    json_t *patterns = NULL, *pattern;
    const char *for_backend = NULL;
    int extended = 0, nocase = 0, block = 0;
    json_int_t sample = 0;
    size_t i;
    if (json_unpack(asked, "{s:s, s?i, s?I, s?s, s?b, s?b, s?o}", "engine", &options.engine,
                    "wm_block", &block, "sample", &sample, "for", &for_backend, "extended",
                    &extended, "nocase", &nocase, "patterns", &patterns) ||
        sample < 0 || (uint64_t)sample > c->length)
        return false;
    options.context = target;
    options.wm_block = (uint32_t)block;
    options.sample = sample ? c->text : NULL;
    options.sample_length = (size_t)sample;
    if (c->grid.cells)
        return compile_needles(c, asked, &options, p);
    p->count = json_array_size(patterns);
    p->patterns = allocate(p->count, sizeof *p->patterns);
    json_array_foreach(patterns, i, pattern)
    {
        p->patterns[i].text = json_string_value(pattern);
        p->patterns[i].length = json_string_length(pattern);
        p->patterns[i].syntax = extended ? TRAWL_SYNTAX_EXTENDED : TRAWL_SYNTAX_ESCAPED;
        p->patterns[i].flags = nocase ? TRAWL_NOCASE : 0;
        p->patterns[i].id = (uint32_t)i + 1;
    }
    p->status = trawl_compile(p->patterns, p->count, &options, &p->plan, &p->error);
    return true;
}

/* For the device that it names, which is open meanwhile. False: the request is not as it should be.
 */
static bool make_plan(const cell *c, json_t *asked, compiled *p)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *target = NULL;
    options.backend = json_string_value(json_object_get(asked, "for"));
    if (options.backend)
        p->status = trawl_context_open(&options, &target, &p->error);
    const bool fine = p->status != TRAWL_OK || compile_plan(c, asked, target, p);
    trawl_context_close(target);
    return fine;
}

static bool read_row(const cell *c, json_t *asked, row *r)
{
    int plan = 0, threads = 0, schedule = 0, chunks = 0;
    json_int_t length = (json_int_t)c->length, feed = 0;
    const trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    r->options = options;
    r->scan = r->count = 1;
    if (json_unpack(
            asked,
            "{s:i, s?s, s?s, s?s, s?s, s?s, s?i, s?i, s?i, s?I, s?F, s?i, s?i, s?I, s?i, s?F}",
            "plan", &plan, "backend", &r->options.backend, "peer", &r->peer, "device",
            &r->options.device, "tuning", &r->options.tuning, "resident", &r->resident, "threads",
            &threads, "schedule", &schedule, "chunks", &chunks, "length", &length, "most", &r->most,
            "scan", &r->scan, "count", &r->count, "feed", &feed, "report", &r->report, "energy",
            &r->energy) ||
        plan < 0 || (size_t)plan >= c->plan_count || length < 0 || feed < 0 ||
        (uint64_t)length > c->length)
        return false;
    r->plan = &c->plans[plan];
    r->options.threads = (uint32_t)threads;
    r->options.schedule = (uint32_t)schedule;
    r->options.chunks = (uint32_t)chunks;
    r->length = (uint64_t)length;
    r->feed = (uint64_t)feed;
    r->scan = r->scan && !r->peer;
    r->kernel = json_array();
    r->transfer = json_array();
    r->wall = json_array();
    return true;
}

/* NULL, or what is wrong with the request. */
static const char *read_cell(json_t *asked, cell *c)
{
    const char *text = NULL, *grid = NULL;
    json_t *plans, *rows;
    json_int_t length = 0, lines = 0, columns = 0;
    int size = 0, repeats;
    if (json_unpack(asked, "{s?s, s?s, s?[I, I, i], s?I, s:i, s:F, s:o, s:o}", "text", &text,
                    "grid", &grid, "shape", &lines, &columns, &size, "length", &length, "repeats",
                    &repeats, "seconds", &c->seconds, "plans", &plans, "rows", &rows) ||
        !(grid || text) || repeats < 1)
        return "the request is not as it should be";
    c->repeats = (uint32_t)repeats;
    c->cell_size = (uint32_t)size;
    c->grid = (trawl_grid){ NULL, (uint64_t)lines, (uint64_t)columns, 0 };
    c->length = grid ? c->grid.rows * c->grid.cols * c->cell_size : (uint64_t)length;
    c->text = read_file(grid ? grid : text, c->length);
    c->grid.cells = grid ? c->text : NULL;
    if (!c->text)
        return "the text or grid cannot be read, or is too short";
    c->plans = allocate(json_array_size(plans), sizeof *c->plans);
    for (; c->plan_count < json_array_size(plans); c->plan_count++)
        if (!make_plan(c, json_array_get(plans, c->plan_count), &c->plans[c->plan_count]))
            return "a plan is not as it should be, or its needle is outside the grid";
    c->rows = allocate(json_array_size(rows), sizeof *c->rows);
    for (; c->count < json_array_size(rows); c->count++)
        if (!read_row(c, json_array_get(rows, c->count), &c->rows[c->count]))
            return "a row is not as it should be";
    return NULL;
}

static void close_cell(cell *c)
{
    for (size_t i = 0; i < c->plan_count; i++) {
        trawl_plan_free(c->plans[i].plan);
        free(c->plans[i].patterns);
    }
    free(c->plans);
    free(c->rows);
    free(c->text);
}

/* ---- answers --------------------------------------------------------------------- */

static json_t *row_answer(const row *r)
{
    char checksum[24] = "";
    if (r->tally.places)
        snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->tally.sum);
    trawl_plan_info info = { .size = sizeof info, .engine = "" };
    if (r->plan->plan)
        trawl_plan_get_info(r->plan->plan, &info);
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:o, s:o, s:o, s:o*}", "agrees",
                     state_names[r->state], "note", r->note, "engine", info.engine, "length",
                     (json_int_t)r->length, "matches", (json_int_t)r->tally.count, "checksum",
                     checksum, "on_cpu", (json_int_t)r->on_cpu, "kernel", r->kernel, "transfer",
                     r->transfer, "wall", r->wall, "joules", r->joules);
}

static json_t *measure(json_t *asked, energy_meter *meter)
{
    cell c = { .meter = meter };
    const char *wrong = read_cell(asked, &c);
    json_t *answer = json_array();
    for (size_t at = 0; !wrong && at < c.count; at += BATCH_ROWS)
        measure_batch(&c, c.rows + at, c.count - at < BATCH_ROWS ? c.count - at : BATCH_ROWS);
    check_agreement(&c);
    for (size_t i = 0; i < c.count; i++)
        json_array_append_new(answer, row_answer(&c.rows[i]));
    close_cell(&c);
    if (!wrong)
        return json_pack("{s:o}", "rows", answer);
    json_decref(answer);
    return json_pack("{s:s}", "error", wrong);
}

/* Joules since some moment, or why they cannot be read. The first request opens the meter. */
static json_t *read_meter(json_t *buses, energy_meter **meter)
{
    const char *bus = json_string_value(json_array_get(buses, 0));
    if (!*meter)
        *meter = energy_open(&bus, bus ? 1 : 0);
    if (!*meter)
        return json_pack("{s:s}", "error", "out of memory for a meter");
    const energy_reading now = energy_read(*meter);
    return json_pack("{s:o, s:o, s:s, s:s}", "gpu", known(now.gpu, now.gpu_joules), "cpu",
                     known(now.cpu, now.cpu_joules), "why_gpu", energy_why(*meter, ENERGY_GPU),
                     "why_cpu", energy_why(*meter, ENERGY_CPU));
}

int main(void)
{
    energy_meter *meter = NULL;
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        json_error_t error;
        json_t *asked = json_loadb(line, (size_t)length, 0, &error), *answer,
               *buses = json_object_get(asked, "meter");
        if (!asked)
            answer = json_pack("{s:s}", "error", error.text);
        else
            answer = buses ? read_meter(buses, &meter) : measure(asked, meter);
        json_dumpf(answer, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(answer);
        json_decref(asked);
    }
    free(line);
    energy_close(meter);
    return 0;
}
