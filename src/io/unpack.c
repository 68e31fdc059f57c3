/* unpack.c: see io/unpack.h. */
#include "io/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool unpack_allows(unpack_limit *limit, size_t bytes, const char **why)
{
    limit->out += bytes;
    if (!limit->ratio || limit->out <= UNPACK_FREE || limit->out / limit->ratio <= *limit->taken)
        return true;
    *why = "unpacks to much more than its size, as what is made to fill a disk does: its rest was "
           "not read; --max-ratio N allows N bytes for one (0: any number)";
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

bool unpack_source(source *s, const char *kind, const unpack_options *options)
{
    const struct stat facts = s->facts;
    const bool fine = strcmp(kind, "gzip") != 0
                          ? unpack_filter(s, kind, options)
                          : unpack_blocks(s, options) || unpack_gzip(s, options);
    s->facts = facts; /* of the file, as before */
    return fine;
}
