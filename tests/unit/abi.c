/* abi.c: a program that uses every struct with a size; see abi.sh, which builds it against the
 * header as it is and, as LATER, against one whose structs have two more members, and runs both
 * with libraries of either kind. Exits 0 when all that is promised holds.
 */
#include <stdio.h>
#include <string.h>

#include "trawl.h"
#include "trawl/experimental.h"
#include "trawl/grid.h"
#include "trawl/range.h"

static int failures;

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}

/* A later library writes nothing after a struct of this program. */
#define GUARD 0x5a5a5a5a5a5a5a5aull
#define GUARDED(type)                                                                              \
    struct {                                                                                       \
        type it;                                                                                   \
        uint64_t guard;                                                                            \
    }

static int take(const trawl_match *matches, size_t count, void *user)
{
    (void)matches;
    *(size_t *)user += count;
    return 0;
}

#ifdef LATER
/* What this library does not know must be zero, and the message names what is not. */
#define REFUSED(options, call, name)                                                               \
    do {                                                                                           \
        (options).later[1] = 1;                                                                    \
        error.message[0] = '\0';                                                                   \
        const int status = (call);                                                                 \
        printf("    %s\n", error.message);                                                         \
        expect(status == TRAWL_ERROR_ARGUMENT && strstr(error.message, name), "refused: " name);   \
        (options).later[1] = 0;                                                                    \
    } while (0)
#define FILL_LATER(info) memset((info).later, 0xee, sizeof(info).later)
#define LATER_IS_ZERO(info) ((info).later[0] == 0 && (info).later[1] == 0)
#else
#define REFUSED(options, call, name) (void)0
#define FILL_LATER(info) (void)0
#define LATER_IS_ZERO(info) 1
#endif

/* Each engine that takes the pattern finds it twice, also by its plan saved and loaded. */
static void try_engines(const trawl_pattern *pattern, const char *text)
{
    trawl_context *context = NULL;
    size_t takers = 0;
    expect(trawl_context_open(NULL, &context, NULL) == TRAWL_OK, "opens for all engines");
    for (size_t i = 0; i < trawl_engine_count(); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
        trawl_plan *plan = NULL, *loaded = NULL;
        size_t size = 0;
        uint64_t count = 0, again = 0;
        options.engine = trawl_engine_name(i);
        if (trawl_compile(pattern, 1, &options, &plan, NULL) == TRAWL_ERROR_UNSUPPORTED)
            continue;
        takers++;
        trawl_count(context, plan, text, strlen(text), NULL, &count, NULL);
        const void *bytes = trawl_plan_save(plan, &size);
        expect(trawl_plan_load(bytes, size, &loaded, NULL) == TRAWL_OK,
               "a plan of each engine is saved and loaded");
        trawl_count(context, loaded, text, strlen(text), NULL, &again, NULL);
        printf("    engine %s: %d\n", options.engine, (int)count);
        expect(count == 2 && again == 2, "each engine finds the pattern");
        trawl_plan_free(loaded);
        trawl_plan_free(plan);
    }
    expect(takers >= 5, "many engines take a literal");
    trawl_context_close(context);
}

