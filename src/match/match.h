/* match.h: from raw records to ordered matches under a report mode. */
#ifndef TRAWL_MATCH_H
#define TRAWL_MATCH_H

#include "plan/plan.h"
#include "table/port.h"

/* Sort by pos, then index (a radix sort, stable; `scratch` has room for `count`). Returns at
 * once when in order already. */
void records_sort(record *records, size_t count, record *scratch);

/* Where ordered matches leave the library. */
typedef struct match_out {
    trawl_match_fn fn;
    void *user;
    uint64_t base; /* added to offsets */
    uint64_t left; /* matches still allowed; UINT64_MAX: no limit */
} match_out;

/* Hand one match on. TRAWL_STOPPED: the callback wants no more. TRAWL_LIMITED: this was the
 * last one that out->left allowed, so stop here (nothing was handed on if it was 0 before).
 * Else TRAWL_OK. */
int match_emit(match_out *out, const plan_pattern *p, uint64_t start, uint64_t end);

/* The reporter turns ends into the other report modes (PAIRS .. LEFTMOST_FIRST); ENDS needs
 * none. It sees the text through a view that the caller moves on. */
typedef struct reporter reporter;

/* Error: memory. `report` is a trawl_report other than ENDS; the plan is of text and must
 * outlive the reporter. *out is copied: its `left` is not written back. */
int reporter_open(const trawl_plan *plan, uint32_t report, const match_out *out, reporter **r,
                  trawl_error *error);

/* A batch: all records of (done, upto], sorted by records_sort and distinct, where done is
 * the last call's upto (0 at first). Positions here are 64-bit offsets of the whole text:
 * record.pos + shift. text points at offset text_begin; bytes [text_begin, upto) may be read,
 * and `last` says that the text ends at upto. The reporter needs
 * text_begin <= reporter_keeps(r), except that text_begin == 0 is always right.
 * Matches come as soon as they are sure. At their end: PAIRS, and LONGEST and SHORTEST when
 * all patterns have a fixed length. Else when up to twice the longest match has followed;
 * those of patterns without a longest match wait, moreover, for a byte that none of these
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
