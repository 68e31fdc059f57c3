/* energy.c: see energy.h. A kind of meter that fails once is not asked again: its sum would
 * lack something, and say nothing about it. */
#include "energy/energy.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVML "libnvidia-ml.so.1"
#define POWERCAP "/sys/class/powercap"
#define ZONE "intel-rapl:" /* also AMD's; intel-rapl:0 is a zone, intel-rapl:0:0 a part of it */

enum { MAX_GPUS = 64, MAX_ZONES = 64, WHY_ROOM = 256, PATH_ROOM = 512, NAME_ROOM = 64 };

/* The part of nvml.h that is used. */
typedef struct nvml_gpu *nvml_gpu;
enum { NVML_OK = 0 };

typedef struct nvml {
    void *opened;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned int *count);
    int (*by_index)(unsigned int index, nvml_gpu *gpu);
    int (*by_bus)(const char *bus, nvml_gpu *gpu);
    int (*energy)(nvml_gpu gpu, unsigned long long *millijoules);
    const char *(*meaning)(int code);
} nvml;

typedef struct zone {
    char folder[NAME_ROOM];
    bool package;
    uint64_t range; /* microjoules; 0: not known */
    uint64_t last;
} zone;

struct energy_meter {
    nvml nvml;
    nvml_gpu gpus[MAX_GPUS];
    size_t gpu_count;
    char powercap[PATH_ROOM];
    zone zones[MAX_ZONES];
    size_t zone_count;
    double cpu_joules;     /* since the meter was opened */
    char why[2][WHY_ROOM]; /* "" while it can be read */
};

/* ---- GPUs ---------------------------------------------------------------- */

/* Give the library back and stay without GPUs. */
static void nvml_close(energy_meter *m)
{
    if (m->nvml.opened) {
        (void)m->nvml.shutdown();
        dlclose(m->nvml.opened);
    }
    m->nvml.opened = NULL;
    m->gpu_count = 0;
}

static void nvml_failed(energy_meter *m, const char *call, int code)
{
    const char *meaning = m->nvml.meaning ? m->nvml.meaning(code) : NULL;
    snprintf(m->why[ENERGY_GPU], WHY_ROOM, "%s failed: %d (%s)", call, code,
             meaning ? meaning : "no description");
}

/* dlsym's pointers to objects become pointers to functions. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static bool nvml_open(energy_meter *m, const char *name)
{
    const struct {
        const char *name;
        void *function;
    } wanted[] = {
        { "nvmlInit_v2", &m->nvml.init },
        { "nvmlShutdown", &m->nvml.shutdown },
        { "nvmlDeviceGetCount_v2", &m->nvml.count },
        { "nvmlDeviceGetHandleByIndex_v2", &m->nvml.by_index },
        { "nvmlDeviceGetHandleByPciBusId_v2", &m->nvml.by_bus },
        { "nvmlDeviceGetTotalEnergyConsumption", &m->nvml.energy },
        { "nvmlErrorString", &m->nvml.meaning },
    };
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(m->why[ENERGY_GPU], WHY_ROOM, "no NVML: %s", reason ? reason : name);
        return false;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!find(library, wanted[i].name, wanted[i].function)) {
            snprintf(m->why[ENERGY_GPU], WHY_ROOM, "the NVIDIA driver is too old: %s has no %s",
                     name, wanted[i].name);
            dlclose(library);
            return false;
        }
    const int code = m->nvml.init();
    if (code != NVML_OK) {
        nvml_failed(m, "nvmlInit", code);
        dlclose(library);
        return false;
    }
    m->nvml.opened = library;
    return true;
}

static bool choose_gpus(energy_meter *m, const char *const *buses, size_t count)
{
    unsigned int all = 0;
    int code = NVML_OK;
    if (count == 0 && (code = m->nvml.count(&all)) != NVML_OK) {
        nvml_failed(m, "nvmlDeviceGetCount", code);
        return false;
    }
    const size_t wanted = count ? count : all;
    if (wanted == 0 || wanted > MAX_GPUS) {
        snprintf(m->why[ENERGY_GPU], WHY_ROOM, "%zu GPUs: 1 to %d can be measured", wanted,
                 MAX_GPUS);
        return false;
    }
    for (size_t i = 0; i < wanted; i++) {
        code = count ? m->nvml.by_bus(buses[i], &m->gpus[i])
                     : m->nvml.by_index((unsigned int)i, &m->gpus[i]);
        if (code != NVML_OK) {
            nvml_failed(m, "nvmlDeviceGetHandle", code);
            return false;
        }
    }
    m->gpu_count = wanted;
    return true;
}

static bool read_gpus(energy_meter *m, double *joules)
{
    *joules = 0;
    for (size_t i = 0; i < m->gpu_count; i++) {
        unsigned long long millijoules = 0;
        const int code = m->nvml.energy(m->gpus[i], &millijoules);
        if (code != NVML_OK) {
            nvml_failed(m, "nvmlDeviceGetTotalEnergyConsumption", code);
            nvml_close(m);
            return false;
        }
        *joules += (double)millijoules / 1e3;
    }
    return m->gpu_count != 0;
}

static void open_gpus(energy_meter *m, const char *name, const char *const *buses, size_t count)
{
    double joules;
    if (!nvml_open(m, name))
        return;
    if (!choose_gpus(m, buses, count))
        nvml_close(m);
    else
        (void)read_gpus(m, &joules); /* so that a GPU without a counter shows at once */
}

