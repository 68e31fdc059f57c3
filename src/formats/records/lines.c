/* lines.c: a text that is one record, and one whose lines are records, without their newlines; they
 * are told apart by their numbers. */
#include <stdlib.h>
#include <string.h>

#include "formats/records/reader.h"

#define PIECE (256u << 10)

typedef struct lines {
    source *text;
    uint64_t number;
    size_t at, used;
    uint8_t in[PIECE];
} lines;

static void *open_lines(source *text, const char **why)
{
    lines *l = malloc(sizeof *l);
    if (!l) {
        *why = "out of memory";
        return NULL;
    }
    memset(l, 0, offsetof(lines, in));
    l->text = text;
    return l;
}

/* Add the rest of a line as far as it was read. False with *why, or where the batch is full. */
static bool add_line(lines *l, batch *b, const char **why)
{
    const uint8_t *from = l->in + l->at, *end = memchr(from, '\n', l->used - l->at);
    const size_t length = end ? (size_t)(end - from) : l->used - l->at;
    if (!b->open) {
        if (!batch_begin(b, l->number + 1, NULL, 0, why))
            return false;
        l->number++;
    }
    if (!batch_add(b, from, length, why))
        return false;
    l->at += length + (end != NULL);
    if (end)
        batch_end(b);
    return true;
}

/* The text cannot be read any more. */
static int lose(batch *b, const source *text, const char **why)
{
    batch_cut(b);
    *why = text->why;
    return -1;
}

static int fill(void *user, batch *b, const char **why)
{
    lines *l = user;
    *why = NULL;
    for (;;) {
        if (l->at == l->used && batch_ready(b) && source_waits(l->text))
            return 1;
        if (l->at == l->used) {
            const ptrdiff_t got = source_read(l->text, l->in, PIECE);
            l->at = 0;
            l->used = got > 0 ? (size_t)got : 0;
            if (got < 0)
                return lose(b, l->text, why);
            if (got == 0) {
                batch_end(b);
                return 0;
            }
        }
        if (!add_line(l, b, why)) {
            if (*why)
                batch_cut(b);
            return *why ? -1 : 1;
        }
    }
}

const reader_kind reader_lines = {
    .numbered = true, .open = open_lines, .fill = fill, .close = free
};

/* ---- one record ------------------------------------------------------------------ */

static void *open_text(source *text, const char **why)
{
    (void)why;
    return text;
}

static int fill_text(void *user, batch *b, const char **why)
{
    source *text = user;
    ptrdiff_t got;
    *why = NULL;
    if (!b->open && !batch_begin(b, 1, NULL, 0, why))
        return -1;
    do {
        uint8_t *to = batch_room(b, 1, why);
        if (!to && *why)
            batch_cut(b);
        if (!to)
            return *why ? -1 : 1;
        got = source_read(text, to, b->room - b->used);
        b->used += got > 0 ? (size_t)got : 0;
        b->records[0].length = b->used;
    } while (got > 0);
    if (got < 0)
        return lose(b, text, why);
    batch_end(b);
    return 0;
}

static void close_text(void *user)
{
    (void)user;
}

const reader_kind reader_text = { .open = open_text, .fill = fill_text, .close = close_text };
