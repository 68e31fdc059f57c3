/* cli.h: what the subcommands of `trawl` share.
 *
 * A subcommand reads its options with parse_options (cli/options.h), collects patterns or needles,
 * opens a context, and goes through its inputs one by one. Results go to standard output,
 * everything else to standard error. Exit status: 0 match, 1 none, 2 error (an error wins
 * over a match, except under -q with a match).
 */
#ifndef TRAWL_CLI_H
#define TRAWL_CLI_H

#include <getopt.h> /* optind */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"
#include "energy/energy.h"
#include "formats/patterns/pattern_set.h"
#include "formats/records/sample.h"
#include "formats/sources/unpack.h"
#include "formats/writers/text.h"
#include "trawl.h"

/* Why no more of a file is unpacked, of commands with --max-ratio. */
#define RATIO_TOO_MUCH UNPACK_TOO_MUCH "; --max-ratio N allows N bytes for one (0: any number)"

struct replacement;

enum { EXIT_MATCH = 0, EXIT_NONE = 1, EXIT_ERROR = 2 };

/* Subcommands, one file each. argv[0] is "trawl NAME", so that getopt_long's messages open
 * as all others do. Return the exit status. */
int command_grep(int argc, char **argv);
int command_find(int argc, char **argv);
int command_grid(int argc, char **argv);
int command_compile(int argc, char **argv);
int command_info(int argc, char **argv);
int command_engines(int argc, char **argv);
int command_devices(int argc, char **argv);

/* ---- messages --------------------------------------------------------- */

/* "trawl grep: file: what went wrong" on standard error; printf-like, no newline needed. What a
 * terminal would obey is shown, as by shown_text. */
