/* engines.c: the table of engines, in the order in which the planner asks them. A new algorithm
 * adds one line. */
#include "engines/shared/engine.h"

#include <string.h>

static const engine *const engines[] = {
    &engine_packed,   &engine_teddy,   &engine_bm,       &engine_wm,     &engine_ac, &engine_pfac,
    &engine_shiftand, &engine_hnfa,    &engine_bb,       &engine_byr,    &engine_ku, &engine_qgrams,
    &engine_kmers,    &engine_factors, &engine_bitslice, &engine_direct,
};

const engine *engine_at(size_t index)
{
    return index < sizeof engines / sizeof *engines ? engines[index] : NULL;
}

const engine *engine_by_name(const char *name)
{
    for (size_t i = 0; engine_at(i); i++)
        if (strcmp(engine_at(i)->name, name) == 0)
            return engine_at(i);
    return NULL;
}

const engine *engine_of_kind(uint32_t kind)
{
    if (kind == WALK_GRAMS)
        return &engine_grams;
    for (size_t i = 0; engine_at(i); i++)
        if ((uint32_t)engine_at(i)->kind == kind)
            return engine_at(i);
    return NULL;
}

size_t trawl_engine_count(void)
{
    return sizeof engines / sizeof *engines;
}

const char *trawl_engine_name(size_t index)
{
    return engine_at(index) ? engine_at(index)->name : NULL;
}

const char *trawl_engine_about(size_t index)
{
    return engine_at(index) ? engine_at(index)->about : NULL;
}
