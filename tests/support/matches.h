/* matches.h: matches that a test keeps, and how they are compared with what they should be. */
#ifndef TRAWL_MATCHES_H
#define TRAWL_MATCHES_H

#include <stdbool.h>

#include "trawl.h"

typedef struct matches {
    trawl_match *items; /* of trawl_collect and oracle_scan, too */
    size_t count, room;
} matches;

void matches_add(matches *m, const trawl_match *all, size_t count);

/* A trawl_match_fn; user: the matches to which all are added. */
int keep_matches(const trawl_match *all, size_t count, void *user);

/* Whether both are the same in every field and in order; prints the first that are not. */
bool matches_agree(const matches *expected, const matches *found);

#endif
