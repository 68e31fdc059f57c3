/* pairs.h: all starts of each end of a variable-length pattern. */
#ifndef TRAWL_PAIRS_H
#define TRAWL_PAIRS_H

#include "match/backward.h"
#include "plan/plan.h"

/* What is known of one pattern between its ends. */
typedef struct pairs pairs;

/* NULL when memory ran out. The plan must outlive it. */
pairs *pairs_open(memory *memory, const trawl_plan *plan, const plan_pattern *p);
void pairs_free(pairs *p);

/* Find the starts of the matches that end at `end`, an end of the pattern. Call it for all its
 * ends, each once, ascending. The text from `end` back to the longest match's start may be
 * read. *starts are ascending and valid until the next call. False when memory ran out. */
bool pairs_at(pairs *p, text_view text, uint64_t end, const uint64_t **starts, size_t *count);

#endif
