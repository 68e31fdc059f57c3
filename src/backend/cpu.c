/* cpu.c: see cpu.h. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif
#include "backend/cpu.h"

#include <stdatomic.h>
#include <unistd.h>

#define MAX_THREADS 4096u

uint32_t cpu_cores(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return (uint32_t)CPU_COUNT(&allowed);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

int cpu_set_threads(worker *w, trawl_error *error)
{
    if (w->options.threads > MAX_THREADS)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "%u threads asked for, %u are the most", w->options.threads, MAX_THREADS);
    w->threads = w->options.threads ? w->options.threads : cpu_cores();
    w->target.threads = w->threads;
    return TRAWL_OK;
}

/* A job as tasks. */
typedef struct slices_run {
    const text_job *text; /* or: */
    const grid_job *grid;
    atomic_uint failures;
} slices_run;

static void run_slice(void *job, uint32_t index)
{
    slices_run *run = job;
    const text_job *text = run->text;
    const int status = text ? slice_run_text(text, &text->slices[index])
                            : slice_run_grid(run->grid, &run->grid->slices[index]);
    if (status != TRAWL_OK)
        atomic_fetch_add(&run->failures, 1);
    else if (text && text->ready)
        text->ready(text, &text->slices[index]);
}

static int run_slices(worker *w, slices_run *run, size_t count, trawl_error *error)
{
    int status = TRAWL_OK;
    if (count > 1 && w->threads > 1)
        status = w->backend->run_tasks(w, run_slice, run, (uint32_t)count, error);
    else /* a border of a plan that carries, or a short text: wake nobody */
        for (uint32_t i = 0; i < count; i++)
            run_slice(run, i);
    const unsigned failures = atomic_load(&run->failures);
    if (status == TRAWL_OK && failures)
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                      "out of memory for the state of %u slice%s: use fewer threads", failures,
                      plural(failures));
    return status;
}

int cpu_run_text(worker *w, const text_job *job, trawl_error *error)
{
    slices_run run = { .text = job };
    return run_slices(w, &run, job->count, error);
}

int cpu_run_grid(worker *w, const grid_job *job, trawl_error *error)
{
    slices_run run = { .grid = job };
    return run_slices(w, &run, job->count, error);
}
