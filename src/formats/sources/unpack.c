/* unpack.c: see unpack.h. */
#include "formats/sources/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sources/compressed.h"

unpack_limit unpack_limit_of(const unpack_options *options, const uint64_t *taken)
{
    return (unpack_limit){ .ratio = options->ratio, .too_much = options->too_much, .taken = taken };
}

bool unpack_allows(unpack_limit *limit, size_t bytes, const char **why)
{
    limit->out += bytes;
    if (!limit->ratio || limit->out <= UNPACK_FREE || limit->out / limit->ratio <= *limit->taken)
        return true;
    *why = limit->too_much ? limit->too_much : UNPACK_TOO_MUCH;
    return false;
}

source *unpack_below(source *s)
{
    source *below = malloc(sizeof *below);
    if (!below) {
        s->why = strerror(ENOMEM);
        return NULL;
    }
    *below = *s;
    memset(s, 0, sizeof *s);
    s->fd = -1;
    return below;
}

const uint64_t *unpack_taken(const source *below)
{
    return below->layer ? below->taken : &below->at;
}

static bool pass_frame(source *s, uint64_t length)
{
    uint8_t piece[4096];
    while (length) {
        const size_t most = length < sizeof piece ? (size_t)length : sizeof piece;
        const ptrdiff_t got = source_read(s, piece, most);
        if (got == 0)
            s->why = "is cut off: it ends within a frame that is passed over (zstd, lz4)";
        if (got <= 0)
            return false;
        length -= (uint64_t)got;
    }
    return true;
}

/* Go on after the frames at the begin that are passed over, at one of zstd or lz4: *kind; NULL at
 * the end. libarchive knows files by the first frame. */
static bool pass_frames(source *s, const char **kind)
{
    const uint8_t *head;
    size_t length;
    uint64_t frame;
    if (!source_look(s, COMPRESSED_SKIP, &head, &length))
        return false;
    if (!compressed_skips(head, length))
        return true;
    while ((frame = compressed_skips(head, length)) != 0)
        if (!pass_frame(s, frame) || !source_look(s, 512, &head, &length))
            return false;
    *kind = length ? compressed_kind(head, length) : NULL;
    if (!length || (*kind && (strcmp(*kind, "zstd") == 0 || strcmp(*kind, "lz4") == 0)))
        return true;
    s->why = "is damaged: after a frame that is passed over none of zstd or lz4 follows";
    return false;
}

bool unpack_source(source *s, const char *kind, const unpack_options *options)
{
    const struct stat facts = s->facts;
    if (!pass_frames(s, &kind))
        return false;
    if (!kind) { /* nothing follows them */
        s->mappable = false;
        return true;
    }
    const bool fine = strcmp(kind, "gzip") != 0
                          ? unpack_filter(s, kind, options)
                          : unpack_blocks(s, options) || unpack_gzip(s, options);
    s->facts = facts; /* of the file, as before */
    return fine;
}
