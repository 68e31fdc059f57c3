/* sieve.h: which matches have beside them what their pattern asks for.
 *
 * Engines report a match by its end alone. The condition after a match is checked here for every
 * pattern. The condition before it is checked here when the length is fixed, since the end then
 * tells the start. An opened pattern (pattern/pattern.h) needs no check: its engine reports only
 * ends that have a start with the right byte before it. The reporter finds all starts of patterns
 * of variable length, and checks each.
 */
#ifndef TRAWL_MATCH_SIEVE_H
#define TRAWL_MATCH_SIEVE_H

#include "base/port.h"
#include "match/match.h"

/* A text of which a part is at hand: bytes[0] is the byte at offset `begin`. */
typedef struct text_view {
    const uint8_t *bytes;
    uint64_t begin;
} text_view;

/* Whether a match with the conditions `b` may begin at offset `start`. A view that begins within
 * the text begins farther back than any match, so no match begins where the view does. */
static inline bool border_before(const plan_borders *b, text_view text, uint64_t start)
{
    if (!b || !b->before.given)
        return true;
    if (start == text.begin && start > 0)
        return false;
    const bool own = b->before.own && is_word_byte(text.bytes[start - text.begin]);
    return start == 0 ? b->before.edge[own]
                      : class_has(&b->before.set[own], text.bytes[start - 1 - text.begin]);
}

/* Whether it may end at offset `end`. The text is known up to `known`; when `end` is there too, the
 * text ends there. */
static inline bool border_behind(const plan_borders *b, text_view text, uint64_t end,
                                 uint64_t known)
{
    if (!b || !b->after.given)
        return true;
    const bool own = b->after.own && is_word_byte(text.bytes[end - 1 - text.begin]);
    return end == known ? b->after.edge[own]
                        : class_has(&b->after.set[own], text.bytes[end - text.begin]);
}

/* Keep those of `count` records, in their order, that have the right bytes beside them. `shift` is
 * the offset at which their positions begin. Returns how many are left. */
size_t sieve_records(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                     text_view text, uint64_t known);

/* Where the last match of a pattern with alternatives ended, and in which text. */
typedef struct last_end {
    uint64_t end; /* 0: nowhere */
    uint64_t text;
} last_end;

/* Keep the first of the records that end at one place and belong to alternatives of one pattern.
 * When these differ in length the reporter tells their starts apart, so this is done for them
 * only if `all` is set. `last` has an entry for each of the caller's patterns. Returns how many are
 * left. */
size_t sieve_alternatives(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                          bool all, uint64_t text, last_end *last);

#endif
