/* output.c: numbers, TSV fields and JSON strings. */
#include <stdarg.h>
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

char *format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        va_start(arguments, format);
        vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}

/* The letter behind the backslash; 0: the byte stands as it is. */
static char tsv_letter(char c)
{
    switch (c) {
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    default:
        return 0;
    }
}

char *tsv_quote(const char *text)
{
    char *quoted = malloc(2 * strlen(text) + 1), *to = quoted;
    for (; to && *text; text++) {
        const char letter = tsv_letter(*text);
        if (letter)
            *to++ = '\\';
        *to++ = letter ? letter : *text;
    }
    if (to)
        *to = '\0';
    return quoted;
}

static bool continues(const uint8_t *text, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* RFC 3629, table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing past
 * U+10FFFF. */
size_t utf8_length(const char *bytes, size_t length)
{
    const uint8_t *text = (const uint8_t *)bytes;
    const uint8_t first = text[0], second = length > 1 ? text[1] : 0;
    size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (size == 0 || first > 0xf4 || size > length || !continues(text, size))
        return 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    return size;
}

bool is_utf8(const char *text, size_t length)
{
    size_t size = 1;
    for (size_t i = 0; i < length && size; i += size)
        size = utf8_length(text + i, length - i);
    return size;
}

size_t printable_length(const char *text, size_t length)
{
    const uint8_t first = (uint8_t)text[0];
    const size_t size = utf8_length(text, length);
    const bool c1 = size == 2 && first == 0xc2 && (uint8_t)text[1] < 0xa0;
    return first < ' ' || first == 0x7f || c1 ? 0 : size;
}

char *shown_text(const char *text, bool tabs)
{
    const size_t length = strlen(text);
    char *shown = malloc(4 * length + 1), *to = shown;
    for (size_t i = 0, size; shown && i < length; i += size) {
        const char letter = text[i] == '\\' ? 0 : tsv_letter(text[i]);
        size = text[i] == '\t' && tabs ? 1 : printable_length(text + i, length - i);
        memcpy(to, text + i, size);
        to += size;
        if (size)
            continue;
        to +=
            letter ? snprintf(to, 3, "\\%c", letter) : snprintf(to, 5, "\\x%02x", (uint8_t)text[i]);
        size = 1;
    }
    if (shown)
        *to = '\0';
    return shown;
}

char *terminal_text(bool terminal, char *text)
{
    if (!terminal || !text)
        return text;
    char *shown = shown_text(text, true);
    free(text);
    return shown;
}

/* RFC 4648, with padding. */
char *base64(const char *text, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = (const uint8_t *)text;
    char *encoded = malloc((length + 2) / 3 * 4 + 1), *to = encoded;
    for (size_t i = 0; to && i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t three = (uint32_t)from[i] << 16 |
                               (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (left > 2 ? from[i + 2] : 0);
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
    }
    if (to)
        *to = '\0';
    return encoded;
}

#ifdef TRAWL_HAVE_JANSSON

/* Copy with each byte that is not part of UTF-8 replaced by U+FFFD; malloc'ed. */
static char *clean_utf8(const char *text, size_t length, size_t *clean_length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = malloc(3 * length + 1);
    char *at = clean;
    for (size_t i = 0; clean && i < length;) {
        size_t size = utf8_length(text + i, length - i);
        memcpy(at, size ? text + i : replacement, size ? size : 3);
        at += size ? size : 3;
        i += size ? size : 1;
    }
    if (clean)
        *at = '\0';
    *clean_length = clean ? (size_t)(at - clean) : 0;
    return clean;
}

/* The same JSON, in which DEL and C1 are escapes, as C0 is already; the text is freed. */
static char *escape_controls(char *json)
{
    const size_t length = json ? strlen(json) : 0;
    char *escaped = json ? malloc(6 * length + 1) : NULL, *to = escaped;
    for (size_t i = 0, size; escaped && i < length; i += size) {
        const bool plain = printable_length(json + i, length - i);
        size = utf8_length(json + i, length - i);
        if (plain)
            memcpy(to, json + i, size);
        else
            snprintf(to, 7, "\\u%04x", (uint8_t)json[i + size - 1]);
        to += plain ? size : 6;
    }
    if (escaped)
        *to = '\0';
    free(json);
    return escaped;
}

static char *quote_bytes(const char *text, size_t length)
{
    json_t *string = json_stringn(text, length);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    return escape_controls(quoted);
}

char *json_member(const char *name, const char *text, size_t length)
{
    size_t clean_length;
    char *clean = clean_utf8(text, length, &clean_length), *member = NULL;
    char *quoted = clean ? quote_bytes(clean, clean_length) : NULL;
    const bool same = clean_length == length; /* else a byte became three */
    char *exact = same ? NULL : base64(text, length);
    if (quoted && same)
        member = format_text("\"%s\":%s", name, quoted);
    else if (quoted && exact)
        member = format_text("\"%s\":%s,\"%s_base64\":\"%s\"", name, quoted, name, exact);
    free(exact);
    free(quoted);
    free(clean);
    return member;
}

char *json_quote(const char *text)
{
    size_t length;
    char *clean = clean_utf8(text, strlen(text), &length);
    char *quoted = clean ? quote_bytes(clean, length) : NULL;
    free(clean);
    return quoted;
}

bool json_available(const char *command)
{
    (void)command;
    return true;
}

#else

char *json_member(const char *name, const char *text, size_t length)
{
    (void)name;
    (void)text;
    (void)length;
    return NULL;
}

char *json_quote(const char *text)
{
    (void)text;
    return NULL;
}

bool json_available(const char *command)
{
    complain(command, "--json: this build has no jansson: install libjansson-dev and pkg-config "
                      "and build again, or take the TSV output");
    return false;
}

#endif
