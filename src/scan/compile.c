/* compile.c: the public calls that compile: options, memory, patterns, the problem, the plan. */
#include "base/options.h"
#include "engines/planner/planner.h"
#include "scan/scan.h"

#define USUAL_MEMORY (UINT64_C(1) << 30)

static int check_options(const trawl_compile_options *read, trawl_error *error)
{
    if (read->wm_block != 0 && read->wm_block != 2 && read->wm_block != 3)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "Wu-Manber's block is 2 or 3, not %u",
                    read->wm_block);
    if (!read->sample && read->sample_length)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the sample is NULL but its length is %zu", read->sample_length);
    if (!read->note && read->note_length)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the note is NULL but its length is %zu", read->note_length);
    return allocator_check(read->allocator, error);
}

/* Begin a call: read its options, and open the memory that it may take. */
static int begin(const trawl_compile_options *options, trawl_plan **plan,
                 trawl_compile_options *read, memory *m, trawl_error *error)
{
    const trawl_compile_options defaults = TRAWL_COMPILE_OPTIONS_INIT;
    if (!plan)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "plan is NULL");
    *plan = NULL;
    *read = defaults;
    int status = read_options(read, sizeof *read, SIZE_UP_TO(trawl_compile_options, allocator),
                              options, "compile options", error);
    if (status == TRAWL_OK)
        status = check_options(read, error);
    if (status != TRAWL_OK)
        return status;
    memory_open(m, read->allocator, read->max_memory ? read->max_memory : USUAL_MEMORY,
                "trawl_compile_options.max_memory",
                "compile fewer patterns at once, or name another engine");
    m->interrupted = read->interrupted;
    m->interrupted_user = read->interrupted_user;
    return TRAWL_OK;
}

/* Make the plan of a list, which is freed. */
static int finish(pattern_list *list, const trawl_compile_options *read, trawl_plan **plan,
                  trawl_error *error)
{
    const target usual = { .threads = 1, .isa = isa_usual() };
    const problem p = { .memory = list->memory,
                        .list = list,
                        .sample = profile_of(read->sample, read->sample_length, list),
                        .sampled = profile_given(read->sample, read->sample_length),
                        .target = read->context ? read->context->worker.target : usual,
                        .wm_block = read->wm_block };
    list->tag = read->tag;
    list->keep_texts = read->keep_texts && list->patterns;
    list->note = read->note;
    list->note_length = read->note_length;
    int status = plan_make(&p, read->engine, plan, error);
    pattern_list_free(list);
    return status;
}

int trawl_compile(const trawl_pattern *patterns, size_t count, const trawl_compile_options *options,
                  trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options read;
    pattern_list list;
    memory m;
    int status = begin(options, plan, &read, &m, error);
    if (status == TRAWL_OK)
        status = pattern_list_make(&m, patterns, count, read.conditions, &list, error);
    return status == TRAWL_OK ? finish(&list, &read, plan, error) : status;
}

int trawl_compile_grid(const trawl_needle *needles, size_t count, uint32_t cell_size,
                       const trawl_compile_options *options, trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options read;
    pattern_list list;
    memory m;
    int status = begin(options, plan, &read, &m, error);
    if (status == TRAWL_OK && read.conditions)
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "trawl_compile_options.conditions are of patterns: needles have none");
    if (status == TRAWL_OK)
        status = pattern_list_make_grid(&m, needles, count, cell_size, read.likeness, &list, error);
    return status == TRAWL_OK ? finish(&list, &read, plan, error) : status;
}
