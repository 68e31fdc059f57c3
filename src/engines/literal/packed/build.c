/* build.c: chooses the places of a literal that the packed comparison looks at. The loop and the
 * essay are in vector.c.
 *
 * Places are chosen one by one: first the one whose byte is rarest in the sample, then always the
 * one that lets the fewest starts pass among those that all places before it let pass. So bytes
 * that go together (q and u) are recognised. Pairs of neighbours are chosen in the same way, the
 * first one around the rarest byte. The number of bytes that are compared at first is the cheapest,
 * with the starts that then pass; the walk takes more when the text is not like the sample.
 */
#include "engines/literal/packed/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/engine.h"

enum {
    MAX_CONSIDERED = 2 * PACKED_SPAN - 1, /* places of a pattern */
    MAX_PASSED = 2048                     /* starts of the sample that are tried for a place */
};

static const char *packed_refuses(const pattern_list *list)
{
    return engine_bm.refuses(list);
}

/* What is known before places are chosen. */
typedef struct search {
    const pattern *pattern;
    const profile *sample;
    uint8_t keep;        /* the bits of a byte that the loop compares */
    uint32_t often[256]; /* in the sample, what fits a byte */
    uint32_t rarest;     /* place of the byte that stands least in it */
    uint32_t *starts;    /* room for MAX_PASSED */
} search;

/* Places that are considered, each of `width` bytes. */
typedef struct places {
    uint32_t at[MAX_CONSIDERED];
    uint32_t count, width;
} places;

typedef struct choice {
    uint32_t place[PACKED_SINGLE], pair[PACKED_PAIRS];
    double pass[PACKED_BYTES + 1]; /* the share of all starts that this number of bytes lets pass */
} choice;

static bool folds(const pattern *p, uint8_t byte)
{
    return (p->flags & TRAWL_NOCASE) && byte >= 'a' && byte <= 'z';
}

static uint8_t keep_of(const pattern *p, size_t place)
{
    return folds(p, p->bytes[place]) ? (uint8_t) ~('a' - 'A') : 255;
}

static bool fits(const search *s, uint32_t place, uint32_t width, const uint8_t *text)
{
    for (uint32_t i = place; i < place + width; i++)
        if ((text[i] ^ s->pattern->bytes[i]) & s->keep)
            return false;
    return true;
}

/* `starts` has room for MAX_PASSED. */
static search look_at(const problem *problem, uint32_t *starts)
{
    const pattern *p = &problem->list->patterns[0];
    search s = { .pattern = p, .sample = &problem->sample, .keep = 255, .starts = starts };
    uint32_t counts[256] = { 0 };
    for (size_t i = 0; i < p->length; i++)
        s.keep &= keep_of(p, i);
    for (size_t i = 0; i < s.sample->length; i++)
        counts[s.sample->bytes[i]]++;
    for (uint32_t b = 0; b < 256; b++)
        s.often[b] = counts[b] + (s.keep == 255 ? 0 : counts[b ^ (uint8_t)~s.keep]);
    for (uint32_t i = 1; i < p->length; i++)
        if (s.often[p->bytes[i]] < s.often[p->bytes[s.rarest]])
            s.rarest = i;
    return s;
}

/* All places of a pattern; in a long one, those that may be compared together with the one whose
 * byte is the rarest. If all bytes may be compared two by two, the places of pairs that share no
 * byte, except the middle one of an odd number. */
static places consider(const search *s, uint32_t width)
{
    const uint32_t last = (uint32_t)s->pattern->length - width;
    const uint32_t step = s->pattern->length <= PACKED_BYTES ? width : 1;
    places all = { .width = width };
    for (uint32_t i = s->rarest < PACKED_SPAN ? 0 : s->rarest - (PACKED_SPAN - 1);
         i < last + step && i < s->rarest + PACKED_SPAN; i += step)
        all.at[all.count++] = i < last ? i : last;
    return all;
}

/* Those around the rarest byte. */
static places around(const search *s, const places *all)
{
    places some = { .width = all->width };
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i] <= s->rarest && s->rarest < all->at[i] + all->width)
            some.at[some.count++] = all->at[i];
    return some;
}

/* The one that lets the fewest starts pass; among equals the one with the rarest byte. *passed: how
 * many. */
