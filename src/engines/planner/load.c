/* load.c: plans from saved bytes, verified whole: the block by plan_check, the tables of each
 * stage by its engine. */
#include <string.h>

#include "engines/planner/planner.h"
#include "engines/shared/engine.h"

/* Whether a stage may stand after the first one: walks and backends rely on it, for stages that
 * take turns have the same kind of state. */
static bool is_fallback(const engine *e, const plan_stage *first)
{
    const engine *before = engine_of_kind(first->kind);
    return before && (e == before->fallback || e == before->instead);
}

static bool stage_checks(memory *m, const plan_header *head, const plan_part *part,
                         const plan_stage *stage, const plan_stage *first, const uint8_t *tables)
{
    const engine *e = engine_of_kind(stage->kind);
    const stage_facts facts = { .pattern_count = part->pattern_count,
                                .cell_size = head->cell_size,
                                .carries = part->carries,
                                .min_length = part->min_length,
                                .max_length = part->max_length,
                                .state_words = stage->state_words,
                                .memory = m };
    if (!e || stage->state_words > ENGINE_MAX_STATE || e->grid != (head->cell_size != 0) ||
        (stage != first && !is_fallback(e, first)))
        return false;
    return e->check(&facts, (const void *)(tables + stage->tables), (size_t)stage->bytes / 4);
}

static int check_tables(memory *m, const void *block, trawl_error *error)
{
    const plan_header *head = block;
    const uint8_t *bytes = block;
    const plan_part *parts = (const void *)(bytes + head->section[PLAN_PARTS].offset);
    const plan_stage *stages = (const void *)(bytes + head->section[PLAN_STAGES].offset);
    const uint8_t *tables = bytes + head->section[PLAN_TABLES].offset;
    for (uint32_t i = 0; i < head->part_count; i++) {
        const plan_stage *first = &stages[parts[i].first_stage];
        for (uint32_t k = 0; k < parts[i].stage_count; k++) {
            const plan_stage *stage = &first[k];
            const engine *e = engine_of_kind(stage->kind);
            const bool valid = stage_checks(m, head, &parts[i], stage, first, tables);
            if (m->failure)
                return memory_failed(m, error, "checking the tables of engine '%s'", e->name);
            if (!valid)
                return fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                            "the tables of engine '%s' are damaged: compile the patterns again",
                            e ? e->name : "?");
        }
    }
    return TRAWL_OK;
}

/* Make `made` with its block the caller's plan, if that can be verified; else it is freed. */
static int verify(memory *m, trawl_plan *made, size_t size, trawl_plan **plan, trawl_error *error)
{
    if (!made)
        return memory_failed(m, error, "a plan of %zu bytes", size);
    int status = plan_check(m, made->block, size, error);
    if (status == TRAWL_OK)
        status = check_tables(m, made->block, error);
    if (status == TRAWL_OK)
        status = plan_finish(m, made, error);
    if (status == TRAWL_OK)
        *plan = made;
    else
        trawl_plan_free(made);
    return status;
}

int plan_load(memory *m, const void *bytes, size_t size, trawl_plan **plan, trawl_error *error)
{
    trawl_plan *made = plan_alloc(m, size); /* the caller's bytes may lie at any address */
    if (made && size)
        memcpy(made->block, bytes, size);
    return verify(m, made, size, plan, error);
}

int trawl_plan_load(const void *bytes, size_t size, trawl_plan **plan, trawl_error *error)
{
    memory m;
    if (!plan || (!bytes && size))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan or block is NULL");
    *plan = NULL;
    memory_open(&m, NULL, UINT64_MAX, "", "load it where there is more");
    return plan_load(&m, bytes, size, plan, error);
}

int trawl_plan_view(const void *block, size_t bytes, trawl_plan **plan, trawl_error *error)
{
    memory m;
    if (!plan || (!block && bytes))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan or block is NULL");
    *plan = NULL;
    if ((uintptr_t)block % PLAN_ALIGN)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the block is not aligned to %u bytes, as a mapped file is: map it, or load a "
                    "copy with trawl_plan_load",
                    PLAN_ALIGN);
    memory_open(&m, NULL, UINT64_MAX, "", "view it where there is more");
    trawl_plan *made = plan_alloc(&m, 0);
    if (made)
        made->block = (void *)(uintptr_t)block; /* nobody writes to a finished plan */
    return verify(&m, made, bytes, plan, error);
}
