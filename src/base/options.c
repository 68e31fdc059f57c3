/* options.c: see options.h. */
#include "base/options.h"

#include <stdint.h>
#include <string.h>

/* Larger structs than any library will have are garbage. */
#define MAX_STRUCT 4096u

static bool size_valid(size_t size, size_t least)
{
    return size >= least && size <= MAX_STRUCT && size % SIZE_ALIGN == 0;
}

int read_options(void *to, size_t known, size_t least, const void *from, const char *what,
                 trawl_error *error)
{
    size_t size = 0;
    if (!from)
        return TRAWL_OK;
    memcpy(&size, from, sizeof size);
    if (!size_valid(size, least))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "%s of %zu bytes, where %zu are expected: set their size, or fill them with "
                    "the ..._INIT of trawl.h",
                    what, size, known);
    for (size_t i = known; i < size; i++)
        if (((const uint8_t *)from)[i] != 0)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "%s of %zu bytes set what this library, which knows %zu, cannot do: link "
                        "the newer library, or leave it zero",
                        what, size, known);
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known); /* so that it may be read again */
    return TRAWL_OK;
}

bool write_info(void *to, const void *from, size_t known, size_t least)
{
    size_t size;
    memcpy(&size, to, sizeof size);
    if (!size_valid(size, least))
        return false;
    memset(to, 0, size);
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &size, sizeof size);
    return true;
}