int main(void)
{
    static const char text[] = "she sells sea shells";
    const trawl_pattern pattern = { .text = "ells", .length = 4, .id = 2 };
    const trawl_needle needle = { .cells = "x", .rows = 1, .cols = 1 };
    GUARDED(trawl_plan_info) info = { .it = { .size = sizeof(trawl_plan_info) }, .guard = GUARD };
    GUARDED(trawl_stage_info)
    stage = { .it = { .size = sizeof(trawl_stage_info) }, .guard = GUARD };
    GUARDED(trawl_timing) timing = { .it = { .size = sizeof(trawl_timing) }, .guard = GUARD };
    GUARDED(trawl_device_info)
    device = { .it = { .size = sizeof(trawl_device_info) }, .guard = GUARD };
    trawl_compile_options compiling = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_context_options opening = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_scan_options scanning = TRAWL_SCAN_OPTIONS_INIT;
    trawl_device_text there = TRAWL_DEVICE_TEXT_INIT;
    trawl_device_grid grid = TRAWL_DEVICE_GRID_INIT;
    trawl_device_result result = TRAWL_DEVICE_RESULT_INIT;
    trawl_range range = TRAWL_RANGE_INIT;
    GUARDED(trawl_range_needs)
    needs = { .it = { .size = sizeof(trawl_range_needs) }, .guard = GUARD };
    GUARDED(trawl_advice) advice = { .it = { .size = sizeof(trawl_advice) }, .guard = GUARD };
    trawl_error error = { 0 };
    trawl_plan *plan = NULL, *needles = NULL;
    trawl_context *context = NULL;
    size_t found = 0;
    uint64_t count;

    try_engines(&pattern, text);
    expect(trawl_compile(&pattern, 1, &compiling, &plan, &error) == TRAWL_OK, "compiles");
    REFUSED(compiling, trawl_compile(&pattern, 1, &compiling, &plan, &error), "compile options");
    if (!plan)
        expect(trawl_compile(&pattern, 1, NULL, &plan, &error) == TRAWL_OK, "compiles at all");
    expect(trawl_compile_grid(&needle, 1, 1, NULL, &needles, &error) == TRAWL_OK,
           "compiles a needle");
    FILL_LATER(info.it);
    expect(trawl_plan_get_info(plan, &info.it) == TRAWL_OK, "info of a plan");
    expect(info.it.patterns == 1 && info.it.max_length == 4, "facts of the plan");
    expect(LATER_IS_ZERO(info.it) && info.guard == GUARD, "the end of the plan's info");

    FILL_LATER(stage.it);
    expect(trawl_plan_get_stage(plan, 0, &stage.it) == TRAWL_OK, "info of a stage");
    expect(stage.it.bytes > 0 && stage.it.patterns == 1, "facts of the stage");
    expect(LATER_IS_ZERO(stage.it) && stage.guard == GUARD, "the end of the stage's info");

    opening.threads = 2;
    expect(trawl_context_open(&opening, &context, &error) == TRAWL_OK, "opens");
    expect(trawl_context_threads(context) == 2, "two threads");
    trawl_context_close(context);
    context = NULL;
    REFUSED(opening, trawl_context_open(&opening, &context, &error), "context options");
    expect(!context && trawl_context_open(NULL, &context, &error) == TRAWL_OK, "opens at all");
    FILL_LATER(timing.it);
    expect(trawl_context_get_timing(context, &timing.it) == TRAWL_OK, "timing");
    expect(LATER_IS_ZERO(timing.it) && timing.guard == GUARD, "the end of the timing");

    FILL_LATER(advice.it);
    expect(trawl_advise(context, plan, 1, NULL, NULL, &advice.it, &error) == TRAWL_OK, "advice");
    expect(strcmp(advice.it.backend, "auto") == 0, "the CPU for one byte");
    expect(LATER_IS_ZERO(advice.it) && advice.guard == GUARD, "the end of the advice");

    scanning.max_matches = 1;
    expect(trawl_scan(context, plan, text, strlen(text), &scanning, take, &found, &error) ==
               TRAWL_LIMITED,
           "scans");
    expect(found == 1, "one match, as asked for");
    REFUSED(scanning,
            trawl_scan(context, plan, text, strlen(text), &scanning, take, &found, &error),
            "scan options");
    FILL_LATER(needs.it);
    expect(trawl_plan_get_range_needs(plan, TRAWL_REPORT_ENDS, &needs.it, &error) == TRAWL_OK,
           "needs of ranges");
    expect(needs.it.before >= 3 && needs.it.follows == 0, "facts of the needs");
    expect(LATER_IS_ZERO(needs.it) && needs.guard == GUARD, "the end of the needs");
    range.bytes = text;
    range.length = range.end = strlen(text);
    range.last = 1;
    expect(trawl_scan_range(context, plan, &range, NULL, NULL, take, &found, NULL, &error) ==
               TRAWL_OK,
           "scans a range");
    expect(found == 3, "two more matches");
    REFUSED(range, trawl_scan_range(context, plan, &range, NULL, NULL, take, &found, NULL, &error),
            "range");
    expect(trawl_scan_device(context, plan, &there, NULL, take, &found, &error) ==
               TRAWL_ERROR_UNSUPPORTED,
           "a CPU scans no device's text");
    trawl_context_close(context);

    if (trawl_device_count("opencl", NULL) > 0) {
        opening.backend = "opencl";
        opening.threads = 0;
        expect(trawl_context_open(&opening, &context, &error) == TRAWL_OK, "opens a device");
        expect(trawl_scan_device(context, plan, &there, NULL, take, &found, &error) == TRAWL_OK,
               "no text, no match");
        REFUSED(there, trawl_scan_device(context, plan, &there, NULL, take, &found, &error),
                "device text");
        expect(trawl_count_grid_device(context, needles, &grid, NULL, &count, &error) == TRAWL_OK,
               "no rows, no match");
        REFUSED(grid, trawl_count_grid_device(context, needles, &grid, NULL, &count, &error),
                "device grid");
        expect(trawl_collect_device(context, plan, &there, NULL, &result, &error) == TRAWL_OK,
               "nothing stays there");
        REFUSED(result, trawl_collect_device(context, plan, &there, NULL, &result, &error),
                "device result");
        FILL_LATER(device.it);
        expect(trawl_device_get_info("opencl", 0, &device.it, &error) == TRAWL_OK,
               "info of a device");
        expect(device.it.name[0] != '\0', "the device's name");
        expect(LATER_IS_ZERO(device.it) && device.guard == GUARD, "the end of the device's info");
        trawl_context_close(context);
    }
    trawl_plan_free(plan);
    trawl_plan_free(needles);
    return failures > 0;
}
