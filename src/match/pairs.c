/* pairs.c: all starts of each end of a variable-length pattern.
 *
 * Engines report ends only, and to run back from each of them takes the square of a run:
 * `x.*c` on an x and n c's has n matches and n * n / 2 bytes between their borders. So the ends
 * share what they have in common.
 *
 * A node (k, q) is an offset q behind the first k elements of the pattern. A start s reaches it
 * when text[s .. q) is a match of these k elements; an end is a node behind all of them.
 *
 * Crossing. An element x{min,max} leads from offset p to q when min <= q - p <= max and all
 * bytes between them belong to x. The p that lead to a given q are an interval, and both its
 * borders grow with q. So if p leads to q and p' to q', where p < p' but q > q', then p leads to
 * q' too and p' to q. Two walks through the nodes that cross may therefore swap what follows:
 * if s < s', s reaches (k, q), s' reaches (k, q') and q >= q', each of them reaches both.
 *
 * From this follows, where first and last are the least and the greatest start of a node:
 *   1  The starts of (k, q) are just those in [first, last] that reach any node behind k
 *      elements at all: the walk to it crosses that of `first` or that of `last`.
 *   2  Both first and last grow with q. A start below the `first` of a node is done with: it
 *      reaches no later one behind so many elements.
 *   3  If s' got behind k elements before an older s did, s never does.
 * By 3 and 2 the starts that still matter, ascending, are a list in which those that got
 * farthest stand first: one array, cut into one piece for each number of elements. By 1 a node
 * needs no set of starts, only first and last; and the answer for an end is a part of the list,
 * those behind all elements, after the ones below `first` are dropped.
 *
 * A forward pass over the text keeps, for each element, the nodes before it that may still lead
 * on. When one is `min` bytes away it is ready: its starts move to the next piece. While a
 * ready one is within `max` bytes, the offset reached is a node behind the element; its first
 * is that of the oldest ready node, its last that of the newest. A byte outside x forgets them
 * all. Of an unbounded repeat's ready nodes one is kept, for all stay until then.
 *
 * A second pass, the same machine on the reversed pattern and text, runs back from each end
 * until no start can be farther away, or until the end before: there the forward pass goes on
 * from where it stood. Else it begins anew where the other one stopped; no start before that
 * place reaches this end, so by 2 none reaches a later one, and those in the list drop out as
 * any that is done with.
 *
 * Invariant between ends: `forward` stands at the last end, `at`; it and the list know all of
 * the starts that may reach a later end. How the text came in pieces does not matter.
 *
 * Cost: a byte is read for a pattern only if its second pass gets to it, which is once, and
 * then once by the forward pass. Either takes O(elements) a byte, but those without a node
 * sleep and cost nothing. A start moves once for each element. So O(bytes in reach of an end *
 * elements + pairs), whatever the repeats' counts, the runs in the text and the pieces that it
 * comes in. The worst case: a byte in reach of ends of all patterns, all elements awake, as
 * those of a?a?a?a?a+ are in a run of a's.
 *
 * Memory: 24 bytes for each node that is kept, at most the sum of max (of min, where
 * unbounded) for either pass, and 8 for each start in the list: those within two longest
 * matches, or, of an unbounded pattern, within the stretch of text in which one end is in
 * reach of the next. As arrays grow by doubling, up to two and four times that; and each
 * pattern that has occurred keeps its own.
 *
 * Source: that crossing walks may swap is what makes Monge arrays and paths in planar graphs
 * easy. The rest follows from it.
 */
#include <string.h>

#include "match/pairs.h"
#include "match/sieve.h"

typedef struct node {
    uint64_t pos, first, last;
} node;

/* An element, with the nodes before it that may still lead on. */
typedef struct repeat {
    const byte_class *set;
    uint64_t min, max; /* max: UINT64_MAX when unbounded */
    node *nodes;       /* ascending; a ring of `room`, a power of two: see node_at */
    size_t head, count, room;
    size_t ready; /* so many of them, the oldest, are */
    size_t next;  /* the next element that is awake: one that has nodes */
} repeat;

/* One pass over the text. */
typedef struct pass {
    memory *memory;
    size_t count; /* of elements; as an index: none */
    size_t awake; /* the first one */
    repeat repeats[];
} pass;

/* The starts behind the first k elements are starts[begin .. end) of pieces[k], k > 0. Those
 * that are behind none are not listed, for the text tells them. */
typedef struct piece {
    size_t begin, end;
} piece;

