/* line_ends.c: see line_ends.h. */
#define _GNU_SOURCE /* memrchr */
#include "formats/sources/line_ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUL_BLOCK (1u << 20)

/* Short runs, so that the compiler can count in bytes of a vector. */
uint64_t line_count(const uint8_t *text, size_t length, uint8_t end)
{
    uint64_t count = 0;
    while (length) {
        const size_t run = length < 192 ? length : 192;
        uint8_t few = 0;
        for (size_t i = 0; i < run; i++)
            few = (uint8_t)(few + (text[i] == end));
        count += few;
        text += run;
        length -= run;
    }
    return count;
}

size_t line_begin(const uint8_t *text, size_t low, size_t at, uint8_t end)
{
#ifdef __GLIBC__
    const uint8_t *newline = at > low ? memrchr(text + low, end, at - low) : NULL;
    return newline ? (size_t)(newline - text) + 1 : low;
#else
    while (at > low && text[at - 1] != end)
        at--;
    return at > low ? at : low;
#endif
}

/* ---- lines that end with a NUL byte --------------------------------------------- */

bool null_lines_next(null_lines *n, source *file, uint8_t **text, size_t *length)
{
    if (n->given)
        memmove(n->bytes, n->bytes + n->given, n->used - n->given);
    n->used -= n->given;
    n->given = 0;
    for (;;) {
        if (n->room - n->used < NUL_BLOCK / 2) {
            const size_t room = n->room ? 2 * n->room : NUL_BLOCK;
            uint8_t *grown = realloc(n->bytes, room);
            if (!grown) {
                file->why = strerror(ENOMEM);
                return false;
            }
            n->bytes = grown;
            n->room = room;
        }
        const ptrdiff_t got = source_read(file, n->bytes + n->used, n->room - n->used);
        if (got < 0)
            return false;
        const size_t known = n->used; /* without a NUL byte */
        n->given = n->used += (size_t)got;
        while (got && n->given > known && n->bytes[n->given - 1])
            n->given--;
        if (n->given > known || !got)
            break;
        n->given = 0;
    }
    *text = n->bytes;
    *length = n->given;
    return true;
}

/* ---- pieces ---------------------------------------------------------------------- */

static bool piece_room(line_piece *p, size_t room)
{
    if (room <= p->room)
        return true;
    uint8_t *grown = realloc(p->buffer, room);
    if (grown) {
        p->buffer = grown;
        p->room = room;
    }
    return grown;
}

/* Read on after buffer[0 .. length), which is the file's [from ..), and of which `known` bytes are
 * there, to the end of the line. Returns the end of the lines in the buffer; 0: they cannot be had
 * so. */
static size_t read_tail(line_piece *p, const source *file, uint64_t from, size_t length,
                        size_t known, size_t size)
{
    for (size_t wanted = size / 16 + 1;; wanted *= 2) {
        const size_t stop = line_stop(p->buffer, length, known, '\n');
        if (stop < known)
            return stop + 1;
        if (from + known == file->length)
            return known;
        const uint64_t left = file->length - from - known;
        const size_t more = left < wanted ? (size_t)left : wanted;
        if (known > 16 * size || !piece_room(p, known + more) ||
            !source_piece(file, from + known, p->buffer + known, more))
            return 0;
        length = known;
        known += more;
    }
}

bool line_piece_read(line_piece *p, const source *file, uint64_t index, size_t size)
{
    const uint64_t low = index * size, all = file->length;
    const uint64_t high = all - low > size ? low + size : all;
    const uint64_t from = low ? low - 1 : 0; /* the byte there may be the newline before it */
    const size_t own = (size_t)(high - from), slack = size / 16 + 1; /* read after it at first */
    const size_t known = all - high > slack ? own + slack : (size_t)(all - from);
    size_t begin = 0, end = own;
    p->at = low;
    p->text = NULL;
    p->length = 0;
    if (!piece_room(p, 1 + size + slack) || !source_piece(file, from, p->buffer, known))
        return false;
    if (low) {
        begin = line_stop(p->buffer, 0, own - 1, '\n') + 1;
        if (begin == own)
            return true; /* no line begins here */
    }
    if (p->buffer[own - 1] != '\n')
        end = read_tail(p, file, from, own, known, size);
    p->at = from + begin;
    p->text = p->buffer + begin;
    p->length = end > begin ? end - begin : 0;
    return end;
}
