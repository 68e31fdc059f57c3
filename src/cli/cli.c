/* cli.c: messages, shared options and statistics of the subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "formats/sources/replace.h"
#include "trawl/device.h"

#define MAX_WITHOUT_MEMORY 1024 /* bytes of a message */

/* ---- messages ---------------------------------------------------------- */

char *message_text(const char *command, const char *format, va_list arguments)
{
    char *text = format_list(format, arguments);
    char *shown = text ? shown_text(text, false) : NULL;
    char *message = shown ? format_text("trawl %s: %s\n", command, shown) : NULL;
    free(shown);
    free(text);
    return message;
}

void complain_list(const char *command, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    char *message = message_text(command, format, again);
    va_end(again);
    progress_hold(false);
    if (message) {
        fputs(message, stderr);
    } else { /* without memory: the most of it */
        char most[MAX_WITHOUT_MEMORY];
        vsnprintf(most, sizeof most, format, arguments);
        for (char *at = most; *at; at++)
            *at = printable_length(at, 1) || *at & 0x80 ? *at : '?';
        fprintf(stderr, "trawl %s: %s\n", command, most);
    }
    progress_release(false);
    free(message);
}

void complain(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_list(command, format, arguments);
    va_end(arguments);
}

bool output_to(replacement *made, const char *command, const char *path)
{
    *made = (replacement){ 0 };
    if (replace_is_output(path))
        return true;
    if (replace_begin(made, path) && dup2(fileno(made->file), STDOUT_FILENO) >= 0) {
        setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER); /* it may have been a terminal */
        return true;
    }
    const int cause = errno;
    if (made->file)
        replace_end(made, false);
    complain(command, "%s: cannot be written: %s%s", path, strerror(cause),
             cause == EACCES && access(path, W_OK) == 0
                 ? ": it is made beside it first, so its folder must allow that"
                 : "");
    return false;
}

bool output_leaves(const char *command, const char *output, const char *input)
{
    const bool same = replace_is(output, input);
    if (same)
        complain(command, "%s: the input file is also the output: write to another file",
                 shown_name(input));
    return !same;
}

int usage_hint(const char *command)
{
    fprintf(stderr, "Try 'trawl %s --help'.\n", command);
    return EXIT_ERROR;
}

int finish_output(const char *command, int status)
{
    int earlier = ferror(stdout) ? errno : 0; /* a failed write ends the search at once */
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    int cause = errno ? errno : earlier;
    if (cause == EPIPE)
        return status;
    complain(command, "cannot write the output: %s", cause ? strerror(cause) : "unknown cause");
    return EXIT_ERROR;
}

bool print_whole(const char *command, bool (*put)(FILE *to, void *user), void *user)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    bool fine = to && put(to, user) && !ferror(to);
    if (to)
        fine = fclose(to) == 0 && fine;
    if (fine)
        fwrite(text, 1, length, stdout);
    else
        complain(command, "out of memory");
    free(text);
    return fine;
}

bool put_quoted(FILE *to, const char *text)
{
    char *quoted = json_quote(text);
    if (quoted)
        fputs(quoted, to);
    free(quoted);
    return quoted;
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options ----------------------------------------------------------- */

/* Two less than the bytes of a block. */
static const char *const block_names[] = { "2", "3", NULL };
static const char *const auto_name[] = { "auto", NULL };
/* By their number in trawl_context_options.schedule. */
static const char *const schedule_names[] = { "dynamic", "static", NULL };

const option_row engine_rows[] = {
    { .about = "Running it:\n" },
    { OPT_ENGINE, "engine", "NAME", .values = auto_name, .value_at = trawl_engine_name,
      .about = "algorithm: auto, or one that `trawl engines` lists" },
    { 0 },
};

const option_row text_rows[] = {
    { OPT_WM_BLOCK, "wm-block", "2|3", .values = block_names,
      .about = "block size of the engine wm" },
    { OPT_COMPILE_MEMORY, "max-memory", "SIZE",
      .about = "refuse patterns that take more memory to compile (1G)" },
    { 0 },
};

const option_row run_rows[] = {
    { OPT_BACKEND, "backend", "NAME", .values = auto_name, .value_at = trawl_backend_name,
      .about = "auto (the CPU; for find a GPU where that pays), or one that\n"
               "`trawl devices` lists" },
    { OPT_THREADS, "threads", "N", .about = "number of threads (one a core)" },
    { OPT_SCHEDULE, "schedule", "HOW", .values = schedule_names,
      .about = "dynamic (free threads take the next chunk) or static" },
    { OPT_CHUNKS, "chunks", "N", .about = "chunks that a window of text is cut into" },
    { OPT_ISA, "isa", "NAME", .values = auto_name, .value_at = trawl_isa_name,
      .about = "instruction set: auto, or one that `trawl devices` lists" },
    { OPT_DEVICE, "device", "LIST",
      .about = "devices of opencl and cuda: 0 (the default), 0,1 ... or all" },
    { OPT_TUNING, "tuning", "LIST", .about = "NAME=VALUE,...: see `trawl devices --tuning`" },
    { OPT_STATS, "stats", .about = "print bytes, seconds, GB/s and energy on standard error" },
    { OPT_EXPLAIN, "explain", .about = "print the engine and why on standard error" },
    { 0 },
};

void run_options_init(run_options *o, const char *command)
{
    const trawl_context_options defaults = TRAWL_CONTEXT_OPTIONS_INIT;
    memset(o, 0, sizeof *o);
    o->command = command;
    o->context = defaults;
}

const char *read_digits(const char *text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (digit > most || value > (most - digit) / 10)
            return NULL;
        value = 10 * value + digit;
    }
    *number = value;
    return text;
}

