/* ranges.h: a text that is cut into ranges at random, and searched so.
 *
 * Each range lies in memory of its own, with just the bytes beside it that it needs; the ranges are
 * searched in any order, their seams saved and loaded, and told of one another in rounds or one by
 * one.
 */
#ifndef TRAWL_TEST_RANGES_H
#define TRAWL_TEST_RANGES_H

#include "fence.h"
#include "random.h"

enum { RANGE_CONTEXTS = 3 };

/* Who searches, each time one of them, and where the bytes of a range lie. */
typedef struct range_searchers {
    trawl_context *contexts[RANGE_CONTEXTS];
    fence around;
} range_searchers;

/* Whether what the ranges hand on is what is expected: the number of ranges that were searched
 * again, or UINT64_MAX when the matches are wrong, of which it prints some. */
uint64_t ranges_check(const range_searchers *by, rng *r, const trawl_plan *plan, uint32_t report,
                      const uint8_t *text, size_t length, const trawl_match *expected,
                      size_t count);

#endif
