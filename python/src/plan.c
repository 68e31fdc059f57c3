/* plan.c: plans, and one text searched with them. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "trawl/experimental.h"

/* ---- plans ------------------------------------------------------------------- */

static void free_plan(PyObject *capsule)
{
    PyObject *keep = PyCapsule_GetContext(capsule);
    trawl_plan_free(PyCapsule_GetPointer(capsule, NULL));
    Py_XDECREF(keep);
}

/* Matches take time too, and each pattern may have one at each byte. */
static size_t weight_of(const trawl_plan *plan)
{
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    return 1 + info.patterns / 32 + (size_t)info.cost;
}

size_t plan_work(const plan_object *p, size_t bytes)
{
    const size_t few = (size_t)256 << 10; /* less is done before a thread of its own is worth it */
    return bytes < few ? bytes : bytes < SIZE_MAX / p->weight ? bytes * p->weight : SIZE_MAX;
}

/* Another object of a plan whose capsule it is, which is stolen. */
static PyObject *make_object(PyObject *type, PyObject *holder, pool *contexts)
{
    plan_object *self = (plan_object *)PyType_GenericAlloc((PyTypeObject *)type, 0);
    if (!self) {
        Py_DECREF(holder);
        return NULL;
    }
    pool_hold(contexts);
    self->holder = holder;
    self->plan = PyCapsule_GetPointer(holder, NULL);
    self->contexts = contexts;
    self->weight = weight_of(self->plan);
    return (PyObject *)self;
}

PyObject *plan_wrap(PyObject *type, trawl_plan *plan, PyObject *keep, pool *contexts)
{
    PyObject *holder = PyCapsule_New(plan, NULL, free_plan);
    if (!holder) {
        trawl_plan_free(plan);
        return NULL;
    }
    Py_XINCREF(keep);
    PyCapsule_SetContext(holder, keep);
    return make_object(type, holder, contexts);
}

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(((plan_object *)self)->holder);
    pool_drop(((plan_object *)self)->contexts);
    release(self);
    Py_DECREF(type);
}

/* _on(settings): the same plan, searched elsewhere. */
static PyObject *plan_on(PyObject *self, PyObject *settings)
{
    plan_object *p = (plan_object *)self;
    pool *contexts = pool_of(settings);
    if (!contexts)
        return NULL;
    Py_INCREF(p->holder);
    PyObject *made = make_object((PyObject *)Py_TYPE(self), p->holder, contexts);
    pool_drop(contexts);
    return made;
}

