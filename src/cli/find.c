/* find.c: `trawl find`, which prints where patterns occur, by byte offset: its options. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/find_ranks.h"
#include "cli/pattern_options.h"
#include "cli/plan_options.h"
#include "cli/progress.h"
#include "formats/sources/replace.h"
#include "formats/sources/unpack.h"
#include "formats/writers/format.h"

typedef struct find {
    run_options run;
    pattern_options patterns;
    writer output;
    find_search search;
    const char *report_given; /* --report; NULL: it was not given */
    const char *type_given;   /* --format */
    const char *format_given; /* the option: --json ... */
    const char *printed_to;   /* --output FILE; NULL: standard output */
    replacement made;         /* of it */
} find;

/* ---- help and options -------------------------------------------------- */

enum {
    OPT_REPORT = OPT_OWN,
    OPT_TSV,
    OPT_JSON,
    OPT_BED,
    OPT_GFF3,
    OPT_MATCHED,
    OPT_NO_HEADER,
    OPT_RECORD_NUMBER,
    OPT_MAX_MATCHES,
    OPT_FORMAT,
    OPT_RATIO,
    OPT_CIRCULAR,
    OPT_OUTPUT,
    OPT_VERDICTS
};

/* By their number in trawl_report. */
static const char *const report_names[] = {
    "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", "each", NULL
};

static const char *const format_names[] = { "auto",    "fasta", "fastq", "pcap", "sam",
                                            "genbank", "lines", "text",  "raw",  NULL };

static const option_row usage_rows[] = {
    { .about = "Usage: trawl find [OPTION...] PATTERN [FILE...]\n"
               "       trawl find [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] [FILE...]\n"
               "       trawl find [OPTION...] --plan PLAN [FILE...]\n"
               "Print all occurrences of all patterns by byte offset, overlapping ones too; of a "
               "pattern\n"
               "of variable length the leftmost and longest ones, which do not overlap each other. "
               "FILE - is\n"
               "standard input, which is also read when there is no FILE (with -r: the working "
               "directory).\n"
               "\n" },
    { 0 },
};

static const option_row own_rows[] = {
    { .about =
          "\n"
          "Files, recognised by their first bytes: what gzip, bzip2, xz, zstd and lz4 files are\n"
          "compressed from, the members of tar and zip files (FILE:MEMBER), sequences of FASTA, "
          "FASTQ\n"
          "(lines joined), SAM, BAM, GenBank and EMBL, payloads of packets in pcap and pcapng "
          "files.\n" },
    { 'r', "recursive",
      .about = "search folders, and all files below them, in the order of names" },
    { OPT_FORMAT, "format", "NAME", .values = format_names,
      .about = "take them for fasta, fastq, sam (or BAM), genbank (or EMBL), pcap,\n"
               "lines (each a record), text (no records) or raw (the bytes as they\n"
               "stand) instead of auto" },
    { OPT_RATIO, "max-ratio", "N", .about = "let a byte unpack to N at most (250; 0: any number)" },
    { OPT_CIRCULAR, "circular",
      .about = "each record is a circle, as a plasmid: matches that cross its end\n"
               "are found, with their end after it (start < length of the record,\n"
               "end = start + length of the match); --report longest (then the\n"
               "default), shortest or pairs" },
    { .about = "\n"
               "Output:\n" },
    { OPT_REPORT, "report", "MODE", .values = report_names,
      .about = "which matches of patterns of variable length:\n"
               "each (default: of each pattern the leftmost, there the longest,\n"
               "without overlaps among its own), ends (every end once; start is -\n"
               "where unknown), pairs (every start and end), longest, shortest (a\n"
               "start), leftmost-longest, leftmost-first (no overlaps at all)" },
    { 'c', "count", "[all]", .values = count_names,
      .about = "a line for each file and pattern that occurs in it, with the number\n"
               "of matches; all: for patterns that do not occur, too" },
    { 'g', "only-ids",
      .about = "a line for each pattern that occurs in a file, or in a record of it,\n"
               "without places" },
    { 'q', "quiet", .also = "silent",
      .about = "nothing: the exit status tells; the first match ends the search" },
    { OPT_VERDICTS, "verdicts",
      .about = "the rules of --rules FILE that hold for a record, not matches: their\n"
               "contents are where they are asked for; or the logical signatures of\n"
               "--hex -f FILE.ldb. Columns: file, record, sid, msg, unchecked (what\n"
               "else is asked for, which is not evaluated)" },
    { OPT_MAX_MATCHES, "max-matches", "N", .about = "stop after N matches in all, and say so" },
    { OPT_OUTPUT, "output", "FILE",
      .about = "print to FILE instead of standard output (-), whole or not at all" },
    { OPT_TSV, "tsv", .about = "columns with tabs between them: the default" },
    { OPT_JSON, "json", .about = "JSON, one object a line" },
    { OPT_BED, "bed", .about = "BED: record, start, end, name of the pattern, 0, strand" },
    { OPT_GFF3, "gff3", .about = "GFF3: features of records, from 1" },
    { OPT_MATCHED, "matched",
      .about = "with the bytes of each match in a last column (- where its start is\n"
               "unknown; what is no text as \\xHH)" },
    { OPT_RECORD_NUMBER, "record-number",
      .about = "with the number of each record in its text, from 1, in a column\n"
               "number: it tells records of one name apart" },
    { OPT_NO_HEADER, "no-header", .about = "no line that names the columns" },
    { .about = "\n"
               "The columns are file, record (a sequence's name, a packet's number and flow, a "
               "line's number,\n"
               "else 1), pattern (its number, from 1), start and end: the match is bytes start to "
               "end - 1 of\n"
               "the record, from 0.\n"
               "\n" },
    { .about = pattern_language },
    { .about = "\n" },
    { 0 },
};

