/* choose.c: see choose.h. The estimates are the library's (trawl_advise). */
#include "cli/choose.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t operand_bytes(char **paths, size_t count)
{
    uint64_t total = 0;
    struct stat facts;
    for (size_t i = 0; i < (count ? count : 1); i++) {
        const bool input = count == 0 || strcmp(paths[i], "-") == 0;
        const int known = input ? fstat(STDIN_FILENO, &facts) : stat(paths[i], &facts);
        if (known == 0 && !S_ISREG(facts.st_mode))
            return UINT64_MAX;
        const off_t at = input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
        if (known == 0 && facts.st_size > at)
            total += (uint64_t)(facts.st_size - (at > 0 ? at : 0));
    }
    return total;
}

/* Who says how the CPU is to search means the CPU. */
static bool is_open(const run_options *o)
{
    const trawl_context_options *c = &o->context;
    return (!c->backend || strcmp(c->backend, "auto") == 0) && !c->threads && !c->chunks &&
           !c->schedule && !c->isa;
}

static void explain(const run_options *o, const trawl_context *context, const char *why)
{
    if (o->explain)
        complain(o->command, "backend %s (%s)", trawl_context_backend(context), why);
}

/* The device that was advised, with a plan for it that runs there. *context stays NULL after a
 * warning. */
static void open_device(const backend_choice *c, const trawl_advice *advice,
                        trawl_context **context, trawl_plan **plan)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_error error = { 0 };
    options.backend = advice->backend;
    options.device = advice->device;
    *plan = NULL;
    int status = trawl_context_open(&options, context, &error);
    if (status == TRAWL_OK)
        *plan = c->compile(c->user, *context);
    if (*plan)
        status = c->try(c->user, *context, *plan, &error);
    if (*plan && status >= TRAWL_OK)
        return;
    complain(c->run->command, "warning: %s would be quicker, but cannot be used: %s",
             advice->backend, *context && !*plan ? "see above" : error.message);
    trawl_plan_free(*plan);
    trawl_context_free(*context);
    *context = NULL;
}

static void take_advice(const backend_choice *c, trawl_advice *advice, trawl_context **context,
                        trawl_plan **plan)
{
    trawl_context *device = NULL;
    trawl_plan *other = NULL;
    open_device(c, advice, &device, &other);
    if (!device)
        return;
    const int status = trawl_advise(*context, *plan, c->length, device, other, advice, NULL);
    if (status == TRAWL_OK && strcmp(advice->backend, "auto") != 0) {
        trawl_context *const cpu = *context;
        trawl_plan *const before = *plan;
        *context = device;
        *plan = other;
        device = cpu;
        other = before;
    }
    explain(c->run, *context, advice->why);
    trawl_plan_free(other);
    trawl_context_free(device);
}

void choose_backend(const backend_choice *c, trawl_context **context, trawl_plan **plan)
{
    trawl_advice advice = { .size = sizeof advice };
    if (!is_open(c->run))
        return;
    if (c->length == 0 || c->length == UINT64_MAX)
        explain(c->run, *context, "how much there is to be searched as one text is not known");
    else if (trawl_advise(*context, *plan, c->length, NULL, NULL, &advice, NULL) != TRAWL_OK)
        return;
    else if (strcmp(advice.backend, "auto") == 0)
        explain(c->run, *context, advice.why);
    else
        take_advice(c, &advice, context, plan);
}
