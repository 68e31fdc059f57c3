/* source.h: files and pipes as texts.
 *
 * Three ways to read, one of which a caller takes: source_read gives bytes as they come,
 * source_lines gives blocks of whole lines, source_map gives the whole text in memory.
 * What can be mapped is mapped; the rest is read. A failure leaves its cause in errno.
 */
#ifndef TRAWL_SOURCE_H
#define TRAWL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef struct source {
    int fd;
    struct stat facts;
    bool mappable;   /* a regular file that is not empty, or a spooled copy */
    uint64_t at;     /* offset of the first byte that was not handed out yet */
    uint64_t length; /* mappable: of the file */
    void *map;       /* what is mapped now, or NULL */
    size_t map_length;
    uint8_t *buffer; /* of what cannot be mapped: for source_peek and source_lines */
    size_t room, used;
    size_t given;  /* bytes at the buffer's head that were handed out */
    size_t block;  /* size of the next block of lines */
    bool nul_ends; /* a NUL byte ends a line too: set after source_open */
    bool ended;    /* nothing more to read */
} source;

/* Open a file to read; "-" is standard input. False: errno (EISDIR for a directory).
 * source_close may be called in any case. */
bool source_open(source *s, const char *path);
void source_close(source *s);

/* The first bytes, 64 KiB at most, before anything was read; of a pipe those that come first, so
 * it waits for some. None of a terminal or another device. They stay valid until the source is
 * read, and are read then as if nobody had looked. False: errno. */
bool source_peek(source *s, const uint8_t **bytes, size_t *length);

/* At most `length` bytes, as soon as there are some; 0 at the end, -1 on an error. */
ptrdiff_t source_read(source *s, void *bytes, size_t length);

/* The next block of whole lines; only the text's last line may lack its newline. It stays
 * valid until the next call. A pipe's lines come as soon as they arrive; blocks of a file
 * grow to some MiB, and beyond only for a longer line.
 * *length is 0 at the end. False: errno. */
bool source_lines(source *s, const uint8_t **text, size_t *length);

/* The whole text of what is mappable. False: errno, or `mappable` is no longer set and the
 * text can be read. */
bool source_map(source *s, const uint8_t **text, size_t *length);

/* Copy what is still to be read into a file without a name in $TMPDIR (/tmp), and go on
 * with that: so a pipe becomes mappable, an empty one too. False: errno. */
bool source_spool(source *s);

#endif
