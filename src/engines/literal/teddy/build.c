/* build.c: windows, buckets, bitmap and lists of Teddy. The loop and the essay are in
 * vector.c.
 *
 * Windows and buckets are chosen together. What they cost is estimated from the sample: how often
 * all bytes of a place belong to a bucket's classes (their shares of the sample, multiplied, as if
 * bytes did not depend on one another), and how often the window itself is seen, which the
 * bitmap cannot refuse. Patterns are placed one by one, each where it adds the least; then each is
 * taken out and placed anew, a few times. So windows with rare bytes are chosen, and similar ones
 * share a bucket.
 */
#include "engines/literal/teddy/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/literals.h"
#include "engines/shared/prints/build.h"

enum {
    BUCKETS = 8,          /* of a group */
    CHOICES = 6,          /* windows of a pattern that are tried */
    ROUNDS = 3,           /* of placing anew */
    MANY = 3000,          /* patterns that are placed once, at their rarest window */
    MIN_GROUPED = 48,     /* patterns for two groups */
    GRAM_LOG = 16,        /* of the counts of the sample's grams, */
    SAMPLE_WEIGHT = 1024, /* which weigh more than those of the patterns */
    BITS_LOG = 7,         /* bits for a pattern, */
    MIN_BITS = 12,        /* and in all */
    MAX_BITS = 18
};
#define PRIOR 0.5 /* added to what was counted in the sample */

/* The window of a pattern, and its bucket, of all groups. */
typedef struct placing {
    uint8_t choices[CHOICES];
    uint8_t count, place, bucket;
} placing;

typedef struct chooser {
    const pattern_list *list;
    uint32_t width, groups, fold, bits_shift;
    double often[128]; /* share of the sample, by the lower seven bits */
    double share[BUCKETS * TEDDY_GROUPS][TEDDY_WIDTH]; /* of bytes in a class, at most 1 */
    uint32_t uses[BUCKETS * TEDDY_GROUPS][TEDDY_WIDTH][128];
    uint32_t *grams; /* 2^GRAM_LOG: how often a hash is seen, by SAMPLE_WEIGHT in the sample */
    double starts;   /* places of the sample */
    placing *placings;
} chooser;

static uint32_t hash_of(const chooser *c, const uint8_t *window)
{
    return gram_hash_at(window, c->width, c->fold);
}

/* The hash of the window that pattern i has now. */
static uint32_t window_hash(const chooser *c, size_t i)
{
    return hash_of(c, c->list->patterns[i].bytes + c->placings[i].place);
}

static bool has_cases(const pattern *p, uint8_t byte)
{
    return (p->flags & TRAWL_NOCASE) && byte >= 'a' && byte <= 'z';
}

static uint32_t log_for(size_t count, uint32_t more, uint32_t least, uint32_t most)
{
    uint32_t log = more;
    while (count >>= 1)
        log++;
    return log < least ? least : log > most ? most : log;
}

static void choose_sizes(const pattern_list *list, chooser *c)
{
    const size_t shortest = shortest_literal(list);
    c->width = shortest < TEDDY_WIDTH ? (uint32_t)shortest : TEDDY_WIDTH;
    c->groups = list->count < MIN_GROUPED ? 1 : TEDDY_GROUPS;
    c->fold = fold_any(list) ? GRAM_FOLD : 0;
    c->bits_shift = 32 - log_for(list->count, BITS_LOG, MIN_BITS, MAX_BITS);
}

/* ---- windows and buckets ------------------------------------------------------------ */

static void count_sample(chooser *c, const profile *sample)
{
    const size_t length = sample->length;
    for (size_t i = 0; i < length; i++)
        c->often[sample->bytes[i] & 127] += 1;
    for (int i = 0; i < 128; i++)
        c->often[i] = (c->often[i] + PRIOR) / ((double)length + 128 * PRIOR);
    c->starts = length >= c->width ? (double)(length - c->width + 1) : 1;
    for (size_t i = 0; i + c->width <= length; i++)
        c->grams[hash_of(c, sample->bytes + i) >> (32 - GRAM_LOG)]++;
}

