/* printer.c: see printer.h. */
#include "cli/printer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "formats/sources/grow.h"

#define FIRST_ROOM (16u << 10)
#define MAX_KEPT (1u << 20) /* bytes that wait for their turn */

static void write_bytes(printer *p, const char *bytes, size_t length)
{
    if (!length || p->failed)
        return;
    errno = 0;
    if (fwrite(bytes, 1, length, stdout) != length)
        p->failed = errno ? errno : EIO;
}

static void write_joint(printer *p, const char *bytes, size_t length)
{
    if (*p->joined)
        write_bytes(p, bytes, length);
    *p->joined = true;
}

static void write_kept(printer *p)
{
    size_t at = 0;
    for (size_t i = 0; i < p->count && !p->dropped; i++) {
        const printer_message *m = &p->messages[i];
        write_bytes(p, p->bytes + at, m->begin - at);
        if (m->kind == PRINTER_JOINT)
            write_joint(p, p->bytes + m->begin, m->end - m->begin);
        if (m->kind == PRINTER_AFTER)
            fflush(stdout);
        if (m->kind != PRINTER_JOINT)
            fwrite(p->bytes + m->begin, 1, m->end - m->begin, stderr);
        at = m->end;
    }
    if (!p->dropped)
        write_bytes(p, p->bytes + at, p->used - at);
}

void printer_write(printer *p)
{
    const bool messages = p->count && !p->dropped;
    if (p->used && !p->dropped) {
        progress_hold(!messages);
        write_kept(p);
        progress_release(!messages);
    }
    p->used = p->count = 0;
}

bool printer_turn(printer *p)
{
    if (!p->direct && !p->dropped) {
        p->dropped = p->wait && !p->wait(p->waiter);
        p->direct = true;
    }
    return !p->dropped;
}

/* Make room for `length` bytes more, or write what is there. False: put them past the buffer. */
static bool make_room(printer *p, size_t length)
{
    size_t room = p->room ? p->room : FIRST_ROOM;
    while (room - p->used < length && room < MAX_KEPT)
        room *= 2;
    if (room > p->room) {
        char *grown = realloc(p->bytes, room);
        if (grown) {
            p->bytes = grown;
            p->room = room;
        }
    }
    if (p->room - p->used >= length)
        return true;
    printer_turn(p);
    printer_write(p);
    return p->room >= length;
}

char *printer_room(printer *p, size_t length)
{
    return p->room - p->used >= length || make_room(p, length) ? p->bytes + p->used : NULL;
}

void printer_put(printer *p, const void *bytes, size_t length)
{
    if (length == 0) /* where there is no buffer yet, there is no place in it either */
        return;
    char *at = printer_room(p, length);
    if (at) {
        memcpy(at, bytes, length);
        p->used += length;
    } else if (!p->dropped) {
        progress_hold(true);
        write_bytes(p, bytes, length);
        progress_release(true);
    }
}

/* Room for one more message. */
static bool message_room(printer *p)
{
    return grow_array(&p->messages, p->count + 1, &p->message_room, sizeof *p->messages);
}

/* What stands after the buffer's used bytes. */
static void note_message(printer *p, size_t length, printer_kind kind)
{
    p->messages[p->count++] = (printer_message){ p->used, p->used + length, kind };
    p->used += length;
}

void printer_joint(printer *p, const char *bytes, size_t length)
{
    char *at = message_room(p) ? printer_room(p, length) : NULL;
    if (at) {
        memcpy(at, bytes, length);
        note_message(p, length, PRINTER_JOINT);
    } else if (printer_turn(p)) {
        printer_write(p);
        write_joint(p, bytes, length);
    }
}

/* The message into the buffer, if there is room. */
static bool keep(printer *p, bool after, const char *command, const char *format, va_list arguments)
{
    char *text = message_text(command, format, arguments);
    const size_t length = text ? strlen(text) : 0;
    char *at = text && message_room(p) ? printer_room(p, length) : NULL;
    if (at) {
        memcpy(at, text, length);
        note_message(p, length, after ? PRINTER_AFTER : PRINTER_MESSAGE);
    }
    free(text);
    return at;
}

void printer_complain(printer *p, bool after, const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool kept = keep(p, after, command, format, arguments);
    va_end(arguments);
    if (kept || !printer_turn(p))
        return;
    printer_write(p);
    if (after)
        fflush(stdout);
    va_start(arguments, format);
    complain_list(command, format, arguments);
    va_end(arguments);
}

void printer_reset(printer *p)
{
    p->used = p->count = 0;
    p->direct = p->dropped = false;
    p->failed = 0;
}

void printer_free(printer *p)
{
    free(p->bytes);
    free(p->messages);
    p->bytes = NULL;
    p->messages = NULL;
    p->room = p->message_room = p->used = p->count = 0;
}
