/* context.c: a context binds a backend, its options and scratch memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "scan/scan.h"

static int open_backend(worker *w, trawl_error *error)
{
    w->limits = w->backend->limits;
    return w->backend->open(w, error);
}

/* auto: all cores, or serial where that is one thread or OpenMP is missing. */
static int open_auto(worker *w, trawl_error *error)
{
    trawl_error ignored;
    w->backend = w->options.threads == 1 ? &backend_serial : &backend_threads;
    if (open_backend(w, &ignored) == TRAWL_OK && w->threads > 1)
        return TRAWL_OK;
    if (w->options.threads <= 1)
        w->backend = &backend_serial;
    return open_backend(w, error);
}

static int open_worker(worker *w, trawl_error *error)
{
    const char *wanted = w->options.backend ? w->options.backend : "auto";
    const bool automatic = strcmp(wanted, "auto") == 0;
    if (!automatic)
        w->backend = backend_by_name(wanted);
    if (!automatic && !w->backend)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "there is no backend '%.40s': see `trawl devices` for the names", wanted);
    if ((automatic || !w->backend->limits.on_devices) && (w->options.device || w->options.tuning))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "device and tuning are for the backends opencl and cuda, not '%.40s'", wanted);
    return automatic ? open_auto(w, error) : open_backend(w, error);
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
    trawl_context_options *read = &made->worker.options;
    *read = defaults;
    int status = read_options(read, sizeof defaults, options, "context options", error);
    if (status == TRAWL_OK && read->schedule > TRAWL_SCHEDULE_STATIC)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no schedule %u",
                      read->schedule);
    if (status == TRAWL_OK)
        status = open_worker(&made->worker, error);
    if (status == TRAWL_OK)
        status = scan_room_open(&made->room, SCAN_SLICES, SCAN_RECORDS, error);
    if (status != TRAWL_OK) {
        trawl_context_free(made);
        return status;
    }
    read->backend = made->worker.backend->name;
    read->device = read->tuning = NULL;
    *context = made;
    return TRAWL_OK;
}

worker *context_spare(trawl_context *context, uint64_t bytes, const trawl_error *why)
{
    const trawl_context_options usual = TRAWL_CONTEXT_OPTIONS_INIT;
    worker *w = &context->spare;
    trawl_error ignored;
    if (!w->backend) {
        w->options = usual;
        if (open_auto(w, &ignored) != TRAWL_OK) {
            w->backend = NULL;
            return NULL;
        }
    }
    context->spared += bytes;
    snprintf(context->warning, sizeof context->warning,
             "the CPU did what the device had no memory for: %.180s", why->message);
    return w;
}

int scan_room_open(scan_room *room, uint32_t slices, size_t records, trawl_error *error)
{
    memset(room, 0, sizeof *room);
    room->slices = calloc(slices, sizeof *room->slices);
    room->records = malloc(2 * records * sizeof *room->records);
    room->scratch = room->records ? room->records + records : NULL;
    room->slice_count = slices;
    room->record_count = records;
    return room->slices && room->records ? TRAWL_OK
                                         : fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                                                "out of memory for %zu records", records);
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
    if (context->worker.backend && context->worker.backend->close)
        context->worker.backend->close(&context->worker);
    scan_room_close(&context->room);
    free(context);
}

const char *trawl_context_backend(const trawl_context *context)
{
    return context ? context->worker.backend->name : "";
}

uint32_t trawl_context_threads(const trawl_context *context)
{
    return context ? context->worker.threads : 0;
}

int trawl_context_get_timing(trawl_context *context, trawl_timing *timing)
{
    trawl_timing read = { 0 };
    if (!context || !timing || timing->size < sizeof timing->size || timing->size > sizeof read)
        return TRAWL_ERROR_ARGUMENT;
    read.size = timing->size;
    if (context->worker.backend->timing)
        context->worker.backend->timing(&context->worker, &read);
    read.on_cpu = context->spared;
    context->spared = 0;
    memcpy(timing, &read, timing->size);
    return TRAWL_OK;
}

const char *trawl_context_warning(const trawl_context *context)
{
    return context && context->warning[0] ? context->warning : NULL;
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
