/* grams.c: the bitmap of PFAC's filter (pfac.k).
 *
 * The first q bytes of all patterns, found by walking the trie, so that a class of bytes (both
 * cases of a letter) stands there with all its bytes. When the trie folds case, text and bitmap
 * have bit 5 of every byte set: that makes the cases equal, and keeps a string of q letters from
 * taking 2^q bits. q is the largest of 4, 3, 2 that leaves 7 of 8 bits free, since patterns
 * shorter than q stand there with all continuations. Then the bitmap shrinks as long as it is at
 * most 1/32 full: small ones leave more room to caches.
 *
 * Cost: the strings of q bytes, GRAM_BUDGET steps at most for each q tried.
 */
#include "kernel/grams.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "table/pfac.h"

#define GRAM_BUDGET (1u << 21) /* steps through the trie: more, and q is given up */
#define ANY_STATE UINT32_MAX   /* an occurrence has ended: anything may follow */

typedef struct gram_set {
    const uint32_t *tables;
    uint8_t bytes[257][256]; /* of each class those that differ under `fold`; last, of all */
    uint32_t byte_count[257];
    uint32_t steps;
    gram_filter *to;
} gram_set;

static void add_byte(gram_set *g, uint32_t list, uint8_t byte)
{
    byte = (uint8_t)(byte | g->to->fold);
    for (uint32_t i = 0; i < g->byte_count[list]; i++)
        if (g->bytes[list][i] == byte)
            return;
    g->bytes[list][g->byte_count[list]++] = byte;
}

static void list_bytes(gram_set *g)
{
    const uint8_t *map = (const uint8_t *)(g->tables + ((const ac_tables *)g->tables)->map);
    bool folds = false;
    for (int c = 'A'; c <= 'Z'; c++)
        folds = folds || (map[c] == map[c + 32] && map[c] != 0);
    g->to->fold = folds ? 0x20202020u : 0;
    for (int c = 0; c < 256; c++) {
        add_byte(g, map[c], (uint8_t)c);
        add_byte(g, 256, (uint8_t)c);
    }
}

/* Set the bits of all strings of q bytes that go on from state `s` at `depth`. False: too many. */
static bool add_grams(gram_set *g, uint32_t s, uint32_t depth, uint32_t gram)
{
    const ac_tables *t = (const ac_tables *)g->tables;
    if (++g->steps > GRAM_BUDGET)
        return false;
    if (depth == g->to->q) {
        const uint32_t hash = gram * PFAC_HASH >> (32 - g->to->log);
        g->to->bits[hash / 32] |= 1u << (hash % 32);
        return true;
    }
    const bool any = s == ANY_STATE || (depth > 0 && s & AC_MATCH);
    for (uint32_t c = any ? 256 : 0; c < (any ? 257 : t->classes); c++) {
        uint32_t next = ANY_STATE;
        if (!any)
            next = pfac_next(g->tables + t->rows, g->tables + t->sparse, s, c);
        if (next == AC_DEAD)
            continue;
        for (uint32_t i = 0; i < g->byte_count[c]; i++)
            if (!add_grams(g, next, depth + 1, gram | (uint32_t)g->bytes[c][i] << (8 * depth)))
                return false;
    }
    return true;
}

/* The number of bits set; all of them when there would be too many strings. */
static uint32_t fill(gram_set *g, uint32_t q, uint32_t log)
{
    const size_t words = (size_t)1 << (log - 5);
    uint32_t set = 0;
    g->to->q = q;
    g->to->log = log;
    g->steps = 0;
    memset(g->to->bits, 0, words * sizeof *g->to->bits);
    if (!add_grams(g, AC_ROOT, 0, 0)) {
        memset(g->to->bits, 0xff, words * sizeof *g->to->bits);
        return 1u << log;
    }
    for (size_t w = 0; w < words; w++)
        for (uint32_t bits = g->to->bits[w]; bits; bits &= bits - 1)
            set++;
    return set;
}

/* Choose q and the number of bits, and fill them. */
static void choose_filter(gram_set *g, uint32_t most)
{
    uint32_t best = 4, least = UINT32_MAX;
    for (uint32_t q = 4; q >= 2; q--) {
        const uint32_t set = fill(g, q, most);
        if (set < least) {
            least = set;
            best = q;
        }
        if (set <= (1u << most) / 8)
            break;
    }
    uint32_t log = most;
    while (log > GRAMS_LEAST_LOG && least <= (1u << (log - 1)) / 32)
        log--;
    g->to->set = fill(g, best, log);
}

int grams_find(const uint32_t *tables, uint32_t most, gram_filter *found, trawl_error *error)
{
    gram_set *g = calloc(1, sizeof *g);
    found->bits = malloc((size_t)1 << (most - 3));
    if (!g || !found->bits) {
        free(g);
        free(found->bits);
        found->bits = NULL;
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for pfac's filter");
    }
    g->tables = tables;
    g->to = found;
    list_bytes(g);
    choose_filter(g, most);
    free(g);
    return TRAWL_OK;
}
