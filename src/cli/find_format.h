/* find_format.h: the formats in which `trawl find` prints.
 *
 * Idea: what a line opens with is made once a record, what it says of its pattern once a pattern,
 * and both stay where they are while the next match is of the same; so a match costs its numbers
 * and a copy, about 30 ns.
 */
#ifndef TRAWL_FIND_FORMAT_H
#define TRAWL_FIND_FORMAT_H

#include "cli/find_output.h"

/* Whose matches come next: a record, or all of a file that is not divided. */
typedef struct find_place {
    const char *name; /* the record's; NULL: it has none */
    uint64_t number;  /* 0: it is not called by a number */
    uint64_t index;   /* the record's in its text, from 1, whatever it is called */
} find_place;

typedef struct find_format {
    void (*header)(const find_output *o);

    /* malloc'ed text; NULL without memory. */
    char *(*file)(const char *name);
    char *(*opening)(const find_output *o, const find_place *place);
    char *(*label)(const find_output *o, const trawl_pattern *p);
    bool label_last; /* it stands behind the numbers */

    /* What stands in a line behind opening and label: put it at `at`, where there is room for
     * FIND_NUMBERS bytes, and return its end. */
    char *(*match)(char *at, const trawl_match *match);
    char *(*count)(char *at, uint64_t count);

    /* Likewise behind the label of a match, with --record-number; NULL: it stands in the opening.
     */
    char *(*index)(char *at, uint64_t index);

    /* Behind a match, with --matched: print its bytes; NULL: nobody knows them. False without
     * memory. */
    bool (*matched)(const uint8_t *bytes, size_t length);

    /* Of a rule that holds, what stands behind its line's opening, malloc'ed; NULL where the format
     * cannot say it. */
    char *(*verdict)(const rule *r);

    const char *end;    /* of each line */
    const char *option; /* that asks for it */
    bool track;         /* nothing but matches with their starts: count and matched are NULL */
} find_format;

enum { FIND_NUMBERS = 128 };

/* A copy without its NUL, and its end. */
char *find_put(char *at, const char *text);

/* + or -; NULL: patterns of its syntax have no strand. */
const char *find_strand(const trawl_pattern *p);

/* The name of a pattern without one is its text: its first byte, and how many. */
const char *find_name(const find_output *o, const trawl_pattern *p, size_t *length);

extern const find_format find_tsv, find_json, find_bed, find_gff3;

#endif
