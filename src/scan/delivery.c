/* delivery.c: see delivery.h. */
#include "scan/delivery.h"

#include <string.h>

/* ---- what a call is checked for --------------------------------------- */

int check_call(const trawl_context *context, const trawl_plan *plan, trawl_error *error)
{
    if (!context || !plan)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s is NULL",
                    context ? "plan" : "context");
    if (plan_head(plan)->cell_size)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the plan is for grids: scan it with trawl_scan_grid");
    return TRAWL_OK;
}

int check_end(uint64_t base, uint64_t length, trawl_error *error)
{
    if (base < UINT64_MAX - length)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                "base + length exceeds 64 bits: take a smaller base");
}

/* ---- from records to matches ------------------------------------------ */

static int deliver_ends(delivery *d, const record *records, size_t count)
{
    const plan_pattern *patterns = plan_patterns(d->plan);
    int status = TRAWL_OK;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        uint64_t end = d->window_begin + records[i].pos;
        bool fixed = plan_fixed_length(p);
        if (fixed && p->min_length > end)
            continue; /* only a forged plan says so */
        status = match_emit(&d->out, p, fixed ? end - p->min_length : TRAWL_UNKNOWN, end);
    }
    return status;
}

int deliver(void *user, const record *records, size_t count, uint32_t upto, trawl_error *error)
{
    delivery *d = (delivery *)user;
    if (!d->reports)
        return deliver_ends(d, records, count);
    return reporter_feed(d->reports, records, count, d->window_begin, d->text, d->text_begin,
                         d->window_begin + upto, false, error);
}

int delivery_open(delivery *d, const trawl_plan *plan, const trawl_scan_options *options,
                  trawl_match_fn fn, void *user, trawl_error *error)
{
    memset(d, 0, sizeof *d);
    d->plan = plan;
    d->out.fn = fn;
    d->out.user = user;
    d->out.base = options->base;
    d->out.left = options->max_matches ? options->max_matches : UINT64_MAX;
    if (options->report == TRAWL_REPORT_ENDS)
        return TRAWL_OK;
    return reporter_open(plan, options->report, &d->out, &d->reports, error);
}

int delivery_finish(delivery *d, uint64_t upto, trawl_error *error)
{
    if (!d->reports)
        return TRAWL_OK;
    return reporter_feed(d->reports, NULL, 0, 0, d->text, d->text_begin, upto, true, error);
}
