/* bench.c: `trawl bench seeds`, the tables of five papers beside ours. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"

static const char command[] = "bench";

static const char help_text[] =
    "Usage: trawl bench seeds [PAPER...] [OPTION...]\n"
    "Measure the tables of the five papers that Trawl's engines come from, and write them\n"
    "beside the papers' figures: CSV files, plots, and index.html with all of it.\n"
    "\n"
    "Papers (all when none is named):\n"
    "  bm     Boyer-Moore on many cores and GPUs\n"
    "  wm     Wu-Manber on CUDA\n"
    "  pfac   PFAC on embedded GPUs with OpenCL, and energy\n"
    "  hnfa   extended strings on the GPU\n"
    "  grid   two-dimensional matching on the GPU\n"
    "\n"
    "  -o, --out FOLDER         where the results go (trawl-bench); made when missing\n"
    "      --quick              small inputs, one repeat: a trial of the whole in a minute\n"
    "      --repeats N          repeats after the warm-up, 1 to 31 (5; quick: 1)\n"
    "      --backends LIST      of serial,threads,opencl,cuda (all that run here)\n"
    "      --device LIST        devices of the device backends: 0,1 or all (0)\n"
    "      --data FOLDER        real inputs: rule literals, sequences, pictures\n"
    "      --text FILE          text for bm, wm and pfac, repeated as needed (generated)\n"
    "      --large BYTES        large text of pfac (1 GiB when there is a GPU; 0: none)\n"
    "      --seconds N          repeat a cell of a table no more after N seconds (6)\n"
    "      --seed N             of all generated inputs (1)\n"
    "      --redraw             measure nothing: draw plots and page of --out again\n"
    "      --help               print this text\n"
    "\n"
    "Every row is checked: all backends must find the same matches at the same places.\n"
    "Results of papers that are not measured stay in the folder and on the page.\n"
    "\n"
    "Exit status: 0 all rows agree, 1 some disagree, 2 an error.\n"
    "\n"
    "Examples:\n"
    "  trawl bench seeds --quick                  does everything run, and agree?\n"
    "  trawl bench seeds bm grid -o results       two papers, full size\n"
    "  trawl bench seeds --backends serial,cuda   no threads, no OpenCL\n";

static const paper *const papers[] = { &paper_bm, &paper_wm, &paper_pfac, &paper_hnfa,
                                       &paper_grid };

enum { PAPERS = sizeof papers / sizeof papers[0] };

const paper *paper_at(size_t number)
{
    return number < PAPERS ? papers[number] : NULL;
}

void bench_complain(bench *b, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    complain(command, "%s", message);
    if (b)
        b->broken = true;
}

void *bench_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) {
        complain(command, "out of memory (%zu times %zu bytes)", count, size);
        exit(EXIT_ERROR);
    }
    return memory;
}

FILE *bench_file(bench *b, const char *name, const char *mode)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    FILE *file = fopen(path, mode);
    if (!file && mode[0] == 'w')
        bench_complain(b, "%s: %s", path, strerror(errno));
    return file;
}

const bench_backend *bench_backend_named(const bench *b, const char *name)
{
    for (size_t i = 0; i < b->backend_count; i++)
        if (strcmp(b->backends[i].name, name) == 0)
            return &b->backends[i];
    return NULL;
}

/* ---- children ------------------------------------------------------------------ */

static bool read_all(int fd, uint8_t **bytes, size_t *length)
{
    size_t room = 1 << 20;
    uint8_t *got = malloc(room);
    *length = 0;
    while (got) {
        if (*length == room) {
            uint8_t *grown = realloc(got, room *= 2);
            if (!grown)
                break;
            got = grown;
        }
        ssize_t n = read(fd, got + *length, room - *length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            *bytes = got;
            return n == 0;
        }
        *length += (size_t)n;
    }
    free(got);
    *bytes = NULL;
    return false;
}

bool bench_child(char *const *arguments, uint8_t **bytes, size_t *length)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(bytes ? ends[1] : nothing, 1);
        close(ends[0]);
        close(ends[1]);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    bool fine = child > 0 && (!bytes || read_all(ends[0], bytes, length));
    close(ends[0]);
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    if (fine && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (bytes) {
        free(*bytes);
        *bytes = NULL;
    }
    return false;
}

/* ---- what there is to measure with ------------------------------------------------ */

static bool in_list(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (*list) {
        size_t word = strcspn(list, ",");
        if (word == length && memcmp(list, name, length) == 0)
            return true;
        list += word;
        list += *list == ',';
    }
    return false;
}

