/* options.h: the option structs of the public interface, which open with their size. */
#ifndef TRAWL_BASE_OPTIONS_H
#define TRAWL_BASE_OPTIONS_H

#include "base/error.h"

/* Copy a caller's option struct (NULL: none), which opens with its size_t size, over the
 * defaults in `to`, of which this library knows `known` bytes. */
int read_options(void *to, size_t known, const void *from, const char *what, trawl_error *error);

#endif