/* Options of grep's, which find has under other names, or does otherwise. */
static const option_row grep_rows[] = {
    { .value = 'E',
      .refused = "-E is grep's: patterns have classes and repeats without it: leave it out" },
    { .value = 'H', .refused = "-H is grep's: the file is the first column: leave it out" },
    { 'l', "files-with-matches",
      .refused = "-l is grep's: which patterns occur in which file, a line each, is -g" },
    { 'm', "max-count", "NUM",
      .refused = "-m is grep's: a limit of matches in all is --max-matches N" },
    { 'n', "line-number",
      .refused = "-n is grep's: where a match is are columns; to number lines take --format lines, "
                 "or `trawl grep`" },
    { .value = 'o',
      .refused = "-o is grep's: matches are what is printed; their bytes, too, with --matched" },
    { 'v', "invert-match",
      .refused = "-v is grep's: what does not match are lines: `trawl grep -v`" },
    { 'w', "word-regexp",
      .refused = "-w is grep's: whole words are \\b before and after a pattern" },
    { 'x', "line-regexp",
      .refused = "-x is grep's: whole lines are ^ before and $ after a pattern" },
    { .value = 'A', .refused = "-A is grep's: lines around are for `trawl grep`" },
    { .value = 'B', .refused = "-B is grep's: lines around are for `trawl grep`" },
    { .value = 'C', .refused = "-C is grep's: lines around are for `trawl grep`" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about =
          "\n"
          "Under mpirun the ranks share the files, which all of them can read, and print what one\n"
          "process does; --backend cuda is a device for each. An error of one ends all. "
          "TRAWL_MPI=0 in\n"
          "the environment: each searches alone.\n"
          "\n"
          "Exit status: 0 something was found, 1 nothing was, 2 an error (0 under -q with a "
          "match).\n"
          "\n"
          "Examples:\n"
          "  trawl find -F -e '\\x7fELF' -e 'PK\\x03\\x04' disk.img     signatures\n"
          "  trawl find --count -F -f words.txt book.txt             how often each word occurs\n"
          "  trawl find '\\d+' log.txt                                each whole number\n"
          "  trawl find --json -i -e GAATTC -e 'CC[AT]GG' reads.txt  restriction sites, as JSON\n"
          "  trawl find -e 'key=[0-9a-f]{64}' dumps.tar.gz           in each member, "
          "decompressed\n" },
    { 0 },
};

