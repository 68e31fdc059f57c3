/* reader.c: the records of a file: sequences, packets, lines, members of archives, unpacked.
 *
 * The readers are those of trawl/formats.h, which run on a thread, a batch ahead of what Python
 * asks for. A batch is some MiB of whole records: one array of bytes, one of offsets, and names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "formats/records/texts.h"
#include "formats/sources/compressed.h"
#include "trawl/formats.h"

/* What the thread has. */
typedef struct job {
    char *path;
    bool at_hand; /* the file's bytes are, and are nothing that is waited for */
    const void *bytes;
    size_t length;
    trawl_reader_options options;
    relay *out;
} job;

typedef struct reader {
    PyObject ob_base;
    text bytes; /* of the file, where they are at hand; it has no owner where they are not */
    job *job;
    relay *relay;
} reader;

/* What is handed over: a batch of a text, or why a text could not be read. */
typedef struct item {
    char *text; /* the file's name, and the members' in it */
    char *why;  /* NULL: a batch */
    bool warns; /* ... what may not be meant so, and the batches follow */
    uint8_t *bytes;
    uint8_t *qualities; /* one for each byte; NULL: there are none, or they are not wanted */
    int64_t *offsets;
    char *names; /* each ended by a NUL byte; NULL: records of this kind have none */
    size_t length, count, names_length;
    bool cut; /* the last record is cut off, and the next item says why */
} item;

static void drop_item(void *user)
{
    item *i = user;
    free(i->text);
    free(i->why);
    free(i->bytes);
    free(i->qualities);
    free(i->offsets);
    free(i->names);
    free(i);
}

/* False: nobody wants more. */
static bool hand_over(job *j, item *i)
{
    if (relay_put(j->out, i))
        return true;
    drop_item(i);
    return false;
}

/* Why a text could not be read, or may not be meant so. */
static bool hand_over_words(job *j, const trawl_file_error *said, bool warns)
{
    char why[sizeof said->message + 40];
    item *i = calloc(1, sizeof *i);
    if (!i)
        return false;
    i->warns = warns;
    if (said->line)
        snprintf(why, sizeof why, "line %llu%s %s", (unsigned long long)said->line,
                 warns ? "" : ":", said->message);
    else
        snprintf(why, sizeof why, "%s", said->message);
    i->text = strdup(said->text);
    i->why = strdup(why);
    if (i->text && i->why)
        return hand_over(j, i);
    drop_item(i);
    return false;
}

/* ---- batches --------------------------------------------------------------------- */

static void warn(const trawl_file_error *warning, void *user)
{
    hand_over_words((job *)user, warning, true);
}

/* One after the other, without what stands between them. */
static void copy_records(item *to, const trawl_records *from)
{
    size_t at = 0, name = 0;
    for (size_t i = 0; i < from->count; i++) {
        const trawl_text *text = &from->texts[i];
        memcpy(to->bytes + at, text->bytes, text->length);
        if (to->qualities)
            memcpy(to->qualities + at, from->qualities[i], text->length);
        to->offsets[i] = (int64_t)at;
        at += text->length;
        if (to->names)
            name += (size_t)(stpcpy(to->names + name, from->names[i]) + 1 - (to->names + name));
    }
    to->offsets[from->count] = (int64_t)at;
}

static item *make_item(const trawl_records *from)
{
    item *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->count = from->count;
    i->cut = from->cut;
    for (size_t k = 0; k < from->count; k++) {
        i->length += from->texts[k].length;
        i->names_length += from->names ? strlen(from->names[k]) + 1 : 0;
    }
    i->text = strdup(from->text);
    i->bytes = malloc(i->length + 1);
    i->qualities = from->qualities ? malloc(i->length + 1) : NULL;
    i->offsets = malloc((i->count + 1) * sizeof *i->offsets);
    i->names = from->names ? malloc(i->names_length) : NULL;
    if (!i->text || !i->bytes || (from->qualities && !i->qualities) || !i->offsets ||
        (from->names && !i->names)) {
        drop_item(i);
        return NULL;
    }
    copy_records(i, from);
    return i;
}

static void read_all(relay *out, void *user)
{
    job *j = user;
    trawl_reader *r;
    trawl_records records = TRAWL_RECORDS_INIT;
    trawl_file_error error = { .code = TRAWL_OK };
    bool wanted = true;
    j->out = out;
    j->options.warn = warn;
    j->options.user = j;
    int status =
        j->at_hand ? trawl_reader_open_memory(j->bytes, j->length, j->path, &j->options, &r, &error)
                   : trawl_reader_open(j->path, &j->options, &r, &error);
    if (status < 0)
        hand_over_words(j, &error, false);
    while (r && wanted && (status = trawl_reader_next(r, &records, &error)) != TRAWL_END) {
        item *i = status == TRAWL_OK ? make_item(&records) : NULL;
        if (status == TRAWL_OK && !i) {
            snprintf(error.text, sizeof error.text, "%s", j->path);
            snprintf(error.message, sizeof error.message, "out of memory for its records");
        }
        wanted = i ? hand_over(j, i) : hand_over_words(j, &error, false) && status != TRAWL_OK;
    }
    trawl_reader_close(r);
}

/* ---- the iterator --------------------------------------------------------------------- */

static PyObject *name_of(const char *name)
{
    return PyUnicode_DecodeFSDefault(name);
}

