/* backward.c: from the ends of a variable-length pattern back to its starts.
 *
 * Engines report ends only. One pass over the text from right to left finds, for each
 * start, the best end that can be reached from it, farthest or nearest.
 *
 * Let best[k](p) be the best end of a match of the elements k, k+1, ... that begins at
 * offset p, or none. For an element x{min,max}
 *
 *     best[k](p) = the best of best[k+1](q) over all q in [p + min, p + max]
 *                  for which every byte of text[p .. q) belongs to x
 *
 * and best[last + 1](p) is p at an end that the engine reported. When p steps down by one,
 * the range of q moves down too, at both sides: it is the classic maximum of a sliding
 * window. Each element keeps
 *   delay   the last `min` values that came in: they are too near to be in the window yet;
 *   window  a queue of the values in it, positions falling, scores falling: a value that
 *           came later and is no worse hides those before it, for it stays longer;
 *   run     how many bytes from p on belong to x: a byte that does not empties the window,
 *           and a value leaves the delay for the window only when run >= min.
 * An unbounded repeat loses values by an empty window only, so the best one is all it keeps.
 *
 * A score orders ends by how good they are: 0 is none; it is the end when the farthest is
 * sought and its complement when the nearest is. So "better" is always "greater".
 *
 * An element sleeps while nothing in it can still lead to a start. A sleeping one needs no
 * cleaning: it wakes with run 0 and an empty window, and what its delay held before is
 * overwritten before run reaches min. When all sleep, the pass jumps to the next end.
 *
 * Cost: O(elements) a byte that lies in reach of an end, whatever the repeats' counts;
 * memory O(sum of max) for the pattern.
 */

#include "match/backward.h"

typedef struct entry {
    uint64_t pos, score;
} entry;

typedef struct repeat {
    const byte_class *set;
    uint64_t min, max; /* max: UINT64_MAX when unbounded */
    uint64_t run;      /* see above */
    uint64_t newest;   /* where a value came in last */
    uint64_t *delay;   /* ring of `min` scores */
    uint64_t slot;     /* its oldest one */
    entry *window;     /* ring of `room` entries */
    uint64_t room, head, held;
    bool awake;
} repeat;

struct backward {
    memory *memory;
    const plan_pattern *pattern;
    uint64_t *delays; /* of all elements */
    entry *windows;
    size_t first, after; /* elements outside [first, after) sleep */
    size_t count;
    repeat repeats[];
};

static uint64_t window_room(const element *e)
{
    return e->max == REPEAT_UNBOUNDED ? 1 : (uint64_t)e->max - e->min + 1;
}

backward *backward_open(memory *memory, const trawl_plan *plan, const plan_pattern *p)
{
    const element *elements = plan_elements(plan, p);
    size_t count = p->elements, delays = 1, windows = 1;
    for (size_t k = 0; k < count; k++) {
        delays += elements[k].min;
        windows += window_room(&elements[k]);
    }
    backward *b = memory_take_zeroed(memory, 1, sizeof *b + count * sizeof *b->repeats);
    if (b == NULL)
        return NULL;
    b->memory = memory;
    b->pattern = p;
    b->count = b->first = count;
    b->delays = memory_take_array(memory, delays, sizeof *b->delays);
    b->windows = memory_take_array(memory, windows, sizeof *b->windows);
    if (b->delays == NULL || b->windows == NULL) {
        backward_free(b);
        return NULL;
    }
    uint64_t *delay = b->delays;
    entry *window = b->windows;
    for (size_t k = 0; k < count; k++) {
        repeat *r = &b->repeats[k];
        r->set = &elements[k].set;
        r->min = elements[k].min;
        r->max = elements[k].max == REPEAT_UNBOUNDED ? UINT64_MAX : elements[k].max;
        r->room = window_room(&elements[k]);
        r->delay = delay;
        r->window = window;
        delay += r->min;
        window += r->room;
    }
    return b;
}

void backward_free(backward *b)
{
    if (b != NULL) {
        memory_give(b->memory, b->delays);
        memory_give(b->memory, b->windows);
        memory_give(b->memory, b);
    }
}

