/* order.h: lists of matches and the orders in which the reporter needs them. */
#ifndef TRAWL_ORDER_H
#define TRAWL_ORDER_H

#include "base/memory.h"
#include "plan/plan.h"

/* Matches that are not handed on yet: one for each start from `start` to `last`, all with the end
 * `end`; or, where `step` is not 0, one for each step-th of these starts, each as long as the
 * first. */
typedef struct found_match {
    uint64_t start, last, end; /* no base added */
    uint32_t id, pattern;      /* as in trawl_match */
    uint32_t step;
} found_match;

/* The end of the match that begins at `start`. */
static inline uint64_t found_end(const found_match *m, uint64_t start)
{
    return m->step > 0 ? m->end + (start - m->start) : m->end;
}

/* Take the matches before `start`, which is one of its starts, out of *m. */
static inline void found_begin(found_match *m, uint64_t start)
{
    m->end = found_end(m, start);
    m->start = start;
}

/* Let *m hold `next`, a single match, too, if it follows as the others follow one another. */
bool found_continue(found_match *m, const found_match *next);

/* A growing array. All zero is the empty list. */
typedef struct match_list {
    found_match *items;
    size_t count, capacity;
    found_match *scratch; /* room for half the capacity: merging takes it */
} match_list;

/* Append matches. False when memory ran out. */
bool match_list_add(match_list *list, memory *memory, found_match m);

/* Take the first `count` matches out. */
void match_list_drop(match_list *list, size_t count);
void match_list_free(match_list *list, memory *memory);

/* True when `a` stands before `b`. */
typedef bool (*match_before)(const found_match *a, const found_match *b);

/* The order of all output: by end, then start, id, pattern. */
bool match_before_by_end(const found_match *a, const found_match *b);

/* By start; among those with one start, the one that TRAWL_REPORT_LEFTMOST_LONGEST (..._FIRST)
 * prefers stands first. */
bool match_before_longest(const found_match *a, const found_match *b);
bool match_before_first(const found_match *a, const found_match *b);

/* Sort the list. It is stable, and linear when every match is near its place already. */
void match_list_sort(match_list *list, match_before before);

/* Matches that are taken in order out of a list, and of which some are put back where they belong
 * later: these are a heap. */
typedef struct match_queue {
    match_list *list, *back;
    match_before before;
    size_t next; /* of the list */
} match_queue;

/* Sort the list and begin with it. `back` is empty. */
match_queue match_queue_open(match_list *list, match_list *back, match_before before);

/* The next match; NULL: there is none. */
const found_match *match_queue_next(const match_queue *q);

/* Take the next match, of which there is one. */
found_match match_queue_take(match_queue *q);

/* Put a match in, which belongs after all that were taken. False when memory ran out. */
bool match_queue_put(match_queue *q, memory *memory, found_match m);

/* Leave in the list what was not taken, and nothing in `back`. False when memory ran out. */
bool match_queue_close(match_queue *q, memory *memory);

#endif
