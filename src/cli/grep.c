/* grep.c: `trawl grep`, which prints the lines that match, as GNU grep does.
 *
 * This file holds the options and the walk over operands; lines.c searches one file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lines.h"
#include "cli/sample.h"
#include "io/tree.h"

typedef struct grep {
    run_options run;
    pattern_set patterns;
    line_style style;
    trawl_plan *plan; /* NULL: no pattern */
    line_search search;
    source file; /* the present one */
    sample sample;
    bool fixed;  /* -F */
    bool nocase; /* -i */
    bool count, list, quiet, recursive;
    int names; /* 1: -H, -1: -h, 0: neither */

    struct stat output; /* of standard output */
    bool output_known;
    bool with_names; /* unless -h: there are several operands, or a folder */
    bool matched, failed, finished;
    run_stats stats;
} grep;

/* ---- help and options -------------------------------------------------- */

static const char help_text[] =
    "Usage: trawl grep [OPTION...] PATTERN [FILE...]\n"
    "       trawl grep [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] [FILE...]\n"
    "Print the lines that match a pattern. FILE - is standard input, which is also read when\n"
    "there is no FILE (with -r: the working directory). A line is held in memory whole.\n"
    "\n"
    "Patterns:\n"
    "  -e, --regexp=PATTERN       a pattern; may be given many times\n"
    "  -f, --file=LIST            the lines of LIST are patterns\n"
    "  -F, --fixed-strings        patterns are plain bytes\n"
    "  -i, --ignore-case          the letters A to Z match both cases\n"
    "Without -F a pattern is a row of bytes, classes and repeats: . [a-f] [^,] \\d \\w \\s with\n"
    "? * + {x} {x,} {x,y}, and \\ before a byte that is meant as it is.\n"
    "\n"
    "Lines:\n"
    "  -v, --invert-match         the lines that do not match\n"
    "  -m, --max-count=NUM        stop a file after NUM selected lines\n"
    "  -a, --text                 print the lines of binary files too\n"
    "\n"
    "Output:\n"
    "  -c, --count                the number of selected lines of each file\n"
    "  -l, --files-with-matches   the names of files with a selected line\n"
    "  -o, --only-matching        the matches (leftmost, longest), one a line\n"
    "  -b, --byte-offset          with the byte offset, from 0\n"
    "  -n, --line-number          with the line number, from 1\n"
    "  -H, --with-filename        with the file's name, as for several files\n"
    "  -h, --no-filename          without it\n"
    "  -q, --quiet, --silent      nothing: the exit status tells\n"
    "\n"
    "Files:\n"
    "  -r, --recursive            search folders, and what is below them\n"
    "\n" TEXT_RUN_OPTIONS_HELP "\n"
    "Exit status: 0 a line was selected, 1 none was, 2 an error (0 under -q with a line).\n"
    "\n"
    "Examples:\n"
    "  trawl grep -n 'timeout after \\d+ ms' server.log\n"
    "  trawl grep -rl deprecated src\n"
    "  trawl grep -c -F -f hosts.txt access.log      lines with one of many host names\n"
    "  trawl grep -ob '[A-F0-9]{32}' report.txt      each hash and its byte offset\n"
    "  journalctl | trawl grep -i -m 5 -e fail -e 'error'\n";

static const char short_options[] = "e:f:FivclobnHhm:qra";

static const struct option long_options[] = {
    { "regexp", required_argument, NULL, 'e' },
    { "file", required_argument, NULL, 'f' },
    { "fixed-strings", no_argument, NULL, 'F' },
    { "ignore-case", no_argument, NULL, 'i' },
    { "invert-match", no_argument, NULL, 'v' },
    { "count", no_argument, NULL, 'c' },
    { "files-with-matches", no_argument, NULL, 'l' },
    { "only-matching", no_argument, NULL, 'o' },
    { "byte-offset", no_argument, NULL, 'b' },
    { "line-number", no_argument, NULL, 'n' },
    { "with-filename", no_argument, NULL, 'H' },
    { "no-filename", no_argument, NULL, 'h' },
    { "max-count", required_argument, NULL, 'm' },
    { "quiet", no_argument, NULL, 'q' },
    { "silent", no_argument, NULL, 'q' },
    { "recursive", no_argument, NULL, 'r' },
    { "text", no_argument, NULL, 'a' },
    TEXT_RUN_LONG_OPTIONS,
    { NULL, 0, NULL, 0 },
};