/* ---- CPUs ---------------------------------------------------------------- */

/* The first line of a zone's file, without its newline. */
static bool zone_line(energy_meter *m, const char *folder, const char *name, char line[NAME_ROOM])
{
    char path[PATH_ROOM + 2 * NAME_ROOM];
    snprintf(path, sizeof path, "%s/%s/%s", m->powercap, folder, name);
    FILE *file = fopen(path, "r");
    const char *got = file ? fgets(line, NAME_ROOM, file) : NULL;
    if (!got)
        snprintf(m->why[ENERGY_CPU], WHY_ROOM, "%.160s: %.60s", path,
                 file && !ferror(file) ? "empty" : strerror(errno));
    else
        line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
    return got;
}

static bool zone_number(energy_meter *m, const char *folder, const char *name, uint64_t *number)
{
    char line[NAME_ROOM], *end;
    if (!zone_line(m, folder, name, line))
        return false;
    errno = 0;
    const unsigned long long value = strtoull(line, &end, 10);
    if (line[0] < '0' || line[0] > '9' || *end != '\0' || errno == ERANGE) {
        snprintf(m->why[ENERGY_CPU], WHY_ROOM, "%.120s/%s/%s: not a number", m->powercap, folder,
                 name);
        return false;
    }
    *number = value;
    return true;
}

/* intel-rapl:N */
static bool is_zone(const char *folder)
{
    const size_t prefix = strlen(ZONE);
    return strncmp(folder, ZONE, prefix) == 0 && folder[prefix] != '\0' &&
           strspn(folder + prefix, "0123456789") == strlen(folder + prefix) &&
           strlen(folder) < NAME_ROOM;
}

