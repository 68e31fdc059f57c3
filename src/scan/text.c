/* text.c: the public calls that scan one text in memory: its windows go through a text_scan. */
#include "scan/text.h"

#include <string.h>

#include "scan/tally.h"

/* ---- windows ---------------------------------------------------------- */

/* For plans with opened patterns: the first bytes, as far as a match reaches from before them, are
 * copied after an opening, and scanned. *at is the offset after them. */
static int scan_opening(text_scan *scan, budget *budget, delivery *d, const uint8_t *text,
                        size_t length, uint64_t *at, trawl_error *error)
{
    const uint64_t reach = plan_head(scan->plan)->reach;
    const size_t first = length < reach ? length : (size_t)reach;
    memory *m = &scan->context->memory;
    uint8_t *window = memory_take(m, first + 1);
    if (!window)
        return memory_failed(m, error, "%zu bytes of text", first);
    window[0] = delivery_opening(scan->plan);
    if (first)
        memcpy(window + 1, text, first);
    budget_spend(budget, first);
    d->window_begin = delivery_begins(scan->plan);
    scan->opens = true;
    const int status = text_scan_window(scan, window, 0, (uint32_t)first + 1, error);
    scan->opens = false;
    memory_give(m, window);
    *at = first;
    context_scanned(scan->context, first);
    return status;
}

static int scan_next(text_course *c, trawl_error *error)
{
    text_scan *scan = c->scan;
    const uint64_t reach = plan_head(scan->plan)->reach, left = c->length - c->at;
    const uint64_t lead = c->at < reach ? c->at : reach;
    uint64_t room = scan->window < left ? scan->window : left;
    room = room < c->budget->steps ? room : c->budget->steps;
    int status = budget_check(c->budget);
    if (status != TRAWL_OK)
        return status;
    budget_spend(c->budget, room);
    scan->window_at = c->at - lead;
    if (c->d)
        c->d->window_begin = scan->window_at;
    status = text_scan_window(scan, c->text ? c->text + scan->window_at : NULL, (uint32_t)lead,
                              (uint32_t)room, error);
    c->at += room;
    context_scanned(scan->context, room);
    return status;
}

/* Scan window by window. `d`: where matches go, or NULL when they are only counted. `text`: NULL
 * when the worker holds it. */
static int scan_all(text_scan *scan, budget *budget, delivery *d, const uint8_t *text,
                    size_t length, trawl_error *error)
{
    text_course c = { scan, budget, d, text, length, 0 };
    int status = TRAWL_OK;
    if (plan_head(scan->plan)->opened && length)
        status = scan_opening(scan, budget, d, text, length, &c.at, error);
    if (status == TRAWL_OK)
        status = text_lead(&c, error);
    if (scan->keeping)
        text_scan_begin(scan, !text);
    while (c.at < length && status == TRAWL_OK && !(d && delivery_idle(d)))
        status = scan_next(&c, error);
    return status;
}

/* Deliver what was found in a small text. */
static int deliver_small(delivery *d, const void *text, size_t length, small_matches *found,
                         trawl_error *error)
{
    d->text = (const uint8_t *)text;
    d->window_begin = delivery_begins(d->plan);
    return small_hand_on(d, length, found->records, found->scratch, (size_t)found->count, error);
}

/* Deliver matches the long way. */
static int deliver_windows(trawl_context *context, delivery *d, const void *text, size_t length,
                           trawl_error *error)
{
    text_scan scan;
    d->text = (const uint8_t *)text;
    d->known = length;
    int status = text_scan_open(&scan, context, d->plan, false, deliver, d, error);
    if (status != TRAWL_OK)
        return status;
    scan.handed = d->reports ? HANDING_REPORTS : HANDING_ENDS;
    status = scan_all(&scan, &d->out.budget, d, d->text, length, error);
    if (status == TRAWL_OK)
        status = delivery_end(d, length, error);
    text_scan_close(&scan);
    return status;
}

int text_deliver(trawl_context *context, delivery *d, const void *text, size_t length,
                 trawl_error *error)
{
    small_matches found;
    return small_find(context, d->plan, text, length, d->out.budget.steps, &found)
               ? deliver_small(d, text, length, &found, error)
               : deliver_windows(context, d, text, length, error);
}

static int check_arguments(const trawl_plan *plan, const void *text, size_t length,
                           const trawl_scan_options *options, trawl_scan_options *read,
                           trawl_error *error)
{
    if (!text && length)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "text is NULL");
    return check_text(plan, options, length, read, error);
}

