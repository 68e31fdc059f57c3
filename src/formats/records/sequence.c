/* sequence.c: FASTA and FASTQ. A record is a sequence: its lines joined, without blanks, as named
 * by the first word of its title.
 *
 * Idea. A machine of few states goes over the bytes as they come, line by line where they allow it,
 * so neither a line nor a record need fit into memory. The qualities of FASTQ are counted:
 * there must be as many as letters, on one line or several. A batch that wants them keeps them too.
 *
 * Most lines are letters alone, and stand whole in what was read and in the batch: these are joined
 * by a loop of their own, word by word.
 *
 * Cost: a copy and a look at each byte, some GB/s.
 *
 * Why not htslib's readers: sam_read1 packs letters into the 16 of nucleotides, which a protein is
 * not, and neither it nor kseq.h keeps a limit of memory. Its bgzf is used (sources/bgzf.c).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/records/reader.h"

#define PIECE (256u << 10)

typedef enum state {
    BETWEEN, /* at the begin of a line, before the first record, or after one of FASTQ */
    COMMENT, /* within a line that is passed over */
    TITLE,   /* within a title */
    BEGIN,   /* after it: the record is to be begun */
    BODY,    /* at the begin of a line of letters */
    LETTERS, /* within one */
    PLUS,    /* within the line between letters and qualities */
    QUALITY  /* among the qualities */
} state;

typedef struct sequence {
    source *text;
    bool fastq;
    bool returns; /* carriage returns end its lines */
    state state;
    bool ended;           /* nothing is to be read any more */
    bool named;           /* the title's first word has ended */
    uint64_t line, begin; /* from 1; of this record */
    uint64_t number;
    uint64_t letters, qualities; /* of this record */
    size_t name_length;
    size_t at, used;
    size_t width;        /* of the last line that was joined */
    line_look look;      /* of this line */
    content_doubt doubt; /* of FASTA */
    char name[RECORD_NAME];
    char message[200];
    uint8_t in[PIECE];
} sequence;

/* ---- open and close ---------------------------------------------------------- */

/* As many bytes are looked at as tell what ends the lines. */
static bool has_returns(source *text)
{
    const uint8_t *head;
    size_t length;
    return source_peek(text, &head, &length) && length && !memchr(head, '\n', length) &&
           source_look(text, CONTENT_LOOK, &head, &length) && content_returns(head, length);
}

static void *open_any(source *text, bool fastq, const char **why)
{
    sequence *s = malloc(sizeof *s);
    if (!s) {
        *why = "out of memory";
        return NULL;
    }
    memset(s, 0, offsetof(sequence, in));
    s->text = text;
    s->fastq = fastq;
    s->line = 1;
    s->returns = has_returns(text);
    const uint8_t *head;
    size_t length;
    if (source_look(text, 3, &head, &length) && content_mark(head, length))
        source_read(text, s->in, content_mark(head, length));
    return s;
}

static void *open_fasta(source *text, const char **why)
{
    return open_any(text, false, why);
}

static void *open_fastq(source *text, const char **why)
{
    return open_any(text, true, why);
}

/* ---- one state after another: false with *why, or where the batch is full ------- */

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
fail(sequence *s, const char **why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->message, sizeof s->message, format, arguments);
    va_end(arguments);
    *why = s->message;
    return false;
}

/* The rest of this line as far as it was read; *whole: with its newline. */
static size_t rest_of_line(const sequence *s, bool *whole)
{
    const uint8_t *from = s->in + s->at, *end = memchr(from, '\n', s->used - s->at);
    *whole = end != NULL;
    return end ? (size_t)(end - from) : s->used - s->at;
}

/* Go on after `length` bytes, and the newline of a whole line: then in the next state. */
static void pass(sequence *s, size_t length, bool whole, state next)
{
    s->at += length + whole;
    s->line += whole;
    if (whole)
        s->state = next;
}

static bool pass_between(sequence *s, const char **why)
{
    const uint8_t byte = s->in[s->at], mark = s->fastq ? '@' : '>';
    if (byte == mark) {
        s->at++;
        s->begin = s->line;
        s->state = TITLE;
        s->named = false;
        s->name_length = 0;
    } else if (byte == '\n' || byte == '\r' || byte == ' ' || byte == '\t') {
        pass(s, byte != '\n', byte == '\n', BETWEEN);
    } else if ((byte == ';' || (byte == '#' && s->number == 0)) && !s->fastq) {
        s->state = COMMENT;
    } else {
        return fail(s, why, "a record of %s should begin here, with '%c'",
                    s->fastq ? "FASTQ" : "FASTA", mark);
    }
    return true;
}

static bool is_blank(uint8_t c)
{
    return c <= ' ';
}

