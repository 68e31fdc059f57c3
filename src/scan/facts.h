/* facts.h: what a plan and its report ask of those who keep the text. */
#ifndef TRAWL_FACTS_H
#define TRAWL_FACTS_H

#include "plan/plan.h"

/* What borders ask of the text that a stream keeps: *waits is how many of the last bytes wait for
 * what comes after them, *look_back how many bytes before the next one may be read. */
void stream_borders(const trawl_plan *plan, uint32_t *waits, uint64_t *look_back);

/* Whether matches may be open until the text ends, wherever that is. */
bool report_waits(const trawl_plan *plan, uint32_t report);

#endif
