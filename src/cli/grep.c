/* grep.c: `trawl grep`, which prints the lines that match, as GNU grep does.
 *
 * This file holds the options; search.c goes through the files, lines.c searches one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/line_patterns.h"
#include "cli/line_printer.h"
#include "cli/plan_options.h"
#include "cli/progress.h"
#include "cli/search.h"
#include "formats/patterns/line_empty.h"
#include "formats/writers/suggest.h"

typedef struct grep {
    run_options run;
    line_patterns patterns;
    const char *plan_file; /* --plan; NULL: none */
    line_style style;
    trawl_plan *plan; /* NULL: no pattern */
    search search;
    bool flush; /* --line-buffered */
    bool list_types;
    bool coloured;
    sgr_colours colours;
    uint64_t around; /* -C */
    bool before_given, after_given;
    int taken;  /* optind after the last option */
    int number; /* and before the last digit of -NUM; 0: another option followed */
    run_stats stats;
} grep;

/* ---- help and options -------------------------------------------------- */

enum {
    OPT_LINE_BUFFERED = OPT_OWN,
    OPT_BINARY_FILES,
    OPT_SEPARATOR,
    OPT_NO_SEPARATOR,
    OPT_COLOUR,
    OPT_INCLUDE,
    OPT_EXCLUDE,
    OPT_EXCLUDE_DIR,
    OPT_TYPE_NOT,
    OPT_TYPE_LIST,
    OPT_IGNORE,
    OPT_NO_IGNORE,
    OPT_HIDDEN,
    OPT_HEADING,
    OPT_NO_HEADING,
    OPT_JSON,
    OPT_DECOMPRESS,
    OPT_RATIO,
    OPT_HELP
};

enum { BINARY_SAID, BINARY_TEXT, BINARY_NONE };
static const char *const binary_names[] = { "binary", "text", "without-match", NULL };
static const char *const colour_names[] = { "always", "never", "auto", NULL };

static const option_row usage_rows[] = {
    { .about =
          "Usage: trawl grep [OPTION...] PATTERN [FILE...]\n"
          "       trawl grep [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] [FILE...]\n"
          "       trawl grep [OPTION...] --plan PLAN [FILE...]\n"
          "Print the lines that match a pattern. FILE - is standard input, which is also read "
          "when\n"
          "there is no FILE (with -r: the working directory). A line is held in memory whole.\n"
          "\n" },
    { 0 },
};

static const option_row plan_row[] = {
    { OPT_PLAN, "plan", "PLAN",
      .about = "the patterns that `trawl compile --grep` has made a plan of" },
    { 0 },
};

static const option_row own_rows[] = {
    { .about =
          "An empty pattern matches every line, and so does one that may match nothing, as x*.\n"
          "Without -F a pattern is a row of bytes, classes and repeats: . [a-f] [^,] \\d \\w \\s "
          "with\n"
          "? * + {x} {x,} {x,y}, and \\ before a byte that is meant as it is; alternatives are "
          "a|b; before\n"
          "it ^ \\b \\B \\<, after it $ \\b \\B \\> say what stands beside it.\n"
          "\n"
          "Lines:\n" },
    { 'v', "invert-match", .about = "the lines that do not match" },
    { 'm', "max-count", "NUM", .about = "stop a file after NUM selected lines" },
    { 'a', "text", .about = "print the lines of binary files too" },
    { 'I', NULL, .about = "pass over binary files" },
    { OPT_BINARY_FILES, "binary-files", "TYPE", .values = binary_names,
      .about = "text: as -a; without-match: as -I; binary: say that they match" },
    { 0 },
};

