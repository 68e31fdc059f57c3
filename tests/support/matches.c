/* matches.c: see matches.h */
#include "matches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void matches_add(matches *m, const trawl_match *all, size_t count)
{
    if (m->count + count > m->room) {
        m->room = 2 * (m->count + count);
        m->items = realloc(m->items, m->room * sizeof *m->items);
        assert_non_null(m->items);
    }
    if (count > 0)
        memcpy(m->items + m->count, all, count * sizeof *all);
    m->count += count;
}

int keep_matches(const trawl_match *all, size_t count, void *user)
{
    matches_add(user, all, count);
    return 0;
}

static void print(const char *who, const matches *m, size_t i)
{
    if (i >= m->count) {
        printf("%s: no match %zu\n", who, i);
        return;
    }
    const trawl_match *match = &m->items[i];
    printf("%s: match %zu of %zu: [%lld, %llu) id %u pattern %u record %llu\n", who, i, m->count,
           (long long)match->start, (unsigned long long)match->end, match->id, match->pattern,
           (unsigned long long)match->record);
}

bool matches_agree(const matches *expected, const matches *found)
{
    size_t i = 0;
    while (i < expected->count && i < found->count &&
           memcmp(&expected->items[i], &found->items[i], sizeof *found->items) == 0)
        i++;
    if (i == expected->count && i == found->count)
        return true;
    print("expected", expected, i);
    print("found", found, i);
    return false;
}
