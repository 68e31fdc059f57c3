/* content.c: see content.h. */
#include "formats/records/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/sources/archive.h"
#include "formats/sources/compressed.h"

/* ---- lines ----------------------------------------------------------------------- */

static bool is_letter(uint8_t c)
{
    const uint8_t small = c | 0x20;
    return (small >= 'a' && small <= 'z') || c == '*' || c == '-' || c == '.';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void end_group(line_look *l)
{
    if (l->group && l->first)
        l->words =
            l->words || l->small || l->first != 10 || l->last != l->first || l->group > l->first;
    l->first = l->first ? l->first : l->group;
    l->last = l->group ? l->group : l->last;
    l->group = 0;
}

void line_look_at(line_look *l, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (is_letter(bytes[i])) {
            l->small = l->small || (bytes[i] & 0x60) == 0x60;
            l->residues = l->residues || !strchr("acgtun*-.", bytes[i] | 0x20);
            l->group++;
            l->letters++;
        } else if (is_blank(bytes[i])) {
            end_group(l);
        } else if (!l->other) {
            l->other = true;
            l->byte = bytes[i];
        }
    }
}

bool line_is_sequence(line_look *l)
{
    end_group(l);
    return !l->other && (!l->words || !l->residues);
}

void line_look_at_title(line_look *l, const uint8_t *bytes, size_t length)
{
    uint8_t controls = l->returned;
    for (size_t i = 0; i + 1 < length; i++) /* of whole vectors; '\r' may be the last */
        controls |= (bytes[i] < ' ') | (bytes[i] == 0x7f);
    for (size_t i = controls || !length ? 0 : length - 1; i < length; i++) {
        const uint8_t c = bytes[i];
        l->other = l->other || (c < ' ' && c != '\t' && c != '\r' && c != 1) || c == 0x7f ||
                   (l->returned && c != '\r');
        l->returned = c == '\r';
    }
}

bool line_has_other(const uint8_t *bytes, size_t length)
{
    uint8_t others = 0;
    for (size_t i = 0; i < length; i++) /* of whole vectors */
        others |= ((uint8_t)((bytes[i] | 0x20) - 'a') > 'z' - 'a') & (bytes[i] != '*') &
                  (bytes[i] != '-') & (bytes[i] != '.');
    return others;
}

content_doubt line_doubt(const line_look *l, bool title, uint64_t line)
{
    return (content_doubt){ .begins = true,
                            .why = title      ? "is a title with a control character in it"
                                   : l->other ? "has a byte that is no letter of a sequence"
                                              : "has words with blanks between them, which are no "
                                                "sequence",
                            .line = line,
                            .letters = !title,
                            .byte = l->byte };
}

/* ---- the head of a text of lines --------------------------------------------------- */

typedef struct head {
    const uint8_t *bytes;
    size_t length;
    uint8_t newline; /* what ends its lines */
} head;

bool content_returns(const uint8_t *bytes, size_t length)
{
    return length && !memchr(bytes, '\n', length) && memchr(bytes, '\r', length);
}

static head head_of(const uint8_t *bytes, size_t length)
{
    const size_t mark = content_mark(bytes, length);
    const uint8_t newline = content_returns(bytes, length) ? '\r' : '\n';
    return (head){ bytes + mark, length - mark, newline };
}

/* Where the line after this one begins, or `length` when it does not end here. */
static size_t line_after(const head *h, size_t at)
{
    const uint8_t *end = at < h->length ? memchr(h->bytes + at, h->newline, h->length - at) : NULL;
    return end ? (size_t)(end - h->bytes) + 1 : h->length;
}

/* Bytes of a line without its newline. */
static size_t line_length(const head *h, size_t at, size_t end)
{
    return end - at - (end > at && h->bytes[end - 1] == h->newline);
}

/* Go past a line of a sequence, and count its letters. False: it has others. Blanks may stand
 * around letters, and between them where words would not be so: between nucleotides, or groups of
 * ten capitals, of which the last may be shorter. */
static bool sequence_line(const head *h, size_t *at, size_t *letters)
{
    const size_t begin = *at;
    line_look l = { 0 };
    *at = line_after(h, begin);
    line_look_at(&l, h->bytes + begin, line_length(h, begin, *at));
    *letters = l.letters;
    return line_is_sequence(&l);
}

