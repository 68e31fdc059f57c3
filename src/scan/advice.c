/* advice.c: see advice.h. The public call that gives the advice, and the reason for it. */
#include "scan/advice.h"

#include <stdio.h>
#include <string.h>

#include "backend/cpu.h"
#include "base/options.h"
#include "device/device.h"
#include "engines/shared/costs.h"
#include "scan/context.h"
#include "trawl/experimental.h"

enum { MAX_COPIERS = 8 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What a byte's matches cost on one thread; `made`: a device's carriers have made them. */
static double handing_cost(const advice_facts *f, bool made)
{
    if (f->handed == HANDING_NONE)
        return 0;
    return f->matches * (f->handed == HANDING_REPORTS ? COST_MATCH_REPORTED
                         : made                       ? COST_MATCH_MADE
                                                      : COST_MATCH);
}

outlook advice_weigh(const advice_facts *f)
{
    const double threads = f->threads ? f->threads : 1, bytes = (double)f->length;
    const double copiers = f->cores < MAX_COPIERS ? f->cores : MAX_COPIERS;
    double cpu = larger(f->cpu, COST_READ_ALONE) / threads;
    cpu = larger(cpu, COST_READ_TOGETHER) + handing_cost(f, false);
    double device = f->open && f->units ? f->device * COST_GPU_UNITS / f->units : 0;
    device = larger(device, copiers > 0 ? COST_COPY_ALONE / copiers : COST_COPY_ALONE);
    if (!f->open)
        device = larger(device, COST_LINK);
    else if (f->link > 0)
        device = larger(device, 1e9 / (f->link * COST_LINK_SHARE));
    device = larger(device, handing_cost(f, true));
    const outlook o = { 1e-9 * bytes * cpu, 1e-9 * (bytes * device + (f->open ? 0 : COST_OPENING)),
                        false };
    const bool known = f->cpu > 0 && (!f->open || (f->device > 0 && f->link > 0));
    return (outlook){ o.cpu, o.device, known && o.device < COST_GPU_PAYS * o.cpu };
}

/* The first device of a backend that is no CPU. False: there is none. */
static bool find_gpu(const char *backend, trawl_advice *a)
{
    trawl_device_info info = { .size = sizeof info };
    for (size_t i = 0; trawl_device_get_info(backend, i, &info, NULL) == TRAWL_OK; i++)
        if (!info.cpu) {
            a->backend = backend;
            snprintf(a->device, sizeof a->device, "%zu", i);
            return true;
        }
    return false;
}

/* "0.123 s expected for 64 MB by 16 CPU threads at 0.45 ns a byte and 1.2 matches a KB" */
static void put_cpu(char *text, size_t room, const advice_facts *f, const outlook *o)
{
    const int length =
        snprintf(text, room, "%.3g s expected for %.4g MB by %u CPU thread%s at %.2f ns a byte",
                 o->cpu, 1e-6 * (double)f->length, f->threads, plural(f->threads), f->cpu);
    if (f->handed != HANDING_NONE && f->matches > 0 && length > 0 && (size_t)length < room)
        snprintf(text + length, room - (size_t)length, " and %.3g matches a KB", 1e3 * f->matches);
}

/* Set what the last scan with the plan has taught. */
static void set_matches(advice_facts *f, const trawl_context *cpu, const trawl_plan *plan)
{
    const scan_experience *e = &cpu->experience;
    if (e->plan != plan || e->checksum != plan_head(plan)->checksum || !e->bytes)
        return;
    f->matches = (double)e->found / (double)e->bytes;
    f->handed = e->handed;
}

/* Advise when no device is open yet. */
static void advise_first(const advice_facts *f, trawl_advice *a)
{
    const outlook o = advice_weigh(f);
    char cpu[160];
    put_cpu(cpu, sizeof cpu, f, &o);
    a->cpu_seconds = o.cpu;
    if (f->cpu == 0)
        snprintf(a->why, sizeof a->why,
                 "what a byte costs is not known: the plan's engine was asked "
                 "for by name, or it was compiled before");
    else if (!o.pays)
        snprintf(a->why, sizeof a->why,
                 "%s; a device could not be done before %.3g s, its opening included", cpu,
                 o.device);
    else if (find_gpu("cuda", a) || find_gpu("opencl", a)) {
        a->device_seconds = o.device;
        snprintf(a->why, sizeof a->why, "%s; by %s in %.3g s, its opening included", cpu,
                 a->backend, o.device);
    } else
        snprintf(a->why, sizeof a->why, "%s; there is no GPU", cpu);
}

static void advise_open(const advice_facts *f, const worker *device, trawl_advice *a)
{
    const outlook o = advice_weigh(f);
    char cpu[160];
    put_cpu(cpu, sizeof cpu, f, &o);
    a->cpu_seconds = o.cpu;
    a->device_seconds = o.device;
    if (o.pays)
        a->backend = device->backend->name;
    if (f->link > 0)
        snprintf(a->why, sizeof a->why,
                 "%s; by %s in %.3g s, at %.4f ns a byte over a link of %.1f "
                 "GB/s",
                 cpu, device->backend->name, o.device, f->device, 1e-9 * f->link);
    else
        snprintf(a->why, sizeof a->why, "%s; the device is a CPU, or its link cannot be measured",
                 cpu);
}

int trawl_advise(const trawl_context *cpu, const trawl_plan *plan, uint64_t length,
                 trawl_context *device, const trawl_plan *device_plan, trawl_advice *advice,
                 trawl_error *error)
{
    trawl_advice a = { .backend = "auto" };
    if (!cpu || !plan || !advice || !device != !device_plan)
        return fail(
            error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
            "an argument is NULL: give a context of the CPU and its plan, a device's and its "
            "plan or neither, and where the advice goes");
    if (on_devices(&cpu->worker) || (device && !on_devices(&device->worker)))
        return fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE,
                    "the first context must be of the CPU, the second of a device");
    advice_facts f = {
        .length = length, .cpu = plan->cost, .threads = cpu->worker.threads, .cores = cpu_cores()
    };
    set_matches(&f, cpu, plan);
    if (device) {
        const int status = context_enter(device, error);
        if (status != TRAWL_OK)
            return status;
        f.open = true;
        f.device = device_plan->cost;
        f.units = device->worker.target.threads;
        f.link = device->worker.backend->device->link(&device->worker);
        advise_open(&f, &device->worker, &a);
        context_leave(device);
    } else {
        advise_first(&f, &a);
    }
    return write_info(advice, &a, sizeof a, SIZE_UP_TO(trawl_advice, why))
               ? TRAWL_OK
               : fail(error, TRAWL_ERROR_ARGUMENT, TRAWL_NONE, "the size of advice is not set");
}
