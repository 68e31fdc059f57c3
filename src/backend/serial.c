/* serial.c: one thread, one slice after the other. */
#include "backend/backend.h"

static uint32_t serial_threads(const trawl_context_options *options, trawl_error *error)
{
    if (options->threads > 1) {
        fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
             "the serial backend has one thread, not %u: take the threads backend",
             options->threads);
        return 0;
    }
    return 1;
}

static int serial_text(const trawl_context_options *options, uint32_t threads, const text_job *job,
                       trawl_error *error)
{
    int status = TRAWL_OK;
    (void)options;
    (void)threads;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++)
        status = slice_run_text(job, &job->slices[i]);
    return status ? fail(error, status, TRAWL_NONE, "out of memory for the state of a slice")
                  : TRAWL_OK;
}

static int serial_grid(const trawl_context_options *options, uint32_t threads, const grid_job *job,
                       trawl_error *error)
{
    int status = TRAWL_OK;
    (void)options;
    (void)threads;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++)
        status = slice_run_grid(job, &job->slices[i]);
    return status ? fail(error, status, TRAWL_NONE, "out of memory for the state of a band")
                  : TRAWL_OK;
}

const backend backend_serial = {
    .name = "serial",
    .about = "one CPU thread",
    .threads = serial_threads,
    .run_text = serial_text,
    .run_grid = serial_grid,
};
