/* core.c: the module trawl._core; see core.h. */
#define TRAWL_CORE_MODULE
#include "core.h"

PyTypeObject *batches_type, *stream_type, *reader_type;

/* _listing(): names of engines and backends, and what they are. */
static PyObject *listing(PyObject *module, PyObject *unused)
{
    PyObject *engines = PyDict_New(), *backends = PyDict_New();
    (void)module;
    (void)unused;
    for (size_t i = 0; engines && i < trawl_engine_count(); i++) {
        PyObject *about = PyUnicode_FromString(trawl_engine_about(i));
        PyDict_SetItemString(engines, trawl_engine_name(i), about);
        Py_XDECREF(about);
    }
    for (size_t i = 0; backends && i < trawl_backend_count(); i++) {
        PyObject *about = PyUnicode_FromString(trawl_backend_about(i));
        PyDict_SetItemString(backends, trawl_backend_name(i), about);
        Py_XDECREF(about);
    }
    return Py_BuildValue("NNs", engines, backends, trawl_version());
}

/* _isas(): names of the instruction sets that run here. */
static PyObject *isas(PyObject *module, PyObject *unused)
{
    PyObject *names = PyList_New(0);
    (void)module;
    (void)unused;
    for (size_t i = 0; names && trawl_isa_name(i); i++) {
        PyObject *name = PyUnicode_FromString(trawl_isa_name(i));
        if (!name || PyList_Append(names, name))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* _devices(backend): (names, why there are none). */
static PyObject *devices(PyObject *module, PyObject *args)
{
    const char *backend;
    char why[256] = "";
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &backend))
        return NULL;
    const size_t count = trawl_device_count(backend, why);
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names && i < count; i++) {
        trawl_device_info info = { .size = sizeof info };
        if (trawl_device_get_info(backend, i, &info, NULL) != TRAWL_OK)
            info.name[0] = '\0';
        PyObject *name = PyUnicode_FromString(info.name);
        if (!name || PyList_Append(names, name))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return Py_BuildValue("Ns", names, why);
}

static PyMethodDef functions[] = {
    { "listing", listing, METH_NOARGS, NULL },
    { "devices", devices, METH_VARARGS, NULL },
    { "release", core_release, METH_NOARGS, NULL },
    { "forked", core_forked, METH_NOARGS, NULL },
    { "dlpack", core_dlpack, METH_O, NULL },
    { "reader", core_reader, METH_VARARGS, NULL },
    { "content", core_content, METH_O, NULL },
    { "isas", isas, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "trawl._core", NULL, -1, functions, NULL, NULL, NULL, NULL,
};

static PyTypeObject *type_of(PyType_Spec *spec)
{
    return (PyTypeObject *)PyType_FromSpec(spec);
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    import_array();
    PyObject *plan = (PyObject *)type_of(&plan_spec);
    batches_type = type_of(&batches_spec);
    stream_type = type_of(&stream_spec);
    reader_type = type_of(&reader_spec);
    if (!module || !plan || !batches_type || !stream_type || !reader_type || !hits_module() ||
        PyModule_AddObject(module, "Plan", plan) ||
        PyModule_AddObject(module, "Stream", (PyObject *)stream_type))
        return NULL;
    return module;
}
