/* cut.c: see cut.h.
 *
 * Idea: a set of positions that every way from a begin to an end passes is a cut. When a match has
 * come to a position, the bytes before it spell one of the few strings that lead there; so a match
 * that passes the cut contains one of the strings of its positions. Each position has a price, how
 * often its strings are to be expected in the text, and the cut with the lowest sum is wanted.
 *
 * All cuts of positions whose price is at most p are alike bad; so for some p, from the lowest one
 * on that still cuts, the first and the last positions of that price on all ways are taken, and the
 * cheapest of these cuts is kept. That is not always the minimum, which flows would give, but it
 * takes O(links) for each p.
 *
 * The strings must end within MAX_BACK bytes of the match's begin, for so far the unit runs
 * back when one is found; positions that can be farther away have no price.
 *
 * Where a match may wait for long, in positions that repeat a class of nearly all bytes, it is cut
 * twice: what comes before such a position, and what follows it as if a match began there.
 */
#include "engines/programs/glushkov/cut.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BACK 250u       /* bytes from a match's begin to a literal's end */
#define MAX_WAYS 12u        /* ways that lead to a position, of one length */
#define MAX_SPELLED 32u     /* literals of a position */
#define MAX_CHOICES 5u      /* bytes of a class that are spelled */
#define MAX_PRICES 24u      /* that are tried */
#define MAX_POSITIONS 4096u /* of a graph that is cut */
#define NO_PRICE 1e9

/* The least rate of a literal, by its length: a sample says little of what it does not hold, and
 * filters of short literals let much pass. */
static const double least_rates[GLUSHKOV_LITERAL + 1] = { 1,    4e-3, 3e-4, 6e-5, 2e-5,
                                                          1e-5, 6e-6, 4e-6, 3e-6 };
#define FAR UINT32_MAX

/* A way to a position: its last `length` positions, the last one first. */
typedef struct way {
    uint32_t positions[GLUSHKOV_LITERAL];
    uint32_t length;
    bool whole; /* it cannot be longer: it begins the match, or what is before it is unknown */
} way;

typedef struct ways {
    way of[MAX_WAYS];
    uint32_t count;
} ways;

/* The bytes of a class, one of each letter that has both cases. */
typedef struct letters {
    uint8_t of[MAX_CHOICES];
    uint8_t cases;  /* some letter has both */
    uint16_t count; /* may be more than there is room for */
    uint16_t bytes; /* of the class */
} letters;

/* What is known of each position. */
typedef struct cutter {
    const graph *g;
    const rarity *rarity;
    uint32_t *back_first, *back_links; /* links the other way round */
    uint32_t *far;                     /* bytes from the begin of a match to its end, at most */
    double *price;
    letters *letters;
    ways *best;      /* scratch of one position */
    uint32_t *queue; /* scratch: positions */
    uint8_t *mark;   /* scratch */
    uint8_t *waits;  /* WAITS: matches wait in it; LEAVES: a match goes on with it after a wait */
    bool failed;
} cutter;

enum { WAITS = 1, LEAVES = 2 };

#define MIN_QUIET 128u /* bytes of a class that matches wait in */

/* ---- links the other way round ---------------------------------------------------- */

static void turn_links(cutter *c)
{
    const graph *g = c->g;
    uint32_t *first = c->back_first;
    memset(first, 0, ((size_t)g->count + 1) * sizeof *first);
    for (size_t i = 0; i < g->link_count; i++)
        first[g->links[i] + 1]++;
    for (uint32_t p = 0; p < g->count; p++)
        first[p + 1] += first[p];
    for (uint32_t p = g->count; p-- > 0;)
        for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++)
            c->back_links[--first[g->links[l] + 1]] = p;
    /* Each first[p + 1] has gone down to where the links of p begin. */
    memmove(first, first + 1, g->count * sizeof *first);
    first[g->count] = (uint32_t)g->link_count;
}

/* Positions in a circle of links, and those after one, stay far. */
static void measure_ways(cutter *c)
{
    const graph *g = c->g;
    uint32_t head = 0, tail = 0;
    uint32_t *open = c->queue + g->count; /* links to a position that were not followed yet */
    for (uint32_t p = 0; p < g->count; p++) {
        open[p] = 0;
        for (uint32_t l = c->back_first[p]; l < c->back_first[p + 1]; l++)
            open[p] += !(c->waits[c->back_links[l]] & WAITS);
        c->far[p] = open[p] && !(c->waits[p] & LEAVES) ? 0 : 1;
        if (open[p] == 0)
            c->queue[tail++] = p;
    }
    while (head < tail) {
        const uint32_t p = c->queue[head++];
        for (uint32_t l = g->first[p]; !(c->waits[p] & WAITS) && l < g->first[p + 1]; l++) {
            const uint32_t to = g->links[l];
            c->far[to] = c->far[p] + 1 > c->far[to] ? c->far[p] + 1 : c->far[to];
            if (--open[to] == 0)
                c->queue[tail++] = to;
        }
    }
    for (uint32_t p = 0; p < g->count; p++)
        if (open[p] > 0)
            c->far[p] = FAR;
}

