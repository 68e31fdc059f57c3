/* build.c: PFAC: the tables of Aho-Corasick without failure links, after a bitmap of first bytes.
 */
#include "engines/papers/pfac/layout.h"

#include "engines/literal/ac/build.h"
#include "engines/papers/grams/build.h"
#include "engines/shared/costs.h"
#include "engines/shared/literals.h"

static void pfac_build(const problem *p, stage_draft *out)
{
    ac_lay_out(p, true, out);
}

static bool pfac_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    return facts->state_words == 0 && ac_tables_valid(facts, tables, words);
}

static double pfac_cost(const problem *p)
{
    if (p->target.gpu)
        return COST_GPU_PFAC + COST_GPU_PFAC_VERIFY * grams_pass(p);
    if (p->list->count > COST_MOST_LITERALS)
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
    .filter = &engine_grams,
};
