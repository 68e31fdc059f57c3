/* budget.h: what ends a call before its text does: a cancel from outside, steps, time.
 *
 * It is asked between windows and between batches of matches, so what it costs is small beside
 * what happens in between, and never in a loop over bytes.
 */
#ifndef TRAWL_BASE_BUDGET_H
#define TRAWL_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>

/* What a context does just now; see scan/context.c. */
enum { CALL_NONE, CALL_RUNNING, CALL_CANCELLED };

typedef struct budget {
    const atomic_uint *state; /* of the context */
    uint64_t steps;           /* left; UINT64_MAX: no limit */
    uint64_t until;           /* when clock_now() is this, time is up; 0: no limit */
} budget;

/* Nanoseconds of a clock that never goes back. */
uint64_t clock_now(void);

/* max_steps and max_seconds as in trawl_scan_options: 0 is no limit. */
void budget_open(budget *b, const atomic_uint *state, uint64_t max_steps, double max_seconds);

/* Take `steps` steps, or all that are left when these are fewer. */
static inline void budget_spend(budget *b, uint64_t steps)
{
    if (b->steps != UINT64_MAX)
        b->steps -= steps < b->steps ? steps : b->steps;
}

/* TRAWL_OK, or TRAWL_CANCELLED or TRAWL_EXPIRED when the call must end here. Threads may ask while
 * nobody spends. */
int budget_check(const budget *b);

/* The same, but the steps that are left do not matter: for work that has been paid for. */
int budget_interrupted(const budget *b);

#endif