/* A newline separates patterns, as in GNU grep. */
static bool add_patterns(grep *g, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");
        if (!pattern_set_add(&g->patterns, g->run.command, text, length))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool read_option(void *user, int option, const char *value)
{
    grep *g = (grep *)user;
    switch (option) {
    case 'e':
        return add_patterns(g, value);
    case 'f':
        return pattern_set_add_file(&g->patterns, g->run.command, value);
    case 'F':
        return g->fixed = true;
    case 'i':
        return g->nocase = true;
    case 'v':
        return g->style.invert = true;
    case 'c':
        return g->count = true;
    case 'l':
        return g->list = true;
    case 'o':
        return g->style.only = true;
    case 'b':
        return g->style.offset = true;
    case 'n':
        return g->style.number = true;
    case 'H':
        g->names = 1;
        return true;
    case 'h':
        g->names = -1;
        return true;
    case 'm':
        return parse_number(g->run.command, "--max-count", value, UINT64_MAX, &g->style.most);
    case 'q':
        return g->quiet = true;
    case 'r':
        return g->recursive = true;
    case 'a':
        return g->style.text = true;
    default:
        return run_option(&g->run, option, value);
    }
}

/* What the options mean together: -q goes before -l, and -l before -c. */
static void settle_style(grep *g)
{
    g->list = g->list && !g->quiet;
    g->count = g->count && !g->quiet && !g->list;
    g->style.silent = g->quiet || g->list || g->count;
    g->style.first_only = g->quiet || g->list;
}

/* ---- files ------------------------------------------------------------- */

static void file_failed(grep *g, const char *name, const char *why)
{
    fflush(stdout); /* the lines found before come first */
    complain(g->run.command, "%s: %s", name, why);
    g->failed = true;
}

/* Lines printed to a file that is being searched would be found in turn, without end. */
static bool is_output(const grep *g, const source *file)
{
    return g->output_known && !g->style.silent && g->style.most > 1 && S_ISREG(g->output.st_mode) &&
           g->output.st_dev == file->facts.st_dev && g->output.st_ino == file->facts.st_ino;
}

static bool is_named(const grep *g)
{
    return g->names > 0 || (g->names == 0 && g->with_names);
}

static void print_result(grep *g, const char *name, bool named)
{
    const line_search *s = &g->search;
    if (s->binary_matched && !g->style.silent) {
        fflush(stdout); /* the lines found before come first */
        complain(g->run.command, "%s: binary file matches", name);
    }
    if (g->count) {
        char number[21];
        size_t digits = (size_t)(put_decimal(number, s->selected) - number);
        number[digits++] = '\n';
        if (named) {
            fputs(name, stdout);
            putc(':', stdout);
        }
        fwrite(number, 1, digits, stdout);
    }
    if (g->list && s->selected) {
        fputs(name, stdout);
        putc('\n', stdout);
    }
}

static void print_nothing_found(grep *g, const char *name)
{
    g->search.selected = 0;
    g->search.binary_matched = false;
    print_result(g, name, is_named(g));
}

static void search_file(grep *g, const char *name)
{
    line_search *s = &g->search;
    const bool named = is_named(g);
    if (is_output(g, &g->file)) {
        file_failed(g, name, "the input file is also the output: write to another folder");
        return;
    }
    line_result result = lines_search(s, &g->file, named ? name : NULL);
    g->stats.bytes += s->bytes;
    g->stats.matches += s->selected;
    g->matched |= s->selected > 0;
    if (result == LINES_OK || (result == LINES_READ_FAILED && !g->count))
        print_result(g, name, named); /* a part of the count would be a wrong one */
    if (result == LINES_READ_FAILED)
        file_failed(g, name, g->file.why);
    else if (result == LINES_SCAN_FAILED)
        file_failed(g, name, s->error.message);
    g->finished = result == LINES_WRITE_FAILED || ferror(stdout) || (g->quiet && g->matched);
}

static bool visit_file(int folder, const char *name, const char *path, int cause, void *user)
{
    grep *g = (grep *)user;
    if (cause)
        file_failed(g, path, strerror(cause));
    else if (source_open_below(&g->file, folder, name))
        search_file(g, path);
    else
        file_failed(g, path, strerror(errno));
    return !g->finished;
}

static void search_tree(grep *g, const char *path, bool bare)
{
    const bool before = g->with_names;
    g->with_names = true;
    tree_walk(path, bare, visit_file, g);
    g->with_names = before;
}

static void search_operand(grep *g, const char *path)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "(standard input)" : path;
    const uint8_t *head;
    size_t length;
    if (sample_open(&g->sample, &g->file, path)) {
        if (!standard_input && source_peek(&g->file, &head, &length))
            warn_compressed(g->run.command, path, head, length);
        search_file(g, name);
    } else if (errno == EISDIR && g->recursive && !standard_input) {
        search_tree(g, path, false);
    } else {
        const bool folder = errno == EISDIR;
        file_failed(g, name,
                    folder && !g->recursive ? "Is a directory; -r searches what is in it"
                                            : strerror(errno));
        if (folder) /* GNU grep -c has a count for it */
            print_nothing_found(g, name);
    }
}