static uint32_t most_telling(const search *s, const places *all, uint32_t count, uint32_t *passed)
{
    const uint8_t *bytes = s->pattern->bytes;
    uint32_t best = 0;
    *passed = UINT32_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t at = all->at[i];
        uint32_t n = 0;
        for (uint32_t k = 0; k < count && n <= *passed; k++)
            n += fits(s, at, all->width, s->sample->bytes + s->starts[k]);
        if (n < *passed || (n == *passed && s->often[bytes[at]] < s->often[bytes[best]])) {
            *passed = n;
            best = at;
        }
    }
    return best;
}

/* Take some starts of the sample at which the rarest byte fits, evenly spread. */
static uint32_t first_starts(const search *s)
{
    const pattern *p = s->pattern;
    const uint32_t step = s->often[p->bytes[s->rarest]] / MAX_PASSED + 1;
    uint32_t count = 0, seen = 0;
    for (size_t i = 0; i + p->length <= s->sample->length && count < MAX_PASSED; i++)
        if (fits(s, s->rarest, 1, s->sample->bytes + i) && seen++ % step == 0)
            s->starts[count++] = (uint32_t)i;
    return count;
}

/* A place is taken; others can no more be compared beside it. */
static void drop_places(places *all, uint32_t taken)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t at = all->at[i], apart = at < taken ? taken - at : at - taken;
        if (apart > 0 && apart < PACKED_SPAN)
            all->at[kept++] = at;
    }
    all->count = kept;
}

/* So many places of `width` bytes; pass[n]: the part of all starts that n of them let pass. */
static void choose_places(const search *s, uint32_t width, uint32_t most, uint32_t *place,
                          double *pass)
{
    places all = consider(s, width);
    uint32_t passed = first_starts(s);
    pass[0] = (double)s->often[s->pattern->bytes[s->rarest]] / (double)s->sample->length;
    for (uint32_t n = 0; n < most; n++) {
        const places near = around(s, &all);
        place[n] = place[0];
        pass[n + 1] = pass[n];
        if (all.count == 0) /* a short pattern: all are taken */
            continue;
        uint32_t left, kept = 0;
        place[n] = most_telling(s, n ? &all : &near, passed, &left);
        pass[n + 1] = passed ? pass[n] * left / passed : 0;
        for (uint32_t k = 0; k < passed; k++)
            if (fits(s, place[n], width, s->sample->bytes + s->starts[k]))
                s->starts[kept++] = s->starts[k];
        passed = kept;
        drop_places(&all, place[n]);
    }
}

/* One by one, and two by two. */
static void choose_bytes(const search *s, choice *c)
{
    double singles[PACKED_SINGLE + 1], pairs[PACKED_PAIRS + 1];
    memset(c, 0, sizeof *c);
    choose_places(s, 1, PACKED_SINGLE, c->place, singles);
    memcpy(c->pass, singles, sizeof singles);
    if (s->pattern->length <= PACKED_SINGLE)
        return;
    choose_places(s, 2, PACKED_PAIRS, c->pair, pairs);
    for (uint32_t n = PACKED_SINGLE + 1; n <= PACKED_BYTES; n = packed_more(n))
        c->pass[n] = pairs[packed_probes(n)];
}

/* Chooses how many bytes are compared at first; *cost: nanoseconds a byte. False: no memory. */
static bool choose(const problem *problem, choice *c, uint32_t *count, double *cost)
{
    const size_t length = problem->list->patterns[0].length;
    uint32_t *starts = memory_take_array(problem->memory, MAX_PASSED, sizeof *starts);
    if (!starts)
        return false;
    const search s = look_at(problem, starts);
    choose_bytes(&s, c);
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
        if (whole || n == PACKED_BYTES)
            return true;
    }
}

/* ---- the window of devices --------------------------------------------------------- */

enum { GRAM_LOG = 14 };

/* The hash of four bytes, as they are compared. */
static uint32_t gram_at(const uint8_t *bytes, bool fold)
{
    uint32_t gram = 0;
    for (uint32_t i = 0; i < PACKED_WINDOW; i++)
        gram |= (uint32_t)(fold ? fold_byte(bytes[i]) : bytes[i]) << 8 * i;
    return gram * 0x9E3779B1u >> (32 - GRAM_LOG);
}

