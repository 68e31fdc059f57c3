/* printer.h: what is printed, on its way to standard output, and the messages between it.
 *
 * Idea. Lines go into a buffer: one store for each, no call of the system. Who searches ahead of
 * its turn keeps them there; when too many wait, it waits for its turn, and from then on the buffer
 * is written whenever it is full. So memory is bounded, and whoever has the turn never waits.
 *
 * Cost: a copy of what is printed.
 */
#ifndef TRAWL_PRINTER_H
#define TRAWL_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

/* A message for standard error, or a text between what is printed of two files. */
typedef enum printer_kind {
    PRINTER_MESSAGE,
    PRINTER_AFTER, /* what was printed before comes first */
    PRINTER_JOINT
} printer_kind;

/* It stands at `begin` of the buffer, up to `end`. */
typedef struct printer_message {
    size_t begin, end;
    printer_kind kind;
} printer_message;

/* All zero but for `joined`, `wait` and `waiter` at first. */
typedef struct printer {
    char *bytes;
    size_t used, room;
    printer_message *messages;
    size_t count, message_room;
    bool direct;                /* it is our turn */
    bool dropped;               /* nobody wants what is printed */
    int failed;                 /* the errno that standard output failed with; 0: it did not */
    bool *joined;               /* in our turn: a joint came before */
    bool (*wait)(void *waiter); /* until it is our turn. False: drop all */
    void *waiter;
} printer;

void printer_put(printer *p, const void *bytes, size_t length);

/* Room for `length` bytes, for printer_took; NULL: there is none, put them. */
char *printer_room(printer *p, size_t length);
static inline void printer_took(printer *p, size_t length)
{
    p->used += length;
}

/* A message for standard error; `after` what was printed before. */
void printer_complain(printer *p, bool after, const char *command, const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* A text that is printed unless it is the first one of those that share `joined`. */
void printer_joint(printer *p, const char *bytes, size_t length);

/* Wait for our turn; from then on what is printed need not wait. False: it is dropped. */
bool printer_turn(printer *p);

/* In our turn: write what is there. */
void printer_write(printer *p);

/* Forget all but the buffer. */
void printer_reset(printer *p);
void printer_free(printer *p);

#endif
