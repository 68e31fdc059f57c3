/* error.h: how every function of the library says what went wrong. */
#ifndef TRAWL_BASE_ERROR_H
#define TRAWL_BASE_ERROR_H

#include <stddef.h>

#include "trawl.h"

/* No error: cheaper than a struct of zeros, whose message is long. */
static inline void error_clear(trawl_error *error)
{
    error->code = 0;
    error->pattern = error->offset = TRAWL_NONE;
    error->message[0] = '\0';
}

/* Fill *error (when not NULL) and return `code`. printf-like. With an offset, which is
 * one in a pattern's text (else TRAWL_NONE), the message opens with "column N: ". */
int fail(trawl_error *error, int code, size_t offset, const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
