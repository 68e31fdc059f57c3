/* build.h: how well the filter of grams would do. */
#ifndef TRAWL_ENGINES_PAPERS_GRAMS_BUILD_H
#define TRAWL_ENGINES_PAPERS_GRAMS_BUILD_H

#include "engines/shared/problem.h"

/* The share of the sample's starts that pass the bitmap; 1 when memory ran out. */
double grams_pass(const problem *p);

#endif
