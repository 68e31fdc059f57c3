/* compile.c: `trawl compile`, which makes a plan of a set of patterns, for find and grep.
 *
 * The options of patterns are find's, or with --grep those of grep, whose patterns mean something
 * else: so they are noted first, and read when it is known for whom.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/line_patterns.h"
#include "cli/pattern_options.h"
#include "cli/plan_options.h"
#include "formats/sources/grow.h"

typedef struct given_option {
    int option;
    const char *value;
} given_option;

typedef struct compile {
    run_options run;
    pattern_options find;
    line_patterns grep;
    bool for_grep;
    given_option *given; /* of patterns, in their order */
    size_t given_count, given_room;
    char *sample; /* --sample; NULL: none */
    const char *sample_given;
    const char *output; /* -o */
} compile;

/* ---- help and options ------------------------------------------------------ */

enum { OPT_GREP = OPT_OWN, OPT_SAMPLE };

static const option_row own_rows[] = {
    { .about = "Usage: trawl compile [OPTION...] PATTERN -o PLAN\n"
               "       trawl compile [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] -o PLAN\n"
               "Make a plan of patterns, once, for `trawl find --plan PLAN` and `trawl grep --plan "
               "PLAN`,\n"
               "which print what they would with the patterns themselves but begin at once.\n"
               "\n" },
    { 'o', "output", "PLAN",
      .about = "write the plan there, whole or not at all (- is standard output)" },
    { OPT_SAMPLE, "sample", "FILE", .about = "choose the algorithm for texts like this one" },
    { .about = "\n" },
    { 0 },
};

static const option_row grep_rows[] = {
    { .about = "\n"
               "For lines:\n" },
    { OPT_GREP, "grep",
      .about = "the plan is for `trawl grep`, and patterns mean what they mean\n"
               "there: of the options above, -e -f -i -F (plain bytes), and these:" },
    { 0 },
};

static const option_row running_rows[] = {
    { .about = "\n" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about = "\n"
               "A plan runs on every backend and instruction set of machines with the same byte "
               "order; the\n"
               "algorithm is chosen for the one of --backend. Another version of Trawl may ask to "
               "compile\n"
               "again. `trawl info PLAN` says what is in a plan.\n"
               "Exit status: 0 the plan was written, 2 an error.\n"
               "\n"
               "Examples:\n"
               "  trawl compile -F -f words.txt -o words.trawl    100,000 words, once\n"
               "  trawl find --plan words.trawl book.txt          ... and find them often\n"
               "  trawl compile --prosite -f prosite.dat -o prosite.trawl\n"
               "  trawl compile --grep -w -F -f hosts.txt --sample access.log -o hosts.trawl\n"
               "  trawl grep -c --plan hosts.trawl access.log\n" },
    { 0 },
};

static const option_row *const tables[] = { own_rows,  pattern_rows, grep_rows,   line_rows,
                                            null_rows, running_rows, engine_rows, text_rows,
                                            run_rows,  help_rows,    end_rows,    NULL };
static const option_set options = { "compile", tables, 27, ' ', NULL };

static bool note_option(compile *c, int option, const char *value)
{
    if (!grow_array(&c->given, c->given_count + 1, &c->given_room, sizeof *c->given)) {
        complain(c->run.command, "out of memory for the options");
        return false;
    }
    c->given[c->given_count++] = (given_option){ option, value };
    return true;
}

static bool read_option(void *user, int option, const char *value)
{
    compile *c = user;
    switch (option) {
    case 'o':
        return single_option(c->run.command, "--output", &c->output, value);
    case OPT_SAMPLE:
        c->sample = optarg;
        return single_option(c->run.command, "--sample", &c->sample_given, value);
    case OPT_GREP:
        return c->for_grep = true;
    default:
        return option >= OPT_ENGINE && option < OPT_OWN ? run_option(&c->run, option, value)
                                                        : note_option(c, option, value);
    }
}

/* "-w", or "--iupac" */
static const char *option_name(int option, char name[64])
{
    const option_row *row = option_row_of(pattern_rows, option);
    row = row ? row : option_row_of(null_rows, option);
    if (option < 256)
        snprintf(name, 64, "-%c", option);
    else
        snprintf(name, 64, "--%s", row ? row->name : "");
    return name;
}

static bool take_option_of_patterns(compile *c, const given_option *g)
{
    char name[64];
    const bool shared = option_row_of(pattern_rows, g->option) != NULL;
    if (c->for_grep && !is_line_pattern_option(g->option)) {
        complain(c->run.command, "%s is for plans of find, --grep for those of grep: leave one out",
                 option_name(g->option, name));
        return false;
    }
    if (!c->for_grep && !shared && is_line_pattern_option(g->option)) {
        complain(c->run.command, "%s is for plans of grep: add --grep",
                 option_name(g->option, name));
        return false;
    }
    return c->for_grep ? line_pattern_option(&c->grep, g->option, g->value)
                       : pattern_option(&c->find, g->option, g->value);
}