static void pass_title(sequence *s)
{
    bool whole;
    const size_t length = rest_of_line(s, &whole);
    const uint8_t *title = s->in + s->at;
    if (!s->fastq && !s->doubt.why) {
        line_look_at_title(&s->look, title, length);
        if (s->look.other)
            s->doubt = line_doubt(&s->look, true, s->line);
        s->look = whole ? (line_look){ 0 } : s->look;
    }
    for (size_t i = 0; i < length && !s->named; i++) {
        if (is_blank(title[i]))
            s->named = s->name_length > 0; /* blanks may stand before the name */
        else if (s->name_length < RECORD_NAME)
            s->name[s->name_length++] = (char)title[i];
    }
    pass(s, length, whole, BEGIN);
}

static bool begin_record(sequence *s, batch *b, const char **why)
{
    if (!batch_begin(b, s->number + 1, s->name, s->name_length, why))
        return false;
    s->number++;
    s->letters = s->qualities = 0;
    s->state = BODY;
    return true;
}

static bool has_blank(const uint8_t *bytes, size_t length)
{
    uint8_t any = 0;
    for (size_t i = 0; i < length; i++)
        any |= bytes[i] <= ' ';
    return any;
}

/* Copy eight bytes. The answer has a byte's top bit where one is no letter of the alphabet. */
static inline uint64_t copy_word(uint8_t *to, const uint8_t *from)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t word;
    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
    const uint64_t small = word | ones * 0x20;
    return ~(small + ones * (0x80 - 'a')) | (small + ones * (0x7f - 'z')) | word;
}

/* Copy a line of letters, without a branch on any of them. False: it has others than those of the
 * alphabet, or is short, and nothing counts of what was copied. */
static inline bool copy_letters(uint8_t *to, const uint8_t *from, size_t length)
{
    uint64_t others = 0;
    if (length < 8)
        return false;
    for (size_t i = 0; i < length - 8; i += 8)
        others |= copy_word(to + i, from + i);
    others |= copy_word(to + length - 8, from + length - 8);
    return !(others & UINT64_MAX / 255 << 7);
}

/* From the begin of a line of letters on, join whole lines without blanks, up to one that is to be
 * looked at. Most are as long as the one before. */
static void join_lines(sequence *s, batch *b)
{
    const uint8_t mark = s->fastq ? '+' : '>', note = s->fastq ? mark : ';';
    const size_t room = b->room - b->used, left = s->used - s->at;
    const size_t length = room < left ? room : left;
    const uint8_t *from = s->in + s->at;
    uint8_t *to = b->bytes + b->used;
    size_t at = 0, kept = 0;
    while (at < length && from[at] != mark && from[at] != note) {
        size_t width = s->width, end = at + width;
        if (end >= length || from[end] != '\n' || !copy_letters(to + kept, from + at, width)) {
            const uint8_t *newline = memchr(from + at, '\n', length - at);
            if (!newline)
                break;
            end = (size_t)(newline - from);
            width = end - at - (end > at && from[end - 1] == '\r');
            if (!copy_letters(to + kept, from + at, width)) {
                if (line_has_other(from + at, width))
                    break;
                memcpy(to + kept, from + at, width);
            }
            if (end + 1 < length && from[end + 1] != mark) /* a record's last line may be shorter */
                s->width = width;
        }
        kept += width;
        at = end + 1;
        s->line++;
    }
    s->at += at;
    s->letters += kept;
    b->used += kept;
    b->records[b->count - 1].length += kept;
}

/* What was looked at is a line of letters, or a part of one. */
static void end_line(sequence *s, bool whole)
{
    if (!whole && !s->look.other)
        return;
    if (!line_is_sequence(&s->look))
        s->doubt = line_doubt(&s->look, false, s->line);
    s->look = (line_look){ 0 };
}

static bool pass_letters(sequence *s, batch *b, const char **why)
{
    bool whole;
    const size_t length = rest_of_line(s, &whole);
    const uint8_t *from = s->in + s->at;
    const uint64_t before = b->used;
    if (!has_blank(from, length)) {
        if (!batch_add(b, from, length, why))
            return false;
    } else {
        uint8_t *to = batch_room(b, length, why);
        if (!to)
            return false;
        size_t kept = 0;
        for (size_t i = 0; i < length; i++)
            if (!is_blank(from[i]))
                to[kept++] = from[i];
        b->used += kept;
        b->records[b->count - 1].length += kept;
    }
    if (!s->fastq && !s->doubt.why) {
        line_look_at(&s->look, from, length);
        end_line(s, whole);
    }
    s->letters += b->used - before;
    pass(s, length, whole, BODY);
    return true;
}

