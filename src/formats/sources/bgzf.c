/* bgzf.c: what is in a file of bgzip, whose blocks htslib unpacks by several threads.
 *
 * Only of files worth it; smaller ones, and pipes, are gzip to gzip.c, as they are to gzip.
 * htslib is loaded when the first such file is met.
 */
#include "formats/sources/unpack.h"

#ifdef TRAWL_HAVE_HTS

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/sources/library.h"

#define WORTH ((uint64_t)4 << 20)
#define MAX_THREADS 16u

/* clang-format off */
#define CALLS(LINE)                                                                            \
    LINE(BGZF *, bgzf_dopen, (int, const char *))                                              \
    LINE(int, bgzf_mt, (BGZF *, int, int))                                                     \
    LINE(ssize_t, bgzf_read, (BGZF *, void *, size_t))                                         \
    LINE(int, bgzf_check_EOF, (BGZF *))                                                        \
    LINE(int, bgzf_close, (BGZF *))                                                            \
    LINE(void, hts_set_log_level, (enum htsLogLevel))
/* clang-format on */

/* Errors are ours to tell. */
LIBRARY(CALLS, lib.hts_set_log_level(HTS_LOG_OFF), "libhts.so.3", "libhts.so")

typedef struct blocks {
    source *below;
    BGZF *file;
    unpack_limit limit;
    const char *why;
    bool uncertain; /* the mark at the file's end is missing */
} blocks;

static ptrdiff_t blocks_read(void *state, void *bytes, size_t length, const char **why)
{
    blocks *b = state;
    const ssize_t got = b->why ? -1 : lib.bgzf_read(b->file, bytes, length);
    if (got < 0 && !b->why)
        b->why = "is damaged (gzip): its rest could not be decompressed";
    if (got == 0 && b->uncertain)
        b->why = "is cut off (gzip): bgzip's mark is missing at its end";
    if (got > 0)
        unpack_allows(&b->limit, (size_t)got, &b->why);
    *why = b->why;
    return got == 0 && b->why ? -1 : got;
}

static void blocks_close(void *state)
{
    blocks *b = state;
    lib.bgzf_close(b->file);
    source_close(b->below);
    free(b->below);
    free(b);
}

/* A descriptor of its own, at the begin of the text. */
static BGZF *open_file(const source *s)
{
    const int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return NULL;
    BGZF *file = lseek(fd, (off_t)s->begin, SEEK_SET) < 0 ? NULL : lib.bgzf_dopen(fd, "r");
    if (!file)
        close(fd);
    return file;
}

bool unpack_blocks(source *s, const unpack_options *options)
{
    static const source_layer layer = { blocks_read, blocks_close };
    const uint8_t *head;
    size_t length;
    const bool gzip = source_peek(s, &head, &length) && length >= 18;
    if (!gzip || !(head[3] & 4) || memcmp(head + 10, "\6\0BC\2\0", 6) != 0 || !s->mappable ||
        s->length < WORTH || s->length == UINT64_MAX)
        return false;
    blocks *b = library_there() ? calloc(1, sizeof *b) : NULL;
    BGZF *file = b ? open_file(s) : NULL;
    if (!file || !(b->below = unpack_below(s))) {
        if (file)
            lib.bgzf_close(file);
        free(b);
        return false;
    }
    const unsigned threads = options->threads < MAX_THREADS ? options->threads : MAX_THREADS;
    b->file = file;
    b->limit = unpack_limit_of(options, &b->below->length);
    b->uncertain = lib.bgzf_check_EOF(file) == 0;
    if (threads > 1)
        lib.bgzf_mt(file, (int)threads, 0);
    source_open_layer(s, &layer, b, b->limit.taken);
    return true;
}

#else

bool unpack_blocks(source *s, const unpack_options *options)
{
    (void)s;
    (void)options;
    return false;
}

#endif
