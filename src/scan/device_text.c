/* device_text.c: the public calls that scan a text in a device's memory. The backend holds it
 * (backend/held.h), and its windows are searched as in any text, without an address on the host.
 * Matches are handed on here, or stay in that memory (backend/kept.c).
 */
#include "base/options.h"
#include "scan/tally.h"
#include "scan/text.h"

static int read_device_text(const trawl_device_text *given, trawl_device_text *text,
                            trawl_error *error)
{
    const trawl_device_text none = TRAWL_DEVICE_TEXT_INIT;
    *text = none;
    if (!given)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "text is NULL");
    int status = read_options(text, sizeof none, SIZE_UP_TO(trawl_device_text, device), given,
                              "device text", error);
    if (status != TRAWL_OK)
        return status;
    if (text->reserved)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "device text: `reserved` must be 0: fill it with TRAWL_DEVICE_TEXT_INIT");
    if (!text->memory && text->length)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the text's memory is NULL");
    return TRAWL_OK;
}

/* Refuse conditions: what stands beside a match is only looked at on the host. */
static int check_borders(const trawl_plan *plan, trawl_error *error)
{
    if (!plan_head(plan)->bordered)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "what stands beside a match (^, $, \\b, TRAWL_WORDS, ...) and where it begins "
                "(trawl_conditions) is looked at on the host: "
                "scan the text from there with trawl_scan");
}

/* Refuse reports that find starts by reading backward, unless all lengths are fixed. */
static int check_report(const trawl_plan *plan, uint32_t report, trawl_error *error)
{
    const plan_pattern *patterns = plan_patterns(plan);
    for (uint32_t i = 0; report != TRAWL_REPORT_ENDS && i < plan_head(plan)->pattern_count; i++)
        if (!plan_fixed_length(&patterns[i]))
            return fail(error, TRAWL_ERROR_UNSUPPORTED, patterns[i].order,
                        "starts of patterns of variable length are found on the host: ask for "
                        "TRAWL_REPORT_ENDS, or scan the text from the host with trawl_scan");
    return TRAWL_OK;
}

static int check(const trawl_context *context, const trawl_plan *plan,
                 const trawl_device_text *given, const trawl_scan_options *options,
                 trawl_device_text *text, trawl_scan_options *read, trawl_error *error)
{
    int status = context_on_device(context, "trawl_scan", error);
    if (status == TRAWL_OK)
        status = read_device_text(given, text, error);
    if (status == TRAWL_OK)
        status = check_text(plan, options, text->length, read, error);
    if (status == TRAWL_OK)
        status = check_borders(plan, error);
    return status == TRAWL_OK ? check_report(plan, read->report, error) : status;
}

/* Read the text's description and the options, enter the context and have its backend hold the
 * text. Call context_drop() afterwards, unless this fails. */
static int enter(trawl_context *context, const trawl_plan *plan, const trawl_device_text *given,
                 const trawl_scan_options *options, trawl_device_text *text,
                 trawl_scan_options *read, trawl_error *error)
{
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = check(context, plan, given, options, text, read, error);
    return context_hold(context, status, text, error);
}

static int report(trawl_context *context, const trawl_plan *plan, size_t length,
                  const trawl_scan_options *read, trawl_match_fn fn, void *user, trawl_error *error)
{
    trawl_match batch[MATCH_BATCH];
    delivery d;
    int status = delivery_open(&d, context, plan, read, fn, user, batch, error);
    if (status == TRAWL_OK)
        status = delivery_flush(&d, text_deliver(context, &d, NULL, length, error));
    delivery_close(&d);
    return status;
}

int trawl_scan_device(trawl_context *context, const trawl_plan *plan, const trawl_device_text *text,
                      const trawl_scan_options *options, trawl_match_fn fn, void *user,
                      trawl_error *error)
{
    trawl_device_text held;
    trawl_scan_options read;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = enter(context, plan, text, options, &held, &read, error);
    if (status != TRAWL_OK)
        return status;
    status = report(context, plan, held.length, &read, fn, user, error);
    context_drop(context);
    return status;
}

/* ---- counting ----------------------------------------------------------- */

