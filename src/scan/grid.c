/* grid.c: the driver for grids: rows into bands, records into ordered matches.
 *
 * Idea: a round takes the next rows of the text, cuts them into bands, has the backend scan
 * them and hands on what was found, band by band. A band owns the matches whose top row is
 * in it; the walk reads as many rows below as the tallest needle needs. So a round sees its rows
 * and that overlap as one window, in which a cell's number fits 32 bits.
 *
 * Invariant: all matches with their top row above `at` have been handed on, in order.
 *
 * Memory is bounded: the bands of a round share one buffer. A band that finds more than its share
 * loses nothing, since it counts: its rows are scanned again in separate rounds, as high as should
 * fit by that count. Only a single row may need more.
 */
#include <string.h>

#include "scan/grid.h"
#include "scan/scan.h"
#include "scan/tally.h"

#define ROUND_CELLS (256u << 20) /* cells that a thread scans before matches are handed on */
#define FIRST_CELLS (16u << 20)  /* the same of the first round */
#define BANDS_A_THREAD 8u
#define ATTEMPT_CELLS (16u << 20) /* a band of a plan with fallbacks: an attempt ends with it */
#define OVERLAP_SHARE 50u         /* how many times as high a band is as what it reads twice */

typedef struct grid_scan {
    trawl_context *context;
    worker *worker; /* the context's, or its spare one */
    const trawl_plan *plan;
    trawl_grid text;
    bool held; /* by the worker: it has no address here */
    stage_choice stages;
    uint64_t overlap;    /* rows of the tallest needle, less 1 */
    uint64_t tops;       /* rows in which a needle may begin */
    uint64_t round_rows; /* the most rows a round takes */
    uint64_t height;     /* rows of the first round */
    uint64_t expected;   /* matches of the next round, judged by the last one */
    uint64_t left;       /* matches still allowed; UINT64_MAX: no limit */
    budget budget;
    trawl_grid_match_fn fn; /* NULL: count only */
    void *user;
    uint64_t counted;
    trawl_grid_match *batch; /* MATCH_BATCH of them */
    uint32_t batched;
} grid_scan;

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- arguments ------------------------------------------------------------- */

static int check_grid(const trawl_plan *plan, const trawl_grid *text, uint64_t stride, bool held,
                      trawl_error *error)
{
    const uint32_t cell_size = plan_head(plan)->cell_size;
    if (cell_size == 0)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the plan was compiled for text: use trawl_compile_grid");
    if (text->rows == 0 || text->cols == 0)
        return TRAWL_OK;
    if (!held && !text->cells)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the grid's cells are NULL");
    if (text->cols > UINT32_MAX)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "the grid has 2^32 columns or more: cut it into narrower ones");
    if (stride < text->cols * cell_size)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the grid's stride of %llu bytes is shorter than its row",
                    (unsigned long long)stride);
    if (stride > PTRDIFF_MAX / text->rows)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the grid's stride of %llu bytes times its rows is larger than memory",
                    (unsigned long long)stride);
    if (!held && !cells_aligned(text->cells, stride, cell_size))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the grid's cells or stride are not aligned to cells of %u bytes",
                    (unsigned)cell_size);
    return TRAWL_OK;
}

/* ---- rounds ---------------------------------------------------------------- */

/* Set the most rows that a round takes: positions fit 32 bits, and the first round ends soon. */
static int plan_rounds(grid_scan *scan, trawl_error *error)
{
    const plan_header *head = plan_head(scan->plan);
    const uint64_t rows = scan->text.rows, cols = scan->text.cols;
    const uint64_t window_rows = UINT32_MAX / cols;
    if (head->min_length > rows) {
        scan->tops = 0;
        return TRAWL_OK;
    }
    scan->tops = rows - head->min_length + 1;
    scan->overlap = smaller(head->max_length, rows) - 1;
    if (scan->overlap >= window_rows)
        return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                    "%llu rows of the grid, as many as the tallest needle has, have 2^32 cells or "
                    "more: cut the grid into narrower ones",
                    (unsigned long long)scan->overlap + 1);
    uint64_t soon = (uint64_t)ROUND_CELLS * scan->worker->threads / cols;
    scan->round_rows = larger(soon, 4 * (scan->overlap + 1) * scan->worker->threads);
    scan->round_rows = smaller(scan->round_rows, window_rows - scan->overlap);
    scan->height = larger(FIRST_CELLS / cols * scan->worker->threads, 4 * (scan->overlap + 1));
    if (on_devices(scan->worker) || scan->height > scan->round_rows)
        scan->height = scan->round_rows;
    return TRAWL_OK;
}

