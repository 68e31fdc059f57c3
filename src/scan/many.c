/* many.c: many small texts in one call, each by itself. */
#include "scan/text.h"

#define CHECK_EVERY 64u /* texts: whether the call must end */

static int check_many(const trawl_text *texts, size_t count, uint64_t base, trawl_error *error)
{
    if (!texts && count)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "texts is NULL");
    for (size_t i = 0; i < count; i++) {
        if (!texts[i].bytes && texts[i].length)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "text %zu is NULL", i);
        int status = check_end(base, texts[i].length, error);
        if (status != TRAWL_OK)
            return status;
    }
    return TRAWL_OK;
}

static int scan_each(trawl_context *context, delivery *d, const trawl_text *texts, size_t count,
                     trawl_error *error)
{
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        if (i % CHECK_EVERY == 0)
            status = budget_check(&d->out.budget);
        if (status == TRAWL_OK)
            status = delivery_next(d, i, error);
        if (status == TRAWL_OK)
            status = text_deliver(context, d, texts[i].bytes, texts[i].length, error);
    }
    return status;
}

int trawl_scan_many(trawl_context *context, const trawl_plan *plan, const trawl_text *texts,
                    size_t count, const trawl_scan_options *options, trawl_match_fn fn, void *user,
                    trawl_error *error)
{
    trawl_scan_options read;
    trawl_match batch[MATCH_BATCH];
    delivery d;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    status = check_text(plan, options, 0, &read, error);
    if (status == TRAWL_OK)
        status = check_many(texts, count, read.base, error);
    if (status == TRAWL_OK) {
        status = delivery_open(&d, context, plan, &read, fn, user, batch, error);
        if (status == TRAWL_OK)
            status = delivery_flush(&d, scan_each(context, &d, texts, count, error));
        delivery_close(&d);
    }
    context_leave(context);
    return status;
}
