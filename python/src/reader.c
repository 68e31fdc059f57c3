/* reader.c: the records of a file: sequences, packets, lines, members of archives, unpacked.
 *
 * The readers are the command's (src/io), which are linked in: libtrawl itself opens no file. They
 * hand on texts by calling back, Python asks for the next one; so they run on a thread, a batch
 * ahead. A batch is some MiB of whole records: one array of bytes, one of offsets, and names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "formats/sources/compressed.h"
#include "formats/records/reader.h"
#include "formats/records/texts.h"

/* In the order of _readers.py. */
typedef enum mode {
    MODE_RECORDS,
    MODE_LINES,
    MODE_WHOLE,
    MODE_FASTA,
    MODE_FASTQ,
    MODE_SAM,
    MODE_GENBANK,
    MODE_PCAP
} mode;

/* What the thread has. */
typedef struct job {
    char *path;
    bool qualities; /* of FASTQ are wanted */
    bool at_hand; /* the file's bytes are, and are nothing that is waited for */
    source_memory memory;
    mode mode;
    unpack_options unpack;
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
} item;

static const char no_memory[] = "out of memory for its records";

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

static bool hand_over_words(job *j, const char *name, const char *why, bool warns)
{
    item *i = calloc(1, sizeof *i);
    if (!i)
        return false;
    i->warns = warns;
    i->text = strdup(name);
    i->why = strdup(why);
    if (i->text && i->why)
        return hand_over(j, i);
    drop_item(i);
    return false;
}

static bool hand_over_failure(job *j, const char *name, const char *why)
{
    return hand_over_words(j, name, why, false);
}

/* ---- batches --------------------------------------------------------------------- */

static size_t bytes_of(const batch *b, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += b->records[i].length;
    return bytes;
}

/* The first `count` records: one behind the other, without what stands between them. */
static void copy_records(item *to, const batch *b, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const record *r = &b->records[i];
        memcpy(to->bytes + at, b->bytes + r->begin, r->length);
        if (to->qualities)
            memcpy(to->qualities + at, b->qualities + r->begin, r->length);
        to->offsets[i] = (int64_t)at;
        at += r->length;
    }
    to->offsets[count] = (int64_t)at;
}

static size_t names_of(const batch *b, size_t count)
{
    const size_t last = b->records[count - 1].name;
    return last + strlen(b->names + last) + 1;
}

static item *make_item(const char *name, const reader_kind *kind, const batch *b, size_t count)
{
    item *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->count = count;
    i->length = bytes_of(b, count);
    i->names_length = kind->named ? names_of(b, count) : 0;
    i->text = strdup(name);
    i->bytes = malloc(i->length + 1);
    i->qualities = b->qualities ? malloc(i->length + 1) : NULL;
    i->offsets = malloc((count + 1) * sizeof *i->offsets);
    i->names = kind->named ? malloc(i->names_length) : NULL;
    if (!i->text || !i->bytes || (b->qualities && !i->qualities) || !i->offsets || (kind->named && !i->names)) {
        drop_item(i);
        return NULL;
    }
    copy_records(i, b, count);
    if (kind->named)
        memcpy(i->names, b->names, i->names_length);
    return i;
}

/* Hand over the batch's records, all but one that goes on, or of which there is not all. */
static bool hand_over_batch(job *j, const char *name, const reader_kind *kind, batch *b, bool part)
{
    const size_t count = b->count - part;
    item *i = count ? make_item(name, kind, b, count) : NULL;
    if (count && !i)
        return hand_over_failure(j, name, no_memory) && false;
    return !count || hand_over(j, i);
}

static bool read_text(job *j, const char *name, const reader_kind *kind, void *state)
{
    const char *why = no_memory;
    int more = 1;
    bool wanted = true, too_long = false;
    batch b;
    if (!batch_open(&b, true) ||
        (j->qualities && kind == &reader_fastq && !batch_keep_qualities(&b))) {
        batch_free(&b);
        return hand_over_failure(j, name, no_memory);
    }
    while (more > 0 && wanted) {
        more = kind->fill(state, &b, &why);
        too_long = more < 0 && b.room >= BATCH_LARGEST && b.used > BATCH_LARGEST / 2;
        wanted = hand_over_batch(j, name, kind, &b, too_long || (b.open && more != 0));
        if (more > 0)
            batch_next(&b, &b);
    }
    if (too_long)
        why = "has a record of more than 1 GiB: map the file, or feed it to a stream";
    wanted = wanted && (more >= 0 || hand_over_failure(j, name, why));
    batch_free(&b);
    return wanted;
}

