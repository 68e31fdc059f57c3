/* slice.c: runs one slice on a CPU: every part of a plan, stage by stage.
 *
 * A part begins with its first stage, or with its fallback if the first did not pay before. Where
 * the first stage gives up it says from which byte (row) on nothing has been reported, and the
 * fallback does the rest of the slice. So a slice never takes much longer than with the fallback
 * alone, whatever the text.
 */
#include <string.h>

#include "backend/backend.h"

enum { SMALL_STATE = 8 };    /* words that need no allocation */
enum { SHORT_TEXT = 2048u }; /* bytes: less are not worth more words, when a fallback has less */

const plan_stage *stage_begun(const trawl_plan *plan, const plan_part *part, bool fallback)
{
    const plan_stage *last = fallback ? part_fallback(plan, part) : NULL;
    return last ? last : part_stages(plan, part);
}

u64 part_flow_words(const trawl_plan *plan, const plan_part *part)
{
    const plan_stage *first = stage_begun(plan, part, false);
    const plan_stage *last = stage_begun(plan, part, true);
    if (part->carries)
        return 0;
    if (walk_flows(first->kind))
        return first->state_words;
    return walk_flows(last->kind) ? last->state_words : 0;
}

/* The stage that begins with a text of that length, when it would be `stage` for a long one. */
static const plan_stage *stage_of_length(const trawl_plan *plan, const plan_part *part,
                                         const plan_stage *stage, u32 length)
{
    const plan_stage *last = part_fallback(plan, part);
    return last && length < SHORT_TEXT && stage->state_words > SMALL_STATE &&
                   last->state_words < stage->state_words
               ? last
               : stage;
}

/* Parts report numbers of their own patterns: turn those of records[first ..] into the plan's. */
static void number_records(const trawl_plan *plan, const plan_part *part, record *records,
                           u64 first, u64 count, u64 capacity)
{
    const u32 *indexes = part_indexes(plan, part);
    const u64 stored = count < capacity ? count : capacity;
    for (u64 i = first; indexes && i < stored; i++)
        records[i].index = indexes[records[i].index];
}

/* ---- text ----------------------------------------------------------------------- */

static bool any_bit(const u64 *words, u64 count)
{
    u64 all = 0;
    for (u64 i = 0; i < count; i++)
        all |= words[i];
    return all != 0;
}

/* A part that carries, mark by mark. */
static void run_carrying(const text_job *job, const plan_stage *stage, slice *s, u64 *state,
                         u64 *marks, u64 words, const sink *out)
{
    const walk *w = walk_of(job->isa, stage->kind);
    const u64 row = plan_head(job->plan)->state_words; /* marks hold all parts that carry */
    const bool news = job->carry == CARRY_NEWS;
    text_task t = { .tables = stage_tables(job->plan, stage),
                    .text = job->window,
                    .low = s->from,
                    .end = s->begin,
                    .state = state,
                    .whole = s->whole,
                    .news = news,
                    .out = out };
    if (news && !any_bit(state, words))
        return;
    while (t.end < s->end) {
        t.from = t.begin = t.end;
        t.opens = job->opens && t.from == 0;
        t.end = marks && s->end - t.begin > job->mark_bytes ? t.begin + job->mark_bytes : s->end;
        w->text(&t);
        if (!marks)
            continue;
        if (news) {
            for (u64 i = 0; i < words; i++) {
                state[i] &= ~marks[i];
                marks[i] |= state[i];
            }
            if (!any_bit(state, words))
                return;
        } else {
            memcpy(marks, state, (size_t)words * sizeof *marks);
        }
        marks += row;
    }
}

static u32 run_stage(const text_job *job, const plan_stage *stage, text_task *t, u64 *flow)
{
    u64 small[SMALL_STATE] = { 0 };
    u64 *scratch = NULL;
    const walk *w = walk_of(job->isa, stage->kind);
    if (!flow && stage->state_words > SMALL_STATE) {
        const size_t words = (size_t)stage->state_words;
        scratch = w->scratch ? memory_take_array(job->memory, words, sizeof *scratch)
                             : memory_take_zeroed(job->memory, words, sizeof *scratch);
        if (!scratch)
            return UINT32_MAX;
    }
    t->opens = job->opens && t->from == 0;
    if (flow && t->from < t->begin)
        memset(flow, 0, (size_t)stage->state_words * sizeof *flow);
    t->tables = stage_tables(job->plan, stage);
    t->patience = stage->patience;
    t->state = flow ? flow : scratch ? scratch : small;
    t->whole = !flow;
    const u32 done = w->text(t);
    memory_give(job->memory, scratch);
    return done;
}

