/* build.c: entries by the hash of their gram, and their prints (layout.h).
 *
 * Prints begin as many bytes before their grams as lets most of them hold their whole pattern.
 * Entries are counted by list, then placed.
 *
 * Cost: O(entries).
 */
#include "engines/shared/prints/build.h"

#include <string.h>

#include "engines/shared/literals.h"

enum { MIN_LISTS = 4, MAX_LISTS = 24, AHEAD = 8 };

static bool has_all(uint64_t length, uint32_t offset, uint32_t before)
{
    return offset <= before && length <= (uint64_t)PRINT_BYTES - before + offset;
}

/* How many bytes before the gram most patterns are whole with. */
static uint32_t best_before(const prints_choice *c)
{
    size_t whole[PRINT_BEFORE + 1] = { 0 };
    uint32_t best = 0;
    for (size_t i = 0; i < c->list->count; i++) {
        const size_t length = c->list->patterns[i].length;
        for (uint32_t k = 0; k < c->stride && length <= PRINT_BYTES; k++)
            for (uint32_t before = 0; before <= PRINT_BEFORE; before++)
                whole[before] += has_all(length, c->windows[i] + k, before);
    }
    for (uint32_t before = 1; before <= PRINT_BEFORE; before++)
        if (whole[before] >= whole[best])
            best = before;
    return best;
}

/* The mask leaves bit 5 of letters out where case does not matter: nothing else is equal to them
 * then. */
static print make_print(const pattern *p, uint32_t offset, uint32_t before)
{
    print made = { 0, 0 };
    const uint32_t first = offset < before ? before - offset : 0;
    for (uint32_t i = first; i < PRINT_BYTES && offset + i - before < p->length; i++) {
        const uint8_t byte = p->bytes[offset + i - before];
        const bool folds = p->flags & TRAWL_NOCASE && byte >= 'a' && byte <= 'z';
        made.bytes |= (uint64_t)byte << (8 * i);
        made.mask |= (uint64_t)(folds ? 0xdf : 0xff) << (8 * i);
    }
    return made;
}

static void place_entries(const prints_choice *c, const prints_tables *t, uint32_t *tables)
{
    const literal_entry *literals =
        (const literal_entry *)(const void *)(tables + t->literals.entries);
    const uint32_t shift = t->lists_shift, count = (uint32_t)1 << (32 - shift);
    uint32_t *lists = tables + t->lists;
    print *prints = (print *)(void *)(tables + t->prints);
    print_entry *entries = (print_entry *)(void *)(tables + t->entries);
    for (size_t i = 0; i < c->list->count; i++) {
        if (c->list->count - i > AHEAD)
            WALK_FETCH(c->list->patterns[i + AHEAD].bytes);
        for (uint32_t k = c->windows[i]; k < c->windows[i] + c->stride; k++)
            lists[gram_hash_at(c->list->patterns[i].bytes + k, c->q, c->fold) >> shift]++;
    }
    for (uint32_t n = 0; n < count; n++)
        lists[n + 1] += lists[n];
    for (size_t i = c->list->count; i-- > 0;) {
        const pattern *p = &c->list->patterns[i];
        if (i >= AHEAD)
            WALK_FETCH(p[-AHEAD].bytes);
        for (uint32_t k = c->windows[i] + c->stride; k-- > c->windows[i];) {
            const uint32_t to = --lists[gram_hash_at(p->bytes + k, c->q, c->fold) >> shift];
            prints[to] = make_print(p, k, t->before);
            entries[to] = (print_entry){ .index = (uint32_t)i,
                                         .length = literals[i].length,
                                         .first = literals[i].first,
                                         .offset = (uint8_t)k,
                                         .whole = has_all(p->length, k, t->before) };
        }
    }
}

static uint32_t lists_log(uint64_t entries)
{
    uint32_t log = MIN_LISTS;
    while (log < MAX_LISTS && (uint64_t)1 << log < 2 * entries)
        log++;
    return log;
}

prints_tables append_prints(const prints_choice *c, block *b)
{
    const uint64_t count = (uint64_t)c->list->count * c->stride;
    const uint32_t log = lists_log(count);
    const size_t lists = ((size_t)1 << log) + 1, prints = (size_t)count + PRINT_PADDING;
    prints_tables t = { .q = c->q,
                        .fold = c->fold,
                        .before = best_before(c),
                        .lists_shift = 32 - log,
                        .count = (uint32_t)count };
    if (count > UINT32_MAX / 4)
        b->failed = true;
    t.lists = (uint32_t)(block_append(b, NULL, lists * sizeof(uint32_t), 64) / 4);
    t.prints = (uint32_t)(block_append(b, NULL, prints * sizeof(print), 64) / 4);
    t.entries = (uint32_t)(block_append(b, NULL, (size_t)count * sizeof(print_entry), 64) / 4);
    t.literals = append_literals(c->list, b);
    for (size_t i = 0; i < c->list->count; i++)
        if (c->windows[i] + c->stride - 1 > t.most_offset)
            t.most_offset = c->windows[i] + c->stride - 1;
    if (!b->failed)
        place_entries(c, &t, (uint32_t *)(void *)b->bytes);
    return t;
}

/* ---- verifying a loaded section ------------------------------------------------------ */

static bool entries_valid(const stage_facts *facts, const prints_tables *t, const uint32_t *tables)
{
    const print_entry *entries = (const print_entry *)(const void *)(tables + t->entries);
    const literal_entry *literals =
        (const literal_entry *)(const void *)(tables + t->literals.entries);
    for (uint32_t i = 0; i < t->count; i++) {
        const print_entry *e = &entries[i];
        if (e->index >= facts->pattern_count || e->offset > t->most_offset ||
            e->length != literals[e->index].length || e->first != literals[e->index].first)
            return false;
    }
    return true;
}

static bool lists_valid(const prints_tables *t, const uint32_t *lists)
{
    const uint32_t count = (uint32_t)1 << (32 - t->lists_shift);
    for (uint32_t n = 0; n < count; n++)
        if (lists[n] > lists[n + 1])
            return false;
    return lists[count] == t->count;
}

bool prints_valid(const stage_facts *facts, const prints_tables *t, const uint32_t *tables,
                  size_t words)
{
    return t->q >= 1 && t->q <= MAX_GRAM && (t->fold == 0 || t->fold == GRAM_FOLD) &&
           t->before <= PRINT_BEFORE && t->most_offset <= PRINT_OFFSET &&
           t->lists_shift >= 32 - MAX_LISTS && t->lists_shift <= 32 - MIN_LISTS &&
           t->prints % 2 == 0 && literals_valid(facts, &t->literals, tables, words) &&
           words_inside(words, t->lists, ((uint64_t)1 << (32 - t->lists_shift)) + 1) &&
           words_inside(words, t->prints, ((uint64_t)t->count + PRINT_PADDING) * 4) &&
           words_inside(words, t->entries, (uint64_t)t->count * 4) &&
           lists_valid(t, tables + t->lists) && entries_valid(facts, t, tables);
}
