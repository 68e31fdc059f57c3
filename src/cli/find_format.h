/* find_format.h: the formats in which `trawl find` prints.
 *
 * Idea: what a line opens with is made once a record, what it says of its pattern once a pattern;
 * so a match costs two copies and its numbers, about 30 ns.
 */
#ifndef TRAWL_FIND_FORMAT_H
#define TRAWL_FIND_FORMAT_H

#include "cli/find_output.h"

/* Whose matches come next: a record, or all of a file that is not divided. */
typedef struct find_place {
    const char *name; /* the record's; NULL: it has none */
    uint64_t number;  /* 0: it is not numbered */
} find_place;

typedef struct find_format {
    void (*header)(const find_output *o);

    /* malloc'ed text; NULL without memory. */
    char *(*file)(const char *name);
    char *(*opening)(const find_output *o, const find_place *place);
    char *(*label)(const find_output *o, const trawl_pattern *p); /* begins with its number */

    /* What stands in a line behind opening and label. */
    void (*match)(const find_output *o, const trawl_match *match);
    void (*count)(const find_output *o, uint64_t count);
} find_format;

extern const find_format find_tsv, find_json;

#endif
