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

static bool visit(const texts *t, const char *name, source *s, unsigned depth);

static char *joined(const char *name, const char *member)
{
    const size_t length = strlen(name), behind = strlen(member);
    char *both = malloc(length + behind + 2);
    if (both) {
        memcpy(both, name, length);
        both[length] = ':';
        memcpy(both + length + 1, member, behind + 1);
    }
    return both;
}

static bool visit_members(const texts *t, const char *name, source *s, unsigned depth)
{
    const char *member, *why = NULL;
    bool more = true;
    int got = 0;
    archive_reader *a = archive_open(s, &t->unpack);
    if (!a)
        t->fail(t->user, name, s->why);
    while (a && more) {
        source text;
        got = archive_next(a, &member, &text, &why);
        if (got <= 0)
            break;
        char *both = joined(name, member);
        if (both)
            more = visit(t, both, &text, depth + 1);
        else
            t->fail(t->user, name, "out of memory for a member's name");
        free(both);
        source_close(&text);
    }
    if (got < 0)
        t->fail(t->user, name, why);
    archive_close(a);
    return more;
}

static bool visit(const texts *t, const char *name, source *s, unsigned depth)
{
    content kind;
    if (!unpack(s, &t->unpack, &kind, &depth)) {
        t->fail(t->user, name, s->why);
        return true;
    }
    if (kind == CONTENT_PACKED || (kind == CONTENT_ARCHIVE && depth >= TEXTS_DEPTH)) {
        t->fail(t->user, name, nested);
        return true;
    }
    return kind == CONTENT_ARCHIVE ? visit_members(t, name, s, depth)
                                   : t->take(t->user, name, s, kind);
}

bool texts_of(const texts *t, const char *name, source *file)
{
    return visit(t, name, file, 0);
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
        s->why = "is an archive: `trawl find` searches the files in it";
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

static bool sample_text(void *user, const char *name, source *text, content kind)
{
    sampler *s = user;
    const reader_kind *reader = reader_of(kind);
    ptrdiff_t got = 1;
    (void)name;
    if (reader)
        sample_records(s, reader, text);
    while (!reader && got > 0 && s->used < s->room) {
        got = source_read(text, s->to + s->used, s->room - s->used);
        s->used += got > 0 ? (size_t)got : 0;
    }
    return s->used < s->room;
}

static void pass_failure(void *user, const char *name, const char *why)
{
    (void)user;
    (void)name;
    (void)why;
}

size_t texts_sample(const uint8_t *head, size_t length, uint8_t *to, size_t room)
{
    sampler s = { to, room, 0 };
    const texts t = { { UNPACK_RATIO, 1 }, sample_text, pass_failure, &s };
    source_memory memory = { .bytes = head, .left = length };
    source file;
    source_open_memory(&file, &memory);
    texts_of(&t, "", &file);
    source_close(&file);
    return s.used;
}
