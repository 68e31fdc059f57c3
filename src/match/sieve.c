/* sieve.c: see sieve.h. */
#include "match/sieve.h"

size_t sieve_records(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                     text_view text)
{
    const plan_pattern *patterns = plan_patterns(plan);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        const plan_borders *b = plan_borders_of(plan, p);
        const uint64_t end = records[i].pos + shift;
        const bool begins = !start_is_checked(p, b) ||
                            (end >= p->min_length && border_before(b, text, end - p->min_length));
        records[kept] = records[i];
        kept += begins && border_behind(b, text, end);
    }
    return kept;
}

size_t sieve_alternatives(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                          bool all, uint64_t text, last_end *last)
{
    const plan_pattern *patterns = plan_patterns(plan);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        last_end *l = &last[p->order];
        const uint64_t end = records[i].pos + shift;
        const bool again = l->end == end && l->text == text && (all || plan_fixed_length(p));
        *l = (last_end){ end, text };
        records[kept] = records[i];
        kept += !again;
    }
    return kept;
}
