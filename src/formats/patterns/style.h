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
/* Compile the set, with its note, tag and texts if it keeps them; `asked` says the rest. Patterns
 * for lines are compiled without a repeat at their end that changes nothing of which lines match,
 * unless an engine is named. As trawl_compile. */
int pattern_set_plan(const pattern_set *set, const trawl_compile_options *asked, trawl_plan **plan,
                     trawl_error *error);

#endif
