/* find_output.h: what `trawl find` prints, in one of the formats of cli/find_format.h. */
#ifndef TRAWL_FIND_OUTPUT_H
#define TRAWL_FIND_OUTPUT_H

#include "cli/cli.h"
#include "cli/records.h"
#include "formats/patterns/rules.h"

typedef struct find_output {
    const char *command;
    pattern_set *patterns;
    const struct find_format *format;
    bool count;    /* lines of numbers of matches, not of matches */
    bool only_ids; /* lines of patterns that occur, without places */
    bool stranded; /* the strand is a column */
    bool matched;  /* the bytes of a match are a column */
    bool numbers;  /* the number of the record is a column */
    bool headless; /* no header */
    bool all;      /* counts of 0, too */
    bool verdicts; /* lines of rules that hold */

    bool terminal;           /* what is printed is shown: names as terminal_text has them */
    bool named;              /* some pattern has a name */
    char **labels;           /* of each pattern, made when it is first printed */
    char *file;              /* the present file's name, as the format shows it */
    char *opening;           /* of each line of it, or of its present record */
    uint64_t record;         /* number of that record; 0: none yet */
    uint64_t place;          /* files and records so far */
    uint64_t *said;          /* only_ids: of each pattern the place that it was printed for */
    char *line;              /* what the last line began with, and room for numbers behind it */
    size_t line_room, begun; /* bytes; begun 0: it cannot be used again */
    size_t pattern;          /* of that line */
    const char *label;       /* of that pattern, where it stands behind the numbers, or "" */
    char *page;              /* lines of matches that standard output has not got yet */
    size_t page_room, page_used;
} find_output;

/* What stands before the blank line is set, the rest is zero. Each that says whether it worked is
 * false after a complaint; a write that fails is seen by ferror(stdout). Close after a failure as
 * well. */
bool find_output_open(find_output *o);
void find_output_close(find_output *o);

void find_output_header(const find_output *o);

/* What comes next is of this file, then of this record of it. */
bool find_output_file(find_output *o, const char *name);
bool find_output_record(find_output *o, const record_scan *scan, const record *r);

/* Whether the pattern is not printed yet, of this file or record, where once is enough. */
bool find_output_wants(find_output *o, uint32_t pattern);

/* `bytes` are the match's own; NULL: nobody asked for them, or knows them. Lines go to standard
 * output by find_output_flush, which stands behind the last of a batch. */
bool find_output_match(find_output *o, const trawl_match *match, const uint8_t *bytes);

void find_output_flush(find_output *o);

/* A rule that holds for the present record. */
bool find_output_verdict(find_output *o, const rule *r);

/* A line for each pattern. */
bool find_output_counts(find_output *o, const uint64_t *counts);

#endif
