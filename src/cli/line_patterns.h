/* line_patterns.h: the patterns of `trawl grep` and the options that say what they mean, for all
 * subcommands that compile a set for lines. */
#ifndef TRAWL_LINE_PATTERNS_H
#define TRAWL_LINE_PATTERNS_H

#include "cli/cli.h"

/* All zero before, but for the command. */
typedef struct line_patterns {
    const char *command;
    pattern_set set;
    const char *matcher_given; /* -F or -E */
    bool fixed;                /* -F */
    bool nocase;               /* -i */
    bool words;                /* -w */
    bool whole;                /* -x */
    bool nulls;                /* --null-data: lines end with a NUL byte */
    bool styled;               /* one of -F -E -i -w -x was given */
} line_patterns;

enum { OPT_NULL_DATA = 1300 };

/* grep's own -e -f -F -i; -E -w -x; --null-data. */
extern const option_row line_pattern_rows[], line_rows[], null_rows[];

/* Whether it is one of the options; then it may be taken. */
bool is_line_pattern_option(int option);
bool line_pattern_option(line_patterns *p, int option, const char *value);

/* All options were read: make the set ready to be compiled. False after a complaint. */
bool line_patterns_finish(line_patterns *p);

#endif
