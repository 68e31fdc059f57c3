/* find_bytes.h: the bytes of a file that ranks share, to one of them.
 *
 * A text is mapped, as one process does, by the same rules (sources/source.h): a rank has only the
 * pages that it looks at, and nothing is copied. What cannot be mapped, or is not to be
 * (TRAWL_MPI=read), is read through MPI-IO, piece by piece.
 */
#ifndef TRAWL_FIND_BYTES_H
#define TRAWL_FIND_BYTES_H

#include "cli/cluster.h"
#include "formats/sources/source.h"

/* What stands before the blank line is set, the rest is zero. */
typedef struct shared_bytes {
    const cluster *c;
    source *mapped; /* open as long as a file is mapped */

    const uint8_t *map; /* of the open file; NULL: it is read */
    void *file;         /* open to read; NULL: it is mapped, or none is open */
    uint8_t *buffer;    /* what was read last */
    size_t room;
} shared_bytes;

/* Open a file that has `length` bytes for all ranks, mapped if `map` and possible. NULL, or why it
 * failed. */
const char *shared_bytes_open(shared_bytes *s, const char *path, uint64_t length, bool map);

/* Bytes [offset, offset + length) of it, valid until the next call. NULL: *why. */
const uint8_t *shared_bytes_at(shared_bytes *s, uint64_t offset, size_t length, const char **why);

/* NULL, or why those before `end` may not have been the file's when they were looked at. */
const char *shared_bytes_kept(const shared_bytes *s, uint64_t end);

/* Close it, if one is open. NULL, or why it was not there to the end. */
const char *shared_bytes_close(shared_bytes *s);

#endif
