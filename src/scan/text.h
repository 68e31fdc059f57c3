/* text.h: one text in memory, from its first byte to its last match. */
#ifndef TRAWL_SCAN_TEXT_H
#define TRAWL_SCAN_TEXT_H

#include "scan/delivery.h"

/* Scan a text and put its matches into the batch, also those that are still open at its end. `text`
 * is NULL: the context's worker holds it. */
int text_deliver(trawl_context *context, delivery *d, const void *text, size_t length,
                 trawl_error *error);

/* How far a scan of a text is, window by window. */
typedef struct text_course {
    text_scan *scan;
    budget *budget;
    delivery *d;         /* NULL: matches are counted only */
    const uint8_t *text; /* NULL: the worker holds it */
    uint64_t length, at;
} text_course;

/* Go on with several windows at once, if the worker can and it pays (led.c). Returns at the end,
 * after an error, or where the rest is to be scanned window by window. */
int text_lead(text_course *c, trawl_error *error);
/* Count the matches of a plan that does not carry; if `keeping` is not NULL, a device keeps them
 * too. If it has too little memory for that, the CPU does not take over: TRAWL_ERROR_MEMORY. */
int text_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
               const trawl_scan_options *read, keeping *keeping, uint64_t *count,
               trawl_error *error);

/* The same on a device, which counts the matches of each pattern. */
int text_count_each(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                    const trawl_scan_options *read, uint64_t *counts, trawl_error *error);

/* Whether a device may keep the matches of the plan: each record is a match, and says all of it. */
static inline bool text_keeps(const trawl_context *context, const trawl_plan *plan,
                              const trawl_scan_options *read)
{
    const plan_header *head = plan_head(plan);
    return on_devices(&context->worker) && read->report == TRAWL_REPORT_ENDS &&
           !read->max_matches && !read->max_steps && !head->carries && !head->once &&
           !head->bordered && !plan_has_alternatives(plan);
}

/* The matches of a small text, as records in no order (small.c). */
typedef struct small_matches {
    uint64_t count;
    record records[64], scratch[64];
} small_matches;

/* Find the matches of a small text; the call's budget has `steps` left. False: the text is not
 * small, has more matches, or memory is short, which the long way will report. */
bool small_find(const trawl_context *context, const trawl_plan *plan, const void *text,
                size_t length, uint64_t steps, small_matches *found);

#define SMALL_TEXT 4096u
#define SMALL_WORDS 64u /* of state */

/* small_is: whether a text of `length` bytes is small. small_scan: its matches, as records in no
 * order; *count may exceed the capacity; false: out of memory. Several threads may call both at
 * once. */
static inline bool small_is(const trawl_context *context, const trawl_plan *plan, size_t length)
{
    return length <= SMALL_TEXT && !on_devices(&context->worker) &&
           plan_head(plan)->state_words <= SMALL_WORDS;
}

bool small_scan(const trawl_context *context, const trawl_plan *plan, const trawl_text *text,
                record *records, size_t capacity, uint64_t *count);

/* Put the matches of a small text (d->text) into the batch; `scratch` has room for `count`. */
int small_hand_on(delivery *d, size_t length, record *records, record *scratch, size_t count,
                  trawl_error *error);

/* Count the matches of a small text, all ends. False: it is not small. */
bool small_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                 uint64_t *count);

#endif
