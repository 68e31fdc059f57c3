/* tally.h: callbacks that count what they are handed. */
#ifndef TRAWL_TALLY_H
#define TRAWL_TALLY_H

#include "plan/plan.h"

/* `user` is a uint64_t: the count of all. */
int tally_all(const trawl_match *matches, size_t count, void *user);
int tally_all_grid(const trawl_grid_match *matches, size_t count, void *user);

/* `user` is uint64_t[patterns or needles]: a count of each. */
int tally_each(const trawl_match *matches, size_t count, void *user);
int tally_each_grid(const trawl_grid_match *matches, size_t count, void *user);

/* Set the counts of all patterns to 0. TRAWL_ERROR_ARGUMENT: something is NULL. */
int clear_counts(const trawl_plan *plan, uint64_t *counts, trawl_error *error);

#endif
