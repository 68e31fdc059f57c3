/* text.c: bytes, arrays and whatever shows a buffer, as texts; nothing is copied. */
#include "core.h"

static bool get_array(PyObject *object, text *t)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyDataType_REFCHK(PyArray_DESCR(array))) {
        PyErr_SetString(PyExc_TypeError, "an array of Python objects is no text");
        return false;
    }
    const int type = PyArray_TYPE(array);
    if (type == NPY_UNICODE || type == NPY_DATETIME || type == NPY_TIMEDELTA) {
        PyErr_Format(PyExc_TypeError, "an array of %R has no bytes of a text%s",
                     PyArray_DESCR(array),
                     type == NPY_UNICODE ? ": give numpy.char.encode(array)" : "");
        return false;
    }
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        PyErr_SetString(PyExc_ValueError,
                        "the array is not contiguous: give numpy.ascontiguousarray(array)");
        return false;
    }
    *t = (text){ PyArray_DATA(array), (size_t)PyArray_NBYTES(array), object, false, NULL };
    Py_INCREF(object);
    return true;
}

/* array('u'), array('w'): letters of more than a byte each, of which a pattern would match none. */
static bool has_letters(PyObject *view)
{
    PyObject *format = PyObject_GetAttrString(view, "format");
    const bool letters = format && (PyUnicode_CompareWithASCIIString(format, "u") == 0 ||
                                    PyUnicode_CompareWithASCIIString(format, "w") == 0);
    Py_XDECREF(format);
    return letters;
}

/* NumPy knows the buffer's place; the view keeps it there, so nobody can resize or close it. */
static bool get_view(PyObject *view, text *t)
{
    if (has_letters(view)) {
        PyErr_SetString(PyExc_TypeError,
                        "an array of letters has no bytes of a text: give "
                        "array.tounicode().encode()");
        return false;
    }
    PyArray_Descr *byte = PyArray_DescrFromType(NPY_UINT8);
    PyObject *array = byte ? PyArray_FromBuffer(view, byte, -1, 0) : NULL;
    if (!array)
        return false;
    const bool fine = get_array(array, t);
    if (fine) {
        Py_DECREF(t->owner);
        t->owner = view;
        Py_INCREF(view);
    }
    Py_DECREF(array);
    return fine;
}

/* What trawl._device.look_at makes of other objects: (address, bytes, queue, owner) of memory of a
 * device, or an array of the host. */
static bool get_other(PyObject *object, text *t)
{
    PyObject *module = PyImport_ImportModule("trawl._device");
    PyObject *seen = module ? PyObject_CallMethod(module, "look_at", "O", object) : NULL;
    unsigned long long address, length, queue;
    PyObject *owner;
    bool fine = false;
    Py_XDECREF(module);
    if (seen && PyArray_Check(seen)) {
        fine = get_array(seen, t);
    } else if (seen && PyArg_ParseTuple(seen, "KKKO", &address, &length, &queue, &owner)) {
        *t = (text){ (void *)(uintptr_t)address, (size_t)length, owner, true,
                     (void *)(uintptr_t)queue };
        Py_INCREF(owner);
        fine = true;
    }
    Py_XDECREF(seen);
    return fine;
}

bool text_get(PyObject *object, text *t)
{
    if (PyBytes_Check(object)) {
        *t = (text){ PyBytes_AsString(object), (size_t)PyBytes_Size(object), object, false, NULL };
        Py_INCREF(object);
        return true;
    }
    if (PyArray_Check(object))
        return get_array(object, t);
    if (PyUnicode_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a text is bytes, not str: give text.encode()");
        return false;
    }
    PyObject *view = PyMemoryView_FromObject(object);
    if (!view && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        return get_other(object, t);
    }
    const bool fine = view && get_view(view, t);
    Py_XDECREF(view);
    return fine;
}

bool text_get_host(PyObject *object, text *t, const char *what)
{
    if (!text_get(object, t))
        return false;
    if (!t->on_device)
        return true;
    PyErr_Format(
        PyExc_TypeError,
        "%s is read from the host's memory, and this is in a device's: copy it to the host "
        "(array.get() of CuPy, array.cpu() of PyTorch)",
        what);
    text_drop(t);
    return false;
}

void text_drop(text *t)
{
    Py_CLEAR(t->owner);
}
