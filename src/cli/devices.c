/* devices.c: `trawl devices`, the processor, the backends that can run here and their devices. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "selftest/selftest.h"
#include "trawl/device.h"

static const char command[] = "devices";

enum { OPT_JSON = OPT_OWN, OPT_TUNING_LIST, OPT_SELFTEST };

static const option_row own_rows[] = {
    { .about =
          "Usage: trawl devices [--json | --tuning | --selftest]\n"
          "List the processor of this machine and its instruction sets, for --isa NAME; the\n"
          "backends, for --backend NAME, with the threads that each takes when --threads is not\n"
          "given; then the devices of opencl and cuda, for --device LIST.\n"
          "\n" },
    { OPT_JSON, "json",
      .about = "one JSON object: version, cpu, logical_cpus, isas, backends,\n"
               "devices" },
    { OPT_TUNING_LIST, "tuning",
      .about = "list the parameters of the algorithms on devices, for --tuning LIST" },
    { OPT_SELFTEST, "selftest", "[BACKEND[:ENGINE]]",
      .about = "run every algorithm, or one, on every device (of this\n"
               "backend), and compare with one CPU thread" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about = "\n"
               "Examples:\n"
               "  trawl devices                                   what is there?\n"
               "  trawl find --backend serial -e GAATTC genome    one thread\n"
               "  trawl find --threads 4 -e GAATTC genome         four threads\n"
               "  trawl find --backend opencl -e GAATTC genome    the first OpenCL device\n"
               "  trawl find --backend cuda --device all -e GAATTC genome\n" },
    { 0 },
};

static const option_row *const tables[] = { own_rows, help_rows, end_rows, NULL };
static const option_set options = { command, tables, 18, ' ', NULL };

typedef struct probe {
    const char *name, *about;
    uint32_t threads; /* 0: cannot run here */
    size_t devices;
    char why[256]; /* then the reason */
} probe;

/* Opening a context tells whether a backend of the CPU runs, and with how many threads. */
static probe probe_backend(size_t index)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    probe found = { trawl_backend_name(index), trawl_backend_about(index), 0, 0, "" };
    trawl_context *context;
    trawl_error error;
    found.devices = trawl_device_count(found.name, found.why);
    if (found.devices > 0)
        found.threads = 1;
    options.backend = found.name;
    if (found.devices > 0 || trawl_context_open(&options, &context, &error) != TRAWL_OK) {
        if (found.devices == 0)
            snprintf(found.why, sizeof found.why, "%s", error.message);
        return found;
    }
    found.threads = trawl_context_threads(context);
    trawl_context_close(context);
    return found;
}

typedef struct machine {
    char model[256]; /* the processor's name as the kernel tells it; "unknown" where it does not */
    long cpus;
} machine;

static machine read_machine(void)
{
    machine m = { "unknown", sysconf(_SC_NPROCESSORS_ONLN) };
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(m.model, sizeof m.model, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    if (file != NULL)
        fclose(file);
    return m;
}

static void print_devices(void)
{
    const char *heading = "\n%-10s  %6s  %s\n";
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const char *backend = trawl_backend_name(i);
        trawl_device_info d = { .size = sizeof d };
        for (size_t k = 0; trawl_device_get_info(backend, k, &d, NULL) == TRAWL_OK; k++) {
            if (heading)
                printf(heading, "backend", "device", "about");
            heading = NULL;
            printf("%-10s  %6zu  %s, %.1f GiB, %u units, %s\n", backend, k, d.name,
                   (double)d.memory / (1 << 30), d.units, d.driver);
        }
    }
}

static void print_table(const machine *m)
{
    printf("CPU: %s, %ld logical CPU%s, instruction sets", m->model, m->cpus, plural(m->cpus));
    for (size_t i = 0; trawl_isa_name(i); i++)
        printf("%s %s", i > 0 ? "," : "", trawl_isa_name(i));
    fputs("\n\n", stdout);
    printf("%-10s  %7s  %s\n", "backend", "threads", "about");
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const probe found = probe_backend(i);
        if (found.threads > 0)
            printf("%-10s  %7lu  %s\n", found.name, (unsigned long)found.threads, found.about);
        else
            printf("%-10s  %7s  %s\n", found.name, "-", found.why);
    }
    print_devices();
}

static int print_tuning(void)
{
    printf("%-10s  %s\n", "parameter", "values");
    for (size_t i = 0; trawl_tuning_name(i); i++)
        printf("%-10s  %s\n", trawl_tuning_name(i), trawl_tuning_about(i));
    puts("What is not given is chosen for the device and the patterns.");
    return EXIT_MATCH;
}