int trawl_count_device(trawl_context *context, const trawl_plan *plan,
                       const trawl_device_text *text, const trawl_scan_options *options,
                       uint64_t *count, trawl_error *error)
{
    trawl_device_text held;
    trawl_scan_options read;
    if (!count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "count is NULL");
    *count = 0;
    int status = enter(context, plan, text, options, &held, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (text_keeps(context, plan, &read))
        status = text_count(context, plan, NULL, held.length, &read, NULL, count, error);
    else
        status = report(context, plan, held.length, &read, tally_all, count, error);
    context_drop(context);
    return status;
}

int trawl_count_each_device(trawl_context *context, const trawl_plan *plan,
                            const trawl_device_text *text, const trawl_scan_options *options,
                            uint64_t *counts, trawl_error *error)
{
    trawl_device_text held;
    trawl_scan_options read;
    int status = clear_counts(plan, counts, error);
    if (status == TRAWL_OK)
        status = enter(context, plan, text, options, &held, &read, error);
    if (status != TRAWL_OK)
        return status;
    const bool keeps = text_keeps(context, plan, &read);
    if (keeps)
        status = text_count_each(context, plan, NULL, held.length, &read, counts, error);
    if (keeps && status == TRAWL_ERROR_MEMORY) /* the device's, which the other way takes less of */
        clear_counts(plan, counts, NULL);
    if (!keeps || status == TRAWL_ERROR_MEMORY)
        status = report(context, plan, held.length, &read, tally_each, counts, error);
    context_drop(context);
    return status;
}

/* ---- what is found stays there -------------------------------------------- */

/* What a call has found so far. */
typedef struct collecting {
    trawl_context *context;
    const trawl_device_result *to;
    uint64_t *counts; /* counts by pattern, if wanted; or NULL */
    uint64_t count;
    trawl_device_match *matches; /* found on the host, on their way: [used] of AT_ONCE */
    size_t used;
    uint64_t put; /* those that have arrived */
    int status;
    trawl_error *error;
} collecting;

#define AT_ONCE (size_t)65536

static int put(trawl_context *context, void *memory, size_t offset, const void *from, size_t bytes,
               trawl_error *error)
{
    return context->worker.backend->device->put(&context->worker, memory, offset, from, bytes,
                                                error);
}

static int flush(collecting *c)
{
    if (c->used && c->status == TRAWL_OK)
        c->status = put(c->context, c->to->matches,
                        c->to->matches_offset + (size_t)c->put * sizeof *c->matches, c->matches,
                        c->used * sizeof *c->matches, c->error);
    c->put += c->used;
    c->used = 0;
    return c->status;
}

static int collect(const trawl_match *matches, size_t count, void *user)
{
    collecting *c = (collecting *)user;
    for (size_t i = 0; i < count; i++) {
        const trawl_match *m = &matches[i];
        if (c->counts)
            c->counts[m->pattern]++;
        if (!c->matches || c->put + c->used == c->to->capacity)
            continue;
        c->matches[c->used++] =
            (trawl_device_match){ m->end, m->pattern,
                                  m->start == TRAWL_UNKNOWN ? 0 : (uint32_t)(m->end - m->start) };
        if (c->used == AT_ONCE && flush(c) != TRAWL_OK)
            return 1;
    }
    c->count += count;
    return 0;
}

/* Collect matches by way of the host. */
static int collect_here(collecting *c, const trawl_plan *plan, size_t length,
                        const trawl_scan_options *read)
{
    memory *m = &c->context->memory;
    if (c->to->matches)
        c->matches = memory_take_array(m, AT_ONCE, sizeof *c->matches);
    if (c->to->matches && !c->matches)
        return memory_failed(m, c->error, "matches");
    int status = report(c->context, plan, length, read, collect, c, c->error);
    if (status >= TRAWL_OK && flush(c) != TRAWL_OK)
        status = c->status;
    memory_give(m, c->matches);
    return status;
}

static int collect_there(collecting *c, const trawl_plan *plan, size_t length,
                         const trawl_scan_options *read)
{
    keeping k = { .counts = c->counts, .capacity = c->to->capacity, .base = read->base };
    const int status = text_count(c->context, plan, NULL, length, read, &k, &c->count, c->error);
    if (c->counts && plan_head(plan)->given == 1)
        c->counts[0] = c->count;
    return status;
}

/* A call that is refused has found nothing, which is written unless the struct's size is not
 * valid. */
static int read_result(trawl_device_result *given, const trawl_scan_options *options,
                       trawl_device_result *result, trawl_error *error)
{
    const trawl_device_result none = TRAWL_DEVICE_RESULT_INIT;
    *result = none;
    if (!given)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "result is NULL");
    const int status = read_options(result, sizeof none, SIZE_UP_TO(trawl_device_result, count),
                                    given, "device result", error);
    if (status != TRAWL_OK)
        return status;
    given->count = 0;
    if (!result->matches)
        result->capacity = 0;
    if (result->matches_offset % sizeof(uint64_t) || result->counts_offset % sizeof(uint64_t))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the result's offsets must be multiples of 8");
    if (result->capacity > SIZE_MAX / sizeof(trawl_device_match))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the result's capacity is too large");
    if (options && options->max_matches)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "max_matches must be 0 where the result has a capacity");
    return TRAWL_OK;
}

/* Collect all matches of a text that is held, or empty. */
static int collect_all(collecting *c, const trawl_plan *plan, const trawl_device_text *held,
                       const trawl_scan_options *read)
{
    worker *w = &c->context->worker;
    const size_t given = plan_head(plan)->given;
    int status = TRAWL_OK;
    if (c->to->counts) {
        c->counts = memory_take_zeroed(&c->context->memory, given, sizeof *c->counts);
        if (!c->counts)
            return memory_failed(&c->context->memory, c->error, "counts");
    }
    if (c->to->matches)
        status = w->backend->device->keep(w, c->to->matches, c->to->matches_offset, c->to->capacity,
                                          c->error);
    if (status == TRAWL_OK)
        status = text_keeps(c->context, plan, read) ? collect_there(c, plan, held->length, read)
                                                    : collect_here(c, plan, held->length, read);
    if (status >= TRAWL_OK && c->counts) {
        const int written = put(c->context, c->to->counts, c->to->counts_offset, c->counts,
                                given * sizeof *c->counts, c->error);
        status = written == TRAWL_OK ? status : written;
    }
    memory_give(&c->context->memory, c->counts);
    if (status == TRAWL_OK && c->to->matches && c->count > c->to->capacity)
        status = TRAWL_LIMITED;
    return status;
}

int trawl_collect_device(trawl_context *context, const trawl_plan *plan,
                         const trawl_device_text *text, const trawl_scan_options *options,
                         trawl_device_result *result, trawl_error *error)
{
    trawl_device_text held;
    trawl_device_result to;
    trawl_scan_options read;
    int status = read_result(result, options, &to, error);
    if (status != TRAWL_OK)
        return status;
    status = enter(context, plan, text, options, &held, &read, error);
    if (status != TRAWL_OK)
        return status;
    collecting c = { .context = context, .to = &to, .error = error };
    status = collect_all(&c, plan, &held, &read);
    result->count = c.count;
    context_drop(context);
    return status;
}
