/* match_filter.h: what patterns of files ask of their matches, and the library does not look at. */
#ifndef TRAWL_MATCH_FILTER_H
#define TRAWL_MATCH_FILTER_H

#include "cli/cli.h"

/* Whether a match, in that text, is one that its pattern (of the set's filtered ones) asks for. The
 * text is looked at where the set wants it (filter_text), else it may be NULL. A start that is not
 * known is none that is asked for. */
bool match_fits(const pattern_origin *o, const trawl_match *match, const uint8_t *text,
                uint64_t length);

#endif
