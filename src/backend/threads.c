/* threads.c: OpenMP threads over the slices of a job.
 *
 * Static: slices are dealt out beforehand, thread t takes t, t + threads, ... Dynamic: a
 * thread takes the next slice when it is free.
 */
#include <limits.h>

#include "backend/backend.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#define MOST_THREADS 4096u

static int threads_open(worker *w, trawl_error *error)
{
#ifdef _OPENMP
    if (w->options.threads > MOST_THREADS)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "%u threads asked for, %u are the most", w->options.threads, MOST_THREADS);
    w->threads = w->options.threads ? w->options.threads : (uint32_t)omp_get_num_procs();
    w->target.threads = w->threads;
    return TRAWL_OK;
#else
    (void)w;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "this build has no OpenMP (package libgomp1, or libomp-dev for clang): take the "
                "serial backend");
#endif
}

typedef int (*slice_run)(const void *job, slice *s);

static int run_text_slice(const void *job, slice *s)
{
    return slice_run_text((const text_job *)job, s);
}

static int run_grid_slice(const void *job, slice *s)
{
    return slice_run_grid((const grid_job *)job, s);
}

static int run_all(const worker *w, slice_run run, const void *job, slice *slices, size_t count,
                   trawl_error *error)
{
    int failures = 0;
    uint32_t threads = w->threads;
    const long long last = count > LLONG_MAX ? LLONG_MAX : (long long)count;
    threads = threads < count ? threads : (uint32_t)count; /* no thread without a slice */
    if (threads == 1) { /* a border of a plan that carries, or a short text: wake nobody */
        for (long long i = 0; i < last; i++)
            failures += run(job, &slices[i]) != TRAWL_OK;
    } else if (w->options.schedule == TRAWL_SCHEDULE_STATIC) {
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)threads) schedule(static, 1) reduction(+ : failures)
#endif
        for (long long i = 0; i < last; i++)
            failures += run(job, &slices[i]) != TRAWL_OK;
    } else {
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 1) reduction(+ : failures)
#endif
        for (long long i = 0; i < last; i++)
            failures += run(job, &slices[i]) != TRAWL_OK;
    }
    return failures ? fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE,
                           "out of memory for the state of %d slices: use fewer threads", failures)
                    : TRAWL_OK;
}

static int threads_text(worker *w, const text_job *job, trawl_error *error)
{
    return run_all(w, run_text_slice, job, job->slices, job->count, error);
}

static int threads_grid(worker *w, const grid_job *job, trawl_error *error)
{
    return run_all(w, run_grid_slice, job, job->slices, job->count, error);
}

const backend backend_threads = {
    .name = "threads",
    .about = "CPU threads (OpenMP), static or dynamic schedule",
    .limits = { .first_window = 1u << 20, .allowance = USUAL_ALLOWANCE },
    .open = threads_open,
    .run_text = threads_text,
    .run_grid = threads_grid,
};
