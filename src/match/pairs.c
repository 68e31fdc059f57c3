/* pairs.c: the starts of each end of a variable-length pattern.
 *
 * Engines report only ends, and running back from each of them takes the square of a run: `x.*c` on
 * an x and n c's has n matches and n * n / 2 bytes between their borders. So the ends share their
 * common work.
 *
 * A node (k, q) is an offset q after the first k elements of the pattern. A start s reaches it
 * when text[s .. q) is a match of these k elements; an end is a node after all of them.
 *
 * Crossing. An element x{min,max} leads from offset p to q when min <= q - p <= max and all
 * bytes between them belong to x. The p that lead to a given q are an interval, and both its
 * borders grow with q. So if p leads to q and p' to q', where p < p' but q > q', then p leads to
 * q' too and p' to q. Two walks through the nodes that cross may therefore swap what follows:
 * if s < s', s reaches (k, q), s' reaches (k, q') and q >= q', each of them reaches both.
 *
 * From this follows, where first and last are the least and the greatest start of a node:
 *   1  The starts of (k, q) are just those in [first, last] that reach any node after k
 *      elements at all: the walk to it crosses that of `first` or that of `last`.
 *   2  Both first and last grow with q. A start below the `first` of a node is done with: it
 *      reaches no later one after k elements.
 *   3  If s' got past k elements before an older s did, s never does.
 * By 3 and 2 the starts that still matter, ascending, are a list in which those that got
 * farthest stand first, cut into one piece for each number of elements. By 1 a node
 * needs no set of starts, only first and last; and the answer for an end is a part of the list,
 * those past all elements, once the ones below `first` are dropped.
 * A piece is a chain of runs of starts that follow one another: those in a run of the text are one
 * run.
 *
 * A forward pass over the text keeps, for each element, the nodes before it that may still lead
 * on. When one is `min` bytes away it is ready: its starts move to the next piece. While a
 * ready one is within `max` bytes, the offset reached is a node after the element; its first
 * is that of the oldest ready node, its last that of the newest. A byte outside x forgets them
 * all. All ready nodes of an unbounded repeat stay until then, so one of them is kept.
 *
 * A second pass, the same machine on the reversed pattern and text, runs back from each end
 * until no start can be farther away, or until the end before: there the forward pass goes on
 * from where it stood. Else it begins anew where the other one stopped; no start before that
 * place reaches this end, so by 2 none reaches a later one, and those in the list drop out as
 * any that is done with.
 *
 * A pattern of one element without conditions needs neither pass (run_at): its starts are the bytes
 * of a run of the element's class that are at the right distance. Some of its ends may be left out.
 *
 * Invariant between ends: `forward` stands at the last end, `at`; it and the list know all of
 * the starts that may reach a later end. How the text was cut into feeds does not matter.
 *
 * Cost: a byte is read for a pattern only if its second pass gets to it, which is once, and
 * then once by the forward pass. Either takes O(elements) for a byte, but elements without a node
 * sleep and cost nothing. A start moves once for each element. So O(bytes in reach of an end *
 * elements + pairs), whatever the repeats' counts, the runs in the text and its feeds. The worst
 * case is a byte in reach of ends of all patterns, with all elements awake, as those of a?a?a?a?a+
 * are in a run of a's.
 *
 * Memory: 24 bytes for each node that is kept, at most the sum of max (of min, where
 * unbounded) for either pass, and 16 for each run of starts in the list: those within two longest
 * matches, or, of an unbounded pattern, within the stretch of text in which one end is in
 * reach of the next. Since arrays grow by doubling, it is up to two and four times that; and each
 * pattern that has occurred keeps its own. A caller that needs only the leftmost start says so
 * (pairs_keep_first); the list then holds that and those since the last end.
 *
 * Source: that crossing walks may swap is what makes Monge arrays and paths in planar graphs
 * easy. The rest follows from it.
 */
#include <string.h>

#include "match/pairs.h"
#include "match/sieve.h"

/* The search goes on from the last end to one that is near: within NEAR bytes at first, and within
 * more, up to NEAR_MOST, as long as running back leads there all the same. */
#define NEAR 32u
#define NEAR_MOST 8192u

typedef struct node {
    uint64_t pos, first, last;
} node;

/* An element, with the nodes before it that may still lead on. */
typedef struct repeat {
    const byte_class *set;
    uint64_t min, max; /* max: UINT64_MAX when unbounded */
    node *nodes;       /* ascending; a ring of `room`, a power of two: see node_at */
    size_t head, count, room;
    size_t ready; /* how many of them, the oldest, are ready */
    size_t next;  /* the next element that is awake: one that has nodes */
} repeat;

