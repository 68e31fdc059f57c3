/* expressions.h: what an extended pattern with groups means, computed the plainest way.
 *
 * Two ways that share only the tree: the ends of all matches from sets of places, and the end that
 * a backtracking matcher finds first, which tries what Perl tries in Perl's order. They share no
 * code with the library. oracle.h makes reports of them.
 */
#ifndef TRAWL_EXPRESSIONS_H
#define TRAWL_EXPRESSIONS_H

#include "random.h"

typedef struct expression expression;

/* NULL: it is none, and *why says what is wrong. Aborts without memory. */
expression *expression_read(const trawl_pattern *pattern, const char **why);
void expression_free(expression *e);

/* The lengths that matches may have as it is written, whatever its conditions allow; SIZE_MAX: any.
 * The library refuses what may match nothing. */
size_t expression_shortest(const expression *e);
size_t expression_longest(const expression *e);

/* Whether a match may begin with this byte. */
bool expression_begins(const expression *e, unsigned char byte);

/* The ends of all matches that begin at first .. last, in order, to ends[0 .. length]; their
 * number. */
size_t expression_ends(const expression *e, const unsigned char *text, size_t length, size_t first,
                       size_t last, size_t *ends);

/* Where the match ends that is found first from `start`; SIZE_MAX: there is none. An expression
 * keeps what it tried, so it serves one text. */
size_t expression_first(expression *e, const unsigned char *text, size_t length, size_t start);

/* Bytes that it may match, of these letters where they will do: how many, `room` at most. What
 * stands beside a match is not looked at. */
size_t expression_sample(const expression *e, rng *r, const char *letters, char *sample,
                         size_t room);

#endif
