/* problem.h: what a planner knows: the patterns, a sample of the text, the target. Costs and
 * choices are functions of a problem.
 */
#ifndef TRAWL_ENGINES_SHARED_PROBLEM_H
#define TRAWL_ENGINES_SHARED_PROBLEM_H

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
    bool sampled; /* the sample is the caller's */
    target target;
    uint32_t wm_block; /* trawl_compile_options */
    /* What an engine's `cost` chose for its `build`, as a number of the engine's own; 0 or NULL:
     * nothing. */
    uint32_t *choice;
    bool behind; /* what is built is a filter or a fallback of another engine's stage */
} problem;

/* Whether a caller's sample is long enough to go by: 1 KiB. */
bool profile_given(const void *sample, size_t length);

/* The first 64 KiB of the sample, if it is long enough. Else a page: of bases, if the patterns have
 * nothing else; or of prose, source, records and addresses, and also of noise and numbers if some
 * patterns have bytes that are no text. */
profile profile_of(const void *sample, size_t length, const pattern_list *list);

#endif
