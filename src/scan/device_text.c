/* device_text.c: the public call that scans a text in a device's memory. The backend holds it
 * (backend/held.h), and its windows go the way of all texts, without an address on the host.
 */
#include "base/options.h"
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

/* What stands beside a match is looked at on the host. */
static int check_borders(const trawl_plan *plan, trawl_error *error)
{
    if (!plan_head(plan)->bordered)
        return TRAWL_OK;
    return fail(
        error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
        "what stands beside a match (^, $, \\b, TRAWL_WORDS, ...) is looked at on the host: "
        "scan the text from there with trawl_scan");
}

/* The other reports find starts by reading backward, unless all lengths are fixed. */
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
    if (!context->worker.limits.on_devices)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "the context is of the CPU (%s), which reads no device's memory: open one of "
                    "the backend opencl or cuda, or scan the text from the host with trawl_scan",
                    context->worker.backend->name);
    int status = read_device_text(given, text, error);
    if (status == TRAWL_OK)
        status = check_text(plan, options, text->length, read, error);
    if (status == TRAWL_OK)
        status = check_borders(plan, error);
    return status == TRAWL_OK ? check_report(plan, read->report, error) : status;
}

int trawl_scan_device(trawl_context *context, const trawl_plan *plan, const trawl_device_text *text,
                      const trawl_scan_options *options, trawl_match_fn fn, void *user,
                      trawl_error *error)
{
    trawl_device_text held;
    trawl_scan_options read;
    trawl_match batch[MATCH_BATCH];
    delivery d;
    if (!fn)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "fn is NULL");
    int status = context_enter(context, error);
    if (status != TRAWL_OK)
        return status;
    worker *w = &context->worker;
    status = check(context, plan, text, options, &held, &read, error);
    if (status == TRAWL_OK && held.memory)
        status = w->backend->hold(w, &held, error);
    if (status == TRAWL_OK) {
        status = delivery_open(&d, context, plan, &read, fn, user, batch, error);
        if (status == TRAWL_OK)
            status = delivery_flush(&d, text_deliver(context, &d, NULL, held.length, error));
        delivery_close(&d);
        if (held.memory)
            w->backend->drop(w);
    }
    context_leave(context);
    return status;
}