/* Whether a title has no control characters but those that stand in titles. */
static bool is_printable(const head *h, size_t at, size_t end)
{
    line_look l = { 0 };
    line_look_at_title(&l, h->bytes + at, line_length(h, at, end));
    return !l.other;
}

static bool is_title(const head *h, size_t at, size_t end)
{
    return is_printable(h, at, end) && end - at > 1 && h->bytes[at + 1] > ' ';
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

/* Go after the blanks and comments before the first title. */
static void pass_notes(const head *h, fasta_look *l)
{
    l->doubt.line = 1;
    for (; l->at < h->length; l->at++) {
        const uint8_t byte = h->bytes[l->at];
        if (byte == '#' || byte == ';') {
            l->noted = true;
            l->at = line_after(h, l->at) - 1;
            l->doubt.line += h->bytes[l->at] == h->newline;
        } else if (byte == h->newline) {
            l->doubt.line++;
        } else if (!is_blank(byte)) {
            break;
        }
    }
    l->doubt.begins = l->at < h->length && h->bytes[l->at] == '>';
}

/* The first title tells by its word; those after sequences need none. */
static void look_at_title(const head *h, fasta_look *l)
{
    const size_t end = line_after(h, l->at);
    const bool first = l->titles++ == 0, whole = h->bytes[end - 1] == h->newline;
    if (!is_printable(h, l->at, end))
        l->doubt = line_doubt(&(line_look){ 0 }, true, l->doubt.line);
    else if (first && end - l->at > 1 && !is_title(h, l->at, end))
        l->doubt.why = "is a title without a word after its '>'";
    else if (!l->lines && !whole && end - l->at >= CONTENT_LOOK / 2)
        l->doubt.why = "is a title that is longer than what is looked at (64 KiB)";
    l->named = l->named || (first && is_title(h, l->at, end));
    l->at = end;
}

static void look_at_letters(const head *h, fasta_look *l)
{
    const size_t begin = l->at;
    line_look line = { 0 };
    l->at = line_after(h, begin);
    line_look_at(&line, h->bytes + begin, line_length(h, begin, l->at));
    if (!line_is_sequence(&line))
        l->doubt = line_doubt(&line, false, l->doubt.line);
    l->lines += line.letters > 0 && !l->doubt.why;
}

/* Titles and lines of letters only, some of each; empty lines and comments may stand anywhere. */
static fasta_look look_at_fasta(const head *h)
{
    fasta_look l = { .at = 0 };
    pass_notes(h, &l);
    while (l.doubt.begins && l.at < h->length && !l.doubt.why) {
        const size_t begin = l.at;
        if (h->bytes[begin] == '>')
            look_at_title(h, &l);
        else if (h->bytes[begin] == ';')
            l.at = line_after(h, begin);
        else
            look_at_letters(h, &l);
        if (!l.doubt.why && h->bytes[l.at - 1] == h->newline)
            l.doubt.line++;
    }
    return l;
}

static bool is_fasta(const head *h, bool *more)
{
    const fasta_look l = look_at_fasta(h);
    const bool some = l.doubt.begins || (l.noted && l.at == h->length);
    *more = some && !l.doubt.why && l.lines == 0;
    return l.doubt.begins && !l.doubt.why && l.lines > 0;
}

content_doubt content_doubts(const uint8_t *bytes, size_t length)
{
    const head h = head_of(bytes, length);
    fasta_look l = look_at_fasta(&h);
    /* A quotation in a letter, or bytes that begin so by chance, are not meant as sequences. */
    const bool meant = (l.named && !l.noted) || l.lines > 0;
    if (length && memchr(bytes, '\0', length)) /* without bytes there may be no pointer either */
        l.doubt = (content_doubt){ .begins = false };
    if (!meant && l.doubt.why && l.titles == 1 && !l.doubt.letters && !l.noted) {
        /* The title is what is odd: what follows it tells. */
        size_t letters = 0;
        if (l.at == h.length || !sequence_line(&h, &l.at, &letters) || !letters)
            l.doubt.why = NULL;
    } else if (!meant) {
        l.doubt.why = NULL;
    }
    return l.doubt;
}

void content_doubt_words(const content_doubt *doubt, char words[CONTENT_DOUBT_TEXT])
{
    char byte[16] = "";
    if (doubt->byte)
        snprintf(byte, sizeof byte,
                 doubt->byte > ' ' && doubt->byte < 0x7f ? " ('%c')" : " (0x%02x)", doubt->byte);
    snprintf(words, CONTENT_DOUBT_TEXT, "%s%s", doubt->why, byte);
}

void content_doubt_text(const content_doubt *doubt, char text[CONTENT_DOUBT_TEXT])
{
    char words[CONTENT_DOUBT_TEXT];
    content_doubt_words(doubt, words);
    snprintf(text, CONTENT_DOUBT_TEXT, "line %" PRIu64 " %.90s", doubt->line, words);
}

/* ---- FASTQ ----------------------------------------------------------------------- */

/* Whether a record without letters, as trimming leaves them, goes from the title at `at` up to the
 * next one. *more: so far as can be seen. */
static bool is_empty_record(const head *h, size_t at, bool *more)
{
    size_t letters = 0, qualities = 0;
    *more = false;
    if (at < h->length && h->bytes[at] != '+' && (!sequence_line(h, &at, &letters) || letters))
        return false;
    if (at < h->length && h->bytes[at] != '+')
        return false;
    at = line_after(h, at);
    *more = at == h->length;
    return at < h->length && sequence_line(h, &at, &qualities) && !qualities &&
           (at == h->length || h->bytes[at] == '@');
}

/* Whether the line at `at`, which begins with '+', is that alone, or says the title again. *more:
 * it does not end here. */
static bool is_plus(const head *h, size_t at, bool *more)
{
    const size_t end = line_after(h, at);
    size_t width = end - at - 1, word = 0;
    *more = h->bytes[end - 1] != h->newline;
    while (width && (h->bytes[at + width] == '\n' || h->bytes[at + width] == '\r'))
        width--;
    while (h->bytes[1 + word] > ' ')
        word++;
    const bool whole = h->bytes[1 + width] == '\n' || h->bytes[1 + width] == '\r';
    return width == 0 ||
           ((width == word || whole) && memcmp(h->bytes + 1, h->bytes + at + 1, width) == 0);
}

/* From after the title: to the line with '+', and how many letters stand before it. A line alone
 * may be of other bytes, such as colours. False: they are no letters. */
static bool find_plus(const head *h, size_t *at, size_t *letters)
{
    const size_t begin = *at, end = line_after(h, begin);
    size_t i = begin, line;
    while (i < end && h->bytes[i] > ' ' && h->bytes[i] <= '~')
        i++;
    *letters = i - begin;
    if (i < end && (h->bytes[i] == '\n' || h->bytes[i] == '\r') && h->bytes[begin] != '+' &&
        (end < h->length ? h->bytes[end] == '+' : *letters > 0)) {
        *at = end;
        return true;
    }
    for (*letters = 0; *at < h->length && h->bytes[*at] != '+'; *letters += line)
        if (!sequence_line(h, at, &line) || !line)
            return false;
    return true;
}

/* The first record: a title (but that of changes, as diff writes it), letters, a line with '+',
 * which is enough where that is alone or says the title again; else as many other letters. Many
 * letters are enough of a record that is longer than what may be looked at. */
static bool is_fastq(const head *h, bool *more)
{
    size_t at, letters = 0, left;
    bool open = false;
    *more = false;
    if (!h->length || h->bytes[0] != '@')
        return false;
    at = line_after(h, 0);
    if (!is_printable(h, 0, at))
        return false;
    if (at == h->length) {
        *more = true;
        return false;
    }
    const bool titled = is_title(h, 0, at), changes = memcmp(h->bytes, "@@ ", 3) == 0;
    if (titled && is_empty_record(h, at, more))
        return true;
    if (!find_plus(h, &at, &letters))
        return false;
    if (at < h->length && !changes && is_plus(h, at, &open))
        return true;
    if (at < h->length)
        at = line_after(h, at);
    for (left = letters; at < h->length && left; at++) {
        if (h->bytes[at] == '\n' || h->bytes[at] == '\r')
            continue;
        if (h->bytes[at] < '!' || h->bytes[at] > '~')
            return false;
        left--;
    }
    *more = at == h->length && (left || !letters || open);
    return titled && letters && (!left || letters >= CONTENT_LOOK / 4);
}

/* ---- SAM without a header ---------------------------------------------------------- */

static bool is_number(const uint8_t *field, size_t width, uint64_t most)
{
    uint64_t number = 0;
    for (size_t i = 0; i < width; i++) {
        if (field[i] < '0' || field[i] > '9' || number > most)
            return false;
        number = 10 * number + (field[i] - '0');
    }
    return width && number <= most;
}

/* '*', or lengths with an operation after each. */
static bool is_cigar(const uint8_t *field, size_t width)
{
    bool digits = false;
    for (size_t i = 0; i < width; i++) {
        const bool digit = field[i] >= '0' && field[i] <= '9';
        if (!digit && (!digits || !strchr("MIDNSHP=X", field[i])))
            return width == 1 && *field == '*';
        digits = digit;
    }
    return width && !digits;
}

static bool is_bases(const uint8_t *field, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (!is_letter(field[i]) && field[i] != '=')
            return false;
    return width > 0;
}

/* Whether the field of a line of SAM has its form; "bases" and "qualities" begin where they are. */
static bool is_field(unsigned number, const uint8_t *field, size_t width)
{
    switch (number) {
    case 1: /* FLAG */
        return is_number(field, width, UINT16_MAX);
    case 3: /* POS, PNEXT */
    case 7:
        return is_number(field, width, INT32_MAX);
    case 4: /* MAPQ */
        return is_number(field, width, UINT8_MAX);
    case 5:
        return is_cigar(field, width);
    case 8: /* TLEN */
        return is_number(field + (width && *field == '-'), width - (width && *field == '-'),
                         INT32_MAX);
    case 9:
        return is_bases(field, width);
    default: /* names, qualities, optional fields as NM:i:0 */
        for (size_t i = 0; i < width; i++)
            if (field[i] < (number > 10 ? ' ' : '!') || field[i] > '~')
                return false;
        return number > 10 ? width > 4 && field[2] == ':' && field[4] == ':' : width > 0;
    }
}

/* The first line: eleven fields at least, in their forms; of one that is longer than what may be
 * looked at, those before its bases are enough. *more: so far as can be seen. */
static bool is_alignment(const head *h, bool *more)
{
    const size_t line = line_after(h, 0);
    const bool whole = line && h->bytes[line - 1] == '\n';
    size_t at = 0, end = line_length(h, 0, line), bases = 0;
    unsigned fields = 0;
    *more = false;
    end -= whole && end && h->bytes[end - 1] == '\r';
    for (bool last = false; !last; fields++) {
        const uint8_t *field = h->bytes + at;
        const uint8_t *tab = end > at ? memchr(field, '\t', end - at) : NULL;
        const size_t width = tab ? (size_t)(tab - field) : end - at;
        last = !tab;
        if (last && !whole)
            break;
        if (!is_field(fields, field, width))
            return false;
        if (fields == 10 && bases != width && bases > 1 && width > 1)
            return false;
        bases = fields == 9 ? width : bases;
        at += width + 1;
    }
    *more = !whole && fields > 2 && h->length < CONTENT_LOOK;
    return whole ? fields > 10 : fields > 8 && h->length >= CONTENT_LOOK;
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
    const uint8_t *newline = memchr(bytes, '\n', length);
    size_t end = newline ? (size_t)(newline - bytes) : length;
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
    const head h = head_of(bytes, length);
    if (is_fasta(&h, &more))
        return CONTENT_FASTA;
    if (!more && is_fastq(&h, &more))
        return CONTENT_FASTQ;
    if (!more && is_alignment(&h, &more))
        return CONTENT_SAM;
    if (!whole && length < CONTENT_LOOK && more)
        *least = CONTENT_LOOK;
    else if (!whole && length < 512 && is_short(bytes, length))
        *least = 512;
    return CONTENT_TEXT;
}
