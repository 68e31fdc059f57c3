/* build.c: the bitmap of a set's first bytes (layout.h), a filter for pfac.
 *
 * q is the largest of 4, 3, 2 that leaves 7 of 8 bits free, since patterns shorter than q stand
 * in the bitmap with all continuations. Then the bitmap shrinks, from 2^18 bits down to 2^15, as
 * long as it is at most 1/32 full: small ones leave more room to caches.
 */
#include "engines/papers/grams/layout.h"

#include <string.h>

#include "engines/papers/grams/build.h"
#include "engines/shared/literals.h"

enum { LEAST_LOG = 15, MOST_LOG = 18 };
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

/* The best filter, in `bits`, which has room for 2^MOST_LOG. */
static void choose_filter(const pattern_list *list, grams_tables *t, uint32_t *bits)
{
    uint32_t best = 0, least = UINT32_MAX;
    t->fold = fold_any(list) ? GRAM_FOLD : 0;
    for (uint32_t q = 4; q >= 2; q--) {
        const uint32_t size = choose(t, q, MOST_LOG);
        if (fill(list, t, bits) && t->set < least) {
            least = t->set;
            best = q;
        }
        if (least <= size / 8)
            break;
    }
    if (best == 0) { /* everything passes */
        t->set = choose(t, 4, LEAST_LOG);
        memset(bits, 0xff, t->set / 8);
        return;
    }
    uint32_t log = MOST_LOG;
    while (log > LEAST_LOG && least <= ((uint32_t)1 << (log - 1)) / 32)
        log--;
    choose(t, best, log);
    fill(list, t, bits);
}

double grams_pass(const problem *p)
{
    const uint8_t *text = p->sample.bytes;
    uint32_t *bits = memory_take(p->memory, (size_t)1 << (MOST_LOG - 3));
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

static void grams_build(const problem *p, stage_draft *out)
{
    block *b = &out->tables;
    uint32_t *bits = memory_take(p->memory, (size_t)1 << (MOST_LOG - 3));
    grams_tables head;
    memset(&head, 0, sizeof head);
    if (bits) {
        choose_filter(p->list, &head, bits);
        block_words(b, NULL, sizeof head / 4);
        head.bits = (uint32_t)(block_append(b, bits, ((size_t)1 << (32 - head.shift)) / 8, 64) / 4);
        if (!b->failed)
            memcpy(b->bytes, &head, sizeof head);
    } else {
        b->failed = true;
    }
    memory_give(p->memory, bits);
}

static bool grams_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const grams_tables *t = (const grams_tables *)tables;
    return words >= sizeof *t / 4 && !facts->carries && !facts->state_words && t->q >= 2 &&
           t->q <= 4 && t->shift >= 32 - MOST_LOG && t->shift <= 32 - LEAST_LOG &&
           t->mask == UINT32_MAX >> (32 - 8 * t->q) &&
           words_inside(words, t->bits, ((uint64_t)1 << (32 - t->shift)) / 32);
}

const engine engine_grams = {
    .name = "grams",
    .about = "a bitmap of first bytes: a filter for pfac",
    .kind = WALK_GRAMS,
    .refuses = refuses_unless_literals,
    .build = grams_build,
    .check = grams_check,
};
