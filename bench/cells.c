/* cells.c: bench_cells, which measures what bench/seeds and bench/engines ask it for.
 *
 * A cell is one text or grid and the rows that search it. Requests and answers are JSON, a line
 * each, on standard input and output; the first line, unasked, says what there is to measure with.
 *
 *     {"meter": [BUS], "seconds"}       open the energy meter of one GPU ([]: of all), and rest
 *     {"text": FILE, "length",          a cell; or "grid": FILE, "shape": [rows, columns, bytes]
 *      "repeats", "seconds",
 *      "plans": [{"engine", "wm_block", "extended", "patterns": [escaped or extended, ...]} or
 *                {"engine", "needle": [row, column, cells a side]}],
 *      "rows": [{"plan": NUMBER, "backend", "device", "tuning", "threads", "schedule", "chunks",
 *                "length", "scan", "count", "resident", "energy"} or {"plan", "peer"}]}
 *
 * A row is run in two ways: a scan that hands over all matches gives the time end to end
 * (unless "scan" is false), and one that only counts gives the time of the search alone (unless
 * "count" is false). A row of a device has a second context for that, with the tuning "resident":
 * one queue and large pieces, so that the times of its kernels cannot overlap and nothing is
 * read twice; they are summed up, copies are not. Grids on a CPU are not counted without places:
 * theirs is the same scan.
 *
 * All rows are warmed up once; then each repeat runs them in turn, so that a disturbance of the
 * machine hits all alike; the medians count. Many rows are cut into batches, whose contexts fit
 * together. Every run counts the matches, and scans sum up their places. The first row that saw
 * the whole text is the reference; a row that differs from it disagrees.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/energy.h"
#include "peers.h"

enum { MOST_REPEATS = 101, BATCH_ROWS = 10 };

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
    uint64_t length;
    bool scan, count;
    double energy; /* seconds of it, at least */
    /* While its batch runs. */
    struct peer *other;
    trawl_context *whole, *alone;
    double kernel[MOST_REPEATS], transfer[MOST_REPEATS], wall[MOST_REPEATS];
    uint32_t samples;
    bool over; /* no more runs: it failed, or one takes too long */
    /* What came out. */
    row_state state;
    tally tally;
    bool tallied, on_cpu, metered;
    double joules_gpu, joules_cpu, joule_seconds; /* a byte; joules negative: not readable */
    char note[256];
} row;

typedef struct cell {
    uint8_t *text;
    uint64_t length;
    trawl_grid grid; /* cells NULL: it is a text */
    uint32_t cell_size;
    uint32_t repeats;
    double seconds; /* after which it is repeated no more */
    compiled *plans;
    size_t plan_count;
    row *rows;
    size_t count;
    energy_meter *meter;
} cell;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
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
static uint64_t place_number(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    return z ^ (z >> 27);
}

static int add_match(const trawl_match *m, void *user)
{
    tally *t = user;
    t->count++;
    t->sum += place_number(m->end, m->pattern);
    return 0;
}

static int add_grid_match(const trawl_grid_match *m, void *user)
{
    tally *t = user;
    t->count++;
    t->sum += place_number(m->row ^ (m->col << 32), m->needle);
    return 0;
}

static int scan(const cell *c, const row *r, uint64_t length, tally *t, trawl_error *error)
{
    *t = (tally){ 0, 0, true };
    if (c->grid.cells)
        return trawl_scan_grid(r->whole, r->plan->plan, &c->grid, NULL, add_grid_match, t, error);
    return trawl_scan(r->whole, r->plan->plan, c->text, length, NULL, add_match, t, error);
}

/* Count only. Grids have no such call. */
static int search(const cell *c, const row *r, tally *t, trawl_error *error)
{
    trawl_context *context = r->alone ? r->alone : r->whole;
    *t = (tally){ 0, 0, c->grid.cells != NULL };
    if (r->other) {
        t->count = peer_count(r->other, c->text, r->length);
        return TRAWL_OK;
    }
    if (c->grid.cells)
        return trawl_scan_grid(context, r->plan->plan, &c->grid, NULL, add_grid_match, t, error);
    return trawl_count(context, r->plan->plan, c->text, r->length, NULL, &t->count, error);
}

