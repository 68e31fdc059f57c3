/* build.c: chooses the grams of a set of literals and builds the tables of layout.h. The loop and
 * the essay are in vector.c.
 *
 * A longer gram passes less often, a longer stride looks at fewer places: q + stride - 1 is at most
 * the shortest pattern. For every q that this allows (for some, in large sets) the stride is as
 * long as it can be. Each pattern gives the window of grams that is rarest in the sample; among
 * windows that are not in it, the one that the fewest patterns share, since what is frequent in
 * patterns is so in their texts. What then passes on the sample says what a byte costs. So that the
 * choice does not praise itself, grams are counted on one half of the sample for the estimate, and
 * tried on the other.
 *
 * Cost: O(bytes of patterns, up to PRINT_OFFSET of each, + sample) for each q.
 */
#include "engines/literal/qgrams/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/literals.h"
#include "engines/shared/prints/build.h"

enum {
    COUNT_LOG = 17,    /* counters of the sample's grams */
    MIN_BITS_LOG = 15, /* of the bitmap: 4 KiB */
    MAX_BITS_LOG = 22, /* 512 KiB */
    AHEAD = 8,         /* patterns whose bytes are fetched before they are read */
    MANY = 16384,      /* patterns: with more, grams must be long, and chosen quickly */
    GPU_MAX_Q = 6,     /* bytes of a gram on a GPU */
    GPU_BITS_LOG = 17, /* of its bitmap */
    GPU_MAX_BITS_LOG = 20,
    GPU_SPARSE = 128,  /* bits for each gram */
    SAMPLE_WEIGHT = 64 /* of a gram in the sample against one among the patterns */
};

typedef struct choice {
    uint32_t q, stride, fold, bits_log;
    double cost;
} choice;

/* What choosing needs room for. */
typedef struct scratch {
    uint16_t *counts; /* of the sample's grams, by hash: 2^COUNT_LOG */
    uint32_t *bits;   /* 2^MAX_BITS_LOG */
    uint32_t bytes[256];
} scratch;

static bool scratch_open(memory *m, scratch *s)
{
    s->counts = memory_take_array(m, (size_t)1 << COUNT_LOG, sizeof *s->counts);
    s->bits = memory_take(m, (size_t)1 << (MAX_BITS_LOG - 3));
    return s->counts && s->bits;
}

static void scratch_close(memory *m, scratch *s)
{
    memory_give(m, s->counts);
    memory_give(m, s->bits);
}

static const char *qgrams_refuses(const pattern_list *list)
{
    const char *refusal = refuses_unless_literals(list);
    if (refusal)
        return refusal;
    return shortest_literal(list) < MIN_QGRAM
               ? "it takes literals of 2 bytes and more: use ac for single bytes"
               : NULL;
}

/* ---- the grams of a pattern ------------------------------------------------------- */

static void count_sample(scratch *s, const uint8_t *text, size_t length, const choice *c)
{
    memset(s->counts, 0, sizeof *s->counts << COUNT_LOG);
    memset(s->bytes, 0, sizeof s->bytes);
    for (size_t i = 0; i + c->q <= length; i++) {
        uint16_t *count = &s->counts[gram_hash_at(text + i, c->q, c->fold) >> (32 - COUNT_LOG)];
        *count = (uint16_t)(*count + (*count < UINT16_MAX));
    }
    for (size_t i = 0; i < length; i++)
        s->bytes[gram_fold(text[i], c->fold)]++;
}

/* Among grams that the sample does not tell apart, those that few patterns have are taken: then few
 * entries share a list, and text that is like the patterns passes less often. */
static void count_patterns(scratch *s, const pattern_list *list, const choice *c)
{
    for (uint32_t i = 0; i < 1u << COUNT_LOG; i++)
        s->counts[i] = s->counts[i] < UINT16_MAX / SAMPLE_WEIGHT
                           ? (uint16_t)(s->counts[i] * SAMPLE_WEIGHT)
                           : UINT16_MAX;
    const size_t step = 1 + list->count / MANY;
    for (size_t i = 0; i < list->count; i += step) {
        const pattern *p = &list->patterns[i];
        for (size_t k = 0; k + c->q <= p->length && k <= PRINT_OFFSET; k++) {
            uint16_t *count =
                &s->counts[gram_hash_at(p->bytes + k, c->q, c->fold) >> (32 - COUNT_LOG)];
            *count = (uint16_t)(*count + (*count < UINT16_MAX));
        }
    }
}