/* Report matches; those of a small text are in `found`, which else is NULL. The context has been
 * entered. */
static int report(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                  const trawl_scan_options *options, small_matches *found, trawl_match_fn fn,
                  void *user, trawl_error *error)
{
    trawl_match batch[MATCH_BATCH];
    delivery d;
    int status = delivery_open(&d, context, plan, options, fn, user, batch, error);
    if (status == TRAWL_OK)
        status = delivery_flush(&d, found ? deliver_small(&d, text, length, found, error)
                                          : deliver_windows(context, &d, text, length, error));
    delivery_close(&d);
    return status;
}

/* A small text is searched before the context is entered, which only a match needs. */
int trawl_scan(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
               const trawl_scan_options *options, trawl_match_fn fn, void *user, trawl_error *error)
{
    trawl_scan_options read;
    small_matches found;
    WALK_FETCH(text); /* it may not be in a near cache */
    if (length)
        WALK_FETCH((const char *)text + length - 1);
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = check_arguments(plan, text, length, options, &read, error);
    if (status != TRAWL_OK)
        return status;
    const bool small = context && context_idle(context) &&
                       small_find(context, plan, text, length,
                                  read.max_steps ? read.max_steps : UINT64_MAX, &found);
    if (small && found.count == 0)
        return TRAWL_OK;
    status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = report(context, plan, text, length, &read, small ? &found : NULL, fn, user, error);
    context_leave(context);
    return status;
}

/* ---- counting ----------------------------------------------------------- */

int text_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
               const trawl_scan_options *read, keeping *keeping, uint64_t *count,
               trawl_error *error)
{
    text_scan scan;
    budget budget;
    budget_open(&budget, &context->state, read->max_steps, read->max_seconds);
    int status = text_scan_open(&scan, context, plan, false, NULL, NULL, error);
    if (status != TRAWL_OK)
        return status;
    scan.keeping = keeping;
    status = scan_all(&scan, &budget, NULL, (const uint8_t *)text, length, error);
    *count = scan.counted;
    text_scan_close(&scan);
    return status;
}

int trawl_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                const trawl_scan_options *options, uint64_t *count, trawl_error *error)
{
    trawl_scan_options read;
    if (!count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "count is NULL");
    *count = 0;
    int status = check_arguments(plan, text, length, options, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (read.report != TRAWL_REPORT_ENDS || read.max_matches || read.max_steps ||
        plan_head(plan)->once || plan_head(plan)->bordered || plan_has_alternatives(plan))
        return trawl_scan(context, plan, text, length, &read, tally_all, count, error);
    if (context && context_idle(context) && small_count(context, plan, text, length, count))
        return TRAWL_OK;
    if (plan_head(plan)->carries) /* such a plan may find a match twice */
        return trawl_scan(context, plan, text, length, &read, tally_all, count, error);
    status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = text_count(context, plan, text, length, &read, NULL, count, error);
    context_leave(context);
    return status;
}

int text_count_each(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                    const trawl_scan_options *read, uint64_t *counts, trawl_error *error)
{
    keeping k = { .counts = counts };
    uint64_t count = 0;
    const int status = text_count(context, plan, text, length, read, &k, &count, error);
    if (plan_head(plan)->given == 1)
        counts[0] = count;
    return status;
}

/* Count on a device, which need not hand over matches. TRAWL_ERROR_MEMORY: it has too little. */
static int count_there(trawl_context *context, const trawl_plan *plan, const void *text,
                       size_t length, const trawl_scan_options *read, uint64_t *counts,
                       trawl_error *error)
{
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = text_count_each(context, plan, text, length, read, counts, error);
    context_leave(context);
    return status;
}

int trawl_count_each(trawl_context *context, const trawl_plan *plan, const void *text,
                     size_t length, const trawl_scan_options *options, uint64_t *counts,
                     trawl_error *error)
{
    trawl_scan_options read;
    int status = clear_counts(plan, counts, error);
    if (status == TRAWL_OK)
        status = check_arguments(plan, text, length, options, &read, error);
    if (status != TRAWL_OK)
        return status;
    if (context && text_keeps(context, plan, &read)) {
        status = count_there(context, plan, text, length, &read, counts, error);
        if (status != TRAWL_ERROR_MEMORY)
            return status;
        clear_counts(plan, counts, NULL);
    }
    return trawl_scan(context, plan, text, length, options, tally_each, counts, error);
}