static const option_row output_rows[] = {
    { .about = "\n"
               "Output:\n" },
    { 'A', "after-context", "NUM", .about = "with NUM lines after each" },
    { 'B', "before-context", "NUM", .about = "with NUM lines before each" },
    { 'C', "context", "NUM, -NUM", .about = "with NUM lines before and after" },
    { OPT_SEPARATOR, "group-separator", "SEP", .about = "between groups of lines, not --" },
    { OPT_NO_SEPARATOR, "no-group-separator", .about = "nothing between them" },
    { 'c', "count", .about = "the number of selected lines of each file" },
    { 'l', "files-with-matches", .about = "the names of files with a selected line" },
    { 'L', "files-without-match", .about = "the names of files without one" },
    { 'o', "only-matching", .about = "the matches (leftmost, longest), one a line" },
    { 'b', "byte-offset", .about = "with the byte offset, from 0" },
    { 'n', "line-number", .about = "with the line number, from 1" },
    { 'H', "with-filename", .about = "with the file's name, as for several files" },
    { 'h', "no-filename", .about = "without it" },
    { 'Z', "null", .about = "a NUL byte ends the file's name, not : or a newline" },
    { 'T', "initial-tab", .about = "a tab before the line, and numbers in columns" },
    { OPT_COLOUR, "color", "[WHEN]", .values = colour_names,
      .about = "always, never, or auto: on a terminal, unless NO_COLOR is set (the\n"
               "default); GREP_COLORS is GNU grep's" },
    { OPT_COLOUR, "colour", "[WHEN]", .values = colour_names },
    { OPT_HEADING, "heading", .about = "the file's name on a line of its own, above its lines" },
    { OPT_NO_HEADING, "no-heading", .about = "the file's name in each line: the default" },
    { OPT_JSON, "json", .about = "JSON Lines, as ripgrep's" },
    { 'q', "quiet", .also = "silent", .about = "nothing: the exit status tells" },
    { 's', "no-messages", .about = "nothing of files that cannot be read" },
    { OPT_LINE_BUFFERED, "line-buffered", .about = "each line as soon as it is found" },
    { .about = "\n"
               "Files:\n" },
    { 'r', "recursive", .about = "search folders, and what is below them" },
    { 'R', "dereference-recursive", .about = "as -r, and follow symbolic links" },
    { OPT_INCLUDE, "include", "GLOB",
      .about = "of files, those whose name matches; the last one of these decides" },
    { OPT_EXCLUDE, "exclude", "GLOB", .about = "not those whose name matches" },
    { OPT_EXCLUDE_DIR, "exclude-dir", "GLOB", .about = "no folder whose name matches" },
    { 'g', "glob", "GLOB",
      .about = "files that match, or with ! before it, do not; as in .gitignore" },
    { 't', "type", "TYPE", .value_at = file_type_name, .about = "files of a type, as c, py, md" },
    { OPT_TYPE_NOT, "type-not", "TYPE", .value_at = file_type_name, .about = "no files of a type" },
    { OPT_TYPE_LIST, "type-list", .about = "print all types" },
    { OPT_IGNORE, "ignore",
      .about = "as -r, but pass over hidden files, and what .gitignore, .ignore\n"
               "and .rgignore files name" },
    { OPT_NO_IGNORE, "no-ignore", .about = "pass over none of these: the default" },
    { OPT_HIDDEN, "hidden", .about = "with --ignore: hidden files too" },
    { OPT_DECOMPRESS, "decompress",
      .about = "search what gzip, bzip2, xz, zstd and lz4 files hold" },
    { OPT_RATIO, "max-ratio", "N", .about = "let a byte unpack to N at most (250; 0: any number)" },
    { .about = "\n" },
    { 0 },
};

static const option_row end_rows[] = {
    { OPT_HELP, "help", .about = "print this text (-h is --no-filename, as of GNU grep)" },
    { .about =
          "\n"
          "Exit status: 0 a line was selected, 1 none was, 2 an error (0 under -q with a line).\n"
          "\n"
          "Examples:\n"
          "  trawl grep -n 'timeout after \\d+ ms' server.log\n"
          "  trawl grep -rl deprecated src\n"
          "  trawl grep -c -F -f hosts.txt access.log      lines with one of many host names\n"
          "  trawl grep -ob '[A-F0-9]{32}' report.txt      each hash and its byte offset\n"
          "  journalctl | trawl grep -i -m 5 -e fail -e 'error'\n" },
    { .value = 'z',
      .refused = "-z means two things: for lines that end with a NUL byte (GNU grep) give "
                 "--null-data; for compressed files (ripgrep) give --decompress, or pipe them: "
                 "zcat FILE | trawl grep ..." },
    { .value = 'P',
      .refused = "-P: the longest match counts here, not the first one: leave it out; groups, lazy "
                 "repeats, \\d and \\b are there, back-references and lookaround are not" },
    { .value = 'G',
      .refused = "-G: there are no basic regular expressions here: leave it out, and write ( ) | + "
                 "? {x,y} without a backslash" },
    { 0 },
};

static const option_row *const tables[] = {
    usage_rows,  line_pattern_rows, line_rows, plan_row,      own_rows, null_rows, output_rows,
    engine_rows, text_rows,         run_rows,  progress_rows, end_rows, NULL
};
static const option_set options = { "grep", tables, 29, '=', "0123456789" };

static bool binary_option(grep *g, const char *value)
{
    uint32_t kind;
    if (!choice_option(g->run.command, "--binary-files", binary_names, value, &kind))
        return false;
    g->style.text = kind == BINARY_TEXT;
    g->style.no_binary = kind == BINARY_NONE;
    return true;
}

