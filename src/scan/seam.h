/* seam.h: what a range of a text begins with and leaves to the next one.
 *
 * A state is what a place of the text knows of all before it, as words:
 *   TRAWL_REPORT_ENDS       the set of states of the parts that carry, as in carry.h;
 *   reports that choose     the matches that were taken, begin before the place and end after
 *                           it, where others may not overlap them: start, end and pattern of each,
 *                           in order of end.
 * What comes after a place depends on its state alone. So where a search that began with another
 * state reaches a place with the same state, all that follows is the same. A seam keeps the states
 * of some places, each twice as far from the range's begin as the one before; a new search ends at
 * the first of these where its state is the same.
 *
 * A first search begins from what the bytes before the range tell. A set of states is then a part
 * of the true one, and grows from round to round; matches that were taken may be wrong, and are
 * replaced by what the range before left. The state of range k is true after k rounds, since that
 * of range 0 is true at once.
 */
#ifndef TRAWL_SCAN_SEAM_H
#define TRAWL_SCAN_SEAM_H

#include "base/memory.h"
#include "plan/plan.h"
#include "trawl/range.h"

enum { SEAM_MARKS = 64, SEAM_TAKEN = 3 }; /* words of a match that was taken */

typedef struct seam_state {
    uint64_t at; /* offset in the text */
    uint64_t count;
    uint64_t *words;
} seam_state;

/* The states of a range: at its begin, at some places in it, and at its end. All zero: none. */
typedef struct seam_marks {
    seam_state mark[SEAM_MARKS];
    uint32_t count;
} seam_marks;

struct trawl_seam {
    memory memory;
    const trawl_plan *plan;
    uint32_t report;  /* plan_report */
    seam_marks marks; /* none: it was not searched */
    seam_state told;  /* what the range is to begin with; words NULL: nothing */
};

/* Whether a report chooses among matches. */
static inline bool range_chooses(uint32_t report)
{
    return report >= TRAWL_REPORT_LEFTMOST_LONGEST;
}

static inline bool range_unbounded(const trawl_plan *plan)
{
    return plan_head(plan)->max_length == LENGTH_UNBOUNDED;
}

static inline bool range_follows(const trawl_plan *plan, uint32_t report)
{
    return range_chooses(report) || (report == TRAWL_REPORT_ENDS && range_unbounded(plan));
}

/* Set *state to `count` words, the state at offset `at`. False: no memory. */
bool seam_state_set(memory *memory, seam_state *state, uint64_t at, const uint64_t *words,
                    uint64_t count);

/* Whether what follows two states is the same. */
bool seam_same(const trawl_plan *plan, uint32_t report, const seam_state *a, const seam_state *b);

void seam_marks_free(memory *memory, seam_marks *marks);

#endif
