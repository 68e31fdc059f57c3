/* border.h: conditions on what stands beside a match.
 *
 * A condition is a set of bytes and whether the border of the text will do as well. What comes
 * after a match is looked at when it is found (match/sieve.h). What comes before it is looked at
 * then too if its start is known; class patterns, whose starts engines do not tell, are opened: the
 * condition is an element before the others, and the driver scans the text behind an opening, which
 * ends a line. Where it depends on the first byte of a match (\b), there are alternatives for
 * either kind of byte.
 */
#ifndef TRAWL_PATTERN_BORDER_H
#define TRAWL_PATTERN_BORDER_H

#include "pattern/pattern.h"

/* Letters, digits and _ of ASCII; what ends a line. */
byte_class word_bytes(void);
byte_class line_border(uint32_t flags);

/* Both `b` and: a byte of the set, or, if `edge`, the border of the text. */
void border_add(border *b, byte_class set, bool edge);

/* The same where the match's own byte belongs to a word (`own`), or does not. */
void border_add_own(border *b, bool own, byte_class set, bool edge);

/* Add what the pattern's flags ask for. Error: nothing could stand there. */
int border_flags(pattern *p, trawl_error *error);

/* How many elements of a pattern of variable length may hold the first byte of a match, where what
 * may stand before a match depends on that byte and it may be of either kind: one of a word, or
 * not. Else 0. */
size_t border_kinds(const pattern *p);

/* Let *out be those matches whose first byte is of the element `first` and belongs to a word
 * (`own`), or does not; without a name, and its lengths are `whole`'s. Not *some: there are none,
 * and nothing is made. Error: memory. */
int border_divide(memory *m, const pattern *whole, size_t first, bool own, pattern *out, bool *some,
                  trawl_error *error);

/* Before no match may stand what must: let a pattern be the shortest of them, of fixed length, for
 * of those it is looked at when they are found. */
void border_shorten(pattern *p);

/* Open what is to be opened in a list whose patterns are complete. Error: memory; a condition that
 * cannot be had. */
int border_open(memory *m, pattern_list *list, trawl_error *error);

#endif
