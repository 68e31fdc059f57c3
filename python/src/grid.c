/* grid.c: pictures. Python gives arrays whose rows stand in memory as trawl_grid wants them, or
 * says where they are in a device's (device.c is of texts there). */
#include <stdlib.h>

#include "core.h"

/* ---- compiling ------------------------------------------------------------------- */

/* Needles of a list of (array, rows, cols, stride, name or None). False: an exception. */
static bool needles_of(PyObject *list, trawl_needle *needles, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *array, *name;
        unsigned long long rows, cols;
        Py_ssize_t stride;
        if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "OKKnO", &array, &rows, &cols,
                              &stride, &name))
            return false;
        needles[i] = (trawl_needle){
            PyArray_DATA((PyArrayObject *)array),           rows, cols, (size_t)stride, (uint32_t)i,
            name == Py_None ? NULL : PyBytes_AsString(name)
        };
    }
    return true;
}

/* Masks of a list of arrays of bytes or None, or of None. */
static const uint8_t **masks_of(PyObject *list, size_t count)
{
    const uint8_t **masks = calloc(count + 1, sizeof *masks);
    for (size_t i = 0; masks && i < count; i++) {
        PyObject *mask = PyList_GetItem(list, (Py_ssize_t)i);
        masks[i] = mask == Py_None ? NULL : PyArray_DATA((PyArrayObject *)mask);
    }
    if (!masks)
        PyErr_NoMemory();
    return masks;
}

static trawl_plan *compile_them(pool *contexts, const trawl_needle *needles, size_t count,
                                unsigned cell, trawl_compile_options *options)
{
    trawl_context *context = pool_take(contexts);
    trawl_plan *plan = NULL;
    trawl_error error;
    compile_watch watch;
    if (!context)
        return NULL;
    options->context = context;
    compile_begin(&watch, options);
    const int status = trawl_compile_grid(needles, count, cell, options, &plan, &error);
    compile_end(&watch);
    pool_give(contexts, context);
    if (status != TRAWL_OK)
        raise_error(status, &error);
    return plan;
}

/* _compile_grid(needles, cell_size, masks or None, tolerance, channel_bytes, wrong, engine,
 * max_memory, tag, note, settings) */
PyObject *plan_compile_grid(PyObject *type, PyObject *args)
{
    PyObject *list, *mask_list, *wrong, *most, *settings;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_likeness like = TRAWL_LIKENESS_INIT;
    const char *note;
    Py_ssize_t note_length;
    unsigned cell;
    if (!PyArg_ParseTuple(args, "OIOIIOzOIy#O", &list, &cell, &mask_list, &like.tolerance,
                          &like.channel_bytes, &wrong, &options.engine, &most, &options.tag, &note,
                          &note_length, &settings) ||
        !number_get(wrong, "wrong", UINT64_MAX, &like.wrong) ||
        !number_get(most, "max_memory", UINT64_MAX, &options.max_memory))
        return NULL;
    const size_t count = (size_t)PyList_Size(list);
    pool *contexts = pool_of(settings);
    if (!contexts)
        return NULL;
    trawl_needle *needles = calloc(count + 1, sizeof *needles);
    const uint8_t **masks = mask_list == Py_None ? NULL : masks_of(mask_list, count);
    trawl_plan *plan = NULL;
    like.masks = masks;
    options.note = note;
    options.note_length = (size_t)note_length;
    if (masks || like.tolerance || like.wrong)
        options.likeness = &like;
    if (!needles)
        PyErr_NoMemory();
    else if ((masks || mask_list == Py_None) && needles_of(list, needles, count))
        plan = compile_them(contexts, needles, count, cell, &options);
    free(masks);
    free(needles);
    PyObject *made = plan ? plan_wrap(type, plan, NULL, contexts) : NULL;
    pool_drop(contexts);
    return made;
}

/* ---- searching ---------------------------------------------------------------------- */

typedef struct work {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_grid grid;
    bool on_device;
    trawl_device_grid there; /* then */
    trawl_scan_options options;
    trawl_error error;
    hits found;
    uint64_t count;
} work;

static int find(void *user)
{
    work *w = user;
    return w->on_device ? trawl_scan_grid_device(w->context, w->plan, &w->there, &w->options,
                                                 hits_add_grid, &w->found, &w->error)
                        : trawl_scan_grid(w->context, w->plan, &w->grid, &w->options, hits_add_grid,
                                          &w->found, &w->error);
}

static int count(void *user)
{
    work *w = user;
    return w->on_device
               ? trawl_count_grid_device(w->context, w->plan, &w->there, &w->options, &w->count,
                                         &w->error)
               : trawl_count_grid(w->context, w->plan, &w->grid, &w->options, &w->count, &w->error);
}

/* Where the cells are: in an array, or, of (address, queue, owner), in memory of a CUDA device. */
static bool find_cells(const pool *contexts, PyObject *array, work *w)
{
    unsigned long long address, queue;
    PyObject *owner; /* stays as long as the tuple */
    w->on_device = PyTuple_Check(array);
    if (!w->on_device) {
        w->grid.cells = PyArray_DATA((PyArrayObject *)array);
        return true;
    }
    if (!PyArg_ParseTuple(array, "KKO", &address, &queue, &owner))
        return false;
    w->there = (trawl_device_grid)TRAWL_DEVICE_GRID_INIT;
    w->there.memory = (void *)(uintptr_t)address;
    w->there.rows = w->grid.rows;
    w->there.cols = w->grid.cols;
    w->there.stride = w->grid.stride;
    w->there.queue = (void *)(uintptr_t)queue;
    return pool_takes_cuda(contexts);
}

/* Run it for arguments (cells, rows, cols, stride, options). */
static int run_work(PyObject *self, PyObject *args, work *w, call_fn fn)
{
    plan_object *p = (plan_object *)self;
    PyObject *array, *options;
    unsigned long long rows, cols;
    Py_ssize_t stride;
    if (!PyArg_ParseTuple(args, "OKKnO", &array, &rows, &cols, &stride, &options) ||
        !options_parse(options, &w->options))
        return CALL_RAISED;
    w->grid = (trawl_grid){ NULL, rows, cols, (size_t)stride };
    if (!find_cells(p->contexts, array, w))
        return CALL_RAISED;
    w->plan = p->plan;
    int status =
        pool_call(p->contexts, &w->context, &w->found, plan_work(p, (size_t)(rows * cols)), fn, w);
    if (status < 0 && status != CALL_RAISED) {
        raise_error(status, &w->error);
        status = CALL_RAISED;
    }
    return status;
}

PyObject *plan_find_grid(PyObject *self, PyObject *args)
{
    work w;
    hits_begin(&w.found, sizeof(grid_hit));
    const int status = run_work(self, args, &w, find);
    if (status == CALL_RAISED) {
        hits_free(&w.found);
        return NULL;
    }
    PyObject *array = hits_array(&w.found);
    return status == TRAWL_EXPIRED && array ? raise_expired(array) : array;
}

PyObject *plan_count_grid(PyObject *self, PyObject *args)
{
    work w;
    w.count = 0;
    const int status = run_work(self, args, &w, count);
    return status == CALL_RAISED     ? NULL
           : status == TRAWL_EXPIRED ? raise_expired(NULL)
                                     : PyLong_FromUnsignedLongLong(w.count);
}