/* A part that does not carry. `flow`: the state of the stage that it begins with, or NULL. */
static int run_part(const text_job *job, u32 number, slice *s, u64 *flow, const sink *out)
{
    const plan_part *part = &plan_parts(job->plan)[number];
    const plan_stage *begun = stage_begun(job->plan, part, job->fallback[number]);
    const plan_stage *first =
        flow ? begun : stage_of_length(job->plan, part, begun, s->end - s->from);
    const plan_stage *last = part_fallback(job->plan, part);
    const u64 reach = part_reach(part);
    text_task t = { .text = job->window, .low = s->from, .out = out };
    t.from = flow && s->flows_in          ? s->begin
             : s->begin - s->from > reach ? s->begin - (u32)reach
                                          : s->from;
    t.begin = s->begin;
    t.end = s->end;
    t.allowance = last && first != last ? job->allowance : WALK_NEVER;
    const u32 done = run_stage(job, first, &t, flow);
    if (done == UINT32_MAX)
        return TRAWL_ERROR_MEMORY;
    s->done[number] = job->fallback[number] ? s->begin : done > s->begin ? done : s->begin;
    s->candidates[number] = t.candidates;
    if (done >= s->end)
        return TRAWL_OK;
    t.begin = done > s->begin ? done : s->begin;
    t.from = !walk_of(job->isa, first->kind)->ends ? done
             : t.begin - s->from > reach           ? t.begin - (u32)reach
                                                   : s->from;
    t.allowance = WALK_NEVER;
    return run_stage(job, last, &t, NULL) == UINT32_MAX ? TRAWL_ERROR_MEMORY : TRAWL_OK;
}

int slice_run_text(const text_job *job, slice *s)
{
    const plan_header *head = plan_head(job->plan);
    const plan_part *parts = plan_parts(job->plan);
    u64 count = s->count; /* not in the slice, whose neighbours other threads write */
    const sink out = { &count, s->records, s->capacity };
    u64 *flow = s->flow;
    for (u32 i = 0; i < head->part_count; i++) {
        const plan_stage *stage = stage_begun(job->plan, &parts[i], job->fallback[i]);
        const u64 before = count;
        if (parts[i].carries) {
            run_carrying(job, stage, s, s->state + parts[i].state,
                         s->marks ? s->marks + parts[i].state : NULL, stage->state_words, &out);
            s->done[i] = s->end;
        } else if (job->carry == CARRY_ALL) {
            u64 *mine = flow && walk_flows(stage->kind) ? flow : NULL;
            const int status = run_part(job, i, s, mine, &out);
            if (status != TRAWL_OK)
                return status;
        }
        number_records(job->plan, &parts[i], s->records, before, count, s->capacity);
        if (flow)
            flow += part_flow_words(job->plan, &parts[i]);
    }
    s->count = count;
    return TRAWL_OK;
}

bool slice_run_plain(isa set, const trawl_plan *plan, const u8 *text, u32 length, u64 allowance,
                     const sink *out)
{
    const plan_part *part = plan_parts(plan);
    const plan_stage *first = part_stages(plan, part);
    const plan_stage *stage = stage_of_length(plan, part, first, length);
    u64 state[SMALL_STATE];
    text_task t = { .tables = stage_tables(plan, stage),
                    .text = text,
                    .end = length,
                    .state = state,
                    .whole = true,
                    .allowance = part->stage_count > 1 && stage == first ? allowance : WALK_NEVER,
                    .patience = stage->patience,
                    .out = out };
    if (plan_head(plan)->part_count > 1 || stage->state_words > SMALL_STATE)
        return false;
    if (stage->state_words)
        memset(state, 0, sizeof state);
    return walk_of(set, stage->kind)->text(&t) >= length;
}

/* ---- grids ---------------------------------------------------------------------- */

static bool run_grid_stage(const grid_job *job, const plan_stage *stage, grid_task *t, u32 *done)
{
    u32 *scratch = NULL;
    if (stage->state_words) {
        scratch =
            memory_take_array(job->memory, (size_t)stage->state_words * job->cols, sizeof *scratch);
        if (!scratch)
            return false;
    }
    t->tables = stage_tables(job->plan, stage);
    t->state = scratch;
    *done = walk_of(job->isa, stage->kind)->grid(t);
    memory_give(job->memory, scratch);
    return true;
}

int slice_run_grid(const grid_job *job, slice *s)
{
    const plan_part *parts = plan_parts(job->plan);
    u64 count = 0;
    const sink out = { &count, s->records, s->capacity };
    for (u32 i = 0; i < plan_head(job->plan)->part_count; i++) {
        const plan_stage *first = stage_begun(job->plan, &parts[i], job->fallback[i]);
        const plan_stage *last = part_fallback(job->plan, &parts[i]);
        const u64 before = count;
        u32 done;
        grid_task t = { .cells = job->window,
                        .rows = job->rows,
                        .cols = job->cols,
                        .stride = job->stride,
                        .begin = s->begin,
                        .end = s->end,
                        .allowance = last && first != last ? job->allowance : WALK_NEVER,
                        .out = &out };
        if (!run_grid_stage(job, first, &t, &done))
            return TRAWL_ERROR_MEMORY;
        s->done[i] = job->fallback[i] ? s->begin : done;
        s->candidates[i] = t.candidates;
        if (done < s->end) {
            t.begin = done;
            t.allowance = WALK_NEVER;
            if (!run_grid_stage(job, last, &t, &done))
                return TRAWL_ERROR_MEMORY;
        }
        number_records(job->plan, &parts[i], s->records, before, count, s->capacity);
    }
    s->count = count;
    return TRAWL_OK;
}