static bool worked(row *r, int status, const trawl_error *error)
{
    if (status == TRAWL_OK)
        return true;
    r->state = status == TRAWL_ERROR_UNSUPPORTED ? UNSUPPORTED : FAILED;
    snprintf(r->note, sizeof r->note, "%.250s", error->message);
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
    memset(timing, 0, sizeof *timing);
    timing->size = sizeof *timing;
    if (context)
        trawl_context_get_timing(context, timing);
    const double began = seconds();
    const int status = counts ? search(c, r, &t, &error) : scan(c, r, r->length, &t, &error);
    *wall = seconds() - began;
    if (!worked(r, status, &error))
        return false;
    if (context) {
        trawl_context_get_timing(context, timing);
        const char *warning = trawl_context_warning(context);
        if (timing->on_cpu) {
            r->on_cpu = true;
            snprintf(r->note, sizeof r->note,
                     "no figures of kernels: the device had no memory, the CPU scanned %llu bytes",
                     (unsigned long long)timing->on_cpu);
        } else if (warning && !r->note[0]) {
            snprintf(r->note, sizeof r->note, "%.250s", warning);
        }
    }
    keep_tally(r, &t);
    return true;
}

/* One sample more. */
static bool run_once(const cell *c, row *r)
{
    trawl_timing whole = { 0 }, alone;
    double wall = 0, found = 0;
    if (r->scan && !timed_run(c, r, false, &wall, &whole))
        return false;
    if (r->count && r->scan && c->grid.cells && !r->alone)
        found = wall;
    else if (r->count && !timed_run(c, r, true, &found, &alone))
        return false;
    r->wall[r->samples] = r->scan ? wall : found;
    r->kernel[r->samples] = r->count && r->alone ? alone.kernel : found;
    r->transfer[r->samples] = whole.to_device + whole.from_device;
    r->samples++;
    return true;
}

/* ---- contexts ------------------------------------------------------------------- */

/* A setting that is out of range is one that is not supported. */
static trawl_context *open_context(row *r, const char *tuning)
{
    trawl_context_options options = r->options;
    trawl_context *context = NULL;
    trawl_error error;
    options.tuning = tuning && *tuning ? tuning : NULL;
    int status = trawl_context_open(&options, &context, &error);
    if (status == TRAWL_ERROR_ARGUMENT)
        status = TRAWL_ERROR_UNSUPPORTED;
    return worked(r, status, &error) ? context : NULL;
}

/* False: the row's state says why not. */
static bool open_row(row *r)
{
    if (!worked(r, r->plan->status, &r->plan->error))
        return false;
    if (r->peer) {
        r->other = peer_open(r->peer, r->plan->patterns, r->plan->count);
        if (!r->other) {
            r->state = UNSUPPORTED;
            snprintf(r->note, sizeof r->note, "%.40s does not take these patterns", r->peer);
        }
        return r->other;
    }
    r->whole = open_context(r, r->options.tuning);
    if (r->whole && r->count && r->resident)
        r->alone = open_context(r, r->resident);
    return r->whole && (r->alone || !r->count || !r->resident);
}

static void close_row(row *r)
{
    peer_close(r->other);
    trawl_context_free(r->whole);
    trawl_context_free(r->alone);
    r->other = NULL;
    r->whole = r->alone = NULL;
}

/* ---- a batch of rows ---------------------------------------------------------------- */

static bool ran(const row *r)
{
    return r->samples && r->state <= DISAGREES;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The scan again and again until the meters have moved enough. */
static void run_energy(const cell *c, row *r)
{
    const double began = seconds();
    const energy_reading before = energy_read(c->meter);
    double bytes = 0, took;
    trawl_error error;
    tally t;
    r->metered = true;
    r->joules_gpu = r->joules_cpu = -1;
    if (!before.gpu && !before.cpu)
        return;
    do {
        if (!worked(r, scan(c, r, r->length, &t, &error), &error))
            return;
        keep_tally(r, &t);
        bytes += (double)r->length;
        took = seconds() - began;
    } while (took < r->energy);
    const energy_reading used = energy_between(before, energy_read(c->meter));
    r->joules_gpu = used.gpu ? used.gpu_joules / bytes : -1;
    r->joules_cpu = used.cpu ? used.cpu_joules / bytes : -1;
    r->joule_seconds = took / bytes;
}

/* A run that takes this part of a cell's time is the last one of its row. */
static const double long_run = 0.125;

static void measure_batch(const cell *c, row *rows, size_t count)
{
    const double began = seconds();
    for (size_t i = 0; i < count; i++) {
        const double start = seconds();
        row *r = &rows[i];
        r->over = !open_row(r) || !run_once(c, r);
        /* A long run on a CPU needs no warm-up. A device's first one builds kernels. */
        if (!r->resident && seconds() - start > long_run * c->seconds)
            r->over = true;
        if (!r->over)
            r->samples = 0;
    }
    for (uint32_t repeat = 0; repeat < c->repeats; repeat++) {
        if (repeat && seconds() - began > c->seconds)
            break;
        for (size_t i = 0; i < count; i++) {
            const double start = seconds();
            if (!rows[i].over)
                rows[i].over = !run_once(c, &rows[i]) || seconds() - start > long_run * c->seconds;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].energy > 0 && ran(&rows[i]) && !rows[i].on_cpu && c->meter)
            run_energy(c, &rows[i]);
        close_row(&rows[i]);
    }
}

