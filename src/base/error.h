/* error.h: how every function of the library says what went wrong. */
#ifndef TRAWL_BASE_ERROR_H
#define TRAWL_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

/* Say that there is no error. This is cheaper than zeroing the struct, whose message is long. */
static inline void error_clear(trawl_error *error)
{
    error->code = 0;
    error->pattern = error->offset = TRAWL_NONE;
    error->message[0] = '\0';
}

/* What ends a word after that number of what it says: "1 pattern", "2 patterns". */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Fill *error, unless it is NULL, and return `code`. The message is made as by printf. `offset` is
 * an offset in a pattern's text, and the message then opens with "column N: "; or it is
 * TRAWL_NONE. */
int fail(trawl_error *error, int code, size_t offset, const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
