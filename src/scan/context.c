/* context.c: a context binds a backend, its options and scratch memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu.h"
#include "base/options.h"
#include "scan/context.h"

/* For callers whose memory is short. */
static const char advice[] = "free some, use fewer threads, or scan less at once";

static int open_backend(worker *w, trawl_error *error)
{
    w->limits = w->backend->limits;
    return w->backend->open(w, error);
}

/* auto: a thread for each core, or as many as can be had; serial if that is one. */
static int open_auto(worker *w, trawl_error *error)
{
    const uint32_t threads = w->options.threads ? w->options.threads : cpu_cores();
    w->automatic = true;
    w->backend = threads == 1 ? &backend_serial : &backend_threads;
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
    if ((automatic || !w->backend->device) && (w->options.device || w->options.tuning))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "device and tuning are for the backends opencl and cuda, not '%.40s'", wanted);
    if (w->options.native && (automatic || w->backend != &backend_opencl))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "native is a cl_context, for the backend opencl, not '%.40s'", wanted);
    if (w->options.runner && !automatic && w->backend != &backend_threads)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "a runner is for the backends auto and threads, not '%.40s'", wanted);
    if (automatic && !w->options.runner)
        return open_auto(w, error);
    if (w->options.runner)
        w->backend = &backend_runner;
    return open_backend(w, error);
}

int trawl_context_open(const trawl_context_options *options, trawl_context **context,
                       trawl_error *error)
{
    if (!context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "context is NULL");
    *context = NULL;
    trawl_context_options read = TRAWL_CONTEXT_OPTIONS_INIT;
    int status = read_options(&read, sizeof read, SIZE_UP_TO(trawl_context_options, native),
                              options, "context options", error);
    if (status == TRAWL_OK && read.schedule > TRAWL_SCHEDULE_STATIC)
        status =
            fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no schedule %u", read.schedule);
    if (status == TRAWL_OK)
        status = allocator_check(read.allocator, error);
    if (status != TRAWL_OK)
        return status;
    memory own;
    memory_open(&own, read.allocator, UINT64_MAX, NULL, advice);
    trawl_context *made = memory_take_zeroed(&own, 1, sizeof *made);
    if (!made)
        return memory_failed(&own, error, "a context");
    memory_open(&made->memory, read.allocator, UINT64_MAX, NULL, advice);
    made->worker.memory = &made->memory;
    made->worker.options = read;
    scan_room_open(&made->room, &made->memory);
    for (uint32_t i = 0; i < LED_JOBS - 2; i++)
        scan_room_open(&made->more[i], &made->memory);
    status = isa_choose(read.isa, &made->worker.target.isa, error);
    if (status == TRAWL_OK)
        status = open_worker(&made->worker, error);
    if (status == TRAWL_OK && on_devices(&made->worker))
        origin_open(&made->origin);
    if (status != TRAWL_OK) {
        made->worker.backend = NULL; /* nothing of the context is open */
        trawl_context_close(made);
        return status;
    }
    trawl_context_options *kept = &made->worker.options;
    kept->backend = made->worker.backend->name;
    kept->device = kept->tuning = kept->isa = NULL;
    kept->native = NULL;
    kept->allocator = NULL;
    *context = made;
    return TRAWL_OK;
}

/* ---- one call at a time ----------------------------------------------- */

int context_enter(trawl_context *context, trawl_error *error)
{
    unsigned none = CALL_NONE;
    if (!context)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "context is NULL");
    if (on_devices(&context->worker) && !origin_here(&context->origin))
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "the context of a device was opened before a fork, which devices do not "
                    "survive: open one in this process");
    if (!atomic_compare_exchange_strong_explicit(&context->state, &none, CALL_RUNNING,
                                                 memory_order_acquire, memory_order_relaxed))
        return fail(error, TRAWL_ERROR_BUSY, TRAWL_NONE,
                    "the context is in a call already (of another thread, of a callback's own, or "
                    "of one that a fork left behind): open one for each");
    return TRAWL_OK;
}

void context_leave(trawl_context *context)
{
    atomic_store_explicit(&context->state, CALL_NONE, memory_order_release);
}

void trawl_cancel(trawl_context *context)
{
    unsigned running = CALL_RUNNING;
    if (context)
        atomic_compare_exchange_strong_explicit(&context->state, &running, CALL_CANCELLED,
                                                memory_order_relaxed, memory_order_relaxed);
}

/* ---- for when a device has no memory ------------------------------------ */

static void close_worker(worker *w)
{
    if (w->backend && w->backend->close)
        w->backend->close(w);
}

