/* match.h: from raw records to ordered matches under a report mode. */
#ifndef TRAWL_MATCH_H
#define TRAWL_MATCH_H

#include "base/budget.h"
#include "base/memory.h"
#include "base/port.h"
#include "plan/plan.h"

/* Sort by pos, then index (a radix sort, stable; `scratch` has room for `count`). Returns at
 * once when in order already. */
void records_sort(record *records, size_t count, record *scratch);

/* Keep one of each of those that are equal, in their order. Returns how many there are then. */
size_t records_distinct(record *records, size_t count);

/* Where ordered matches leave the library, a batch at a time. */
typedef struct match_out {
    trawl_match_fn fn;
    void *user;
    uint64_t base;   /* added to offsets */
    uint64_t record; /* of the text at hand */
    uint64_t left;   /* matches still allowed; UINT64_MAX: no limit */
    budget budget;
    trawl_match *batch; /* MATCH_BATCH of them, the call's own */
    uint32_t count;     /* of matches in it */
    uint64_t *reported; /* plans with TRAWL_ONCE: a bit for each plan_pattern.order; else NULL */
    uint64_t open;      /* patterns that may still be reported; UINT64_MAX: all, always */
} match_out;

enum { MATCH_BATCH = 128 };

/* Hand on what is in the batch. TRAWL_STOPPED: the callback wants no more. TRAWL_LIMITED: all that
 * were allowed have been handed on. TRAWL_CANCELLED, TRAWL_EXPIRED: the budget is used up. Else
 * TRAWL_OK. */
int match_flush(match_out *out);

/* How a call goes on after its callback has taken `count` matches, of which `left` more are
 * allowed. */
static inline int batch_taken(budget *b, uint32_t count, uint64_t left)
{
    if (left == 0)
        return TRAWL_LIMITED;
    budget_spend(b, count);
    return budget_check(b);
}

/* What a call ends with that came to its end with `status`, and whose last batch gave `flushed`:
 * when all is done no budget matters. */
static inline int batch_last(int status, int flushed)
{
    if (status != TRAWL_OK)
        return status;
    return flushed == TRAWL_STOPPED || flushed == TRAWL_LIMITED ? flushed : TRAWL_OK;
}

/* Is this the second match of a pattern with TRAWL_ONCE? Notes it as the first, if not. */
bool match_repeated(match_out *out, const plan_pattern *p);

/* Put one match into the batch, and hand that on when it is full or no more are allowed. The
 * status is match_flush's; nothing is put there when none is allowed. */
static inline int match_emit(match_out *out, const plan_pattern *p, uint64_t start, uint64_t end)
{
    if (out->reported && match_repeated(out, p))
        return TRAWL_OK;
    if (out->left == 0)
        return TRAWL_LIMITED;
    out->batch[out->count++] = (trawl_match){ start == TRAWL_UNKNOWN ? start : start + out->base,
                                              end + out->base, p->id, p->order, out->record };
    if (out->left != UINT64_MAX)
        out->left--;
    return out->count == MATCH_BATCH || out->left == 0 ? match_flush(out) : TRAWL_OK;
}

/* The reporter turns ends into the other report modes (PAIRS .. EACH); ENDS needs
 * one only of plans with doubtful patterns. It sees the text through a view that the caller moves
 * on. */
typedef struct reporter reporter;

/* Error: memory. `report` is a trawl_report; the plan is of text and must
 * outlive the reporter, and so must *out. */
int reporter_open(const trawl_plan *plan, uint32_t report, match_out *out, memory *memory,
                  reporter **r, trawl_error *error);

/* Whether some byte of a text settles all that the reporter waits for; else it may wait for the
 * text's end, and the text with it. */
bool reporter_settles(const trawl_plan *plan, uint32_t report);

/* The bytes of the patterns that have no longest match; false: there is no other byte. A match of
 * theirs crosses no other one. */
bool reporter_gaps(const trawl_plan *plan, byte_class *unbroken);

/* Before the first feed of reports that choose (LEFTMOST_..., EACH): no match begins before offset
 * `cursor`, where they may not overlap; */
void reporter_begin(reporter *r, uint64_t cursor);
/* and one of the pattern with this index of the caller's has been taken, which ends there. */
void reporter_taken(reporter *r, uint32_t order, uint64_t end);

/* Another text begins: nothing of it has been fed. Not after an error. */
void reporter_restart(reporter *r);

/* A batch: all records of (done, upto], sorted by records_sort and distinct, where done is
 * the last call's upto (0 at first). Positions here are 64-bit offsets of the whole text:
 * record.pos + shift. text points at offset text_begin; bytes [text_begin, upto) may be read,
 * and `last` says that the text ends at upto. The reporter needs
 * text_begin <= reporter_keeps(r), a byte less where the plan is bordered, except that text_begin
 * == 0 is always right. Matches come as soon as they are sure. At their end: PAIRS, and LONGEST and
 * SHORTEST when all patterns have a fixed length. Else when up to twice the longest match has
 * followed; those of patterns without a longest match wait, moreover, for a byte that none of these
 * patterns has in any class, or the end of the text.
 * Returns TRAWL_OK, TRAWL_STOPPED, TRAWL_LIMITED or an error; after any but TRAWL_OK the
 * reporter can only be freed. */
int reporter_feed(reporter *r, const record *records, size_t count, uint64_t shift,
                  const uint8_t *text, uint64_t text_begin, uint64_t upto, bool last,
                  trawl_error *error);

/* The first offset of text that the next feed may still read. */
uint64_t reporter_keeps(const reporter *r);
void reporter_free(reporter *r);

#endif