struct pairs {
    memory *memory;
    const plan_borders *borders; /* of the pattern: not every offset is a start */
    pass *forward, *backward;
    uint64_t at;   /* where `forward` stands */
    size_t behind; /* pieces after it have never been used */
    piece *pieces; /* from the last, which stands first in the array, down to 1 */
    uint64_t *starts;
    size_t room;
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

pairs *pairs_open(memory *memory, const trawl_plan *plan, const plan_pattern *pattern)
{
    const element *elements = plan_elements(plan, pattern);
    size_t count = pattern->elements;
    pairs *p = memory_take_zeroed(memory, 1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->memory = memory;
    p->borders = plan_borders_of(plan, pattern);
    p->at = UINT64_MAX; /* nowhere */
    p->forward = pass_open(memory, elements, count, false);
    p->backward = pass_open(memory, elements, count, true);
    p->pieces = memory_take_zeroed(memory, count + 1, sizeof *p->pieces);
    if (p->forward == NULL || p->backward == NULL || p->pieces == NULL) {
        pairs_free(p);
        return NULL;
    }
    return p;
}

void pairs_free(pairs *p)
{
    if (p != NULL) {
        pass_free(p->memory, p->forward);
        pass_free(p->memory, p->backward);
        memory_give(p->memory, p->pieces);
        memory_give(p->memory, p->starts);
        memory_give(p->memory, p);
    }
}

/* ---- the list of starts ---------------------------------------------- */

/* Close the gaps between the pieces, and make the array larger when that leaves less than a half
 * free: so this costs O(1) for each start that is added. */
static bool starts_pack(pairs *p)
{
    size_t end = 0;
    for (size_t k = p->behind; k > 0; k--) {
        size_t size = p->pieces[k].end - p->pieces[k].begin;
        if (size > 0)
            memmove(p->starts + end, p->starts + p->pieces[k].begin, size * sizeof *p->starts);
        p->pieces[k] = (piece){ end, end + size };
        end += size;
    }
    if (end < p->room / 2)
        return true;
    size_t room = p->room > 0 ? 2 * p->room : 16 + p->forward->count;
    uint64_t *grown = memory_grow(p->memory, p->starts, room * sizeof *grown);
    if (grown == NULL)
        return false;
    p->starts = grown;
    p->room = room;
    return true;
}

/* Add a start that is behind the first element now. */
static bool starts_add(pairs *p, uint64_t start)
{
    if (p->pieces[1].end == p->room && !starts_pack(p))
        return false;
    p->starts[p->pieces[1].end++] = start;
    return true;
}

/* Drop the starts of a piece below `first`: they reach no node there any more. */
static void starts_drop(pairs *p, size_t k, uint64_t first)
{
    piece *c = &p->pieces[k];
    while (c->begin < c->end && p->starts[c->begin] < first)
        c->begin++;
}

/* The starts of a node behind k elements have come behind the next one. */
static bool starts_move(pairs *p, size_t k, const node *n)
{
    p->behind = k + 1 > p->behind ? k + 1 : p->behind;
    if (k == 0)
        return starts_add(p, n->pos);
    starts_drop(p, k, n->first);
    piece *from = &p->pieces[k], *to = &p->pieces[k + 1];
    while (from->begin < from->end && p->starts[from->begin] <= n->last)
        p->starts[to->end++] = p->starts[from->begin++];
    return true;
}

/* ---- the passes ------------------------------------------------------ */

/* The i-th of the nodes, from the oldest on. */
static node *node_at(const repeat *r, size_t i)
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

/* Count the oldest one that is not ready among the ready ones. One before it with the same first
 * can be spared, and of an unbounded repeat any: what is asked for is the first of the oldest
 * and the last of the newest. */
static void repeat_ready(repeat *r)
{
    node *n = node_at(r, r->ready++);
    uint64_t first = node_at(r, 0)->first;
    if (r->ready == 2 && (r->max == UINT64_MAX || n->first == first)) {
        n->first = first;
        repeat_drop(r);
    }
}

/* Move element k to offset n->pos, which lies behind `byte`. In: the node there before the
 * element, if `live`; out: that behind it, likewise. `list` is NULL when starts are of no
 * interest. False when memory ran out. */
static bool repeat_step(memory *memory, repeat *r, size_t k, unsigned byte, node *n, bool *live,
                        pairs *list)
{
    if (!class_has(r->set, byte))
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
static bool pass_step(pass *w, unsigned byte, node *n, bool *live, pairs *list)
{
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
        if (!repeat_step(w->memory, r, k, byte, n, live, list))
            return false;
        if (r->count == 0)
            *link = r->next;
        else
            link = &r->next;
    }
}

static void pass_clear(pass *w)
{
    for (; w->awake != w->count; w->awake = w->repeats[w->awake].next)
        w->repeats[w->awake].count = w->repeats[w->awake].ready = 0;
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

bool pairs_at(pairs *p, text_view text, uint64_t end, const uint64_t **starts, size_t *count)
{
    bool goes_on = p->at >= text.begin && p->at < end, live = false;
    uint64_t low = goes_on ? p->at : text.begin, reach;
    node n;
    if (!run_back(p->backward, text, low, end, &reach))
        return false;
    if (!goes_on || reach > low) {
        pass_clear(p->forward);
        n = (node){ reach, reach, reach };
        live = border_before(p->borders, text, reach);
        if (!pass_step(p->forward, 0, &n, &live, p))
            return false;
    }
    for (uint64_t q = reach; q < end; q++) {
        n = (node){ q + 1, q + 1, q + 1 };
        live = border_before(p->borders, text, q + 1);
        if (!pass_step(p->forward, text.bytes[q - text.begin], &n, &live, p))
            return false;
    }
    p->at = end;
    *count = 0;
    if (live) {
        const piece *found = &p->pieces[p->forward->count];
        starts_drop(p, p->forward->count, n.first);
        *starts = p->starts + found->begin;
        *count = found->end - found->begin;
    }
    return true;
}
