/* many.c: many texts in one call, of a list, cut out of one buffer, or of columns of Arrow.
 *
 * A million bytes objects do not stay in a cache, and each has a header to be looked at before its
 * text is searched. So a list is searched some thousand texts at a time, which are fetched from
 * memory once; but as a whole where a limit, or a device, is for all of them.
 */
#include <stdlib.h>

#include "arrow.h"
#include "core.h"

enum { AT_ONCE = 8192 }; /* texts: as many as the library's threads have under way */

typedef struct many {
    const plan_object *of;
    trawl_context *context;
    const trawl_plan *plan;
    trawl_text *texts;
    size_t count, bytes; /* of the texts that are searched next */
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

static int search(many *m)
{
    return call_run(&m->context, &m->found, plan_work(m->of, m->bytes + m->count), scan, m);
}

static bool begin(PyObject *self, many *m, size_t most)
{
    plan_object *p = (plan_object *)self;
    m->of = p;
    m->plan = p->plan;
    m->texts = malloc((most + 1) * sizeof *m->texts);
    m->context = m->texts ? pool_take(p->contexts) : (trawl_context *)PyErr_NoMemory();
    return m->context != NULL;
}

/* What was found, or the exception of a search that failed, or has been raised. */
static PyObject *finish(PyObject *self, many *m, int status)
{
    pool_give(((plan_object *)self)->contexts, m->context);
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
    PyObject *encoded = NULL;
    if (PyUnicode_Check(object)) {
        encoded = PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
        if (!encoded)
            return false;
        object = encoded;
    }
    const bool got = text_get_host(object, &t, "each of many texts");
    Py_XDECREF(encoded);
    if (!got)
        return false;
    const bool fine = PyList_Append(kept, t.owner) == 0;
    *to = (trawl_text){ t.bytes, t.length };
    text_drop(&t);
    return fine;
}

/* Texts of a list or tuple, which holds them. */
static bool gather(many *m, PyObject *items, PyObject *kept)
{
    PyObject *(*const item)(PyObject *, Py_ssize_t) =
        PyList_Check(items) ? PyList_GetItem : PyTuple_GetItem;
    m->count = (size_t)PySequence_Size(items);
    m->bytes = 0;
    for (size_t i = 0; i < m->count; i++) {
        PyObject *object = item(items, (Py_ssize_t)i);
        char *bytes;
        Py_ssize_t length;
        if (!PyBytes_CheckExact(object)) {
            if (!add_other(object, &m->texts[i], kept))
                return false;
        } else {
            if (PyBytes_AsStringAndSize(object, &bytes, &length))
                return false;
            m->texts[i] = (trawl_text){ bytes, (size_t)length };
        }
        m->bytes += m->texts[i].length;
    }
    return offsets_fit(m->options.base, m->bytes);
}

/* Search some items of a list or tuple. The list may change while the GIL is not held; the slice
 * does not. */
static int search_some(many *m, PyObject *items, Py_ssize_t from, Py_ssize_t to)
{
    PyObject *some = (PyList_Check(items) ? PyList_GetSlice : PyTuple_GetSlice)(items, from, to);
    PyObject *kept = some ? PyList_New(0) : NULL;
    const int status = kept && gather(m, some, kept) ? search(m) : CALL_RAISED;
    Py_XDECREF(some);
    Py_XDECREF(kept);
    return status == TRAWL_OK && PyErr_CheckSignals() ? CALL_RAISED : status;
}

static int raise_changed(void)
{
    PyErr_SetString(PyExc_RuntimeError, "the list of texts became longer or shorter meanwhile");
    return CALL_RAISED;
}

static bool has_limits(const trawl_scan_options *options)
{
    return options->max_matches || options->max_steps || options->max_seconds > 0;
}

/* _find_many(texts, options) */
PyObject *plan_find_many(PyObject *self, PyObject *args)
{
    PyObject *texts, *options;
    many m;
    if (!PyArg_ParseTuple(args, "OO", &texts, &options) || !options_parse(options, &m.options))
        return NULL;
    PyObject *items = PySequence_Fast(texts, "find_many takes a list of texts");
    if (!items)
        return NULL;
    const Py_ssize_t count = PySequence_Size(items);
    const bool whole = has_limits(&m.options) || pool_on_device(((plan_object *)self)->contexts);
    const Py_ssize_t step = whole || count < AT_ONCE ? count : AT_ONCE;
    int status = CALL_RAISED;
    hits_begin(&m.found, sizeof(hit));
    if (begin(self, &m, (size_t)step))
        status = TRAWL_OK;
    for (Py_ssize_t from = 0; status == TRAWL_OK && from < count; from += step) {
        m.found.record = from;
        status = PySequence_Size(items) == count ? search_some(&m, items, from, from + step)
                                                 : raise_changed();
    }
    Py_DECREF(items);
    return finish(self, &m, status);
}

/* ---- of Arrow ---------------------------------------------------------------------- */

/* Texts [from, to) of a chunk, after those that are there. */
static bool gather_of_arrow(many *m, const arrow_texts *a, size_t chunk, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        trawl_text *t = &m->texts[m->count];
        if (!arrow_text(a, chunk, i, t))
            return false;
        m->bytes += t->length;
        m->count++;
    }
    return offsets_fit(m->options.base, m->bytes);
}

