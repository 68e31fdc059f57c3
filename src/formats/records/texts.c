/* texts.c: see texts.h. */
#include "formats/records/texts.h"

#include <stdlib.h>
#include <string.h>

#include "formats/records/reader.h"
#include "formats/sources/archive.h"
#include "formats/sources/compressed.h"

bool texts_look(source *s, const uint8_t **head, size_t *length, content *kind)
{
    size_t least;
    if (!source_peek(s, head, length))
        return false;
    *kind = content_of(*head, *length, *length == 0, &least);
    while (least > *length) {
        if (!source_look(s, least, head, length))
            return false;
        *kind = content_of(*head, *length, *length < least, &least);
    }
    return true;
}

/* Unpack until something else is there, or it is too deep. */
static bool unpack(source *s, const unpack_options *options, content *kind, unsigned *depth)
{
    const uint8_t *head;
    size_t length;
    bool fine = texts_look(s, &head, &length, kind);
    while (fine && *kind == CONTENT_PACKED && (*depth)++ < TEXTS_DEPTH)
        fine = unpack_source(s, compressed_kind(head, length), options) &&
               texts_look(s, &head, &length, kind);
    return fine;
}

static const char nested[] =
    "is packed within eight others, as what is made to fill a disk is: unpack "
    "the outer ones first";

static const char no_memory[] = "out of memory for a member's name";

/* A file, or a member of the archive before. */
typedef struct level {
    char *name;
    source *text;
    source member;           /* that, but of the file */
    archive_reader *archive; /* NULL: the text is none */
    unsigned depth;          /* layers around what it holds */
    bool done;               /* it was given, or has ended */
} level;

struct texts {
    unpack_options unpack;
    size_t count;
    level levels[TEXTS_DEPTH + 2];
};

/* Texts whose layers are to be taken off. NULL as a name: out of memory. */
static level *enter(texts *t, source *text, char *name, unsigned depth)
{
    level *l = &t->levels[t->count++];
    *l = (level){ .name = name, .depth = depth };
    if (text)
        l->member = *text;
    l->text = &l->member;
    return l;
}

static void leave(texts *t)
{
    level *l = &t->levels[--t->count];
    archive_close(l->archive);
    if (t->count)
        source_close(&l->member);
    free(l->name);
}

texts *texts_open(source *file, const char *name, const unpack_options *options)
{
    texts *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->unpack = *options;
    enter(t, NULL, strdup(name), 0)->text = file;
    if (t->levels[0].name)
        return t;
    texts_close(t);
    return NULL;
}

void texts_close(texts *t)
{
    while (t && t->count)
        leave(t);
    free(t);
}

static char *joined(const char *name, const char *member)
{
    const size_t length = strlen(name), more = strlen(member);
    char *both = malloc(length + more + 2);
    if (both) {
        memcpy(both, name, length);
        both[length] = ':';
        memcpy(both + length + 1, member, more + 1);
    }
    return both;
}

/* What the level's text is: as texts_next, or 0 where it is an archive, which is open then. */
static int look_into(const texts *t, level *l, content *kind, const char **why)
{
    *why = NULL;
    l->done = true;
    if (!unpack(l->text, &t->unpack, kind, &l->depth))
        *why = l->text->why;
    else if (*kind == CONTENT_PACKED || (*kind == CONTENT_ARCHIVE && l->depth >= TEXTS_DEPTH))
        *why = nested;
    else if (*kind != CONTENT_ARCHIVE)
        return 1;
    else if (!(l->archive = archive_open(l->text, &t->unpack)))
        *why = l->text->why;
    l->done = *why != NULL;
    return *why ? -1 : 0;
}

int texts_next(texts *t, const char **name, source **text, content *kind, const char **why)
{
    while (t->count) {
        level *l = &t->levels[t->count - 1];
        const char *member;
        source inner;
        int got = 0;
        *name = l->name;
        *text = l->text;
        if (l->done) {
            leave(t);
        } else if (!l->archive) {
            got = look_into(t, l, kind, why);
        } else if ((got = archive_next(l->archive, &member, &inner, why)) > 0) {
            char *both = joined(l->name, member);
            *why = no_memory;
            if (both)
                enter(t, &inner, both, l->depth + 1);
            else
                source_close(&inner);
            got = both ? 0 : -1;
        } else {
            l->done = true;
        }
        if (got)
            return got;
    }
    return 0;
}

bool texts_unpack(source *s, const unpack_options *options)
{
    const uint8_t *head;
    size_t length;
    unsigned depth = 0;
    content kind;
    if (!unpack(s, options, &kind, &depth))
        return false;
    if (kind == CONTENT_PACKED)
        s->why = nested;
    else if (kind == CONTENT_ARCHIVE && source_peek(s, &head, &length) &&
             archive_is_zip(head, length))
        s->why = TEXTS_ARCHIVE;
    else
        return true;
    return false;
}

bool texts_packed(source *s)
{
    const uint8_t *head;
    size_t length;
    return source_peek(s, &head, &length) && compressed_kind(head, length);
}

/* ---- a sample --------------------------------------------------------------------- */

typedef struct sampler {
    uint8_t *to;
    size_t room, used;
} sampler;

static void take_some(sampler *s, const uint8_t *bytes, size_t length)
{
    length = length < s->room - s->used ? length : s->room - s->used;
    memcpy(s->to + s->used, bytes, length);
    s->used += length;
}

static void sample_records(sampler *s, const reader_kind *kind, source *text)
{
    const char *why = NULL;
    batch b;
    void *state = kind->open(text, &why);
    if (state && batch_open(&b, false)) {
        kind->fill(state, &b, &why);
        take_some(s, b.bytes, b.used);
    }
    if (state) {
        batch_free(&b);
        kind->close(state);
    }
}

static void sample_text(sampler *s, source *text, content kind)
{
    const reader_kind *reader = reader_of(kind);
    ptrdiff_t got = 1;
    if (reader)
        sample_records(s, reader, text);
    while (!reader && got > 0 && s->used < s->room) {
        got = source_read(text, s->to + s->used, s->room - s->used);
        s->used += got > 0 ? (size_t)got : 0;
    }
}

size_t texts_sample(const uint8_t *head, size_t length, uint8_t *to, size_t room)
{
    sampler s = { to, room, 0 };
    const unpack_options options = { UNPACK_RATIO, 1, NULL };
    source_memory memory = { .bytes = head, .left = length };
    const char *name, *why;
    source file = { 0 }, *text;
    content kind;
    source_open_memory(&file, &memory);
    texts *t = texts_open(&file, "", &options);
    for (int got = 1; t && got && s.used < s.room;) {
        got = texts_next(t, &name, &text, &kind, &why);
        if (got > 0)
            sample_text(&s, text, kind);
    }
    texts_close(t);
    source_close(&file);
    return s.used;
}
