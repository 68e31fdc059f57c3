/* escaped.c: patterns that are plain bytes with C escapes, as \x7fELF */
#include "pattern/bytes.h"
#include "pattern/syntax.h"

int parse_escaped(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                  trawl_error *error)
{
    const uint8_t *text = src->text;
    int status = literal_begin(m, src, out, error);
    *next = LAST_ONE;
    for (size_t i = 0; i < src->length && status == TRAWL_OK;) {
        size_t offset = i;
        uint8_t byte = text[i];
        if (byte == '\\')
            status = parse_escape(text, src->length, &i, &byte, error);
        else
            i++;
        if (status == TRAWL_OK)
            status = literal_append(src, offset, byte, out, error);
    }
    return status == TRAWL_OK ? check_literal_length(out->length, error) : status;
}
