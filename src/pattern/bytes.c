/* bytes.c: literals, byte by byte, and C escapes. */
#include "pattern/bytes.h"

int reject_terminator(uint32_t flags, size_t offset, trawl_error *error)
{
    return fail(error, TRAWL_ERROR_PATTERN, offset,
                "a line never contains a %s: remove it, or split the pattern in two",
                flags & TRAWL_NULS ? "NUL byte, which ends it here" : "newline");
}

int check_literal_length(size_t length, trawl_error *error)
{
    if (length <= PATTERN_MAX_LENGTH)
        return TRAWL_OK;
    return fail(error, TRAWL_ERROR_LIMIT, TRAWL_NONE,
                "the literal is longer than %u bytes: search for its first part and compare the "
                "rest",
                PATTERN_MAX_LENGTH);
}

int literal_begin(memory *m, const trawl_pattern *src, pattern *out, trawl_error *error)
{
    out->literal = true;
    out->bytes = memory_take(m, src->length);
    return out->bytes ? TRAWL_OK : memory_failed(m, error, "a literal of %zu bytes", src->length);
}

int literal_append(const trawl_pattern *src, size_t offset, uint8_t byte, pattern *out,
                   trawl_error *error)
{
    if (byte == line_terminator(src->flags) && (src->flags & TRAWL_LINES))
        return reject_terminator(src->flags, offset, error);
    out->bytes[out->length++] = src->flags & TRAWL_NOCASE ? fold_byte(byte) : byte;
    return TRAWL_OK;
}

/* ---- C escapes ---------------------------------------------------------- */

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = fold_byte(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read \xHH; *at is at the backslash. */
static int parse_hex(const uint8_t *text, size_t length, size_t *at, uint8_t *byte,
                     trawl_error *error)
{
    int high = length - *at > 2 ? hex_digit(text[*at + 2]) : -1;
    int low = length - *at > 3 ? hex_digit(text[*at + 3]) : -1;
    if (high < 0 || low < 0)
        return fail(error, TRAWL_ERROR_PATTERN, *at,
                    "\\x needs two hexadecimal digits, as in \\x0a; write \\\\x for a backslash "
                    "and an x");
    *byte = (uint8_t)(high * 16 + low);
    *at += 4;
    return TRAWL_OK;
}

/* Read \o, \oo or \ooo; *at is at the backslash. */
static int parse_octal(const uint8_t *text, size_t length, size_t *at, uint8_t *byte,
                       trawl_error *error)
{
    size_t i = *at + 1;
    unsigned value = 0;
    for (; i < length && i <= *at + 3 && text[i] >= '0' && text[i] <= '7'; i++)
        value = value * 8 + (unsigned)(text[i] - '0');
    if (value > 255)
        return fail(error, TRAWL_ERROR_PATTERN, *at,
                    "the octal escape is larger than a byte: the largest is \\377");
    *byte = (uint8_t)value;
    *at = i;
    return TRAWL_OK;
}

static int unknown_escape(uint8_t c, size_t offset, trawl_error *error)
{
    if (c <= ' ' || c >= 127)
        return fail(error, TRAWL_ERROR_PATTERN, offset,
                    "unknown escape, a backslash before byte 0x%02x: write \\\\ for a backslash",
                    (unsigned)c);
    return fail(error, TRAWL_ERROR_PATTERN, offset,
                "unknown escape \\%c: write %c for the byte itself, \\\\%c for a backslash before "
                "it, or \\xHH for any byte",
                c, c, c);
}

int parse_escape(const uint8_t *text, size_t length, size_t *at, uint8_t *byte, trawl_error *error)
{
    static const char names[] = "abefnrtv\\'\"?";
    static const char values[] = "\a\b\033\f\n\r\t\v\\'\"?";

    if (length - *at < 2)
        return fail(error, TRAWL_ERROR_PATTERN, *at,
                    "the pattern ends with a backslash: write \\\\ for a backslash");
    uint8_t c = text[*at + 1];
    if (c == 'x')
        return parse_hex(text, length, at, byte, error);
    if (c >= '0' && c <= '7')
        return parse_octal(text, length, at, byte, error);
    for (size_t i = 0; names[i]; i++) {
        if (c == names[i]) {
            *byte = (uint8_t)values[i];
            *at += 2;
            return TRAWL_OK;
        }
    }
    return unknown_escape(c, *at, error);
}
