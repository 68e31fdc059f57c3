/* build.c: the bitmap and the buckets of grams of two-bit letters. The loop and the essay are in
 * vector.c.
 *
 * Letters are those of the literals, in lower case if some literal folds, or if only then they are
 * at most four. Four codes for four bytes can always be found as an exclusive or of two lookups by
 * half a byte: by two neighbouring bits of them. Or else take bytes as edges of a graph, and their
 * halves as nodes: if four edges are no forest, they are a ring, and the codes 0 ^ 1 ^ 2 ^ 3 = 0
 * are what a ring needs.
 *
 * The window of a set is as long as its shortest literal. Longer grams pass less often, but in a
 * larger bitmap, which fewer caches hold, and with a shorter stride: q is what costs least, judged
 * by what passes in random letters. That estimate also bounds what the sample says, which may not
 * be text of these letters at all.
 */
#include "engines/literal/kmers/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/literals.h"

enum { LETTERS = 4, MIN_LOG = 6, MAX_LOG = 24 };
#define DEFAULT_SKEW 2.0 /* grams of real sequences, against random ones */

/* ---- letters ------------------------------------------------------------------- */

typedef struct alphabet {
    uint8_t letters[LETTERS];
    uint32_t count; /* LETTERS + 1: more than that */
    bool fold;
} alphabet;

static void add_letters(const pattern *p, alphabet *a)
{
    bool seen[256] = { false };
    for (uint32_t i = 0; i < a->count; i++)
        seen[a->letters[i]] = true;
    for (size_t i = 0; i < p->length && a->count <= LETTERS; i++) {
        const uint8_t letter = a->fold ? fold_byte(p->bytes[i]) : p->bytes[i];
        if (seen[letter])
            continue;
        if (a->count < LETTERS)
            a->letters[a->count] = letter;
        a->count++;
        seen[letter] = true;
    }
}

static alphabet alphabet_of(const pattern_list *list, bool fold)
{
    alphabet a = { .fold = fold };
    for (size_t i = 0; i < list->count && a.count <= LETTERS; i++)
        add_letters(&list->patterns[i], &a);
    return a;
}

static alphabet choose_alphabet(const pattern_list *list)
{
    const bool fold = fold_any(list);
    const alphabet a = alphabet_of(list, fold);
    return a.count > LETTERS && !fold ? alphabet_of(list, true) : a;
}

/* The number of the first letter with the same half. */
static uint32_t same_half(const alphabet *a, uint32_t i, uint32_t shift)
{
    uint32_t first = 0;
    while ((a->letters[first] >> shift & 15) != (a->letters[i] >> shift & 15))
        first++;
    return first;
}

/* Letters' codes: `halves` holds two bits for each letter's lower half, then for each upper one.
 * False when two codes are the same. */
static bool codes_of(const alphabet *a, uint32_t halves, uint8_t codes[LETTERS])
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t low = 2 * same_half(a, i, 0), high = 8 + 2 * same_half(a, i, 4);
        codes[i] = (uint8_t)((halves >> low ^ halves >> high) & 3);
        if (used >> codes[i] & 1)
            return false;
        used |= 1u << codes[i];
    }
    return true;
}

/* Whether two bits of a letter, from `bit` on, tell all of them apart, and both its cases are one.
 */
static bool bits_tell(const alphabet *a, uint32_t bit, uint8_t codes[LETTERS])
{
    const uint32_t of_case = 'a' ^ 'A';
    uint32_t used = 0;
    if (a->fold && 3u << bit & of_case)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        codes[i] = a->letters[i] >> bit & 3;
        if (used >> codes[i] & 1)
            return false;
        used |= 1u << codes[i];
    }
    return true;
}

/* Bytes that are no letters have codes that differ, so that text of them is no run of one. */
static void fill_halves(const alphabet *a, kmers_tables *t, uint8_t codes[LETTERS])
{
    uint32_t halves = 0;
    while (!codes_of(a, halves, codes))
        halves++;
    for (uint32_t i = 0; i < 16; i++) {
        t->letter_low[i] = (uint8_t)((i ^ i >> 2) & 3);
        t->letter_high[i] = (uint8_t)((i ^ i >> 2) & 3);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        t->letter_low[a->letters[i] & 15] = (uint8_t)(halves >> 2 * same_half(a, i, 0) & 3);
        t->letter_high[a->letters[i] >> 4] = (uint8_t)(halves >> (8 + 2 * same_half(a, i, 4)) & 3);
    }
}