/* ---- what leads to a position -------------------------------------------------------- */

static letters class_letters(const byte_class *set)
{
    letters l = { .count = 0 };
    for (uint32_t word = 0; word < 4; word++)
        for (uint64_t bits = set->bits[word]; bits; bits &= bits - 1) {
            const uint32_t b = word * 64 + PORT_CTZ64(bits);
            const bool lower = b >= 'a' && b <= 'z' && class_has(set, b - 32);
            l.bytes++;
            l.cases |= lower;
            if (!lower && l.count < MAX_CHOICES)
                l.of[l.count] = (uint8_t)b;
            l.count += !lower;
        }
    return l;
}

/* Make each way that can be longer one position longer. False: there would be too many. */
static bool extend(const cutter *c, const ways *from, ways *to)
{
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const way *w = &from->of[i];
        const uint32_t front = w->positions[w->length - 1];
        const uint32_t *l = c->back_links + c->back_first[front];
        const uint32_t count = w->whole ? 0 : c->back_first[front + 1] - c->back_first[front];
        for (uint32_t k = 0; k < (count ? count : 1); k++) {
            if (to->count == MAX_WAYS)
                return false;
            way *longer = &to->of[to->count++];
            *longer = *w;
            if (count && c->letters[l[k]].count <= MAX_CHOICES)
                longer->positions[longer->length++] = l[k];
            else
                longer->whole = true;
        }
    }
    return true;
}

/* How often a literal is to be expected. */
static double literal_rate(const cutter *c, const wake_literal *l)
{
    double rate = NO_PRICE;
    const uint32_t length = l->length < 4 ? l->length : 4;
    for (uint32_t at = 0; at + length <= l->length; at++) {
        uint32_t gram = 0, upper = 0;
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t byte = l->bytes[at + i];
            gram |= byte << (8 * i);
            upper |= (byte >= 'a' && byte <= 'z' ? byte - 32 : byte) << (8 * i);
        }
        double its = rarity_rate(c->rarity, gram, length);
        if (l->folded && upper != gram)
            its += 2 * rarity_rate(c->rarity, upper, length);
        rate = its < rate ? its : rate;
    }
    for (uint32_t i = 4; i < l->length; i++)
        rate /= 2; /* each further byte says something */
    return rate > least_rates[l->length] ? rate : least_rates[l->length];
}

/* How many literals a way spells; more than MAX_SPELLED: too many. */
static uint32_t way_count(const cutter *c, const way *w)
{
    uint32_t all = 1;
    for (uint32_t i = 0; i < w->length && all <= MAX_SPELLED; i++) {
        const uint32_t count = c->letters[w->positions[i]].count;
        all = count > MAX_CHOICES ? MAX_SPELLED + 1 : all * count;
    }
    return all;
}

static uint32_t ways_count(const cutter *c, const ways *w)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < w->count && all <= MAX_SPELLED; i++)
        all += way_count(c, &w->of[i]);
    return all;
}

/* Spell the literals of a way; they go to `to`, unless it is NULL. Returns their rate. */
static double spell(const cutter *c, const way *w, block *to)
{
    const letters *of[GLUSHKOV_LITERAL];
    uint32_t turn[GLUSHKOV_LITERAL] = { 0 };
    bool cases = false;
    double rate = 0;
    for (uint32_t i = 0; i < w->length; i++) {
        of[i] = &c->letters[w->positions[w->length - 1 - i]];
        cases = cases || of[i]->cases;
    }
    for (uint32_t n = way_count(c, w); n > 0; n--) {
        wake_literal l = { .length = (uint8_t)w->length, .folded = cases };
        for (uint32_t i = 0; i < w->length; i++)
            l.bytes[i] = cases ? fold_byte(of[i]->of[turn[i]]) : of[i]->of[turn[i]];
        rate += literal_rate(c, &l);
        if (to)
            block_append(to, &l, sizeof l, 1);
        for (uint32_t i = 0; i < w->length && ++turn[i] == of[i]->count; i++)
            turn[i] = 0;
    }
    return rate;
}

/* The price of some ways. */
static double ways_rate(const cutter *c, const ways *w)
{
    double rate = 0;
    if (ways_count(c, w) > MAX_SPELLED)
        return NO_PRICE;
    for (uint32_t i = 0; i < w->count; i++)
        rate += spell(c, &w->of[i], NULL);
    return rate;
}

