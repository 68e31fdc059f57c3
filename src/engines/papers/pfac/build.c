/* build.c: PFAC: the tables of Aho-Corasick without failure links, and a bitmap of first bytes
 * (layout.h).
 *
 * q is the largest of 4, 3, 2 that leaves 7 of 8 bits free, since patterns shorter than q stand
 * in the bitmap with all continuations. Then the bitmap shrinks, from 2^18 bits down to 2^15, as
 * long as it is at most 1/32 full: small ones leave more room to caches.
 */
#include "engines/papers/pfac/layout.h"

#include <string.h>

#include "engines/literal/ac/build.h"
#include "engines/shared/costs.h"
#include "engines/shared/literals.h"

enum { MIN_LOG = 15, MAX_LOG = 18 };
#define BUDGET (1u << 21) /* grams: more, and q is given up */

static uint32_t hash_of(const grams_tables *t, uint32_t gram)
{
    return (gram_fold(gram, t->fold) & t->mask) * GRAMS_HASH >> t->shift;
}

static uint32_t choose(grams_tables *t, uint32_t q, uint32_t log)
{
    t->q = q;
    t->shift = 32 - log;
    t->mask = UINT32_MAX >> (32 - 8 * q);
    return (uint32_t)1 << log;
}

/* Set the bits of all grams; false when they would be too many. Counts them in t->set. */
static bool fill(const pattern_list *list, grams_tables *t, uint32_t *bits)
{
    uint64_t steps = 0;
    t->set = 0;
    memset(bits, 0, ((size_t)1 << (32 - t->shift)) / 8);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        const uint32_t known = p->length < t->q ? (uint32_t)p->length : t->q;
        const uint64_t open = (uint64_t)1 << (8 * (t->q - known));
        uint32_t gram = 0;
        for (uint32_t k = 0; k < known; k++)
            gram |= (uint32_t)p->bytes[k] << (8 * k);
        steps += open;
        if (steps > BUDGET)
            return false;
        for (uint64_t rest = 0; rest < open; rest++) {
            const uint32_t hash = hash_of(t, gram | (uint32_t)(rest << (8 * known)));
            t->set += !(bits[hash / 32] >> (hash % 32) & 1);
            bits[hash / 32] |= 1u << (hash % 32);
        }
    }
    return true;
}

/* The best filter, in `bits`, which has room for 2^MAX_LOG. */
static void choose_filter(const pattern_list *list, grams_tables *t, uint32_t *bits)
{
    uint32_t best = 0, least = UINT32_MAX;
    t->fold = fold_any(list) ? GRAM_FOLD : 0;
    for (uint32_t q = 4; q >= 2; q--) {
        const uint32_t size = choose(t, q, MAX_LOG);
        if (fill(list, t, bits) && t->set < least) {
            least = t->set;
            best = q;
        }
        if (least <= size / 8)
            break;
    }
    if (best == 0) { /* everything passes */
        t->set = choose(t, 4, MIN_LOG);
        memset(bits, 0xff, t->set / 8);
        return;
    }
    uint32_t log = MAX_LOG;
    while (log > MIN_LOG && least <= ((uint32_t)1 << (log - 1)) / 32)
        log--;
    choose(t, best, log);
    fill(list, t, bits);
}

/* The share of the sample's starts that pass the bitmap; 1 when memory ran out. */
static double grams_pass(const problem *p)
{
    const uint8_t *text = p->sample.bytes;
    uint32_t *bits = memory_take(p->memory, (size_t)1 << (MAX_LOG - 3));
    grams_tables t;
    size_t starts = 0, passed = 0;
    memset(&t, 0, sizeof t);
    if (!bits)
        return 1;
    choose_filter(p->list, &t, bits);
    for (; starts + 4 <= p->sample.length; starts++) {
        const uint32_t hash =
            hash_of(&t, (uint32_t)text[starts] | (uint32_t)text[starts + 1] << 8 |
                            (uint32_t)text[starts + 2] << 16 | (uint32_t)text[starts + 3] << 24);
        passed += bits[hash / 32] >> (hash % 32) & 1;
    }
    memory_give(p->memory, bits);
    return starts ? (double)passed / (double)starts : 1;
}

static void pfac_build(const problem *p, stage_draft *out)
{
    block *b = &out->tables;
    uint32_t *bits = memory_take(p->memory, (size_t)1 << (MAX_LOG - 3));
    grams_tables grams;
    memset(&grams, 0, sizeof grams);
    ac_lay_out(p, sizeof(pfac_tables), out);
    if (bits) {
        choose_filter(p->list, &grams, bits);
        const size_t bytes = ((size_t)1 << (32 - grams.shift)) / 8;
        grams.bits = (uint32_t)(block_append(b, bits, bytes, 64) / 4);
    } else {
        b->failed = true;
    }
    if (!b->failed)
        ((pfac_tables *)(void *)b->bytes)->grams = grams;
    memory_give(p->memory, bits);
}

static bool pfac_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const grams_tables *g = &((const pfac_tables *)tables)->grams;
    return words >= sizeof(pfac_tables) / 4 && facts->state_words == 0 &&
           ac_tables_valid(facts, tables, words) && g->q >= 2 && g->q <= 4 &&
           g->shift >= 32 - MAX_LOG && g->shift <= 32 - MIN_LOG &&
           g->mask == UINT32_MAX >> (32 - 8 * g->q) &&
           words_inside(words, g->bits, ((uint64_t)1 << (32 - g->shift)) / 32);
}

static double pfac_cost(const problem *p)
{
    if (p->target.gpu)
        return COST_GPU_PFAC + COST_GPU_PFAC_VERIFY * grams_pass(p);
    if (p->list->count > COST_MAX_LITERALS)
        return COST_IMPOSSIBLE;
    return COST_GRAM + COST_PFAC_VERIFY * grams_pass(p);
}

const engine engine_pfac = {
    .name = "pfac",
    .about = "parallel failureless Aho-Corasick (PFAC), one walk a start: many literals",
    .kind = WALK_PFAC,
    .refuses = refuses_unless_literals,
    .cost = pfac_cost,
    .build = pfac_build,
    .check = pfac_check,
    .fallback = &engine_ac,
};
