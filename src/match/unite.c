/* unite.c: keeps one match for each start among the matches of a pattern's alternatives.
 *
 * It sweeps over the starts of each pattern. The items that hold the present start are open. The
 * best of them stays the best until one of them ends, another begins, or, if its end is fixed, that
 * is passed by ends that move with their starts. So a run is taken whole, not start by start.
 *
 * Invariant: items[first .. next) are open, items before are finished.
 * Cost: sorting the items, and for each run that is handed on a look at those that are open, one
 * for each alternative. */
#include "match/unite.h"

/* By pattern, and then by start. */
static bool before_by_pattern(const found_match *a, const found_match *b)
{
    return a->pattern != b->pattern ? a->pattern < b->pattern : a->start < b->start;
}

/* Let the list begin with the items that are below `settled`, cut there. Sets *below to their
 * number. */
static bool cut(match_list *list, memory *memory, uint64_t settled, size_t *below)
{
    const size_t count = list->count;
    for (size_t i = 0; i < count; i++) {
        found_match rest = list->items[i];
        if (rest.start >= settled || rest.last < settled)
            continue;
        list->items[i].last = settled - 1;
        found_begin(&rest, settled);
        if (!match_list_add(list, memory, rest))
            return false;
    }
    *below = 0;
    for (size_t i = 0; i < list->count; i++) {
        const found_match m = list->items[i];
        if (m.start < settled) {
            list->items[i] = list->items[*below];
            list->items[(*below)++] = m;
        }
    }
    return true;
}

/* The first start after `start` at which another than `best` of the open items may be the best, or
 * at which one of them ends. */
static uint64_t best_until(const found_match *open, size_t count, const found_match *best,
                           uint64_t start)
{
    uint64_t until = UINT64_MAX;
    for (const found_match *m = open; m < open + count; m++) {
        until = m->last < until ? m->last + 1 : until;
        if (m->step == best->step)
            continue;
        const found_match *goes = m->step > 0 ? m : best, *stays = m->step > 0 ? best : m;
        const uint64_t passed = found_end(goes, start);
        if (passed <= stays->end && stays->end - passed < until - start)
            until = start + (stays->end - passed) + 1;
    }
    return until;
}

bool unite(match_list *apart, memory *memory, uint64_t settled, bool nearest, unite_take take,
           void *user)
{
    size_t below, first = 0, next = 0;
    uint64_t start = 0;
    if (apart->count == 0)
        return true;
    if (!cut(apart, memory, settled, &below))
        return false;
    match_list part = { apart->items, below, below, apart->scratch };
    found_match *items = part.items;
    match_list_sort(&part, before_by_pattern);
    while (first < below) {
        const uint32_t pattern = items[first].pattern;
        if (first == next)
            start = items[first].start;
        while (next < below && items[next].pattern == pattern && items[next].start <= start)
            next++;
        const found_match *best = &items[first];
        for (const found_match *m = best + 1; m < items + next; m++) {
            const uint64_t end = found_end(m, start), least = found_end(best, start);
            best = nearest ? end < least ? m : best : end > least ? m : best;
        }
        uint64_t until = best_until(items + first, next - first, best, start);
        if (next < below && items[next].pattern == pattern && items[next].start < until)
            until = items[next].start;
        found_match m = *best;
        found_begin(&m, start);
        m.last = until - 1;
        if (!take(user, m))
            return false;
        start = until;
        for (size_t i = first; i < next; i++)
            if (items[i].last < start)
                items[i] = items[first++];
    }
    match_list_drop(apart, below);
    return true;
}