/* A number of lines; more than there can be are all. */
static bool context_option(grep *g, int option, const char *value)
{
    uint64_t lines = UINT64_MAX;
    const char *end = read_digits(value, UINT64_MAX, &lines);
    while (!end && *value >= '0' && *value <= '9')
        value++;
    if (end ? end == value || *end : *value) {
        complain(g->run.command, "-%c: '%s' is no number of lines", option, optarg);
        return false;
    }
    g->style.context = true;
    g->before_given |= option == 'B';
    g->after_given |= option == 'A';
    *(option == 'A' ? &g->style.after : option == 'B' ? &g->style.before : &g->around) = lines;
    return true;
}

/* A digit of -NUM: the first one of an argument begins a new number. */
static bool digit_option(grep *g, int digit)
{
    if (g->number != g->taken)
        g->around = 0;
    g->number = g->taken;
    g->style.context = true;
    g->around =
        g->around > UINT64_MAX / 10 - 1 ? UINT64_MAX : 10 * g->around + (uint64_t)(digit - '0');
    return true;
}

static bool glob_option(grep *g, int option, char *glob)
{
    file_filter *f = &g->search.filter;
    const char *fault = option == 'g' ? glob_fault(glob) : NULL;
    if (fault) {
        complain(g->run.command, "-g: '%s' is no glob: %s; [[] and [{] are the bytes", glob, fault);
        return false;
    }
    const bool added = option == 'g'           ? file_filter_glob(f, glob)
                       : option == OPT_INCLUDE ? file_filter_include(f, glob)
                       : option == OPT_EXCLUDE ? file_filter_exclude(f, glob)
                                               : file_filter_exclude_folder(f, glob);
    if (!added)
        complain(g->run.command, "%s: out of memory for the glob, or more than 1000 of them", glob);
    return added;
}

static const char *type_name(const void *user, size_t number)
{
    (void)user;
    return file_type_name(number);
}