static void fill_letters(const alphabet *a, kmers_tables *t)
{
    uint8_t codes[LETTERS];
    while (t->letter_bit < 7 && !bits_tell(a, t->letter_bit, codes))
        t->letter_bit++;
    if (t->letter_bit < 7) {
        for (uint32_t i = 0; i < 16; i++) {
            t->letter_low[i] = (uint8_t)(i >> t->letter_bit & 3);
            t->letter_high[i] = (uint8_t)(i << 4 >> t->letter_bit & 3);
        }
    } else {
        t->letter_bit = KMERS_GENERAL;
        fill_halves(a, t, codes);
    }
    for (uint32_t code = 0; code < 16; code++) /* where there is none: one of another code */
        t->letters[code] = a->letters[0];
    for (uint32_t i = 0; i < a->count; i++)
        t->letters[codes[i]] = a->letters[i];
    t->fold = a->fold;
}

static uint8_t code_of(const kmers_tables *t, uint8_t byte)
{
    const uint8_t b = t->fold ? fold_byte(byte) : byte;
    return t->letter_low[b & 15] ^ t->letter_high[b >> 4];
}

static const char *kmers_refuses(const pattern_list *list)
{
    const char *why = refuses_unless_literals(list);
    if (why)
        return why;
    if (choose_alphabet(list).count > LETTERS)
        return "it takes literals that have four different letters at most between them";
    return NULL;
}

/* ---- grams --------------------------------------------------------------------- */

static size_t bitmap_words(const kmers_tables *t)
{
    return (((size_t)1 << (2 * t->q)) + 31) / 32;
}

/* Codes of the first `count` letters, of 32 at most. */
static uint64_t pack(const kmers_tables *t, const uint8_t *bytes, size_t count)
{
    uint64_t bases = 0;
    for (size_t i = 0; i < count; i++)
        bases |= (uint64_t)code_of(t, bytes[i]) << (2 * i);
    return bases;
}

/* The grams of a literal's first `stride` places. */
static void grams_of(const kmers_tables *t, const pattern *p, uint32_t grams[KMERS_STRIDE])
{
    const uint32_t top = 2 * (t->q - 1);
    uint32_t gram = 0;
    for (uint32_t i = 0; i < t->q + t->stride - 1; i++) {
        gram = gram >> 2 | (uint32_t)code_of(t, p->bytes[i]) << top;
        if (i + 1 >= t->q)
            grams[i + 1 - t->q] = gram;
    }
}

static double probe_cost(double bytes)
{
    if (bytes <= COST_KMERS_FIRST)
        return COST_KMERS_PROBE;
    if (bytes <= COST_KMERS_SECOND)
        return COST_KMERS_PROBE_SECOND;
    return bytes <= COST_KMERS_FAR ? COST_KMERS_PROBE_FAR : 2 * COST_KMERS_PROBE_FAR;
}

static double pass_cost(double entries)
{
    const bool near = entries * (double)sizeof(kmers_entry) <= COST_KMERS_SECOND;
    return near ? COST_KMERS_PASS : COST_KMERS_PASS_FAR;
}

static double cost_on_gpu(const kmers_tables *t, double pass, double found)
{
    const bool near = bitmap_words(t) * 4 <= COST_GPU_KMERS_NEAR;
    const double probe = near ? COST_GPU_KMERS_PROBE : COST_GPU_KMERS_PROBE_FAR;
    return COST_GPU_KMERS_BYTE +
           (probe + pass * (COST_GPU_KMERS_PASS + found * COST_GPU_KMERS_ENTRY)) / t->stride;
}

/* What a byte of text costs when the share `pass` of the probes pass, and find `found` entries. */
static double cost_of(const problem *p, const kmers_tables *t, double pass, double found)
{
    if (p->target.gpu)
        return cost_on_gpu(t, pass, found);
    const double probe =
        probe_cost((double)bitmap_words(t) * 4) +
        pass * (pass_cost((double)p->list->count * t->stride) + found * COST_KMERS_ENTRY);
    return cost_of_vector(COST_KMERS_PACK, &p->target) + probe / t->stride;
}

