/* line_empty.h: patterns for lines that match no byte, or may.
 *
 * The library's patterns match one byte at least. A line is selected by an empty match where it has
 * a place with what the pattern asks for on both sides, and that is a pattern of one or two bytes;
 * what a pattern matches besides is a pattern, too. So one of `trawl grep` is divided here.
 */
#ifndef TRAWL_LINE_EMPTY_H
#define TRAWL_LINE_EMPTY_H

#include "formats/patterns/pattern_set.h"

/* Divide the patterns of a set that takes empty ones, with these flags. Afterwards has_empty says
 * that every line matches; those that were added for empty matches have the id NO_PIECE. As a line
 * is the text, \A and \z are ^ and $. False: no memory. */
bool line_empty_settle(pattern_set *set, uint32_t syntax, uint32_t flags);

/* Where the ']' of the class is that opens at text[at] in an extended pattern, or `length`. */
size_t pattern_class_end(const char *text, size_t length, size_t at);

/* Whether there is one that stands for an empty match. */
bool line_empty_some(const pattern_set *set);

#endif