/* Where the pattern's rarest window of `stride` grams begins: by the sample's grams, and of equal
 * ones by its bytes. */
static uint32_t rarest_window(const scratch *s, const pattern *p, const choice *c)
{
    const uint32_t width = c->q + c->stride - 1;
    const uint32_t most = PRINT_OFFSET + 1 - c->stride;
    const uint32_t last = p->length - width < most ? (uint32_t)(p->length - width) : most;
    const uint32_t fold = c->fold;
    uint32_t grams = 0, bytes = 0, best = 0, seen[PRINT_OFFSET + 1];
    uint64_t least = UINT64_MAX;
    if (last == 0)
        return 0;
    for (uint32_t i = 0; i < last + c->stride; i++)
        seen[i] = s->counts[gram_hash_at(p->bytes + i, c->q, c->fold) >> (32 - COUNT_LOG)];
    for (uint32_t i = 0; i + 1 < c->stride; i++)
        grams += seen[i];
    for (uint32_t i = 0; i + 1 < width; i++)
        bytes += s->bytes[gram_fold(p->bytes[i], fold)];
    for (uint32_t at = 0; at <= last; at++) {
        grams += seen[at + c->stride - 1];
        bytes += s->bytes[gram_fold(p->bytes[at + width - 1], fold)];
        const uint64_t score = (uint64_t)grams << 32 | bytes;
        best = score < least ? at : best;
        least = score < least ? score : least;
        grams -= seen[at];
        bytes -= s->bytes[gram_fold(p->bytes[at], fold)];
    }
    return best;
}

/* ---- choosing ---------------------------------------------------------------------- */

static uint32_t log_above(uint64_t number)
{
    uint32_t log = 0;
    while ((uint64_t)1 << log < number)
        log++;
    return log;
}

static uint32_t between(uint32_t least, uint32_t number, uint32_t most)
{
    return number < least ? least : number > most ? most : number;
}

/* Choose windows (which go to `windows`, if that is not NULL) and set the bits of their grams;
 * returns how many are set. */
static uint32_t fill_bits(scratch *s, const pattern_list *list, const choice *c, uint32_t log,
                          uint8_t *windows)
{
    uint32_t set = 0;
    memset(s->bits, 0, ((size_t)1 << log) / 8);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if (list->count - i > AHEAD)
            WALK_FETCH(p[AHEAD].bytes);
        const uint32_t first = rarest_window(s, p, c);
        if (windows)
            windows[i] = (uint8_t)first;
        for (uint32_t k = first; k < first + c->stride; k++) {
            const uint32_t place = gram_hash_at(p->bytes + k, c->q, c->fold) >> (32 - log);
            set += !(s->bits[place / 32] >> (place % 32) & 1);
            s->bits[place / 32] |= 1u << (place % 32);
        }
    }
    return set;
}

static double probe_cost(uint32_t bits_log, const target *t)
{
    const double cost = bits_log <= 18 ? COST_QGRAMS_PROBE : COST_QGRAMS_PROBE_FAR;
    return t->isa == ISA_AVX2 ? COST_QGRAMS_PROBE_AVX2 * cost : cost_of_vector(cost, t);
}

