/* errors.c: statuses as the exceptions of trawl._errors. */
#include <string.h>

#include "core.h"

static PyObject *function_of(const char *name)
{
    PyObject *module = PyImport_ImportModule("trawl._errors");
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return function;
}

/* Raise what a function of trawl._errors makes of the arguments, which are stolen. */
static PyObject *raise_made(const char *name, PyObject *arguments)
{
    PyObject *function = arguments ? function_of(name) : NULL;
    PyObject *exception = function ? PyObject_CallObject(function, arguments) : NULL;
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    Py_XDECREF(function);
    Py_XDECREF(arguments);
    return NULL;
}

static PyObject *index_or_none(size_t index)
{
    return index == TRAWL_NONE ? Py_BuildValue("") : PyLong_FromSize_t(index);
}

PyObject *raise_error(int status, const trawl_error *error)
{
    if (PyErr_Occurred())
        return NULL;
    PyObject *message =
        PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    return raise_made("make", Py_BuildValue("iNNN", status, index_or_none(error->pattern),
                                            index_or_none(error->offset), message));
}

PyObject *raise_expired(PyObject *matches)
{
    return raise_made("expired",
                      matches ? Py_BuildValue("(N)", matches) : Py_BuildValue("(O)", Py_None));
}