/* _load(block, view, settings): from saved bytes; view: which are read where they stand. */
static PyObject *plan_load(PyObject *type, PyObject *args)
{
    PyObject *block, *settings;
    int view, status;
    text t;
    trawl_plan *plan = NULL;
    trawl_error error;
    if (!PyArg_ParseTuple(args, "OpO", &block, &view, &settings))
        return NULL;
    pool *contexts = pool_of(settings);
    if (!contexts || !text_get_host(block, &t, "a saved plan")) {
        pool_drop(contexts);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        (view ? trawl_plan_view : trawl_plan_load)(t.bytes, t.length, &plan, &error);
    Py_END_ALLOW_THREADS PyObject *made =
        status == TRAWL_OK ? plan_wrap(type, plan, view ? t.owner : NULL, contexts)
                           : raise_error(status, &error);
    pool_drop(contexts);
    text_drop(&t);
    return made;
}

static PyObject *plan_save(PyObject *self, PyObject *unused)
{
    size_t bytes;
    const char *block = trawl_plan_save(((plan_object *)self)->plan, &bytes);
    (void)unused;
    return PyBytes_FromStringAndSize(block, (Py_ssize_t)bytes);
}

/* _note(): the bytes that came with it. */
static PyObject *plan_note(PyObject *self, PyObject *unused)
{
    size_t length;
    const char *note = trawl_plan_get_note(((plan_object *)self)->plan, &length);
    (void)unused;
    return PyBytes_FromStringAndSize(note, (Py_ssize_t)length);
}

/* ---- what is in one ------------------------------------------------------------ */

static PyObject *stages_of(const trawl_plan *plan, uint32_t count)
{
    PyObject *stages = PyList_New(0);
    for (uint32_t i = 0; stages && i < count; i++) {
        trawl_stage_info s = { .size = sizeof s };
        trawl_plan_get_stage(plan, i, &s);
        PyObject *stage =
            Py_BuildValue("ssnII", s.engine, s.role, (Py_ssize_t)s.bytes, s.part, s.patterns);
        if (!stage || PyList_Append(stages, stage))
            Py_CLEAR(stages);
        Py_XDECREF(stage);
    }
    return stages;
}

/* _isa(): the instruction set of what its searches do on the CPU. */
static PyObject *plan_isa(PyObject *self, PyObject *unused)
{
    pool *contexts = ((plan_object *)self)->contexts;
    trawl_context *context = pool_take(contexts);
    (void)unused;
    if (!context)
        return NULL;
    PyObject *name = PyUnicode_FromString(trawl_context_isa(context));
    pool_give(contexts, context);
    return name;
}

static PyObject *plan_info(PyObject *self, PyObject *unused)
{
    const trawl_plan *plan = ((plan_object *)self)->plan;
    trawl_plan_info i = { .size = sizeof i };
    (void)unused;
    trawl_plan_get_info(plan, &i);
    return Py_BuildValue("ssnnKKIiIidN", i.engine, i.why, (Py_ssize_t)i.patterns,
                         (Py_ssize_t)i.bytes, (unsigned long long)i.min_length,
                         (unsigned long long)i.max_length, i.cell_size, (int)i.conditions, i.tag,
                         (int)i.keeps_texts, i.cost, stages_of(plan, i.stages));
}

static PyObject *decoded(const char *name)
{
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
}

static PyObject *plan_names(PyObject *self, PyObject *unused)
{
    const trawl_plan *plan = ((plan_object *)self)->plan;
    trawl_plan_info info = { .size = sizeof info };
    PyObject *names = PyList_New(0);
    (void)unused;
    trawl_plan_get_info(plan, &info);
    for (size_t i = 0; names && i < info.patterns; i++) {
        PyObject *name = decoded(trawl_plan_pattern_name(plan, i));
        if (!name || PyList_Append(names, name))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* _pattern(index): (text or None, syntax, flags, id, name), or None: there is none. */
static PyObject *plan_pattern(PyObject *self, PyObject *index)
{
    trawl_pattern p;
    const size_t i = PyLong_AsSize_t(index);
    if (i == (size_t)-1 && PyErr_Occurred())
        return NULL;
    if (trawl_plan_get_pattern(((plan_object *)self)->plan, i, &p) != TRAWL_OK)
        Py_RETURN_NONE;
    return Py_BuildValue("y#IIIN", (const char *)p.text, (Py_ssize_t)p.length, p.syntax, p.flags,
                         p.id, decoded(p.name ? p.name : ""));
}

/* _conditions(): of each pattern (place, word, offset, within). */
static PyObject *plan_conditions(PyObject *self, PyObject *unused)
{
    trawl_conditions c = TRAWL_CONDITIONS_INIT;
    PyObject *all = PyList_New(0);
    (void)unused;
    for (size_t i = 0;
         all && trawl_plan_get_conditions(((plan_object *)self)->plan, i, &c) == TRAWL_OK; i++) {
        PyObject *one =
            Py_BuildValue("IIKK", c.place, c.word, (unsigned long long)c.offset,
                          (unsigned long long)c.within);
        if (!one || PyList_Append(all, one))
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/* ---- compiling -------------------------------------------------------------------- */

/* Item `i` of an array of uint32, or of one that has but one. */
static uint32_t number_at(PyArrayObject *numbers, size_t i)
{
    const uint32_t *items = PyArray_DATA(numbers);
    return items[PyArray_SIZE(numbers) == 1 ? 0 : i];
}

/* Patterns that point into the tuples, which Python has checked. */
static trawl_pattern *patterns_of(PyObject *texts, PyArrayObject *syntaxes, PyArrayObject *flags,
                                  PyObject *names, size_t count)
{
    trawl_pattern *patterns = calloc(count ? count : 1, sizeof *patterns);
    for (size_t i = 0; patterns && i < count; i++) {
        PyObject *pattern = PyTuple_GetItem(texts, (Py_ssize_t)i);
        PyObject *name = names == Py_None ? Py_None : PyTuple_GetItem(names, (Py_ssize_t)i);
        patterns[i] = (trawl_pattern){ PyBytes_AsString(pattern),
                                       (size_t)PyBytes_Size(pattern),
                                       number_at(syntaxes, i),
                                       number_at(flags, i),
                                       (uint32_t)i,
                                       name == Py_None ? NULL : PyBytes_AsString(name) };
    }
    if (!patterns)
        PyErr_NoMemory();
    return patterns;
}

/* The rows of an array of uint64, as plan_conditions gives them, as conditions after an entry for
 * each, which is freed. */
static const trawl_conditions **conditions_of(PyArrayObject *rows, size_t count)
{
    const uint64_t *row = PyArray_DATA(rows);
    const trawl_conditions **entries = malloc(count * (sizeof *entries + sizeof **entries) + 1);
    trawl_conditions *to = entries ? (trawl_conditions *)(void *)(entries + count) : NULL;
    for (size_t i = 0; entries && i < count; i++, row += 4) {
        to[i] = (trawl_conditions){ sizeof *to, (uint32_t)row[0], (uint32_t)row[1], row[2],
                                    row[3] };
        entries[i] = &to[i];
    }
    if (!entries)
        PyErr_NoMemory();
    return entries;
}

static trawl_plan *compile_them(pool *contexts, const trawl_pattern *patterns, size_t count,
                                trawl_compile_options *options)
{
    trawl_context *context = pool_take(contexts);
    trawl_plan *plan = NULL;
    trawl_error error;
    compile_watch watch;
    if (!context)
        return NULL;
    options->context = context;
    compile_begin(&watch, options);
    const int status = trawl_compile(patterns, count, options, &plan, &error);
    compile_end(&watch);
    pool_give(contexts, context);
    if (status != TRAWL_OK)
        raise_error(status, &error);
    return plan;
}

/* _compile(texts, syntaxes, flags, names, conditions, engine, sample, max_memory, wm_block,
 * settings) */
static PyObject *plan_compile(PyObject *type, PyObject *args)
{
    PyObject *texts, *syntaxes, *flags, *names, *asked, *sample, *most, *settings;
    const trawl_conditions **conditions = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    unsigned block;
    text s = { 0 };
    if (!PyArg_ParseTuple(args, "OOOOOzOOIO", &texts, &syntaxes, &flags, &names, &asked,
                          &options.engine, &sample, &most, &block, &settings) ||
        !number_get(most, "max_memory", UINT64_MAX, &options.max_memory))
        return NULL;
    const size_t count = (size_t)PyTuple_Size(texts);
    if (asked != Py_None && !(conditions = conditions_of((PyArrayObject *)asked, count)))
        return NULL;
    pool *contexts = pool_of(settings);
    if (!contexts || (sample != Py_None && !text_get_host(sample, &s, "a sample"))) {
        free(conditions);
        pool_drop(contexts);
        return NULL;
    }
    options.sample = s.bytes;
    options.sample_length = s.length;
    options.wm_block = block;
    options.keep_texts = 1;
    options.conditions = conditions;
    trawl_pattern *patterns =
        patterns_of(texts, (PyArrayObject *)syntaxes, (PyArrayObject *)flags, names, count);
    trawl_plan *plan = patterns ? compile_them(contexts, patterns, count, &options) : NULL;
    free(patterns);
    free(conditions);
    text_drop(&s);
    PyObject *made = plan ? plan_wrap(type, plan, NULL, contexts) : NULL;
    pool_drop(contexts);
    return made;
}

/* ---- one text ------------------------------------------------------------------------ */

/* One call on one text. */
typedef struct work {
    trawl_context *context;
    const trawl_plan *plan;
    text text;
    trawl_scan_options options;
    trawl_error error;
    hits found;
    uint64_t count;
    uint64_t *counts;
} work;

static int find(void *user)
{
    work *w = user;
    return w->text.on_device
               ? find_on_device(w->context, w->plan, &w->text, &w->options, &w->found, &w->error)
               : trawl_scan(w->context, w->plan, w->text.bytes, w->text.length, &w->options,
                            hits_add, &w->found, &w->error);
}

static int count(void *user)
{
    work *w = user;
    return w->text.on_device
               ? count_on_device(w->context, w->plan, &w->text, &w->options, &w->count, &w->error)
               : trawl_count(w->context, w->plan, w->text.bytes, w->text.length, &w->options,
                             &w->count, &w->error);
}

static int count_each(void *user)
{
    work *w = user;
    return w->text.on_device ? count_each_on_device(w->context, w->plan, &w->text, &w->options,
                                                    w->counts, &w->error)
                             : trawl_count_each(w->context, w->plan, w->text.bytes, w->text.length,
                                                &w->options, w->counts, &w->error);
}

/* Run it for arguments (text, options). CALL_RAISED: an exception, as for any failure. */
static int run_work(PyObject *self, PyObject *args, work *w, call_fn fn)
{
    plan_object *p = (plan_object *)self;
    PyObject *object, *options;
    if (!PyArg_ParseTuple(args, "OO", &object, &options) || !options_parse(options, &w->options) ||
        !text_get(object, &w->text))
        return CALL_RAISED;
    w->plan = p->plan;
    int status = CALL_RAISED;
    if (offsets_fit(w->options.base, w->text.length) &&
        (!w->text.on_device || pool_takes_cuda(p->contexts)))
        status =
            pool_call(p->contexts, &w->context, &w->found, plan_work(p, w->text.length), fn, w);
    text_drop(&w->text);
    if (status < 0 && status != CALL_RAISED) {
        raise_error(status, &w->error);
        status = CALL_RAISED;
    }
    return status;
}

static PyObject *plan_find(PyObject *self, PyObject *args)
{
    work w;
    hits_begin(&w.found, sizeof(hit));
    const int status = run_work(self, args, &w, find);
    if (status == CALL_RAISED) {
        hits_free(&w.found);
        return NULL;
    }
    PyObject *array = hits_array(&w.found);
    return status == TRAWL_EXPIRED && array ? raise_expired(array) : array;
}

static PyObject *plan_count(PyObject *self, PyObject *args)
{
    work w;
    w.count = 0;
    const int status = run_work(self, args, &w, count);
    return status == CALL_RAISED     ? NULL
           : status == TRAWL_EXPIRED ? raise_expired(NULL)
                                     : PyLong_FromUnsignedLongLong(w.count);
}

static PyObject *plan_count_each(PyObject *self, PyObject *args)
{
    trawl_plan_info info = { .size = sizeof info };
    work w;
    trawl_plan_get_info(((plan_object *)self)->plan, &info);
    w.counts = calloc(info.patterns, sizeof *w.counts);
    if (!w.counts)
        return PyErr_NoMemory();
    const int status = run_work(self, args, &w, count_each);
    if (status == TRAWL_OK || status == TRAWL_LIMITED)
        return memory_array(NPY_INT64, w.counts, info.patterns);
    free(w.counts);
    return status == TRAWL_EXPIRED ? raise_expired(NULL) : NULL;
}

/* ---- the type -------------------------------------------------------------------------- */

static PyObject *no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type;
    (void)args;
    (void)kwargs;
    PyErr_SetString(PyExc_TypeError, "plans are made by trawl.compile, trawl.grid and trawl.load");
    return NULL;
}

static PyMethodDef methods[] = {
    { "_compile", plan_compile, METH_VARARGS | METH_CLASS, NULL },
    { "_compile_grid", plan_compile_grid, METH_VARARGS | METH_CLASS, NULL },
    { "_load", plan_load, METH_VARARGS | METH_CLASS, NULL },
    { "_on", plan_on, METH_O, NULL },
    { "_save", plan_save, METH_NOARGS, NULL },
    { "_note", plan_note, METH_NOARGS, NULL },
    { "_conditions", plan_conditions, METH_NOARGS, NULL },
    { "_info", plan_info, METH_NOARGS, NULL },
    { "_isa", plan_isa, METH_NOARGS, NULL },
    { "_names", plan_names, METH_NOARGS, NULL },
    { "_pattern", plan_pattern, METH_O, NULL },
    { "_find", plan_find, METH_VARARGS, NULL },
    { "_count", plan_count, METH_VARARGS, NULL },
    { "_count_each", plan_count_each, METH_VARARGS, NULL },
    { "_find_many", plan_find_many, METH_VARARGS, NULL },
    { "_find_cut", plan_find_cut, METH_VARARGS, NULL },
    { "_find_arrow", plan_find_arrow, METH_VARARGS, NULL },
    { "_batches", plan_batches, METH_VARARGS, NULL },
    { "_stream", plan_stream, METH_VARARGS, NULL },
    { "_find_grid", plan_find_grid, METH_VARARGS, NULL },
    { "_count_grid", plan_count_grid, METH_VARARGS, NULL },
    { "_range_needs", plan_range_needs, METH_VARARGS, NULL },
    { "_range_cut", plan_range_cut, METH_VARARGS, NULL },
    { "_find_range", plan_find_range, METH_VARARGS, NULL },
    { "_follow", plan_follow, METH_VARARGS, NULL },
    { "_collect_device", plan_collect_device, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, no_new },
    { Py_tp_dealloc, plan_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec plan_spec = { "trawl._core.Plan", sizeof(plan_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
