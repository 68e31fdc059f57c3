/* stages.c: what the stages of a plan are, for those who want to know. */
#include "base/options.h"
#include "engines/shared/engine.h"
#include "trawl/experimental.h"

int trawl_plan_get_stage(const trawl_plan *plan, size_t index, trawl_stage_info *info)
{
    trawl_stage_info full = { 0 };
    if (!plan || !info)
        return TRAWL_ERROR_ARGUMENT;
    const uint32_t count = plan_head(plan)->part_count;
    while (full.part < count && index >= plan_parts(plan)[full.part].stage_count)
        index -= plan_parts(plan)[full.part++].stage_count;
    if (full.part == count)
        return TRAWL_ERROR_ARGUMENT;
    const plan_part *part = &plan_parts(plan)[full.part];
    const plan_stage *stage = &part_stages(plan, part)[index];
    full.engine = engine_of_kind(stage->kind)->name;
    full.role = index ? "fallback" : "search";
    full.bytes = (size_t)stage->bytes;
    full.patterns = part->pattern_count;
    return write_info(info, &full, sizeof full, SIZE_UP_TO(trawl_stage_info, patterns))
               ? TRAWL_OK
               : TRAWL_ERROR_ARGUMENT;
}
