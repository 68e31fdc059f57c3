/* hits.c: matches in the memory of an array, without a Python object each. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { WORTH_OWN = 1024 }; /* items: fewer are copied, to memory of NumPy's */

static PyArray_Descr *hit_type, *grid_type;

static PyArray_Descr *type_of(const char *const *names, int count)
{
    PyArray_Descr *type = NULL;
    PyObject *fields = PyList_New(0);
    for (int i = 0; fields && i < count; i++) {
        PyObject *field = Py_BuildValue("ss", names[i], "<i8");
        if (!field || PyList_Append(fields, field))
            Py_CLEAR(fields);
        Py_XDECREF(field);
    }
    if (fields)
        PyArray_DescrConverter(fields, &type);
    Py_XDECREF(fields);
    return type;
}

bool hits_module(void)
{
    static const char *const of_text[] = { "pattern", "start", "end", "record" };
    static const char *const of_grid[] = { "needle", "row", "col" };
    hit_type = type_of(of_text, 4);
    grid_type = hit_type ? type_of(of_grid, 3) : NULL;
    return grid_type != NULL;
}

void hits_begin(hits *h, size_t size)
{
    h->items = h->inside;
    h->size = size;
    h->count = 0;
    h->room = sizeof h->inside / size;
    h->record = 0;
    h->failed = false;
}

void hits_free(hits *h)
{
    if (h->items != h->inside)
        free(h->items);
    h->items = h->inside;
    h->count = 0;
    h->room = sizeof h->inside / h->size;
}

void hits_forget(hits *h)
{
    h->items = h->inside;
    h->count = h->room = 0;
}

/* Room for `count` more; NULL: there is none. */
static void *more(hits *h, size_t count)
{
    if (count > h->room - h->count) {
        const size_t twice = 2 * h->room, least = h->count + count;
        const size_t room = twice > least ? twice : least;
        void *grown = realloc(h->items == h->inside ? NULL : h->items, room * h->size);
        if (!grown) {
            h->failed = true;
            return NULL;
        }
        if (h->items == h->inside)
            memcpy(grown, h->inside, h->count * h->size);
        h->items = grown;
        h->room = room;
    }
    void *to = (char *)h->items + h->count * h->size;
    h->count += count;
    return to;
}

int hits_add(const trawl_match *matches, size_t count, void *user)
{
    hits *h = user;
    hit *to = more(h, count);
    if (!to)
        return 1;
    for (size_t i = 0; i < count; i++)
        to[i] = (hit){ matches[i].pattern, (int64_t)matches[i].start, (int64_t)matches[i].end,
                       h->record + (int64_t)matches[i].record };
    return 0;
}

int hits_add_grid(const trawl_grid_match *matches, size_t count, void *user)
{
    grid_hit *to = more((hits *)user, count);
    if (!to)
        return 1;
    for (size_t i = 0; i < count; i++)
        to[i] = (grid_hit){ matches[i].needle, (int64_t)matches[i].row, (int64_t)matches[i].col };
    return 0;
}

/* ---- arrays ---------------------------------------------------------------- */

static void free_memory(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, NULL));
}

/* An array that takes over memory of malloc, and a reference to its type. */
static PyObject *own(PyArray_Descr *type, void *memory, size_t count)
{
    npy_intp length = (npy_intp)count;
    PyObject *capsule = PyCapsule_New(memory, NULL, free_memory);
    PyObject *array = NULL;
    if (!capsule) {
        free(memory);
        Py_DECREF((PyObject *)type);
        return NULL;
    }
    array =
        PyArray_NewFromDescr(&PyArray_Type, type, 1, &length, NULL, memory, NPY_ARRAY_CARRAY, NULL);
    if (array && PyArray_SetBaseObject((PyArrayObject *)array, capsule)) { /* steals it */
        Py_DECREF(array);
        return NULL;
    }
    if (!array)
        Py_DECREF(capsule);
    return array;
}

PyObject *hits_array(hits *h)
{
    PyArray_Descr *type;
    npy_intp length = (npy_intp)h->count;
    PyObject *array;
    if (h->failed) {
        hits_free(h);
        return PyErr_NoMemory();
    }
    /* Each its own: an array's owner may rename the fields of its type. */
    type = PyArray_DescrNew(h->size == sizeof(hit) ? hit_type : grid_type);
    if (!type) {
        hits_free(h);
        return NULL;
    }
    if (h->count < WORTH_OWN) {
        array = PyArray_SimpleNewFromDescr(1, &length, type);
        if (array)
            memcpy(PyArray_DATA((PyArrayObject *)array), h->items, h->count * h->size);
        hits_free(h);
        return array;
    }
    void *fitted = realloc(h->items, h->count * h->size);
    array = own(type, fitted ? fitted : h->items, h->count);
    h->items = h->inside;
    hits_free(h);
    return array;
}

PyObject *memory_array(int type, void *memory, size_t count)
{
    return own(PyArray_DescrFromType(type), memory, count);
}
