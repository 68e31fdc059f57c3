/* writer.h: matches as lines of TSV, JSON, BED or GFF3, written to whoever takes them.
 *
 * Idea: what a line opens with is made once a record, what it says of its pattern once a pattern,
 * and both stay where they are while the next match is of the same; so a match costs its numbers
 * and a copy, about 30 ns. Lines go to a page first.
 */
#ifndef TRAWL_WRITER_H
#define TRAWL_WRITER_H

#include "formats/patterns/rules.h"

typedef struct writer_format writer_format;
extern const writer_format writer_tsv, writer_json, writer_bed, writer_gff3;

typedef struct writer {
    const pattern_set *patterns;
    const writer_format *format;
    /* Takes what is written, in pieces. That it could not is its own to note. */
    void (*put)(void *user, const char *bytes, size_t length);
    void *user;
    bool count;    /* lines of numbers of matches, not of matches */
    bool only_ids; /* lines of patterns that occur, without places */
    bool stranded; /* the strand is a column */
    bool matched;  /* the bytes of a match are a column */
    bool numbers;  /* the number of the record is a column */
    bool headless; /* no header */
    bool all;      /* counts of 0, too */
    bool verdicts; /* lines of rules that hold */
    bool terminal; /* shows what is written: names as terminal_text has them */

    bool named;              /* some pattern has a name */
    char **labels;           /* of each pattern, made when it is first written */
    char *file;              /* the present file's name, as the format shows it */
    char *opening;           /* of each line of it, or of its present record */
    uint64_t record;         /* number of that record; 0: none yet */
    uint64_t place;          /* files and records so far */
    uint64_t *said;          /* only_ids: of each pattern the place that it was written for */
    char *line;              /* what the last line began with, and room for numbers after it */
    size_t line_room, begun; /* bytes; begun 0: it cannot be used again */
    size_t pattern;          /* of that line */
    const char *label;       /* of that pattern, where it stands after the numbers, or "" */
    char *page;              /* lines that nobody has got yet */
    size_t used;
} writer;

/* A record: by name, by number, or both. */
typedef struct writer_place {
    const char *name; /* NULL: it has none */
    uint64_t number;  /* 0: it is not called by a number */
    uint64_t index;   /* the record's in its text, from 1, whatever it is called */
} writer_place;

/* What stands before the blank line is set, the rest is zero. Where a call says whether it
 * worked, false means that there is no memory. Close after a failure as well. */
bool writer_open(writer *w);
void writer_close(writer *w);

bool writer_header(writer *w);

/* What comes next is of this file, then of this record of it. */
bool writer_file(writer *w, const char *name);
bool writer_record(writer *w, const writer_place *place);

/* Whether the pattern is not written yet, of this file or record, where once is enough. */
bool writer_wants(writer *w, uint32_t pattern);

/* `bytes` are the match's own; NULL: nobody asked for them, or knows them. */
bool writer_match(writer *w, const trawl_match *match, const uint8_t *bytes);
/* After the last match of a batch: hand on what is on the page. The others do so themselves. */
void writer_flush(writer *w);

/* A rule that holds for the present record. */
bool writer_verdict(writer *w, const rule *r);

/* A line for each pattern. */
bool writer_counts(writer *w, const uint64_t *counts);

#endif
