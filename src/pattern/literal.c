/* literal.c: patterns that are plain bytes, as they are. */
#include <string.h>

#include "pattern/bytes.h"
#include "pattern/syntax.h"

int parse_literal(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                  trawl_error *error)
{
    const uint8_t *text = src->text;
    const uint8_t *end =
        src->flags & TRAWL_LINES ? memchr(text, line_terminator(src->flags), src->length) : NULL;
    int status = check_literal_length(src->length, error); /* first, to spare the copy */
    if (status == TRAWL_OK && end)
        status = reject_terminator(src->flags, (size_t)(end - text), error);
    if (status == TRAWL_OK)
        status = literal_begin(m, src, out, error);
    if (status != TRAWL_OK)
        return status;
    *next = LAST_ONE;
    out->length = src->length;
    memcpy(out->bytes, text, src->length);
    for (size_t i = 0; src->flags & TRAWL_NOCASE && i < src->length; i++)
        out->bytes[i] = fold_byte(text[i]);
    return TRAWL_OK;
}
