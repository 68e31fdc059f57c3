/* devices.c: `trawl devices`, the processor and the backends that can run here. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static const char command[] = "devices";

static const char help_text[] =
    "Usage: trawl devices [--json]\n"
    "List the processor of this machine and the backends, for --backend NAME, with the\n"
    "threads that each takes when --threads is not given.\n"
    "\n"
    "      --json   one JSON object with the keys cpu, logical_cpus and backends\n"
    "      --help   print this\n"
    "\n"
    "Examples:\n"
    "  trawl devices                                   what is there?\n"
    "  trawl find --backend serial -e GAATTC genome    one thread\n"
    "  trawl find --threads 4 -e GAATTC genome         four threads\n";

typedef struct device {
    const char *name, *about;
    uint32_t threads; /* 0: cannot run here */
    char why[256];    /* then the reason */
} device;

/* Opening a context tells whether a backend runs, and with how many threads. */
static device probe_backend(size_t index)
{
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    device found = { trawl_backend_name(index), trawl_backend_about(index), 0, "" };
    trawl_context *context;
    trawl_error error;
    options.backend = found.name;
    if (trawl_context_open(&options, &context, &error) != TRAWL_OK) {
        snprintf(found.why, sizeof found.why, "%s", error.message);
        return found;
    }
    found.threads = trawl_context_threads(context);
    trawl_context_free(context);
    return found;
}

/* The processor's name as the kernel tells it; "unknown" where it does not. */
static void read_cpu_model(char *model, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(model, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(model, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    if (file != NULL)
        fclose(file);
}

static int print_table(const char *model, long cpus)
{
    printf("CPU: %s, %ld logical CPU%s\n\n", model, cpus, cpus == 1 ? "" : "s");
    printf("%-10s  %7s  %s\n", "backend", "threads", "about");
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const device found = probe_backend(i);
        if (found.threads > 0)
            printf("%-10s  %7lu  %s\n", found.name, (unsigned long)found.threads, found.about);
        else
            printf("%-10s  %7s  %s\n", found.name, "-", found.why);
    }
    return EXIT_MATCH;
}

/* A string of this program or of the kernel as JSON. */
static void print_quoted(const char *text)
{
    char *quoted = json_quote(text);
    fputs(quoted != NULL ? quoted : "null", stdout);
    free(quoted);
}

static int print_json(const char *model, long cpus)
{
    if (!json_available(command))
        return EXIT_ERROR;
    fputs("{\"cpu\":", stdout);
    print_quoted(model);
    printf(",\"logical_cpus\":%ld,\"backends\":[", cpus);
    for (size_t i = 0; i < trawl_backend_count(); i++) {
        const device found = probe_backend(i);
        printf("%s{\"backend\":\"%s\",\"threads\":%lu,\"about\":", i > 0 ? "," : "", found.name,
               (unsigned long)found.threads);
        print_quoted(found.threads > 0 ? found.about : found.why);
        putchar('}');
    }
    puts("]}");
    return EXIT_MATCH;
}

int command_devices(int argc, char **argv)
{
    bool json = false;
    int status = read_list_options(command, help_text, argc, argv, &json);
    if (status >= 0)
        return status;
    char model[256];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    read_cpu_model(model, sizeof model);
    return finish_output(command, json ? print_json(model, cpus) : print_table(model, cpus));
}
