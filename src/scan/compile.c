/* compile.c: the public calls that compile: options, patterns, the problem, the plan. */
#include "base/options.h"
#include "engine/planner.h"
#include "scan/scan.h"

/* `made` is what making the list returned. */
static int compile_list(pattern_list *list, int made, const trawl_compile_options *options,
                        trawl_plan **plan, trawl_error *error)
{
    trawl_compile_options read = TRAWL_COMPILE_OPTIONS_INIT;
    if (made != TRAWL_OK)
        return made;
    int status = read_options(&read, sizeof read, SIZE_UP_TO(trawl_compile_options, allocator),
                              options, "compile options", error);
    if (status == TRAWL_OK && read.wm_block != 0 && read.wm_block != 2 && read.wm_block != 3)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                      "Wu-Manber's block is 2 or 3, not %u", read.wm_block);
    if (status == TRAWL_OK && !read.sample && read.sample_length)
        status = fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                      "the sample is NULL but its length is %zu", read.sample_length);
    if (status == TRAWL_OK) {
        const target usual = { .threads = 1 };
        const problem p = { .list = list,
                            .sample = profile_of(read.sample, read.sample_length),
                            .target = read.context ? read.context->worker.target : usual,
                            .wm_block = read.wm_block };
        status = plan_make(&p, read.engine, plan, error);
    }
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
