/* packed.c: which places of a literal the packed comparison looks at. The loop and the essay are in
 * walk/vector/packed.c.
 *
 * Places are taken one by one: first the one whose byte the sample has least, then always the one
 * that lets the fewest of those starts pass that all before it let pass. So bytes that go together
 * (q and u) are known to. How many places are compared at first is what is cheapest for the starts
 * that then pass; the walk takes more when the text is not like the sample.
 */
#include "table/packed.h"

#include <string.h>

#include "engine/costs.h"
#include "engine/engine.h"

enum {
    MOST_CONSIDERED = 2 * PACKED_SPAN - 1, /* places of a pattern */
    MOST_PASSED = 2048                     /* starts of the sample that are tried for a place */
};

static const char *packed_refuses(const pattern_list *list)
{
    return engine_bm.refuses(list);
}

/* The places of a pattern that are considered, and how often their bytes stand in the sample. */
typedef struct places {
    uint32_t at[MOST_CONSIDERED];
    uint32_t often[MOST_CONSIDERED];
    uint32_t count;
} places;

typedef struct choice {
    uint32_t place[PACKED_PLACES];
    double pass[PACKED_PLACES + 1]; /* the part of all starts that so many of them let pass */
} choice;

static bool folds(const pattern *p, uint8_t byte)
{
    return (p->flags & TRAWL_NOCASE) && byte >= 'a' && byte <= 'z';
}

static uint8_t keep_of(const pattern *p, size_t place)
{
    return folds(p, p->bytes[place]) ? (uint8_t) ~('a' - 'A') : 255;
}

static bool fits(const pattern *p, uint32_t place, uint8_t byte)
{
    return ((byte ^ p->bytes[place]) & keep_of(p, place)) == 0;
}

/* All places of a pattern, or, of a long one, those that may be compared beside the one whose byte
 * is the rarest. `often`: of each byte of the pattern. Returns which of them that is. */
static uint32_t consider(const pattern *p, const uint32_t often[256], places *all)
{
    size_t rarest = 0;
    for (size_t i = 1; i < p->length; i++)
        if (often[p->bytes[i]] < often[p->bytes[rarest]])
            rarest = i;
    const size_t begin = rarest < PACKED_SPAN ? 0 : rarest - (PACKED_SPAN - 1);
    memset(all, 0, sizeof *all);
    for (size_t i = begin; i < p->length && i < rarest + PACKED_SPAN; i++) {
        all->at[all->count] = (uint32_t)i;
        all->often[all->count++] = often[p->bytes[i]];
    }
    return (uint32_t)(rarest - begin);
}

/* The one that lets the fewest starts pass; among equals the one with the rarest byte. *passed: how
 * many. */
static uint32_t most_telling(const pattern *p, const places *all, const uint8_t *text,
                             const uint32_t *starts, uint32_t count, uint32_t *passed)
{
    uint32_t best = 0;
    *passed = UINT32_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < count && n <= *passed; k++)
            n += fits(p, all->at[i], text[starts[k] + all->at[i]]);
        if (n < *passed || (n == *passed && all->often[i] < all->often[best])) {
            *passed = n;
            best = i;
        }
    }
    return best;
}

/* Of the starts of the sample at which the first place fits, some, evenly. */
static uint32_t first_starts(const pattern *p, uint32_t place, const profile *sample,
                             uint32_t *starts, uint32_t often)
{
    const uint32_t step = often / MOST_PASSED + 1;
    uint32_t count = 0, seen = 0;
    for (size_t s = 0; s + p->length <= sample->length && count < MOST_PASSED; s++)
        if (fits(p, place, sample->bytes[s + place]) && seen++ % step == 0)
            starts[count++] = (uint32_t)s;
    return count;
}

/* Place `which` is taken; others can no more be compared beside it. */
static void drop_places(places *all, uint32_t which)
{
    const uint32_t taken = all->at[which];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t apart = all->at[i] < taken ? taken - all->at[i] : all->at[i] - taken;
        if (apart == 0 || apart >= PACKED_SPAN)
            continue;
        all->at[kept] = all->at[i];
        all->often[kept++] = all->often[i];
    }
    all->count = kept;
}