static const option_row *const tables[] = { usage_rows,  pattern_rows, plan_rows, own_rows,
                                            engine_rows, text_rows,    run_rows,  progress_rows,
                                            help_rows,   grep_rows,    end_rows,  NULL };
static const option_set options = { "find", tables, 27, ' ', NULL };

static bool take_format(find *f, const writer_format *format, const char *option)
{
    f->output.format = format;
    return single_option(f->run.command, "", &f->format_given, option);
}

static bool read_option(void *user, int option, const char *value)
{
    find *f = (find *)user;
    switch (option) {
    case OPT_REPORT:
        return single_option(f->run.command, "--report", &f->report_given, value) &&
               choice_option(f->run.command, "--report", report_names, value, &f->search.report);
    case OPT_TSV:
        return take_format(f, &writer_tsv, "--tsv");
    case OPT_JSON:
        return take_format(f, &writer_json, "--json");
    case OPT_BED:
        return take_format(f, &writer_bed, "--bed");
    case OPT_GFF3:
        return take_format(f, &writer_gff3, "--gff3");
    case OPT_MATCHED:
        return f->output.matched = true;
    case OPT_RECORD_NUMBER:
        return f->output.numbers = true;
    case OPT_NO_HEADER:
        return f->output.headless = true;
    case 'c':
        f->output.count = true;
        return count_option(f->run.command, value, &f->output.all);
    case 'g':
        return f->output.only_ids = true;
    case 'q':
        return f->search.quiet = true;
    case 'r':
        return f->search.recursive = true;
    case OPT_MAX_MATCHES:
        return limit_option(f->run.command, value, &f->search.most);
    case OPT_FORMAT:
        return single_option(f->run.command, "--format", &f->type_given, value) &&
               choice_option(f->run.command, "--format", format_names, value, &f->search.format);
    case OPT_RATIO:
        return parse_number(f->run.command, "--max-ratio", value, UINT64_MAX, &f->search.ratio);
    case OPT_CIRCULAR:
        return f->search.circular = true;
    case OPT_OUTPUT:
        return single_option(f->run.command, "--output", &f->printed_to, value);
    case OPT_VERDICTS:
        return f->patterns.verdicts = true;
    case OPT_PROGRESS:
        return progress_option(f->run.command, value);
    default:
        return pattern_option(&f->patterns, option, value);
    }
}

/* ---- the command ------------------------------------------------------- */

/* Where a match begins need not be known, nor what else there is. */
static void make_quiet(find *f)
{
    f->output.count = f->output.only_ids = f->output.matched = f->output.numbers = false;
    if (!f->search.circular)
        f->search.report = TRAWL_REPORT_ENDS;
    f->search.most = 0;
}

/* The first match of each pattern is enough; a plan that was compiled before gives all of them, and
 * so do circles and reports in which matches of other patterns count, of which some do not. */
static void ask_once(find *f)
{
    if (f->search.circular || f->search.report == TRAWL_REPORT_LEFTMOST_LONGEST ||
        f->search.report == TRAWL_REPORT_LEFTMOST_FIRST)
        return;
    f->search.report = TRAWL_REPORT_ENDS;
    for (size_t i = 0; i < f->patterns.set.count; i++)
        f->patterns.set.patterns[i].flags |= TRAWL_ONCE;
}

/* On a circle matches are told apart by their starts, of which none is leftmost. */
static bool settle_circular(find *f)
{
    if (!f->report_given)
        f->search.report = TRAWL_REPORT_LONGEST;
    if (f->search.report == TRAWL_REPORT_LONGEST || f->search.report == TRAWL_REPORT_SHORTEST ||
        f->search.report == TRAWL_REPORT_PAIRS)
        return true;
    complain(f->run.command,
             "--circular takes --report longest (its default), shortest or pairs: on a circle no "
             "place is leftmost, and a match is known by its start");
    return false;
}