static bool type_option(grep *g, const char *name, bool leave_out)
{
    const file_type *type = file_type_find(name);
    const char *near = type ? NULL : suggest(name, type_name, NULL);
    if (type && file_filter_type(&g->search.filter, type, leave_out))
        return true;
    if (type)
        complain(g->run.command, "out of memory for a type");
    else
        complain(g->run.command, "there is no type '%s'%s%s%s: --type-list lists them", name,
                 near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* --color=WHEN, and without it: whether standard output is to be coloured. False: there is no such
 * WHEN. */
static bool is_coloured(const char *when, bool *coloured)
{
    const char *terminal = getenv("TERM"), *never = getenv("NO_COLOR");
    *coloured = true;
    if (when && is_one_of(when, "always", "yes", "force"))
        return true;
    *coloured = !when || is_one_of(when, "auto", "tty", "if-tty");
    if (!*coloured)
        return is_one_of(when, "never", "no", "none");
    *coloured =
        isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && !(never && *never);
    return true;
}

static bool colour_option(grep *g, const char *when)
{
    const bool known = is_coloured(when, &g->coloured);
    if (!known)
        complain(g->run.command, "--color: '%s' is none of always, never and auto", when);
    return known;
}

static bool take_letter(grep *g, int option, const char *value)
{
    switch (option) {
    case 'v':
        return g->style.invert = true;
    case 'c':
        return g->search.count = true;
    case 'l':
        g->search.list = LIST_MATCHING;
        return true;
    case 'L':
        g->search.list = LIST_OTHERS;
        return true;
    case 'o':
        return g->style.only = true;
    case 'b':
        return g->style.offset = true;
    case 'n':
        return g->style.number = true;
    case 'H':
        g->search.names = 1;
        return true;
    case 'h':
        g->search.names = -1;
        return true;
    case 'm':
        return parse_number(g->run.command, "--max-count", value, UINT64_MAX, &g->style.most);
    case 'q':
        return g->search.quiet = true;
    case 'r':
    case 'R':
        g->search.filter.follow = option == 'R';
        return g->search.recursive = true;
    case OPT_INCLUDE:
    case OPT_EXCLUDE:
    case OPT_EXCLUDE_DIR:
        return glob_option(g, option, optarg);
    case 'a':
        return binary_option(g, binary_names[BINARY_TEXT]);
    case 'I':
        return binary_option(g, binary_names[BINARY_NONE]);
    case OPT_BINARY_FILES:
        return binary_option(g, value);
    case 'Z':
        return g->style.null_name = true;
    case 's':
        return g->search.no_messages = true;
    case OPT_LINE_BUFFERED:
        return g->flush = true;
    case 'A':
    case 'B':
    case 'C':
        return context_option(g, option, value);
    case OPT_SEPARATOR:
        g->style.separator = value;
        return true;
    case OPT_NO_SEPARATOR:
        g->style.separator = NULL;
        return true;
    case OPT_COLOUR:
        return colour_option(g, value);
    case 'T':
        return g->style.tab = true;
    case 'g':
        return glob_option(g, option, optarg);
    case 't':
    case OPT_TYPE_NOT:
        return type_option(g, value, option == OPT_TYPE_NOT);
    case OPT_TYPE_LIST:
        return g->list_types = true;
    case OPT_IGNORE:
    case OPT_NO_IGNORE:
        g->search.filter.ignores = option == OPT_IGNORE;
        g->search.recursive |= option == OPT_IGNORE;
        return true;
    case OPT_HIDDEN:
        return g->search.filter.hidden = true;
    case OPT_HEADING:
    case OPT_NO_HEADING:
        g->style.heading = option == OPT_HEADING;
        return true;
    case OPT_JSON:
        return g->style.json = true;
    case OPT_DECOMPRESS:
        return g->search.decompress = g->search.sample.inside = true;
    case OPT_PROGRESS:
        return progress_option(g->run.command, value);
    case OPT_PLAN:
        return single_option(g->run.command, "--plan", &g->plan_file, value);
    case OPT_RATIO:
        return parse_number(g->run.command, "--max-ratio", value, UINT64_MAX,
                            &g->search.unpack.ratio);
    default:
        if (is_line_pattern_option(option))
            return line_pattern_option(&g->patterns, option, value);
        return run_option(&g->run, option, value);
    }
}

static bool read_option(void *user, int option, const char *value)
{
    grep *g = (grep *)user;
    const bool digit = option >= '0' && option <= '9';
    const bool taken = digit ? digit_option(g, option) : take_letter(g, option, value);
    g->number = digit ? g->number : 0;
    g->taken = optind;
    return taken;
}

/* Messages have their own shape. */
static void settle_json(grep *g)
{
    line_style *style = &g->style;
    style->number = true;
    style->only = style->heading = style->tab = style->null_name = false;
    style->colours = NULL;
    g->search.names = 1;
}

/* What the options mean together: -q goes before -l and -L, and these before -c. */
static void settle_style(grep *g)
{
    search *s = &g->search;
    s->list = s->quiet ? LIST_NONE : s->list;
    s->count = s->count && !s->quiet && s->list == LIST_NONE;
    g->style.silent = s->quiet || s->list || s->count;
    g->style.first_only = s->quiet || s->list;
    g->style.number = g->style.number && !g->style.silent;
    g->style.every = g->patterns.set.has_empty;
    g->style.empties = line_empty_some(&g->patterns.set);
    g->style.text |= !g->style.end;
    g->style.no_binary &= g->style.end != '\0';
    if (!g->before_given)
        g->style.before = g->around;
    if (!g->after_given)
        g->style.after = g->around;
    if (g->coloured)
        sgr_read(&g->colours, getenv("GREP_COLORS"));
    g->style.colours = g->coloured ? &g->colours : NULL;
    g->style.terminal = isatty(STDOUT_FILENO);
    if (g->style.json)
        settle_json(g);
    g->style.apart = line_printer_wanted(&g->style);
}

/* ---- the command ------------------------------------------------------- */

/* The patterns of a plan. Its lines must end as those of the files shall. */
static bool take_plan(grep *g)
{
    line_patterns *p = &g->patterns;
    if (!pattern_set_load(&p->set, &g->run, g->plan_file, PLAN_FOR_GREP, p->set.given || p->styled))
        return false;
    const bool nulls = p->set.patterns[0].flags & TRAWL_NULS;
    if (nulls != p->nulls)
        complain(g->run.command, "%s: the plan is for lines that end with a %s: %s",
                 shown_name(g->plan_file), nulls ? "NUL byte" : "newline",
                 nulls ? "add --null-data" : "give --null-data to `trawl compile --grep` too");
    p->set.has_empty = p->set.tag & PLAN_EVERY_LINE;
    return nulls == p->nulls;
}

/* The first operand, unless options gave some. False after a complaint. */
static bool take_patterns(grep *g, int argc, char **argv)
{
    if (g->plan_file)
        return take_plan(g);
    if (!g->patterns.set.given && optind == argc) {
        complain(g->run.command, "give a pattern");
        usage_hint(g->run.command);
        return false;
    }
    line_patterns *p = &g->patterns;
    if (!p->set.given && !line_pattern_option(p, 'e', argv[optind++]))
        return false;
    if (p->set.has_empty && !p->set.count && g->style.invert && !p->words && !p->whole)
        g->style.most = 0; /* as GNU grep has it: no file is looked at */
    return line_patterns_finish(p);
}

/* Status to leave with at once, or -1. */
static int read_command_line(grep *g, int argc, char **argv)
{
    const char *command = g->run.command;
    int status = parse_options(&options, argc, argv, read_option, g);
    if (status >= 0)
        return status;
    if (g->list_types) {
        for (size_t i = 0; file_type_name(i); i++)
            printf("%s: %s\n", file_type_name(i), file_type_globs(i));
        return finish_output(command, EXIT_MATCH);
    }
    if (!take_patterns(g, argc, argv))
        return EXIT_ERROR;
    if (g->style.json && (g->search.count || g->search.list != LIST_NONE)) {
        complain(command, "--json prints lines: leave out -c, -l and -L");
        return EXIT_ERROR;
    }
    g->style.end = g->patterns.nulls ? '\0' : '\n';
    settle_style(g);
    if (!file_filter_ready(&g->search.filter)) {
        complain(command, "out of memory for what is to be ignored");
        return EXIT_ERROR;
    }
    if (g->flush)
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    g->patterns.set.by_line = g->style.silent || !(g->style.only || g->coloured || g->style.json);
    return -1;
}

/* An empty list of patterns is allowed: no line matches it. */
static bool prepare(grep *g, char **paths, int count)
{
    search *s = &g->search;
    s->run = &g->run;
    s->style = &g->style;
    s->context = open_context(&g->run);
    if (!s->context)
        return false;
    if (!g->patterns.set.count)
        return true;
    if (g->style.most && (count || !s->recursive))
        g->plan = sample_compile(&s->sample, &g->patterns.set, &g->run, s->context, paths, count);
    else /* nothing is read, or a folder */
        g->plan = pattern_set_compile(&g->patterns.set, &g->run, s->context, NULL, 0);
    s->plan = g->plan;
    return g->plan;
}

/* Bytes to be searched. What lies below folders, and in compressed files, is not known. */
static uint64_t file_total(const search *s, char **paths, int count)
{
    return s->decompress || (count == 0 && s->recursive) ? UINT64_MAX
                                                         : progress_total(paths, (size_t)count);
}

static int exit_status(const search *s)
{
    if (s->quiet && s->matched)
        return EXIT_MATCH;
    return s->failed ? EXIT_ERROR : s->matched ? EXIT_MATCH : EXIT_NONE;
}

static void print_summary(grep *g)
{
    printer out = { .direct = true };
    char *summary = lines_json_summary(&g->search.stats, now() - g->stats.began);
    if (summary)
        printer_put(&out, summary, strlen(summary));
    free(summary);
    printer_write(&out);
    if (!g->search.write_error)
        g->search.write_error = out.failed;
    printer_free(&out);
}

int command_grep(int argc, char **argv)
{
    grep g;
    memset(&g, 0, sizeof g);
    run_options_init(&g.run, "grep");
    g.patterns.command = g.run.command;
    pattern_set_complains(&g.patterns.set, &g.run);
    g.style.most = UINT64_MAX;
    g.search.unpack = (unpack_options){ UNPACK_RATIO, 1, RATIO_TOO_MUCH };
    g.taken = optind;
    g.style.separator = "--";
    is_coloured(NULL, &g.coloured);
    search *s = &g.search;
    int status = read_command_line(&g, argc, argv);
    if (status < 0) {
        char **paths = argv + optind;
        const int count = argc - optind;
        status = EXIT_ERROR;
        const bool bare = count == 0 && s->recursive; /* the working directory */
        if ((bare || plan_leaves_input(g.run.command, g.plan_file, paths, count)) &&
            prepare(&g, paths, count)) {
            stats_begin(&g.stats, &g.run);
            progress_begin(file_total(s, paths, count));
            search_all(s, paths, count);
            progress_end();
            if (g.style.json && !s->quiet)
                print_summary(&g);
            g.stats.bytes = s->bytes;
            g.stats.matches = s->selected;
            errno = s->write_error;
            status = finish_output("grep", exit_status(s));
            stats_print(&g.stats, &g.run, g.plan, s->context);
        }
    }
    sample_close(&s->sample);
    trawl_plan_free(g.plan);
    close_context(&g.run, s->context);
    pattern_set_free(&g.patterns.set);
    file_filter_free(&s->filter);
    return status;
}