/* How many bands `rows` are cut into. */
static uint32_t count_bands(const grid_scan *scan, uint64_t rows)
{
    const trawl_context_options *options = &scan->worker->options;
    const uint64_t threads = scan->worker->threads;
    const uint64_t least = OVERLAP_SHARE * (scan->overlap + 1); /* rows */
    const backend_limits *limits = &scan->worker->limits;
    const uint64_t slice = scan->held ? limits->held_bytes : limits->slice_bytes;
    uint64_t bands = threads;
    if (slice)
        bands = rows / larger(4 * scan->overlap + 1, slice / scan->text.stride + 1) + 1;
    else if (options->chunks != 0)
        bands = options->chunks;
    else if (rows * scan->text.cols < MIN_SHARED)
        bands = 1;
    else if (options->schedule == TRAWL_SCHEDULE_DYNAMIC && threads > 1)
        bands = larger(threads, smaller(threads * BANDS_A_THREAD, rows / least));
    else if (threads == 1 && stages_may_give_up(scan->plan))
        bands = rows / larger(least, ATTEMPT_CELLS / scan->text.cols + 1) + 1;
    return (uint32_t)smaller(smaller(bands, SCAN_SLICES), rows);
}

/* How many records the bands of a round have room for together: more if there were more before. */
static size_t round_records(const grid_scan *scan, uint32_t bands)
{
    const uint64_t each = scan->held ? 65536 : 1024, wanted = each * bands + 4 * scan->expected;
    return (size_t)smaller(larger(wanted, 4096), SCAN_RECORDS);
}

/* Have `bands` slices scanned, whose rows count from row `at` of the text. If a device has too
 * little memory, the CPU scans them. */
static int run_bands(grid_scan *scan, uint64_t at, slice *slices, uint32_t bands,
                     trawl_error *error)
{
    const uint64_t rows = slices[bands - 1].end + scan->overlap;
    trawl_error why = { 0 };
    grid_job job;
    job.window_at = at * scan->text.stride;
    job.plan = scan->plan;
    job.isa = scan->context->worker.target.isa;
    job.window = scan->held ? NULL : (const u8 *)scan->text.cells + job.window_at;
    job.rows = (uint32_t)smaller(rows, scan->text.rows - at);
    job.cols = (uint32_t)scan->text.cols;
    job.stride = scan->text.stride;
    job.slices = slices;
    job.count = bands;
    job.allowance = scan->worker->limits.allowance;
    job.memory = &scan->context->memory;
    memcpy(job.fallback, scan->stages.fallback, sizeof job.fallback);
    int status = scan->worker->backend->run_grid(scan->worker, &job, &why);
    if (status == TRAWL_ERROR_MEMORY && scan->held) {
        context_no_spare("a grid", &why);
    } else if (status == TRAWL_ERROR_MEMORY && on_devices(scan->worker)) {
        worker *spare =
            context_spare(scan->context, slices[bands - 1].end * scan->text.stride, &why);
        if (spare) {
            job.allowance = spare->limits.allowance;
            status = spare->backend->run_grid(spare, &job, &why);
        }
    }
    if (status == TRAWL_OK)
        stages_note(&scan->stages, scan->plan, slices, bands, scan->text.stride);
    else if (error)
        *error = why;
    return status;
}

/* Hand on what is in the batch. Returns as match_flush does. */
static int flush(grid_scan *scan)
{
    const uint32_t count = scan->batched;
    scan->batched = 0;
    if (count && scan->fn(scan->batch, count, scan->user) != 0)
        return TRAWL_STOPPED;
    return batch_taken(&scan->budget, count, scan->left);
}