static void pass_body(sequence *s, batch *b)
{
    join_lines(s, b);
    if (s->at == s->used)
        return;
    const uint8_t byte = s->in[s->at];
    s->state = LETTERS;
    if (byte == (s->fastq ? '+' : '>')) {
        if (!s->fastq)
            batch_end(b);
        else if (b->qualities)
            memset(b->qualities + b->records[b->count - 1].begin, '!', (size_t)s->letters);
        s->state = s->fastq ? PLUS : BETWEEN;
    } else if (byte == ';' && !s->fastq) {
        s->state = COMMENT;
    }
}

/* Keep those of them that are no blanks, as far as there are letters. */
static void keep_qualities(const sequence *s, batch *b, size_t length)
{
    uint8_t *to = b->qualities + b->records[b->count - 1].begin;
    uint64_t kept = s->qualities;
    for (size_t i = 0; i < length && kept < s->letters; i++)
        if (!is_blank(s->in[s->at + i]))
            to[kept++] = s->in[s->at + i];
}

static bool pass_quality(sequence *s, batch *b, const char **why)
{
    bool whole;
    const size_t length = rest_of_line(s, &whole);
    if (b->qualities)
        keep_qualities(s, b, length);
    for (size_t i = 0; i < length; i++)
        s->qualities += !is_blank(s->in[s->at + i]);
    if (s->qualities > s->letters)
        return fail(s, why,
                    "more qualities than the %" PRIu64 " letters of the record that begins on line "
                    "%" PRIu64,
                    s->letters, s->begin);
    pass(s, length, whole, s->qualities == s->letters ? BETWEEN : QUALITY);
    if (s->state == BETWEEN)
        batch_end(b);
    return true;
}

static bool step(sequence *s, batch *b, const char **why)
{
    bool whole;
    size_t length;
    switch (s->state) {
    case BETWEEN:
        return pass_between(s, why);
    case TITLE:
        pass_title(s);
        return true;
    case BEGIN:
        return begin_record(s, b, why);
    case BODY:
        pass_body(s, b);
        return true;
    case LETTERS:
        return pass_letters(s, b, why);
    case QUALITY:
        return pass_quality(s, b, why);
    default: /* COMMENT, PLUS */
        length = rest_of_line(s, &whole);
        pass(s, length, whole, s->state == PLUS ? QUALITY : b->open ? BODY : BETWEEN);
        return true;
    }
}

/* ---- filling --------------------------------------------------------------------- */

/* False at the end, or with *why. */
static bool refill(sequence *s, const char **why)
{
    const ptrdiff_t got = source_read(s->text, s->in, PIECE);
    s->at = 0;
    s->used = got > 0 ? (size_t)got : 0;
    s->ended = got <= 0;
    if (got < 0)
        *why = s->text->why;
    for (size_t i = 0; i < s->used && s->returns; i++)
        s->in[i] = s->in[i] == '\r' ? '\n' : s->in[i];
    return got > 0;
}

/* The text has ended: 0, or -1 with *why; 1 when a record still waits for its batch. */
static int finish(sequence *s, batch *b, const char **why)
{
    if ((s->state == TITLE || s->state == BEGIN) && !s->fastq) {
        s->state = BEGIN;
        if (!begin_record(s, b, why))
            return *why ? -1 : 1;
    }
    if (s->look.letters)
        end_line(s, true);
    if (!s->fastq || s->state == BETWEEN || (s->state == QUALITY && s->qualities == s->letters)) {
        batch_end(b);
        return 0;
    }
    batch_cut(b);
    fail(s, why, "the text ends within a record, which begins on line %" PRIu64, s->begin);
    return -1;
}

static int fill_all(sequence *s, batch *b, const char **why)
{
    *why = NULL;
    for (;;) {
        if (s->at == s->used && !s->ended && batch_ready(b) && source_waits(s->text))
            return 1;
        if (s->at == s->used && (s->ended || !refill(s, why)) && !*why)
            return finish(s, b, why);
        if (*why || !step(s, b, why)) {
            if (*why)
                batch_cut(b);
            return *why ? -1 : 1;
        }
    }
}

static int fill(void *user, batch *b, const char **why)
{
    sequence *s = user;
    const int more = fill_all(s, b, why);
    b->line = *why == s->message ? s->line : 0;
    return more;
}

static const content_doubt *doubt(const void *user)
{
    const sequence *s = user;
    return s->doubt.why ? &s->doubt : NULL;
}

const reader_kind reader_fasta = {
    .named = true, .open = open_fasta, .fill = fill, .doubt = doubt, .close = free
};
const reader_kind reader_fastq = { .named = true, .open = open_fastq, .fill = fill, .close = free };

size_t sequence_next(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        const uint8_t *end = memchr(bytes + i, '\n', length - 1 - i);
        if (!end)
            break;
        i = (size_t)(end - bytes);
        if (bytes[i + 1] == '>')
            return i + 1;
    }
    return SIZE_MAX;
}
