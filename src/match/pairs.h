/* pairs.h: the starts of each end of a variable-length pattern. */
#ifndef TRAWL_PAIRS_H
#define TRAWL_PAIRS_H

#include "match/sieve.h"
#include "plan/plan.h"

/* What is known of one pattern between its ends. */
typedef struct pairs pairs;

/* Starts that follow one another: first, first + 1, .. last. go_on sets a run to the one that comes
 * after it, or returns false: there is none. It is NULL where no other run can follow. */
typedef struct start_run {
    bool (*go_on)(struct start_run *);
    const void *of;
    uint64_t first, last;
    uint64_t next;
} start_run;

/* Go on to the run after *r, while it is valid. False: there is none. */
static inline bool start_run_next(start_run *r)
{
    return r->go_on != NULL && r->go_on(r);
}

/* NULL when memory ran out. The plan must outlive it. `once`: of a start only the first end is
 * asked for. */
pairs *pairs_open(memory *memory, const trawl_plan *plan, const plan_pattern *p, bool once);
void pairs_free(pairs *p);

/* Another text begins; nothing of it is known yet. */
void pairs_restart(pairs *p);

/* The first and the last start of the matches that share an end; none: last < first. */
typedef struct pairs_end {
    uint64_t first, last;
    bool unlisted; /* these are the starts that reached no end before, and in no list */
} pairs_end;

/* Go on to `end`, an end of the pattern. Call it once for each of its ends, ascending. The text
 * from `end` back to the longest match's start may be read. The list of starts that have ended then
 * holds, in runs, all starts that reach `end`: those from found->first to found->last. Starts
 * before found->first reach no end any more. Both bounds grow with the end, so a start of the list
 * that lies within the bounds of an earlier end reached that end too. False when memory ran out. */
bool pairs_at(pairs *p, text_view text, uint64_t end, pairs_end *found);

/* Go on to `upto`, whatever ends there, so that the text before it is not asked for again. */
bool pairs_advance(pairs *p, text_view text, uint64_t upto);

/* The first start of the list; UINT64_MAX: it is empty. */
uint64_t pairs_least(const pairs *p);

/* Set *r to the first run of the list. Runs are valid until the next call of another of these
 * functions. False: there is none. */
bool pairs_run(const pairs *p, start_run *r);

/* Take the starts before `below` out of the list. */
void pairs_drop(pairs *p, uint64_t below);

/* The starts before `below` need not be found any more, except the first one of the list. */
void pairs_keep_first(pairs *p, uint64_t below);

#endif
