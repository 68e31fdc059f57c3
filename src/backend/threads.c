/* threads.c: the context's own threads (pool.h), or those of its caller (runner.c).
 *
 * Static: slices are dealt out beforehand; thread t takes slices t, t + threads, ... Dynamic: a
 * thread takes the next slice when it is free.
 */
#include <errno.h>
#include <string.h>

#include "backend/cpu.h"
#include "backend/pool.h"

static int threads_open(worker *w, trawl_error *error)
{
    const int status = cpu_set_threads(w, error);
    if (status != TRAWL_OK)
        return status;
    w->state = pool_open(w->memory);
    return w->state ? TRAWL_OK : memory_failed(w->memory, error, "a context");
}

static void threads_close(worker *w)
{
    pool_close(w->state);
}

/* Where threads cannot be had the worker goes on with those that it has, and asks for no more: a
 * job is then cut for them. */
static int threads_run(worker *w, trawl_task_fn task, void *job, uint32_t count, trawl_error *error)
{
    pool *p = w->state;
    const uint32_t helpers = (w->threads < count ? w->threads : count) - 1;
    const int failed = pool_grow(p, helpers);
    if (failed == ENOMEM && pool_size(p) == 0 && !w->automatic)
        return memory_failed(w->memory, error, "a thread");
    if (failed && pool_size(p) == 0 && !w->automatic) {
        char why[64] = "";
        strerror_r(failed, why, sizeof why);
        return fail(error, TRAWL_ERROR_THREAD, TRAWL_NONE,
                    "the backend threads can start no thread: %s: raise the limit of processes "
                    "(ulimit -u), or take the backend serial",
                    why);
    }
    if (failed)
        w->threads = pool_size(p) + 1;
    pool_run(p, helpers, w->options.schedule == TRAWL_SCHEDULE_STATIC, task, job, count);
    return TRAWL_OK;
}

const backend backend_threads = {
    .name = "threads",
    .about = "CPU threads, static or dynamic schedule",
    .limits = CPU_LIMITS,
    .open = threads_open,
    .close = threads_close,
    .run_text = cpu_run_text,
    .run_grid = cpu_run_grid,
    .run_tasks = threads_run,
};