/* Hand on the matches of a band that had room for all; its rows count from row `at`. */
static int emit_band(grid_scan *scan, uint64_t at, const slice *band, record *scratch)
{
    const plan_pattern *needles = plan_patterns(scan->plan);
    const uint32_t cols = (uint32_t)scan->text.cols;
    int status = TRAWL_OK;
    records_sort(band->records, (size_t)band->count, scratch);
    for (uint64_t i = 0; i < band->count && status == TRAWL_OK; i++) {
        const record *found = &band->records[i];
        const plan_pattern *p = &needles[found->index];
        scan->batch[scan->batched++] =
            (trawl_grid_match){ at + found->pos / cols, found->pos % cols, p->id, p->order };
        scan->left -= scan->left != UINT64_MAX;
        if (scan->batched == MATCH_BATCH || scan->left == 0)
            status = flush(scan);
    }
    return status;
}

static int scan_rows(grid_scan *scan, scan_room *room, uint64_t top, uint64_t stop, uint64_t height,
                     trawl_error *error);

/* Scan rows [top, stop), known to hold about `count` matches, in rounds that should fill half of a
 * nested room; a single row gets the room that it needs. */
static int scan_again(grid_scan *scan, uint64_t top, uint64_t stop, uint64_t count,
                      trawl_error *error)
{
    scan_room room;
    const size_t records = stop - top == 1 ? (size_t)count : nested_records(count);
    const uint64_t height = (stop - top - 1) / (2 * count / NESTED_RECORDS + 2) + 1;
    scan_room_open(&room, &scan->context->memory);
    int status = scan_room_fit(&room, NESTED_SLICES, records, false, error);
    if (status == TRAWL_OK)
        status = scan_rows(scan, &room, top, stop, height, error);
    scan_room_close(&room);
    return status;
}

/* Run one round: rows [top, top + height), whose matches are counted in *found. */
static int run_round(grid_scan *scan, scan_room *room, uint64_t top, uint64_t height,
                     uint64_t *found, trawl_error *error)
{
    const bool again = room != &scan->context->room; /* what did not fit */
    const uint32_t most = again ? room->slice_count : SCAN_SLICES;
    const uint32_t bands = (uint32_t)smaller(count_bands(scan, height), most);
    const size_t records = !scan->fn ? 0 : again ? room->record_count : round_records(scan, bands);
    *found = 0;
    int status = scan_room_fit(room, bands, records, false, error);
    if (status != TRAWL_OK)
        return status;
    slice *slices = room->slices;
    memset(slices, 0, bands * sizeof *slices);
    for (uint32_t i = 0; i < bands; i++) {
        slices[i].begin = (uint32_t)(height * i / bands);
        slices[i].end = (uint32_t)(height * (i + 1) / bands);
        slices[i].capacity = records / bands;
        slices[i].records = records ? room->records + i * slices[i].capacity : NULL;
    }
    status = run_bands(scan, top, slices, bands, error);
    for (uint32_t i = 0; i < bands && status == TRAWL_OK; i++) {
        const slice *band = &slices[i];
        *found += band->count;
        if (!scan->fn)
            scan->counted += band->count;
        else if (band->count <= band->capacity)
            status = emit_band(scan, top, band, (record *)room->scratch);
        else
            status = scan_again(scan, top + band->begin, top + band->end, band->count, error);
    }
    return status;
}

/* How many rows the next round has, after a round of `rows` rows, by what it found and how long it
 * took: its matches should fill half the room, and a call can end only between rounds. But each
 * round reads the rows again that tops above it have read. */
static uint64_t next_height(const grid_scan *scan, uint64_t rows, uint64_t found, uint64_t took,
                            uint64_t room)
{
    uint64_t height = larger(scan->height, smaller(4 * rows, scan->round_rows));
    if (took > WINDOW_NANOSECONDS / 4) {
        const double in_time = (double)rows * WINDOW_NANOSECONDS / (double)took;
        height = smaller(height, larger((uint64_t)in_time, 8 * (scan->overlap + 1)));
    }
    if (scan->fn && found > 0)
        height = smaller(height, room / 2 * rows / found);
    return larger(1, smaller(height, scan->round_rows));
}

