/* text.c: see text.h. */
#include "formats/writers/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *format_list(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    return text;
}

/* The letter after the backslash; 0: the byte stands as it is. */
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

char *put_json_escape(char *at, uint8_t byte)
{
    static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte ? strchr(bytes, byte) : NULL;
    return at +
           (found ? sprintf(at, "\\%c", letters[found - bytes]) : sprintf(at, "\\u%04x", byte));
}

static char *quote_bytes(const char *text, size_t length)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *quoted = malloc(6 * length + 3), *to = quoted;
    if (!quoted)
        return NULL;
    *to++ = '"';
    for (size_t i = 0, size; i < length; i += size) {
        const bool plain = printable_length(text + i, length - i) && !strchr("\"\\", text[i]);
        size = utf8_length(text + i, length - i);
        if (size && !plain) {
            to = put_json_escape(to,
                                 (uint8_t)text[i + size - 1]); /* of C1 the code is the last byte */
            continue;
        }
        memcpy(to, size ? text + i : replacement, size ? size : 3);
        to += size ? size : 3;
        size = size ? size : 1;
    }
    memcpy(to, "\"", 2);
    return quoted;
}

char *json_member(const char *name, const char *text, size_t length)
{
    const bool exact = is_utf8(text, length);
    char *quoted = quote_bytes(text, length), *bytes = exact ? NULL : base64(text, length);
    char *member = NULL;
    if (quoted && exact)
        member = format_text("\"%s\":%s", name, quoted);
    else if (quoted && bytes)
        member = format_text("\"%s\":%s,\"%s_base64\":\"%s\"", name, quoted, name, bytes);
    free(bytes);
    free(quoted);
    return member;
}

char *json_quote(const char *text)
{
    return quote_bytes(text, strlen(text));
}

int put_bytes(char *text, size_t room, double bytes)
{
    static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" };
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        unit++;
    }
    return snprintf(text, room, "%.*f %s", unit && bytes < 99.95 ? (bytes < 9.995 ? 2 : 1) : 0,
                    bytes, units[unit]);
}

int put_time(char *text, size_t room, double seconds)
{
    const uint64_t s = seconds < 3.6e8 ? (uint64_t)(seconds + 0.5) : (uint64_t)360000000;
    if (s >= 3600)
        return snprintf(text, room, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
                        (int)(s % 60));
    return snprintf(text, room, "%d:%02d", (int)(s / 60), (int)(s % 60));
}