static bool room_for(many *m, size_t count)
{
    trawl_text *grown = realloc(m->texts, (count + 1) * sizeof *grown);
    if (!grown) {
        PyErr_NoMemory();
        return false;
    }
    m->texts = grown;
    return true;
}

/* All chunks at hand in one call. */
static int search_chunks(many *m, const arrow_texts *a)
{
    size_t count = 0;
    m->count = m->bytes = 0;
    for (size_t i = 0; i < arrow_chunks(a); i++)
        count += arrow_count(a, i);
    bool fine = room_for(m, count);
    for (size_t i = 0; fine && i < arrow_chunks(a); i++)
        fine = gather_of_arrow(m, a, i, 0, arrow_count(a, i));
    return fine ? search(m) : CALL_RAISED;
}

/* The chunk at hand, some texts at a time. */
static int search_chunk(many *m, const arrow_texts *a, size_t most)
{
    const size_t count = arrow_count(a, 0);
    int status = room_for(m, most < count ? most : count) ? TRAWL_OK : CALL_RAISED;
    for (size_t from = 0; status == TRAWL_OK && from < count; from += m->count) {
        const size_t to = count - from < most ? count : from + most;
        m->count = m->bytes = 0;
        status = gather_of_arrow(m, a, 0, from, to) ? search(m) : CALL_RAISED;
        m->found.record += (int64_t)m->count;
        if (status == TRAWL_OK && PyErr_CheckSignals())
            status = CALL_RAISED;
    }
    return status;
}

/* _find_arrow(column, options) */
PyObject *plan_find_arrow(PyObject *self, PyObject *args)
{
    PyObject *column, *options;
    many m;
    if (!PyArg_ParseTuple(args, "OO", &column, &options) || !options_parse(options, &m.options))
        return NULL;
    arrow_texts *a = arrow_open(column);
    if (!a)
        return NULL;
    const bool all = has_limits(&m.options);
    const size_t most = pool_on_device(((plan_object *)self)->contexts) ? SIZE_MAX : AT_ONCE;
    hits_begin(&m.found, sizeof(hit));
    int status = begin(self, &m, 0) ? TRAWL_OK : CALL_RAISED;
    while (status == TRAWL_OK) {
        if (!arrow_next(a, all))
            status = CALL_RAISED;
        else if (arrow_chunks(a) == 0)
            break;
        else
            status = all ? search_chunks(&m, a) : search_chunk(&m, a, most);
    }
    PyObject *made = finish(self, &m, status);
    arrow_close(a);
    return made;
}

/* ---- of a buffer ------------------------------------------------------------------ */

/* Text i from offset i to offset i + 1, as Arrow cuts its arrays. */
static bool cut(many *m, const text *whole, const int64_t *offsets, size_t count)
{
    m->count = count;
    m->bytes = whole->length;
    if (!offsets_fit(m->options.base, m->bytes))
        return false;
    for (size_t i = 0; i < count; i++) {
        const int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || end < begin || (uint64_t)end > whole->length) {
            PyErr_Format(PyExc_ValueError, "text %zu has no place in a buffer of %zu bytes", i,
                         whole->length);
            return false;
        }
        m->texts[i] = (trawl_text){ (const char *)whole->bytes + begin, (size_t)(end - begin) };
    }
    return true;
}

/* Offsets as one row of int64, one more than there are texts. NULL: an exception. */
static PyArrayObject *offsets_of(PyObject *given)
{
    PyObject *as_given = PyArray_FROM_O(given); /* of an array a cast that loses is refused */
    PyObject *array =
        as_given ? PyArray_FROMANY(as_given, NPY_INT64, 1, 1, NPY_ARRAY_CARRAY_RO) : NULL;
    Py_XDECREF(as_given);
    if (!array || PyArray_SIZE((PyArrayObject *)array) > 0)
        return (PyArrayObject *)array;
    PyErr_SetString(PyExc_ValueError, "there are no offsets: of n texts there are n + 1");
    Py_DECREF(array);
    return NULL;
}

/* _find_cut(buffer, offsets, options, first): of the first text, its record's number */
PyObject *plan_find_cut(PyObject *self, PyObject *args)
{
    PyObject *buffer, *given, *options, *first, *array = NULL;
    uint64_t record;
    text whole;
    many m;
    if (!PyArg_ParseTuple(args, "OOOO", &buffer, &given, &options, &first) ||
        !options_parse(options, &m.options) || !number_get(first, "first", INT64_MAX, &record) ||
        !text_get_host(buffer, &whole, "a buffer of many texts"))
        return NULL;
    PyArrayObject *offsets = offsets_of(given);
    if (offsets && offsets_fit(record, (size_t)PyArray_SIZE(offsets))) {
        const size_t count = (size_t)PyArray_SIZE(offsets) - 1;
        hits_begin(&m.found, sizeof(hit));
        m.found.record = (int64_t)record;
        const bool fine = begin(self, &m, count) && cut(&m, &whole, PyArray_DATA(offsets), count);
        array = finish(self, &m, fine ? search(&m) : CALL_RAISED);
    }
    Py_XDECREF((PyObject *)offsets);
    text_drop(&whole);
    return array;
}