/* The cost for random letters. */
static double usual_cost(const problem *p, const kmers_tables *t)
{
    const double grams = (double)p->list->count * t->stride;
    const double all = (double)bitmap_words(t) * 32;
    const double pass = DEFAULT_SKEW * grams / (DEFAULT_SKEW * grams + all);
    return cost_of(p, t, pass, 1 + grams / all);
}

static void choose_gram(const problem *p, kmers_tables *t)
{
    const pattern_list *list = p->list;
    const size_t window = shortest_literal(list);
    kmers_tables best = *t;
    double least = 0;
    for (t->q = MIN_KMER; t->q <= MAX_KMER && t->q <= window; t->q++) {
        const size_t stride = window - t->q + 1;
        t->stride = stride < KMERS_STRIDE ? (uint32_t)stride : KMERS_STRIDE;
        const double cost = usual_cost(p, t);
        if (best.q == 0 || cost < least) {
            best = *t;
            least = cost;
        }
    }
    *t = best;
}

static void choose(const problem *p, kmers_tables *t)
{
    const alphabet a = choose_alphabet(p->list);
    memset(t, 0, sizeof *t);
    fill_letters(&a, t);
    t->compare = fold_mixed(p->list) || (a.fold && !fold_any(p->list));
    choose_gram(p, t);
}

/* Set the bits of all grams; how many there are. */
static size_t fill_bits(const problem *p, const kmers_tables *t, uint32_t *bits)
{
    size_t set = 0;
    memset(bits, 0, bitmap_words(t) * 4);
    for (size_t i = 0; i < p->list->count; i++) {
        uint32_t grams[KMERS_STRIDE];
        grams_of(t, &p->list->patterns[i], grams);
        for (uint32_t at = 0; at < t->stride; at++) {
            set += !(bits[grams[at] / 32] >> (grams[at] % 32) & 1);
            bits[grams[at] / 32] |= 1u << (grams[at] % 32);
        }
    }
    return set;
}

/* The sample's share of grams that pass. */
static double passing(const problem *p, const kmers_tables *t, const uint32_t *bits)
{
    const uint32_t top = 2 * (t->q - 1);
    size_t grams = 0, passed = 0;
    uint32_t gram = 0;
    for (size_t i = 0; i < p->sample.length; i++) {
        gram = gram >> 2 | (uint32_t)code_of(t, p->sample.bytes[i]) << top;
        if (i + 1 < t->q)
            continue;
        grams++;
        passed += bits[gram / 32] >> (gram % 32) & 1;
    }
    return grams ? (double)passed / (double)grams : 1;
}

static double kmers_cost(const problem *p)
{
    kmers_tables t;
    choose(p, &t);
    uint32_t *bits = memory_take(p->memory, bitmap_words(&t) * 4);
    if (!bits)
        return COST_IMPOSSIBLE;
    const size_t set = fill_bits(p, &t, bits);
    const double found = (double)p->list->count * t.stride / (double)set;
    const double sampled = cost_of(p, &t, passing(p, &t, bits), found);
    const double usual = usual_cost(p, &t);
    memory_give(p->memory, bits);
    return sampled > usual ? sampled : usual;
}

/* ---- its tables ------------------------------------------------------------------ */

/* Entries in the order of their buckets. `starts` has a word more than there are buckets, zeros. */
static void fill_entries(const problem *p, const kmers_tables *t, uint32_t *starts,
                         kmers_entry *entries)
{
    const pattern_list *list = p->list;
    const uint32_t buckets = 1u << (32 - t->shift);
    uint32_t grams[KMERS_STRIDE];
    for (size_t i = 0; i < list->count; i++) {
        grams_of(t, &list->patterns[i], grams);
        for (uint32_t at = 0; at < t->stride; at++)
            starts[grams[at] * KMERS_HASH >> t->shift]++;
    }
    for (uint32_t b = 0, sum = 0; b <= buckets; b++) {
        sum += starts[b];
        starts[b] = sum;
    }
    for (size_t i = list->count; i-- > 0;) {
        const pattern *l = &list->patterns[i];
        const uint64_t bases = pack(t, l->bytes, l->length < KMERS_KNOWN ? l->length : KMERS_KNOWN);
        grams_of(t, l, grams);
        for (uint32_t at = t->stride; at-- > 0;) {
            kmers_entry *e = &entries[--starts[grams[at] * KMERS_HASH >> t->shift]];
            e->bases = bases;
            e->index = (uint32_t)i;
            e->where = at | (uint32_t)l->length << KMERS_LENGTH;
        }
    }
}