/* ---- agreement ------------------------------------------------------------------ */

/* What the reference finds in the text's first part. */
static bool find_part(const cell *c, row *reference, uint64_t length, tally *t, trawl_error *error)
{
    const int status =
        open_row(reference) ? scan(c, reference, length, t, error) : TRAWL_ERROR_UNSUPPORTED;
    close_row(reference);
    return status == TRAWL_OK;
}

static void compare(const cell *c, row *r, row *reference)
{
    tally t = reference->tally;
    trawl_error error = { 0 };
    if (r->length != c->length && !find_part(c, reference, r->length, &t, &error)) {
        r->state = FAILED;
        snprintf(r->note, sizeof r->note, "the run to compare with failed: %.200s", error.message);
    } else if (!same(&r->tally, &t)) {
        disagree(r, "the reference", &t);
    } else if (r->state == ALONE) {
        r->state = AGREES;
    }
    if (r->state != FAILED && reference->state == ALONE)
        reference->state = AGREES;
}

static void check_agreement(cell *c)
{
    row *reference = NULL;
    for (size_t i = 0; i < c->count && !reference; i++)
        if (ran(&c->rows[i]) && c->rows[i].length == c->length)
            reference = &c->rows[i];
    for (size_t i = 0; reference && i < c->count; i++)
        if (&c->rows[i] != reference && ran(&c->rows[i]))
            compare(c, &c->rows[i], reference);
}

/* ---- requests -------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static uint64_t whole_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static uint64_t item_of(const json_t *array, size_t number)
{
    return (uint64_t)json_integer_value(json_array_get(array, number));
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The file's first `length` bytes; NULL when it does not have so many. */
static uint8_t *read_file(const char *path, uint64_t length)
{
    FILE *in = path ? fopen(path, "rb") : NULL;
    uint8_t *bytes = in ? allocate(length, 1) : NULL;
    if (in && fread(bytes, 1, length, in) != length) {
        free(bytes);
        bytes = NULL;
    }
    if (in)
        fclose(in);
    return bytes;
}

static void compile_needle(const cell *c, const json_t *place, const trawl_compile_options *options,
                           compiled *p)
{
    const uint64_t line = item_of(place, 0), column = item_of(place, 1), side = item_of(place, 2);
    trawl_needle needle = { 0 };
    needle.cells = c->text + (line * c->grid.cols + column) * c->cell_size;
    needle.rows = needle.cols = side;
    needle.stride = (size_t)c->grid.cols * c->cell_size;
    needle.id = 1;
    p->status = TRAWL_ERROR_ARGUMENT;
    snprintf(p->error.message, sizeof p->error.message, "the needle is not inside the grid");
    if (side && line + side <= c->grid.rows && column + side <= c->grid.cols)
        p->status = trawl_compile_grid(&needle, 1, c->cell_size, options, &p->plan, &p->error);
}

static void compile_plan(const cell *c, const json_t *asked, compiled *p)
{
    const json_t *patterns = json_object_get(asked, "patterns"), *pattern;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    size_t i;
    options.engine = text_of(asked, "engine");
    options.wm_block = (uint32_t)whole_of(asked, "wm_block");
    if (c->grid.cells) {
        compile_needle(c, json_object_get(asked, "needle"), &options, p);
        return;
    }
    p->count = json_array_size(patterns);
    p->patterns = allocate(p->count, sizeof *p->patterns);
    json_array_foreach(patterns, i, pattern)
    {
        p->patterns[i].text = json_string_value(pattern);
        p->patterns[i].length = json_string_length(pattern);
        p->patterns[i].id = (uint32_t)i + 1;
        p->patterns[i].syntax = json_is_true(json_object_get(asked, "extended"))
                                    ? TRAWL_SYNTAX_EXTENDED
                                    : TRAWL_SYNTAX_ESCAPED;
    }
    p->status = trawl_compile(p->patterns, p->count, &options, &p->plan, &p->error);
}

