/* many.c: many texts in one call, of a list or cut out of one buffer. */
#include <stdlib.h>

#include "core.h"

typedef struct many {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_text *texts;
    size_t count, bytes;
    trawl_scan_options options;
    trawl_error error;
    hits found;
} many;

static int scan(void *user)
{
    many *m = user;
    return trawl_scan_many(m->context, m->plan, m->texts, m->count, &m->options, hits_add,
                           &m->found, &m->error);
}

/* Search the texts, which are freed. */
static PyObject *find_them(PyObject *self, many *m)
{
    plan_object *p = (plan_object *)self;
    int status = CALL_RAISED;
    m->plan = p->plan;
    m->context = pool_take(p->contexts);
    if (m->context)
        status = call_run(m->context, m->bytes + m->count, scan, m);
    pool_give(p->contexts, m->context);
    free(m->texts);
    if (status < 0) {
        hits_free(&m->found);
        return status == CALL_RAISED ? NULL : raise_error(status, &m->error);
    }
    PyObject *array = hits_array(&m->found);
    return status == TRAWL_EXPIRED && array ? raise_expired(array) : array;
}

/* ---- of a list ------------------------------------------------------------------ */

/* A text that is not bytes: what keeps it goes to `kept`. */
static bool add_other(PyObject *object, trawl_text *to, PyObject *kept)
{
    text t;
    if (!text_get(object, &t))
        return false;
    const bool fine = !t.on_device && PyList_Append(kept, t.owner) == 0;
    if (t.on_device)
        PyErr_SetString(PyExc_TypeError, "many texts are searched in the host's memory only");
    *to = (trawl_text){ t.bytes, t.length };
    text_drop(&t);
    return fine;
}

/* Texts of a tuple, which holds them. */
static bool gather(many *m, PyObject *tuple, PyObject *kept)
{
    m->count = (size_t)PyTuple_Size(tuple);
    m->bytes = 0;
    m->texts = malloc((m->count + 1) * sizeof *m->texts);
    if (!m->texts) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        PyObject *object = PyTuple_GetItem(tuple, (Py_ssize_t)i);
        if (PyBytes_Check(object)) {
            m->texts[i] = (trawl_text){ PyBytes_AsString(object), (size_t)PyBytes_Size(object) };
        } else if (!add_other(object, &m->texts[i], kept)) {
            free(m->texts);
            return false;
        }
        m->bytes += m->texts[i].length;
    }
    return true;
}

/* _find_many(texts, options, record) */
PyObject *plan_find_many(PyObject *self, PyObject *args)
{
    PyObject *texts, *options, *array = NULL;
    long long record;
    many m;
    if (!PyArg_ParseTuple(args, "OOL", &texts, &options, &record) ||
        !options_parse(options, &m.options))
        return NULL;
    /* The list may change while the GIL is not held; the tuple does not. */
    PyObject *tuple = PySequence_Tuple(texts), *kept = tuple ? PyList_New(0) : NULL;
    hits_begin(&m.found, sizeof(hit));
    m.found.record = record;
    if (kept && gather(&m, tuple, kept))
        array = find_them(self, &m);
    Py_XDECREF(tuple);
    Py_XDECREF(kept);
    return array;
}

/* ---- of a buffer ------------------------------------------------------------------ */

/* Text i from offset i to offset i + 1, as Arrow cuts its arrays. */
static bool cut(many *m, const text *whole, const int64_t *offsets, size_t count)
{
    m->count = count;
    m->bytes = whole->length;
    m->texts = malloc((count + 1) * sizeof *m->texts);
    if (!m->texts) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || end < begin || (uint64_t)end > whole->length) {
            PyErr_Format(PyExc_ValueError, "text %zu has no place in a buffer of %zu bytes", i,
                         whole->length);
            free(m->texts);
            return false;
        }
        m->texts[i] = (trawl_text){ (const char *)whole->bytes + begin, (size_t)(end - begin) };
    }
    return true;
}

/* _find_cut(buffer, offsets, options, record): offsets is an array of int64, one more than texts.
 */
PyObject *plan_find_cut(PyObject *self, PyObject *args)
{
    PyObject *buffer, *offsets, *options, *array = NULL;
    long long record;
    text whole;
    many m;
    if (!PyArg_ParseTuple(args, "OOOL", &buffer, &offsets, &options, &record) ||
        !options_parse(options, &m.options) || !text_get(buffer, &whole))
        return NULL;
    PyArrayObject *places = (PyArrayObject *)offsets;
    hits_begin(&m.found, sizeof(hit));
    m.found.record = record;
    if (whole.on_device)
        PyErr_SetString(PyExc_TypeError, "many texts are searched in the host's memory only");
    else if (cut(&m, &whole, PyArray_DATA(places), (size_t)PyArray_SIZE(places) - 1))
        array = find_them(self, &m);
    text_drop(&whole);
    return array;
}
