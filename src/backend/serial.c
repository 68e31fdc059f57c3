/* serial.c: one thread, one slice after the other. */
#include "backend/cpu.h"

static int serial_open(worker *w, trawl_error *error)
{
    if (w->options.threads > 1)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the serial backend has one thread, not %u: take the threads backend",
                    w->options.threads);
    w->threads = w->target.threads = 1; /* so cpu.c runs the tasks itself */
    return TRAWL_OK;
}

const backend backend_serial = {
    .name = "serial",
    .about = "one CPU thread",
    .limits = CPU_LIMITS,
    .open = serial_open,
    .run_text = cpu_run_text,
    .run_grid = cpu_run_grid,
};
