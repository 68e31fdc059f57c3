/* error.c: error messages, and the names of error codes. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int fail(trawl_error *error, int code, size_t offset, const char *format, ...)
{
    if (!error)
        return code;
    int column = 0;
    error->code = code;
    error->pattern = TRAWL_NONE;
    error->offset = offset;
    if (offset != TRAWL_NONE)
        column = snprintf(error->message, sizeof error->message, "column %zu: ", offset + 1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + column, sizeof error->message - (size_t)column, format, arguments);
    va_end(arguments);
    for (char *c = error->message; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return code;
}

const char *trawl_error_text(int status)
{
    switch (status) {
    case TRAWL_OK:
        return "success";
    case TRAWL_STOPPED:
        return "stopped by the callback";
    case TRAWL_LIMITED:
        return "the limit of matches was reached";
    case TRAWL_EXPIRED:
        return "the budget of steps or time is used up";
    case TRAWL_CANCELLED:
        return "cancelled";
    case TRAWL_ERROR_ARGUMENT:
        return "bad argument";
    case TRAWL_ERROR_MEMORY:
        return "out of memory";
    case TRAWL_ERROR_PATTERN:
        return "malformed pattern";
    case TRAWL_ERROR_UNSUPPORTED:
        return "not supported";
    case TRAWL_ERROR_PLAN:
        return "damaged plan or state";
    case TRAWL_ERROR_LIMIT:
        return "too large";
    case TRAWL_ERROR_DEVICE:
        return "a device failed";
    case TRAWL_ERROR_BUSY:
        return "in use by another call";
    case TRAWL_ERROR_THREAD:
        return "no thread to be had";
    default:
        return "unknown status";
    }
}
