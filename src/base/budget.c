/* budget.c: see budget.h. */
#include "base/budget.h"

#include <time.h>

#include "trawl.h"

uint64_t clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void budget_open(budget *b, const atomic_uint *state, uint64_t max_steps, double max_seconds)
{
    const double most = 1e9; /* seconds, 31 years: is none */
    b->state = state;
    b->steps = max_steps ? max_steps : UINT64_MAX;
    b->until = 0;
    if (max_seconds > 0 && max_seconds < most)
        b->until = clock_now() + (uint64_t)(max_seconds * 1e9) + 1;
}

int budget_interrupted(const budget *b)
{
    if (atomic_load_explicit(b->state, memory_order_relaxed) == CALL_CANCELLED)
        return TRAWL_CANCELLED;
    return b->until && clock_now() >= b->until ? TRAWL_EXPIRED : TRAWL_OK;
}

int budget_check(const budget *b)
{
    const int status = budget_interrupted(b);
    return status == TRAWL_OK && b->steps == 0 ? TRAWL_EXPIRED : status;
}