/* What a byte costs with c->q and c->stride, and with which bitmap. */
static void estimate(const problem *p, scratch *s, choice *c)
{
    const pattern_list *list = p->list;
    const size_t half = p->sample.length / 2;
    const uint8_t *other = p->sample.bytes + half;
    const uint64_t grams = (uint64_t)list->count * c->stride;
    const uint32_t log = between(MIN_BITS_LOG, log_above(64 * grams), MAX_BITS_LOG);
    size_t passed = 0, tried = 0;
    count_sample(s, p->sample.bytes, half, c);
    count_patterns(s, list, c);
    const uint32_t set = fill_bits(s, list, c, log, NULL);
    for (; tried + c->q <= p->sample.length - half; tried++) {
        const uint32_t place = gram_hash_at(other + tried, c->q, c->fold) >> (32 - log);
        passed += s->bits[place / 32] >> (place % 32) & 1;
    }
    const double share = tried ? (double)passed / (double)tried : 1;
    const double per_list = set ? (double)grams / set : 1;
    const double candidate = COST_QGRAMS_CANDIDATE + COST_QGRAMS_ENTRY * per_list +
                             (grams > COST_QGRAMS_NEAR ? COST_QGRAMS_FAR : 0);
    c->cost = COST_IMPOSSIBLE;
    for (uint32_t bits = MIN_BITS_LOG; bits <= log; bits++) {
        const double chance = (double)set / (double)((uint64_t)1 << bits);
        const double probe = probe_cost(bits, &p->target) + (c->q > 4 ? COST_QGRAMS_WIDE : 0);
        const double cost = (probe + (share + chance) * candidate) / c->stride;
        if (cost < c->cost) {
            c->cost = cost;
            c->bits_log = bits;
        }
    }
}

/* The same on a GPU, whose bitmap is as large as device.c makes it. */
static void estimate_gpu(const problem *p, scratch *s, choice *c)
{
    const pattern_list *list = p->list;
    const size_t half = p->sample.length / 2;
    const uint8_t *other = p->sample.bytes + half;
    size_t passed = 0, tried = 0;
    count_sample(s, p->sample.bytes, half, c);
    count_patterns(s, list, c);
    const uint32_t set = fill_bits(s, list, c, MAX_BITS_LOG, NULL);
    for (; tried + c->q <= p->sample.length - half; tried++) {
        const uint32_t place = gram_hash_at(other + tried, c->q, c->fold) >> (32 - MAX_BITS_LOG);
        passed += s->bits[place / 32] >> (place % 32) & 1;
    }
    const double share = tried ? (double)passed / (double)tried : 1;
    const double entries = set ? (double)list->count * c->stride / set : 1;
    c->bits_log = between(GPU_BITS_LOG, log_above((uint64_t)GPU_SPARSE * set), GPU_MAX_BITS_LOG);
    const double chance = (double)set / (double)((uint64_t)1 << c->bits_log);
    const double look_up = (share + (chance < 1 ? chance : 1)) * COST_GPU_QGRAMS_LOOK_UP +
                           share * entries * COST_GPU_QGRAMS_ENTRY;
    c->cost = COST_GPU_QGRAMS_BYTE + (COST_GPU_QGRAMS_PROBE + look_up) / c->stride;
}

static uint32_t fold_of(const pattern_list *list)
{
    return fold_any(list) ? GRAM_FOLD : 0;
}

static choice choose(const problem *p, scratch *s)
{
    const size_t shortest = shortest_literal(p->list);
    const uint32_t fold = fold_of(p->list);
    choice best = { .cost = COST_IMPOSSIBLE * 2 };
    const bool many = p->list->count > MANY;
    const uint32_t step = many && shortest > 7 ? 2 : 1, least = many ? 4 : MIN_QGRAM;
    for (uint32_t q = between(MIN_QGRAM, (uint32_t)(shortest < 8 ? shortest : 8), MAX_GRAM);
         q >= MIN_QGRAM; q -= step) {
        const uint32_t stride =
            shortest - q + 1 < QGRAMS_STRIDE ? (uint32_t)(shortest - q + 1) : QGRAMS_STRIDE;
        choice c = { .q = q, .stride = stride, .fold = fold };
        if (q < least && best.q)
            break; /* with so large a set all short grams pass */
        estimate(p, s, &c);
        if (c.cost < best.cost)
            best = c;
    }
    return best;
}

