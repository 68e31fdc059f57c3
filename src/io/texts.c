/* texts.c: see io/texts.h. */
#include "io/texts.h"

#include <stdlib.h>
#include <string.h>

#include "io/archive.h"
#include "io/compressed.h"

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
    const uint8_t *head;
    size_t length;
    content kind;
    bool fine = texts_look(s, &head, &length, &kind);
    while (fine && kind == CONTENT_PACKED && depth++ < TEXTS_DEPTH)
        fine = unpack_source(s, compressed_kind(head, length), &t->unpack) &&
               texts_look(s, &head, &length, &kind);
    if (!fine) {
        t->fail(t->user, name, s->why);
        return true;
    }
    if (kind == CONTENT_PACKED || (kind == CONTENT_ARCHIVE && depth >= TEXTS_DEPTH)) {
        t->fail(t->user, name,
                "is packed within eight others, as what is made to fill a disk is: unpack the "
                "outer ones first");
        return true;
    }
    return kind == CONTENT_ARCHIVE ? visit_members(t, name, s, depth)
                                   : t->take(t->user, name, s, kind);
}

bool texts_of(const texts *t, const char *name, source *file)
{
    return visit(t, name, file, 0);
}
