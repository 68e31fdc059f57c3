/* written.c: see written.h. */
#include "written.h"

#include <ctype.h>
#include <string.h>

/* ---- bytes of the pattern ----------------------------------------------- */

bool reader_ended(const reader *r)
{
    return r->wrong || r->at == r->length;
}

bool reader_sees(const reader *r, char byte)
{
    return !reader_ended(r) && r->text[r->at] == (unsigned char)byte;
}

bool reader_skip(reader *r, char byte)
{
    bool found = reader_sees(r, byte);
    r->at += found;
    return found;
}

unsigned char reader_take(reader *r)
{
    if (reader_ended(r)) {
        reader_fail(r, "it ends too early");
        return 0;
    }
    return r->text[r->at++];
}

void reader_fail(reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = what;
}

/* ---- bytes and classes -------------------------------------------------- */

static bool in_range(unsigned char byte, char first, char last)
{
    return byte >= (unsigned char)first && byte <= (unsigned char)last;
}

static unsigned hex_digit(reader *r)
{
    unsigned char byte = reader_take(r);
    if (in_range(byte, '0', '9'))
        return byte - (unsigned)'0';
    if (in_range(byte, 'a', 'f'))
        return byte - (unsigned)'a' + 10;
    if (in_range(byte, 'A', 'F'))
        return byte - (unsigned)'A' + 10;
    reader_fail(r, "not a hexadecimal digit");
    return 0;
}

/* \o, \oo or \ooo; the backslash is taken already. */
static unsigned char octal(reader *r)
{
    unsigned value = 0;
    for (int digits = 0; digits < 3 && !reader_ended(r) && in_range(r->text[r->at], '0', '7');
         digits++)
        value = value * 8 + (reader_take(r) - (unsigned)'0');
    if (value > 255)
        reader_fail(r, "an octal escape beyond a byte");
    return (unsigned char)value;
}

/* H} or more digits; \x{ is taken already. */
static unsigned char braced_byte(reader *r)
{
    unsigned value = 0;
    do {
        value = value * 16 + hex_digit(r);
    } while (!r->wrong && value < 256 && !reader_skip(r, '}'));
    if (value > 255)
        reader_fail(r, "an escape beyond a byte");
    return (unsigned char)value;
}

/* One byte written as an escape; the backslash is taken already. */
static unsigned char escaped_byte(reader *r)
{
    if (!reader_ended(r) && in_range(r->text[r->at], '0', '7'))
        return octal(r);
    unsigned char byte = reader_take(r);
    switch (byte) {
    case 'n':
        return 0x0a;
    case 't':
        return 0x09;
    case 'r':
        return 0x0d;
    case 'a':
        return 0x07;
    case 'b':
        return 0x08;
    case 'e':
        return 0x1b;
    case 'f':
        return 0x0c;
    case 'v':
        return 0x0b;
    case 'x': {
        if (reader_skip(r, '{'))
            return braced_byte(r);
        unsigned high = hex_digit(r);
        return (unsigned char)(high * 16 + hex_digit(r));
    }
    default:
        break;
    }
    if (!ispunct(byte))
        reader_fail(r, "unknown escape");
    return byte;
}

unsigned char read_byte(reader *r)
{
    return reader_skip(r, '\\') ? escaped_byte(r) : reader_take(r);
}

int is_word(int byte)
{
    return isalnum(byte) || byte == '_';
}

static int is_ascii(int byte)
{
    return byte < 128;
}

/* The classes that have a name, by all their spellings. In the C locale, the only one
 * here, no byte above 127 belongs to any of them. */
static const struct {
    const char *written;
    int (*has)(int byte);
    bool negated;
} named_classes[] = {
    { "\\d", isdigit, false },        { "\\D", isdigit, true },
    { "\\w", is_word, false },        { "\\W", is_word, true },
    { "\\s", isspace, false },        { "\\S", isspace, true },
    { "[:alnum:]", isalnum, false },  { "[:alpha:]", isalpha, false },
    { "[:ascii:]", is_ascii, false }, { "[:blank:]", isblank, false },
    { "[:cntrl:]", iscntrl, false },  { "[:digit:]", isdigit, false },
    { "[:graph:]", isgraph, false },  { "[:lower:]", islower, false },
    { "[:print:]", isprint, false },  { "[:punct:]", ispunct, false },
    { "[:space:]", isspace, false },  { "[:upper:]", isupper, false },
    { "[:word:]", is_word, false },   { "[:xdigit:]", isxdigit, false },
};

bool read_named_class(reader *r, bool set[256])
{
    for (size_t i = 0; i < sizeof named_classes / sizeof *named_classes; i++) {
        size_t length = strlen(named_classes[i].written);
        if (r->length - r->at < length ||
            memcmp(r->text + r->at, named_classes[i].written, length) != 0)
            continue;
        for (int byte = 0; byte < 256; byte++)
            if ((named_classes[i].has(byte) != 0) != named_classes[i].negated)
                set[byte] = true;
        r->at += length;
        return true;
    }
    if (r->length - r->at >= 3 && memcmp(r->text + r->at, "[:^", 3) == 0)
        reader_fail(r, "[:^ is not known");
    return false;
}

void add_both_cases(bool set[256])
{
    for (unsigned offset = 0; offset < 26; offset++) {
        bool either = set['a' + offset] || set['A' + offset];
        set['a' + offset] = either;
        set['A' + offset] = either;
    }
}

/* One byte or byte range of a [...] class. */
static void read_class_range(reader *r, bool set[256])
{
    unsigned char first = read_byte(r);
    unsigned char last = first;
    bool range = r->at + 1 < r->length && reader_sees(r, '-') && r->text[r->at + 1] != ']';
    if (range) {
        bool unused[256] = { false };
        r->at++;
        if (read_named_class(r, unused))
            reader_fail(r, "a range ends in a class");
        last = read_byte(r);
    }
    if (last < first)
        reader_fail(r, "a range runs backwards");
    for (unsigned byte = first; byte <= last; byte++)
        set[byte] = true;
}

/* [...]; the opening bracket is taken already. A ']' that comes first is a byte. */
void read_class(reader *r, bool nocase, bool set[256])
{
    bool negated = reader_skip(r, '^');
    do {
        if (!read_named_class(r, set))
            read_class_range(r, set);
    } while (!r->wrong && !reader_skip(r, ']'));
    if (nocase)
        add_both_cases(set);
    if (negated)
        for (unsigned byte = 0; byte < 256; byte++)
            set[byte] = !set[byte];
}

/* A decimal number, if there is one. */
static bool read_number(reader *r, size_t *number)
{
    size_t start = r->at;
    *number = 0;
    while (!reader_ended(r) && in_range(r->text[r->at], '0', '9'))
        *number = *number * 10 + (reader_take(r) - (size_t)'0');
    return r->at > start;
}

/* {x} {x,} {x,y} {,y}; the opening brace is taken already. */
void read_counts(reader *r, size_t *min, size_t *max)
{
    bool has_min = read_number(r, min);
    *max = *min;
    bool has_max = has_min;
    if (reader_skip(r, ',')) {
        has_max = read_number(r, max);
        if (!has_max)
            *max = UNBOUNDED;
    }
    if (!(has_min || has_max) || !reader_skip(r, '}') || *max < *min)
        reader_fail(r, "a malformed repeat");
}
