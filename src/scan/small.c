/* small.c: searches a small text in one go: as one slice, on the caller's thread, with all room on
 * the stack.
 *
 * To prepare a scan of a large text (windows, slices for all threads, room for records) takes
 * longer than to search a hundred bytes. Here nothing is allocated and nothing is cut. If matches
 * find no room on the stack, the text goes the long way.
 */
#include <string.h>

#include "scan/text.h"

/* For any plan: one slice, from its first byte, which is the opening if it `opens`. */
static bool scan_slice(const trawl_context *context, const trawl_plan *plan, const trawl_text *text,
                       bool opens, record *records, size_t capacity, uint64_t *count)
{
    uint64_t state[SMALL_WORDS];
    slice s = { .end = (uint32_t)text->length,
                .records = records,
                .capacity = capacity,
                .state = state,
                .whole = true };
    const text_job job = { .plan = plan,
                           .isa = context->worker.target.isa,
                           .window = (const u8 *)text->bytes,
                           .opens = opens,
                           .slices = &s,
                           .count = 1,
                           .mark_bytes = 1,
                           .allowance = context->worker.limits.allowance,
                           .memory = context->worker.memory };
    memset(state, 0, (size_t)plan_head(plan)->state_words * sizeof *state);
    const int status = slice_run_text(&job, &s);
    *count = s.count;
    return status == TRAWL_OK;
}

/* The same after an opening: positions are larger by one. */
static bool scan_opened(const trawl_context *context, const trawl_plan *plan,
                        const trawl_text *text, record *records, size_t capacity, uint64_t *count)
{
    u8 bytes[SMALL_TEXT + 1];
    const trawl_text opened = { bytes, text->length + 1 };
    bytes[0] = delivery_opening(plan);
    memcpy(bytes + 1, text->bytes, text->length);
    return scan_slice(context, plan, &opened, true, records, capacity, count);
}

bool small_scan(const trawl_context *context, const trawl_plan *plan, const trawl_text *text,
                record *records, size_t capacity, uint64_t *count)
{
    const sink out = { count, records, capacity };
    *count = 0;
    if (text->length == 0)
        return true;
    if (plan_head(plan)->opened)
        return scan_opened(context, plan, text, records, capacity, count);
    return slice_run_plain(context->worker.target.isa, plan, (const u8 *)text->bytes,
                           (u32)text->length, context->worker.limits.allowance, &out) ||
           scan_slice(context, plan, text, false, records, capacity, count);
}

bool small_find(const trawl_context *context, const trawl_plan *plan, const void *text,
                size_t length, uint64_t steps, small_matches *found)
{
    const trawl_text whole = { text, length };
    const size_t room = sizeof found->records / sizeof *found->records;
    return small_is(context, plan, length) && steps >= length &&
           small_scan(context, plan, &whole, found->records, room, &found->count) &&
           found->count <= room;
}

int small_hand_on(delivery *d, size_t length, record *records, record *scratch, size_t count,
                  trawl_error *error)
{
    int status = TRAWL_OK;
    budget_spend(&d->out.budget, length);
    d->known = length;
    if (count) {
        records_sort(records, count, scratch);
        status = deliver(d, records, count, (uint32_t)(length - d->window_begin), error);
    }
    return status == TRAWL_OK ? delivery_end(d, length, error) : status;
}

bool small_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                 uint64_t *count)
{
    const trawl_text whole = { text, length };
    return small_is(context, plan, length) && small_scan(context, plan, &whole, NULL, 0, count);
}
