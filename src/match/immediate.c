/* immediate.c: the reporter under reports of which a match is complete as soon as its end is known:
 * see report.c. */
#include "match/reporter.h"

/* All patterns have a fixed length, so the records are in the order of output already. Here and
 * below, an end too near to the text's begin is left out: only a forged plan has one. */
int reporter_feed_fixed(reporter *r, const record *records, size_t count, uint64_t shift)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    int status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        const plan_pattern *p = &patterns[records[i].index];
        uint64_t end = records[i].pos + shift;
        if (end >= p->min_length)
            status = match_emit(r->out, p, end - p->min_length, end);
    }
    return status;
}

/* The same of a program, all ends of which have been noted. */
static bool add_program_starts(reporter *r, variable *v, uint64_t end, text_view text)
{
    start_run starts;
    bool any;
    if (!spans_at(v->spans, text, end, &starts, &any))
        return false;
    merge_item *item = any ? merge_add(&r->heads, r->memory) : NULL;
    if (item != NULL)
        *item = (merge_item){ v->pattern, starts };
    return !any || item != NULL;
}

bool reporter_add_starts(reporter *r, uint32_t index, uint64_t end, text_view text)
{
    const plan_pattern *p = &plan_patterns(r->plan)[index];
    const uint64_t start = end - p->min_length;
    if (plan_one_length(p) && !has_program(r, p))
        return end < p->min_length || reporter_add_run(r, p, start, start);
    variable *v = reporter_variable(r, index);
    pairs_end found;
    if (v != NULL && v->spans != NULL)
        return add_program_starts(r, v, end, text);
    if (v == NULL || !pairs_at(v->pairs, text, end, &found))
        return false;
    if (found.first > found.last)
        return true;
    if (found.unlisted)
        return reporter_add_run(r, p, found.first, found.last);
    pairs_drop(v->pairs, found.first);
    merge_item *item = merge_add(&r->heads, r->memory);
    if (item == NULL)
        return false;
    item->pattern = p;
    r->heads.count -= !pairs_run(v->pairs, &item->starts);
    return true;
}

void reporter_drop_starts(reporter *r, const record *records, size_t count, uint64_t end)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    for (size_t i = 0; r->report == TRAWL_REPORT_SHORTEST && i < count; i++)
        if (!plan_one_length(&patterns[records[i].index]))
            pairs_drop(r->variables[records[i].index - r->first_variable]->pairs, end + 1);
}

/* Note the ends of programs. */
static bool note_ends(reporter *r, const record *records, size_t count, uint64_t shift,
                      text_view text)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    bool noted = true;
    for (size_t i = 0; noted && i < count; i++)
        if (has_program(r, &patterns[records[i].index]))
            noted = reporter_note(r, records[i].index, records[i].pos + shift, text);
    return noted;
}

int reporter_feed_pairs(reporter *r, const record *records, size_t count, uint64_t shift,
                        text_view text, trawl_error *error)
{
    int status = TRAWL_OK;
    size_t first = 0;
    if (r->programs && !note_ends(r, records, count, shift, text))
        return reporter_memory_failed(r->memory, error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        uint64_t end = records[i].pos + shift;
        if (!reporter_add_starts(r, records[i].index, end, text))
            return reporter_memory_failed(r->memory, error);
        if (i + 1 == count || records[i + 1].pos != records[i].pos) {
            status = merge_release(&r->heads, r->out, end);
            reporter_drop_starts(r, records + first, i + 1 - first, end);
            first = i + 1;
        }
    }
    return status;
}

static bool is_followed(const reporter *r, const plan_pattern *p)
{
    return (p->max_length == LENGTH_UNBOUNDED || has_program(r, p)) && plan_doubtful(r->plan, p);
}

/* Follow doubtful programs, and doubtful patterns without a longest match, from the text's begin,
 * where they may start, though they have not occurred yet: later the text is gone. */
static bool follow_doubtful(reporter *r)
{
    const plan_pattern *patterns = plan_patterns(r->plan);
    for (size_t i = r->first_variable; !r->began && i < plan_head(r->plan)->pattern_count; i++)
        if (is_followed(r, &patterns[i]) && reporter_variable(r, (uint32_t)i) == NULL)
            return false;
    r->began = true;
    return true;
}

/* Whether a match of a doubtful pattern that ends there has a start. */
static bool has_start(variable *v, text_view text, uint64_t end, bool *any)
{
    pairs_end found;
    if (v->spans != NULL) {
        spans_follow(v->spans, text, end);
        *any = spans_ends(v->spans, text);
        return true;
    }
    if (!pairs_at(v->pairs, text, end, &found))
        return false;
    pairs_drop(v->pairs, UINT64_MAX); /* only the ends are asked for */
    *any = found.first <= found.last;
    return true;
}

/* Take a doubtful pattern to `upto`. */
static bool follow(variable *v, text_view text, uint64_t upto)
{
    if (v->spans != NULL) {
        spans_follow(v->spans, text, upto);
        return true;
    }
    const bool enough = pairs_advance(v->pairs, text, upto);
    pairs_drop(v->pairs, UINT64_MAX);
    return enough;
}

int reporter_feed_ends(reporter *r, const record *records, size_t count, uint64_t shift,
                       text_view text, uint64_t upto, trawl_error *error)
{
    int status = TRAWL_OK;
    if (!follow_doubtful(r))
        return reporter_memory_failed(r->memory, error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        const plan_pattern *p = &plan_patterns(r->plan)[records[i].index];
        const uint64_t end = records[i].pos + shift;
        const bool fixed = plan_fixed_length(p);
        bool any = true;
        if (!fixed && plan_doubtful(r->plan, p)) {
            variable *v = reporter_variable(r, records[i].index);
            if (v == NULL || !has_start(v, text, end, &any))
                return reporter_memory_failed(r->memory, error);
        }
        if (!any || (fixed ? end < p->min_length : r->cursors[p->order] == end))
            continue;
        r->cursors[p->order] = end; /* one alternative is enough */
        status = match_emit(r->out, p, fixed ? end - p->min_length : TRAWL_UNKNOWN, end);
    }
    for (variable *v = r->seen; status == TRAWL_OK && v != NULL; v = v->next_seen)
        if ((v->spans != NULL || is_followed(r, v->pattern)) && !follow(v, text, upto))
            return reporter_memory_failed(r->memory, error);
    r->done = upto;
    r->settled = upto > r->horizon ? upto - r->horizon : 0;
    return status;
}