/* The ways to a position whose literals are the rarest, in c->best; returns their rate. Longer ones
 * are rarer, unless they are more. */
static double find_ways(cutter *c, uint32_t position)
{
    ways *now = c->best + 1, *next = c->best + 2;
    double least = NO_PRICE;
    c->best->count = 0;
    now->count = 1;
    now->of[0] = (way){ { position }, 1, false };
    for (uint32_t length = 1;; length++) {
        const bool more = length < GLUSHKOV_LITERAL && extend(c, now, next);
        const double rate =
            more && ways_count(c, next) <= ways_count(c, now) ? NO_PRICE : ways_rate(c, now);
        if (rate < least) {
            least = rate;
            *c->best = *now;
        }
        if (!more)
            return least;
        ways *other = now;
        now = next;
        next = other;
    }
}

static void find_prices(cutter *c)
{
    for (uint32_t p = 0; p < c->g->count; p++)
        c->price[p] = class_empty(&c->g->sets[p]) ? 0
                      : c->far[p] > MAX_BACK      ? NO_PRICE
                                                  : find_ways(c, p);
}

void cut_waits(const graph *g, uint8_t *waits)
{
    for (uint32_t p = 0; p < g->count; p++)
        for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++)
            if (g->links[l] == p && class_letters(&g->sets[p]).bytes >= MIN_QUIET)
                waits[p] |= WAITS;
    for (size_t i = 0; i < g->end_count; i++)
        waits[g->ends[i].position] &= (uint8_t)~WAITS;
}

/* Mark where matches wait, and what follows. False: nowhere. */
static bool find_waits(cutter *c)
{
    const graph *g = c->g;
    bool any = false;
    cut_waits(g, c->waits);
    for (uint32_t p = 0; p < g->count; p++)
        for (uint32_t l = g->first[p]; c->waits[p] & WAITS && l < g->first[p + 1]; l++) {
            any = true;
            if (g->links[l] != p)
                c->waits[g->links[l]] |= LEAVES;
        }
    return any;
}

/* ---- cuts ---------------------------------------------------------------------------- */

/* Mark a position, which is looked at later. */
static void reach(cutter *c, uint32_t position, uint32_t *depth)
{
    if (!c->mark[position]) {
        c->mark[position] = 1;
        c->queue[(*depth)++] = position;
    }
}

/* Whether a way may begin, or end, with a position. */
static bool is_source(const cutter *c, uint32_t p)
{
    return c->g->begins[p] || c->waits[p] & LEAVES;
}

/* Mark the positions that are reached, from where ways begin on or back from where they end,
 * without passing one whose price is at most `price`: 1 those that are passed, 2 those that stop.
 * Returns whether these are a cut, and in *sum what they cost. */
static bool try_cut(cutter *c, double price, bool back, double *sum)
{
    const graph *g = c->g;
    const uint32_t *first = back ? c->back_first : g->first;
    const uint32_t *links = back ? c->back_links : g->links;
    uint32_t depth = 0;
    bool cuts = true;
    memset(c->mark, 0, g->count);
    *sum = 0;
    for (size_t i = 0; back && i < g->end_count; i++)
        reach(c, g->ends[i].position, &depth);
    for (uint32_t p = 0; p < g->count; p++)
        if (back ? c->waits[p] & WAITS : is_source(c, p))
            reach(c, p, &depth);
    while (depth > 0) {
        const uint32_t p = c->queue[--depth];
        if (c->price[p] <= price) {
            c->mark[p] = 2;
            *sum += c->price[p];
            continue;
        }
        cuts = cuts && !(back ? is_source(c, p) : c->waits[p] & WAITS);
        for (uint32_t l = first[p]; l < first[p + 1]; l++)
            if (!back || !(c->waits[links[l]] & WAITS) || links[l] == p)
                reach(c, links[l], &depth);
    }
    for (size_t i = 0; i < g->end_count && !back; i++)
        cuts = cuts && c->mark[g->ends[i].position] != 1;
    return cuts;
}

/* Mark those positions of a cut by 3 that a match meets near its begin. */
static void mark_first(cutter *c)
{
    const graph *g = c->g;
    uint8_t *seen = c->waits; /* a bit more */
    uint32_t depth = 0;
    for (uint32_t p = 0; p < g->count; p++)
        if (g->begins[p]) {
            seen[p] |= 4;
            c->queue[depth++] = p;
        }
    while (depth > 0) {
        const uint32_t p = c->queue[--depth];
        if (c->mark[p] == 2)
            c->mark[p] = 3;
        if (c->mark[p] == 3 || seen[p] & WAITS)
            continue;
        for (uint32_t l = g->first[p]; l < g->first[p + 1]; l++)
            if (!(seen[g->links[l]] & 4)) {
                seen[g->links[l]] |= 4;
                c->queue[depth++] = g->links[l];
            }
    }
}

