/* stages.c: which stage the next job begins with: the one that paid. */
#include "scan/scan.h"

#define REST (16u << 20) /* bytes */
#define MAX_PATIENCE 64u

bool stages_may_give_up(const trawl_plan *plan)
{
    for (uint32_t i = 0; i < plan_head(plan)->part_count; i++)
        if (part_fallback(plan, &plan_parts(plan)[i]))
            return true;
    return false;
}

void stages_note(stage_choice *choice, const trawl_plan *plan, const slice *slices, size_t count,
                 uint64_t unit)
{
    for (uint32_t p = 0; p < plan_head(plan)->part_count; p++) {
        uint64_t done = 0, all = 0;
        for (size_t i = 0; i < count; i++) {
            all += slices[i].end - slices[i].begin;
            done += slices[i].done[p] - slices[i].begin;
        }
        if (choice->fallback[p]) {
            choice->rest[p] = choice->rest[p] > all * unit ? choice->rest[p] - all * unit : 0;
            choice->fallback[p] = choice->rest[p] > 0;
        } else if (done < all / 2) {
            choice->patience[p] = choice->patience[p] ? 2 * choice->patience[p] : 1;
            if (choice->patience[p] > MAX_PATIENCE)
                choice->patience[p] = MAX_PATIENCE;
            choice->rest[p] = choice->patience[p] * REST;
            choice->fallback[p] = true;
        } else {
            choice->patience[p] = 0;
        }
    }
}
