/* find_bytes.c: see cli/find_bytes.h. */
#include "cli/find_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char shortened[] = "the file was shortened while it was searched";

/* Sets s->map, if it can be mapped. */
static const char *map_file(shared_bytes *s, const char *path, uint64_t length)
{
    size_t mapped;
    if (!source_open(s->mapped, path))
        return strerror(errno);
    if (s->mapped->mappable && source_map(s->mapped, &s->map, &mapped) && mapped < length)
        return shortened;
    if (!s->map)
        source_close(s->mapped);
    return NULL;
}

static const char *open_to_read(shared_bytes *s, const char *path, uint64_t length)
{
    const char *why;
    uint64_t own;
    s->file = s->c->open(path, &own, &why);
    return !s->file ? why : own < length ? shortened : NULL;
}

const char *shared_bytes_open(shared_bytes *s, const char *path, uint64_t length, bool map)
{
    const char *why = shared_bytes_close(s);
    if (!why && map)
        why = map_file(s, path, length);
    if (!why && !s->map)
        why = open_to_read(s, path, length);
    return why;
}

const uint8_t *shared_bytes_at(shared_bytes *s, uint64_t offset, size_t length, const char **why)
{
    if (s->map)
        return s->map + offset;
    if (length >= s->room) {
        free(s->buffer);
        s->buffer = malloc(length + 1);
        s->room = s->buffer ? length + 1 : 0;
        *why = strerror(ENOMEM);
    }
    const bool there =
        s->buffer && (!length || s->c->read(s->file, offset, s->buffer, length, why));
    return there ? s->buffer : NULL;
}

const char *shared_bytes_kept(const shared_bytes *s, uint64_t end)
{
    if (!s->map || !source_lost(s->mapped, end))
        return NULL;
    source_sound(s->mapped);
    return s->mapped->why;
}

const char *shared_bytes_close(shared_bytes *s)
{
    const char *why = s->map && source_sound(s->mapped) < s->mapped->length ? s->mapped->why : NULL;
    if (s->map)
        source_close(s->mapped);
    if (s->file)
        s->c->close(s->file);
    s->map = NULL;
    s->file = NULL;
    return why;
}
