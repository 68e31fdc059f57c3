/* order.h: lists of matches and the orders in which the reporter needs them. */
#ifndef TRAWL_ORDER_H
#define TRAWL_ORDER_H

#include "plan/plan.h"

/* A growing array. Offsets in it have no base added. All zero is the empty list. */
typedef struct match_list {
    trawl_match *items;
    size_t count, capacity;
    trawl_match *scratch; /* room for half the capacity: merging takes it */
} match_list;

/* Append a match of pattern `p`. False when memory ran out. */
bool match_list_add(match_list *list, const plan_pattern *p, uint64_t start, uint64_t end);

/* Take the first `count` matches out. */
void match_list_drop(match_list *list, size_t count);
void match_list_free(match_list *list);

/* True when `a` stands before `b`. */
typedef bool (*match_before)(const trawl_match *a, const trawl_match *b);

/* The order of all output: by end, then start, id, pattern. */
bool match_before_by_end(const trawl_match *a, const trawl_match *b);

/* By start; of those that share it the one that TRAWL_REPORT_LEFTMOST_LONGEST (..._FIRST)
 * prefers stands first. */
bool match_before_longest(const trawl_match *a, const trawl_match *b);
bool match_before_first(const trawl_match *a, const trawl_match *b);

/* Stable; linear on a list that is in order but for matches which are near their place. */
void match_list_sort(match_list *list, match_before before);

#endif
