/* openmp.c: CPU threads through OpenMP, as the papers used them.
 *
 * The run-time system decides how threads wait: by spinning, unless OMP_WAIT_POLICY says otherwise.
 * It also decides what happens when it cannot get a thread: the process ends. GNU's has no threads
 * after a fork: a child that scans with a context that its parent used hangs.
 */
#include "backend/cpu.h"

#ifdef _OPENMP

static int openmp_open(worker *w, trawl_error *error)
{
    return cpu_set_threads(w, error);
}

static int openmp_run(worker *w, trawl_task_fn task, void *job, uint32_t count, trawl_error *error)
{
    const int threads = (int)(w->threads < count ? w->threads : count);
    (void)error;
    if (w->options.schedule == TRAWL_SCHEDULE_STATIC) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (uint32_t i = 0; i < count; i++)
            task(job, i);
    } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (uint32_t i = 0; i < count; i++)
            task(job, i);
    }
    return TRAWL_OK;
}

#else

#define openmp_run NULL

static int openmp_open(worker *w, trawl_error *error)
{
    (void)w;
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "this build has no OpenMP (package libgomp1, or libomp-dev for clang): take the "
                "backend threads, which needs none");
}

#endif

const backend backend_openmp = {
    .name = "openmp",
    .about = "CPU threads through OpenMP, as the papers used",
    .limits = CPU_LIMITS,
    .open = openmp_open,
    .run_text = cpu_run_text,
    .run_grid = cpu_run_grid,
    .run_tasks = openmp_run,
};
