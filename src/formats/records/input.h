/* input.h: the bytes of a source, some at a time, for readers of records. */
#ifndef TRAWL_INPUT_H
#define TRAWL_INPUT_H

#include "formats/records/reader.h"

#define INPUT_ROOM ((size_t)64 << 10)

typedef struct input {
    source *text;
    bool ended;
    size_t at, used; /* bytes[at .. used) are to be taken */
    uint8_t bytes[INPUT_ROOM];
} input;

typedef enum input_state { INPUT_FAILED = -1, INPUT_ENDED, INPUT_THERE, INPUT_LATER } input_state;

/* See that `least` bytes are there (INPUT_ROOM at most). INPUT_ENDED: the text has fewer, which are
 * there. INPUT_LATER: more would have to be waited for, and the batch has records to be handed on.
 * INPUT_FAILED: *why. */
input_state input_need(input *in, size_t least, const batch *b, const char **why);

#endif