/* Scan rows [top, stop) in rounds, the first of `height` rows. */
static int scan_rows(grid_scan *scan, scan_room *room, uint64_t top, uint64_t stop, uint64_t height,
                     trawl_error *error)
{
    const bool again = room != &scan->context->room;
    int status = TRAWL_OK;
    while (status == TRAWL_OK && top < stop) {
        const uint64_t began = clock_now();
        uint64_t rows = smaller(height, stop - top), found;
        status = again ? budget_interrupted(&scan->budget) : budget_check(&scan->budget);
        if (status != TRAWL_OK)
            break;
        if (!again) {
            rows = smaller(rows, larger(1, scan->budget.steps / scan->text.cols));
            budget_spend(&scan->budget, rows * scan->text.cols);
        }
        status = run_round(scan, room, top, rows, &found, error);
        top += rows;
        if (!again) {
            scan->expected = smaller(found, SCAN_RECORDS);
            context_scanned(scan->context, rows * scan->text.cols);
        }
        height = next_height(scan, rows, found, clock_now() - began,
                             again ? room->record_count : SCAN_RECORDS);
    }
    return status;
}

int grid_request_read(const trawl_plan *plan, const trawl_grid *text, bool held,
                      const trawl_scan_options *options, grid_request *r, trawl_error *error)
{
    if (!plan || !text)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL", plan ? "text" : "plan");
    *r = (grid_request){ .plan = plan, .text = *text, .held = held };
    int status = read_scan_options(options, &r->options, error);
    if (status == TRAWL_OK && (r->options.report != TRAWL_REPORT_ENDS || r->options.base != 0))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "a grid's scan takes max_matches, max_steps and max_seconds only: leave "
                    "report and base 0");
    const uint64_t stride = text->stride ? text->stride : text->cols * plan_head(plan)->cell_size;
    if (status == TRAWL_OK)
        status = check_grid(plan, text, stride, held, error);
    r->text.stride = (size_t)stride;
    return status;
}

int grid_deliver(trawl_context *context, const grid_request *r, trawl_grid_match_fn fn, void *user,
                 uint64_t *count, trawl_error *error)
{
    trawl_grid_match batch[MATCH_BATCH];
    const trawl_scan_options *options = &r->options;
    grid_scan scan = { .context = context,
                       .worker = &context->worker,
                       .plan = r->plan,
                       .text = r->text,
                       .held = r->held,
                       .left = options->max_matches ? options->max_matches : UINT64_MAX,
                       .fn = fn,
                       .user = user,
                       .batch = batch };
    *count = 0;
    if (grid_request_empty(r))
        return TRAWL_OK;
    budget_open(&scan.budget, &context->state, options->max_steps, options->max_seconds);
    int status = plan_rounds(&scan, error);
    if (status == TRAWL_OK)
        status = scan_rows(&scan, &context->room, 0, scan.tops, scan.height, error);
    *count = scan.counted;
    return batch_last(status, scan.batched ? flush(&scan) : TRAWL_OK);
}

int grid_count(trawl_context *context, const grid_request *r, uint64_t *count, trawl_error *error)
{
    uint64_t none;
    if (r->options.max_matches || r->options.max_steps) /* these count matches one by one */
        return grid_deliver(context, r, tally_all_grid, count, &none, error);
    return grid_deliver(context, r, NULL, NULL, count, error);
}

int trawl_scan_grid(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                    const trawl_scan_options *options, trawl_grid_match_fn fn, void *user,
                    trawl_error *error)
{
    uint64_t count;
    grid_request request;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = grid_request_read(plan, text, false, options, &request, error);
    if (status == TRAWL_OK)
        status = grid_deliver(context, &request, fn, user, &count, error);
    context_leave(context);
    return status;
}

int trawl_count_grid(trawl_context *context, const trawl_plan *plan, const trawl_grid *text,
                     const trawl_scan_options *options, uint64_t *count, trawl_error *error)
{
    grid_request request;
    if (!count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "count is NULL");
    *count = 0;
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = grid_request_read(plan, text, false, options, &request, error);
    if (status == TRAWL_OK)
        status = grid_count(context, &request, count, error);
    context_leave(context);
    return status;
}