static bool known_names(const char *list)
{
    while (*list) {
        size_t word = strcspn(list, ",");
        bool known = false;
        for (size_t i = 0; i < trawl_backend_count(); i++) {
            const char *name = trawl_backend_name(i);
            known = known || (strlen(name) == word && memcmp(name, list, word) == 0);
        }
        if (!known) {
            complain(command, "there is no backend '%.*s': see `trawl devices` for the names",
                     (int)word, list);
            return false;
        }
        list += word;
        list += *list == ',';
    }
    return true;
}

/* A CPU backend that cannot run (no OpenMP) is left out, as a device backend without device. */
static bool probe(bench *b, const char *name, bench_backend *found)
{
    char why[256] = "";
    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    trawl_device_info info;
    trawl_context *context;
    trawl_error error;
    memset(found, 0, sizeof *found);
    found->name = name;
    found->device = strcmp(name, "serial") != 0 && strcmp(name, "threads") != 0;
    if (!found->device) {
        options.backend = name;
        found->cpu = true;
        snprintf(found->label, sizeof found->label, "CPU");
        if (trawl_context_open(&options, &context, &error) == TRAWL_OK) {
            trawl_context_free(context);
            return true;
        }
        fprintf(stderr, "trawl bench: %s is left out: %s\n", name, error.message);
        return false;
    }
    found->devices = trawl_device_count(name, why);
    if (!found->devices) {
        fprintf(stderr, "trawl bench: %s is left out: %s\n", name, why);
        return false;
    }
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    found->first = b->device ? (size_t)strtoul(b->device, NULL, 10) : 0;
    if (trawl_device_get_info(name, found->first, &info, &error) == TRAWL_OK) {
        snprintf(found->label, sizeof found->label, "%s", info.name);
        found->cpu = info.cpu != 0;
    }
    return true;
}

static void find_backends(bench *b, const char *wanted)
{
    for (size_t i = 0; i < trawl_backend_count() && b->backend_count < BENCH_BACKENDS; i++) {
        const char *name = trawl_backend_name(i);
        if (!wanted || in_list(wanted, name))
            b->backend_count += probe(b, name, &b->backends[b->backend_count]);
    }
}

bool bench_has_gpu(const bench *b)
{
    for (size_t i = 0; i < b->backend_count; i++)
        if (b->backends[i].device && !b->backends[i].cpu)
            return true;
    return false;
}

uint64_t bench_size(const bench *b, uint64_t quick, uint64_t cpu, uint64_t gpu)
{
    return b->quick ? quick : bench_has_gpu(b) ? gpu : cpu;
}

/* ---- options ---------------------------------------------------------------------- */

enum {
    OWN_QUICK = OPT_OWN,
    OWN_REPEATS,
    OWN_BACKENDS,
    OWN_DEVICE,
    OWN_DATA,
    OWN_TEXT,
    OWN_LARGE,
    OWN_SECONDS,
    OWN_SEED,
    OWN_REDRAW
};

typedef struct asked {
    const char *backends;
    bool repeats, large, redraw;
} asked;

static bool read_option(bench *b, asked *a, int option, const char *value)
{
    uint64_t number = 0;
    switch (option) {
    case 'o':
        b->folder = value;
        return true;
    case OWN_QUICK:
        return b->quick = true;
    case OWN_REPEATS:
        if (!parse_number(command, "--repeats", value, MOST_REPEATS, &number))
            return false;
        b->repeats = number ? (uint32_t)number : 1;
        return a->repeats = true;
    case OWN_BACKENDS:
        a->backends = value;
        return known_names(value);
    case OWN_DEVICE:
        b->device = value;
        return true;
    case OWN_DATA:
        b->data = value;
        return true;
    case OWN_TEXT:
        b->text = value;
        return true;
    case OWN_LARGE:
        return a->large = parse_number(command, "--large", value, UINT64_C(1) << 40, &b->large);
    case OWN_SECONDS:
        if (!parse_number(command, "--seconds", value, 1000000, &number))
            return false;
        b->seconds = (double)number;
        return true;
    case OWN_SEED:
        return parse_number(command, "--seed", value, UINT64_MAX, &b->seed);
    case OWN_REDRAW:
        return a->redraw = true;
    default:
        usage_hint(command);
        return false;
    }
}

/* Returns the exit status to leave with, or -1. */
static int read_options(bench *b, asked *a, int argc, char **argv)
{
    static const struct option options[] = {
        { "out", required_argument, NULL, 'o' },
        { "quick", no_argument, NULL, OWN_QUICK },
        { "repeats", required_argument, NULL, OWN_REPEATS },
        { "backends", required_argument, NULL, OWN_BACKENDS },
        { "device", required_argument, NULL, OWN_DEVICE },
        { "data", required_argument, NULL, OWN_DATA },
        { "text", required_argument, NULL, OWN_TEXT },
        { "large", required_argument, NULL, OWN_LARGE },
        { "seconds", required_argument, NULL, OWN_SECONDS },
        { "seed", required_argument, NULL, OWN_SEED },
        { "redraw", no_argument, NULL, OWN_REDRAW },
        { "help", no_argument, NULL, OPT_HELP },
        { NULL, 0, NULL, 0 },
    };
    int option;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option == OPT_HELP) {
            fputs(help_text, stdout);
            return finish_output(command, EXIT_MATCH);
        }
        if (!read_option(b, a, option, optarg))
            return EXIT_ERROR;
    }
    return -1;
}

