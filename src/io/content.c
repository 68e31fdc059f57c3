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

/* Letters of a sequence up to the line's end or the last byte, and *at moves behind them; 0: there
 * are none, or others. */
static size_t sequence_line(const uint8_t *bytes, size_t length, size_t *at)
{
    size_t i = *at;
    while (i < length && is_letter(bytes[i]))
        i++;
    const size_t letters = i - *at;
    if (i < length && bytes[i] == '\r')
        i++;
    *at = i < length ? i + 1 : i;
    return i == length || bytes[i] == '\n' ? letters : 0;
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

/* Titles and lines of letters only, some of each; empty lines may follow a record. */
static bool is_fasta(const uint8_t *bytes, size_t length, bool *more)
{
    size_t at = 0, lines = 0;
    *more = false;
    if (!length || bytes[0] != '>')
        return false;
    while (at < length) {
        const size_t end = behind_line(bytes, length, at);
        if (bytes[at] == '>') {
            if (!is_title(bytes, at, end) && end - at > 1)
                return false;
            at = end;
        } else if (bytes[at] == '\n' || (bytes[at] == '\r' && end - at == 2)) {
            at = end;
        } else {
            if (!sequence_line(bytes, length, &at))
                return false;
            lines++;
        }
    }
    *more = lines == 0;
    return lines > 0;
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
    for (; at < length && bytes[at] != '+'; letters += line)
        if ((line = sequence_line(bytes, length, &at)) == 0)
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

/* The first four bytes of pcap (both orders, times in microseconds and nanoseconds) and pcapng. */
static bool is_capture(const uint8_t *bytes, size_t length)
{
    static const uint8_t magic[][4] = { { 0xd4, 0xc3, 0xb2, 0xa1 },
                                        { 0xa1, 0xb2, 0xc3, 0xd4 },
                                        { 0x4d, 0x3c, 0xb2, 0xa1 },
                                        { 0xa1, 0xb2, 0x3c, 0x4d },
                                        { 0x0a, 0x0d, 0x0d, 0x0a } };
    static const uint8_t order[][4] = { { 0x1a, 0x2b, 0x3c, 0x4d }, { 0x4d, 0x3c, 0x2b, 0x1a } };
    for (size_t i = 0; i < 5 && length >= 12; i++)
        if (memcmp(bytes, magic[i], 4) == 0)
            return i < 4 || memcmp(bytes + 8, order[0], 4) == 0 ||
                   memcmp(bytes + 8, order[1], 4) == 0;
    return false;
}

/* Could more bytes than these few show a signature? */
static bool is_short(const uint8_t *bytes, size_t length)
{
    static const char signatures[][4] = { "\x1f\x8b",     "BZh",    "\xfd\x37\x7a", "\x28\xb5\x2f",
                                          "\x04\x22\x4d", "PK",     "\xd4\xc3\xb2", "\xa1\xb2",
                                          "\x4d\x3c\xb2", "\n\r\r", "\x02\x21" };
    const size_t compared = length < 2 ? length : 2;
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0] && length < 12; i++)
        if (compared && memcmp(bytes, signatures[i], compared) == 0)
            return true;
    if (length && length < 12 && (bytes[0] & 0xf0) == 0x50 && (length == 1 || bytes[1] == 0x2a))
        return true; /* a frame that zstd and lz4 pass over */
    return length && length < 512 && memchr(bytes, '\0', length); /* tar fills with them */
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
    if (is_fasta(bytes, length, &more))
        return CONTENT_FASTA;
    if (!more && is_fastq(bytes, length, &more))
        return CONTENT_FASTQ;
    if (!whole && length < CONTENT_LOOK && more)
        *least = CONTENT_LOOK;
    else if (!whole && length < 512 && is_short(bytes, length))
        *least = 512;
    return CONTENT_TEXT;
}
