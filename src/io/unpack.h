/* unpack.h: sources of what is in compressed files and archives.
 *
 * A source over a source: what is below is taken over and closed with it. The format is that of the
 * first bytes. Whoever meets an error, or more bytes than the limit, gets what came before it
 * first.
 */
#ifndef TRAWL_UNPACK_H
#define TRAWL_UNPACK_H

#include "io/source.h"

/* Bytes that one byte of a file may become, when more than UNPACK_FREE come out. */
#define UNPACK_RATIO 250u
#define UNPACK_FREE ((uint64_t)64 << 20)

/* A limit of a layer: bytes that came out against those of the file that went in. */
typedef struct unpack_limit {
    uint64_t ratio; /* 0: none */
    uint64_t out;
    const uint64_t *taken; /* of the file that holds all */
} unpack_limit;

/* Count bytes that came out. False, and *why, when they are too many. */
bool unpack_allows(unpack_limit *limit, size_t bytes, const char **why);

/* Go on with what is in a file of a `kind` of compressed_kind. Nothing has been read of it, but
 * looked at. False: why (the source is still to be closed). */
bool unpack_source(source *s, const char *kind, uint64_t ratio);

/* The layers behind: of gzip through zlib, of the others through libarchive. False: s->why. */
bool unpack_gzip(source *s, uint64_t ratio);
bool unpack_filter(source *s, const char *kind, uint64_t ratio);

/* Put a source below another: *s moves to the heap, NULL: s->why. */
source *unpack_below(source *s);

/* What bytes of the file a source has used, for the limit of a layer over it. */
const uint64_t *unpack_taken(const source *below);

#endif
