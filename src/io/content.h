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
    CONTENT_CAPTURE
} content;

#define CONTENT_LOOK (64u << 10) /* bytes that decide at most */

/* What a file is that begins with these bytes, and *least: as many are needed to say so; they are
 * few but where a format could still be meant. `whole`: no byte follows. */
content content_of(const uint8_t *bytes, size_t length, bool whole, size_t *least);

/* Bytes of the mark of UTF-8 at the begin, which is no part of a sequence. */
size_t content_mark(const uint8_t *bytes, size_t length);

#endif