static bool find_zones(energy_meter *m)
{
    DIR *folder = opendir(m->powercap);
    if (!folder) {
        snprintf(m->why[ENERGY_CPU], WHY_ROOM, "no RAPL: %.160s: %.60s", m->powercap,
                 strerror(errno));
        return false;
    }
    bool packages = false;
    const struct dirent *entry;
    while ((entry = readdir(folder)) && m->zone_count < MAX_ZONES) {
        char name[NAME_ROOM];
        if (!is_zone(entry->d_name))
            continue;
        zone *z = &m->zones[m->zone_count++];
        memset(z, 0, sizeof *z);
        memcpy(z->folder, entry->d_name, strlen(entry->d_name));
        z->package = zone_line(m, z->folder, "name", name) && strncmp(name, "package", 7) == 0;
        packages = packages || z->package;
    }
    closedir(folder);
    m->why[ENERGY_CPU][0] = '\0'; /* a zone without a name is no fault */
    /* Beside the packages there may be the whole board (psys), which they are part of. */
    size_t kept = 0;
    for (size_t i = 0; i < m->zone_count; i++)
        if (!packages || m->zones[i].package)
            m->zones[kept++] = m->zones[i];
    m->zone_count = kept;
    if (kept == 0)
        snprintf(m->why[ENERGY_CPU], WHY_ROOM, "no RAPL: %.160s has no zone " ZONE "N",
                 m->powercap);
    return kept != 0;
}

static void open_cpus(energy_meter *m, const char *powercap)
{
    if (strlen(powercap) >= PATH_ROOM) {
        snprintf(m->why[ENERGY_CPU], WHY_ROOM, "the name of the powercap folder is too long");
        return;
    }
    memcpy(m->powercap, powercap, strlen(powercap) + 1);
    if (!find_zones(m))
        return;
    for (size_t i = 0; i < m->zone_count; i++) {
        zone *z = &m->zones[i];
        if (!zone_number(m, z->folder, "max_energy_range_uj", &z->range)) {
            z->range = 0;
            m->why[ENERGY_CPU][0] = '\0'; /* it matters only at a wrap */
        }
        if (!zone_number(m, z->folder, "energy_uj", &z->last)) {
            m->zone_count = 0;
            return;
        }
    }
}

static bool read_cpus(energy_meter *m)
{
    for (size_t i = 0; i < m->zone_count; i++) {
        zone *z = &m->zones[i];
        uint64_t now, more;
        if (!zone_number(m, z->folder, "energy_uj", &now)) {
            m->zone_count = 0;
            return false;
        }
        if (now >= z->last)
            more = now - z->last;
        else if (z->range >= z->last)
            more = z->range - z->last + now;
        else {
            snprintf(m->why[ENERGY_CPU], WHY_ROOM,
                     "%s: the counter went back, and how far it counts is not known", z->folder);
            m->zone_count = 0;
            return false;
        }
        z->last = now;
        m->cpu_joules += (double)more / 1e6;
    }
    return m->zone_count != 0;
}

/* ---- the meter ----------------------------------------------------------- */

energy_meter *energy_open_at(const char *library, const char *powercap, const char *const *buses,
                             size_t count)
{
    energy_meter *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    open_gpus(m, library, buses, count);
    open_cpus(m, powercap);
    return m;
}

energy_meter *energy_open(const char *const *buses, size_t count)
{
    return energy_open_at(NVML, POWERCAP, buses, count);
}

void energy_close(energy_meter *m)
{
    if (!m)
        return;
    nvml_close(m);
    free(m);
}

energy_reading energy_read(energy_meter *m)
{
    energy_reading r = { 0, 0, false, false };
    r.gpu = read_gpus(m, &r.gpu_joules);
    r.cpu = read_cpus(m);
    if (!r.gpu)
        r.gpu_joules = 0;
    if (r.cpu)
        r.cpu_joules = m->cpu_joules;
    return r;
}

energy_reading energy_between(energy_reading before, energy_reading after)
{
    energy_reading used = { 0, 0, before.gpu && after.gpu, before.cpu && after.cpu };
    if (used.gpu)
        used.gpu_joules = after.gpu_joules - before.gpu_joules;
    if (used.cpu)
        used.cpu_joules = after.cpu_joules - before.cpu_joules;
    return used;
}

const char *energy_why(const energy_meter *m, energy_of which)
{
    return m->why[which];
}

size_t energy_count(const energy_meter *m, energy_of which)
{
    return which == ENERGY_GPU ? m->gpu_count : m->zone_count;
}
