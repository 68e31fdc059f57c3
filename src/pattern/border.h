/* border.h: conditions on what stands beside a match.
 *
 * A condition is a set of bytes, and whether the border of the text will do instead. What comes
 * after a match is checked when the match is found (match/sieve.h). What comes before it is checked
 * then too, if its start is known. Engines do not tell the starts of class patterns, so such
 * patterns are opened: the condition becomes an element before the others, and the driver puts an
 * opening, a byte that ends a line, before the text. Where the condition depends on the first byte
 * of a match, as with \b, there is an alternative for each kind of byte.
 */
#ifndef TRAWL_PATTERN_BORDER_H
#define TRAWL_PATTERN_BORDER_H

#include "pattern/pattern.h"

/* word_bytes: the letters and digits of ASCII, and _. line_border: the bytes that end a line. */
byte_class word_bytes(void);
byte_class line_border(uint32_t flags);

/* Add to `b` the condition: a byte of the set, or, if `edge` is set, the border of the text. */
void border_add(border *b, byte_class set, bool edge);

/* The same for matches whose own byte belongs to a word (`own`), or does not. */
void border_add_own(border *b, bool own, byte_class set, bool edge);

/* Add the conditions that the pattern's flags ask for. Error: nothing could stand there. */
int border_flags(pattern *p, trawl_error *error);

/* Add what its conditions ask for; NULL: nothing. Error: they cannot be met. */
int border_conditions(pattern *p, const trawl_conditions *conditions, trawl_error *error);

/* Put what the flags and conditions of a pattern ask for into the links of its program; if it has
 * no elements, measure it: it is opened if some of its matches may not begin anywhere. Error:
 * memory, or no match is left. */
int border_program(memory *m, pattern *p, const trawl_conditions *conditions, trawl_error *error);

/* Let a program stand for those of its matches that have the condition `when` (AFTER_... bits). */
void border_after(pattern *p, uint32_t when);

/* How many elements of a pattern of variable length may hold the first byte of a match, if what may
 * stand before a match depends on whether that byte belongs to a word, and it may or may not. Else
 * 0. */
size_t border_kinds(const pattern *p);

/* Let *out match what `whole` does where the first byte is of the element `first` and belongs to a
 * word (`own`), or does not. *out has no name, and the lengths of `whole`. *some is set to false
 * when there are no such matches; nothing is made then. Error: memory. */
int border_divide(memory *m, const pattern *whole, size_t first, bool own, pattern *out, bool *some,
                  trawl_error *error);

/* Nothing may stand before any match of the pattern. Shorten it to its shortest match, which has a
 * fixed length, so that its condition is checked when a match is found. */
void border_shorten(pattern *p);

/* Open those patterns of a complete list that are to be opened. Error: memory, or a condition that
 * is not possible. */
int border_open(memory *m, pattern_list *list, trawl_error *error);

#endif
