/* unpack.h: sources of what is in compressed files and archives.
 *
 * A source over a source: what is below is taken over and closed with it. The format is that of the
 * first bytes. Whoever meets an error, or more bytes than the limit, gets what came before it
 * first.
 */
#ifndef TRAWL_UNPACK_H
#define TRAWL_UNPACK_H

#include "formats/sources/source.h"

#define UNPACK_RATIO 250u /* a usual limit */
/* What comes out whatever went in. */
#define UNPACK_FREE ((uint64_t)64 << 20)

typedef struct unpack_options {
    uint64_t ratio;   /* bytes that one of the file may become; 0: any number */
    unsigned threads; /* where a format can be unpacked by several */
    /* Why more is not read: UNPACK_TOO_MUCH, and what sets the ratio; NULL: that alone. */
    const char *too_much;
} unpack_options;

#define UNPACK_TOO_MUCH                                                                            \
    "unpacks to much more than its size, as what is made to fill a disk does: its rest was not "   \
    "read"

/* A limit of a layer: bytes that came out against those of the file that went in. */
typedef struct unpack_limit {
    uint64_t ratio; /* 0: none */
    const char *too_much;
    uint64_t out;
    const uint64_t *taken; /* of the file that holds all */
} unpack_limit;

/* The limit of these options, for a layer over `taken` bytes. */
unpack_limit unpack_limit_of(const unpack_options *options, const uint64_t *taken);

/* Count bytes that came out. False, and *why, when they are too many. */
bool unpack_allows(unpack_limit *limit, size_t bytes, const char **why);

/* Go on with what is in a file of a `kind` of compressed_kind. Nothing has been read of it, but
 * looked at. False: why (the source is still to be closed). */
bool unpack_source(source *s, const char *kind, const unpack_options *options);

/* The layers after it: of gzip through zlib, of the others through libarchive. False: s->why. */
bool unpack_gzip(source *s, const unpack_options *options);
bool unpack_filter(source *s, const char *kind, const unpack_options *options);

/* gzip's through htslib, by several threads. False: no file of bgzip, or not worth it; as it was.
 */
bool unpack_blocks(source *s, const unpack_options *options);

/* Put a source below another: *s moves to the heap, NULL: s->why. */
source *unpack_below(source *s);

/* What bytes of the file a source has used, for the limit of a layer over it. */
const uint64_t *unpack_taken(const source *below);

#endif
