/* output.c: numbers, TSV fields and JSON strings. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#ifdef TRAWL_HAVE_JANSSON
#include <jansson.h>
#endif

char *put_decimal(char *at, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        *at++ = digits[--count];
    return at;
}

void tsv_field(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\t':
            fputs("\\t", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\r':
            fputs("\\r", out);
            break;
        case '\\':
            fputs("\\\\", out);
            break;
        default:
            putc(text[i], out);
        }
    }
}

#ifdef TRAWL_HAVE_JANSSON

static bool continues(const uint8_t *text, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Bytes of the UTF-8 character at `text`; 0 when there is none (RFC 3629, table 3-7 of the
 * Unicode standard: no overlong forms, no surrogates, nothing past U+10FFFF). */
static size_t utf8_length(const uint8_t *text, size_t length)
{
    const uint8_t first = text[0], second = length > 1 ? text[1] : 0;
    size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size == 0 || first > 0xf4 || size > length || !continues(text, size))
        return 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    return size;
}

/* Copy with each byte that is not part of UTF-8 replaced by U+FFFD; malloc'ed. */
static char *clean_utf8(const char *text, size_t length, size_t *clean_length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = length < SIZE_MAX / 3 ? malloc(3 * length + 1) : NULL;
    char *at = clean;
    for (size_t i = 0; clean && i < length;) {
        size_t size = utf8_length((const uint8_t *)text + i, length - i);
        memcpy(at, size ? text + i : replacement, size ? size : 3);
        at += size ? size : 3;
        i += size ? size : 1;
    }
    *clean_length = clean ? (size_t)(at - clean) : 0;
    return clean;
}

char *json_quote_bytes(const char *text, size_t length)
{
    size_t clean_length;
    char *clean = clean_utf8(text, length, &clean_length);
    json_t *string = clean ? json_stringn(clean, clean_length) : NULL;
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    free(clean);
    return quoted;
}

bool json_available(const char *command)
{
    (void)command;
    return true;
}

#else

char *json_quote_bytes(const char *text, size_t length)
{
    (void)text;
    (void)length;
    return NULL;
}

bool json_available(const char *command)
{
    complain(command, "--json: this build has no jansson: install libjansson-dev and pkg-config "
                      "and build again, or take the TSV output");
    return false;
}

#endif

char *json_quote(const char *text)
{
    return json_quote_bytes(text, strlen(text));
}