/* `starts` has room for MOST_PASSED. */
static void choose_places(const problem *problem, uint32_t *starts, choice *c)
{
    const pattern *p = &problem->list->patterns[0];
    const profile *sample = &problem->sample;
    uint32_t counts[256] = { 0 }, often[256];
    places all;
    for (size_t i = 0; i < sample->length; i++)
        counts[sample->bytes[i]]++;
    for (uint32_t b = 0; b < 256; b++)
        often[b] = counts[b] + (folds(p, (uint8_t)b) ? counts[b - ('a' - 'A')] : 0);
    uint32_t best = consider(p, often, &all);
    uint32_t passed = first_starts(p, all.at[best], sample, starts, all.often[best]);
    c->pass[0] = 1;
    c->pass[1] = (double)all.often[best] / (double)sample->length;
    c->place[0] = all.at[best];
    for (uint32_t n = 1; n < PACKED_PLACES; n++) {
        c->place[n] = c->place[0];
        c->pass[n + 1] = c->pass[n];
        if (all.count)
            drop_places(&all, best);
        if (all.count == 0) /* a short pattern: all are taken */
            continue;
        uint32_t left, kept = 0;
        best = most_telling(p, &all, sample->bytes, starts, passed, &left);
        c->place[n] = all.at[best];
        c->pass[n + 1] = passed ? c->pass[n] * left / passed : 0;
        for (uint32_t k = 0; k < passed; k++)
            if (fits(p, c->place[n], sample->bytes[starts[k] + c->place[n]]))
                starts[kept++] = starts[k];
        passed = kept;
    }
}

/* Chooses how many places are compared at first; *cost: nanoseconds a byte. False: no memory. */
static bool choose(const problem *problem, choice *c, uint32_t *count, double *cost)
{
    const size_t length = problem->list->patterns[0].length;
    uint32_t *starts = memory_take_array(problem->memory, MOST_PASSED, sizeof *starts);
    if (!starts)
        return false;
    choose_places(problem, starts, c);
    memory_give(problem->memory, starts);
    *cost = COST_IMPOSSIBLE;
    for (uint32_t n = length > 1 ? 2 : 1;; n = packed_more(n)) {
        const bool whole = n >= length;
        const double vector =
            cost_of_vector(COST_PACKED_BYTE + COST_PACKED_PLACE * n, &problem->target);
        const double all = vector + (whole ? 0 : COST_PACKED_CONFIRM * c->pass[n]);
        if (all < *cost) {
            *cost = all;
            *count = n;
        }
        if (whole || n == PACKED_PLACES)
            return true;
    }
}

static double packed_cost(const problem *p)
{
    choice c;
    uint32_t count;
    double cost;
    if (p->target.gpu || !choose(p, &c, &count, &cost))
        return COST_IMPOSSIBLE;
    return cost;
}

static void packed_build(const problem *problem, stage_draft *out)
{
    const pattern *p = &problem->list->patterns[0];
    const size_t room = (p->length + PACKED_ROUND - 1) / PACKED_ROUND * PACKED_ROUND;
    block *b = &out->tables;
    packed_tables head;
    choice c;
    double cost;
    memset(&head, 0, sizeof head);
    if (!choose(problem, &c, &head.count, &cost)) {
        b->failed = true;
        return;
    }
    head.length = (uint32_t)p->length;
    memcpy(head.place, c.place, sizeof head.place);
    block_words(b, NULL, sizeof head / 4);
    const size_t pattern_at = block_append(b, NULL, room, PACKED_ROUND);
    const size_t keep_at = block_append(b, NULL, room, PACKED_ROUND);
    if (b->failed)
        return;
    memcpy(b->bytes + pattern_at, p->bytes, p->length);
    for (size_t i = 0; i < p->length; i++) {
        b->bytes[keep_at + i] = keep_of(p, i);
        head.fold |= keep_of(p, i) != 255;
    }
    head.pattern = (uint32_t)(pattern_at / 4);
    head.keep = (uint32_t)(keep_at / 4);
    memcpy(b->bytes, &head, sizeof head);
}

static bool packed_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const packed_tables *t = (const packed_tables *)tables;
    if (words < sizeof *t / 4 || facts->pattern_count != 1 || t->length != facts->max_length ||
        t->length < 1 || t->length > PATTERN_MAX_LENGTH || t->fold > 1 || t->reserved ||
        facts->carries || facts->state_words)
        return false;
    const uint64_t room = ((uint64_t)t->length + PACKED_ROUND - 1) / PACKED_ROUND * PACKED_ROUND;
    uint32_t count = 1;
    while (count < t->count && count < PACKED_PLACES)
        count = packed_more(count);
    for (uint32_t i = 0; i < PACKED_PLACES; i++)
        for (uint32_t k = 0; k < PACKED_PLACES; k++)
            if (t->place[i] >= t->length || t->place[i] >= t->place[k] + PACKED_SPAN)
                return false;
    return count == t->count && words_inside(words, t->pattern, room / 4) &&
           words_inside(words, t->keep, room / 4);
}

const engine engine_packed = {
    .name = "packed",
    .about = "packed comparison: one literal, 64 places of the text at once",
    .kind = WALK_PACKED,
    .refuses = packed_refuses,
    .cost = packed_cost,
    .build = packed_build,
    .check = packed_check,
    .fallback = &engine_bm,
};
