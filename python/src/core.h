/* core.h: trawl._core, the extension behind the Python package.
 *
 * Idea: Python gives texts, options and names in the form that trawl.h wants them; here a call is
 * made without the GIL, and its matches go straight into the memory of a NumPy array. What is
 * convenience (defaults, names, shapes) stands in Python, in ../trawl.
 *
 * The stable ABI of Python 3.9, so that one file serves all later versions. Py_buffer is not in it
 * before 3.11: texts that are neither bytes nor arrays are seen through NumPy (text.c).
 */
#ifndef TRAWL_CORE_H
#define TRAWL_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define NPY_TARGET_VERSION NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL trawl_numpy
#ifndef TRAWL_CORE_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <limits.h>
#include <stdbool.h>
#include <trawl.h>
#include <trawl/grid.h>

/* What takes so long that Ctrl-C must end it: bytes, or cells, of a small plan (plan_work). */
#define LONG_CALL ((size_t)4 << 20)
/* A call on fewer bytes is done before another thread could have the GIL. */
#define SHORT_CALL ((size_t)2048)

/* ---- errors (errors.c) -------------------------------------------------- */

/* Raise the exception of a failed call. Always NULL. */
PyObject *raise_error(int status, const trawl_error *error);
/* Raise ExpiredError, with the matches found until then (stolen; NULL: none are kept). */
PyObject *raise_expired(PyObject *matches);

/* ---- contexts (contexts.c) ---------------------------------------------- */

/* Contexts of the same options. One that is not in a call waits for the next: opening one costs as
 * much as searching some thousand bytes. Guarded by the GIL. */
typedef struct pool pool;

/* The pool for a tuple (backend, threads, device, tuning) of str or None, int, str or None, str or
 * None: a reference. NULL: an exception. */
pool *pool_of(PyObject *settings);
void pool_hold(pool *p);
/* One that nobody holds stays for the next with its settings, if a context of them could be opened.
 * NULL: nothing. */
void pool_drop(pool *p);
bool pool_on_device(const pool *p);
/* Whether its contexts may be given an address of CUDA's: OpenCL's take it for a handle of theirs.
 * False: an exception. */
bool pool_takes_cuda(const pool *p);
/* A context that is in no call; it is the caller's until it is given back. NULL: an exception. */
trawl_context *pool_take(pool *p);
void pool_give(pool *p, trawl_context *context);

PyObject *core_release(PyObject *module, PyObject *unused);
PyObject *core_forked(PyObject *module, PyObject *unused);

/* ---- texts (text.c) ----------------------------------------------------- */

/* A text of the caller's: where it is, and what keeps it there. */
typedef struct text {
    const void *bytes;
    size_t length;
    PyObject *owner;
    bool on_device;
    void *queue; /* of a text on a device: what trawl_device_text.queue says */
} text;

/* A text of the host or of a device, for those that ask `on_device`. False: an exception. */
bool text_get(PyObject *object, text *t);
/* A text of the host: `what` it is stands in the exception that refuses a device's. */
bool text_get_host(PyObject *object, text *t, const char *what);
void text_drop(text *t);

/* ---- options (options.c) ------------------------------------------------ */

/* An integer from 0 to `most` of any type that is one; `name` stands in the exception. False: that.
 */
bool number_get(PyObject *given, const char *name, unsigned long long most, uint64_t *to);
/* Whether int64 holds the offsets of a text, or the numbers of records; `begin` is one itself.
 * False: an exception. */
bool offsets_fit(uint64_t begin, size_t length);
/* The options of a call, which Python gives as (report, base, max_matches, max_steps, max_seconds).
 * False: an exception. */
bool options_parse(PyObject *given, trawl_scan_options *options);

/* ---- matches (hits.c) --------------------------------------------------- */

/* As the dtype of the array: int64, for that is what indexes are. An unknown start, UINT64_MAX, is
 * -1 so. */
typedef struct hit {
    int64_t pattern, start, end, record;
} hit;

typedef struct grid_hit {
    int64_t needle, row, col;
} grid_hit;

#define HITS_INSIDE 64u /* need no memory */

/* A growing array of hits or grid hits. */
typedef struct hits {
    void *items;
    size_t size, count, room;
    int64_t record; /* of the call's first text */
    bool failed;    /* memory ran out */
    hit inside[HITS_INSIDE];
} hits;

bool hits_module(void); /* the dtypes; false: an exception */
void hits_begin(hits *h, size_t size);
void hits_free(hits *h);
/* Leave its memory alone: after a fork it may have been in another thread's hands. */
void hits_forget(hits *h);
int hits_add(const trawl_match *matches, size_t count, void *user);           /* a trawl_match_fn */
int hits_add_grid(const trawl_grid_match *matches, size_t count, void *user); /* of a grid */
/* An array of them, which takes the memory over. NULL: an exception. */
PyObject *hits_array(hits *h);
/* An array of a type (NPY_...) that takes memory of malloc over. NULL: an exception, and it is
 * freed. */
