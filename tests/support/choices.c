/* choices.c: see choices.h */
#include "choices.h"

#include "trawl.h"

/* For each engine that may give up, one that goes on. */
static const char *const more[] = {
    "wm/ac",  "pfac/ac", "packed/bm",         "teddy/ac",         "qgrams/ac", "kmers/ac",
    "byr/bb", "ku/bb",   "bitslice/shiftand", "factors/shiftand", "auto"
};

const char *engine_choice(size_t i)
{
    const size_t engines = trawl_engine_count(), all = engines + sizeof more / sizeof *more;
    return i < engines ? trawl_engine_name(i) : i < all ? more[i - engines] : NULL;
}