static const paper *paper_named(const char *name)
{
    for (size_t i = 0; i < PAPERS; i++)
        if (strcmp(papers[i]->name, name) == 0)
            return papers[i];
    return NULL;
}

/* The papers named, in `chosen`; false after a complaint. */
static bool choose_papers(int argc, char **argv, bool *chosen)
{
    if (optind >= argc || strcmp(argv[optind], "seeds") != 0) {
        complain(command,
                 optind < argc ? "there is nothing called '%s' to measure: say `seeds`"
                               : "say what to measure: `seeds`%s",
                 optind < argc ? argv[optind] : "");
        usage_hint(command);
        return false;
    }
    for (int i = optind + 1; i < argc; i++) {
        const paper *p = paper_named(argv[i]);
        if (!p) {
            complain(command, "there is no paper '%s': bm, wm, pfac, hnfa and grid are", argv[i]);
            return false;
        }
        for (size_t n = 0; n < PAPERS; n++)
            chosen[n] = chosen[n] || papers[n] == p;
    }
    if (optind + 1 == argc)
        for (size_t n = 0; n < PAPERS; n++)
            chosen[n] = true;
    return true;
}

static bool make_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return true;
    complain(command, "%s: %s", path, strerror(errno));
    return false;
}

/* ---- one paper after the other ----------------------------------------------------- */

static void run_paper(bench *b, const paper *p)
{
    table *tables = bench_alloc(p->table_count, sizeof *tables);
    for (size_t i = 0; i < p->table_count; i++)
        tables[i].head = &p->tables[i];
    findings_begin(b, p);
    p->run(b, tables);
    for (size_t i = 0; i < p->table_count; i++)
        table_write(b, &tables[i]);
    plot_write(b, p, tables);
    for (size_t i = 0; i < p->table_count; i++)
        table_free(&tables[i]);
    free(tables);
}

static int run_all(bench *b, const bool *chosen)
{
    const double began = bench_seconds();
    b->pool = pool_open();
    fprintf(stderr, "trawl bench: seed %llu, %u repeats, results in %s\n",
            (unsigned long long)b->seed, b->repeats, b->folder);
    energy_begin(b);
    for (size_t i = 0; i < PAPERS; i++)
        if (chosen[i])
            run_paper(b, papers[i]);
    energy_end(b);
    pool_close(b->pool);
    page_write(b, true);
    for (size_t i = 0; i < PAPERS; i++)
        if (chosen[i])
            findings_print(b, papers[i]);
    printf("%zu rows in %.0f s: %zu disagree, %zu failed, %zu not supported, %zu compared with "
           "nothing. Results: %s\n",
           b->rows, bench_seconds() - began, b->disagreements, b->failures, b->unsupported,
           b->alone, b->folder);
    if (b->broken || b->failures)
        return EXIT_ERROR;
    return b->disagreements ? EXIT_NONE : EXIT_MATCH;
}

/* Plots and page once more, from the files of an earlier run. */
static int redraw(bench *b)
{
    for (size_t i = 0; i < PAPERS; i++)
        if (!plot_redraw(b, papers[i]))
            return EXIT_ERROR;
    page_write(b, false);
    return b->broken ? EXIT_ERROR : EXIT_MATCH;
}

int bench_main(int argc, char **argv)
{
    bool chosen[PAPERS] = { false };
    asked a = { NULL, false, false, false };
    bench b;
    memset(&b, 0, sizeof b);
    b.folder = "trawl-bench";
    b.seconds = 6;
    b.seed = 1;
    int status = read_options(&b, &a, argc, argv);
    if (status >= 0)
        return status;
    if (!choose_papers(argc, argv, chosen) || !make_folder(b.folder))
        return EXIT_ERROR;
    if (a.redraw)
        return redraw(&b);
    if (!a.repeats)
        b.repeats = b.quick ? 1 : 5;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    b.cpus = cpus > 0 ? (uint32_t)cpus : 1;
    find_backends(&b, a.backends);
    if (!b.backend_count) {
        complain(command, "none of the backends asked for runs here");
        return EXIT_ERROR;
    }
    if (!a.large && !b.quick && bench_has_gpu(&b))
        b.large = UINT64_C(1) << 30;
    return finish_output(command, run_all(&b, chosen));
}