static choice choose_gpu(const problem *p, scratch *s)
{
    const uint32_t shortest = (uint32_t)(shortest_literal(p->list) < GPU_MAX_Q + QGRAMS_STRIDE
                                             ? shortest_literal(p->list)
                                             : GPU_MAX_Q + QGRAMS_STRIDE);
    choice best = { .cost = COST_IMPOSSIBLE * 2 };
    const uint32_t least = p->list->count > MANY && shortest >= 4 ? 4 : MIN_QGRAM;
    for (uint32_t q = least; q <= GPU_MAX_Q && q <= shortest; q++)
        for (uint32_t stride = 1; stride <= QGRAMS_STRIDE && q + stride - 1 <= shortest;
             stride *= 2) {
            choice c = { .q = q, .stride = stride, .fold = fold_of(p->list) };
            estimate_gpu(p, s, &c);
            if (c.cost < best.cost)
                best = c;
        }
    return best;
}

/* A choice as one number, 0 for none, from the cost to the build. */
static uint32_t choice_number(const choice *c)
{
    return c->q | c->stride << 8 | c->bits_log << 16;
}

static choice choice_of(const problem *p, scratch *s)
{
    const uint32_t number = p->choice ? *p->choice : 0;
    if (!number)
        return p->target.gpu ? choose_gpu(p, s) : choose(p, s);
    return (choice){ .q = number & 255,
                     .stride = number >> 8 & 255,
                     .bits_log = number >> 16,
                     .fold = fold_of(p->list) };
}

static double qgrams_cost(const problem *p)
{
    scratch s;
    double cost = COST_IMPOSSIBLE;
    if (scratch_open(p->memory, &s)) {
        const choice c = p->target.gpu ? choose_gpu(p, &s) : choose(p, &s);
        cost = c.cost;
        if (p->choice)
            *p->choice = choice_number(&c);
    }
    scratch_close(p->memory, &s);
    return cost;
}

/* ---- building ----------------------------------------------------------------------- */

static void lay_out(const problem *p, scratch *s, uint8_t *windows, block *b)
{
    const choice c = choice_of(p, s);
    const prints_choice grams = { p->list, windows, c.q, c.fold, c.stride };
    qgrams_tables head = { .stride = c.stride, .bits_shift = 32 - c.bits_log };
    count_sample(s, p->sample.bytes, p->sample.length, &c);
    count_patterns(s, p->list, &c);
    fill_bits(s, p->list, &c, c.bits_log, windows);
    block_words(b, NULL, sizeof head / 4);
    head.bits = (uint32_t)(block_append(b, s->bits, ((size_t)1 << c.bits_log) / 8, 64) / 4);
    head.prints = append_prints(&grams, b);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

static void qgrams_build(const problem *p, stage_draft *out)
{
    scratch s;
    uint8_t *windows = memory_take(p->memory, p->list->count);
    const bool open = scratch_open(p->memory, &s);
    if (open && windows)
        lay_out(p, &s, windows, &out->tables);
    else
        out->tables.failed = true;
    scratch_close(p->memory, &s);
    memory_give(p->memory, windows);
}

/* ---- verifying a loaded section ------------------------------------------------------ */

static bool qgrams_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const qgrams_tables *t = (const qgrams_tables *)tables;
    return words >= sizeof *t / 4 && !facts->carries && !facts->state_words && t->stride >= 1 &&
           t->stride <= QGRAMS_STRIDE && t->prints.q >= MIN_QGRAM &&
           t->bits_shift >= 32 - MAX_BITS_LOG && t->bits_shift <= 32 - MIN_BITS_LOG &&
           words_inside(words, t->bits, ((uint64_t)1 << (32 - t->bits_shift)) / 32) &&
           prints_valid(facts, &t->prints, tables, words);
}

const engine engine_qgrams = {
    .name = "qgrams",
    .about = "strided filter by hashed q-grams, rarest windows: large sets of literals",
    .kind = WALK_QGRAMS,
    .refuses = qgrams_refuses,
    .cost = qgrams_cost,
    .build = qgrams_build,
    .check = qgrams_check,
    .fallback = &engine_ac,
};