static bool put_devices(FILE *out)
{
    const char *comma = "";
    bool fine = true;
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const char *backend = trawl_backend_name(i);
        trawl_device_info d = { .size = sizeof d };
        for (size_t k = 0; trawl_device_get_info(backend, k, &d, NULL) == TRAWL_OK; k++) {
            fprintf(out, "%s{\"backend\":\"%s\",\"device\":%zu,\"name\":", comma, backend, k);
            fine = put_quoted(out, d.name) && fine;
            fputs(",\"driver\":", out);
            fine = put_quoted(out, d.driver) && fine;
            fprintf(out, ",\"bus\":\"%s\",\"memory\":%llu,\"units\":%u,\"cpu\":%s}", d.bus,
                    (unsigned long long)d.memory, d.units, d.cpu ? "true" : "false");
            comma = ",";
        }
    }
    return fine;
}

static bool put_json(FILE *out, void *user)
{
    const machine *m = user;
    fprintf(out, "{\"version\":\"%s\",\"cpu\":", trawl_version());
    bool fine = put_quoted(out, m->model);
    fprintf(out, ",\"logical_cpus\":%ld,\"isas\":[", m->cpus);
    for (size_t i = 0; trawl_isa_name(i); i++)
        fprintf(out, "%s\"%s\"", i > 0 ? "," : "", trawl_isa_name(i));
    fputs("],\"backends\":[", out);
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const probe found = probe_backend(i);
        fprintf(out, "%s{\"backend\":\"%s\",\"threads\":%lu,\"about\":", i > 0 ? "," : "",
                found.name, (unsigned long)found.threads);
        fine = put_quoted(out, found.threads > 0 ? found.about : found.why) && fine;
        fputc('}', out);
    }
    fputs("],\"devices\":[", out);
    fine = put_devices(out) && fine;
    fputs("]}\n", out);
    return fine;
}

/* ---- every walk on every device against serial, a line each --------------- */

typedef struct report {
    double began;
    size_t failures;
} report;

static void begin_walk(void *user, const selftest_walk *walk)
{
    printf("  %-8s  %zu  %-17s  ", walk->backend, walk->device, walk->engine);
    fflush(stdout);
    ((report *)user)->began = now();
}

static void end_walk(void *user, const selftest_walk *walk)
{
    report *r = user;
    r->failures += walk->why != NULL;
    if (walk->why)
        printf("FAILED: %s\n", walk->why);
    else
        printf("ok, %llu match%s, %.2f s\n", (unsigned long long)walk->matches,
               walk->matches == 1 ? "" : "es", now() - r->began);
}

/* `wanted`: BACKEND or BACKEND:ENGINE; NULL: all. */
static int test_all(const char *wanted)
{
    report r = { 0, 0 };
    selftest t = { NULL, NULL, begin_walk, end_walk, &r };
    char backend[16] = "";
    const char *colon = wanted ? strchr(wanted, ':') : NULL;
    const size_t length = colon ? (size_t)(colon - wanted) : wanted ? strlen(wanted) : 0;
    snprintf(backend, sizeof backend, "%.*s", (int)length, wanted ? wanted : "");
    t.backend = wanted ? backend : NULL;
    t.engine = colon ? colon + 1 : NULL;
    size_t devices = 0;
    bool run = false;
    if (wanted && strcmp(backend, "opencl") != 0 && strcmp(backend, "cuda") != 0)
        complain(command, "--selftest: there is no backend of devices '%.*s': opencl and cuda are",
                 (int)length, wanted);
    else if (t.engine && !selftest_has(t.engine))
        complain(command, "--selftest: there is no test of '%s'", t.engine);
    else if (!(run = selftest_run(&t, &devices)))
        complain(command, "out of memory");
    else if (devices)
        printf("%zu device%s, %zu failure%s\n", devices, plural(devices), r.failures,
               plural(r.failures));
    else
        puts("No device to test: see `trawl devices` for why.");
    return !run || r.failures ? EXIT_ERROR : devices ? EXIT_MATCH : EXIT_NONE;
}

static int list(bool json)
{
    machine m = read_machine();
    if (json)
        return print_whole(command, put_json, &m) ? EXIT_MATCH : EXIT_ERROR;
    print_table(&m);
    return EXIT_MATCH;
}

int command_devices(int argc, char **argv)
{
    list_choice asked = { command, 0, NULL };
    int status = parse_choice(&asked, &options, argc, argv);
    if (status >= 0)
        return status;
    status = asked.option == OPT_TUNING_LIST ? print_tuning()
             : asked.option == OPT_SELFTEST  ? test_all(asked.value)
                                             : list(asked.option == OPT_JSON);
    return finish_output(command, status);
}