/* False: the row names no plan of the cell. */
static bool read_row(const cell *c, const json_t *asked, row *r)
{
    const trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    const uint64_t plan = whole_of(asked, "plan");
    if (plan >= c->plan_count)
        return false;
    r->plan = &c->plans[plan];
    r->peer = text_of(asked, "peer");
    r->options = options;
    r->options.backend = text_of(asked, "backend");
    r->options.threads = (uint32_t)whole_of(asked, "threads");
    r->options.schedule = (uint32_t)whole_of(asked, "schedule");
    r->options.chunks = (uint32_t)whole_of(asked, "chunks");
    r->options.device = text_of(asked, "device");
    r->options.tuning = text_of(asked, "tuning");
    r->resident = text_of(asked, "resident");
    r->length = whole_of(asked, "length");
    if (!r->length || r->length > c->length)
        r->length = c->length;
    r->scan = !r->peer && !json_is_false(json_object_get(asked, "scan"));
    r->count = !json_is_false(json_object_get(asked, "count"));
    r->energy = number_of(asked, "energy");
    return true;
}

/* NULL, or what is wrong with the request. */
static const char *read_cell(const json_t *asked, cell *c)
{
    const char *file = text_of(asked, "grid");
    const json_t *plans = json_object_get(asked, "plans"), *rows = json_object_get(asked, "rows"),
                 *shape = json_object_get(asked, "shape");
    c->grid = (trawl_grid){ NULL, item_of(shape, 0), item_of(shape, 1), 0 };
    c->cell_size = (uint32_t)item_of(shape, 2);
    c->length = file ? c->grid.rows * c->grid.cols * c->cell_size : whole_of(asked, "length");
    c->text = read_file(file ? file : text_of(asked, "text"), c->length);
    c->grid.cells = file ? c->text : NULL;
    c->repeats = (uint32_t)whole_of(asked, "repeats");
    c->seconds = number_of(asked, "seconds");
    if (!c->text)
        return "the text or grid cannot be read, or is too short";
    if (c->repeats < 1 || c->repeats > MOST_REPEATS)
        return "repeats are 1 to 101";
    c->plan_count = json_array_size(plans);
    c->plans = allocate(c->plan_count, sizeof *c->plans);
    for (size_t i = 0; i < c->plan_count; i++)
        compile_plan(c, json_array_get(plans, i), &c->plans[i]);
    c->rows = allocate(json_array_size(rows), sizeof *c->rows);
    for (; c->count < json_array_size(rows); c->count++)
        if (!read_row(c, json_array_get(rows, c->count), &c->rows[c->count]))
            return "a row names no plan of its cell";
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

static json_t *joules_answer(double joules)
{
    return joules < 0 ? json_null() : json_real(joules);
}

static json_t *row_answer(row *r)
{
    char checksum[24];
    json_t *answer = json_pack("{s:s, s:s}", "agrees", state_names[r->state], "note", r->note);
    if (!ran(r))
        return answer;
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->tally.sum);
    json_t *figures = json_pack(
        "{s:I, s:s, s:i, s:b, s:f, s:f, s:f}", "matches", (json_int_t)r->tally.count, "checksum",
        r->tally.places ? checksum : "", "repeats", (int)r->samples, "on_cpu", (int)r->on_cpu,
        "kernel", r->on_cpu ? 0 : median(r->kernel, r->samples), "transfer",
        median(r->transfer, r->samples), "end_to_end", median(r->wall, r->samples));
    json_object_update(answer, figures);
    json_decref(figures);
    json_object_set_new(answer, "fastest", json_real(r->wall[0])); /* the median sorted them */
    json_object_set_new(answer, "slowest", json_real(r->wall[r->samples - 1]));
    if (r->metered)
        json_object_set_new(answer, "joules",
                            json_pack("{s:o, s:o, s:f}", "gpu", joules_answer(r->joules_gpu), "cpu",
                                      joules_answer(r->joules_cpu), "seconds", r->joule_seconds));
    return answer;
}