/* Among windows that the sample does not tell apart, the one that few patterns have is taken: what
 * is frequent in patterns is so in their texts. */
static void count_patterns(chooser *c)
{
    for (uint32_t i = 0; i < 1u << GRAM_LOG; i++)
        c->grams[i] *= SAMPLE_WEIGHT;
    for (size_t i = 0; i < c->list->count; i++) {
        const pattern *p = &c->list->patterns[i];
        for (uint32_t k = 0; k <= TEDDY_PLACE && k + c->width <= p->length; k++)
            c->grams[hash_of(c, p->bytes + k) >> (32 - GRAM_LOG)]++;
    }
}

/* What a byte adds to the share of a class. */
static double byte_adds(const chooser *c, const pattern *p, const uint32_t *uses, uint8_t byte)
{
    double adds = uses[byte & 127] ? 0 : c->often[byte & 127];
    if (has_cases(p, byte) && !uses[(byte - 'a' + 'A') & 127])
        adds += c->often[byte - 'a' + 'A'];
    return adds;
}

static double window_seen(const chooser *c, const uint8_t *window)
{
    return c->grams[hash_of(c, window) >> (32 - GRAM_LOG)] / (SAMPLE_WEIGHT * c->starts);
}

/* The rarest windows of a pattern, the rarest first. */
static void rank_windows(const chooser *c, const pattern *p, uint32_t choices, placing *to)
{
    static const uint32_t none[128] = { 0 };
    double costs[CHOICES];
    to->count = 0;
    for (uint32_t place = 0; place <= TEDDY_PLACE && place + c->width <= p->length; place++) {
        double cost = COST_TEDDY_GRAM;
        for (uint32_t k = 0; k < c->width; k++)
            cost *= byte_adds(c, p, none, p->bytes[place + k]);
        cost += COST_TEDDY_LIST * window_seen(c, p->bytes + place);
        if (to->count == choices && cost >= costs[choices - 1])
            continue;
        uint32_t i = to->count < choices ? to->count++ : choices - 1;
        for (; i > 0 && costs[i - 1] > cost; i--) {
            costs[i] = costs[i - 1];
            to->choices[i] = to->choices[i - 1];
        }
        costs[i] = cost;
        to->choices[i] = (uint8_t)place;
    }
}

static void use_byte(chooser *c, uint32_t bucket, uint32_t k, uint8_t byte, bool on)
{
    uint32_t *uses = &c->uses[bucket][k][byte & 127];
    const bool before = *uses > 0;
    *uses += on ? 1 : UINT32_MAX;
    if (before != (*uses > 0))
        c->share[bucket][k] += on ? c->often[byte & 127] : -c->often[byte & 127];
}

/* Put a pattern into its bucket, or take it out. */
static void use_window(chooser *c, const pattern *p, const placing *at, bool on)
{
    for (uint32_t k = 0; k < c->width; k++) {
        const uint8_t byte = p->bytes[at->place + k];
        use_byte(c, at->bucket, k, byte, on);
        if (has_cases(p, byte))
            use_byte(c, at->bucket, k, (uint8_t)(byte - 'a' + 'A'), on);
    }
}

/* Where a pattern that is in no bucket adds the least. */
static void place_best(chooser *c, const pattern *p, placing *to)
{
    const uint32_t buckets = BUCKETS * c->groups;
    double least = COST_IMPOSSIBLE;
    for (uint32_t i = 0; i < to->count; i++) {
        const uint8_t *window = p->bytes + to->choices[i];
        const double seen = COST_TEDDY_LIST * window_seen(c, window);
        for (uint32_t b = 0; b < buckets && seen < least; b++) {
            double before = COST_TEDDY_GRAM, after = COST_TEDDY_GRAM;
            for (uint32_t k = 0; k < c->width; k++) {
                before *= c->share[b][k];
                after *= c->share[b][k] + byte_adds(c, p, c->uses[b][k], window[k]);
            }
            if (seen + after - before < least) {
                least = seen + after - before;
                to->place = to->choices[i];
                to->bucket = (uint8_t)b;
            }
        }
    }
    use_window(c, p, to, true);
}