/* (text, bytes, offsets, names or None, qualities or None, whether the last is cut off), or (text,
 * why, whether it is a warning only). */
static PyObject *next(PyObject *self)
{
    reader *r = (reader *)self;
    bool raised = false;
    item *i = r->relay ? relay_take(r->relay, &raised) : NULL;
    PyObject *made;
    if (!i)
        return NULL;
    if (i->why) {
        made = Py_BuildValue("NsN", name_of(i->text), i->why, PyBool_FromLong(i->warns));
    } else {
        PyObject *bytes = memory_array(NPY_UINT8, i->bytes, i->length);
        PyObject *offsets = memory_array(NPY_INT64, i->offsets, i->count + 1);
        PyObject *qualities =
            i->qualities ? memory_array(NPY_UINT8, i->qualities, i->length) : Py_BuildValue("");
        i->bytes = i->qualities = NULL;
        i->offsets = NULL;
        made = Py_BuildValue("NNNy#NN", name_of(i->text), bytes, offsets, i->names,
                             (Py_ssize_t)i->names_length, qualities, PyBool_FromLong(i->cut));
    }
    drop_item(i);
    return made;
}

static void free_job(void *user)
{
    free(((job *)user)->path);
    free(user);
}

/* What a pipe has to say may never come, so a thread that reads a file is not waited for. */
static bool end(reader *r)
{
    if (r->relay && !r->job->at_hand)
        return relay_leave(r->relay, free_job);
    if (r->relay && !relay_close(r->relay, NULL))
        return false;
    free_job(r->job);
    return true;
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((reader *)self)->bytes.owner);
    return 0;
}

static void dealloc(PyObject *self)
{
    reader *r = (reader *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(self);
    if (!r->job || end(r))
        text_drop(&r->bytes);
    release(self);
    Py_DECREF(type);
}

/* NULL: out of memory. */
static job *make_job(const char *path, const text *bytes)
{
    job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->path = strdup(path);
    j->at_hand = bytes->owner != NULL;
    j->bytes = bytes->bytes;
    j->length = bytes->length;
    if (j->path)
        return j;
    free(j);
    return NULL;
}

/* reader(path, mode, threads, ratio, bytes, qualities): bytes of the file, or None; whether
 * qualities are wanted. */
PyObject *core_reader(PyObject *module, PyObject *args)
{
    const char *path;
    unsigned mode;
    int qualities;
    uint64_t threads_number, ratio_number;
    PyObject *threads, *ratio, *bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "yIOOOp", &path, &mode, &threads, &ratio, &bytes, &qualities) ||
        !number_get(threads, "threads", UINT32_MAX, &threads_number) ||
        !number_get(ratio, "ratio", UINT64_MAX, &ratio_number))
        return NULL;
    reader *r = (reader *)PyType_GenericAlloc(reader_type, 0);
    if (!r)
        return NULL;
    if (bytes == Py_None || text_get_host(bytes, &r->bytes, "a file's data")) {
        r->job = make_job(path, &r->bytes);
        if (!r->job)
            PyErr_NoMemory();
    }
    if (r->job) {
        r->job->options = (trawl_reader_options)TRAWL_READER_OPTIONS_INIT;
        r->job->options.format = mode; /* _readers.py numbers them as trawl_format does */
        r->job->options.flags = qualities ? TRAWL_READ_QUALITIES : 0;
        r->job->options.threads = (uint32_t)threads_number;
        r->job->options.max_ratio = ratio_number ? ratio_number : UINT64_MAX;
        r->relay = relay_open(read_all, drop_item, r->job);
    }
    if (r->relay)
        return (PyObject *)r;
    Py_DECREF(r);
    return NULL;
}

/* ---- what a file holds ------------------------------------------------------------------- */

/* content(head): (how what begins so is packed, or None; what it, or what is packed, holds). */
PyObject *core_content(PyObject *module, PyObject *head)
{
    static const char *const names[] = { "text", "packed", "archive", "fasta",   "fastq", "capture",
                                         "bam",  "sam",    "cram",    "entries", "twobit" };
    const unpack_options options = { 0, 1, NULL };
    const uint8_t *look;
    size_t length;
    content kind = CONTENT_PACKED;
    source s = { 0 };
    text t;
    (void)module;
    if (!text_get_host(head, &t, "a file's head"))
        return NULL;
    source_memory memory = { t.bytes, t.length, t.length };
    const char *packed = compressed_kind(t.bytes, t.length);
    source_open_memory(&s, &memory);
    if (!texts_look(&s, &look, &length, &kind) ||
        (kind == CONTENT_PACKED &&
         (!unpack_source(&s, packed, &options) || !texts_look(&s, &look, &length, &kind))))
        kind = CONTENT_PACKED;
    PyObject *made = Py_BuildValue("zs", kind == CONTENT_ARCHIVE ? NULL : packed, names[kind]);
    source_close(&s);
    text_drop(&t);
    return made;
}

static PyType_Slot slots[] = {
    { Py_tp_dealloc, dealloc },
    { Py_tp_traverse, traverse },
    { Py_tp_iter, PyObject_SelfIter },
    { Py_tp_iternext, next },
    { 0, NULL },
};

PyType_Spec reader_spec = { "trawl._core.Reader", sizeof(reader), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots };
