/* pieces.c: a pattern as steps. Neighbours of one set are read as one element. */
#include "engines/classes/factors/pieces.h"

#include <string.h>

#include "engines/classes/factors/layout.h"

enum { MAX_ANY = 16, MAX_CELLS = 64 }; /* positions that one element becomes; the rest is a gap */

/* The next elements as one. */
static element read_element(steps *s)
{
    const element *all = s->of->elements;
    element e = all[s->at++];
    while (s->at < s->of->length && all[s->at].set.bits[0] == e.set.bits[0] &&
           memcmp(&all[s->at].set, &e.set, sizeof e.set) == 0) {
        e.min += all[s->at].min;
        e.max = e.max == REPEAT_UNBOUNDED || all[s->at].max == REPEAT_UNBOUNDED
                    ? REPEAT_UNBOUNDED
                    : e.max + all[s->at].max;
        s->at++;
    }
    return e;
}

static step take_gap(steps *s)
{
    step next = s->gap;
    s->gap.high = 0;
    if (next.high != REPEAT_UNBOUNDED)
        s->slack += next.high - next.low;
    if (s->slack > FACTORS_SLACK || next.high == REPEAT_UNBOUNDED) {
        next.kind = STEP_JUMP;
        s->slack = s->cells = 0;
    }
    return next;
}

step steps_next(steps *s)
{
    while (s->gap.high == 0 && s->at < s->of->length) {
        const byte_class *set = &s->of->elements[s->at].set;
        element e = read_element(s);
        if (!s->begun)
            e.max = e.min;
        if (e.max == 0)
            continue;
        const bool any = class_full(set);
        uint32_t cells = e.min <= (any ? MAX_ANY : MAX_CELLS) ? e.min : any ? 1 : MAX_CELLS;
        if (any && s->cells && e.max > e.min)
            cells = 0;
        s->begun = true;
        s->gap = (step){ STEP_GAP, set, e.min - cells,
                         e.max == REPEAT_UNBOUNDED ? e.max : e.max - cells };
        s->cells += cells;
        if (cells)
            return (step){ STEP_CELLS, set, cells, cells };
    }
    if (s->gap.high)
        return take_gap(s);
    return (step){ STEP_END, NULL, 0, 0 };
}