/* ---- texts ------------------------------------------------------------------------- */

static const reader_kind *kind_of(const job *j, content kind)
{
    static const reader_kind *const kinds[] = {
        NULL,          &reader_lines,      &reader_text,    &reader_fasta,
        &reader_fastq, &reader_alignments, &reader_entries, &reader_capture
    };
    const reader_kind *found = j->mode == MODE_RECORDS ? reader_of(kind) : kinds[j->mode];
    return found ? found : &reader_text;
}

/* False: nobody wants more. */
static bool tell_doubt(job *j, const char *name, const content_doubt *doubt, const char *done)
{
    char odd[CONTENT_DOUBT_TEXT], why[CONTENT_DOUBT_TEXT + 100];
    content_doubt_text(doubt, odd);
    snprintf(why, sizeof why, "%s: %s", odd, done);
    return hand_over_words(j, name, why, true);
}

/* What begins as FASTA, and is read as a text. */
static bool tell_text(job *j, const char *name, source *text)
{
    const uint8_t *head;
    size_t length;
    if (!source_peek(text, &head, &length))
        return true;
    const content_doubt doubt = content_doubts(head, length);
    return !doubt.why || tell_doubt(j, name, &doubt,
                                    "it is read as one text; records=\"fasta\" takes it for "
                                    "sequences, records=\"whole\" for a text");
}

static bool take_text(void *user, const char *name, source *text, content kind)
{
    job *j = user;
    if (j->mode == MODE_RECORDS && kind == CONTENT_TEXT && !tell_text(j, name, text))
        return false;
    const reader_kind *reads = kind_of(j, kind);
    const char *why = no_memory;
    void *state = reads->open(text, &why);
    if (!state)
        return hand_over_failure(j, name, why);
    bool wanted = read_text(j, name, reads, state);
    const content_doubt *odd = reads->doubt && j->mode == MODE_RECORDS ? reads->doubt(state) : NULL;
    if (wanted && odd)
        wanted = tell_doubt(j, name, odd,
                            odd->letters ? "it is taken for a part of its sequence"
                                         : "it is read as one");
    reads->close(state);
    return wanted;
}

static void fail_text(void *user, const char *name, const char *why)
{
    hand_over_failure((job *)user, name, why);
}

static void read_all(relay *out, void *user)
{
    job *j = user;
    const texts t = { j->unpack, take_text, fail_text, j };
    source file = { 0 };
    j->out = out;
    if (j->at_hand)
        source_open_memory(&file, &j->memory);
    if (j->at_hand || source_open(&file, j->path))
        texts_of(&t, j->path, &file);
    else
        hand_over_failure(j, j->path, "cannot be opened");
    source_close(&file);
}

/* ---- the iterator --------------------------------------------------------------------- */

static PyObject *name_of(const char *name)
{
    return PyUnicode_DecodeFSDefault(name);
}

/* (text, bytes, offsets, names or None, qualities or None), or (text, why, whether it is a warning
 * only). */
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
        PyObject *qualities = i->qualities ? memory_array(NPY_UINT8, i->qualities, i->length)
                                           : Py_BuildValue("");
        i->bytes = i->qualities = NULL;
        i->offsets = NULL;
        made = Py_BuildValue("NNNy#N", name_of(i->text), bytes, offsets, i->names,
                             (Py_ssize_t)i->names_length, qualities);
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
    j->memory = (source_memory){ bytes->bytes, bytes->length, bytes->length };
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
    if (!PyArg_ParseTuple(args, "yIOOOp", &path, &mode, &threads, &ratio, &bytes,
                          &qualities) ||
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
        r->job->mode = mode <= MODE_PCAP ? (enum mode)mode : MODE_RECORDS;
        r->job->qualities = qualities != 0;
        r->job->unpack = (unpack_options){ ratio_number, (unsigned)threads_number };
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
    const unpack_options options = { 0, 1 };
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
