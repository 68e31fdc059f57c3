/* content.h: what a file holds, as its first bytes say.
 *
 * Names say nothing here: a file is what it begins as. What begins with a signature is that format;
 * FASTA and FASTQ, which have none, are what looks like their records throughout. */
#ifndef TRAWL_CONTENT_H
#define TRAWL_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum content {
    CONTENT_TEXT, /* whatever is none of the others */
    CONTENT_PACKED,
    CONTENT_ARCHIVE,
    CONTENT_FASTA,
    CONTENT_FASTQ,
    CONTENT_CAPTURE,
    CONTENT_BAM,
    CONTENT_SAM,
    CONTENT_CRAM,
    CONTENT_ENTRIES, /* of GenBank or EMBL */
    CONTENT_TWOBIT
} content;

#define CONTENT_LOOK (64u << 10) /* bytes that decide at most */

/* What a file is that begins with these bytes, and *least: as many are needed to say so; they are
 * few but where a format could still be meant. `whole`: no byte follows. */
content content_of(const uint8_t *bytes, size_t length, bool whole, size_t *least);

/* Why what begins as FASTA does, and may be meant so, is CONTENT_TEXT all the same. */
typedef struct content_doubt {
    bool begins;     /* its first line that is neither empty nor a comment has '>' */
    const char *why; /* what is odd about a line; NULL: it is FASTA, or cannot be meant so */
    uint64_t line;   /* from 1 */
    bool letters;    /* it is a line of letters, not a title */
    uint8_t byte;    /* of them, that is no letter; 0: it is something else */
} content_doubt;

content_doubt content_doubts(const uint8_t *bytes, size_t length);

/* A line of what may be FASTA, as it is looked at piece by piece; all zero before. */
typedef struct line_look {
    size_t letters; /* so far */
    size_t group, first,
        last; /* of letters without a blank: the present one, and those before it */
    bool words, small, residues; /* groups as words have them, small letters, no nucleotides */
    bool other;                  /* what has no place in such a line */
    uint8_t byte;                /* the first of them */
    bool returned;               /* a title: a carriage return came last */
} line_look;

/* More of a line of letters, or of a title, without its newline. */
void line_look_at(line_look *l, const uint8_t *bytes, size_t length);
void line_look_at_title(line_look *l, const uint8_t *bytes, size_t length);
/* Whether the line, which ends here, is one of a sequence. */
bool line_is_sequence(line_look *l);
content_doubt line_doubt(const line_look *l, bool title, uint64_t line);

/* Whether one of these bytes is no letter of a sequence. */
bool line_has_other(const uint8_t *bytes, size_t length);

/* Whether carriage returns alone end the lines of a text with this head. */
bool content_returns(const uint8_t *bytes, size_t length);

/* "line 3 has a byte that is no letter of a sequence ('?')": of a doubt with a reason, and its NUL.
 */
#define CONTENT_DOUBT_TEXT 120
void content_doubt_words(const content_doubt *doubt, char words[CONTENT_DOUBT_TEXT]); /* no line */
void content_doubt_text(const content_doubt *doubt, char text[CONTENT_DOUBT_TEXT]);

/* Bytes of the mark of UTF-8 at the begin, which is no part of a sequence. */
size_t content_mark(const uint8_t *bytes, size_t length);

#endif
