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

/* Put pattern_rows into the subcommand's tables, and hand unknown values to pattern_option. */
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

extern const option_row pattern_rows[];

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
