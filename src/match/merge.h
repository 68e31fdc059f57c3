/* merge.h: the matches of several patterns that share their end, in the order of output. */
#ifndef TRAWL_MERGE_H
#define TRAWL_MERGE_H

#include "match/match.h"
#include "match/pairs.h"

/* One pattern's starts, ascending: those of a run, and then of the runs after it. */
typedef struct merge_item {
    const plan_pattern *pattern;
    start_run starts;
} merge_item;

/* The items that are to be merged, which then become a heap. All zero is empty. */
typedef struct merge {
    merge_item *items;
    size_t count, room;
} merge;

void merge_free(merge *m, memory *memory);

/* Add an item, which the caller fills. NULL: memory ran out. */
merge_item *merge_add(merge *m, memory *memory);

/* Hand on all starts as matches that end at `end`, by start, then id, then pattern. Matches that
 * alternatives of one pattern share are handed on once. *m is empty then. Returns what match_emit
 * returns. */
int merge_release(merge *m, match_out *out, uint64_t end);

#endif
