/* build.c: the literals, as they are. */
#include "engines/literal/naive/layout.h"

#include <string.h>

#include "engines/shared/literals.h"

static double naive_cost(const problem *p)
{
    return 2.0 * (double)p->list->count;
}

static void naive_build(const problem *p, stage_draft *out)
{
    block *b = &out->tables;
    naive_tables head;
    block_words(b, NULL, sizeof head / 4);
    head.literals = append_literals(p->list, b);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

static bool naive_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const naive_tables *t = (const naive_tables *)tables;
    return words >= sizeof *t / 4 && !facts->carries && !facts->state_words &&
           literals_valid(facts, &t->literals, tables, words);
}

const engine engine_naive = {
    .name = "naive",
    .about = "every literal compared at every place",
    .kind = WALK_NAIVE,
    .refuses = refuses_unless_literals,
    .cost = naive_cost,
    .build = naive_build,
    .check = naive_check,
};