static void chooser_close(const problem *p, chooser *c)
{
    if (!c)
        return;
    memory_give(p->memory, c->grams);
    memory_give(p->memory, c->placings);
    memory_give(p->memory, c);
}

/* All windows and buckets; NULL: no memory. */
static chooser *choose(const problem *p)
{
    const pattern_list *list = p->list;
    chooser *c = memory_take_zeroed(p->memory, 1, sizeof *c);
    if (c) {
        c->list = list;
        choose_sizes(list, c);
        c->grams = memory_take_zeroed(p->memory, (size_t)1 << GRAM_LOG, sizeof *c->grams);
        c->placings = memory_take_zeroed(p->memory, list->count, sizeof *c->placings);
    }
    if (!c || !c->grams || !c->placings) {
        chooser_close(p, c);
        return NULL;
    }
    const bool many = list->count > MANY;
    count_sample(c, &p->sample);
    count_patterns(c);
    for (size_t i = 0; i < list->count; i++) {
        rank_windows(c, &list->patterns[i], many ? 1 : CHOICES, &c->placings[i]);
        place_best(c, &list->patterns[i], &c->placings[i]);
    }
    for (uint32_t round = 0; round < ROUNDS && !many; round++)
        for (size_t i = 0; i < list->count; i++) {
            use_window(c, &list->patterns[i], &c->placings[i], false);
            place_best(c, &list->patterns[i], &c->placings[i]);
        }
    return c;
}

/* ---- sections ------------------------------------------------------------------------- */

static void class_put(teddy_class *to, uint8_t byte, uint8_t bit)
{
    to->half[byte & 127] |= bit;
    to->low[byte & 15] |= bit;
    to->high[byte >> 4] |= bit;
}

/* groups * width of them. */
static void fill_classes(const chooser *c, teddy_class *classes)
{
    for (size_t i = 0; i < c->list->count; i++) {
        const pattern *p = &c->list->patterns[i];
        const placing *at = &c->placings[i];
        for (uint32_t k = 0; k < c->width; k++) {
            teddy_class *to = &classes[at->bucket / BUCKETS * c->width + k];
            const uint8_t byte = p->bytes[at->place + k];
            const uint8_t bit = (uint8_t)(1u << at->bucket % BUCKETS);
            class_put(to, byte, bit);
            if (has_cases(p, byte))
                class_put(to, (uint8_t)(byte - 'a' + 'A'), bit);
        }
    }
}

static void fill_bits(const chooser *c, uint32_t *bits)
{
    for (size_t i = 0; i < c->list->count; i++) {
        const uint32_t bit = window_hash(c, i) >> c->bits_shift;
        bits[bit / 32] |= 1u << (bit % 32);
    }
}

static void lay_out(const chooser *c, uint8_t *windows, block *b)
{
    const size_t bit_bytes = (size_t)1 << (32 - c->bits_shift - 3);
    const size_t class_bytes = c->groups * c->width * sizeof(teddy_class);
    const prints_choice grams = { c->list, windows, c->width, c->fold, 1 };
    teddy_tables t = { .groups = c->groups, .bits_shift = c->bits_shift };
    for (size_t i = 0; i < c->list->count; i++)
        windows[i] = c->placings[i].place;
    block_words(b, NULL, sizeof t / 4);
    t.classes = (uint32_t)(block_append(b, NULL, class_bytes, 64) / 4);
    t.bits = (uint32_t)(block_append(b, NULL, bit_bytes, 64) / 4);
    t.prints = append_prints(&grams, b);
    if (b->failed)
        return;
    uint32_t *tables = (uint32_t *)(void *)b->bytes;
    fill_classes(c, (teddy_class *)(tables + t.classes));
    fill_bits(c, tables + t.bits);
    memcpy(tables, &t, sizeof t);
}

static void teddy_build(const problem *p, stage_draft *out)
{
    chooser *c = choose(p);
    uint8_t *windows = c ? memory_take(p->memory, p->list->count) : NULL;
    if (windows)
        lay_out(c, windows, &out->tables);
    else
        out->tables.failed = true;
    memory_give(p->memory, windows);
    chooser_close(p, c);
}

