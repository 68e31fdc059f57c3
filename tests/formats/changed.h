/* changed.h: inputs of readers that somebody changed.
 *
 * TRAWL_TEST_CASES inputs of each format are changed at a few places, cut or lengthened. Each gives
 * an error or a right answer, in bounded time (SIGALRM ends the test) and memory (RLIMIT_AS does).
 */
#ifndef TRAWL_CHANGED_H
#define TRAWL_CHANGED_H

#include "random.h"

#define SECONDS 20 /* for one input; they take microseconds */

/* A few bytes of the copy become others; it may be cut or lengthened. Returns its length. */
size_t change(rng *r, uint8_t *bytes, size_t length, size_t room);

/* Fail, and say how it is done again. */
void changed_failed(const char *test, uint64_t seed, const char *format);

/* Limit the memory of this process. */
void changed_limit_memory(void);

#endif
