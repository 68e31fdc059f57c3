/* compile.c: from patterns to a plan: lower, choose an engine, build, assemble.
 *
 * The planner asks every engine whether it takes the set and what a byte would cost, and
 * takes the cheapest. The reason is kept in the plan, so that `--explain` can say it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "engine/engine.h"

static const engine *choose(const pattern_list *list, char *why, size_t why_size)
{
    const engine *best = NULL, *second = NULL;
    double best_cost = 0, second_cost = 0;
    for (size_t i = 0; engine_at(i); i++) {
        const engine *e = engine_at(i);
        if (e->refuses(list))
            continue;
        double cost = e->cost(list);
        if (!best || cost < best_cost) {
            second = best;
            second_cost = best_cost;
            best = e;
            best_cost = cost;
        } else if (!second || cost < second_cost) {
            second = e;
            second_cost = cost;
        }
    }
    const char *unit = list->needles ? "cell" : "byte";
    if (best && second)
        snprintf(why, why_size, "about %.2f ns a %s expected, %s about %.2f", best_cost, unit,
                 second->name, second_cost);
    else if (best)
        snprintf(why, why_size, "the only engine that takes this set");
    return best;
}

static int build_plan(const pattern_list *list, const trawl_compile_options *options,
                      trawl_plan **plan, trawl_error *error)
{
    const char *wanted = options->engine ? options->engine : "auto";
    const engine *e;
    char why[160] = "asked for by name";
    if (strcmp(wanted, "auto") == 0) {
        e = choose(list, why, sizeof why);
    } else {
        e = engine_by_name(wanted);
        if (!e)
            return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                        "there is no engine '%.40s': see `trawl engines` for the names", wanted);
        const char *refusal = e->refuses(list);
        if (refusal)
            return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                        "engine '%s' does not take this set: %s", e->name, refusal);
    }
    if (!e)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE, "no engine takes this set");

    engine_section section = { { 0 }, 0, 0 };
    int status = e->build(list, options, &section, error);
    if (status == TRAWL_OK)
        status = plan_assemble(list, e->kind, &section.tables, section.carries, section.state_words,
                               why, plan, error);
    block_free(&section.tables);
    return status;
}

/* `made` is what making the list returned. */
static int compile_list(pattern_list *list, int made, const trawl_compile_options *options,
                        trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options read = TRAWL_COMPILE_OPTIONS_INIT;
    if (made != TRAWL_OK)
        return made;
    int status = read_options(&read, sizeof read, options, "compile options", error);
    if (status == TRAWL_OK && read.wm_block != 0 && read.wm_block != 2 && read.wm_block != 3)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                      "Wu-Manber's block is 2 or 3, not %u", read.wm_block);
    if (status == TRAWL_OK)
        status = build_plan(list, &read, plan, error);
    pattern_list_free(list);
    return status;
}

int trawl_compile(const trawl_pattern *patterns, size_t count, const trawl_compile_options *options,
                  trawl_plan **plan, trawl_error *error)
{
    pattern_list list;
    if (!plan)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan is NULL");
    *plan = NULL;
    int made = pattern_list_make(patterns, count, &list, error);
    return compile_list(&list, made, options, plan, error);
}

int trawl_compile_grid(const trawl_needle *needles, size_t count, uint32_t cell_size,
                       const trawl_compile_options *options, trawl_plan **plan, trawl_error *error)
{
    pattern_list list;
    if (!plan)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan is NULL");
    *plan = NULL;
    int made = pattern_list_make_grid(needles, count, cell_size, &list, error);
    return compile_list(&list, made, options, plan, error);
}

int trawl_plan_load(const void *bytes, size_t size, trawl_plan **plan, trawl_error *error)
{
    if (!plan || (!bytes && size))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan or block is NULL");
    *plan = NULL;
    /* A copy first: the caller's bytes may lie at any address. */
    void *aligned = plan_alloc(size);
    if (!aligned)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for a plan of %zu bytes",
                    size);
    if (size)
        memcpy(aligned, bytes, size);
    int status = plan_check(aligned, size, error);
    if (status == TRAWL_OK) {
        const plan_header *head = (const plan_header *)aligned;
        const engine *e = engine_at(head->engine);
        plan_range section = head->section[PLAN_ENGINE];
        const uint32_t *tables = (const void *)((const uint8_t *)aligned + section.offset);
        if (!e || e->grid != (head->cell_size != 0) ||
            !e->check(head, tables, (size_t)section.bytes / 4))
            status = fail(error, TRAWL_ERROR_PLAN, TRAWL_NONE,
                          "the tables of engine '%s' are damaged: compile the patterns again",
                          e ? e->name : "?");
    }
    if (status == TRAWL_OK)
        return plan_adopt(aligned, plan, error);
    free(aligned);
    return status;
}

int trawl_plan_get_info(const trawl_plan *plan, trawl_plan_info *info)
{
    if (!plan || !info || info->size <= sizeof info->size || info->size > sizeof *info)
        return TRAWL_ERROR_ARGUMENT;
    const plan_header *head = plan_head(plan);
    trawl_plan_info full;
    full.size = info->size;
    full.engine = engine_at(head->engine)->name;
    full.why = (const char *)plan_at(plan, PLAN_STRINGS) + head->why;
    full.patterns = head->pattern_count;
    full.bytes = (size_t)head->bytes;
    full.min_length = head->min_length;
    full.max_length = head->max_length;
    full.cell_size = head->cell_size;
    memcpy(info, &full, info->size);
    return TRAWL_OK;
}