static void search_all(grep *g, char **paths, int count)
{
    g->output_known = fstat(STDOUT_FILENO, &g->output) == 0;
    g->with_names = count > 1;
    if (g->style.most == 0)
        return;
    if (count == 0 && g->recursive)
        search_tree(g, ".", true);
    else if (count == 0)
        search_operand(g, "-");
    for (int i = 0; i < count && !g->finished; i++)
        search_operand(g, paths[i]);
}

/* ---- the command ------------------------------------------------------- */

/* Status to leave with at once, or -1. */
static int read_command_line(grep *g, int argc, char **argv)
{
    const char *command = g->run.command;
    int status =
        parse_options(command, help_text, argc, argv, short_options, long_options, read_option, g);
    if (status >= 0)
        return status;
    if (!g->patterns.given && optind == argc) {
        complain(command, "give a pattern");
        return usage_hint(command);
    }
    if (!g->patterns.given && !add_patterns(g, argv[optind++]))
        return EXIT_ERROR;
    settle_style(g);
    pattern_set_style(&g->patterns, command,
                      g->fixed ? TRAWL_SYNTAX_LITERAL : TRAWL_SYNTAX_EXTENDED,
                      TRAWL_LINES | (g->nocase ? TRAWL_NOCASE : 0u));
    return -1;
}

/* An empty list of patterns is allowed: no line matches it. */
static bool prepare(grep *g, char **paths, int count)
{
    line_search *s = &g->search;
    s->style = &g->style;
    s->context = open_context(&g->run);
    if (!s->context)
        return false;
    if (!g->patterns.count)
        return true;
    if (g->style.most && (count || !g->recursive))
        g->plan = sample_compile(&g->sample, &g->patterns, &g->run, s->context, paths, count);
    else /* nothing is read, or a folder */
        g->plan = pattern_set_compile(&g->patterns, &g->run, s->context, NULL, 0);
    s->plan = g->plan;
    return g->plan;
}

static int exit_status(const grep *g)
{
    if (g->quiet && g->matched)
        return EXIT_MATCH;
    return g->failed ? EXIT_ERROR : g->matched ? EXIT_MATCH : EXIT_NONE;
}

int command_grep(int argc, char **argv)
{
    grep g;
    memset(&g, 0, sizeof g);
    run_options_init(&g.run, "grep");
    g.style.most = UINT64_MAX;
    int status = read_command_line(&g, argc, argv);
    if (status < 0) {
        char **paths = argv + optind;
        const int count = argc - optind;
        status = EXIT_ERROR;
        if (prepare(&g, paths, count)) {
            stats_begin(&g.stats, &g.run);
            search_all(&g, paths, count);
            status = finish_output("grep", exit_status(&g));
            stats_print(&g.stats, &g.run, g.plan, g.search.context);
        }
    }
    lines_free(&g.search);
    source_close(&g.file);
    sample_close(&g.sample);
    trawl_plan_free(g.plan);
    close_context(&g.run, g.search.context);
    pattern_set_free(&g.patterns);
    return status;
}