/* Put `in` into the delay and take out what came in `min` steps ago. */
static uint64_t delay_swap(repeat *r, uint64_t in)
{
    if (r->min == 0)
        return in;
    uint64_t out = r->delay[r->slot];
    r->delay[r->slot] = in;
    r->slot = r->slot + 1 == r->min ? 0 : r->slot + 1;
    return out;
}

static void window_expire(repeat *r, uint64_t p)
{
    while (r->held > 0 && r->window[r->head].pos - p > r->max) {
        r->head = r->head + 1 == r->room ? 0 : r->head + 1;
        r->held--;
    }
}

static uint64_t window_at(const repeat *r, uint64_t i)
{
    uint64_t at = r->head + i;
    return at < r->room ? at : at - r->room;
}

static void window_push(repeat *r, uint64_t pos, uint64_t score)
{
    while (r->held > 0 && r->window[window_at(r, r->held - 1)].score <= score)
        r->held--;
    if (r->held < r->room)
        r->window[window_at(r, r->held++)] = (entry){ pos, score };
}

/* Move an element down to p. `in` is the next element's score there; returns its own. */
static uint64_t repeat_step(repeat *r, uint64_t p, unsigned byte, uint64_t in)
{
    if (!r->awake) {
        if (in == 0)
            return 0;
        r->run = r->slot = r->head = r->held = 0;
    } else if (class_has(r->set, byte)) {
        r->run++;
    } else {
        r->run = r->held = 0;
    }
    if (in != 0)
        r->newest = p;
    uint64_t ready = delay_swap(r, in);
    window_expire(r, p);
    if (r->run >= r->min && ready != 0)
        window_push(r, p + r->min, ready);
    uint64_t age = r->newest - p;
    r->awake = age <= r->run && age < r->max;
    return r->held > 0 ? r->window[r->head].score : 0;
}

/* Move the whole pattern down to p. `in` is the score of an end at p, 0 when there is none;
 * returns the score of a match that starts at p. */
static uint64_t pattern_step(backward *b, uint64_t p, unsigned byte, uint64_t in)
{
    size_t k = in != 0 ? b->count : b->after, first = b->count, after = 0;
    uint64_t score = in;
    while (k > 0 && (score != 0 || k > b->first)) {
        k--;
        score = repeat_step(&b->repeats[k], p, byte, score);
        if (b->repeats[k].awake) {
            first = k;
            after = after == 0 ? k + 1 : after;
        }
    }
    b->first = first;
    b->after = after;
    return score;
}

static void sleep_all(backward *b)
{
    for (size_t k = b->first; k < b->after; k++)
        b->repeats[k].awake = false;
    b->first = b->count;
    b->after = 0;
}

/* Turn round the matches from `begin` on. */
static void reverse(match_list *list, size_t begin)
{
    for (size_t i = begin, k = list->count; i + 1 < k; i++) {
        k--;
        found_match swap = list->items[i];
        list->items[i] = list->items[k];
        list->items[k] = swap;
    }
}

bool backward_run(backward *b, const uint64_t *ends, size_t count, bool nearest, text_view text,
                  uint64_t low, uint64_t high, match_list *found)
{
    const uint64_t turn = nearest ? UINT64_MAX : 0; /* end ^ turn is the score, and back */
    size_t before = found->count;
    bool fits = true;
    uint64_t p = 0;
    while (fits && (b->after > 0 || (count > 0 && ends[count - 1] > low))) {
        bool asleep = b->after == 0; /* so no byte is asked for, not even after the last end */
        p = asleep ? ends[count - 1] : p - 1;
        unsigned byte = asleep ? 0 : text.bytes[p - text.begin];
        uint64_t in = 0;
        if (count > 0 && ends[count - 1] == p)
            in = ends[--count] ^ turn;
        uint64_t score = pattern_step(b, p, byte, in);
        if (score != 0 && p < high)
            fits = match_list_add(found, b->memory, b->pattern, p, score ^ turn);
        if (p == low)
            break;
    }
    sleep_all(b);
    reverse(found, before);
    return fits;
}
