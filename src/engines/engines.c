/* engines.c: the table of engines. */
#include "engines/shared/engine.h"

#include <string.h>

/* Those that can be asked for. */
static const engine *const engines[] = {
#define ENGINE(name, NAME, kind, room, loop, device, title) &engine_##name,
#include "engines/engines.def"
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
    static const engine *const kinds[WALK_KINDS] = {
#define ENGINE(name, NAME, kind, room, loop, device, title) [kind] = &engine_##name,
#include "engines/engines.def"
    };
    return kind < WALK_KINDS ? kinds[kind] : NULL;
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
