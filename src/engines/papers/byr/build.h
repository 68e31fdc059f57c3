/* build.h: needles as Baeza-Yates-Regnier stores them, for engines that compare them in the same
 * way. */
#ifndef TRAWL_ENGINES_PAPERS_BYR_BUILD_H
#define TRAWL_ENGINES_PAPERS_BYR_BUILD_H

#include "engines/papers/byr/layout.h"
#include "engines/shared/engine.h"

/* Append byr_needle[list->count]; returns the word offset. */
uint32_t byr_needles_build(block *b, const pattern_list *list);

/* Verify such a table: cells and order of every needle, which must have at least `fewest` rows. */
bool byr_needles_valid(const stage_facts *facts, uint32_t offset, uint32_t fewest,
                       const uint32_t *tables, size_t words);

#endif
