/* style.h: what the patterns of a set mean: their syntax and flags, the strands of bases. */
#ifndef TRAWL_PATTERN_STYLE_H
#define TRAWL_PATTERN_STYLE_H

#include "formats/patterns/pattern_set.h"

/* Give all patterns but those of rules the syntax and the flags; one that begins with "(?i)" and is
 * no literal takes TRAWL_NOCASE for itself. Files with names are read as such (patterns/entries.h);
 * false, after telling so, if that fails. Warns when -i meets a byte that is not ASCII, as it is
 * or as an escape, and of \+ and its kin, which are operators in grep's basic syntax. */
bool pattern_set_style(pattern_set *set, uint32_t syntax, uint32_t flags);
/* Patterns of bases: in place of all, their reverse complements; or these too, each after its own
 * pattern, with the same id, so that the order of patterns stays. Tells of a failure. */
bool pattern_set_other_strand(pattern_set *set, bool too);
/* A copy of the patterns of a set for lines, malloc'ed, in which none ends with a repeat that
 * changes nothing of which lines match; NULL: nothing is gained. */
trawl_pattern *pattern_set_shorter(const pattern_set *set);

#endif