static int compare_prices(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The cheapest cut is marked. False: there is none below `most`. */
static bool choose_cut(cutter *c, double most, double *sum)
{
    double *prices = memory_take_array(c->g->memory, c->g->count, sizeof *prices);
    double least = most, price = 0, its;
    bool any = false, back = false;
    uint32_t tried = 0;
    c->failed = !prices;
    if (!prices)
        return false;
    memcpy(prices, c->price, c->g->count * sizeof *prices);
    qsort(prices, c->g->count, sizeof *prices, compare_prices);
    /* The lowest price that cuts, by halving. */
    uint32_t low = 0, high = c->g->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (try_cut(c, prices[middle], false, &its))
            high = middle;
        else
            low = middle + 1;
    }
    for (uint32_t i = low; i < c->g->count && tried < MAX_PRICES && prices[i] < least; i++) {
        if (i > low && prices[i] <= price * 1.0001)
            continue;
        price = prices[i];
        tried++;
        for (uint32_t way = 0; way < 2; way++)
            if (try_cut(c, price, way, &its) && its < least) {
                least = its;
                any = true;
                back = way;
                prices[0] = price;
            }
    }
    if (any)
        try_cut(c, prices[0], back, sum);
    memory_give(c->g->memory, prices);
    return any;
}

static bool cutter_open(cutter *c, const graph *g, const rarity *rarity)
{
    memory *m = g->memory;
    const size_t n = g->count;
    *c = (cutter){ .g = g, .rarity = rarity };
    c->back_first = memory_take_array(m, n + 2, sizeof *c->back_first);
    c->back_links = memory_take_array(m, g->link_count + 1, sizeof *c->back_links);
    c->far = memory_take_array(m, n, sizeof *c->far);
    c->price = memory_take_array(m, n, sizeof *c->price);
    c->letters = memory_take_array(m, n, sizeof *c->letters);
    c->best = memory_take_array(m, 3, sizeof *c->best);
    c->queue = memory_take_array(m, 2 * n, sizeof *c->queue);
    c->mark = memory_take_array(m, n, 1);
    c->waits = memory_take_zeroed(m, n, 1);
    return c->waits && c->back_first && c->back_links && c->far && c->price && c->letters &&
           c->best && c->queue && c->mark;
}

static void cutter_close(cutter *c)
{
    memory *m = c->g->memory;
    memory_give(m, c->back_first);
    memory_give(m, c->back_links);
    memory_give(m, c->far);
    memory_give(m, c->price);
    memory_give(m, c->letters);
    memory_give(m, c->best);
    memory_give(m, c->queue);
    memory_give(m, c->mark);
    memory_give(m, c->waits);
}

/* The literals of the marked positions. */
static void spell_cut(cutter *c, cut *found)
{
    block spelled = { .memory = c->g->memory };
    found->back = 1;
    mark_first(c);
    for (uint32_t p = 0; p < c->g->count; p++) {
        if (c->mark[p] < 2 || class_empty(&c->g->sets[p]))
            continue;
        find_ways(c, p);
        spelled.size = 0;
        for (uint32_t i = 0; i < c->best->count; i++)
            spell(c, &c->best->of[i], &spelled);
        for (size_t i = 0; i < spelled.size / sizeof(wake_literal); i++) {
            cut_literal l = { .goes_on = c->mark[p] == 2 };
            memcpy(&l.literal, spelled.bytes + i * sizeof l.literal, sizeof l.literal);
            block_append(&found->literals, &l, sizeof l, 1);
        }
        found->back = c->far[p] > found->back ? c->far[p] : found->back;
    }
    found->literals.failed |= spelled.failed;
    block_free(&spelled);
}

void cut_find(const graph *g, const rarity *rarity, double hit, double most, cut *found)
{
    cutter c;
    *found = (cut){ .literals = { .memory = g->memory } };
    if (g->count > MAX_POSITIONS)
        return;
    if (!cutter_open(&c, g, rarity)) {
        found->literals.failed = true;
        cutter_close(&c);
        return;
    }
    for (uint32_t p = 0; p < g->count; p++)
        c.letters[p] = class_letters(&g->sets[p]);
    turn_links(&c);
    for (found->waits = find_waits(&c);; found->waits = false) {
        measure_ways(&c);
        find_prices(&c);
        if (choose_cut(&c, most / hit, &found->rate)) {
            spell_cut(&c, found);
            break;
        }
        if (!found->waits)
            break;
        memset(c.waits, 0, g->count); /* once more, without waits */
    }
    found->literals.failed |= c.failed;
    cutter_close(&c);
}
