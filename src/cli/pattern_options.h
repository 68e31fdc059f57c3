/* pattern_options.h: the options by which patterns are given, for all subcommands that compile a
 * set. */
#ifndef TRAWL_PATTERN_OPTIONS_H
#define TRAWL_PATTERN_OPTIONS_H

#include "cli/cli.h"

typedef struct pattern_options {
    run_options *run; /* set before; it takes the options that are none of these */
    pattern_set set;
    uint32_t syntax, flags;
    const char *syntax_given; /* the option */
    bool listed;              /* -f was given */
    const char *strand_given;
    uint32_t strand;     /* an index of the names of --strand */
    bool stranded;       /* --strand was given */
    bool styled;         /* an option was given that says what patterns mean */
    const char *plan;    /* --plan; NULL: none */
    bool verdicts;       /* of rules, which are wanted instead of matches */
    bool strict;         /* --strict: nothing of a file may be left out */
    const char **inputs; /* files that options of patterns named */
    size_t input_count;
} pattern_options;

#define PATTERN_SHORT_OPTIONS "e:f:Fi"

/* Put PATTERN_LONG_OPTIONS into the subcommand's array, and hand unknown values to pattern_option.
 */
enum {
    OPT_SYNTAX = 1200,
    OPT_RULES,
    OPT_YARA,
    OPT_STRICT,
    OPT_IUPAC,
    OPT_AMBIGUOUS,
    OPT_STRAND,
    OPT_PROSITE,
    OPT_HEX,
    OPT_NAMED
};

/* clang-format off */
#define PATTERN_LONG_OPTIONS                                                                 \
    { "regexp", required_argument, NULL, 'e' },                                              \
    { "file", required_argument, NULL, 'f' },                                                \
    { "named", no_argument, NULL, OPT_NAMED },                                               \
    { "fixed-strings", no_argument, NULL, 'F' },                                             \
    { "ignore-case", no_argument, NULL, 'i' },                                               \
    { "syntax", required_argument, NULL, OPT_SYNTAX },                                       \
    { "rules", required_argument, NULL, OPT_RULES },                                         \
    { "yara", required_argument, NULL, OPT_YARA },                                           \
    { "strict", no_argument, NULL, OPT_STRICT },                                             \
    { "iupac", no_argument, NULL, OPT_IUPAC },                                               \
    { "ambiguous", no_argument, NULL, OPT_AMBIGUOUS },                                       \
    { "strand", required_argument, NULL, OPT_STRAND },                                       \
    { "prosite", no_argument, NULL, OPT_PROSITE },                                           \
    { "hex", no_argument, NULL, OPT_HEX }

/* Their lines in a subcommand's --help. */
#define PATTERN_OPTIONS_HELP                                                                 \
    "Patterns:\n"                                                                            \
    "  -e, --regexp PATTERN     a pattern; may be given many times\n"                        \
    "  -f, --file LIST          the lines of LIST are patterns; of FASTA its sequences\n"      \
    "      --named              a line of LIST is a name, a tab and a pattern (--iupac: REBASE's\n"\
    "                           cuts, as in G^AATTC, may be marked)\n"                       \
    "  -F, --fixed-strings      literals with C escapes: \\xHH \\0 \\n \\t \\\\ ...\n"       \
    "      --rules FILE         the contents of Snort's or Suricata's rules, numbered by sid\n"\
    "      --yara FILE          the strings of YARA's rules, named RULE:$STRING; conditions are\n"\
    "                           not evaluated\n"                                            \
    "      --strict             refuse a file of which a rule, string or signature would be left\n"\
    "                           out with a warning\n"                                       \
    "      --syntax NAME        extended (default: classes and repeats; `trawl help patterns`),\n"\
    "                           escaped (as -F), or literal (as it is, a backslash too)\n"   \
    "      --iupac              nucleotides, as GTYRAC or GGCCN{5}GGCC, in either case\n"    \
    "      --ambiguous          ... in a text, N, R and the like stand for any of their bases\n"\
    "      --strand WHICH       ... plus (default), minus (the reverse complement), both; the\n"\
    "                           offsets are those of the plus strand\n"                      \
    "      --prosite            motifs of amino acids, as C-x(2,4)-C-[LIVM]>, in either case;\n"\
    "                           LIST may be a PROSITE file (.dat)\n"                         \
    "      --hex                bytes as in YARA's and ClamAV's signatures, 4D5A??[4-6](50|4?);\n"\
    "                           LIST may be a ClamAV file (.ndb, .ldb; offsets 0, EOF-9 hold)\n"\
    "  -i, --ignore-case        the letters A to Z match both cases (in one pattern that is no\n"\
    "                           literal: (?i) before it)\n"
/* clang-format on */

/* What may be written in a pattern, a section of --help and what `trawl help patterns` prints. */
extern const char pattern_language[];

/* *o is all zero before, but for `run`. */
void pattern_options_init(pattern_options *o);
void pattern_options_free(pattern_options *o);

/* Take one of the options. */
bool pattern_option(pattern_options *o, int option, const char *value);

/* False, after a complaint, where the output is one of these files, by whatever name. */
bool pattern_options_leave(const pattern_options *o, const char *output);

/* All options were read: the first operand is the pattern, unless one was given, and the set is
 * made ready to be compiled. Status to leave with at once, after a complaint, or -1. */
int pattern_options_finish(pattern_options *o, int argc, char **argv);

#endif
