/* line_matches.h: the matches in a line, leftmost and longest, which do not overlap. */
#ifndef TRAWL_LINE_MATCHES_H
#define TRAWL_LINE_MATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

typedef struct line_match {
    size_t begin, end;
} line_match;

typedef struct line_matches {
    const trawl_plan *plan; /* of a set for lines; NULL: no line matches */
    const char *isa;        /* for the context */
    bool empties;           /* some patterns stand for empty matches (NO_PIECE), which hide none */

    trawl_context *context; /* opened for the first line */
    line_match *items;
    size_t count, room;
    trawl_error error;
} line_matches;

/* Find those of a line. False: error. */
bool line_matches_find(line_matches *m, const uint8_t *line, size_t length);

void line_matches_free(line_matches *m);

#endif
