/* source.h: files and pipes as texts.
 *
 * Three ways to read, one of which a caller takes: source_read gives bytes as they come,
 * source_lines gives blocks of whole lines, source_map gives the whole text in memory. A text
 * begins where its file stands when it is opened. What was there then is read of a file that
 * grows; one that is shortened is an error, after what could still be read.
 */
#ifndef TRAWL_SOURCE_H
#define TRAWL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "formats/sources/guard.h"

/* Where a source's bytes come from when it is no file: what unpacks another source, say. */
typedef struct source_layer {
    /* As source_read. -1: *why, which holds until `close`. */
    ptrdiff_t (*read)(void *state, void *bytes, size_t length, const char **why);
    void (*close)(void *state);
} source_layer;

/* All zero before it is first opened. */
typedef struct source {
    int fd;
    const source_layer *layer; /* NULL: a file */
    void *state;               /* the layer's */
    const uint64_t *taken;     /* with a layer: bytes of the file below that were used so far */
    struct stat facts;         /* of the file, below all layers */
    const char *why;           /* the last call failed */
    bool mappable;             /* a regular file that is not empty, or a spooled copy */
    bool seekable;             /* standard input that can be positioned */
    uint64_t begin;            /* where the text begins in the file */
    uint64_t length;           /* of the text; UINT64_MAX: not known before its end */
    uint64_t at;               /* bytes read of it */
    void *map;                 /* what source_map mapped, or NULL */
    size_t map_length;
    guard *guard;    /* of the mapping */
    uint8_t *buffer; /* for source_peek and source_lines */
    size_t room, used;
    size_t given;   /* bytes at the buffer's head that were handed out */
    size_t block;   /* size of the next block of lines */
    size_t largest; /* bytes read at once, but for a longer line; 0: some MiB. Set as nul_ends is */
    bool nul_ends;  /* a NUL byte ends a line too: set after it is opened */
    bool ended;     /* nothing more to read */
} source;

/* Open a file to read; "-" is standard input. False: errno (EISDIR for a directory).
 * source_close may be called in any case. */
bool source_open(source *s, const char *path);

/* As source_open, of a file below an open folder, in place of the file that is open and with its
 * buffer: no link is followed. What is no regular file is left empty. */
bool source_open_below(source *s, int folder, const char *name);

/* As source_open, in place of the file that is open and with its buffer. */
bool source_reopen(source *s, const char *path);

/* Read from a layer, which is closed with the source, in place of the file that is open and with
 * its buffer. */
void source_open_layer(source *s, const source_layer *layer, void *state, const uint64_t *taken);

/* Read bytes in memory, which stay where and as they are until the source is closed. */
typedef struct source_memory {
    const uint8_t *bytes;
    size_t left;
    uint64_t length;
} source_memory;

void source_open_memory(source *s, source_memory *memory);

void source_close(source *s);

/* Leave standard input, if it can be positioned, after the first `offset` bytes of the text. */
void source_leave(const source *s, uint64_t offset);

/* The first bytes, 64 KiB at most, before anything was read; of a pipe those that come first, so
 * it waits for some. None of a terminal or another device. They stay valid until the source is
 * read, and are read then as if nobody had looked. False: why. */
bool source_peek(source *s, const uint8_t **bytes, size_t *length);

/* As source_peek, but of pipes and layers too at least `least` bytes (64 KiB at most), where there
 * are. What comes before an error is given; who reads on will meet it. */
bool source_look(source *s, size_t least, const uint8_t **bytes, size_t *length);

/* At most `length` bytes, as soon as there are some; 0 at the end, -1 on an error: why. */
ptrdiff_t source_read(source *s, void *bytes, size_t length);

/* Go on at an offset of a text that is mappable; what was looked at is forgotten. False: why. */
bool source_place(source *s, uint64_t offset);

/* Exactly `length` bytes of a mappable text, from an offset on, whatever else is read; several
 * threads may. False: it is not so long any more, or cannot be read: source_lines will say why. */
bool source_piece(const source *s, uint64_t offset, void *bytes, size_t length);

/* The next block of whole lines; only the text's last line may lack its newline. It stays
 * valid until the next call, and may be written to. A pipe's lines come as soon as they arrive;
 * blocks of a file grow to some MiB, and beyond only for a longer line.
 * *length is 0 at the end. False: why. */
bool source_lines(source *s, uint8_t **text, size_t *length);

/* The whole text of what is mappable. False: why, or `mappable` is no longer set and the
 * text can be read. */
bool source_map(source *s, const uint8_t **text, size_t *length);

/* Bytes of what source_map gave that were the file's; after them it reads as zeros, from any
 * time on. Fewer than the length: why. */
size_t source_sound(source *s);

/* Whether bytes of it before `end` have been lost by now: cheap, but it misses a new end within a
 * page, as source_sound does not. */
bool source_lost(const source *s, uint64_t end);

/* Whether a read may wait for somebody: then what is there is worth a search. */
bool source_waits(const source *s);

/* Copy what is still to be read into a file without a name in $TMPDIR (/tmp), and go on
 * with that: so a pipe becomes mappable, an empty one too. What cannot be read to its end is there
 * as far as it could, and `damage`, of that room, says why not; else it stays. False: why. */
bool source_spool(source *s, char *damage, size_t room);

/* What output and messages call an operand: its path, or "(standard input)" for "-". */
const char *shown_name(const char *path);

#endif
