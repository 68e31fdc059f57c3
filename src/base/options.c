/* options.c: a caller's options over the defaults. */
#include "base/options.h"

#include <string.h>

int read_options(void *to, size_t known, const void *from, const char *what, trawl_error *error)
{
    size_t size = 0;
    if (!from)
        return TRAWL_OK;
    memcpy(&size, from, sizeof size);
    if (size <= sizeof size)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "%s of %zu bytes: set their size, or fill them with the ..._INIT of trawl.h",
                    what, size);
    if (size > known)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "%s of %zu bytes, this library knows %zu: link the newer library", what, size,
                    known);
    memcpy(to, from, size);
    return TRAWL_OK;
}
