/* facts.c: what a plan and its report ask of those who keep the text. */
#include "scan/facts.h"

#include "base/error.h"
#include "base/options.h"
#include "match/sieve.h"

void stream_borders(const trawl_plan *plan, uint32_t *waits, uint64_t *look_back)
{
    const plan_header *head = plan_head(plan);
    *waits = 0;
    *look_back = head->reach;
    for (uint32_t i = 0; head->bordered && i < head->pattern_count; i++) {
        const plan_pattern *p = &plan_patterns(plan)[i];
        const plan_borders *b = plan_borders_of(plan, p);
        if (!b)
            continue;
        const bool wide = b->asks.word == TRAWL_WORD_FULL_WIDE;
                const uint32_t after = wide || b->after.last ? 2 : b->after.given;
        *waits = after > *waits ? after : *waits;
        /* From the byte that waits longest to the byte or two before a match that ends there. */
        const uint64_t before = wide ? 1 : 0;
        if ((b->before.given || wide) && start_is_checked(p, b) &&
            p->min_length + before > *look_back)
            *look_back = p->min_length + before;
    }
}

/* The most bytes that a stream holds between two calls. */
static uint64_t kept(const trawl_plan *plan, bool starts)
{
    const uint64_t longest = plan_head(plan)->max_length;
    uint64_t look_back;
    uint32_t waits;
    stream_borders(plan, &waits, &look_back);
    if (starts && longest == LENGTH_UNBOUNDED)
        return UINT64_MAX;
    const uint64_t back = starts && 2 * longest > look_back ? 2 * longest : look_back;
    return back + waits + plan_head(plan)->beside;
}

bool report_waits(const trawl_plan *plan, uint32_t report)
{
    return report != TRAWL_REPORT_ENDS && !reporter_settles(plan, report);
}

int trawl_plan_get_report(const trawl_plan *plan, uint32_t report, trawl_report_info *info,
                          trawl_error *error)
{
    if (!plan || plan_head(plan)->cell_size || !info)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "%s",
                    !info  ? "info is NULL"
                    : plan ? "the plan is for grids, which have one report"
                           : "plan is NULL");
    if (report > TRAWL_REPORT_EACH)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "there is no report mode %u", report);
    const bool read = (report != TRAWL_REPORT_ENDS && !plan->fixed) || plan->doubtful;
    const trawl_report_info own = { .size = sizeof own,
                                    .starts = report != TRAWL_REPORT_ENDS || plan->fixed,
                                    .whole_text =
                                        plan_head(plan)->to_end || report_waits(plan, report),
                                    .reads_again = read || plan_head(plan)->bordered,
                                    .keeps = kept(plan, read) };
    return write_info(info, &own, sizeof own, SIZE_UP_TO(trawl_report_info, keeps))
               ? TRAWL_OK
               : fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                      "trawl_report_info.size is %zu: set it to sizeof(trawl_report_info)",
                      info->size);
}