worker *context_spare(trawl_context *context, uint64_t bytes, const trawl_error *why)
{
    const trawl_context_options usual = TRAWL_CONTEXT_OPTIONS_INIT;
    worker *w = &context->spare;
    trawl_error ignored;
    if (!w->backend) {
        w->options = usual;
        w->memory = &context->memory;
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

void context_no_spare(const char *what, trawl_error *why)
{
    const trawl_error device = *why;
    fail(why, TRAWL_ERROR_MEMORY, TRAWL_NONE,
         "%.120s; the CPU cannot take over %s in a device's memory: free some there, or scan it "
         "from "
         "the host",
         device.message, what);
}

int context_on_device(const trawl_context *context, const char *instead, trawl_error *error)
{
    if (on_devices(&context->worker))
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "the context is of the CPU (%s), which reads no device's memory: open one of the "
                "backend opencl or cuda, or scan from the host with %s",
                context->worker.backend->name, instead);
}

int context_hold(trawl_context *context, int status, const trawl_device_text *text,
                 trawl_error *error)
{
    if (status == TRAWL_OK)
        status = context->worker.backend->device->hold(&context->worker, text, error);
    if (status != TRAWL_OK)
        context_leave(context);
    return status;
}

void context_drop(trawl_context *context)
{
    context->worker.backend->device->drop(&context->worker);
    context_leave(context);
}

/* ---- room --------------------------------------------------------------- */

void scan_room_open(scan_room *room, memory *memory)
{
    memset(room, 0, sizeof *room);
    room->memory = memory;
}

int scan_room_fit(scan_room *room, uint32_t slices, size_t records, bool matches,
                  trawl_error *error)
{
    const size_t size = matches ? sizeof(trawl_match) : sizeof(record);
    if (slices > room->slice_count) {
        scan_room_narrow(room);
        memory_give(room->memory, room->slices);
        memory_give(room->memory, room->extras);
        room->slices = memory_take_zeroed(room->memory, slices, sizeof *room->slices);
        room->extras = memory_take_zeroed(room->memory, slices, sizeof *room->extras);
        room->slice_count = room->slices && room->extras ? slices : 0;
    }
    if (records > room->record_count || size > room->scratch_size) {
        scan_room_narrow(room);
        records = records > room->record_count ? records : room->record_count;
        memory_give(room->memory, room->records);
        room->records = memory_take_array(room->memory, records, sizeof *room->records + size);
        room->record_count = room->records ? records : 0;
        room->scratch = room->records ? (uint8_t *)(room->records + records) : NULL;
        room->scratch_size = size;
    }
    return slices <= room->slice_count && records <= room->record_count
               ? TRAWL_OK
               : memory_failed(room->memory, error, "%u slice%s and %zu record%s", slices,
                               plural(slices), records, plural(records));
}

void *scan_room_scratch(const scan_room *room, const slice *s)
{
    return extra_of(room, s)->narrow
               ? (uint8_t *)(s->records + s->capacity)
               : room->scratch + (size_t)(s->records - room->records) * room->scratch_size;
}

void scan_slice_narrow(const scan_room *room, slice *s)
{
    slice_extra *extra = extra_of(room, s);
    if (!extra->narrow)
        return;
    memory_give(room->memory, s->records);
    s->records = extra->narrow;
    extra->narrow = NULL;
}

void scan_room_narrow(scan_room *room)
{
    for (uint32_t i = 0; i < room->slice_count; i++)
        scan_slice_narrow(room, &room->slices[i]);
}

void scan_room_close(scan_room *room)
{
    scan_room_narrow(room);
    memory_give(room->memory, room->slices);
    memory_give(room->memory, room->extras);
    memory_give(room->memory, room->records);
    memory_give(room->memory, room->states);
    scan_room_open(room, room->memory);
}

/* ---- the rest of the public calls ----------------------------------------- */

void trawl_context_close(trawl_context *context)
{
    if (!context)
        return;
    if (!on_devices(&context->worker) || origin_here(&context->origin))
        close_worker(&context->worker); /* a forked child leaves the parent's devices alone */
    origin_close(&context->origin);
    close_worker(&context->spare);
    scan_room_close(&context->room);
    for (uint32_t i = 0; i < LED_JOBS - 2; i++)
        scan_room_close(&context->more[i]);
    const trawl_allocator from = context->memory.from;
    memory_free(&from, context);
}

const char *trawl_context_backend(const trawl_context *context)
{
    return context ? context->worker.backend->name : "";
}

uint32_t trawl_context_threads(const trawl_context *context)
{
    return context ? context->worker.threads : 0;
}

const char *trawl_context_isa(const trawl_context *context)
{
    return context ? isa_name(context->worker.target.isa) : "";
}

int trawl_context_get_timing(trawl_context *context, trawl_timing *timing)
{
    trawl_timing read = { 0 };
    if (!timing)
        return TRAWL_ERROR_ARGUMENT;
    int status = context_enter(context, NULL);
    if (status != TRAWL_OK)
        return status;
    if (!write_info(timing, &read, sizeof read, SIZE_UP_TO(trawl_timing, on_cpu)))
        status = TRAWL_ERROR_ARGUMENT;
    if (status == TRAWL_OK) {
        if (on_devices(&context->worker))
            context->worker.backend->device->timing(&context->worker, &read);
        read.on_cpu = context->spared;
        context->spared = 0;
        write_info(timing, &read, sizeof read, SIZE_UP_TO(trawl_timing, on_cpu));
    }
    context_leave(context);
    return status;
}

uint64_t trawl_context_scanned(const trawl_context *context)
{
    return context ? atomic_load_explicit(&context->scanned, memory_order_relaxed) : 0;
}

const char *trawl_context_warning(const trawl_context *context)
{
    return context && context->warning[0] ? context->warning : NULL;
}

int read_given_options(const trawl_scan_options *given, trawl_scan_options *options,
                       trawl_error *error)
{
    int status = read_options(options, sizeof *options, SIZE_UP_TO(trawl_scan_options, max_seconds),
                              given, "scan options", error);
    if (status != TRAWL_OK)
        return status;
    if (!(options->max_seconds >= 0))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "max_seconds is %g: give seconds, or 0 for no limit", options->max_seconds);
    if (options->reserved)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "scan options: `reserved` must be 0: fill them with TRAWL_SCAN_OPTIONS_INIT");
    if (options->report > TRAWL_REPORT_EACH)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no report mode %u",
                    options->report);
    return TRAWL_OK;
}
