/* pieces.c: see pieces.h. */
#include "pieces.h"

static size_t choose_piece(rng *r, uint32_t kind, size_t left)
{
    const size_t most = kind == 0 ? 1 : kind == 1 ? 20 : kind == 2 ? 5000 : left;
    const size_t piece = rng_chance(r, 8) ? 0 : rng_below(r, (uint32_t)most) + 1;
    return piece < left ? piece : left;
}

int pieces_feed(trawl_stream *stream, const fence *around, rng *r, const uint8_t *text,
                size_t length, trawl_error *error)
{
    const uint32_t kind = rng_below(r, 5); /* the last: of all kinds, so that states lapse */
    int status = TRAWL_OK;
    for (size_t at = 0; at < length && status == TRAWL_OK;) {
        const size_t piece = choose_piece(r, kind < 4 ? kind : rng_below(r, 3), length - at);
        const uint8_t *copy = fence_copy(around, text + at, piece, rng_chance(r, 2));
        status = trawl_stream_feed(stream, copy, piece, error);
        fence_copy(around, NULL, 0, false); /* it is not kept */
        at += piece;
    }
    return status;
}
