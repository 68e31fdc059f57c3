/* budget.h: what may end a call before its text ends: a cancel from outside, a limit on steps or
 * time.
 *
 * It is checked between windows and between batches of matches, never in a loop over bytes, so its
 * cost is small.
 */
#ifndef TRAWL_BASE_BUDGET_H
#define TRAWL_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>

/* What a context is doing; see scan/context.c. */
enum { CALL_NONE, CALL_RUNNING, CALL_CANCELLED };

typedef struct budget {
    const atomic_uint *state; /* of the context */
    uint64_t steps;           /* left; UINT64_MAX: no limit */
    uint64_t until;           /* the clock_now() at which time is up; 0: no limit */
} budget;

/* Nanoseconds of a clock that never goes back. */
uint64_t clock_now(void);

/* max_steps and max_seconds as in trawl_scan_options: 0 is no limit. */
void budget_open(budget *b, const atomic_uint *state, uint64_t max_steps, double max_seconds);

/* Take `steps` steps, or all that are left if there are fewer. */
static inline void budget_spend(budget *b, uint64_t steps)
{
    if (b->steps != UINT64_MAX)
        b->steps -= steps < b->steps ? steps : b->steps;
}

/* TRAWL_OK, or TRAWL_CANCELLED or TRAWL_EXPIRED when the call must end here. Threads may ask while
 * nobody spends. */
int budget_check(const budget *b);

/* The same, but whatever steps are left: for work that has been paid for. */
int budget_interrupted(const budget *b);

#endif
