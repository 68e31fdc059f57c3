/* content.c: see io/content.h. */
#include "io/content.h"

#include <string.h>

#include "io/archive.h"
#include "io/compressed.h"

static bool is_letter(uint8_t c)
{
    const uint8_t small = c | 0x20;
    return (small >= 'a' && small <= 'z') || c == '*' || c == '-' || c == '.';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool are_nucleotides(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr("acgtun*-. \t\r", bytes[i] | (is_letter(bytes[i]) ? 0x20 : 0)))
            return false;
    return true;
}

/* Go behind a line of a sequence, or to the last byte, and count its letters. False: it has others.
 * Blanks may stand around letters, and between them where words would not be so: between
 * nucleotides, or groups of ten capitals, of which the last may be shorter. */
static bool sequence_line(const uint8_t *bytes, size_t length, size_t *at, size_t *letters)
{
    const size_t begin = *at;
    size_t i = begin, first = 0, last = 0;
    bool words = false, small = false;
    *letters = 0;
    while (i < length && bytes[i] != '\n') {
        const size_t from = i;
        for (; i < length && is_letter(bytes[i]); i++)
            small = small || (bytes[i] & 0x60) == 0x60;
        const size_t group = i - from;
        if (!group && !is_blank(bytes[i++]))
            return false;
        if (group && first)
            words = words || small || first != 10 || last != first || group > first;
        first = first ? first : group;
        last = group ? group : last;
        *letters += group;
    }
    *at = i < length ? i + 1 : i;
    return !words || are_nucleotides(bytes + begin, i - begin);
}

/* Behind the line, or `length` when it does not end here. */
static size_t behind_line(const uint8_t *bytes, size_t length, size_t at)
{
    const uint8_t *end = at < length ? memchr(bytes + at, '\n', length - at) : NULL;
    return end ? (size_t)(end - bytes) + 1 : length;
}

static bool is_title(const uint8_t *bytes, size_t at, size_t end)
{
    for (size_t i = at + 1; i < end; i++)
        if ((bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n' &&
             bytes[i] != 1) ||
            bytes[i] == 0x7f)
            return false;
    return end - at > 1 && bytes[at + 1] > ' ';
}

/* Titles and lines of letters only, some of each; empty lines may stand anywhere. */
static bool is_fasta(const uint8_t *bytes, size_t length, bool *more)
{
    size_t at = 0, lines = 0, letters;
    *more = false;
    while (at < length && (is_blank(bytes[at]) || bytes[at] == '\n'))
        at++;
    if (at == length || bytes[at] != '>')
        return false;
    while (at < length) {
        if (bytes[at] == '>') {
            const size_t end = behind_line(bytes, length, at);
            if (!is_title(bytes, at, end) && end - at > 1)
                return false;
            at = end;
        } else {
            if (!sequence_line(bytes, length, &at, &letters))
                return false;
            lines += letters > 0;
        }
    }
    *more = lines == 0;
    return lines > 0;
}

/* Behind a title at `at`: a record without letters, as trimming leaves them, up to the next. *more:
 * so far as can be seen. */
static bool is_empty_record(const uint8_t *bytes, size_t length, size_t at, bool *more)
{
    size_t letters = 0, qualities = 0;
    *more = false;
    if (at < length && bytes[at] != '+' &&
        (!sequence_line(bytes, length, &at, &letters) || letters))
        return false;
    if (at < length && bytes[at] != '+')
        return false;
    at = behind_line(bytes, length, at);
    *more = at == length;
    return at < length && sequence_line(bytes, length, &at, &qualities) && !qualities &&
           (at == length || bytes[at] == '@');
}

/* The first record: a title, letters, a line with '+', and as many other letters. Of a record that
 * is longer than what may be looked at, many letters are enough. */
static bool is_fastq(const uint8_t *bytes, size_t length, bool *more)
{
    size_t at, letters = 0, left, line;
    *more = false;
    if (!length || bytes[0] != '@')
        return false;
    at = behind_line(bytes, length, 0);
    if (!is_title(bytes, 0, at)) {
        *more = length == 1;
        return false;
    }
    if (is_empty_record(bytes, length, at, more))
        return true;
    for (; at < length && bytes[at] != '+'; letters += line)
        if (!sequence_line(bytes, length, &at, &line) || !line)
            return false;
    if (at < length)
        at = behind_line(bytes, length, at);
    for (left = letters; at < length && left; at++) {
        if (bytes[at] == '\n' || bytes[at] == '\r')
            continue;
        if (bytes[at] < '!' || bytes[at] > '~')
            return false;
        left--;
    }
    *more = at == length && (left || !letters);
    return letters && (!left || letters >= CONTENT_LOOK / 4);
}

/* The first four bytes of pcap (both orders, times in microseconds and nanoseconds, records with
 * more of a header) and pcapng. */
static bool is_capture(const uint8_t *bytes, size_t length)
{
    static const uint8_t magic[][4] = { { 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0xc3, 0xd4 },
                                        { 0x4d, 0x3c, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0x3c, 0x4d },
                                        { 0x34, 0xcd, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0xcd, 0x34 },
                                        { 0x0a, 0x0d, 0x0d, 0x0a } };
    static const uint8_t order[][4] = { { 0x1a, 0x2b, 0x3c, 0x4d }, { 0x4d, 0x3c, 0x2b, 0x1a } };
    for (size_t i = 0; i < 7 && length >= 12; i++)
        if (memcmp(bytes, magic[i], 4) == 0)
            return i < 6 || memcmp(bytes + 8, order[0], 4) == 0 ||
                   memcmp(bytes + 8, order[1], 4) == 0;
    return false;
}

/* Could more bytes than these few show a signature? */
static bool is_short(const uint8_t *bytes, size_t length)
{
    static const char signatures[][4] = { "\x1f\x8b",     "BZh",    "\xfd\x37\x7a", "\x28\xb5\x2f",
                                          "\x04\x22\x4d", "PK",     "\xd4\xc3\xb2", "\xa1\xb2",
                                          "\x4d\x3c\xb2", "\n\r\r", "\x02\x21",     "\xef\xbb",
                                          "\x34\xcd" };
    const size_t compared = length < 2 ? length : 2;
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0] && length < 12; i++)
        if (compared && memcmp(bytes, signatures[i], compared) == 0)
            return true;
    if (length && length < 12 && (bytes[0] & 0xf0) == 0x50 && (length == 1 || bytes[1] == 0x2a))
        return true; /* a frame that zstd and lz4 pass over */
    return length && length < 512 && memchr(bytes, '\0', length); /* tar fills with them */
}

size_t content_mark(const uint8_t *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

content content_of(const uint8_t *bytes, size_t length, bool whole, size_t *least)
{
    bool more;
    *least = 0;
    if (compressed_kind(bytes, length) && !archive_is_zip(bytes, length))
        return CONTENT_PACKED;
    if (archive_is_zip(bytes, length) || archive_is_tar(bytes, length))
        return CONTENT_ARCHIVE;
    if (is_capture(bytes, length))
        return CONTENT_CAPTURE;
    const size_t mark = content_mark(bytes, length);
    if (is_fasta(bytes + mark, length - mark, &more))
        return CONTENT_FASTA;
    if (!more && is_fastq(bytes + mark, length - mark, &more))
        return CONTENT_FASTQ;
    if (!whole && length < CONTENT_LOOK && more)
        *least = CONTENT_LOOK;
    else if (!whole && length < 512 && is_short(bytes, length))
        *least = 512;
    return CONTENT_TEXT;
}