static json_t *measure(const json_t *asked, energy_meter *meter)
{
    cell c = { 0 };
    const char *wrong = read_cell(asked, &c);
    json_t *answer;
    c.meter = meter;
    if (wrong) {
        answer = json_pack("{s:s}", "error", wrong);
    } else {
        for (size_t at = 0; at < c.count; at += BATCH_ROWS)
            measure_batch(&c, c.rows + at, c.count - at < BATCH_ROWS ? c.count - at : BATCH_ROWS);
        check_agreement(&c);
        json_t *rows = json_array();
        for (size_t i = 0; i < c.count; i++)
            json_array_append_new(rows, row_answer(&c.rows[i]));
        answer = json_pack("{s:o}", "rows", rows);
    }
    close_cell(&c);
    return answer;
}

/* Watts while nothing runs, or why they cannot be read. */
static json_t *idle(const json_t *asked, energy_meter **meter)
{
    const char *bus = json_string_value(json_array_get(json_object_get(asked, "meter"), 0));
    const double rest = number_of(asked, "seconds");
    const struct timespec pause = { (time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest)) };
    energy_close(*meter);
    *meter = energy_open(&bus, bus ? 1 : 0);
    if (!*meter)
        return json_pack("{s:s}", "error", "out of memory for a meter");
    const double began = seconds();
    const energy_reading before = energy_read(*meter);
    if (before.gpu || before.cpu)
        nanosleep(&pause, NULL);
    const energy_reading used = energy_between(before, energy_read(*meter));
    const double took = seconds() - began;
    return json_pack("{s:o, s:o, s:s, s:s}", "gpu",
                     joules_answer(used.gpu ? used.gpu_joules / took : -1), "cpu",
                     joules_answer(used.cpu ? used.cpu_joules / took : -1), "why_gpu",
                     energy_why(*meter, ENERGY_GPU), "why_cpu", energy_why(*meter, ENERGY_CPU));
}

/* Its devices, or how many threads it has; why it cannot be used, when it cannot. */
static json_t *backend_answer(const char *name)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error = { 0 };
    char why[256] = "";
    json_t *devices = json_array();
    const bool cpu = strcmp(name, "serial") == 0 || strcmp(name, "threads") == 0;
    const size_t count = cpu ? 0 : trawl_device_count(name, why);
    for (size_t i = 0; i < count; i++) {
        trawl_device_info info = { .size = sizeof info };
        if (trawl_device_get_info(name, i, &info, &error) == TRAWL_OK)
            json_array_append_new(
                devices, json_pack("{s:s, s:s, s:s, s:I, s:i, s:b}", "name", info.name, "driver",
                                   info.driver, "bus", info.bus, "memory", (json_int_t)info.memory,
                                   "units", (int)info.units, "cpu", (int)info.cpu));
    }
    options.backend = name;
    if (cpu && trawl_context_open(&options, &context, &error) != TRAWL_OK)
        memcpy(why, error.message, sizeof why);
    json_t *answer =
        json_pack("{s:s, s:b, s:o, s:i, s:s}", "name", name, "cpu", (int)cpu, "devices", devices,
                  "threads", context ? (int)trawl_context_threads(context) : 0, "why", why);
    trawl_context_free(context);
    return answer;
}

static json_t *facts(void)
{
    json_t *backends = json_array(), *peers = json_array();
    for (size_t i = 0; i < trawl_backend_count(); i++)
        json_array_append_new(backends, backend_answer(trawl_backend_name(i)));
    for (size_t i = 0; peer_name(i); i++)
        json_array_append_new(peers, json_string(peer_name(i)));
    return json_pack("{s:s, s:o, s:o}", "version", trawl_version(), "backends", backends, "peers",
                     peers);
}

static void print(json_t *answer)
{
    json_dumpf(answer, stdout, JSON_COMPACT);
    json_decref(answer);
    putchar('\n');
    fflush(stdout);
}

int main(void)
{
    energy_meter *meter = NULL;
    char *line = NULL;
    size_t room = 0;
    json_error_t error;
    print(facts());
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        json_t *asked = json_loadb(line, (size_t)length, 0, &error);
        if (!asked)
            print(json_pack("{s:s}", "error", error.text));
        else
            print(json_object_get(asked, "meter") ? idle(asked, &meter) : measure(asked, meter));
        json_decref(asked);
    }
    free(line);
    energy_close(meter);
    return 0;
}