bool parse_number(const char *command, const char *option, const char *text, uint64_t most,
                  uint64_t *number)
{
    const char *end = read_digits(text, most, number);
    if (!end)
        complain(command, "%s: %s is too large: %llu is the most", option, text,
                 (unsigned long long)most);
    else if (*end || end == text)
        complain(command, "%s: '%s' is not a whole number", option, text);
    return end && !*end && end > text;
}

bool parse_size(const char *command, const char *option, const char *text, uint64_t most,
                uint64_t *bytes)
{
    static const char units[] = "KMG";
    const char *end = read_digits(text, UINT64_MAX, bytes);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (end && (end == text || end[unit != NULL]))
        complain(command, "%s: '%s' is no size: give bytes, or as in 64K, 512M, 4G", option, text);
    else if (!end || *bytes > most >> shift)
        complain(command, "%s: %s is too large: %llu bytes are the most", option, text,
                 (unsigned long long)most);
    else if (*bytes == 0)
        complain(command, "%s: give 1 at least, or leave it out for the default", option);
    else {
        *bytes <<= shift;
        return true;
    }
    return false;
}

bool limit_option(const char *command, const char *text, uint64_t *limit)
{
    if (!parse_number(command, "--max-matches", text, UINT64_MAX, limit))
        return false;
    if (*limit == 0)
        complain(command, "--max-matches: give 1 at least, or leave it out for all");
    return *limit != 0;
}

const char *const count_names[] = { "all", NULL };

bool count_option(const char *command, const char *value, bool *all)
{
    const bool known = !value || strcmp(value, "all") == 0;
    *all |= value != NULL;
    if (!known)
        complain(command,
                 "--count: '%s' is not all: --count has a line for what occurs, --count=all for "
                 "what does not, too",
                 value);
    return known;
}

bool limit_fits(const char *command, uint64_t limit, bool count)
{
    if (limit && count)
        complain(command, "--max-matches caps a list, --count counts all: leave one out");
    return !limit || !count;
}

void limit_reached(const char *command, uint64_t limit)
{
    complain(command, "stopped after %llu match%s, as --max-matches asks: more may follow",
             (unsigned long long)limit, limit == 1 ? "" : "es");
}

