/* literals.c: the table of literals that several engines put in their section. */
#include "engines/shared/literals.h"

#include <stdlib.h>

static bool any_case(const pattern_list *list, uint32_t flag)
{
    for (size_t i = 0; i < list->count; i++)
        if ((list->patterns[i].flags & TRAWL_NOCASE) == flag)
            return true;
    return false;
}

bool fold_any(const pattern_list *list)
{
    return any_case(list, TRAWL_NOCASE);
}

void fold_table(const pattern_list *list, uint8_t fold[256])
{
    bool folds = fold_any(list);
    for (int c = 0; c < 256; c++)
        fold[c] = folds ? fold_byte((uint8_t)c) : (uint8_t)c;
}

bool fold_mixed(const pattern_list *list)
{
    return fold_any(list) && any_case(list, 0);
}

size_t shortest_literal(const pattern_list *list)
{
    size_t shortest = list->patterns[0].length;
    for (size_t i = 1; i < list->count; i++)
        if (list->patterns[i].length < shortest)
            shortest = list->patterns[i].length;
    return shortest;
}

const char *refuses_unless_literals(const pattern_list *list)
{
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    for (size_t i = 0; i < list->count; i++)
        if (!list->patterns[i].literal)
            return "it takes literals only: use shiftand or hnfa for classes and repeats";
    return NULL;
}

literal_tables append_literals(const pattern_list *list, block *b)
{
    literal_tables t = { (uint32_t)list->count, 0, 0, 0 };
    uint8_t fold[256];
    uint64_t first = 0;
    fold_table(list, fold);
    t.fold = (uint32_t)(block_append(b, fold, 256, 8) / 4);
    t.entries = block_words(b, NULL, list->count * 2);
    for (size_t i = 0; i < list->count && !b->failed; i++) {
        const pattern *p = &list->patterns[i];
        literal_entry *e = (literal_entry *)(void *)(b->bytes + (size_t)t.entries * 4) + i;
        e->first = (uint32_t)first;
        e->length = (uint32_t)p->length | (p->flags & TRAWL_NOCASE ? LITERAL_FOLDED : 0);
        first += p->length;
    }
    if (first > UINT32_MAX)
        b->failed = true;
    t.bytes = (uint32_t)(block_append(b, NULL, 0, 8) / 4);
    for (size_t i = 0; i < list->count; i++)
        block_append(b, list->patterns[i].bytes, list->patterns[i].length, 1);
    block_append(b, NULL, 0, 8);
    return t;
}

bool literals_valid(const stage_facts *facts, const literal_tables *t, const uint32_t *tables,
                    size_t words)
{
    if (t->count != facts->pattern_count || !words_inside(words, t->fold, 64) ||
        !words_inside(words, t->entries, (uint64_t)t->count * 2) ||
        !words_inside(words, t->bytes, 0))
        return false;
    const uint64_t room = (uint64_t)(words - t->bytes) * 4;
    const literal_entry *entries = (const literal_entry *)(tables + t->entries);
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t length = entries[i].length & LITERAL_LENGTH;
        if (length < 1 || length > facts->max_length || entries[i].first > room ||
            length > room - entries[i].first)
            return false;
    }
    return true;
}
