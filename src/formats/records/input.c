/* input.c: see input.h. */
#include "formats/records/input.h"

#include <string.h>

input_state input_need(input *in, size_t least, const batch *b, const char **why)
{
    while (in->used - in->at < least && !in->ended) {
        if (batch_ready(b) && source_waits(in->text))
            return INPUT_LATER;
        memmove(in->bytes, in->bytes + in->at, in->used - in->at);
        in->used -= in->at;
        in->at = 0;
        const ptrdiff_t got = source_read(in->text, in->bytes + in->used, INPUT_ROOM - in->used);
        if (got < 0) {
            *why = in->text->why;
            return INPUT_FAILED;
        }
        in->used += (size_t)got;
        in->ended = got == 0;
    }
    return in->used - in->at < least ? INPUT_ENDED : INPUT_THERE;
}
