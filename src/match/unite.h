/* unite.h: keeps one match for each start among the matches of a pattern's alternatives. */
#ifndef TRAWL_UNITE_H
#define TRAWL_UNITE_H

#include "match/order.h"

/* Takes a match; false when memory ran out. */
typedef bool (*unite_take)(void *user, found_match m);

/* Take the matches with a start below `settled` out of the list, whose steps are 0 or 1. For each
 * pattern and start, hand on the one that ends last, or first if `nearest`, ascending by pattern,
 * then start. False when memory ran out. */
bool unite(match_list *apart, memory *memory, uint64_t settled, bool nearest, unite_take take,
           void *user);

#endif
