/* call.c: calls without the GIL, and threads that produce what Python takes.
 *
 * Python's handlers of signals run on its main thread, and only when that asks. A call that takes
 * seconds would let Ctrl-C wait. So a long one runs on a thread of its own, for some microseconds
 * of cost, and the one that called looks ten times a second whether a handler wants to raise; one
 * that returns lets the call go on.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

enum { LOOK_MS = 100, CANCEL_MS = 5 };

/* ---- threads ----------------------------------------------------------------- */

/* A condition that waits by a clock that nobody sets. */
static int open_condition(pthread_cond_t *condition)
{
#ifdef __linux__
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    const int failed = pthread_cond_init(condition, &by_clock);
    pthread_condattr_destroy(&by_clock);
    return failed;
#else
    return pthread_cond_init(condition, NULL);
#endif
}

static void wait_ms(pthread_cond_t *condition, pthread_mutex_t *lock, long ms)
{
    struct timespec until;
#ifdef __linux__
    clock_gettime(CLOCK_MONOTONIC, &until);
#else
    clock_gettime(CLOCK_REALTIME, &until);
#endif
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(condition, lock, &until);
}

/* Signals are for Python's threads. */
static int start_thread(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* ---- calls --------------------------------------------------------------------- */

typedef struct call {
    call_fn fn;
    void *user;
    trawl_context *context;
    pthread_t thread;
    pid_t owner;
    int status;
    bool done;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} call;

static void *run_call(void *user)
{
    call *c = user;
    const int status = c->fn(c->user);
    pthread_mutex_lock(&c->lock);
    c->status = status;
    c->done = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static bool wait_for_call(call *c, long ms)
{
    pthread_mutex_lock(&c->lock);
    if (!c->done)
        wait_ms(&c->changed, &c->lock, ms);
    const bool done = c->done;
    pthread_mutex_unlock(&c->lock);
    return done;
}

/* The call may not have begun when it is first cancelled, so once is not enough. */
static void end_call(void *user)
{
    call *c = user;
    if (c->owner != getpid())
        return;
    while (!wait_for_call(c, CANCEL_MS))
        trawl_cancel(c->context);
    pthread_join(c->thread, NULL);
}

/* Handlers of signals run. True: one raises, or this is a child now that one has forked. */
static bool look_for_signals(pid_t owner)
{
    const bool raised = PyErr_CheckSignals() != 0;
    if (owner != getpid() && !raised)
        PyErr_SetString(
            PyExc_RuntimeError,
            "a handler of a signal forked this process in the middle of a call, which is "
            "its parent's: leave the child by os._exit, in the handler");
    return raised || owner != getpid();
}

/* While the interpreter is left it ends daemon threads by pthread_exit where they want the GIL
 * back. What the call uses lies on this thread's stack, so the call ends first. */
static int run_long(call *c)
{
    bool done = false, raised = false;
    PyThreadState *state;
    if (start_thread(&c->thread, run_call, c)) { /* none can be had: without Ctrl-C, then */
        int status;
        Py_BEGIN_ALLOW_THREADS status = c->fn(c->user);
        Py_END_ALLOW_THREADS return status;
    }
    pthread_cleanup_push(end_call, c);
    while (!done && !raised) {
        Py_BEGIN_ALLOW_THREADS done = wait_for_call(c, LOOK_MS);
        Py_END_ALLOW_THREADS raised = look_for_signals(c->owner);
    }
    state = PyEval_SaveThread();
    pthread_cleanup_pop(1);
    PyEval_RestoreThread(state);
    return raised ? CALL_RAISED : c->status;
}

int call_run(trawl_context **context, hits *found, size_t work, call_fn fn, void *user)
{
    int status;
    if (work < SHORT_CALL)
        return fn(user);
    if (work < LONG_CALL) {
        Py_BEGIN_ALLOW_THREADS status = fn(user);
        Py_END_ALLOW_THREADS return status;
    }
    call c = { .fn = fn, .user = user, .context = *context, .owner = getpid() };
    pthread_mutex_init(&c.lock, NULL);
    open_condition(&c.changed);
    status = run_long(&c);
    if (c.owner != getpid()) {
        *context = NULL;
        if (found)
            hits_forget(found);
        return status;
    }
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    return status;
}

int pool_call(pool *p, trawl_context **context, hits *found, size_t work, call_fn fn, void *user)
{
    *context = pool_take(p);
    const int status = *context ? call_run(context, found, work, fn, user) : CALL_RAISED;
    pool_give(p, *context);
    return status;
}

/* ---- compiling ------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Asked whenever the library takes memory: ten times a second handlers of signals run. */
static int is_raised(void *user)
{
    compile_watch *w = user;
    const int64_t ms = now_ms();
    if (ms - w->looked < LOOK_MS)
        return 0;
    PyEval_RestoreThread(w->state);
    const bool raised = PyErr_CheckSignals() != 0;
    w->state = PyEval_SaveThread();
    w->looked = ms;
    return raised;
}

void compile_begin(compile_watch *w, trawl_compile_options *options)
{
    w->looked = now_ms();
    options->interrupted = is_raised;
    options->interrupted_user = w;
    w->state = PyEval_SaveThread();
}

void compile_end(compile_watch *w)
{
    PyEval_RestoreThread(w->state);
}

/* ---- relays -------------------------------------------------------------------- */

struct relay {
    relay_fn fn;
    void (*drop)(void *item);
    void *user;
    void *item; /* waits to be taken */
    bool ended, closed;
    void (*release)(void *user); /* of a thread that is left alone; NULL: it is not */
    pid_t owner;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void free_relay(relay *r)
{
    if (r->item)
        r->drop(r->item);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void *run_relay(void *user)
{
    relay *r = user;
    r->fn(r, r->user);
    pthread_mutex_lock(&r->lock);
    r->ended = true;
    pthread_cond_broadcast(&r->changed);
    void (*const release)(void *user) = r->release;
    pthread_mutex_unlock(&r->lock);
    if (release) {
        release(r->user);
        free_relay(r);
        pthread_detach(pthread_self());
    }
    return NULL;
}

relay *relay_open(relay_fn fn, void (*drop)(void *item), void *user)
{
    relay *r = calloc(1, sizeof *r);
    if (!r) {
        PyErr_NoMemory();
        return NULL;
    }
    r->fn = fn;
    r->drop = drop;
    r->user = user;
    r->owner = getpid();
    pthread_mutex_init(&r->lock, NULL);
    open_condition(&r->changed);
    const int failed = start_thread(&r->thread, run_relay, r);
    if (!failed)
        return r;
    free_relay(r);
    errno = failed;
    PyErr_SetFromErrno(PyExc_OSError);
    return NULL;
}

bool relay_put(relay *r, void *item)
{
    pthread_mutex_lock(&r->lock);
    while (r->item && !r->closed)
        pthread_cond_wait(&r->changed, &r->lock);
    const bool wanted = !r->closed;
    if (wanted) {
        r->item = item;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return wanted;
}

/* Whether there is an answer: an item, or NULL at the end. */
static bool wait_for_item(relay *r, void **item)
{
    pthread_mutex_lock(&r->lock);
    if (!r->item && !r->ended)
        wait_ms(&r->changed, &r->lock, LOOK_MS);
    *item = r->item;
    r->item = NULL;
    const bool ready = *item || r->ended;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return ready;
}

void *relay_take(relay *r, bool *raised)
{
    void *item = NULL;
    bool ready = false;
    *raised = r->owner != getpid();
    if (*raised)
        PyErr_SetString(PyExc_RuntimeError, "an iterator of the process that forked this one");
    while (!ready && !*raised) {
        Py_BEGIN_ALLOW_THREADS ready = wait_for_item(r, &item);
        Py_END_ALLOW_THREADS *raised = !ready && look_for_signals(r->owner);
    }
    return item;
}

/* `release` is of a thread that does not end within so long. */
static bool wait_for_end(relay *r, long ms, void (*release)(void *user))
{
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_broadcast(&r->changed);
    if (!r->ended)
        wait_ms(&r->changed, &r->lock, ms);
    const bool ended = r->ended;
    if (!ended)
        r->release = release;
    pthread_mutex_unlock(&r->lock);
    return ended;
}

bool relay_close(relay *r, trawl_context *context)
{
    if (r->owner != getpid())
        return false;
    PyThreadState *state = PyEval_SaveThread();
    while (!wait_for_end(r, CANCEL_MS, NULL))
        if (context)
            trawl_cancel(context);
    pthread_join(r->thread, NULL);
    PyEval_RestoreThread(state);
    free_relay(r);
    return true;
}

bool relay_leave(relay *r, void (*release)(void *user))
{
    if (r->owner != getpid())
        return false;
    PyThreadState *state = PyEval_SaveThread();
    if (wait_for_end(r, LOOK_MS, release)) {
        pthread_join(r->thread, NULL);
        release(r->user);
        free_relay(r);
    }
    PyEval_RestoreThread(state);
    return true;
}
