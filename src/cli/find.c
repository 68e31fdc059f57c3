/* find.c: `trawl find`, which prints where patterns occur, by byte offset: its options. */
#include <string.h>

#include "cli/find_search.h"
#include "io/unpack.h"

typedef struct find {
    run_options run;
    pattern_set patterns;
    uint32_t syntax, flags; /* of the patterns */
    uint32_t strand;        /* an index of strand_names */
    find_output output;
    find_search search;
} find;

/* ---- help and options -------------------------------------------------- */

static const char help_text[] =
    "Usage: trawl find [OPTION...] PATTERN [FILE...]\n"
    "       trawl find [OPTION...] -e PATTERN [-e PATTERN...] [-f LIST] [FILE...]\n"
    "Print all occurrences of all patterns, overlapping ones too, by byte offset. FILE - is\n"
    "standard input, which is also read when there is no FILE.\n"
    "\n"
    "Patterns:\n"
    "  -e, --regexp PATTERN     a pattern; may be given many times\n"
    "  -f, --file LIST          the lines of LIST are patterns\n"
    "  -F, --fixed-strings      literals with C escapes: \\xHH \\0 \\n \\t \\\\ ...\n"
    "      --rules FILE         the contents of Snort's or Suricata's rules; their numbers are "
    "sids\n"
    "      --syntax NAME        extended (default: classes and repeats), escaped (as -F), or\n"
    "                           literal (the bytes as they are, a backslash too)\n"
    "      --iupac              nucleotides, as GTYRAC or GGCCN{5}GGCC\n"
    "      --ambiguous          ... in a text, N, R and the like stand for any of their bases\n"
    "      --strand WHICH       ... plus (default), minus (the reverse complement), both; the\n"
    "                           offsets are those of the plus strand\n"
    "      --prosite            motifs of amino acids, as C-x(2,4)-C-[LIVM]>; LIST may be a\n"
    "                           PROSITE file (.dat)\n"
    "      --hex                bytes as in YARA's and ClamAV's signatures, 4D5A??[4-6](50|4?);\n"
    "                           LIST may be a ClamAV file (.ndb; its offsets are left out)\n"
    "  -i, --ignore-case        the letters A to Z match both cases\n"
    "\n"
    "Files, recognised by their first bytes: what gzip, bzip2, xz, zstd and lz4 files are\n"
    "compressed from, the members of tar and zip files (FILE:MEMBER), sequences of FASTA and\n"
    "FASTQ (lines joined), payloads of packets in pcap and pcapng files.\n"
    "      --format NAME        take them for fasta, fastq, pcap, lines (each a record), text (no\n"
    "                           records) or raw (the bytes as they stand) instead of auto\n"
    "      --max-ratio N        let a byte unpack to N at most (250; 0: any number)\n"
    "\n"
    "Output:\n"
    "      --report MODE        which matches of patterns of variable length:\n"
    "                           ends (default: every end once; start is - where unknown),\n"
    "                           pairs (every start and end), longest, shortest (a start),\n"
    "                           leftmost-longest, leftmost-first (no overlaps)\n"
    "      --json               JSON, one object a line, instead of TSV\n"
    "      --count              a line for each file and pattern with the number of matches\n"
    "      --max-matches N      stop after N matches in all, and say so\n"
    "\n"
    "The columns are file, record (a sequence's name, a packet's number and flow, a line's "
    "number,\n"
    "else 1), pattern (its number, from 1), start and end: the match is bytes start to end - 1 of\n"
    "the record, from 0.\n"
    "\n" TEXT_RUN_OPTIONS_HELP "\n"
    "Exit status: 0 something was found, 1 nothing was, 2 an error.\n"
    "\n"
    "Examples:\n"
    "  trawl find -F -e '\\x7fELF' -e 'PK\\x03\\x04' disk.img     signatures\n"
    "  trawl find --count -F -f words.txt book.txt             how often each word occurs\n"
    "  trawl find --report leftmost-longest '\\d+' log.txt      each whole number\n"
    "  trawl find --json -i -e GAATTC -e 'CC[AT]GG' reads.txt  restriction sites, as JSON\n"
    "  trawl find -e 'key=[0-9a-f]{64}' dumps.tar.gz           in each member, decompressed\n";

static const char short_options[] = "e:f:Fi";

enum {
    OPT_SYNTAX = OPT_OWN,
    OPT_RULES,
    OPT_IUPAC,
    OPT_AMBIGUOUS,
    OPT_STRAND,
    OPT_PROSITE,
    OPT_HEX,
    OPT_REPORT,
    OPT_JSON,
    OPT_COUNT,
    OPT_MAX_MATCHES,
    OPT_FORMAT,
    OPT_RATIO
};

static const struct option long_options[] = {
    { "regexp", required_argument, NULL, 'e' },
    { "file", required_argument, NULL, 'f' },
    { "fixed-strings", no_argument, NULL, 'F' },
    { "ignore-case", no_argument, NULL, 'i' },
    { "syntax", required_argument, NULL, OPT_SYNTAX },
    { "rules", required_argument, NULL, OPT_RULES },
    { "iupac", no_argument, NULL, OPT_IUPAC },
    { "ambiguous", no_argument, NULL, OPT_AMBIGUOUS },
    { "strand", required_argument, NULL, OPT_STRAND },
    { "prosite", no_argument, NULL, OPT_PROSITE },
    { "hex", no_argument, NULL, OPT_HEX },
    { "report", required_argument, NULL, OPT_REPORT },
    { "json", no_argument, NULL, OPT_JSON },
    { "count", no_argument, NULL, OPT_COUNT },
    { "max-matches", required_argument, NULL, OPT_MAX_MATCHES },
    { "format", required_argument, NULL, OPT_FORMAT },
    { "max-ratio", required_argument, NULL, OPT_RATIO },
    TEXT_RUN_LONG_OPTIONS,
    { NULL, 0, NULL, 0 },
};

