/* pieces.h: a text fed to a stream piece by piece, with pieces of one byte and of none. */
#ifndef TRAWL_PIECES_H
#define TRAWL_PIECES_H

#include "fence.h"
#include "random.h"

/* Each piece lies between fences, in memory that is gone after its feed. Returns the status of the
 * last feed. */
int pieces_feed(trawl_stream *stream, const fence *around, rng *r, const uint8_t *text,
                size_t length, trawl_error *error);

#endif
