/* streams.h: SHIFT-AND by bit streams, as shiftand asks for it. */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_STREAMS_H

#include "engines/shared/engine.h"

/* What a byte costs, in nanoseconds; COST_IMPOSSIBLE: the set is too large for bit streams. */
double bitstreams_cost(const problem *p);

/* Append tables for the set to those of shiftand, in which pattern i has the bits of the state from
 * base[i] on. Returns their word offset; 0: the set is too large. */
uint32_t bitstreams_append(const problem *p, const size_t *base, block *b);

/* As engine.check; `at` is their offset in the tables, `bits` the number of bits of the state. */
bool bitstreams_check(const stage_facts *facts, const uint32_t *tables, size_t words, uint32_t at,
                      uint64_t bits);

#endif
