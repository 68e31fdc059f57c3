/* gzip.c: what is in a gzip file, through zlib, which checks length and CRC of each member.
 *
 * A file is one member after another, as `cat a.gz b.gz` makes it; zero bytes may follow the last.
 * Other bytes there are an error after all that was unpacked, as gzip takes them. Each block of
 * bgzip is a member and says so in its header, and the last is empty: without it a file that is cut
 * between blocks would look whole.
 *
 * Invariant: in[at .. used) was read from below and not yet unpacked. Between members `inside` is
 * false. A layer that failed fails again.
 */
#include "formats/sources/unpack.h"

#ifdef TRAWL_HAVE_ZLIB

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE (128u << 10)
#define GZIP_ONLY (16 + MAX_WBITS)

typedef struct gzip {
    source *below;
    unpack_limit limit;
    z_stream z;
    gz_header head; /* of the member, when it has been read */
    uint8_t extra[6];
    const char *why; /* it failed */
    bool inside, any, ended;
    size_t at, used;
    uint8_t in[PIECE];
} gzip;

/* Have a byte of input. False at the end of what is below, or after an error: g->why. */
static bool refill(gzip *g)
{
    if (g->at < g->used)
        return true;
    const ptrdiff_t got = source_read(g->below, g->in, PIECE);
    if (got < 0)
        g->why = g->below->why;
    g->at = 0;
    g->used = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* Whether the member that has ended is a block of bgzip that another must follow. */
static bool is_block(const gzip *g)
{
    return g->head.done == 1 && g->head.extra_len == sizeof g->extra &&
           memcmp(g->extra, "BC\2", 4) == 0 && g->z.total_out > 0;
}

static bool begin_member(gzip *g)
{
    g->inside = g->any = true;
    g->head = (gz_header){ .extra = g->extra, .extra_max = sizeof g->extra };
    return inflateReset(&g->z) == Z_OK && inflateGetHeader(&g->z, &g->head) == Z_OK;
}

/* Find the begin of the next member. False at the end, or after an error. */
static bool next_member(gzip *g)
{
    while (refill(g)) {
        const uint8_t byte = g->in[g->at];
        if (byte == 0 && g->any) {
            g->at++;
        } else if (byte == 0x1f) {
            return begin_member(g);
        } else {
            g->why = "other bytes follow the end of what is compressed: they were not searched";
            return false;
        }
    }
    if (!g->why && g->any && is_block(g))
        g->why = "is cut off (gzip): bgzip's mark is missing at its end";
    g->ended = !g->why;
    return false;
}

/* One step of zlib: bytes made, 0 when it needs more input or a member ended, or failed: g->why. */
static size_t unpack_some(gzip *g, uint8_t *to, size_t length)
{
    const uInt room = length < UINT_MAX / 2 ? (uInt)length : UINT_MAX / 2;
    g->z.next_in = g->in + g->at;
    g->z.avail_in = (uInt)(g->used - g->at);
    g->z.next_out = to;
    g->z.avail_out = room;
    const int status = inflate(&g->z, Z_NO_FLUSH);
    g->at = g->used - g->z.avail_in;
    if (status == Z_STREAM_END)
        g->inside = false;
    else if (status == Z_MEM_ERROR)
        g->why = "out of memory to decompress it";
    else if (status != Z_OK && status != Z_BUF_ERROR)
        g->why = "is damaged (gzip): its rest could not be decompressed";
    return room - g->z.avail_out;
}

static ptrdiff_t gzip_read(void *state, void *bytes, size_t length, const char **why)
{
    gzip *g = state;
    uint8_t *to = bytes;
    size_t made = 0;
    while (made < length && !g->why && !g->ended) {
        if (made && g->at == g->used && !g->below->layer && !g->below->mappable)
            break; /* a pipe: what there is comes at once */
        if (!g->inside) {
            next_member(g);
            continue;
        }
        if (!refill(g)) {
            if (!g->why)
                g->why = "is cut off (gzip): the end of what is compressed is missing";
            break;
        }
        made += unpack_some(g, to + made, length - made);
    }
    if (!g->why)
        unpack_allows(&g->limit, made, &g->why);
    *why = g->why;
    return made ? (ptrdiff_t)made : g->why ? -1 : 0;
}

static void gzip_close(void *state)
{
    gzip *g = state;
    inflateEnd(&g->z);
    source_close(g->below);
    free(g->below);
    free(g);
}

bool unpack_gzip(source *s, const unpack_options *options)
{
    static const source_layer layer = { gzip_read, gzip_close };
    gzip *g = malloc(sizeof *g);
    if (g)
        memset(g, 0, offsetof(gzip, in));
    if (!g || inflateInit2(&g->z, GZIP_ONLY) != Z_OK || !(g->below = unpack_below(s))) {
        s->why = "out of memory to decompress it";
        if (g)
            inflateEnd(&g->z);
        free(g);
        return false;
    }
    g->limit = unpack_limit_of(options, unpack_taken(g->below));
    source_open_layer(s, &layer, g, g->limit.taken);
    return true;
}

#else

bool unpack_gzip(source *s, const unpack_options *options)
{
    (void)options;
    s->why = "is compressed (gzip), which this build does not read: install zlib1g-dev and build "
             "again, or decompress it first with gzip -dc";
    return false;
}

#endif
