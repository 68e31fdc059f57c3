/* archive.h: the members of tar and zip files, one after another. */
#ifndef TRAWL_ARCHIVE_H
#define TRAWL_ARCHIVE_H

#include "formats/sources/unpack.h"

typedef struct archive_reader archive_reader;

/* Whether a file that begins so is one. 512 bytes are enough to tell. */
bool archive_is_tar(const uint8_t *bytes, size_t length);
bool archive_is_zip(const uint8_t *bytes, size_t length);

/* Read the members of an archive, which is taken over: s is an open source without any then. The
 * limit is of all members together. NULL: s->why. */
archive_reader *archive_open(source *s, const unpack_options *options);

/* The next member that is a file: 1 when there is one, its name (valid until the next call) and its
 * bytes as a source, which is read and closed before the next call; 0 at the end, -1: *why, and no
 * more. A member that cannot be read says so when it is read. */
int archive_next(archive_reader *a, const char **name, source *member, const char **why);

void archive_close(archive_reader *a);

#endif