/* ---- cost ------------------------------------------------------------------------------- */

/* The set of a byte, as the target's walk looks it up. */
static uint8_t set_of(const teddy_class *of, bool half, uint8_t byte)
{
    return half ? of->half[byte & 127] : (uint8_t)(of->low[byte & 15] & of->high[byte >> 4]);
}

/* Run all steps over the sample; `lists` is zero, and so are the bits: a word for each list. */
static double filter_cost(const problem *p, const chooser *c, uint32_t *bits, uint32_t *lists)
{
    const bool half = p->target.isa != ISA_AVX2 && p->target.isa != ISA_NEON;
    const uint32_t lists_shift = c->bits_shift + 5;
    teddy_class classes[TEDDY_GROUPS * TEDDY_WIDTH];
    size_t may = 0, pass = 0;
    uint64_t met = 0;
    memset(classes, 0, sizeof classes);
    fill_classes(c, classes);
    fill_bits(c, bits);
    for (size_t i = 0; i < c->list->count; i++)
        lists[window_hash(c, i) >> lists_shift]++;
    for (size_t i = 0; i + c->width <= p->sample.length; i++) {
        const uint8_t *at = p->sample.bytes + i;
        uint8_t any = 0;
        for (uint32_t g = 0; g < c->groups; g++) {
            uint8_t all = 255;
            for (uint32_t k = 0; k < c->width && all; k++)
                all &= set_of(&classes[g * c->width + k], half, at[k]);
            any |= all;
        }
        if (!any)
            continue;
        may++;
        const uint32_t hash = hash_of(c, at), bit = hash >> c->bits_shift;
        if (bits[bit / 32] >> (bit % 32) & 1) {
            pass++;
            met += lists[hash >> lists_shift];
        }
    }
    const double a_class = p->target.isa == ISA_PORTABLE
                               ? COST_TEDDY_CLASS_PLAIN
                               : cost_of_vector(COST_TEDDY_CLASS, &p->target);
    return a_class * c->groups * c->width +
           ((double)may * COST_TEDDY_GRAM + (double)pass * COST_TEDDY_LIST +
            (double)met * COST_TEDDY_ENTRY) /
               c->starts;
}

static double teddy_cost(const problem *p)
{
    if (p->target.gpu || p->list->count > COST_MAX_LITERALS)
        return COST_IMPOSSIBLE;
    chooser *c = choose(p);
    double cost = COST_IMPOSSIBLE;
    if (c) {
        const size_t words = (size_t)1 << (32 - c->bits_shift - 5);
        uint32_t *bits = memory_take_zeroed(p->memory, words, sizeof *bits);
        uint32_t *lists = memory_take_zeroed(p->memory, words, sizeof *lists);
        if (bits && lists)
            cost = filter_cost(p, c, bits, lists);
        memory_give(p->memory, bits);
        memory_give(p->memory, lists);
    }
    chooser_close(p, c);
    return cost;
}

/* ---- tables of a loaded plan -------------------------------------------------------------- */

static bool teddy_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const teddy_tables *t = (const teddy_tables *)tables;
    return words >= sizeof *t / 4 && !facts->carries && !facts->state_words && t->groups >= 1 &&
           t->groups <= TEDDY_GROUPS && t->prints.q <= TEDDY_WIDTH &&
           t->bits_shift >= 32 - MAX_BITS && t->bits_shift <= 32 - MIN_BITS &&
           words_inside(words, t->bits, (uint64_t)1 << (32 - t->bits_shift - 5)) &&
           prints_valid(facts, &t->prints, tables, words) &&
           words_inside(words, t->classes,
                        (uint64_t)t->groups * t->prints.q * sizeof(teddy_class) / 4);
}

const engine engine_teddy = {
    .name = "teddy",
    .about = "Teddy, with a bitmap of grams: classes of bytes in vectors: a few to some thousand "
             "literals",
    .kind = WALK_TEDDY,
    .refuses = refuses_unless_literals,
    .cost = teddy_cost,
    .build = teddy_build,
    .check = teddy_check,
    .fallback = &engine_ac,
};
