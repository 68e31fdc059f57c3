/* suggest.h: which known word somebody meant. */
#ifndef TRAWL_SUGGEST_H
#define TRAWL_SUGGEST_H

#include <stddef.h>

/* The word of number 0 and on that is nearest; NULL: none is near. `name_at` gives NULL after the
 * last one. */
const char *suggest(const char *word, const char *(*name_at)(const void *user, size_t number),
                    const void *user);

#endif
