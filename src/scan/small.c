/* small.c: a small text in one go: one slice, on the caller's thread, with all room on the stack.
 *
 * What a scan of a large text prepares (windows, slices for all threads, room for records) takes
 * longer than a hundred bytes do. Here nothing is allocated and nothing is cut. Matches that find
 * no room on the stack send the text the long way.
 */
#include <string.h>

#include "scan/text.h"

#define SMALL_TEXT 4096u
#define SMALL_RECORDS 64u
#define SMALL_WORDS 64u /* of state */

/* Whether a text of so many bytes goes this way. */
static bool is_small(const trawl_context *context, const trawl_plan *plan, size_t length)
{
    return length <= SMALL_TEXT && !context->worker.limits.on_devices &&
           plan_head(plan)->state_words <= SMALL_WORDS;
}

static int run(const trawl_context *context, const trawl_plan *plan, const void *text, slice *s)
{
    uint64_t state[SMALL_WORDS];
    const sink out = { &s->count, s->records, s->capacity };
    if (slice_run_plain(plan, text, s->end, context->worker.limits.allowance, &out))
        return TRAWL_OK;
    s->count = 0;
    const uint64_t words = plan_head(plan)->state_words;
    const text_job job = { .plan = plan,
                           .window = (const u8 *)text,
                           .slices = s,
                           .count = 1,
                           .mark_bytes = 1,
                           .allowance = context->worker.limits.allowance,
                           .memory = context->worker.memory };
    if (words) {
        memset(state, 0, (size_t)words * sizeof *state);
        s->state = state;
    }
    return slice_run_text(&job, s);
}

bool small_deliver(trawl_context *context, delivery *d, size_t length, int *status,
                   trawl_error *error)
{
    record records[SMALL_RECORDS], scratch[SMALL_RECORDS];
    slice s;
    if (!is_small(context, d->plan, length) || d->out.budget.steps < length)
        return false;
    *status = TRAWL_OK;
    s = (slice){ .end = (uint32_t)length, .records = records, .capacity = SMALL_RECORDS };
    if (length && run(context, d->plan, d->text, &s) != TRAWL_OK) {
        *status = memory_failed(&context->memory, error, "a scan's state");
        return true;
    }
    if (s.count > SMALL_RECORDS)
        return false;
    budget_spend(&d->out.budget, length);
    if (s.count) {
        records_sort(records, (size_t)s.count, scratch);
        *status = deliver(d, records, (size_t)s.count, (uint32_t)length, error);
    }
    if (*status == TRAWL_OK)
        *status = delivery_end(d, length, error);
    return true;
}

bool small_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                 uint64_t *count)
{
    slice s = { .end = (uint32_t)length };
    if (!is_small(context, plan, length))
        return false;
    if (length && run(context, plan, text, &s) != TRAWL_OK)
        return false;
    *count = s.count;
    return true;
}
