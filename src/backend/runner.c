/* runner.c: runs slices on the caller's threads, by its runner (trawl_runner_fn).
 *
 * A runner is foreign code. Whatever it does, a task runs at most once; when it returns the gate is
 * closed, and tasks that still run are waited for, since they write to slices. Then a task that is
 * missing, or came twice, is an error instead of wrong matches.
 */
#include <sched.h>
#include <stdatomic.h>

#include "backend/cpu.h"

/* What a runner is handed as its job. It lives as long as the worker. */
typedef struct gate {
    trawl_task_fn task;
    void *job;
    atomic_uint count; /* of tasks; 0: closed */
    atomic_uint inside, done, refused;
    atomic_bool *begun; /* of each task */
    uint32_t room;      /* in begun */
} gate;

static int runner_open(worker *w, trawl_error *error)
{
    const int status = cpu_set_threads(w, error);
    if (status != TRAWL_OK)
        return status;
    w->state = memory_take_zeroed(w->memory, 1, sizeof(gate));
    return w->state ? TRAWL_OK : memory_failed(w->memory, error, "a context");
}

static void runner_close(worker *w)
{
    gate *g = w->state;
    if (g)
        memory_give(w->memory, g->begun);
    memory_give(w->memory, g);
}

static void pass(void *job, uint32_t index)
{
    gate *g = job;
    atomic_fetch_add(&g->inside, 1);
    if (index < atomic_load(&g->count) && !atomic_exchange(&g->begun[index], true)) {
        g->task(g->job, index);
        atomic_fetch_add(&g->done, 1);
    } else {
        atomic_fetch_add(&g->refused, 1);
    }
    atomic_fetch_sub(&g->inside, 1);
}

static int runner_run(worker *w, trawl_task_fn task, void *job, uint32_t count, trawl_error *error)
{
    gate *g = w->state;
    if (count > g->room) {
        memory_give(w->memory, g->begun);
        g->begun = memory_take_array(w->memory, count, sizeof *g->begun);
        g->room = g->begun ? count : 0;
        if (!g->begun)
            return memory_failed(w->memory, error, "%u tasks", count);
    }
    for (uint32_t i = 0; i < count; i++)
        atomic_init(&g->begun[i], false);
    g->task = task;
    g->job = job;
    atomic_store(&g->done, 0);
    atomic_store(&g->refused, 0);
    atomic_store(&g->count, count);
    const int stopped = w->options.runner(w->options.runner_user, pass, g, count);
    const unsigned done = atomic_load(&g->done);
    atomic_store(&g->count, 0);
    while (atomic_load(&g->inside))
        sched_yield();
    if (stopped)
        return fail(error, TRAWL_ERROR_THREAD, TRAWL_NONE,
                    "the context's runner returned %d, having run %u of %u tasks: it is to run "
                    "all, or take the backend serial",
                    stopped, done, count);
    if (atomic_load(&g->refused))
        return fail(error, TRAWL_ERROR_THREAD, TRAWL_NONE,
                    "the context's runner called tasks twice, or some that there are not: it is "
                    "to call each of 0 to %u once",
                    count - 1);
    if (done < count)
        return fail(error, TRAWL_ERROR_THREAD, TRAWL_NONE,
                    "the context's runner returned 0 when %u of %u tasks had ended: it is to call "
                    "each of 0 to %u once, and to wait for all",
                    done, count, count - 1);
    return TRAWL_OK;
}

const backend backend_runner = {
    .name = "threads",
    .about = "the caller's threads",
    .limits = CPU_LIMITS,
    .open = runner_open,
    .close = runner_close,
    .run_text = cpu_run_text,
    .run_grid = cpu_run_grid,
    .run_tasks = runner_run,
};
