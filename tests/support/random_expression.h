/* random_expression.h: random expressions (extended patterns with groups, alternatives, lazy
 * repeats, conditions anywhere and flags within), alone and in sets with literals and sequences of
 * elements, and texts in which they match often. */
#ifndef TRAWL_RANDOM_EXPRESSION_H
#define TRAWL_RANDOM_EXPRESSION_H

#include "random.h"

enum { EXPRESSION_PATTERNS = 8, EXPRESSION_WRITTEN = 600 };

typedef struct expression_case {
    uint64_t seed;
    trawl_pattern patterns[EXPRESSION_PATTERNS];
    char written[EXPRESSION_PATTERNS][EXPRESSION_WRITTEN];
    bool one_length[EXPRESSION_PATTERNS]; /* for whoever knows it */
    size_t count;
    uint8_t *text; /* begins or ends at a page that nobody may touch: fence.h */
    size_t length;
    bool unbounded; /* some pattern has no longest match */
    const char *letters;
    bool bounded; /* no pattern may be without a longest match */
} expression_case;

/* Texts are mostly short, some around the borders of words, blocks and chunks; `longest` bounds
 * them. */
void expression_case_make(expression_case *c, uint64_t seed, size_t longest);
void expression_case_free(expression_case *c);

/* False when the oracle would take too long over this report of this case. */
bool expression_case_affords(const expression_case *c, uint32_t report);

/* All that is needed to see what the case was; long texts only in part. */
void expression_case_print(const expression_case *c, FILE *out);

#endif
