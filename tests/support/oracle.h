/* oracle.h: the naive matcher that every engine is compared with.
 *
 * It shares no code with the library: its own parser, its own meaning of a
 * pattern, plain backtracking over elements at every start. Slow on purpose.
 * It includes trawl.h only for the shapes of pattern and match.
 */
#ifndef TRAWL_ORACLE_H
#define TRAWL_ORACLE_H

#include <stdbool.h>

#include "trawl.h"
#include "trawl/grid.h"

/* All matches of the patterns in the text under one report mode (trawl_report), in
 * the order that trawl.h promises. Returns their number; *matches is malloc'ed
 * (NULL when none). Aborts with a message on a pattern that it cannot parse. */
size_t oracle_scan(const trawl_pattern *patterns, size_t count, const void *text, size_t length,
                   uint32_t report, trawl_match **matches);

/* The same of patterns that have conditions, one entry for each; NULL: none. */
size_t oracle_scan_if(const trawl_pattern *patterns, const trawl_conditions *const *conditions,
                      size_t count, const void *text, size_t length, uint32_t report,
                      trawl_match **matches);

/* The same of patterns whose extended ones may be any expressions: see expressions.h. `one_length`,
 * if it is not NULL, says of each that its matches have one length, whatever it is written like:
 * then their starts are known. */
size_t oracle_scan_expressions(const trawl_pattern *patterns, const bool *one_length, size_t count,
                               const void *text, size_t length, uint32_t report,
                               trawl_match **matches);

/* The same for needles in a grid. Strides as in trawl.h. */
size_t oracle_scan_grid(const trawl_needle *needles, size_t count, uint32_t cell_size,
                        const trawl_grid *text, trawl_grid_match **matches);

#endif