/* By their number in trawl_syntax and trawl_report. */
static const char *const syntax_names[] = { "literal", "escaped", "extended", "prosite",
                                            "iupac",   "hex",     NULL };
static const char *const report_names[] = {
    "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first", NULL
};

static const char *const format_names[] = { "auto",  "fasta", "fastq", "pcap",
                                            "lines", "text",  "raw",   NULL };

enum { STRAND_PLUS, STRAND_MINUS, STRAND_BOTH };
static const char *const strand_names[] = { "plus", "minus", "both", NULL };

static bool choice_option(const find *f, const char *option, const char *const *names,
                          const char *value, uint32_t *choice)
{
    for (uint32_t i = 0; names[i]; i++) {
        if (strcmp(names[i], value) == 0) {
            *choice = i;
            return true;
        }
    }
    fprintf(stderr, "trawl %s: %s: '%s' is none of", f->run.command, option, value);
    for (size_t i = 0; names[i]; i++)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return false;
}

static bool read_option(void *user, int option, const char *value)
{
    find *f = (find *)user;
    switch (option) {
    case 'e':
        return pattern_set_add(&f->patterns, f->run.command, value, strlen(value));
    case 'f':
        return pattern_set_add_file(&f->patterns, f->run.command, value);
    case 'F':
        f->syntax = TRAWL_SYNTAX_ESCAPED;
        return true;
    case 'i':
        f->flags |= TRAWL_NOCASE;
        return true;
    case OPT_RULES:
        return pattern_set_add_rules(&f->patterns, f->run.command, value);
    case OPT_IUPAC:
        f->syntax = TRAWL_SYNTAX_IUPAC;
        return true;
    case OPT_AMBIGUOUS:
        f->flags |= TRAWL_AMBIGUOUS;
        return true;
    case OPT_STRAND:
        f->output.stranded = true;
        return choice_option(f, "--strand", strand_names, value, &f->strand);
    case OPT_HEX:
        f->syntax = TRAWL_SYNTAX_HEX;
        return true;
    case OPT_PROSITE:
        f->syntax = TRAWL_SYNTAX_PROSITE;
        return true;
    case OPT_SYNTAX:
        return choice_option(f, "--syntax", syntax_names, value, &f->syntax);
    case OPT_REPORT:
        return choice_option(f, "--report", report_names, value, &f->search.report);
    case OPT_JSON:
        return f->output.json = json_available(f->run.command);
    case OPT_COUNT:
        return f->output.count = true;
    case OPT_MAX_MATCHES:
        return limit_option(f->run.command, value, &f->search.most);
    case OPT_FORMAT:
        return choice_option(f, "--format", format_names, value, &f->search.format);
    case OPT_RATIO:
        return parse_number(f->run.command, "--max-ratio", value, UINT64_MAX, &f->search.ratio);
    default:
        return run_option(&f->run, option, value);
    }
}

/* ---- the command ------------------------------------------------------- */

/* Status to leave with at once, or -1. */
static int read_command_line(find *f, int argc, char **argv)
{
    const char *command = f->run.command;
    int status =
        parse_options(command, help_text, argc, argv, short_options, long_options, read_option, f);
    if (status >= 0)
        return status;
    if (!f->patterns.given && optind == argc) {
        complain(command, "give a pattern");
        return usage_hint(command);
    }
    if (!f->patterns.given && !read_option(f, 'e', argv[optind++]))
        return EXIT_ERROR;
    if (!limit_fits(command, f->search.most, f->output.count))
        return EXIT_ERROR;
    if (f->patterns.count == 0) {
        complain(command, "the list of patterns is empty");
        return EXIT_ERROR;
    }
    if ((f->flags & TRAWL_AMBIGUOUS || f->output.stranded) && f->syntax != TRAWL_SYNTAX_IUPAC) {
        complain(command, "%s is for patterns of nucleotides: add --iupac",
                 f->output.stranded ? "--strand" : "--ambiguous");
        return EXIT_ERROR;
    }
    if (!pattern_set_style(&f->patterns, command, f->syntax, f->flags) ||
        (f->strand != STRAND_PLUS &&
         !pattern_set_other_strand(&f->patterns, command, f->strand == STRAND_BOTH)))
        return EXIT_ERROR;
    return -1;
}

int command_find(int argc, char **argv)
{
    find f;
    memset(&f, 0, sizeof f);
    run_options_init(&f.run, "find");
    f.syntax = TRAWL_SYNTAX_EXTENDED;
    f.output.command = f.run.command;
    f.output.patterns = &f.patterns;
    f.search.run = &f.run;
    f.search.output = &f.output;
    f.search.report = TRAWL_REPORT_ENDS;
    f.search.ratio = UNPACK_RATIO;
    int status = read_command_line(&f, argc, argv);
    char **paths = argv + optind;
    const int count = argc - optind;
    if (status < 0)
        status = find_output_open(&f.output) && find_search_open(&f.search, paths, count)
                     ? find_search_files(&f.search, paths, count)
                     : EXIT_ERROR;
    find_search_close(&f.search);
    find_output_close(&f.output);
    pattern_set_free(&f.patterns);
    return status;
}
