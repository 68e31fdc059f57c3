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

/* "line 3 has a byte that is no letter of a sequence ('?')": of a doubt with a reason, and its NUL.
 */
#define CONTENT_DOUBT_TEXT 120
void content_doubt_text(const content_doubt *doubt, char text[CONTENT_DOUBT_TEXT]);

/* Bytes of the mark of UTF-8 at the begin, which is no part of a sequence. */
size_t content_mark(const uint8_t *bytes, size_t length);

#endif
