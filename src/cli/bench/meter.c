/* meter.c: joules for the rows of a table, by the meters of cli/energy.h. */
#include <string.h>

#include "cli/bench/pool.h"
#include "cli/energy.h"

/* The GPU that rows without a list of devices run on, when it has a PCI address. */
static bool first_bus(const bench *b, char bus[24])
{
    trawl_device_info info;
    trawl_error error;
    for (size_t i = 0; i < b->backend_count; i++) {
        const bench_backend *k = &b->backends[i];
        memset(&info, 0, sizeof info);
        info.size = sizeof info;
        if (!k->device || k->cpu ||
            trawl_device_get_info(k->name, k->first, &info, &error) != TRAWL_OK || !info.bus[0])
            continue;
        memcpy(bus, info.bus, 24);
        return true;
    }
    return false;
}

static bool several_devices(const bench *b)
{
    return b->device && (strchr(b->device, ',') || strcmp(b->device, "all") == 0);
}

void energy_begin(bench *b)
{
    char bus[24];
    const char *buses[1] = { bus };
    const bool one = !several_devices(b) && first_bus(b, bus);
    b->energy = energy_open(one ? buses : NULL, one ? 1 : 0);
}

void energy_end(bench *b)
{
    energy_close(b->energy);
    b->energy = NULL;
}

void energy_now(struct energy_meter *meter, double *gpu, double *cpu)
{
    *gpu = *cpu = -1;
    if (!meter)
        return;
    energy_reading now = energy_read(meter);
    if (now.gpu)
        *gpu = now.gpu_joules;
    if (now.cpu)
        *cpu = now.cpu_joules;
}

void energy_reason(const bench *b, bool gpu, char *text, size_t room)
{
    const char *why = b->energy ? energy_why(b->energy, gpu ? ENERGY_GPU : ENERGY_CPU)
                                : "out of memory for a meter";
    snprintf(text, room, "%s", why);
}
