/* arrow.c: columns of texts as Arrow's libraries hand them on: by capsules of the C data interface.
 *
 * What they point to stays where it is: a text is a place in a buffer of theirs. The structs are
 * Arrow's, whose layout is fixed (https://arrow.apache.org/docs/format/CDataInterface.html), so no
 * library of Arrow's is needed here. What is missing (null) is an empty text.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* A chunk, and the array of texts in it: a record batch of one column is a struct of one child. */
typedef struct chunk {
    struct ArrowArray array;
    const struct ArrowArray *texts;
    int64_t first; /* item of `texts` */
    size_t count;
} chunk;

struct arrow_texts {
    PyObject *capsules; /* keep what is not moved out of them */
    struct ArrowSchema schema;
    const struct ArrowSchema *kind; /* of the texts */
    struct ArrowArrayStream *stream; /* NULL: one chunk, `only`, or none any more */
    struct ArrowArray *only;
    chunk *chunks;
    size_t count, room;
};

/* ---- one text ------------------------------------------------------------------------ */

static bool is_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->n_buffers && a->null_count ? a->buffers[0] : NULL;
    return valid && !(valid[i / 8] >> i % 8 & 1);
}

static bool between(const struct ArrowArray *a, int64_t begin, int64_t end, trawl_text *t)
{
    *t = (trawl_text){ a->buffers[2] ? (const char *)a->buffers[2] + begin : "",
                       (size_t)(end - begin) };
    return begin >= 0 && end >= begin;
}

static bool view_at(const struct ArrowArray *a, int64_t i, trawl_text *t)
{
    const char *view = (const char *)a->buffers[1] + 16 * i;
    const int64_t *lengths = a->buffers[a->n_buffers - 1];
    int32_t part[4]; /* length, prefix, buffer, offset */
    memcpy(part, view, sizeof part);
    *t = (trawl_text){ view + 4, (size_t)part[0] };
    if (part[0] < 0 || part[0] <= 12)
        return part[0] >= 0;
    if (part[2] < 0 || part[2] >= a->n_buffers - 3 || part[3] < 0 ||
        (int64_t)part[3] + part[0] > lengths[part[2]])
        return false;
    t->bytes = (const char *)a->buffers[2 + part[2]] + part[3];
    return true;
}

/* An index into a dictionary; below 0: none. */
static int64_t index_at(char format, const void *indices, int64_t i)
{
    switch (format) {
    case 'c':
        return ((const int8_t *)indices)[i];
    case 'C':
        return ((const uint8_t *)indices)[i];
    case 's':
        return ((const int16_t *)indices)[i];
    case 'S':
        return ((const uint16_t *)indices)[i];
    case 'i':
        return ((const int32_t *)indices)[i];
    case 'I':
        return ((const uint32_t *)indices)[i];
    default: /* l, L */
        return ((const int64_t *)indices)[i];
    }
}

/* Item `i`, its offset in its array included. False: it has no place. */
static bool text_at(const struct ArrowSchema *kind, const struct ArrowArray *a, int64_t i,
                    trawl_text *t)
{
    const char *format = kind->format;
    *t = (trawl_text){ "", 0 };
    if (format[0] == 'n' || is_null(a, i))
        return true;
    if (kind->dictionary) {
        const struct ArrowArray *words = a->dictionary;
        const int64_t at = index_at(format[0], a->buffers[1], i);
        return at >= 0 && at < words->length &&
               text_at(kind->dictionary, words, words->offset + at, t);
    }
    switch (format[0]) {
    case 'u':
    case 'z':
        return between(a, ((const int32_t *)a->buffers[1])[i],
                       ((const int32_t *)a->buffers[1])[i + 1], t);
    case 'U':
    case 'Z':
        return between(a, ((const int64_t *)a->buffers[1])[i],
                       ((const int64_t *)a->buffers[1])[i + 1], t);
    case 'v':
        return view_at(a, i, t);
    default: { /* w:N */
        const size_t each = strtoul(format + 2, NULL, 10);
        *t = (trawl_text){ (const char *)a->buffers[1] + (size_t)i * each, each };
        return true;
    }
    }
}

bool arrow_text(const arrow_texts *a, size_t number, size_t i, trawl_text *t)
{
    const chunk *c = &a->chunks[number];
    if (text_at(a->kind, c->texts, c->first + (int64_t)i, t))
        return true;
    PyErr_Format(PyExc_ValueError, "text %zu of an Arrow array has no place in its buffers", i);
    return false;
}

/* ---- what is one ---------------------------------------------------------------------- */

static bool holds_texts(const struct ArrowSchema *kind)
{
    static const char *const plain[] = { "n", "u", "z", "U", "Z", "vu", "vz" };
    const char *format = kind->format;
    if (kind->dictionary)
        return strlen(format) == 1 && strchr("cCsSiIlL", format[0]) &&
               !kind->dictionary->dictionary && holds_texts(kind->dictionary);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(format, plain[i]) == 0)
            return true;
    return strncmp(format, "w:", 2) == 0;
}