/* One pass over the text. */
typedef struct pass {
    memory *memory;
    size_t count; /* of elements; as an index it means none */
    size_t awake; /* the first one */
    repeat repeats[];
} pass;

#define NO_RUN UINT32_MAX

/* A run of starts in the list, with the number of the next one. */
typedef struct run {
    uint64_t first;
    uint32_t more; /* starts after the first one */
    uint32_t next;
} run;

/* The starts after the first k elements are those of pieces[k], k > 0. Starts that are past none
 * are not listed, since the text tells them. */
typedef struct piece {
    uint32_t head, tail; /* runs, or NO_RUN both */
} piece;

struct pairs {
    memory *memory;
    const plan_borders *borders; /* of the pattern: not every offset is a start */
    pass *forward, *backward;
    uint64_t at;    /* where `forward` stands */
    uint64_t near;  /* an end is near up to this many bytes after `at` */
    uint64_t floor; /* no start before it moves on */
    uint64_t least; /* of a pattern of one element, without conditions: its min; else 0 */
    uint64_t most;  /* then: its max, UINT64_MAX when unbounded */
    bool once;      /* only the first end of a start is asked for */
    uint64_t begin; /* then: where the run of its bytes at `at` begins */
    size_t behind;  /* pieces after it have never been used */
    piece *pieces;  /* by the number of elements */
    run *runs;      /* of all pieces */
    uint32_t room, used;
    uint32_t spare; /* the first one of those that were given back, or NO_RUN */
};

/* ---- open and close -------------------------------------------------- */

static pass *pass_open(memory *memory, const element *elements, size_t count, bool reversed)
{
    pass *made = memory_take_zeroed(memory, 1, sizeof *made + count * sizeof *made->repeats);
    if (made == NULL)
        return NULL;
    made->memory = memory;
    made->count = made->awake = count;
    for (size_t k = 0; k < count; k++) {
        const element *e = &elements[reversed ? count - 1 - k : k];
        repeat *r = &made->repeats[k];
        r->set = &e->set;
        r->min = e->min;
        r->max = e->max == REPEAT_UNBOUNDED ? UINT64_MAX : e->max;
    }
    return made;
}

static void pass_free(memory *memory, pass *w)
{
    for (size_t k = 0; w != NULL && k < w->count; k++)
        memory_give(memory, w->repeats[k].nodes);
    memory_give(memory, w);
}

static void pass_clear(pass *w)
{
    for (; w->awake != w->count; w->awake = w->repeats[w->awake].next)
        w->repeats[w->awake].count = w->repeats[w->awake].ready = 0;
}

