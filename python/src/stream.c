/* stream.c: a text that comes in pieces. A stream has a context of its own until it is closed. */
#include <stdlib.h>

#include "core.h"

typedef struct stream {
    PyObject ob_base;
    PyObject *plan;
    trawl_context *context;
    trawl_stream *stream; /* NULL: it has ended */
    uint64_t end;         /* offset after what was fed */
    bool cut;             /* by a signal, and nobody has closed it since */
    bool in_call;
    hits found;
} stream;

typedef struct step {
    trawl_stream *stream;
    text piece;
    trawl_error error;
} step;

static int feed(void *user)
{
    step *s = user;
    return trawl_stream_feed(s->stream, s->piece.bytes, s->piece.length, &s->error);
}

static int next_record(void *user)
{
    step *s = user;
    return trawl_stream_break(s->stream, &s->error);
}

static int finish(void *user)
{
    step *s = user;
    return trawl_stream_close(s->stream, &s->error);
}

/* The context of a stream that is no more. */
static void give_context(stream *s)
{
    pool_give(((plan_object *)s->plan)->contexts, s->context);
    s->context = NULL;
    s->stream = NULL;
}

/* Give the stream up. It is not there where a handler has forked: then it is the parent's. */
static void drop(stream *s)
{
    if (s->context && trawl_stream_drop(s->stream, NULL) != TRAWL_OK)
        s->context = NULL; /* in a call */
    give_context(s);
}

static bool is_open(stream *s)
{
    if (s->cut)
        PyErr_SetString(PyExc_ValueError,
                        "a signal cut the stream off, and matches are lost: open a new one");
    else if (!s->stream)
        PyErr_SetString(PyExc_ValueError, "the stream is closed");
    else if (s->in_call)
        PyErr_SetString(PyExc_RuntimeError, "the stream is in a call of another thread");
    return s->stream && !s->in_call;
}

/* What a step finds. */
static PyObject *run(stream *s, step *t, size_t work, call_fn fn)
{
    t->stream = s->stream;
    s->in_call = true;
    const int status = call_run(&s->context, &s->found, work, fn, t);
    s->in_call = false;
    s->cut = status == CALL_RAISED;
    if (s->cut)
        drop(s);
    else if (fn == finish)
        give_context(s);
    if (status == CALL_RAISED || status < 0) {
        hits_free(&s->found);
        return status == CALL_RAISED ? NULL : raise_error(status, &t->error);
    }
    PyObject *array = hits_array(&s->found);
    return status == TRAWL_EXPIRED && array ? raise_expired(array) : array;
}

static PyObject *stream_feed(PyObject *self, PyObject *piece)
{
    stream *s = (stream *)self;
    step t;
    if (!text_get_host(piece, &t.piece,
                       "a stream's piece")) /* which may run Python, and so close the stream */
        return NULL;
    PyObject *array = NULL;
    if (is_open(s) && offsets_fit(s->end, t.piece.length)) {
        s->end += t.piece.length;
        array = run(s, &t, plan_work((plan_object *)s->plan, t.piece.length), feed);
    }
    text_drop(&t.piece);
    return array;
}

/* What is held back may be long: as a text of unknown length. */
static PyObject *stream_break(PyObject *self, PyObject *unused)
{
    stream *s = (stream *)self;
    step t;
    (void)unused;
    if (!is_open(s))
        return NULL;
    s->end = 0;
    return run(s, &t, SHORT_CALL, next_record);
}

static PyObject *stream_close(PyObject *self, PyObject *unused)
{
    stream *s = (stream *)self;
    step t;
    (void)unused;
    if (is_open(s))
        return run(s, &t, SHORT_CALL, finish);
    s->cut = false;
    return NULL;
}

static PyObject *stream_drop(PyObject *self, PyObject *unused)
{
    stream *s = (stream *)self;
    (void)unused;
    if (s->stream && !is_open(s))
        return NULL;
    if (s->stream)
        drop(s);
    s->cut = false;
    Py_RETURN_NONE;
}

static PyObject *stream_save(PyObject *self, PyObject *unused)
{
    stream *s = (stream *)self;
    trawl_error error;
    size_t bytes = 0;
    (void)unused;
    if (!is_open(s))
        return NULL;
    int status = trawl_stream_save(s->stream, NULL, &bytes, &error);
    PyObject *state =
        status == TRAWL_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes) : NULL;
    if (state)
        status = trawl_stream_save(s->stream, PyBytes_AsString(state), &bytes, &error);
    if (status == TRAWL_OK)
        return state;
    Py_XDECREF(state);
    return raise_error(status, &error);
}

/* restore(state) */
static PyObject *stream_restore(PyObject *self, PyObject *object)
{
    stream *s = (stream *)self;
    trawl_error error;
    text state;
    if (!text_get_host(object, &state, "a stream's state"))
        return NULL;
    if (!is_open(s)) {
        text_drop(&state);
        return NULL;
    }
    const int status = trawl_stream_restore(s->stream, state.bytes, state.length, &error);
    text_drop(&state);
    if (status != TRAWL_OK)
        return raise_error(status, &error);
    Py_RETURN_NONE;
}

static PyObject *stream_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!((stream *)self)->stream && !((stream *)self)->cut);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((stream *)self)->plan);
    return 0;
}

static void dealloc(PyObject *self)
{
    stream *s = (stream *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(self);
    if (s->stream)
        drop(s);
    if (s->plan)
        hits_free(&s->found);
    Py_XDECREF(s->plan);
    release(self);
    Py_DECREF(type);
}

/* _stream(options) */
PyObject *plan_stream(PyObject *self, PyObject *args)
{
    plan_object *p = (plan_object *)self;
    trawl_scan_options options;
    trawl_error error;
    PyObject *given;
    if (!PyArg_ParseTuple(args, "O", &given) || !options_parse(given, &options))
        return NULL;
    stream *s = (stream *)PyType_GenericAlloc(stream_type, 0);
    if (!s)
        return NULL;
    Py_INCREF(self);
    s->plan = self;
    s->end = options.base;
    hits_begin(&s->found, sizeof(hit));
    s->context = pool_take(p->contexts);
    if (s->context) {
        const int status = trawl_stream_open(s->context, p->plan, &options, hits_add, &s->found,
                                             &s->stream, &error);
        if (status == TRAWL_OK)
            return (PyObject *)s;
        give_context(s);
        raise_error(status, &error);
    }
    Py_DECREF(s);
    return NULL;
}

static PyMethodDef methods[] = {
    { "feed", stream_feed, METH_O, NULL },
    { "next_record", stream_break, METH_NOARGS, NULL },
    { "close", stream_close, METH_NOARGS, NULL },
    { "drop", stream_drop, METH_NOARGS, NULL },
    { "save", stream_save, METH_NOARGS, NULL },
    { "restore", stream_restore, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef getters[] = {
    { "closed", stream_closed, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_dealloc, dealloc },
    { Py_tp_traverse, traverse },
    { Py_tp_methods, methods },
    { Py_tp_getset, getters },
    { 0, NULL },
};

PyType_Spec stream_spec = { "trawl._core.Stream", sizeof(stream), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots };
