/* common.c: see common.h. */
#include "formats/api/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int api_fail(trawl_file_error *error, int code, const char *text, uint64_t line, const char *format,
             ...)
{
    va_list arguments;
    if (!error)
        return code;
    const size_t length = strlen(text), room = sizeof error->text;
    error->code = code;
    error->line = line;
    snprintf(error->text, room, "%s", text + (length < room ? 0 : length + 1 - room));
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

int api_options(void *to, size_t known, size_t least, const void *from, const char *what,
                const char *init, const char *text, trawl_file_error *error)
{
    size_t size = known;
    if (from)
        memcpy(&size, from, sizeof size);
    if (size < least || size > 4096 || size % sizeof(size_t))
        return api_fail(error, TRAWL_ERROR_ARGUMENT, text, 0,
                        "%s of %zu bytes, where %zu are expected: fill them with %s", what, size,
                        known, init);
    for (size_t i = known; from && i < size; i++)
        if (((const uint8_t *)from)[i])
            return api_fail(error, TRAWL_ERROR_ARGUMENT, text, 0,
                            "%s of %zu bytes set what this library, which knows %zu, cannot do: "
                            "link the newer library, or leave it zero",
                            what, size, known);
    if (from)
        memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known);
    return TRAWL_OK;
}