void complain(const char *command, const char *format, ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The same, where the arguments are at hand. */
void complain_list(const char *command, const char *format, va_list arguments);
/* Such a message with its newline, malloc'ed; NULL: no memory. */
char *message_text(const char *command, const char *format, va_list arguments);

/* Say where the options are explained. Returns EXIT_ERROR. */
int usage_hint(const char *command);

/* Bytes of standard output that are written at once. */
#define OUTPUT_BUFFER (128u << 10)

/* From now on what is printed goes to the file that is to take the place of the one at `path`
 * (sources/replace.h), with replace_end; "-", or what standard output is already: all stays as
 * it is. False after a complaint. */
bool output_to(struct replacement *made, const char *command, const char *path);

/* False, after a complaint, where `output` is the file `input` ("-": standard input), by whatever
 * name: nothing is written over what is read. */
bool output_leaves(const char *command, const char *output, const char *input);

/* Flush standard output and check it. A closed pipe ends the program quietly with the
 * status so far; a full disk or another failure complains and gives EXIT_ERROR. */
int finish_output(const char *command, int status);

/* Print what `put` writes, when it is there whole. False after a complaint: without memory. */
bool print_whole(const char *command, bool (*put)(FILE *to, void *user), void *user);

/* A string as JSON. False: no memory. */
bool put_quoted(FILE *to, const char *text);

/* Seconds of a clock that never goes back. */
double now(void);

/* ---- options that every scanning subcommand takes ---------------------- */

typedef struct run_options {
    const char *command; /* for messages */
    const char *engine;  /* --engine NAME */
    uint32_t wm_block;   /* --wm-block 2|3 */
    uint64_t max_memory; /* --max-memory of compiling; 0: the library's */
    trawl_context_options
        context;  /* --backend, --threads, --schedule, --chunks, --isa, --device, --tuning */
    bool stats;   /* --stats */
    bool explain; /* --explain */
} run_options;

/* Options shared by all scanning subcommands. Put engine_rows, where text is scanned text_rows, and
 * run_rows into the subcommand's tables, and hand unknown values to run_option. */
enum {
    OPT_ENGINE = 1000,
    OPT_WM_BLOCK,
    OPT_COMPILE_MEMORY,
    OPT_BACKEND,
    OPT_THREADS,
    OPT_SCHEDULE,
    OPT_CHUNKS,
    OPT_ISA,
    OPT_DEVICE,
    OPT_TUNING,
    OPT_STATS,
    OPT_EXPLAIN,
    OPT_OWN = 1100
};

extern const option_row engine_rows[], text_rows[], run_rows[];

void run_options_init(run_options *o, const char *command);
/* Take one of the shared options. */
bool run_option(run_options *o, int option, const char *value);
/* The digits at `text` as a number, 0 when there is none. Returns what follows them; NULL when
 * the number is larger than `most`. */
const char *read_digits(const char *text, uint64_t most, uint64_t *number);
/* A whole non-negative number; complains and returns false otherwise. */
bool parse_number(const char *command, const char *option, const char *text, uint64_t most,
                  uint64_t *number);

/* A number of bytes from 1 to `most`, or of units of 1024, 1024^2, 1024^3 bytes: 64K, 512M, 4G;
 * complains and returns false otherwise. */
bool parse_size(const char *command, const char *option, const char *text, uint64_t most,
                uint64_t *bytes);

/* Note the value of an option that can be meant once; complains, and returns false, when another
 * one was given. With no `option` the values are options themselves. *given is NULL at first. */
bool single_option(const char *command, const char *option, const char **given, const char *value);

/* The index in `names`, which NULL ends; complains and returns false when it is none of them. */
bool choice_option(const char *command, const char *option, const char *const *names,
                   const char *value, uint32_t *choice);

/* --max-matches, for all files together; 0 is no limit. Complains when it is no number from 1. */
bool limit_option(const char *command, const char *text, uint64_t *limit);
/* What may follow --count=. */
extern const char *const count_names[];
/* --count[=all]: `value` is NULL, or is to be "all", which sets *all. Complains otherwise. */
bool count_option(const char *command, const char *value, bool *all);
/* False, after a complaint, when matches are to be counted under a limit. */
bool limit_fits(const char *command, uint64_t limit, bool count);
/* Say that the limit ended the search. */
void limit_reached(const char *command, uint64_t limit);

/* A context as the options ask; NULL after a complaint. */
trawl_context *open_context(const run_options *o);
/* Pass on its warning, if there is one, and free it. */
void close_context(const run_options *o, trawl_context *context);

/* ---- patterns --------------------------------------------------------- */

/* The set tells its messages as complaints of the command that runs, which outlives it. */
void pattern_set_complains(pattern_set *set, run_options *o);
/* Compile for the context and a text like the sample (NULL: none); explains when asked to. NULL
 * after a complaint, which shows the pattern at fault. The set outlives the plan: where it came
 * with one (pattern_set_load), it is that. */
trawl_plan *pattern_set_compile(pattern_set *set, const run_options *o,
                                const trawl_context *context, const void *sample,
                                size_t sample_length);
/* The same, for the sample of what will be searched; none is taken when an engine is asked for by
 * name, or a plan is there. */
trawl_plan *sample_compile(sample *s, pattern_set *set, const run_options *o,
                           const trawl_context *context, char **paths, int count);
/* Complain of a pattern, which is shown. */
void pattern_set_complain(const pattern_set *set, const char *command, size_t index,
                          const char *message);

/* ---- statistics ------------------------------------------------------- */

typedef struct run_stats {
    double began; /* seconds */
    uint64_t bytes;
    uint64_t matches;
    struct energy_meter *meter; /* NULL without --stats */
    energy_reading energy;      /* when it began */
} run_stats;

/* With --stats, energy is measured too. */
void stats_begin(run_stats *s, const run_options *o);
/* With --stats, on standard error: bytes, seconds, GB/s, matches, engine, backend, threads; where
 * the time of a device went. */
void stats_print(run_stats *s, const run_options *o, const trawl_plan *plan,
                 trawl_context *context);
/* With --explain, a line on standard error: which engine and why. */
void explain_print(const run_options *o, const trawl_plan *plan);

#endif
