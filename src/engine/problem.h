/* problem.h: what a planner knows: the patterns, a sample of the text, the target. Costs and
 * choices are functions of a problem.
 */
#ifndef TRAWL_ENGINE_PROBLEM_H
#define TRAWL_ENGINE_PROBLEM_H

#include "base/target.h"
#include "pattern/pattern.h"

/* Text like the one that will be scanned. */
typedef struct profile {
    const uint8_t *bytes;
    size_t length; /* at least 1 */
} profile;

typedef struct problem {
    memory *memory; /* for all that planning and building take */
    const pattern_list *list;
    profile sample;
    bool sampled; /* by the caller */
    target target;
    uint32_t wm_block; /* trawl_compile_options */
} problem;

/* The caller's sample, of which the first 64 KiB count; or, when there is none or less than 1 KiB,
 * a page of prose, source, records and addresses. */
bool profile_given(const void *sample, size_t length); /* enough of one */
profile profile_of(const void *sample, size_t length);

#endif
