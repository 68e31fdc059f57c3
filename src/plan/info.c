/* info.c: the public calls that look at a plan, save it and free it. */
#include <string.h>

#include "base/options.h"
#include "plan/plan.h"

static const char *string_at(const trawl_plan *plan, uint32_t offset)
{
    return (const char *)plan_at(plan, PLAN_STRINGS) + offset;
}

int trawl_plan_get_info(const trawl_plan *plan, trawl_plan_info *info)
{
    if (!plan || !info)
        return TRAWL_ERROR_ARGUMENT;
    const plan_header *head = plan_head(plan);
    trawl_plan_info full = { 0 };
    full.engine = string_at(plan, head->engine);
    full.why = string_at(plan, head->why);
    full.patterns = head->given;
    full.bytes = (size_t)head->bytes;
    full.min_length = head->min_length;
    full.max_length = head->max_length;
    full.cell_size = head->cell_size;
    full.conditions = head->bordered > 0;
    full.tag = head->tag;
    full.keeps_texts = head->texts;
    full.version = head->version;
    for (uint32_t i = 0; i < head->part_count; i++)
        full.stages += plan_parts(plan)[i].stage_count;
    full.cost = plan->cost;
    return write_info(info, &full, sizeof full, SIZE_UP_TO(trawl_plan_info, conditions))
               ? TRAWL_OK
               : TRAWL_ERROR_ARGUMENT;
}

const void *trawl_plan_save(const trawl_plan *plan, size_t *bytes)
{
    if (!plan)
        return NULL;
    if (bytes)
        *bytes = (size_t)plan_head(plan)->bytes;
    return plan->block;
}

const char *trawl_plan_pattern_name(const trawl_plan *plan, size_t index)
{
    if (!plan || index >= plan_head(plan)->given)
        return "";
    const plan_pattern *p = plan_patterns(plan) + plan->by_order[index];
    return string_at(plan, p->name);
}

int trawl_plan_get_pattern(const trawl_plan *plan, size_t index, trawl_pattern *pattern)
{
    if (!plan || !pattern || plan_head(plan)->cell_size || index >= plan_head(plan)->given)
        return TRAWL_ERROR_ARGUMENT;
    const plan_pattern *p = plan_patterns(plan) + plan->by_order[index];
    *pattern = (trawl_pattern){ .text = p->text ? string_at(plan, p->text) : NULL,
                                .length = p->text ? p->text_length : 0,
                                .syntax = p->flags >> PLAN_SYNTAX,
                                .flags = p->flags & PATTERN_FLAGS,
                                .id = p->id,
                                .name = p->name ? string_at(plan, p->name) : NULL };
    return TRAWL_OK;
}

int trawl_plan_get_conditions(const trawl_plan *plan, size_t index, trawl_conditions *conditions)
{
    if (!plan || !conditions || plan_head(plan)->cell_size || index >= plan_head(plan)->given)
        return TRAWL_ERROR_ARGUMENT;
    const plan_borders *b = plan_borders_of(plan, plan_patterns(plan) + plan->by_order[index]);
    trawl_conditions full = TRAWL_CONDITIONS_INIT;
    if (b) {
        full.place = b->asks.place;
        full.word = b->asks.word;
        full.offset = b->asks.offset;
        full.within = b->asks.within;
    }
    return write_info(conditions, &full, sizeof full, sizeof full) ? TRAWL_OK
                                                                   : TRAWL_ERROR_ARGUMENT;
}

const void *trawl_plan_get_note(const trawl_plan *plan, size_t *length)
{
    const size_t bytes = plan ? (size_t)plan_head(plan)->section[PLAN_NOTE].bytes : 0;
    if (length)
        *length = bytes;
    return bytes ? plan_at(plan, PLAN_NOTE) : NULL;
}

void trawl_plan_free(trawl_plan *plan)
{
    if (!plan)
        return;
    const trawl_allocator from = plan->from;
    memory_free(&from, plan->by_order);
    memory_free(&from, plan);
}
