/* random_syntax.h: random sets of patterns in all syntaxes, with all that may stand beside a match,
 * for tests that ask no oracle. Most are valid, some are refused.
 */
#ifndef TRAWL_RANDOM_SYNTAX_H
#define TRAWL_RANDOM_SYNTAX_H

#include "random.h"

enum { SYNTAX_PATTERNS = 6, SYNTAX_WRITTEN = 200 };

typedef struct syntax_set {
    trawl_pattern patterns[SYNTAX_PATTERNS]; /* of one syntax, or each of its own */
    char written[SYNTAX_PATTERNS][SYNTAX_WRITTEN];
    size_t count;
} syntax_set;

void syntax_set_make(syntax_set *set, rng *r);

/* What it was, for someone who wants to see it fail again. */
void syntax_set_print(const syntax_set *set, FILE *out);

#endif
