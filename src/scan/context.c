/* context.c: a context binds a backend, its options and scratch memory. */
#include <stdlib.h>
#include <string.h>

#include "scan/scan.h"

static int choose_backend(trawl_context *context, trawl_error *error)
{
    trawl_context_options *o = &context->options;
    const char *wanted = o->backend ? o->backend : "auto";
    if (strcmp(wanted, "auto") == 0) {
        trawl_error ignored;
        context->backend = o->threads == 1 ? &backend_serial : &backend_threads;
        context->threads = context->backend->threads(o, &ignored);
        if (context->threads > 1)
            return TRAWL_OK;
        if (o->threads <= 1)
            context->backend = &backend_serial;
    } else {
        context->backend = backend_by_name(wanted);
        if (!context->backend)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "there is no backend '%.40s': see `trawl devices` for the names", wanted);
    }
    context->threads = context->backend->threads(o, error);
    if (context->threads)
        return TRAWL_OK;
    return error ? error->code : TRAWL_ERROR_ARGUMENT;
}

int trawl_context_open(const trawl_context_options *options, trawl_context **context,
                       trawl_error *error)
{
    const trawl_context_options defaults = TRAWL_CONTEXT_OPTIONS_INIT;
    if (!context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "context is NULL");
    *context = NULL;
    trawl_context *made = calloc(1, sizeof *made);
    if (!made)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a context");
    made->options = defaults;
    int status = read_options(&made->options, sizeof defaults, options, "context options", error);
    if (status == TRAWL_OK && made->options.schedule > TRAWL_SCHEDULE_STATIC)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no schedule %u",
                      made->options.schedule);
    if (status == TRAWL_OK)
        status = choose_backend(made, error);
    if (status == TRAWL_OK) {
        status = scan_room_open(&made->room, SCAN_SLICES, SCAN_RECORDS, error);
        made->scratch = malloc(SCAN_RECORDS * sizeof *made->scratch);
        if (status == TRAWL_OK && !made->scratch)
            status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a context");
    }
    if (status != TRAWL_OK) {
        trawl_context_free(made);
        return status;
    }
    made->options.backend = made->backend->name;
    *context = made;
    return TRAWL_OK;
}

int scan_room_open(scan_room *room, uint32_t slices, uint32_t records, trawl_error *error)
{
    memset(room, 0, sizeof *room);
    room->slices = calloc(slices, sizeof *room->slices);
    room->records = malloc(records * sizeof *room->records);
    room->slice_count = slices;
    room->record_count = records;
    return room->slices && room->records ? TRAWL_OK
                                         : fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                                                "out of memory for %u records", records);
}

void scan_room_close(scan_room *room)
{
    free(room->slices);
    free(room->records);
    free(room->states);
    memset(room, 0, sizeof *room);
}

void trawl_context_free(trawl_context *context)
{
    if (!context)
        return;
    scan_room_close(&context->room);
    free(context->scratch);
    free(context);
}

const char *trawl_context_backend(const trawl_context *context)
{
    return context ? context->backend->name : "";
}

uint32_t trawl_context_threads(const trawl_context *context)
{
    return context ? context->threads : 0;
}

int read_scan_options(const trawl_scan_options *given, trawl_scan_options *options,
                      trawl_error *error)
{
    const trawl_scan_options defaults = TRAWL_SCAN_OPTIONS_INIT;
    *options = defaults;
    int status = read_options(options, sizeof defaults, given, "scan options", error);
    if (status != TRAWL_OK)
        return status;
    if (options->report > TRAWL_REPORT_LEFTMOST_FIRST)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no report mode %u",
                    options->report);
    return TRAWL_OK;
}

const char *trawl_error_text(int status)
{
    switch (status) {
    case TRAWL_OK:
        return "success";
    case TRAWL_STOPPED:
        return "stopped by the callback";
    case TRAWL_LIMITED:
        return "the limit of matches was reached";
    case TRAWL_ERROR_ARGUMENT:
        return "bad argument";
    case TRAWL_ERROR_MEMORY:
        return "out of memory";
    case TRAWL_ERROR_PATTERN:
        return "malformed pattern";
    case TRAWL_ERROR_UNSUPPORTED:
        return "not supported";
    case TRAWL_ERROR_PLAN:
        return "damaged plan";
    case TRAWL_ERROR_LIMIT:
        return "too large";
    default:
        return "unknown status";
    }
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *trawl_version(void)
{
    return VERSION_TEXT(TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR, TRAWL_VERSION_PATCH);
}