/* What is asked for may be had of verdicts; complains if not. */
static bool settle_verdicts(find *f)
{
    const char *wrong = f->output.count              ? "--count"
                        : f->output.only_ids         ? "--only-ids"
                        : f->output.matched          ? "--matched"
                        : f->search.circular         ? "--circular"
                        : f->patterns.plan           ? "--plan"
                        : f->report_given            ? "--report"
                        : !f->output.format->verdict ? "the format"
                                                     : NULL;
    f->search.report = TRAWL_REPORT_ENDS;
    if (wrong)
        complain(f->run.command, "--verdicts prints rules, not matches: leave %s out", wrong);
    return !wrong;
}

/* Complains of options that exclude one another. */
static bool output_fits(const find *f)
{
    const writer *o = &f->output;
    const char *command = f->run.command;
    const char *track = o->format->track ? f->format_given : NULL;
    if (!limit_fits(command, f->search.most, o->count))
        return false;
    if (o->only_ids && o->count)
        complain(command, "-g says which patterns occur, -c how often: leave one out");
    else if (o->matched && (o->only_ids || o->count))
        complain(command, "--matched is for lines of matches, which -g and -c do not print: leave "
                          "one out");
    else if (o->numbers && o->count)
        complain(command, "--record-number is for lines of records, and -c counts in files: leave "
                          "one out");
    else if (o->numbers && o->format == &writer_bed)
        complain(command, "--bed has no column for --record-number: leave one out, or take --gff3");
    else if (track && (o->only_ids || o->count || o->matched))
        complain(command, "%s has places and names only: leave %s out, or %s", track,
                 o->count      ? "-c"
                 : o->only_ids ? "-g"
                               : "--matched",
                 track);
    else if (track && f->search.report == TRAWL_REPORT_ENDS)
        complain(command,
                 "%s needs the start of each match, which --report ends does not know: "
                 "leave it out, or take pairs",
                 track);
    else
        return true;
    return false;
}

/* Status to leave with at once, or -1. */
static int read_command_line(find *f, int argc, char **argv)
{
    int status = parse_options(&options, argc, argv, read_option, f);
    if (status >= 0)
        return status;
    if (f->printed_to && strcmp(f->printed_to, "-") == 0)
        f->printed_to = NULL;
    if (!output_fits(f) || (f->search.circular && !settle_circular(f)) ||
        (f->patterns.verdicts && !settle_verdicts(f)))
        return EXIT_ERROR;
    status = pattern_options_finish(&f->patterns, argc, argv);
    if (status < 0 && f->patterns.set.every_start && !f->report_given && !f->patterns.verdicts)
        f->search.report = TRAWL_REPORT_LONGEST;
    if (status < 0 && f->search.quiet)
        make_quiet(f);
    if (status < 0 && f->output.only_ids)
        ask_once(f);
    return status;
}

static bool open_search(find *f, char **paths, int count)
{
    if (f->patterns.verdicts) {
        f->search.verdicts = verdicts_open(&f->patterns.set);
        if (!f->search.verdicts) {
            complain(f->run.command, "out of memory for verdicts");
            return false;
        }
    }
    f->output.terminal = isatty(STDOUT_FILENO);
    return find_search_written(&f->search, writer_open(&f->output)) &&
           find_search_open(&f->search, paths, count);
}

/* --output: what is there already, and is read, is not written over. False after a complaint. */
static bool output_leaves_inputs(const find *f, char **paths, int count)
{
    const char *command = f->run.command, *output = f->printed_to;
    struct stat old;
    if (!output || stat(output, &old) != 0)
        return true;
    bool fine = pattern_options_leave(&f->patterns, output);
    if (fine && count == 0)
        fine = output_leaves(command, output, "-");
    for (int i = 0; i < count && fine; i++)
        fine = output_leaves(command, output, paths[i]);
    for (int i = 0; i < count && fine && f->search.recursive; i++)
        if (S_ISREG(old.st_mode) && replace_is_below(output, paths[i])) {
            complain(command,
                     "%s: is in a folder that is searched, so it would be read and written over: "
                     "write to another folder, or delete it before",
                     output);
            fine = false;
        }
    return fine;
}