static bool number_option(const run_options *o, const char *option, const char *text,
                          uint32_t *number)
{
    uint64_t value;
    if (!parse_number(o->command, option, text, UINT32_MAX, &value))
        return false;
    if (value == 0) {
        complain(o->command, "%s: give 1 at least, or leave it out and Trawl chooses", option);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

/* Is `name` auto, or one of the names that `name_at` gives? */
static bool name_option(const run_options *o, const char *what, const char *name,
                        const char *(*name_at)(size_t), const char *list_command)
{
    if (strcmp(name, "auto") == 0)
        return true;
    for (size_t i = 0; name_at(i); i++)
        if (strcmp(name_at(i), name) == 0)
            return true;
    complain(o->command, "--%s: there is no %s '%s': `trawl %s` lists them", what, what, name,
             list_command);
    return false;
}

/* One of `trawl engines`, or two with a "/" between them, which compiling checks further. */
static bool engine_option(const run_options *o, const char *value)
{
    return strchr(value, '/') || name_option(o, "engine", value, trawl_engine_name, "engines");
}

bool single_option(const char *command, const char *option, const char **given, const char *value)
{
    const bool single = !*given || strcmp(*given, value) == 0;
    const char *blank = *option ? " " : "";
    if (!single)
        complain(command, "%s%s%s and %s%s%s exclude one another: give one of them", option, blank,
                 *given, option, blank, value);
    *given = value;
    return single;
}

bool choice_option(const char *command, const char *option, const char *const *names,
                   const char *value, uint32_t *choice)
{
    for (uint32_t i = 0; names[i]; i++) {
        if (strcmp(names[i], value) == 0) {
            *choice = i;
            return true;
        }
    }
    char all[256] = "";
    for (size_t i = 0, used = 0; names[i] && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", names[i]);
    complain(command, "%s: '%s' is none of%s", option, value, all);
    return false;
}

bool run_option(run_options *o, int option, const char *value)
{
    switch (option) {
    case OPT_ENGINE:
        o->engine = value;
        return engine_option(o, value);
    case OPT_WM_BLOCK:
        if (!choice_option(o->command, "--wm-block", block_names, value, &o->wm_block))
            return false;
        o->wm_block += 2;
        return true;
    case OPT_COMPILE_MEMORY:
        return parse_size(o->command, "--max-memory", value, UINT64_MAX, &o->max_memory);
    case OPT_BACKEND:
        o->context.backend = value;
        return name_option(o, "backend", value, trawl_backend_name, "devices");
    case OPT_THREADS:
        return number_option(o, "--threads", value, &o->context.threads);
    case OPT_SCHEDULE:
        return choice_option(o->command, "--schedule", schedule_names, value, &o->context.schedule);
    case OPT_CHUNKS:
        return number_option(o, "--chunks", value, &o->context.chunks);
    case OPT_ISA:
        o->context.isa = value;
        return name_option(o, "isa", value, trawl_isa_name, "devices");
    case OPT_DEVICE:
        o->context.device = value;
        return true;
    case OPT_TUNING:
        o->context.tuning = value;
        return true;
    case OPT_STATS:
        o->stats = true;
        return true;
    case OPT_EXPLAIN:
        o->explain = true;
        return true;
    default:
        return false;
    }
}

trawl_context *open_context(const run_options *o)
{
    trawl_context *context = NULL;
    trawl_error error;
    if (trawl_context_open(&o->context, &context, &error) != TRAWL_OK)
        complain(o->command, "%s", error.message);
    return context;
}

void close_context(const run_options *o, trawl_context *context)
{
    if (context && trawl_context_warning(context))
        complain(o->command, "warning: %s", trawl_context_warning(context));
    trawl_context_close(context);
}

/* ---- statistics -------------------------------------------------------- */

void stats_begin(run_stats *s, const run_options *o)
{
    memset(s, 0, sizeof *s);
    if (o->stats)
        s->meter = energy_open(NULL, 0);
    if (s->meter)
        s->energy = energy_read(s->meter);
    s->began = now();
}

/* " GPUs 12.3 J", or nothing. */
static void joules_text(char *text, size_t size, bool known, const char *of, double joules)
{
    *text = '\0';
    if (known)
        snprintf(text, size, " %s %.3g J", of, joules);
}

static void energy_print(run_stats *s, const run_options *o)
{
    char gpu[40], cpu[40];
    if (!s->meter)
        return;
    const energy_reading used = energy_between(s->energy, energy_read(s->meter));
    const bool both = used.gpu && used.cpu, none = !used.gpu && !used.cpu;
    const char *why_gpu = used.gpu ? "" : energy_why(s->meter, ENERGY_GPU);
    const char *why_cpu = used.cpu ? "" : energy_why(s->meter, ENERGY_CPU);
    joules_text(gpu, sizeof gpu, used.gpu, "GPUs", used.gpu_joules);
    joules_text(cpu, sizeof cpu, used.cpu, "CPUs", used.cpu_joules);
    if (none)
        complain(o->command, "energy: not readable here (%s; %s)", why_gpu, why_cpu);
    else
        complain(o->command, "energy:%s%s%s%s%s%s", gpu, used.gpu && used.cpu ? ";" : "", cpu,
                 both       ? ""
                 : used.gpu ? "; CPUs not readable here ("
                            : "; GPUs not readable here (",
                 used.gpu ? why_cpu : why_gpu, both ? "" : ")");
    energy_close(s->meter);
    s->meter = NULL;
}

/* Where a device's time went. */
static void timing_print(const run_options *o, trawl_context *context)
{
    trawl_timing t = { .size = sizeof t };
    if (trawl_context_get_timing(context, &t) == TRAWL_OK && t.pieces)
        complain(o->command,
                 "%llu piece%s on the device: kernels %.6f s, to the device %.6f s, back %.6f s",
                 (unsigned long long)t.pieces, plural(t.pieces), t.kernel, t.to_device,
                 t.from_device);
}

void stats_print(run_stats *s, const run_options *o, const trawl_plan *plan, trawl_context *context)
{
    trawl_plan_info info = { .size = sizeof info, .engine = "none" };
    if (!o->stats)
        return;
    double seconds = now() - s->began;
    if (plan)
        trawl_plan_get_info(plan, &info);
    uint32_t threads = trawl_context_threads(context);
    complain(o->command,
             "%llu byte%s, %.6f s, %.3f GB/s, %llu match%s, engine %s, backend %s, %u thread%s",
             (unsigned long long)s->bytes, plural(s->bytes), seconds,
             seconds > 0 ? (double)s->bytes / seconds / 1e9 : 0.0, (unsigned long long)s->matches,
             s->matches == 1 ? "" : "es", info.engine, trawl_context_backend(context), threads,
             plural(threads));
    timing_print(o, context);
    energy_print(s, o);
}

void explain_print(const run_options *o, const trawl_plan *plan)
{
    trawl_plan_info info = { .size = sizeof info };
    if (o->explain && trawl_plan_get_info(plan, &info) == TRAWL_OK)
        complain(o->command, "engine %s (%s)", info.engine, info.why);
}
