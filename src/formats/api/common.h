/* common.h: what the calls of trawl/formats.h share. */
#ifndef TRAWL_API_COMMON_H
#define TRAWL_API_COMMON_H

#include "trawl/formats.h"

/* Fill the error, if there is one; `text` is a file's name, of which the end is kept. Returns the
 * code. printf-like. */
int api_fail(trawl_file_error *error, int code, const char *text, uint64_t line, const char *format,
             ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/* Copy a caller's options, of an older or newer library, over the defaults in `to`, of which this
 * library knows `known` bytes; `to` has that size then. `least` is that of the first library that
 * had them. `what` and `init` are their names in messages. */
int api_options(void *to, size_t known, size_t least, const void *from, const char *what,
                const char *init, const char *text, trawl_file_error *error);

#endif