pairs *pairs_open(memory *memory, const trawl_plan *plan, const plan_pattern *pattern, bool once)
{
    const element *elements = plan_elements(plan, pattern);
    size_t count = pattern->elements;
    pairs *p = memory_take_zeroed(memory, 1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->memory = memory;
    p->borders = plan_borders_of(plan, pattern);
    p->once = once;
    p->at = UINT64_MAX; /* nowhere */
    p->forward = pass_open(memory, elements, count, false);
    p->backward = pass_open(memory, elements, count, true);
    p->pieces = memory_take_array(memory, count + 1, sizeof *p->pieces);
    if (p->forward == NULL || p->backward == NULL || p->pieces == NULL) {
        pairs_free(p);
        return NULL;
    }
    if (count == 1 && p->borders == NULL) {
        p->least = elements->min;
        p->most = p->forward->repeats->max;
    }
    p->spare = NO_RUN;
    p->near = NEAR;
    for (size_t k = 0; k <= count; k++)
        p->pieces[k] = (piece){ NO_RUN, NO_RUN };
    return p;
}

void pairs_free(pairs *p)
{
    if (p != NULL) {
        pass_free(p->memory, p->forward);
        pass_free(p->memory, p->backward);
        memory_give(p->memory, p->pieces);
        memory_give(p->memory, p->runs);
        memory_give(p->memory, p);
    }
}

void pairs_restart(pairs *p)
{
    pass_clear(p->forward);
    for (; p->behind > 0; p->behind--)
        p->pieces[p->behind] = (piece){ NO_RUN, NO_RUN };
    p->used = 0;
    p->spare = NO_RUN;
    p->at = UINT64_MAX;
    p->floor = 0;
}

/* ---- the list of starts ---------------------------------------------- */

static bool runs_grow(pairs *p)
{
    const uint32_t room = p->room > 0 ? 2 * p->room : 4;
    run *grown = room > p->room ? memory_grow(p->memory, p->runs, room * sizeof *grown) : NULL;
    if (grown == NULL)
        return false;
    p->runs = grown;
    p->room = room;
    return true;
}

static uint64_t run_last(const run *r)
{
    return r->first + r->more;
}

/* Add a run after those of a piece; they end before it begins. */
static bool starts_add(pairs *p, piece *to, uint64_t first, uint32_t more)
{
    if (to->tail != NO_RUN) {
        run *tail = &p->runs[to->tail];
        if (run_last(tail) + 1 == first && more < UINT32_MAX - tail->more) {
            tail->more += more + 1;
            return true;
        }
    }
    if (p->spare == NO_RUN && p->used == p->room && !runs_grow(p))
        return false;
    const uint32_t number = p->spare != NO_RUN ? p->spare : p->used++;
    if (number == p->spare)
        p->spare = p->runs[number].next;
    p->runs[number] = (run){ first, more, NO_RUN };
    *(to->tail != NO_RUN ? &p->runs[to->tail].next : &to->head) = number;
    to->tail = number;
    return true;
}

/* Take the first run out of a piece. */
static void starts_pop(pairs *p, piece *from)
{
    const uint32_t number = from->head;
    from->head = p->runs[number].next;
    if (from->head == NO_RUN)
        from->tail = NO_RUN;
    p->runs[number].next = p->spare;
    p->spare = number;
}

/* Drop the starts of a piece below `first`. */
static void starts_drop(pairs *p, piece *c, uint64_t first)
{
    while (c->head != NO_RUN && run_last(&p->runs[c->head]) < first)
        starts_pop(p, c);
    if (c->head != NO_RUN && p->runs[c->head].first < first) {
        run *r = &p->runs[c->head];
        r->more -= (uint32_t)(first - r->first);
        r->first = first;
    }
}

/* The starts of a node after k elements have passed the next element. Those below its first reach
 * no node there any more. */
static bool starts_move(pairs *p, size_t k, const node *n)
{
    piece *from = &p->pieces[k], *to = &p->pieces[k + 1];
    p->behind = k + 1 > p->behind ? k + 1 : p->behind;
    if (k == 0)
        return starts_add(p, to, n->pos, 0);
    starts_drop(p, from, n->first > p->floor ? n->first : p->floor);
    while (from->head != NO_RUN && p->runs[from->head].first <= n->last) {
        const run r = p->runs[from->head];
        const uint64_t last = run_last(&r) < n->last ? run_last(&r) : n->last;
        starts_drop(p, from, last + 1);
        if (!starts_add(p, to, r.first, (uint32_t)(last - r.first)))
            return false;
    }
    return true;
}

/* ---- the passes ------------------------------------------------------ */

/* A byte as it is looked up in classes. */
typedef struct letter {
    uint64_t bit;
    size_t word;
} letter;

static inline letter letter_of(unsigned byte)
{
    return (letter){ UINT64_C(1) << (byte & 63), byte >> 6 };
}

static inline bool is_in(letter byte, const byte_class *set)
{
    return (set->bits[byte.word] & byte.bit) != 0;
}

/* The i-th of the nodes, from the oldest on. */
static inline node *node_at(const repeat *r, size_t i)
{
    return &r->nodes[(r->head + i) & (r->room - 1)];
}

static bool repeat_grow(memory *memory, repeat *r)
{
    size_t room = r->room > 0 ? 2 * r->room : 4;
    node *grown = memory_take_array(memory, room, sizeof *grown);
    if (grown == NULL)
        return false;
    for (size_t i = 0; i < r->count; i++)
        grown[i] = *node_at(r, i);
    memory_give(memory, r->nodes);
    r->nodes = grown;
    r->room = room;
    r->head = 0;
    return true;
}

/* Forget the oldest node, a ready one. */
static void repeat_drop(repeat *r)
{
    r->head++;
    r->count--;
    r->ready--;
}

/* Make the oldest node that is not ready a ready one. The one before it is dropped if it has the
 * same first, or if the repeat is unbounded: only the first of the oldest node and the last of the
 * newest are needed. */
static inline void repeat_ready(repeat *r)
{
    node *n = node_at(r, r->ready++);
    uint64_t first = node_at(r, 0)->first;
    if (r->ready == 2 && (r->max == UINT64_MAX || n->first == first)) {
        n->first = first;
        repeat_drop(r);
    }
}

/* As repeat_step, for an element that takes one byte: a node leads on at the next offset, or never.
 */
static inline bool byte_step(memory *memory, repeat *r, size_t k, letter byte, node *n, bool *live,
                             pairs *list)
{
    const bool leads = r->count > 0 && is_in(byte, r->set);
    if (r->room == 0 && !repeat_grow(memory, r))
        return false;
    const node before = r->nodes[0];
    if (leads && list != NULL && !starts_move(list, k, &before))
        return false;
    r->count = *live;
    if (*live)
        r->nodes[0] = *n;
    if (leads) {
        n->first = before.first;
        n->last = before.last;
    }
    *live = leads;
    return true;
}

/* Move element k to offset n->pos, which lies after `byte`. *n is the node there before
 * the element, if *live, and becomes the node after it, if *live then. `list` is NULL when starts
 * do not matter. False when memory ran out. */
static inline bool repeat_step(memory *memory, repeat *r, size_t k, letter byte, node *n,
                               bool *live, pairs *list)
{
    if (!is_in(byte, r->set))
        r->count = r->ready = 0;
    if (*live) {
        if (r->count == r->room && !repeat_grow(memory, r))
            return false;
        *node_at(r, r->count++) = *n;
    }
    if (r->ready < r->count && n->pos - node_at(r, r->ready)->pos >= r->min) {
        if (list != NULL && !starts_move(list, k, node_at(r, r->ready)))
            return false;
        repeat_ready(r);
    }
    *live = r->ready > 0;
    if (*live) {
        n->first = node_at(r, 0)->first;
        n->last = node_at(r, r->ready - 1)->last;
        if (n->pos - node_at(r, 0)->pos >= r->max)
            repeat_drop(r);
    }
    return true;
}

/* Move the pass by one byte to offset n->pos, or to any when all sleeps. In: *live when *n is a
 * start; out: *live when *n is an end. False when memory ran out. */
static inline bool pass_step(pass *w, unsigned next, node *n, bool *live, pairs *list)
{
    const letter byte = letter_of(next);
    size_t *link = &w->awake; /* to the first element awake at k or after it */
    for (size_t k = 0;; k++) {
        if (!*live)
            k = *link;
        if (k == w->count)
            return true;
        repeat *r = &w->repeats[k];
        if (*link != k) { /* wake it */
            r->next = *link;
            *link = k;
        }
        const bool fits = r->min == 1 && r->max == 1
                              ? byte_step(w->memory, r, k, byte, n, live, list)
                              : repeat_step(w->memory, r, k, byte, n, live, list);
        if (!fits)
            return false;
        if (r->count == 0)
            *link = r->next;
        else
            link = &r->next;
    }
}

/* Run back from `end` to *reach: no start is before it, or it is `low`. */
static bool run_back(pass *w, text_view text, uint64_t low, uint64_t end, uint64_t *reach)
{
    node n = { 0 };
    bool live = true;
    uint64_t p = end;
    pass_clear(w);
    bool fits = pass_step(w, 0, &n, &live, NULL);
    while (fits && p > low && w->awake != w->count) {
        p--;
        n = (node){ end - p, 0, 0 };
        live = false;
        fits = pass_step(w, text.bytes[p - text.begin], &n, &live, NULL);
    }
    *reach = p;
    return fits;
}

/* No byte may stand there, only the border of the text, if that. */
static bool is_never(const border *b)
{
    return !b->own && class_empty(&b->set[0]);
}

/* The offsets at which matches may start, as far as places and the border of the text tell. */
static start_range starts_of(const pairs *p, text_view text)
{
    const border *before = p->borders ? &p->borders->before : NULL;
    if (!before)
        return (start_range){ 0, UINT64_MAX };
    return before->given && is_never(before) ? (start_range){ 0, 0 }
                                             : place_starts(&p->borders->asks, text);
}

/* Whether a match might start at `q`. A byte from `end` on is not known. */
static inline bool may_start(const pairs *p, text_view text, uint64_t q, uint64_t end)
{
    const repeat *r = &p->forward->repeats[0];
    return (q == end || r->min == 0 || class_has(r->set, text.bytes[q - text.begin])) &&
           border_before(p->borders, text, q);
}

/* Take the forward pass, which stands at `from`, or begins there (`anew`), to `end`. Out: the node
 * there after all elements, if *live. */
static bool run_forward(pairs *p, text_view text, bool anew, uint64_t from, uint64_t end, node *n,
                        bool *live)
{
    const start_range starts = starts_of(p, text);
    *live = false;
    if (anew) {
        pass_clear(p->forward);
        *n = (node){ from, from, from };
        *live = may_start(p, text, from, end);
        if (!pass_step(p->forward, 0, n, live, p))
            return false;
    }
    for (uint64_t q = from; q < end;) {
        const unsigned byte = text.bytes[q++ - text.begin];
        *live = may_start(p, text, q, end);
        if (!*live && p->forward->awake == p->forward->count) {
            if (q >= starts.last)
                break;
            if (q < starts.first) /* continue from before the first start */
                q = starts.first <= end ? starts.first - 1 : end;
            continue;
        }
        *n = (node){ q, q, q };
        if (!pass_step(p->forward, byte, n, live, p))
            return false;
    }
    p->at = end;
    return true;
}

/* The piece of those after all elements. */
static piece *ended(pairs *p)
{
    return &p->pieces[p->forward->count];
}

/* The begin of the bytes before `end` that are all in the set, but not before `low`. */
static uint64_t run_begin(const byte_class *set, text_view text, uint64_t low, uint64_t end)
{
    while (end > low && class_has(set, text.bytes[end - 1 - text.begin]))
        end--;
    return end;
}

/* pairs_at where a run of the element's bytes is all: a start for each of its bytes that is neither
 * too near nor too far. Only a forged plan has an end before which no match has room. */
static bool run_at(pairs *p, text_view text, uint64_t end, pairs_end *found)
{
    const bool known = p->at >= text.begin && p->at < end;
    const uint64_t far = end > p->most ? end - p->most : 0, known_to = known ? p->at : text.begin;
    const uint64_t low = far > known_to ? far : known_to;
    const uint64_t begin = run_begin(p->forward->repeats->set, text, low, end);
    const bool goes_on = known && begin == p->at;
    if (end < p->least || (!goes_on && end - begin < p->least)) {
        *found = (pairs_end){ 1, 0, false };
        return true;
    }
    const uint64_t last = end - p->least;
    uint64_t first = goes_on ? p->at - p->least + 1 : begin;
    first = first > far ? first : far;
    p->begin = goes_on ? p->begin : begin;
    p->at = end;
    *found = (pairs_end){ p->once ? first : p->begin > far ? p->begin : far, last, p->once };
    if (p->once)
        return true;
    p->behind = 1;
    for (; last - first > UINT32_MAX; first += UINT32_MAX)
        if (!starts_add(p, ended(p), first, UINT32_MAX - 1))
            return false;
    return starts_add(p, ended(p), first, (uint32_t)(last - first));
}

bool pairs_at(pairs *p, text_view text, uint64_t end, pairs_end *found)
{
    if (p->least > 0)
        return run_at(p, text, end, found);
    bool goes_on = p->at >= text.begin && p->at < end, live;
    uint64_t low = goes_on ? p->at : text.begin, reach = low;
    node n;
    if (!goes_on || end - low > p->near) {
        if (!run_back(p->backward, text, low, end, &reach))
            return false;
        p->near = reach > low ? NEAR : p->near < NEAR_MOST ? 2 * p->near : p->near;
    }
    if (!run_forward(p, text, !goes_on || reach > low, reach, end, &n, &live))
        return false;
    *found = live ? (pairs_end){ n.first, n.last, false } : (pairs_end){ 1, 0, false };
    return true;
}

bool pairs_advance(pairs *p, text_view text, uint64_t upto)
{
    const bool goes_on = p->at >= text.begin && p->at <= upto;
    node n;
    bool live;
    return run_forward(p, text, !goes_on, goes_on ? p->at : text.begin, upto, &n, &live);
}

void pairs_drop(pairs *p, uint64_t below)
{
    starts_drop(p, ended(p), below);
}

void pairs_keep_first(pairs *p, uint64_t below)
{
    piece *c = ended(p);
    if (c->head != NO_RUN) {
        p->runs[c->head].more = 0;
        while (c->tail != c->head) { /* the run after the first one, until there is none */
            const uint32_t number = p->runs[c->head].next;
            p->runs[c->head].next = p->runs[number].next;
            c->tail = number == c->tail ? c->head : c->tail;
            p->runs[number].next = p->spare;
            p->spare = number;
        }
        p->floor = below;
    }
}

uint64_t pairs_least(const pairs *p)
{
    const uint32_t head = p->pieces[p->forward->count].head;
    return head != NO_RUN ? p->runs[head].first : UINT64_MAX;
}

static bool next_run(start_run *r);

/* The run with this number, field by field: a copy of what has just been written in parts has to
 * wait for them. */
static bool run_of(const pairs *p, uint64_t number, start_run *out)
{
    if (number == NO_RUN)
        return false;
    const run *r = &p->runs[number];
    out->go_on = next_run;
    out->of = p;
    out->first = r->first;
    out->last = run_last(r);
    out->next = r->next;
    return true;
}

static bool next_run(start_run *r)
{
    return run_of(r->of, r->next, r);
}

bool pairs_run(const pairs *p, start_run *r)
{
    return run_of(p, p->pieces[p->forward->count].head, r);
}
