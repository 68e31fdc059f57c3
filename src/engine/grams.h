/* grams.h: how well the filter of grams would do. */
#ifndef TRAWL_ENGINE_GRAMS_H
#define TRAWL_ENGINE_GRAMS_H

#include "engine/problem.h"

/* The share of the sample's starts that pass the bitmap; 1 when memory ran out. */
double grams_pass(const problem *p);

#endif
