/* serial.c: one thread, one slice after the other. */
#include "backend/backend.h"

static int serial_open(worker *w, trawl_error *error)
{
    if (w->options.threads > 1)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the serial backend has one thread, not %u: take the threads backend",
                    w->options.threads);
    w->threads = w->target.threads = 1;
    return TRAWL_OK;
}

static int serial_text(worker *w, const text_job *job, trawl_error *error)
{
    int status = TRAWL_OK;
    (void)w;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++)
        status = slice_run_text(job, &job->slices[i]);
    return status ? fail(error, status, TRAWL_NONE, "out of memory for the state of a slice")
                  : TRAWL_OK;
}

static int serial_grid(worker *w, const grid_job *job, trawl_error *error)
{
    int status = TRAWL_OK;
    (void)w;
    for (size_t i = 0; i < job->count && status == TRAWL_OK; i++)
        status = slice_run_grid(job, &job->slices[i]);
    return status ? fail(error, status, TRAWL_NONE, "out of memory for the state of a band")
                  : TRAWL_OK;
}

const backend backend_serial = {
    .name = "serial",
    .about = "one CPU thread",
    .limits = { .first_window = 1u << 20, .allowance = USUAL_ALLOWANCE },
    .open = serial_open,
    .run_text = serial_text,
    .run_grid = serial_grid,
};
