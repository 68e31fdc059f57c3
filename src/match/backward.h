/* backward.h: from the ends of a variable-length pattern back to its starts. */
#ifndef TRAWL_BACKWARD_H
#define TRAWL_BACKWARD_H

#include "match/order.h"
#include "plan/plan.h"

/* A text of which a part is at hand: bytes[0] is the byte at offset `begin`. */
typedef struct text_view {
    const uint8_t *bytes;
    uint64_t begin;
} text_view;

/* The pass over the text for one pattern, with the memory that it needs. */
typedef struct backward backward;

/* NULL when memory ran out. The plan must outlive it. */
backward *backward_open(memory *memory, const trawl_plan *plan, const plan_pattern *p);
void backward_free(backward *b);

/* Append to `found`, by start, one match for each start in [low, high) from which one of
 * ends[0 .. count) is reached: the one with the farthest such end, or the nearest. Ends are
 * ascending and distinct; of the text the bytes [low, ends[count - 1]) may be read.
 * False when memory ran out. */
bool backward_run(backward *b, const uint64_t *ends, size_t count, bool nearest, text_view text,
                  uint64_t low, uint64_t high, match_list *found);

#endif