static void append_entries(const problem *p, kmers_tables *t, block *b)
{
    const uint64_t count = (uint64_t)p->list->count * t->stride;
    uint32_t log = MIN_LOG;
    while (log < MAX_LOG && (uint64_t)1 << log < count)
        log++;
    t->shift = 32 - log;
    const size_t buckets = (size_t)1 << log;
    if (count > UINT32_MAX / 4) {
        b->failed = true;
        return;
    }
    block_reserve(b, b->size + (buckets + 1) * 4 + (size_t)count * sizeof(kmers_entry) + 128);
    t->buckets = block_words(b, NULL, buckets + 1);
    t->entries = (uint32_t)(block_append(b, NULL, (size_t)count * sizeof(kmers_entry), 64) / 4);
    if (!b->failed)
        fill_entries(p, t, (uint32_t *)(void *)(b->bytes + (size_t)t->buckets * 4),
                     (kmers_entry *)(void *)(b->bytes + (size_t)t->entries * 4));
}

static void kmers_build(const problem *p, stage_draft *out)
{
    block *b = &out->tables;
    kmers_tables head;
    choose(p, &head);
    block_words(b, NULL, sizeof head / 4);
    head.bits = (uint32_t)(block_append(b, NULL, bitmap_words(&head) * 4, 64) / 4);
    if (!b->failed)
        fill_bits(p, &head, (uint32_t *)(void *)(b->bytes + (size_t)head.bits * 4));
    append_entries(p, &head, b);
    head.literals = append_literals(p->list, b);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

static bool entries_valid(const stage_facts *facts, const kmers_tables *t, const uint32_t *tables,
                          size_t words)
{
    const uint64_t buckets = (uint64_t)1 << (32 - t->shift);
    if (!words_inside(words, t->buckets, buckets + 1))
        return false;
    const uint32_t *starts = tables + t->buckets;
    for (uint64_t b = 0; b < buckets; b++)
        if (starts[b] > starts[b + 1])
            return false;
    const uint32_t count = starts[buckets];
    if (t->entries % 4 != 0 || !words_inside(words, t->entries, (uint64_t)count * 4))
        return false;
    const kmers_entry *e = (const kmers_entry *)(const void *)(tables + t->entries);
    for (uint32_t i = 0; i < count; i++)
        if (e[i].index >= facts->pattern_count ||
            e[i].where >> KMERS_LENGTH != literal_length(tables, t->literals.entries, e[i].index))
            return false;
    return true;
}

static bool kmers_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const kmers_tables *t = (const kmers_tables *)tables;
    if (words < sizeof *t / 4 || facts->carries || facts->state_words || t->q < MIN_KMER ||
        t->q > MAX_KMER || t->letter_bit > KMERS_GENERAL || t->letter_bit == 7 || t->stride < 1 ||
        t->stride > KMERS_STRIDE || t->shift < 32 - MAX_LOG || t->shift > 32 - MIN_LOG ||
        !literals_valid(facts, &t->literals, tables, words) ||
        !words_inside(words, t->bits, bitmap_words(t)))
        return false;
    for (int i = 0; i < 16; i++)
        if (t->letter_low[i] > 3 || t->letter_high[i] > 3 ||
            (t->letter_bit != KMERS_GENERAL &&
             (t->letter_low[i] != (i >> t->letter_bit & 3) ||
              t->letter_high[i] != (i << 4 >> t->letter_bit & 3))))
            return false;
    return entries_valid(facts, t, tables, words);
}

const engine engine_kmers = {
    .name = "kmers",
    .about = "packed q-grams: many literals of four letters at most, as in DNA",
    .kind = WALK_KMERS,
    .refuses = kmers_refuses,
    .cost = kmers_cost,
    .build = kmers_build,
    .check = kmers_check,
    .fallback = &engine_ac,
};
