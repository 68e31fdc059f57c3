/* grep.c: `trawl grep`, which prints the lines that match, as GNU grep does.
 *
 * This file holds the options; search.c goes through the files, lines.c searches one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/search.h"

typedef struct grep {
    run_options run;
    pattern_set patterns;
    line_style style;
    trawl_plan *plan; /* NULL: no pattern */
    search search;
    bool fixed;  /* -F */
    bool nocase; /* -i */
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
        return g->search.count = true;
    case 'l':
        return g->search.list = true;
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
        return g->search.recursive = true;
    case 'a':
        return g->style.text = true;
    default:
        return run_option(&g->run, option, value);
    }
}

/* What the options mean together: -q goes before -l, and -l before -c. */
static void settle_style(grep *g)
{
    search *s = &g->search;
    s->list = s->list && !s->quiet;
    s->count = s->count && !s->quiet && !s->list;
    g->style.silent = s->quiet || s->list || s->count;
    g->style.first_only = s->quiet || s->list;
    g->style.number = g->style.number && !g->style.silent;
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
    g->patterns.by_line = g->style.silent || !g->style.only;
    pattern_set_style(&g->patterns, command,
                      g->fixed ? TRAWL_SYNTAX_LITERAL : TRAWL_SYNTAX_EXTENDED,
                      TRAWL_LINES | (g->nocase ? TRAWL_NOCASE : 0u));
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
    if (!g->patterns.count)
        return true;
    if (g->style.most && (count || !s->recursive))
        g->plan = sample_compile(&s->sample, &g->patterns, &g->run, s->context, paths, count);
    else /* nothing is read, or a folder */
        g->plan = pattern_set_compile(&g->patterns, &g->run, s->context, NULL, 0);
    s->plan = g->plan;
    return g->plan;
}

static int exit_status(const search *s)
{
    if (s->quiet && s->matched)
        return EXIT_MATCH;
    return s->failed ? EXIT_ERROR : s->matched ? EXIT_MATCH : EXIT_NONE;
}

int command_grep(int argc, char **argv)
{
    grep g;
    memset(&g, 0, sizeof g);
    run_options_init(&g.run, "grep");
    g.style.most = UINT64_MAX;
    search *s = &g.search;
    int status = read_command_line(&g, argc, argv);
    if (status < 0) {
        char **paths = argv + optind;
        const int count = argc - optind;
        status = EXIT_ERROR;
        if (prepare(&g, paths, count)) {
            stats_begin(&g.stats, &g.run);
            search_all(s, paths, count);
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
    pattern_set_free(&g.patterns);
    return status;
}
