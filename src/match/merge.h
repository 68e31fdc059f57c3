/* merge.h: the matches of several patterns that share their end, in the order of output. */
#ifndef TRAWL_MERGE_H
#define TRAWL_MERGE_H

#include "match/match.h"
#include "match/pairs.h"

/* One pattern's starts: `start` .. `rest.last`, and the runs after that one. */
typedef struct merge_item {
    const plan_pattern *pattern;
    uint64_t start;
    start_run rest;
} merge_item;

/* What is to be merged, and then a heap of it. All zero is empty. */
typedef struct merge {
    merge_item *items;
    size_t count, room;
} merge;

void merge_free(merge *m, memory *memory);

/* The starts from `start` on, which is in the run `rest`. False when memory ran out. */
bool merge_add(merge *m, memory *memory, const plan_pattern *p, uint64_t start, start_run rest);

/* Hand out all as matches that end at `end`: by start, then id, pattern. What alternatives of one
 * pattern have in common goes out once. It is empty then. The status is match_emit's. */
int merge_release(merge *m, match_out *out, uint64_t end);

#endif
