/* device.c: texts in a device's memory, which stay where they are. */
#include <string.h>

#include "core.h"

static trawl_device_text text_on_device(const text *t)
{
    trawl_device_text d = TRAWL_DEVICE_TEXT_INIT;
    d.memory = (void *)(uintptr_t)t->bytes;
    d.length = t->length;
    d.queue = t->queue;
    return d;
}

int find_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                   const trawl_scan_options *options, hits *found, trawl_error *error)
{
    const trawl_device_text d = text_on_device(t);
    return trawl_scan_device(context, plan, &d, options, hits_add, found, error);
}

int count_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                    const trawl_scan_options *options, uint64_t *count, trawl_error *error)
{
    const trawl_device_text d = text_on_device(t);
    return trawl_count_device(context, plan, &d, options, count, error);
}

static int add_counts(const trawl_match *matches, size_t count, void *user)
{
    uint64_t *counts = user;
    for (size_t i = 0; i < count; i++)
        counts[matches[i].pattern]++;
    return 0;
}

int count_each_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                         const trawl_scan_options *options, uint64_t *counts, trawl_error *error)
{
    const trawl_device_text d = text_on_device(t);
    return trawl_scan_device(context, plan, &d, options, add_counts, counts, error);
}

/* ---- results that stay there ------------------------------------------------------ */

typedef struct work {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_device_text text;
    trawl_scan_options options;
    trawl_device_result result;
    trawl_error error;
} work;

static int collect(void *user)
{
    work *w = user;
    return trawl_collect_device(w->context, w->plan, &w->text, &w->options, &w->result, &w->error);
}

/* _collect_device(text, options, address of matches, capacity, address of counts): how many. */
PyObject *plan_collect_device(PyObject *self, PyObject *args)
{
    plan_object *p = (plan_object *)self;
    PyObject *object, *options;
    unsigned long long matches, capacity, counts;
    work w = { .plan = p->plan, .result = TRAWL_DEVICE_RESULT_INIT };
    text t;
    int status = CALL_RAISED;
    if (!PyArg_ParseTuple(args, "OOKKK", &object, &options, &matches, &capacity, &counts) ||
        !options_parse(options, &w.options) || !text_get(object, &t))
        return NULL;
    w.text = text_on_device(&t);
    w.result.matches = (void *)(uintptr_t)matches;
    w.result.capacity = capacity;
    w.result.counts = (void *)(uintptr_t)counts;
    if (!t.on_device)
        PyErr_SetString(PyExc_TypeError, "the text is not in a device's memory");
    else if (pool_takes_cuda(p->contexts))
        status = pool_call(p->contexts, &w.context, NULL, plan_work(p, t.length), collect, &w);
    text_drop(&t);
    return status == CALL_RAISED     ? NULL
           : status < 0              ? raise_error(status, &w.error)
           : status == TRAWL_EXPIRED ? raise_expired(NULL)
                                     : PyLong_FromUnsignedLongLong(w.result.count);
}

/* ---- DLPack -------------------------------------------------------------------------- */

/* The layout that https://dmlc.github.io/dlpack fixes, of capsules named "dltensor". */
typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t dimensions;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

/* Numbers of a tensor's dimensions, times `unit`. */
static PyObject *dimensions(const int64_t *numbers, int32_t count, int64_t unit)
{
    PyObject *made = PyTuple_New(count);
    for (int32_t i = 0; made && i < count; i++) {
        PyObject *number = PyLong_FromLongLong((long long)(numbers[i] * unit));
        if (!number || PyTuple_SetItem(made, i, number) != 0)
            Py_CLEAR(made);
    }
    return made;
}

/* dlpack(capsule): (address, bytes of an item, shape, strides in bytes or None), valid as long as
 * the capsule, which keeps what it had: it is only looked at. */
PyObject *core_dlpack(PyObject *module, PyObject *capsule)
{
    const dl_tensor *t = PyCapsule_GetPointer(capsule, "dltensor");
    (void)module;
    if (!t)
        return NULL;
    const uint32_t bits = (uint32_t)t->bits * t->lanes;
    if (bits % 8) {
        PyErr_Format(PyExc_ValueError, "items of %u bits are no whole bytes", (unsigned)bits);
        return NULL;
    }
    PyObject *shape = dimensions(t->shape, t->dimensions, 1);
    PyObject *strides =
        t->strides ? dimensions(t->strides, t->dimensions, bits / 8) : Py_BuildValue("");
    if (shape && strides)
        return Py_BuildValue("KINN", (unsigned long long)((uintptr_t)t->data + t->byte_offset),
                             (unsigned)bits / 8, shape, strides);
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
}
