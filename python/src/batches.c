/* batches.c: matches of one text batch by batch, while it is searched.
 *
 * A thread searches; a batch that is full waits until it is asked for, and the search waits with
 * the next one. So memory is two batches, whatever the text holds, and every report is as by
 * `find`.
 */
#include <stdlib.h>

#include "core.h"

typedef struct batches {
    PyObject ob_base;
    PyObject *plan;
    relay *relay;
    trawl_context *context;
    text text;
    trawl_scan_options options;
    trawl_error error;
    int status;
    size_t most; /* matches of a batch */
    hits *full;  /* being filled */
    relay *out;
    bool in_call;
} batches;

static hits *new_hits(void)
{
    hits *h = malloc(sizeof *h);
    if (h)
        hits_begin(h, sizeof(hit));
    return h;
}

static void drop_hits(void *item)
{
    if (item)
        hits_free(item);
    free(item);
}

/* Hand over what was gathered. Non-zero: stop. */
static int hand_over(batches *b)
{
    if (!relay_put(b->out, b->full))
        return 1;
    b->full = new_hits();
    return !b->full;
}

static int add(const trawl_match *matches, size_t count, void *user)
{
    batches *b = user;
    if (hits_add(matches, count, b->full))
        return 1;
    return b->full->count >= b->most ? hand_over(b) : 0;
}

static void search(relay *r, void *user)
{
    batches *b = user;
    b->out = r;
    b->full = new_hits();
    b->status = TRAWL_ERROR_MEMORY;
    if (b->full)
        b->status = trawl_scan(b->context, ((plan_object *)b->plan)->plan, b->text.bytes,
                               b->text.length, &b->options, add, b, &b->error);
    if (!b->full || b->full->failed)
        b->status = TRAWL_ERROR_MEMORY;
    else if (b->full->count && relay_put(r, b->full))
        b->full = NULL;
    drop_hits(b->full);
}

/* ---- the iterator --------------------------------------------------------------- */

/* Taking and closing wait without the GIL, so another thread may come meanwhile. */
static bool is_free(const batches *b)
{
    if (b->in_call)
        PyErr_SetString(PyExc_RuntimeError, "the batches are in a call of another thread");
    return !b->in_call;
}

/* In a child of fork the thread is not there, and the context is in its call for ever. */
static void end(batches *b)
{
    relay *r = b->relay;
    b->relay = NULL;
    if (r && relay_close(r, b->context))
        pool_give(((plan_object *)b->plan)->contexts, b->context);
}

static hits *take(batches *b, bool *raised)
{
    b->in_call = true;
    hits *h = relay_take(b->relay, raised);
    b->in_call = false;
    return h;
}

static PyObject *next(PyObject *self)
{
    batches *b = (batches *)self;
    bool raised = false;
    if (!is_free(b))
        return NULL;
    hits *h = b->relay ? take(b, &raised) : NULL;
    if (h) {
        PyObject *array = hits_array(h);
        free(h);
        return array;
    }
    if (!b->relay || raised)
        return NULL;
    end(b);
    return b->status == TRAWL_ERROR_MEMORY ? PyErr_NoMemory()
           : b->status < 0                 ? raise_error(b->status, &b->error)
           : b->status == TRAWL_EXPIRED    ? raise_expired(NULL)
                                           : NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    batches *b = (batches *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(b->plan);
    Py_VISIT(b->text.owner);
    return 0;
}

static void dealloc(PyObject *self)
{
    batches *b = (batches *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(self);
    end(b);
    text_drop(&b->text);
    Py_XDECREF(b->plan);
    release(self);
    Py_DECREF(type);
}

/* close(): end the search. */
static PyObject *close_it(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!is_free((batches *)self))
        return NULL;
    end((batches *)self);
    Py_RETURN_NONE;
}

/* _batches(text, options, most) */
PyObject *plan_batches(PyObject *self, PyObject *args)
{
    PyObject *object, *options;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "OOn", &object, &options, &most))
        return NULL;
    batches *b = (batches *)PyType_GenericAlloc(batches_type, 0);
    if (!b)
        return NULL;
    Py_INCREF(self);
    b->plan = self;
    b->most = (size_t)most;
    if (options_parse(options, &b->options) &&
        text_get_host(object, &b->text, "a text that is searched by batches") &&
        offsets_fit(b->options.base, b->text.length))
        b->context = pool_take(((plan_object *)self)->contexts);
    b->relay = b->context ? relay_open(search, drop_hits, b) : NULL;
    if (b->relay)
        return (PyObject *)b;
    pool_give(((plan_object *)self)->contexts, b->context);
    Py_DECREF(b);
    return NULL;
}

static PyMethodDef methods[] = {
    { "close", close_it, METH_NOARGS, "End the search; there are no more batches." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_dealloc, dealloc }, { Py_tp_traverse, traverse }, { Py_tp_iter, PyObject_SelfIter },
    { Py_tp_iternext, next },   { Py_tp_methods, methods },   { 0, NULL },
};

PyType_Spec batches_spec = { "trawl._core.Batches", sizeof(batches), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots };
