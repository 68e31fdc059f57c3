/* content.c: see content.h. */
#include "formats/records/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/sources/archive.h"
#include "formats/sources/compressed.h"

static bool is_letter(uint8_t c)
{
    const uint8_t small = c | 0x20;
    return (small >= 'a' && small <= 'z') || c == '*' || c == '-' || c == '.';
}

/* ---- lines of sequences ---------------------------------------------------------- */

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

/* Whether a title has no control characters but those that stand in titles. */
static bool is_printable(const uint8_t *bytes, size_t at, size_t end)
{
    for (size_t i = at + 1; i < end; i++)
        if ((bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n' &&
             bytes[i] != 1) ||
            bytes[i] == 0x7f)
            return false;
    return true;
}

static bool is_title(const uint8_t *bytes, size_t at, size_t end)
{
    return is_printable(bytes, at, end) && end - at > 1 && bytes[at + 1] > ' ';
}

/* ---- FASTA ----------------------------------------------------------------------- */

/* What was seen of a text that may be FASTA. */
typedef struct fasta_look {
    content_doubt doubt;
    size_t at;
    size_t titles, lines; /* with letters */
    bool noted;           /* comments stand before the first title */
    bool named;           /* the first title begins with a word */
} fasta_look;

/* Behind the blanks and comments before the first title. */
static void pass_notes(const uint8_t *bytes, size_t length, fasta_look *l)
{
    l->doubt.line = 1;
    for (; l->at < length; l->at++) {
        if (bytes[l->at] == '#' || bytes[l->at] == ';') {
            l->noted = true;
            l->at = behind_line(bytes, length, l->at) - 1;
            l->doubt.line += bytes[l->at] == '\n';
        } else if (bytes[l->at] == '\n') {
            l->doubt.line++;
        } else if (!is_blank(bytes[l->at])) {
            break;
        }
    }
    l->doubt.begins = l->at < length && bytes[l->at] == '>';
}

/* The first title tells by its word; those behind sequences need none. */
static void look_at_title(const uint8_t *bytes, size_t length, fasta_look *l)
{
    const size_t end = behind_line(bytes, length, l->at);
    const bool first = l->titles++ == 0, whole = bytes[end - 1] == '\n';
    if (!is_printable(bytes, l->at, end))
        l->doubt.why = "is a title with a control character in it";
    else if (first && end - l->at > 1 && !is_title(bytes, l->at, end))
        l->doubt.why = "is a title without a word behind its '>'";
    else if (!l->lines && !whole && end - l->at >= CONTENT_LOOK / 2)
        l->doubt.why = "is a title that is longer than what is looked at (64 KiB)";
    l->named = l->named || (first && is_title(bytes, l->at, end));
    l->at = end;
}

static void look_at_letters(const uint8_t *bytes, size_t length, fasta_look *l)
{
    const size_t begin = l->at, end = behind_line(bytes, length, begin);
    size_t letters = 0;
    if (!sequence_line(bytes, length, &l->at, &letters)) {
        size_t i = begin;
        while (i < end && (is_letter(bytes[i]) || is_blank(bytes[i])))
            i++;
        const bool byte = i < end && bytes[i] != '\n';
        l->doubt.letters = true;
        l->doubt.byte = byte ? bytes[i] : 0;
        l->doubt.why = byte ? "has a byte that is no letter of a sequence"
                            : "has words with blanks between them, which are no sequence";
        l->at = end;
    }
    l->lines += letters > 0 && !l->doubt.why;
}

/* Titles and lines of letters only, some of each; empty lines and comments may stand anywhere. */
static fasta_look look_at_fasta(const uint8_t *bytes, size_t length)
{
    fasta_look l = { .at = 0 };
    pass_notes(bytes, length, &l);
    while (l.doubt.begins && l.at < length && !l.doubt.why) {
        const size_t begin = l.at;
        if (bytes[begin] == '>')
            look_at_title(bytes, length, &l);
        else if (bytes[begin] == ';')
            l.at = behind_line(bytes, length, begin);
        else
            look_at_letters(bytes, length, &l);
        if (!l.doubt.why && bytes[l.at - 1] == '\n')
            l.doubt.line++;
    }
    return l;
}

static bool is_fasta(const uint8_t *bytes, size_t length, bool *more)
{
    const fasta_look l = look_at_fasta(bytes, length);
    const bool some = l.doubt.begins || (l.noted && l.at == length);
    *more = some && !l.doubt.why && l.lines == 0;
    return l.doubt.begins && !l.doubt.why && l.lines > 0;
}

content_doubt content_doubts(const uint8_t *bytes, size_t length)
{
    const size_t mark = content_mark(bytes, length);
    fasta_look l = look_at_fasta(bytes + mark, length - mark);
    /* A quotation in a letter, or bytes that begin so by chance, are not meant as sequences. */
    const bool meant = (l.named && !l.noted) || l.lines > 0;
    if (length && memchr(bytes, '\0', length)) /* without bytes there may be no pointer either */
        l.doubt = (content_doubt){ .begins = false };
    if (!meant && l.doubt.why && l.titles == 1 && !l.doubt.letters && !l.noted) {
        /* The title is what is odd: what follows it tells. */
        size_t at = mark + l.at, letters = 0;
        if (at == length || !sequence_line(bytes, length, &at, &letters) || !letters)
            l.doubt.why = NULL;
    } else if (!meant) {
        l.doubt.why = NULL;
    }
    return l.doubt;
}

void content_doubt_text(const content_doubt *doubt, char text[CONTENT_DOUBT_TEXT])
{
    char byte[16] = "";
    if (doubt->byte)
        snprintf(byte, sizeof byte,
                 doubt->byte > ' ' && doubt->byte < 0x7f ? " ('%c')" : " (0x%02x)", doubt->byte);
    snprintf(text, CONTENT_DOUBT_TEXT, "line %" PRIu64 " %s%s", doubt->line, doubt->why, byte);
}

/* ---- FASTQ ----------------------------------------------------------------------- */

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

/* Whether the line at `at`, which begins with '+', is that alone, or says the title again. *more:
 * it does not end here. */
static bool is_plus(const uint8_t *bytes, size_t length, size_t at, bool *more)
{
    const size_t end = behind_line(bytes, length, at);
    size_t width = end - at - 1, word = 0;
    *more = bytes[end - 1] != '\n';
    while (width && (bytes[at + width] == '\n' || bytes[at + width] == '\r'))
        width--;
    while (bytes[1 + word] > ' ')
        word++;
    const bool whole = bytes[1 + width] == '\n' || bytes[1 + width] == '\r';
    return width == 0 ||
           ((width == word || whole) && memcmp(bytes + 1, bytes + at + 1, width) == 0);
}

/* From behind the title: to the line with '+', and how many letters stand before it. A line alone
 * may be of other bytes, such as colours. False: they are no letters. */
static bool find_plus(const uint8_t *bytes, size_t length, size_t *at, size_t *letters)
{
    const size_t begin = *at, end = behind_line(bytes, length, begin);
    size_t i = begin, line;
    while (i < end && bytes[i] > ' ' && bytes[i] <= '~')
        i++;
    *letters = i - begin;
    if (i < end && (bytes[i] == '\n' || bytes[i] == '\r') && bytes[begin] != '+' &&
        (end < length ? bytes[end] == '+' : *letters > 0)) {
        *at = end;
        return true;
    }
    for (*letters = 0; *at < length && bytes[*at] != '+'; *letters += line)
        if (!sequence_line(bytes, length, at, &line) || !line)
            return false;
    return true;
}

/* The first record: a title (but that of changes, as diff writes it), letters, a line with '+',
 * which is enough where that is alone or says the title again; else as many other letters. Of a
 * record that is longer than what may be looked at, many letters are enough. */
static bool is_fastq(const uint8_t *bytes, size_t length, bool *more)
{
    size_t at, letters = 0, left;
    bool open = false;
    *more = false;
    if (!length || bytes[0] != '@')
        return false;
    at = behind_line(bytes, length, 0);
    if (!is_printable(bytes, 0, at))
        return false;
    if (at == length) {
        *more = true;
        return false;
    }
    const bool titled = is_title(bytes, 0, at), changes = memcmp(bytes, "@@ ", 3) == 0;
    if (titled && is_empty_record(bytes, length, at, more))
        return true;
    if (!find_plus(bytes, length, &at, &letters))
        return false;
    if (at < length && !changes && is_plus(bytes, length, at, &open))
        return true;
    if (at < length)
        at = behind_line(bytes, length, at);
    for (left = letters; at < length && left; at++) {
        if (bytes[at] == '\n' || bytes[at] == '\r')
            continue;
        if (bytes[at] < '!' || bytes[at] > '~')
            return false;
        left--;
    }
    *more = at == length && (left || !letters || open);
    return titled && letters && (!left || letters >= CONTENT_LOOK / 4);
}

/* ---- signatures ------------------------------------------------------------------ */

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

typedef struct signature {
    const char *bytes;
    size_t length;
    content kind;
} signature;

static const signature signatures[] = {
    { "BAM\1", 4, CONTENT_BAM },
    { "CRAM", 4, CONTENT_CRAM },
    { "@HD\tVN:", 7, CONTENT_SAM },
    { "@SQ\tSN:", 7, CONTENT_SAM },
    { "@RG\tID:", 7, CONTENT_SAM },
    { "@PG\tID:", 7, CONTENT_SAM },
    { "@CO\t", 4, CONTENT_SAM },
    { "LOCUS       ", 12, CONTENT_ENTRIES },
    { "ID   ", 5, CONTENT_ENTRIES },
    { "\x43\x27\x41\x1a\0\0\0\0", 8, CONTENT_TWOBIT },
    { "\x43\x27\x41\x1a\1\0\0\0", 8, CONTENT_TWOBIT },
    { "\x1a\x41\x27\x43\0\0\0\0", 8, CONTENT_TWOBIT },
    { "\x1a\x41\x27\x43\0\0\0\1", 8, CONTENT_TWOBIT },
};

/* "ID   X56734; SV 1; linear; mRNA; STD; PLN; 1859 BP." ends with how long it is. */
static bool is_embl(const uint8_t *bytes, size_t length)
{
    size_t end = behind_line(bytes, length, 0);
    while (end && bytes[end - 1] <= ' ')
        end--;
    return end > 12 && memchr(bytes, ';', end) &&
           (memcmp(bytes + end - 4, " BP.", 4) == 0 || memcmp(bytes + end - 4, " AA.", 4) == 0);
}

/* CONTENT_TEXT: none of these. */
static content by_signature(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        if (length >= s->length && memcmp(bytes, s->bytes, s->length) == 0 &&
            (*s->bytes != 'I' || is_embl(bytes, length)))
            return s->kind;
    }
    return CONTENT_TEXT;
}

/* Could more bytes than these few show a signature? */
static bool is_short(const uint8_t *bytes, size_t length)
{
    static const char begins[][4] = { "\x1f\x8b",     "BZh",    "\xfd\x37\x7a", "\x28\xb5\x2f",
                                      "\x04\x22\x4d", "PK",     "\xd4\xc3\xb2", "\xa1\xb2",
                                      "\x4d\x3c\xb2", "\n\r\r", "\x02\x21",     "\xef\xbb",
                                      "\x34\xcd" };
    const size_t compared = length < 2 ? length : 2;
    for (size_t i = 0; i < sizeof begins / sizeof *begins && length < 12; i++)
        if (compared && memcmp(bytes, begins[i], compared) == 0)
            return true;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (length && length < signatures[i].length &&
            memcmp(bytes, signatures[i].bytes, length) == 0)
            return true;
    if (length >= 5 && memcmp(bytes, "ID   ", 5) == 0 && !memchr(bytes, '\n', length))
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
    if (by_signature(bytes, length) != CONTENT_TEXT)
        return by_signature(bytes, length);
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
