/* options.h: the options of a subcommand, as tables. What getopt takes, --help and the manual
 * page print, completions offer and messages suggest comes from them alone.
 */
#ifndef TRAWL_OPTIONS_H
#define TRAWL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Alone, what completions ask for: the options, a line each, or the subcommands of `trawl`. No help
 * lists it. */
#define LIST_OPTIONS "--list-options"

/* An option, or, without a value, a passage of the help. */
typedef struct option_row {
    int value;            /* what take_option gets: the short name, or a number from 256 */
    const char *name;     /* the long name; NULL: it has none */
    const char *argument; /* the argument's name; in brackets if it may be left out; NULL: none */
    const char *also;     /* a second long name */
    const char *about;    /* what it does, lines without indentation; NULL: it is not listed */
    const char *const *values;       /* what the argument may be, up to NULL, if that is a list; */
    const char *(*value_at)(size_t); /* more of it, by number, up to NULL */
    const char *refused;             /* why it is not taken, and what to give instead */
} option_row;

/* All options of a subcommand, in the order in which its help lists them. */
typedef struct option_set {
    const char *command;
    const option_row *const *tables; /* up to NULL; each one ends with a row of zeros */
    int column;                      /* of the help, where what an option does begins */
    char before_argument;            /* of a long name in the help: '=' or a blank */
    const char *letters; /* short names that the tables do not have, and no help lists; or NULL */
} option_set;

/* -h and --help. */
extern const option_row help_rows[];

/* The row with the value; NULL: the table, which ends with a row of zeros, has none. */
const option_row *option_row_of(const option_row *table, int value);

/* Takes one option; returns false, after a complaint, when its value is wrong. */
typedef bool (*take_option)(void *user, int option, const char *value);

/* Hand the options to `take`, but for --help, which prints the help, and those that are refused.
 * Returns the exit status to leave with at once, or -1: then the operands begin at argv[optind]. */
int parse_options(const option_set *set, int argc, char **argv, take_option take, void *user);

/* What a subcommand that lists something was asked for. */
typedef struct list_choice {
    const char *command;
    int option; /* 0: none */
    const char *value;
} list_choice;

/* parse_options for a subcommand that takes one of its options at most, and no operand. */
int parse_choice(list_choice *choice, const option_set *set, int argc, char **argv);

#endif
