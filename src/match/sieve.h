/* sieve.h: which matches have beside them what their pattern asks for.
 *
 * Engines report a match by its end alone. Behind it any pattern is looked at here; before it one
 * of fixed length, whose start follows, unless it is opened (pattern/pattern.h): of such ones the
 * engine reports the ends that have a start with the right byte before it. The reporter, which
 * finds all starts of variable length, asks for each.
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

/* May a match of these borders begin at offset `start`? Where the view begins within the text it
 * begins farther back than any match, so what begins there is none. */
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

/* May it end at offset `end`, where the text is known up to `known`, and ends there if that is all?
 */
static inline bool border_behind(const plan_borders *b, text_view text, uint64_t end,
                                 uint64_t known)
{
    if (!b || !b->after.given)
        return true;
    const bool own = b->after.own && is_word_byte(text.bytes[end - 1 - text.begin]);
    return end == known ? b->after.edge[own]
                        : class_has(&b->after.set[own], text.bytes[end - text.begin]);
}

/* Keep those of `count` records, in their order, that have the right bytes beside them; `shift` is
 * the offset that their positions begin at. Returns how many. */
size_t sieve_records(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                     text_view text, uint64_t known);

/* Where the last match of a pattern with alternatives ended, and in which text. */
typedef struct last_end {
    uint64_t end; /* 0: nowhere */
    uint64_t text;
} last_end;

/* Keep the first of those records that end at one place and are of alternatives of one pattern;
 * `all`: also where these differ in length, whose starts the reporter tells apart. `last` has an
 * entry for each of the caller's patterns. */
size_t sieve_alternatives(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                          bool all, uint64_t text, last_end *last);

#endif
