/* pool.c: see pool.h.
 *
 * Idea: the caller offers a job to some helpers and works on it itself. A helper that wakes joins
 * if it finds a place. Unless tasks are dealt out, they come from one counter: when it has run out
 * the caller withdraws the places that nobody took, and waits for those who joined. So a helper
 * that gets no core, or gets it late, holds up only its present task; a share that was dealt out
 * waits for its thread.
 *
 * Invariant: a job's fields are written under the lock, and only while nobody is joined and no
 * place is offered.
 *
 * Cost: a lock, and a system call for each helper that is woken. No thread spins: on a busy machine
 * that takes the core from threads with work. There a helper that wakes must not take its caller's
 * core, so helpers are batch threads, which wait for their turn. A helper may also lose its core
 * within a task, and the wait for it may be longer than a small job takes. So when a job was waited
 * for longer than it was worked on, the caller works alone for REST times as long; all such waits
 * together then take at most a REST-th of the time.
 *
 * After a fork the child has none of the threads, and the lock may be held by one of them for
 * ever. base/origin.h tells that this is a child, which then makes the pool anew, and neither
 * locks, joins nor destroys anything of the parent's.
 */
#ifdef __linux__
#define _GNU_SOURCE /* SCHED_BATCH */
#include <sched.h>
#include <sys/prctl.h>
#endif
#include "backend/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/origin.h"

/* Walks take a few KiB; the rest is for what run-time systems and sanitizers add. */
#define STACK_BYTES (1u << 20)

#define REST 16

struct pool {
    memory *memory;
    origin origin; /* of the threads, once there are any */
    pthread_mutex_t lock;
    pthread_cond_t offered, left;
    pthread_t *threads;
    uint32_t count; /* of them */
    bool closing;
    double rests_until; /* seconds; helpers are left asleep */

    uint64_t number; /* of the present job, which is: */
    trawl_task_fn task;
    void *job;
    uint32_t tasks;
    uint32_t shares; /* how many shares the tasks are dealt out in; 0: they are not */
    atomic_uint next;
    uint32_t places; /* for helpers that have not joined */
    uint32_t joined; /* helpers at work */
};

static void begin(pool *p, memory *memory)
{
    *p = (pool){ .memory = memory,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .offered = PTHREAD_COND_INITIALIZER,
                 .left = PTHREAD_COND_INITIALIZER };
}

pool *pool_open(memory *memory)
{
    pool *p = memory_take(memory, sizeof *p);
    if (p)
        begin(p, memory);
    return p;
}

void pool_close(pool *p)
{
    if (p && p->count && origin_here(&p->origin)) {
        pthread_mutex_lock(&p->lock);
        p->closing = true;
        pthread_cond_broadcast(&p->offered);
        pthread_mutex_unlock(&p->lock);
        for (uint32_t i = 0; i < p->count; i++)
            pthread_join(p->threads[i], NULL);
        pthread_cond_destroy(&p->offered);
        pthread_cond_destroy(&p->left);
        pthread_mutex_destroy(&p->lock);
    }
    if (p) {
        origin_close(&p->origin);
        memory_give(p->memory, p->threads);
        memory_give(p->memory, p);
    }
}

uint32_t pool_size(const pool *p)
{
    return p->count;
}

/* ---- working ------------------------------------------------------------- */

static void work(pool *p, uint32_t share)
{
    if (p->shares) {
        for (uint32_t i = share; i < p->tasks; i += p->shares)
            p->task(p->job, i);
        return;
    }
    for (;;) {
        const uint32_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->tasks)
            return;
        p->task(p->job, i);
    }
}

static void *help(void *argument)
{
    pool *p = argument;
    uint64_t last = 0; /* a thread joins a job once, so that its share is its own */
#ifdef __linux__
    const struct sched_param no_priority = { 0 };
    prctl(PR_SET_NAME, "trawl");
    sched_setscheduler(0, SCHED_BATCH, &no_priority);
#endif
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        if (p->places == 0 || p->number == last) {
            pthread_cond_wait(&p->offered, &p->lock);
            continue;
        }
        const uint32_t share = p->places--; /* the caller's is 0 */
        last = p->number;
        p->joined++;
        pthread_mutex_unlock(&p->lock);
        work(p, share);
        pthread_mutex_lock(&p->lock);
        if (--p->joined == 0)
            pthread_cond_signal(&p->left);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void pool_run(pool *p, uint32_t helpers, bool dealt, trawl_task_fn task, void *job, uint32_t count)
{
    const double began = seconds(CLOCK_THREAD_CPUTIME_ID);
    uint32_t offered = helpers < p->count ? helpers : p->count;
    if (!dealt && seconds(CLOCK_MONOTONIC) < p->rests_until)
        offered = 0;
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->job = job;
    p->tasks = count;
    p->shares = dealt ? offered + 1 : 0;
    atomic_store(&p->next, 0);
    p->places = offered;
    p->number++;
    for (uint32_t i = 0; i < offered; i++) /* under the lock: each wakes another thread */
        pthread_cond_signal(&p->offered);
    pthread_mutex_unlock(&p->lock);
    work(p, 0);
    const double took = seconds(CLOCK_THREAD_CPUTIME_ID) - began;
    const double waits = seconds(CLOCK_MONOTONIC);
    pthread_mutex_lock(&p->lock);
    if (!dealt)
        p->places = 0;
    while (p->places || p->joined)
        pthread_cond_wait(&p->left, &p->lock);
    pthread_mutex_unlock(&p->lock);
    const double ended = seconds(CLOCK_MONOTONIC);
    if (!dealt && ended - waits > took)
        p->rests_until = ended + REST * (ended - waits);
}

/* ---- growing ------------------------------------------------------------- */

/* The process's signals are for the caller's threads. What a helper raises itself, as a read from
 * a mapped file that was shortened does, must reach the handler. */
static void block_signals(sigset_t *before)
{
    static const int own[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

int pool_grow(pool *p, uint32_t helpers)
{
    if (p->count && !origin_here(&p->origin)) {
        origin_close(&p->origin);
        memory_give(p->memory, p->threads);
        begin(p, p->memory);
    }
    if (helpers <= p->count)
        return 0;
    pthread_t *threads = memory_grow(p->memory, p->threads, helpers * sizeof *threads);
    if (!threads)
        return ENOMEM;
    p->threads = threads;
    if (p->count == 0) {
        origin_close(&p->origin);
        origin_open(&p->origin);
    }
    pthread_attr_t attributes;
    sigset_t before;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    block_signals(&before);
    while (!failed && p->count < helpers) {
        failed = pthread_create(&threads[p->count], &attributes, help, p);
        p->count += !failed;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}