/* Ranks open the file when they know that none of them reads it. */
static bool open_output(find *f)
{
    find_search *s = &f->search;
    if (!f->printed_to || s->cluster)
        return true;
    if (stat(f->printed_to, &s->replaced) != 0 || replace_is_output(f->printed_to))
        s->replaced.st_nlink = 0;
    const bool fine = output_to(&f->made, f->run.command, f->printed_to);
    s->makes_file = f->made.path;
    return fine;
}

/* All that was to be printed was, with that status; now the file is put in its place. */
static int close_output(find *f, int status)
{
    if (!f->made.file)
        return status;
    const bool whole = find_search_whole(&f->search);
    if (replace_end(&f->made, whole))
        return status;
    if (whole)
        complain(f->run.command, "%s: cannot be written: %s", f->printed_to, strerror(errno));
    else
        complain(f->run.command, "%s: is not written, for the search failed", f->printed_to);
    return EXIT_ERROR;
}

/* What several ranks write at once has places. */
static bool output_has_places(const find *f)
{
    struct stat facts;
    if (!f->printed_to || stat(f->printed_to, &facts) || S_ISREG(facts.st_mode))
        return true;
    complain(f->run.command,
             "--output %s: the ranks write to it at once, which takes a regular file; without "
             "--output rank 0 prints",
             shown_name(f->printed_to));
    return false;
}

static int search_files(find *f, char **paths, int count)
{
    const cluster *c = f->search.cluster;
    if (c)
        find_ranks_same_options(&f->search, c, f->printed_to);
    if (!open_output(f) || !open_search(f, paths, count)) {
        if (c)
            cluster_abort(c, EXIT_ERROR);
        if (f->made.file)
            replace_end(&f->made, false);
        return EXIT_ERROR;
    }
    return c ? find_ranks_files(&f->search, c, paths, count, f->printed_to)
             : close_output(f, find_search_files(&f->search, paths, count));
}

/* The ranks of mpirun, if it has started the process. False after a complaint. */
static bool join_ranks(find *f)
{
    if (!cluster_asked())
        return true;
    f->search.cluster = cluster_open(f->run.command);
    if (f->search.cluster)
        find_ranks_hush(f->search.cluster);
    return f->search.cluster;
}

int command_find(int argc, char **argv)
{
    find f;
    memset(&f, 0, sizeof f);
    run_options_init(&f.run, "find");
    f.patterns.run = &f.run;
    pattern_options_init(&f.patterns);
    f.output.put = find_search_print;
    f.output.patterns = &f.patterns.set;
    f.output.format = &writer_tsv;
    f.search.run = &f.run;
    f.search.output = &f.output;
    f.search.patterns = &f.patterns.set;
    f.search.report = TRAWL_REPORT_EACH;
    f.search.ratio = UNPACK_RATIO;
    if (!join_ranks(&f))
        return EXIT_ERROR;
    const cluster *c = f.search.cluster;
    int status = read_command_line(&f, argc, argv);
    char working_directory[] = ".", *here[] = { working_directory };
    f.search.bare = f.search.recursive && optind == argc;
    char **paths = f.search.bare ? here : argv + optind;
    const int count = f.search.bare ? 1 : argc - optind;
    f.output.stranded = f.patterns.stranded;
    f.output.verdicts = f.patterns.verdicts;
    if (status < 0 && !plan_leaves_input(f.run.command, f.patterns.plan, paths, count))
        status = EXIT_ERROR;
    if (status < 0 && (!c || c->rank == 0) && !output_leaves_inputs(&f, paths, count))
        status = EXIT_ERROR;
    if (status < 0 && c && !output_has_places(&f))
        status = EXIT_ERROR;
    const bool leaves = c ? find_ranks_agree(c, f.run.command, &status) : status >= 0;
    if (c && !leaves)
        find_ranks_settle(c, &f.run);
    if (!leaves)
        status = search_files(&f, paths, count);
    find_search_close(&f.search);
    verdicts_close(f.search.verdicts);
    writer_close(&f.output);
    pattern_options_free(&f.patterns);
    if (c)
        c->end();
    return status;
}
