/* range.c: a text that is searched by ranges, here and elsewhere.
 *
 * A seam is bytes in Python, as it goes from machine to machine; each call makes one of them, and
 * bytes of it again.
 */
#include <stdlib.h>

#include "core.h"
#include "trawl/range.h"

/* ---- seams as bytes --------------------------------------------------------- */

static trawl_seam *open_seam(const trawl_plan *plan, uint32_t report, PyObject *saved)
{
    trawl_seam *seam = NULL;
    trawl_error error;
    text t = { 0 };
    if (saved != Py_None && !text_get_host(saved, &t, "a seam"))
        return NULL;
    const int status = saved == Py_None
                           ? trawl_seam_open(plan, report, &seam, &error)
                           : trawl_seam_load(plan, report, t.bytes, t.length, &seam, &error);
    text_drop(&t);
    if (status != TRAWL_OK)
        raise_error(status, &error);
    return seam;
}

static PyObject *save_seam(const trawl_seam *seam)
{
    trawl_error error;
    size_t bytes = 0;
    int status = trawl_seam_save(seam, NULL, &bytes, &error);
    PyObject *saved =
        status == TRAWL_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes) : NULL;
    if (saved)
        status = trawl_seam_save(seam, PyBytes_AsString(saved), &bytes, &error);
    if (status == TRAWL_OK)
        return saved;
    Py_XDECREF(saved);
    return raise_error(status, &error);
}

/* ---- what ranges need ---------------------------------------------------------- */

/* _range_needs(report): (before, after, follows, cuts). */
PyObject *plan_range_needs(PyObject *self, PyObject *args)
{
    trawl_range_needs needs = { .size = sizeof needs };
    trawl_error error;
    unsigned report;
    if (!PyArg_ParseTuple(args, "I", &report))
        return NULL;
    const int status =
        trawl_plan_get_range_needs(((plan_object *)self)->plan, report, &needs, &error);
    if (status != TRAWL_OK)
        return raise_error(status, &error);
    return Py_BuildValue("KKii", (unsigned long long)needs.before, (unsigned long long)needs.after,
                         (int)needs.follows, (int)needs.cuts);
}

/* _range_cut(text, report): an offset, or None. */
PyObject *plan_range_cut(PyObject *self, PyObject *args)
{
    PyObject *object;
    trawl_error error;
    unsigned report;
    size_t at;
    text t;
    if (!PyArg_ParseTuple(args, "OI", &object, &report) ||
        !text_get_host(object, &t, "a text that is cut into ranges"))
        return NULL;
    const int status =
        trawl_range_cut(((plan_object *)self)->plan, report, t.bytes, t.length, &at, &error);
    text_drop(&t);
    if (status != TRAWL_OK)
        return raise_error(status, &error);
    if (at == TRAWL_NONE)
        Py_RETURN_NONE;
    return PyLong_FromSize_t(at);
}

/* ---- a range ---------------------------------------------------------------------- */

typedef struct work {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_range range;
    trawl_scan_options options;
    trawl_seam *seam;
    hits found;
    uint64_t settled;
    trawl_error error;
} work;

static int find(void *user)
{
    work *w = user;
    return trawl_scan_range(w->context, w->plan, &w->range, &w->options, w->seam, hits_add,
                            &w->found, &w->settled, &w->error);
}

/* (matches, settled, seam or None). */
static PyObject *result(work *w, int status)
{
    if (status == TRAWL_OK || (status == TRAWL_STOPPED && w->found.failed)) {
        PyObject *matches = hits_array(&w->found);
        PyObject *seam = matches && w->seam ? save_seam(w->seam) : NULL;
        if (matches && (seam || !w->seam))
            return seam ? Py_BuildValue("NKN", matches, (unsigned long long)w->settled, seam)
                        : Py_BuildValue("NKO", matches, (unsigned long long)w->settled, Py_None);
        Py_XDECREF(matches);
        return NULL;
    }
    hits_free(&w->found);
    if (status != CALL_RAISED)
        raise_error(status, &w->error);
    return NULL;
}

/* _find_range(text, options, begin, end, offset, last, follows, seam) */
PyObject *plan_find_range(PyObject *self, PyObject *args)
{
    plan_object *p = (plan_object *)self;
    PyObject *object, *options, *saved, *begin, *end, *offset;
    int last, follows;
    text t = { 0 };
    work w = { .plan = p->plan, .range = TRAWL_RANGE_INIT };
    if (!PyArg_ParseTuple(args, "OOOOOppO", &object, &options, &begin, &end, &offset, &last,
                          &follows, &saved) ||
        !options_parse(options, &w.options) ||
        !number_get(begin, "begin", INT64_MAX, &w.range.begin) ||
        !number_get(end, "end", INT64_MAX, &w.range.end) ||
        !number_get(offset, "offset", INT64_MAX, &w.range.offset) ||
        !text_get_host(object, &t, "a text that is searched by ranges"))
        return NULL;
    w.range.bytes = t.bytes;
    w.range.length = t.length;
    w.range.last = (uint32_t)last;
    hits_begin(&w.found, sizeof(hit));
    int status = CALL_RAISED;
    if (offsets_fit(w.range.offset, t.length) &&
        (!follows || (w.seam = open_seam(p->plan, w.options.report, saved))))
        status = pool_call(p->contexts, &w.context, &w.found, plan_work(p, t.length), find, &w);
    text_drop(&t);
    PyObject *made = result(&w, status);
    trawl_seam_close(w.seam);
    return made;
}

/* ---- what ranges leave to the next -------------------------------------------------- */

static PyObject *follow(trawl_seam *seam, trawl_seam *const *before, size_t count)
{
    trawl_error error;
    uint32_t again;
    const int status =
        trawl_seam_follow(seam, (const trawl_seam *const *)before, count, &again, &error);
    if (status != TRAWL_OK)
        return raise_error(status, &error);
    PyObject *saved = save_seam(seam);
    return saved ? Py_BuildValue("NN", PyBool_FromLong((long)again), saved) : NULL;
}

/* _follow(seam, before, report): (whether it is to be searched again, its seam then). */
PyObject *plan_follow(PyObject *self, PyObject *args)
{
    const trawl_plan *plan = ((plan_object *)self)->plan;
    PyObject *saved, *list, *made = NULL;
    unsigned report;
    if (!PyArg_ParseTuple(args, "OO!I", &saved, &PyList_Type, &list, &report))
        return NULL;
    const size_t count = (size_t)PyList_Size(list);
    trawl_seam **before = calloc(count + 1, sizeof(trawl_seam *));
    if (!before)
        return PyErr_NoMemory();
    trawl_seam *seam = open_seam(plan, report, saved);
    bool fine = seam != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        before[i] = open_seam(plan, report, PyList_GetItem(list, (Py_ssize_t)i));
        fine = before[i] != NULL;
    }
    if (fine)
        made = follow(seam, before, count);
    for (size_t i = 0; i < count; i++)
        trawl_seam_close(before[i]);
    free(before);
    trawl_seam_close(seam);
    return made;
}
