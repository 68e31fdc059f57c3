/* enumerate.h: which of a backend's devices a context takes. */
#ifndef TRAWL_BACKEND_ENUMERATE_H
#define TRAWL_BACKEND_ENUMERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "trawl.h"

enum { MAX_DEVICES = 64 };

/* Read `text`, as "0,2" or "all" (NULL: "0"), into a set of the numbers of `count` devices. */
int choose_devices(const char *text, size_t count, bool chosen[MAX_DEVICES], trawl_error *error);

#endif
