/* delivery.c: see delivery.h. */
#include "scan/delivery.h"

#include <string.h>

/* ---- what a call is checked for --------------------------------------- */

int no_text_plan(const trawl_plan *plan, trawl_error *error)
{
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s",
                plan ? "the plan is for grids: scan it with trawl_scan_grid" : "plan is NULL");
}

int no_such_end(trawl_error *error)
{
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "base + length exceeds 64 bits: take a smaller base");
}

/* ---- from records to matches ------------------------------------------ */

#define SOON 16u /* how many matches ahead patterns are fetched: many do not fit the near caches */

/* Whether a match of the pattern may end there; else the plan is forged. */
static inline bool has_room(const plan_pattern *p, uint64_t end)
{
    return !plan_fixed_length(p) || p->min_length <= end;
}

static inline uint64_t start_of(const plan_pattern *p, uint64_t end)
{
    return plan_fixed_length(p) ? end - p->min_length : TRAWL_UNKNOWN;
}

/* Put `count` of `there` records there, and return where the next one goes. What the loop needs is
 * read before it, since the compiler cannot know that no match overwrites it. */
static trawl_match *put_matches(const delivery *d, const record *records, size_t count,
                                size_t there, uint64_t window_begin, trawl_match *to)
{
    const plan_pattern *patterns = plan_patterns(d->plan);
    const uint64_t base = d->out.base, number = d->out.record;
    for (size_t i = 0; i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        const plan_pattern *soon = &patterns[records[i + SOON < there ? i + SOON : i].index];
        const uint64_t end = window_begin + records[i].pos;
        WALK_FETCH(&soon->id);
        WALK_FETCH(&soon->max_length);
        if (PORT_LIKELY(has_room(p, end))) {
            const uint64_t start = start_of(p, end);
            *to++ = (trawl_match){ start == TRAWL_UNKNOWN ? start : start + base, end + base, p->id,
                                   p->order, number };
        }
    }
    return to;
}

static int deliver_ends(delivery *d, const record *records, size_t count)
{
    match_out *out = &d->out;
    int status = TRAWL_OK;
    size_t i = 0;
    while (i < count && status == TRAWL_OK) {
        if (out->reported || out->left < MATCH_BATCH) {
            const plan_pattern *p = &plan_patterns(d->plan)[records[i].index];
            const uint64_t end = d->window_begin + records[i++].pos;
            if (has_room(p, end))
                status = match_emit(out, p, start_of(p, end), end);
            continue;
        }
        /* If none is left out: as many as the batch has room for. */
        const size_t room = MATCH_BATCH - out->count, some = count - i < room ? count - i : room;
        const trawl_match *to =
            put_matches(d, records + i, some, count - i, d->window_begin, out->batch + out->count);
        i += some;
        if (out->left != UINT64_MAX)
            out->left -= (size_t)(to - out->batch) - out->count;
        out->count = (size_t)(to - out->batch);
        if (out->count == MATCH_BATCH)
            status = match_flush(out);
    }
    return status;
}

size_t make_matches(const void *user, const record *records, size_t count, uint64_t window_begin,
                    trawl_match *to)
{
    return (size_t)(put_matches(user, records, count, count, window_begin, to) - to);
}

int take_matches(void *user, const trawl_match *matches, size_t count)
{
    match_out *out = &((delivery *)user)->out;
    int status = out->count ? match_flush(out) : TRAWL_OK;
    for (size_t i = 0; i < count && status == TRAWL_OK; i += MATCH_BATCH) {
        const size_t some = count - i < MATCH_BATCH ? count - i : MATCH_BATCH;
        status = out->fn(matches + i, some, out->user) != 0
                     ? TRAWL_STOPPED
                     : batch_taken(&out->budget, (uint32_t)some, out->left);
    }
    return status;
}

int deliver(void *user, record *records, size_t count, uint32_t upto, trawl_error *error)
{
    delivery *d = (delivery *)user;
    const text_view text = delivery_view(d);
    if (plan_head(d->plan)->bordered)
        count = sieve_records(d->plan, records, count, d->window_begin, text);
    if (d->last)
        count = sieve_alternatives(d->plan, records, count, d->window_begin, !d->reports, d->texts,
                                   d->last);
    if (!d->reports)
        return deliver_ends(d, records, count);
    count = records_distinct(records, count); /* only a forged plan has a record twice here */
    return reporter_feed(d->reports, records, count, d->window_begin, text, d->window_begin + upto,
                         false, error);
}

/* ---- from begin to end -------------------------------------------------- */

static size_t once_words(const trawl_plan *plan)
{
    return plan_head(plan)->once ? plan_head(plan)->given / 64 + (size_t)1 : 0;
}

size_t delivery_once_bytes(const delivery *d)
{
    return once_words(d->plan) * sizeof *d->out.reported;
}

void delivery_set_reported(delivery *d, const void *bits)
{
    const plan_header *head = plan_head(d->plan);
    memcpy(d->out.reported, bits, delivery_once_bytes(d));
    if (head->once != head->pattern_count)
        return;
    d->out.open = 0;
    for (uint32_t i = 0; i < head->given; i++)
        d->out.open += !(d->out.reported[i / 64] >> (i % 64) & 1);
}

static bool wants_reporter(const delivery *d)
{
    return d->report != TRAWL_REPORT_ENDS || d->plan->doubtful;
}

int delivery_begin(delivery *d, trawl_error *error)
{
    const plan_header *head = plan_head(d->plan);
    if (d->out.reported) {
        memset(d->out.reported, 0, once_words(d->plan) * sizeof *d->out.reported);
        d->out.open = head->once == head->pattern_count ? head->given : UINT64_MAX;
    }
    if (!wants_reporter(d))
        return TRAWL_OK;
    if (!d->reports)
        return reporter_open(d->plan, d->report, &d->out, d->memory, &d->reports, error);
    reporter_restart(d->reports);
    return TRAWL_OK;
}

int delivery_open(delivery *d, trawl_context *context, const trawl_plan *plan,
                  const trawl_scan_options *options, trawl_match_fn fn, void *user,
                  trawl_match *batch, trawl_error *error)
{
    *d = (delivery){ .plan = plan,
                     .memory = &context->memory,
                     .report = options->report,
                     .out = { .fn = fn,
                              .user = user,
                              .base = options->base,
                              .left = options->max_matches ? options->max_matches : UINT64_MAX,
                              .batch = batch,
                              .open = UINT64_MAX } };
    budget_open(&d->out.budget, &context->state, options->max_steps, options->max_seconds);
    if (plan_head(plan)->once) {
        d->out.reported = memory_take_array(d->memory, once_words(plan), sizeof(uint64_t));
        if (!d->out.reported)
            return memory_failed(d->memory, error, "the patterns that are reported once");
    }
    if (plan_has_alternatives(plan)) {
        d->last = memory_take_zeroed(d->memory, plan_head(plan)->given, sizeof *d->last);
        if (!d->last)
            return memory_failed(d->memory, error, "patterns with alternatives");
    }
    return d->out.reported || wants_reporter(d) ? delivery_begin(d, error) : TRAWL_OK;
}

void delivery_release(delivery *d)
{
    reporter_free(d->reports);
    memory_give(d->memory, d->out.reported);
    memory_give(d->memory, d->last);
    d->reports = NULL;
    d->out.reported = NULL;
    d->last = NULL;
}