PyObject *memory_array(int type, void *memory, size_t count);

/* ---- calls (call.c) ----------------------------------------------------- */

typedef int (*call_fn)(void *user);

#define CALL_RAISED INT_MIN

/* fn(user), with the GIL as long as `work` says, of plan_work. What is long runs on a thread of
 * its own, while this one looks for signals ten times a second; a handler that raises cancels it.
 * Returns what fn did, or CALL_RAISED. Where a handler forks, the call is the parent's: in the
 * child *context is NULL then, and what fn had found so far (NULL: nothing) is forgotten. */
int call_run(trawl_context **context, hits *found, size_t work, call_fn fn, void *user);
/* The same with a context of a pool, which is *context meanwhile. */
int pool_call(pool *p, trawl_context **context, hits *found, size_t work, call_fn fn, void *user);

/* Compiling without the GIL, on this thread, which looks for signals meanwhile; a handler that raises
 * ends it, and the exception is set then. */
typedef struct compile_watch {
    PyThreadState *state;
    int64_t looked; /* ms */
} compile_watch;

void compile_begin(compile_watch *w, trawl_compile_options *options);
void compile_end(compile_watch *w);

/* A thread that produces items, each of which waits until it is taken. */
typedef struct relay relay;
typedef void (*relay_fn)(relay *r, void *user);

/* `drop` frees an item that nobody took. NULL: an exception. */
relay *relay_open(relay_fn fn, void (*drop)(void *item), void *user);
/* For fn: hand over an item. False: nobody wants it, nor any other; it is still fn's. */
bool relay_put(relay *r, void *item);
/* The next item, NULL at the end; *raised: or an exception, of a signal handler. */
void *relay_take(relay *r, bool *raised);
/* End the thread: relay_put becomes false; `context`, where there is one, is cancelled. False: in a
 * child of fork, where the thread never was: what it held must be left alone. */
bool relay_close(relay *r, trawl_context *context);
/* The same of a thread that may wait for a read that does not end: after a moment it is left alone.
 * `release` then frees `user`, which is the thread's and no part of an object, here or there. */
bool relay_leave(relay *r, void (*release)(void *user));

/* ---- types --------------------------------------------------------------- */

typedef struct plan_object {
    PyObject ob_base;
    const trawl_plan *plan;
    PyObject *holder; /* a capsule, shared by all objects of this plan */
    pool *contexts;
    size_t weight; /* of a byte of text, or a cell: see plan_work */
} plan_object;

extern PyType_Spec plan_spec, batches_spec, stream_spec, reader_spec;
extern PyTypeObject *batches_type, *stream_type, *reader_type; /* set once, by the module */

/* For call_run: the work on `bytes` bytes, or cells. */
size_t plan_work(const plan_object *p, size_t bytes);

PyObject *plan_batches(PyObject *self, PyObject *args);   /* batches.c */
PyObject *plan_stream(PyObject *self, PyObject *args);    /* stream.c */
PyObject *plan_find_grid(PyObject *self, PyObject *args); /* grid.c */
PyObject *plan_count_grid(PyObject *self, PyObject *args);
PyObject *plan_compile_grid(PyObject *type, PyObject *args);
PyObject *plan_find_many(PyObject *self, PyObject *args); /* many.c */
PyObject *plan_find_cut(PyObject *self, PyObject *args);
PyObject *plan_find_arrow(PyObject *self, PyObject *args);
PyObject *plan_range_needs(PyObject *self, PyObject *args); /* range.c */
PyObject *plan_range_cut(PyObject *self, PyObject *args);
PyObject *plan_find_range(PyObject *self, PyObject *args);
PyObject *plan_follow(PyObject *self, PyObject *args);
PyObject *plan_collect_device(PyObject *self, PyObject *args); /* device.c */
PyObject *core_dlpack(PyObject *module, PyObject *capsule);
int find_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                   const trawl_scan_options *options, hits *found, trawl_error *error);
int count_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                    const trawl_scan_options *options, uint64_t *count, trawl_error *error);
int count_each_on_device(trawl_context *context, const trawl_plan *plan, const text *t,
                         const trawl_scan_options *options, uint64_t *counts, trawl_error *error);
PyObject *core_reader(PyObject *module, PyObject *args); /* reader.c */
PyObject *core_content(PyObject *module, PyObject *head);

/* A plan object of `type` around a plan, which it takes over. `keep` must stay as long as it; the
 * pool is held by it too. NULL: an exception, and the plan is freed. */
PyObject *plan_wrap(PyObject *type, trawl_plan *plan, PyObject *keep, pool *contexts);

#endif
