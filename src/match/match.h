/* match.h: from raw records to ordered matches under a report mode. */
#ifndef TRAWL_MATCH_H
#define TRAWL_MATCH_H

#include "base/budget.h"
#include "base/memory.h"
#include "base/port.h"
#include "plan/plan.h"

/* Sort by pos, then index, by a stable radix sort. `scratch` has room for `count` records. It
 * returns at once when they are in order already. */
void records_sort(record *records, size_t count, record *scratch);

/* Keep one of each group of equal records, in order. Returns how many are left. */
size_t records_distinct(record *records, size_t count);

/* Where ordered matches leave the library, a batch at a time. */
typedef struct match_out {
    trawl_match_fn fn;
    void *user;
    uint64_t base;   /* added to offsets */
    uint64_t record; /* trawl_match.record of the text at hand */
    uint64_t left;   /* matches still allowed; UINT64_MAX: no limit */
    budget budget;
    trawl_match *batch; /* MATCH_BATCH of them, the call's own */
    uint32_t count;     /* matches in the batch */
    uint64_t *reported; /* plans with TRAWL_ONCE: a bit for each plan_pattern.order; else NULL */
    uint64_t open;      /* patterns that may still be reported; UINT64_MAX: all, always */
} match_out;

enum { MATCH_BATCH = 128 };

/* Hand on the matches in the batch. Returns TRAWL_STOPPED when the callback wants no more,
 * TRAWL_LIMITED when as many as are allowed have been handed on, TRAWL_CANCELLED or TRAWL_EXPIRED
 * when the budget is used up, else TRAWL_OK. */
int match_flush(match_out *out);

/* The status of a call whose callback has taken `count` matches, when `left` more are allowed. */
static inline int batch_taken(budget *b, uint32_t count, uint64_t left)
{
    if (left == 0)
        return TRAWL_LIMITED;
    budget_spend(b, count);
    return budget_check(b);
}

/* The status of a call that came to its end with `status`, and whose last batch gave `flushed`.
 * When all is done the budget does not matter. */
static inline int batch_last(int status, int flushed)
{
    if (status != TRAWL_OK)
        return status;
    return flushed == TRAWL_STOPPED || flushed == TRAWL_LIMITED ? flushed : TRAWL_OK;
}

/* Whether the pattern has TRAWL_ONCE and had a match before. If not, this one is noted. */
bool match_repeated(match_out *out, const plan_pattern *p);

/* Put one match into the batch, unless none is allowed, and hand the batch on when it is full or no
 * more are allowed. Returns what match_flush returns. */
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

/* The part of a text that is at hand: bytes[0] is the byte at offset `begin`, and bytes before
 * offset `known` may be read. If no more of the text is known, it ends there. */
typedef struct text_view {
    const uint8_t *bytes;
    uint64_t begin, known;
    uint64_t origin; /* conditions count from this many bytes before offset 0 */
} text_view;

/* The reporter turns ends into the other report modes (PAIRS .. EACH); ENDS needs one only if some
 * pattern of the plan is doubtful. It sees the text through a view that the caller moves on. */
typedef struct reporter reporter;

/* Error: memory. `report` is a trawl_report; the plan is for text; it and *out must outlive the
 * reporter. */
int reporter_open(const trawl_plan *plan, uint32_t report, match_out *out, memory *memory,
                  reporter **r, trawl_error *error);

/* Whether some byte of a text settles all that the reporter waits for. If none does, it may wait
 * for the end of the text and keep the text until then. */
bool reporter_settles(const trawl_plan *plan, uint32_t report);

/* Set *unbroken to the bytes that any class of the patterns without a longest match has. A match of
 * such a pattern holds no other byte. False: there is no other byte. */
bool reporter_gaps(const trawl_plan *plan, byte_class *unbroken);

/* Before the first feed, under a report that chooses (LEFTMOST_..., EACH): where matches may not
 * overlap, none begins before offset `cursor`. */
void reporter_begin(reporter *r, uint64_t cursor);
/* Before the first feed too: a match of the caller's pattern `order` was taken, and ends at `end`.
 */
void reporter_taken(reporter *r, uint32_t order, uint64_t end);

/* Another text begins; nothing of it has been fed yet. Not to be called after an error. */
void reporter_restart(reporter *r);

/* Feed all records of (done, upto], where `done` is the last call's `upto`, or 0 at first. The
 * records are sorted by records_sort and distinct. A record stands for the 64-bit offset record.pos
 * + shift in the whole text. The bytes [text.begin, upto) may be read, and `last` says that the
 * text ends at `upto`. text.begin must be at most reporter_keeps(r), less plan_header.beside; 0 is
 * always right. A match is handed on as soon as it is sure. Under PAIRS, and under LONGEST and
 * SHORTEST when all patterns have a fixed length, it is sure at its end; else once up to twice the
 * length of the longest match has followed. Matches of patterns without a longest match wait also
 * for a byte that is in no class of these patterns, or for the end of the text. Returns TRAWL_OK,
 * TRAWL_STOPPED, TRAWL_LIMITED or an error; after any but TRAWL_OK the reporter can only be
 * freed. */
int reporter_feed(reporter *r, const record *records, size_t count, uint64_t shift, text_view text,
                  uint64_t upto, bool last, trawl_error *error);

/* The first offset of text that the next feed may still read. */
uint64_t reporter_keeps(const reporter *r);
void reporter_free(reporter *r);

#endif