/* The four neighbouring bytes that are rarest in the sample; among equals, those whose single bytes
 * are rarest. For CPUs, any around the rarest pair: nothing is counted for them. */
static uint32_t choose_window(const problem *problem, uint32_t rare)
{
    const pattern *p = &problem->list->patterns[0];
    const profile *sample = &problem->sample;
    const bool fold = (p->flags & TRAWL_NOCASE) != 0;
    if (p->length <= PACKED_WINDOW)
        return 0;
    const uint32_t last = (uint32_t)p->length - PACKED_WINDOW;
    uint32_t best = rare < last ? rare : last;
    uint32_t *often =
        problem->target.gpu
            ? memory_take_zeroed(problem->memory, (1u << GRAM_LOG) + 256, sizeof *often)
            : NULL;
    if (!often)
        return best;
    uint32_t *bytes = often + (1u << GRAM_LOG);
    double least = 0;
    for (size_t i = 0; i < sample->length; i++)
        bytes[fold ? fold_byte(sample->bytes[i]) : sample->bytes[i]]++;
    for (size_t i = 0; i + PACKED_WINDOW <= sample->length; i++)
        often[gram_at(sample->bytes + i, fold)]++;
    for (uint32_t i = 0; i <= last; i++) {
        double product = 1;
        for (uint32_t k = 0; k < PACKED_WINDOW; k++)
            product *= (double)(bytes[p->bytes[i + k]] + 1) / (double)(sample->length + 1);
        const double score = often[gram_at(p->bytes + i, fold)] + product;
        if (i == 0 || score < least) {
            least = score;
            best = i;
        }
    }
    memory_give(problem->memory, often);
    return best;
}

static double packed_cost(const problem *p)
{
    choice c;
    uint32_t count;
    double cost;
    if (p->target.gpu)
        return COST_GPU_PACKED;
    return choose(p, &c, &count, &cost) ? cost : COST_IMPOSSIBLE;
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
    memcpy(head.pair, c.pair, sizeof head.pair);
    head.window = choose_window(problem, c.pair[0]);
    block_words(b, NULL, sizeof head / 4);
    const size_t pattern_at = block_append(b, NULL, room, PACKED_ROUND);
    const size_t keep_at = block_append(b, NULL, room, PACKED_ROUND);
    if (b->failed)
        return;
    memcpy(b->bytes + pattern_at, p->bytes, p->length);
    size_t letters = 0;
    for (size_t i = 0; i < p->length; i++) {
        b->bytes[keep_at + i] = keep_of(p, i);
        letters += keep_of(p, i) != 255;
    }
    head.fold = !letters ? PACKED_EXACT : letters < p->length ? PACKED_MIXED : PACKED_FOLDED;
    head.pattern = (uint32_t)(pattern_at / 4);
    head.keep = (uint32_t)(keep_at / 4);
    memcpy(b->bytes, &head, sizeof head);
}

/* Whether they are below `end`, and near one another. */
static bool places_fit(const uint32_t *place, uint32_t count, uint32_t end)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (place[i] >= end || place[i] >= place[k] + PACKED_SPAN)
                return false;
    return true;
}

static bool packed_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const packed_tables *t = (const packed_tables *)tables;
    if (words < sizeof *t / 4 || facts->pattern_count != 1 || t->length != facts->max_length ||
        t->length < 1 || t->length > PATTERN_MAX_LENGTH || t->fold > PACKED_MIXED ||
        facts->carries || facts->state_words)
        return false;
    const uint64_t room = ((uint64_t)t->length + PACKED_ROUND - 1) / PACKED_ROUND * PACKED_ROUND;
    if (t->pattern % 4 != 0 || t->keep % 4 != 0) /* devices load 16 bytes */
        return false;
    if (t->window > 0 && t->window + (uint64_t)PACKED_WINDOW > t->length)
        return false;
    uint32_t count = 1;
    while (count < t->count && count < PACKED_BYTES)
        count = packed_more(count);
    if (!places_fit(t->place, PACKED_SINGLE, t->length) ||
        (t->count > PACKED_SINGLE && !places_fit(t->pair, PACKED_PAIRS, t->length - 1)))
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