/* Find what its texts are. False: an exception. */
static bool look_at_schema(arrow_texts *a)
{
    const struct ArrowSchema *kind = &a->schema;
    const bool batch = strcmp(kind->format, "+s") == 0;
    if (batch && kind->n_children != 1) {
        PyErr_Format(PyExc_TypeError,
                     "find_many takes one column, and this table has %lld: give one of them, as "
                     "table[\"text\"]",
                     (long long)kind->n_children);
        return false;
    }
    a->kind = batch ? kind->children[0] : kind;
    if (holds_texts(a->kind))
        return true;
    PyErr_Format(PyExc_TypeError,
                 "an Arrow array of format \"%s\" has no texts: strings and binaries have, their "
                 "views, and dictionaries of them",
                 a->kind->dictionary ? a->kind->dictionary->format : a->kind->format);
    return false;
}

static bool add_chunk(arrow_texts *a, struct ArrowArray *array)
{
    if (a->count == a->room) {
        const size_t room = 2 * a->room + 4;
        chunk *grown = realloc(a->chunks, room * sizeof *grown);
        if (!grown) {
            PyErr_NoMemory();
            return false;
        }
        a->chunks = grown;
        a->room = room;
    }
    chunk *c = &a->chunks[a->count++];
    *c = (chunk){ .array = *array };
    array->release = NULL; /* it was moved */
    return true;
}

/* Where the texts of chunks are, which do not move any more. */
static void settle(arrow_texts *a)
{
    for (size_t i = 0; i < a->count; i++) {
        chunk *c = &a->chunks[i];
        const bool batch = a->kind != &a->schema;
        c->texts = batch ? c->array.children[0] : &c->array;
        c->first = c->texts->offset + (batch ? c->array.offset : 0);
        c->count = (size_t)c->array.length;
    }
}

/* The pointer of a capsule; NULL: an exception. */
static void *pointer_of(PyObject *capsule, const char *name)
{
    return capsule ? PyCapsule_GetPointer(capsule, name) : NULL;
}

static bool open_array(arrow_texts *a)
{
    struct ArrowSchema *schema = pointer_of(PyTuple_GetItem(a->capsules, 0), "arrow_schema");
    if (!schema)
        return false;
    a->schema = *schema;
    schema->release = NULL; /* it was moved */
    a->only = pointer_of(PyTuple_GetItem(a->capsules, 1), "arrow_array");
    return a->only && look_at_schema(a);
}

/* False: an exception. */
static bool no_failure(arrow_texts *a, int failed)
{
    const char *why = failed ? a->stream->get_last_error(a->stream) : NULL;
    if (failed)
        PyErr_Format(PyExc_OSError, "the stream of Arrow arrays cannot be read: %s",
                     why ? why : strerror(failed));
    return !failed;
}

static bool open_stream(arrow_texts *a)
{
    a->stream = pointer_of(a->capsules, "arrow_array_stream");
    return a->stream && no_failure(a, a->stream->get_schema(a->stream, &a->schema)) &&
           look_at_schema(a);
}

arrow_texts *arrow_open(PyObject *object)
{
    const bool one = PyObject_HasAttrString(object, "__arrow_c_array__");
    arrow_texts *a = calloc(1, sizeof *a);
    if (!a) {
        PyErr_NoMemory();
        return NULL;
    }
    a->capsules =
        PyObject_CallMethod(object, one ? "__arrow_c_array__" : "__arrow_c_stream__", NULL);
    if (a->capsules && (one ? open_array(a) : open_stream(a)))
        return a;
    arrow_close(a);
    return NULL;
}

/* ---- chunk after chunk ------------------------------------------------------------------ */

/* A producer may need the GIL on another thread. */
static bool next_of_stream(arrow_texts *a, struct ArrowArray *array)
{
    int failed;
    Py_BEGIN_ALLOW_THREADS failed = a->stream->get_next(a->stream, array);
    Py_END_ALLOW_THREADS return no_failure(a, failed);
}

static void drop_chunks(arrow_texts *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->chunks[i].array.release)
            a->chunks[i].array.release(&a->chunks[i].array);
    a->count = 0;
}

bool arrow_next(arrow_texts *a, bool all)
{
    struct ArrowArray array = { 0 };
    drop_chunks(a);
    if (a->only && !add_chunk(a, a->only))
        return false;
    a->only = NULL;
    while (a->stream && (all || a->count == 0)) {
        if (!next_of_stream(a, &array))
            return false;
        if (!array.release) /* the end */
            break;
        if (!add_chunk(a, &array)) {
            array.release(&array);
            return false;
        }
    }
    settle(a);
    return true;
}

size_t arrow_chunks(const arrow_texts *a)
{
    return a->count;
}

size_t arrow_count(const arrow_texts *a, size_t number)
{
    return a->chunks[number].count;
}

void arrow_close(arrow_texts *a)
{
    if (!a)
        return;
    drop_chunks(a);
    free(a->chunks);
    if (a->schema.release)
        a->schema.release(&a->schema);
    Py_XDECREF(a->capsules); /* which releases the stream */
    free(a);
}
