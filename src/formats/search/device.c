/* device.c: see device.h. The estimates are the library's (trawl_advise). */
#include "formats/search/device.h"

#include <stdbool.h>
#include <string.h>

#include "trawl/experimental.h"

#define LARGE (8u << 20) /* of which a sample is less than a hundredth */

void searcher_close(searcher *s)
{
    trawl_plan_free(s->plan);
    trawl_context_close(s->context);
    *s = (searcher){ NULL, NULL };
}

/* The device that was advised, with a plan for it that runs there; none after a warning. */
static searcher open_device(const device_choice *c, const trawl_advice *advice)
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
        status = c->try(c->user, &device, &error);
    if (device.plan && status >= TRAWL_OK)
        return device;
    c->warn(c->user, advice->backend, device.context && !device.plan ? NULL : error.message);
    searcher_close(&device);
    return device;
}

static searcher take_advice(const device_choice *c, trawl_advice *advice, const searcher *cpu)
{
    searcher device = open_device(c, advice);
    if (!device.context) {
        c->explain(c->user, cpu->context, "the device cannot be used");
        return device;
    }
    const int status =
        trawl_advise(cpu->context, cpu->plan, c->length, device.context, device.plan, advice, NULL);
    const bool pays = status == TRAWL_OK && strcmp(advice->backend, "auto") != 0;
    c->explain(c->user, pays ? device.context : cpu->context, advice->why);
    if (!pays)
        searcher_close(&device);
    return device;
}

/* So that what matches cost is known: not of texts that this would take part of. */
static void try_cpu(const device_choice *c, const searcher *cpu)
{
    if (c->length >= LARGE)
        (void)c->try(c->user, cpu, NULL);
}

searcher device_choose(const device_choice *c, const searcher *cpu)
{
    const searcher none = { NULL, NULL };
    trawl_advice advice = { .size = sizeof advice };
    if (c->length == 0 || c->length == UINT64_MAX) {
        c->explain(c->user, cpu->context,
                   "how much there is to be searched as one text is not known, or little");
        return none;
    }
    try_cpu(c, cpu);
    if (trawl_advise(cpu->context, cpu->plan, c->length, NULL, NULL, &advice, NULL) != TRAWL_OK)
        return none;
    if (strcmp(advice.backend, "auto") == 0)
        c->explain(c->user, cpu->context, advice.why);
    else
        return take_advice(c, &advice, cpu);
    return none;
}