/* The set for grep; the operand is the pattern, if no option gave one. Status as below. */
static int finish_grep(compile *c, int argc, char **argv)
{
    line_patterns *p = &c->grep;
    if (!p->set.given && optind == argc) {
        complain(c->run.command, "give a pattern");
        return usage_hint(c->run.command);
    }
    if (!p->set.given && !line_pattern_option(p, 'e', argv[optind++]))
        return EXIT_ERROR;
    if (!line_patterns_finish(p))
        return EXIT_ERROR;
    p->set.tag = PLAN_FOR_GREP | (p->set.has_empty ? PLAN_EVERY_LINE : 0);
    if (p->set.count)
        return -1;
    complain(c->run.command, p->set.has_empty ? "an empty pattern, which every line matches, needs "
                                                "no plan: add others, or leave it out"
                                              : "the list of patterns is empty");
    return EXIT_ERROR;
}

static int finish_find(compile *c, int argc, char **argv)
{
    const int status = pattern_options_finish(&c->find, argc, argv);
    c->find.set.tag = PLAN_FOR_FIND | (c->find.stranded ? PLAN_STRANDED : 0) |
                      (c->find.set.every_start ? PLAN_EVERY_START : 0);
    return status;
}

/* Whether the plan would be written over what it is made from; complains then. */
static bool is_input(const compile *c)
{
    const char *command = c->run.command;
    bool fine = !c->sample || output_leaves(command, c->output, c->sample);
    for (size_t i = 0; i < c->given_count && fine; i++) {
        const given_option *g = &c->given[i];
        fine = (g->option != 'f' && g->option != OPT_RULES && g->option != OPT_YARA) ||
               output_leaves(command, c->output, g->value);
    }
    return !fine;
}

/* Status to leave with at once, or -1. */
static int read_command_line(compile *c, int argc, char **argv)
{
    const char *command = c->run.command;
    int status = parse_options(&options, argc, argv, read_option, c);
    if (status >= 0)
        return status;
    if (!c->output) {
        complain(command, "say where the plan shall be written: add -o PLAN");
        return usage_hint(command);
    }
    if (is_input(c))
        return EXIT_ERROR;
    for (size_t i = 0; i < c->given_count; i++)
        if (!take_option_of_patterns(c, &c->given[i]))
            return EXIT_ERROR;
    status = c->for_grep ? finish_grep(c, argc, argv) : finish_find(c, argc, argv);
    if (status >= 0 || optind == argc)
        return status;
    complain(command, "%s: compiling reads no texts: leave it out, or give it as --sample FILE",
             argv[optind]);
    return EXIT_ERROR;
}

/* ---- the command ------------------------------------------------------------- */

static trawl_plan *make_plan(compile *c, pattern_set *set, trawl_context *context)
{
    sample text = { .inside = !c->for_grep };
    source file = { .fd = -1 };
    if (!c->sample)
        return pattern_set_compile(set, &c->run, context, NULL, 0);
    if (strcmp(c->sample, "-") != 0 && !source_open(&file, c->sample)) {
        complain(c->run.command, "--sample: %s: %s", c->sample, strerror(errno));
        source_close(&file);
        return NULL;
    }
    source_close(&file);
    trawl_plan *plan = sample_compile(&text, set, &c->run, context, &c->sample, 1);
    sample_close(&text);
    return plan;
}

/* Whether lines are selected that no match of the plan tells. */
static bool asks_more(const compile *c, const pattern_set *set)
{
    bool more = set->has_empty;
    for (size_t i = 0; c->for_grep && i < set->count; i++)
        more |= set->patterns[i].id == NO_PIECE;
    return more;
}

static void print_stats(const compile *c, const trawl_plan *plan, double seconds)
{
    trawl_plan_info info = { .size = sizeof info };
    trawl_plan_get_info(plan, &info);
    if (c->run.stats)
        complain(c->run.command, "%zu pattern%s, %.6f s, a plan of %zu bytes, engine %s",
                 info.patterns, plural(info.patterns), seconds, info.bytes, info.engine);
}

static int compile_set(compile *c)
{
    pattern_set *set = c->for_grep ? &c->grep.set : &c->find.set;
    const double began = now();
    trawl_context *context = open_context(&c->run);
    char *note = plan_note_write(set);
    if (!note)
        complain(c->run.command, "out of memory for what is said of patterns");
    set->keeps_texts = true;
    set->note = note;
    trawl_plan *plan = context && note ? make_plan(c, set, context) : NULL;
    if (plan)
        print_stats(c, plan, now() - began);
    const bool written = plan && plan_write(c->run.command, c->output, plan, asks_more(c, set));
    trawl_plan_free(plan);
    set->note = NULL;
    free(note);
    close_context(&c->run, context);
    return written ? EXIT_MATCH : EXIT_ERROR;
}

int command_compile(int argc, char **argv)
{
    compile c;
    memset(&c, 0, sizeof c);
    run_options_init(&c.run, "compile");
    c.find.run = &c.run;
    pattern_options_init(&c.find);
    c.grep.command = c.run.command;
    pattern_set_complains(&c.grep.set, &c.run);
    int status = read_command_line(&c, argc, argv);
    if (status < 0)
        status = compile_set(&c);
    pattern_options_free(&c.find);
    pattern_set_free(&c.grep.set);
    free(c.given);
    return status;
}
