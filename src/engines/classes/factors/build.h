/* build.h: which class patterns the engine factors suits. */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_BUILD_H
#define TRAWL_ENGINES_CLASSES_FACTORS_BUILD_H

#include "engines/shared/problem.h"

/* Of the patterns that are `from`, those whose factors are all rare in the sample become `to`, or
 * `unbounded` when they have no longest match. */
void factors_mark(const problem *p, uint8_t *kinds, uint8_t from, uint8_t to, uint8_t unbounded);

#endif
