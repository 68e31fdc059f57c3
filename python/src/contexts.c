/* contexts.c: contexts that wait for calls.
 *
 * A context serves one call at a time, and Python's threads share plans. So each call takes one out
 * of its plan's pool, or opens one, and gives it back. There are as many as there were calls at
 * once; a few wait, the others are freed. Idle contexts of a CPU survive a fork; those of a device
 * do not, and are left out in the child.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { MAX_IDLE = 16 };

struct pool {
    char *backend, *device, *tuning; /* NULL: not said */
    uint32_t threads;
    bool on_device;
    bool proved;    /* a context of these settings could be opened */
    size_t holders; /* plans, and calls that have none yet */
    trawl_context *idle[MAX_IDLE];
    size_t count;
    pool *next;
};

static pool *pools; /* all there are */

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *copy(const char *text)
{
    char *made = text ? malloc(strlen(text) + 1) : NULL;
    return made ? strcpy(made, text) : NULL;
}

static bool is_device(const char *backend)
{
    return backend && (strcmp(backend, "cuda") == 0 || strcmp(backend, "opencl") == 0);
}

static void free_pool(pool *p)
{
    free(p->backend);
    free(p->device);
    free(p->tuning);
    free(p);
}

pool *pool_of(PyObject *settings)
{
    const char *backend, *device, *tuning;
    unsigned threads;
    if (!PyArg_ParseTuple(settings, "zIzz", &backend, &threads, &device, &tuning))
        return NULL;
    for (pool *p = pools; p; p = p->next)
        if (p->threads == threads && same(p->backend, backend) && same(p->device, device) &&
            same(p->tuning, tuning)) {
            pool_hold(p);
            return p;
        }
    pool *p = calloc(1, sizeof *p);
    if (!p) {
        PyErr_NoMemory();
        return NULL;
    }
    *p = (pool){ .backend = copy(backend),
                 .device = copy(device),
                 .tuning = copy(tuning),
                 .threads = threads,
                 .on_device = is_device(backend),
                 .holders = 1 };
    if ((backend && !p->backend) || (device && !p->device) || (tuning && !p->tuning)) {
        free_pool(p);
        PyErr_NoMemory();
        return NULL;
    }
    p->next = pools;
    pools = p;
    return p;
}

void pool_hold(pool *p)
{
    p->holders++;
}

void pool_drop(pool *p)
{
    if (!p || --p->holders || p->proved)
        return;
    pool **at = &pools;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    free_pool(p);
}

bool pool_on_device(const pool *p)
{
    return p->on_device;
}

bool pool_takes_cuda(const pool *p)
{
    const trawl_error error = { TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, TRAWL_NONE,
                                "the array is in a CUDA device's memory, which the backend opencl "
                                "does not read: take plan.on(\"cuda\"), or copy it to the host" };
    if (!p->backend || strcmp(p->backend, "opencl") != 0)
        return true;
    raise_error(error.code, &error);
    return false;
}

trawl_context *pool_take(pool *p)
{
    if (p->count)
        return p->idle[--p->count];
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_context *context = NULL;
    trawl_error error;
    int status;
    options.backend = p->backend;
    options.device = p->device;
    options.tuning = p->tuning;
    options.threads = p->threads;
    Py_BEGIN_ALLOW_THREADS status = trawl_context_open(&options, &context, &error);
    Py_END_ALLOW_THREADS if (status != TRAWL_OK) raise_error(status, &error);
    p->proved = p->proved || status == TRAWL_OK;
    return context;
}

void pool_give(pool *p, trawl_context *context)
{
    if (!context)
        return;
    if (p->count < MAX_IDLE) {
        p->idle[p->count++] = context;
        return;
    }
    Py_BEGIN_ALLOW_THREADS trawl_context_close(context);
    Py_END_ALLOW_THREADS
}

static void release(bool of_devices_only)
{
    for (pool *p = pools; p; p = p->next)
        while (p->count && (p->on_device || !of_devices_only)) {
            trawl_context *context = p->idle[--p->count];
            Py_BEGIN_ALLOW_THREADS trawl_context_close(context);
            Py_END_ALLOW_THREADS
        }
}

PyObject *core_release(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    release(false);
    Py_RETURN_NONE;
}

PyObject *core_forked(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    release(true);
    Py_RETURN_NONE;
}
