/* literal.c: patterns that are plain bytes, as they are. */
#include "pattern/bytes.h"
#include "pattern/syntax.h"

int parse_literal(memory *m, const trawl_pattern *src, pattern *out, trawl_error *error)
{
    const uint8_t *text = src->text;
    int status = check_literal_length(src->length, error); /* first, to spare the copy */
    if (status == TRAWL_OK)
        status = literal_begin(m, src, out, error);
    for (size_t i = 0; i < src->length && status == TRAWL_OK; i++)
        status = literal_append(src, i, text[i], out, error);
    return status;
}
