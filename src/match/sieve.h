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

/* The offsets at which a match may begin, as its place is restricted; last < first: none. */
typedef struct start_range {
    uint64_t first, last;
} start_range;

static inline start_range place_starts(const demands *d, text_view text)
{
    const start_range none = { 1, 0 };
    uint64_t first = d->offset, last;
    if (d->place == TRAWL_PLACE_ANY)
        return (start_range){ 0, UINT64_MAX };
    if (d->place == TRAWL_PLACE_END) {
        if (text.known < d->offset)
            return none;
        first = text.known - d->offset;
    }
    last = d->within < UINT64_MAX - first ? first + d->within : UINT64_MAX;
    return last < text.origin
               ? none
               : (start_range){ first > text.origin ? first - text.origin : 0, last - text.origin };
}

/* Does a letter or digit of two bytes stand before `start`? */
static inline bool wide_before(text_view text, uint64_t start)
{
    const uint8_t *at = text.bytes + (start - text.begin);
    return start >= 2 && at[-1] == 0 && is_alphanumeric(at[-2]);
}

/* Does one stand after `end`? */
static inline bool wide_behind(text_view text, uint64_t end)
{
    const uint8_t *at = text.bytes + (end - text.begin);
    return text.known - end >= 2 && at[1] == 0 && is_alphanumeric(at[0]);
}

/* Whether a match that is asked for `d` may begin at offset `start`. A view that begins within the
 * text begins farther back than any match, so no match begins where the view does. */
static inline bool demands_before(const demands *d, text_view text, uint64_t start)
{
    const start_range place = place_starts(d, text);
    if (start < place.first || start > place.last)
        return false;
    return d->word != TRAWL_WORD_FULL_WIDE ||
           ((text.begin == 0 || start - text.begin >= 2) && !wide_before(text, start));
}

/* The same of all that the conditions `b` say. */
static inline bool border_before(const plan_borders *b, text_view text, uint64_t start)
{
    if (!b)
        return true;
    if (!demands_before(&b->asks, text, start))
        return false;
    if (!b->before.given)
        return true;
    if (start == text.begin && start > 0)
        return false;
    const bool own = b->before.own && is_word_byte(text.bytes[start - text.begin]);
    return start == 0 ? b->before.edge[own]
                      : class_has(&b->before.set[own], text.bytes[start - 1 - text.begin]);
}

/* Whether a match with the conditions `b` may end at offset `end`; if `end` is text.known, the text
 * ends there. */
static inline bool border_behind(const plan_borders *b, text_view text, uint64_t end)
{
    if (!b)
        return true;
    if (b->asks.word == TRAWL_WORD_FULL_WIDE && wide_behind(text, end))
        return false;
    if (!b->after.given)
        return true;
    const bool own = b->after.own && is_word_byte(text.bytes[end - 1 - text.begin]);
    if (end == text.known)
        return b->after.edge[own];
    const uint8_t next = text.bytes[end - text.begin];
    return class_has(&b->after.set[own], next) ||
           (next + UINT32_C(1) == b->after.last && end + 1 == text.known);
}

/* Whether what stands before a match of the pattern is looked at when its end is found, since that
 * tells the start. */
static inline bool start_is_checked(const plan_pattern *p, const plan_borders *b)
{
    return plan_one_length(p) && (!(p->flags & PLAN_OPENED) || (b && asked_of_start(&b->asks)));
}

/* Keep those of `count` records, in their order, that have the right bytes beside them. `shift` is
 * the offset at which their positions begin. Returns how many are left. */
size_t sieve_records(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                     text_view text);

/* Where the last match of a pattern with alternatives ended, and in which text. */
typedef struct last_end {
    uint64_t end; /* 0: nowhere */
    uint64_t text;
} last_end;

/* Keep the first of the records that end at one place and belong to alternatives of one pattern.
 * If the alternatives differ in length, the reporter tells their starts apart, so this is done for
 * them only if `all` is set. `last` has an entry for each of the caller's patterns. Returns how
 * many are left. */
size_t sieve_alternatives(const trawl_plan *plan, record *records, size_t count, uint64_t shift,
                          bool all, uint64_t text, last_end *last);

#endif
