/* line_ends.h: where lines begin and end, and how many there are; lines that end with a NUL byte;
 * the lines of a piece of a file. */
#ifndef TRAWL_LINE_ENDS_H
#define TRAWL_LINE_ENDS_H

#include <string.h>

#include "formats/sources/source.h"

/* Bytes of the text that are `end`, which ends lines. */
uint64_t line_count(const uint8_t *text, size_t length, uint8_t end);

/* The begin of the line that holds text[at - 1], but not before `low`; `at` is its end, too. */
size_t line_begin(const uint8_t *text, size_t low, size_t at, uint8_t end);

/* The byte that ends the line at `at`, or the text's length. */
static inline size_t line_stop(const uint8_t *text, size_t at, size_t length, uint8_t end)
{
    const uint8_t *newline =
        at < length ? (const uint8_t *)memchr(text + at, end, length - at) : NULL;
    return newline ? (size_t)(newline - text) : length;
}

/* Lines that end with a NUL byte, and what was read after them: bytes[given .. used). */
typedef struct null_lines {
    uint8_t *bytes; /* malloc'ed */
    size_t given, used, room;
} null_lines;

/* As source_lines, of such lines. */
bool null_lines_next(null_lines *n, source *file, uint8_t **text, size_t *length);

/* The lines that begin in a piece of a file: text[0 .. length) is the file's from `at` on. */
typedef struct line_piece {
    uint8_t *buffer; /* malloc'ed */
    size_t room;
    uint8_t *text;
    size_t length;
    uint64_t at;
} line_piece;

/* Read those of piece `index`, of all pieces of `size` bytes that a mappable file has; others may
 * read it, too. False: they cannot be had so, as a last line that ends 16 pieces later; then there
 * are none. */
bool line_piece_read(line_piece *p, const source *file, uint64_t index, size_t size);

#endif
