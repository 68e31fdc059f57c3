/* options.c: numbers as Python gives them, of any size, and the options of calls. */
#include "core.h"

static void raise_no_number(const char *name, PyObject *given)
{
    PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(given), "__name__");
    if (type)
        PyErr_Format(PyExc_TypeError, "%s is a whole number, not %S", name, type);
    Py_XDECREF(type);
}

bool number_get(PyObject *given, const char *name, unsigned long long most, uint64_t *to)
{
    PyObject *index = PyNumber_Index(given);
    if (!index) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            raise_no_number(name, given);
        }
        return false;
    }
    const unsigned long long number = PyLong_AsUnsignedLongLong(index);
    const bool outside = number == ULLONG_MAX && PyErr_Occurred();
    if (outside || number > most) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is a whole number from 0 to %llu, not %S", name, most,
                     index);
        Py_DECREF(index);
        return false;
    }
    Py_DECREF(index);
    *to = number;
    return true;
}

bool offsets_fit(uint64_t begin, size_t length)
{
    if (begin + length <= INT64_MAX)
        return true;
    PyErr_Format(PyExc_ValueError,
                 "offsets from %llu to %llu do not fit int64, as a match has them",
                 (unsigned long long)begin, (unsigned long long)(begin + length));
    return false;
}

bool options_parse(PyObject *given, trawl_scan_options *options)
{
    PyObject *base, *matches, *steps;
    *options = (trawl_scan_options)TRAWL_SCAN_OPTIONS_INIT;
    if (given == Py_None) {
        options->report = TRAWL_REPORT_EACH;
        return true;
    }
    return PyArg_ParseTuple(given, "IOOOd", &options->report, &base, &matches, &steps,
                            &options->max_seconds) &&
           number_get(base, "base", INT64_MAX, &options->base) &&
           number_get(matches, "max_matches", UINT64_MAX, &options->max_matches) &&
           number_get(steps, "max_steps", UINT64_MAX, &options->max_steps);
}
