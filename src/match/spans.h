/* spans.h: the matches of a pattern that is a program, by their starts. */
#ifndef TRAWL_SPANS_H
#define TRAWL_SPANS_H

#include "match/order.h"
#include "match/pairs.h"
#include "match/sieve.h"
#include "plan/plan.h"

/* What is known of one program between its ends. */
typedef struct spans spans;

/* Which match of a start is wanted: the longest, the shortest, or the one that Perl prefers. */
enum { SPANS_FARTHEST, SPANS_NEAREST, SPANS_FIRST };

/* `asks`: what matches are asked for that the program does not say. NULL when memory ran out. The
 * program must outlive it. */
spans *spans_open(memory *memory, const program *p, demands asks);
void spans_free(spans *s);

/* Another text begins; nothing of it is known yet. */
void spans_restart(spans *s);

/* A match ends at `end`. Ends ascend; one may come again. The byte after it, and whether the text
 * ends there, are looked at if the program asks for it. False when memory ran out. */
bool spans_note(spans *s, text_view text, uint64_t end);

/* The first end that is noted and not dropped; UINT64_MAX: there is none. */
uint64_t spans_least(const spans *s);

/* Drop the ends before `below`. */
void spans_drop(spans *s, uint64_t below);

/* Find the wanted match of each start in [from, below), among the ends up to `upto`. They are left
 * in *found, *count of them, the last starts first; id and pattern are not set. The text may be
 * read from the byte before `from` up to the last end. False when memory ran out. */
bool spans_choose(spans *s, text_view text, uint64_t from, uint64_t below, uint64_t upto,
                  uint32_t wanted, const found_match **found, size_t *count);

/* All starts of `end`, in runs as pairs_run has them; *any says whether there are some, which is so
 * once for each end. It is the first end that is noted and was not asked for, or the one asked for
 * last; ends that follow it may be noted already, and what stands before them is read. The text may
 * be read back to the longest match's start, and the byte before it. Ends that were asked for are
 * dropped. False when memory ran out. */
bool spans_at(spans *s, text_view text, uint64_t end, start_run *r, bool *any);

/* Run forward to `upto` from where this stood, at first the text's begin. */
void spans_follow(spans *s, text_view text, uint64_t upto);

/* Whether a match ends where it stands. The text as in spans_note. */
bool spans_ends(const spans *s, text_view text);

#endif
