/* circle.h: records that are circles, as plasmids and mitochondrial genomes are (`--circular`).
 *
 * On a circle of n bytes a match may begin anywhere and go round at most once: start < n, its
 * length is at most n, and where it crosses the record's end its end is more than n. Each is
 * reported once, under the reports that know starts and need no leftmost place: pairs, longest,
 * shortest.
 */
#ifndef TRAWL_CIRCLE_H
#define TRAWL_CIRCLE_H

#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

typedef struct circle circle;

/* NULL: the patterns of this plan can be searched on circles, as they have a longest match and no
 * conditions. Else why not, and *at is the first that cannot, or TRAWL_NONE. */
const char *circle_misfit(const trawl_plan *plan, const trawl_pattern *patterns, size_t count,
                          size_t *at);

/* For a plan that fits; `take` gets the matches, each with record 0. NULL: out of memory. */
circle *circle_open(trawl_context *context, const trawl_plan *plan,
                    const trawl_scan_options *options, trawl_match_fn take, void *user);

/* The present record's next bytes; then its end, which meets its begin. A status. */
int circle_feed(circle *c, const uint8_t *bytes, size_t length, trawl_error *error);
int circle_end(circle *c, trawl_error *error);

/* A record that has not ended is dropped. NULL is allowed. */
void circle_close(circle *c);

#endif
