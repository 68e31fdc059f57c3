/* choose.c: see choose.h. The estimates are the library's (trawl_advise). */
#include "cli/choose.h"
#include "trawl/experimental.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE (8u << 20) /* of which a sample is less than a hundredth */

uint64_t operand_bytes(char **paths, size_t count, uint64_t least)
{
    uint64_t total = 0;
    struct stat facts;
    for (size_t i = 0; i < (count ? count : 1); i++) {
        const bool input = count == 0 || strcmp(paths[i], "-") == 0;
        const int known = input ? fstat(STDIN_FILENO, &facts) : stat(paths[i], &facts);
        if (known == 0 && !S_ISREG(facts.st_mode))
            return UINT64_MAX;
        const off_t at = input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
        const off_t left = facts.st_size - (at > 0 ? at : 0);
        if (known == 0 && left > 0 && (uint64_t)left >= least)
            total += (uint64_t)left;
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

void searcher_close(searcher *s)
{
    trawl_plan_free(s->plan);
    trawl_context_close(s->context);
    *s = (searcher){ NULL, NULL };
}

/* The device that was advised, with a plan for it that runs there; none after a warning. */
static searcher open_device(const backend_choice *c, const trawl_advice *advice)
{
    searcher device = { NULL, NULL };
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_error error = { 0 };
    options.backend = advice->backend;
    options.device = advice->device;
    int status = trawl_context_open(&options, &device.context, &error);
    if (status == TRAWL_OK)
        device.plan = c->compile(c->user, device.context);
    if (device.plan)
        status = c->try(c->user, device.context, device.plan, &error);
    if (device.plan && status >= TRAWL_OK)
        return device;
    complain(c->run->command, "warning: %s would be quicker, but cannot be used: %s",
             advice->backend, device.context && !device.plan ? "see above" : error.message);
    searcher_close(&device);
    return device;
}

static searcher take_advice(const backend_choice *c, trawl_advice *advice, const searcher *cpu)
{
    searcher device = open_device(c, advice);
    if (!device.context) {
        explain(c->run, cpu->context, "the device cannot be used");
        return device;
    }
    const int status =
        trawl_advise(cpu->context, cpu->plan, c->length, device.context, device.plan, advice, NULL);
    const bool pays = status == TRAWL_OK && strcmp(advice->backend, "auto") != 0;
    explain(c->run, pays ? device.context : cpu->context, advice->why);
    if (!pays)
        searcher_close(&device);
    return device;
}

/* So that what matches cost is known: not of texts that this would take part of. */
static void try_cpu(const backend_choice *c, const searcher *cpu)
{
    if (c->length >= LARGE)
        (void)c->try(c->user, cpu->context, cpu->plan, NULL);
}

searcher choose_backend(const backend_choice *c, const searcher *cpu)
{
    const searcher none = { NULL, NULL };
    trawl_advice advice = { .size = sizeof advice };
    if (!is_open(c->run))
        return none;
    if (c->length == 0 || c->length == UINT64_MAX) {
        explain(c->run, cpu->context,
                "how much there is to be searched as one text is not known, or little");
        return none;
    }
    try_cpu(c, cpu);
    if (trawl_advise(cpu->context, cpu->plan, c->length, NULL, NULL, &advice, NULL) != TRAWL_OK)
        return none;
    if (strcmp(advice.backend, "auto") == 0)
        explain(c->run, cpu->context, advice.why);
    else
        return take_advice(c, &advice, cpu);
    return none;
}
