/* options.c: see cli/options.h. */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "formats/writers/suggest.h"

const option_row help_rows[] = {
    { 'h', "help", .about = "print this text" },
    { 0 },
};

static bool is_end(const option_row *row)
{
    return row->value == 0 && !row->about;
}

static bool is_letter(int value)
{
    return value > 0 && value < 256;
}

const option_row *option_row_of(const option_row *table, int value)
{
    while (!is_end(table) && table->value != value)
        table++;
    return is_end(table) ? NULL : table;
}

static const option_row *find_row(const option_set *set, int value)
{
    const option_row *row = NULL;
    for (const option_row *const *table = set->tables; *table && !row; table++)
        row = option_row_of(*table, value);
    return row;
}

/* ---- getopt ------------------------------------------------------------ */

typedef struct getopt_tables {
    struct option *names; /* malloc'ed, as the letters are */
    char *letters;
} getopt_tables;

static void free_tables(getopt_tables *t)
{
    free(t->names);
    free(t->letters);
}

/* False without memory. */
static bool make_tables(getopt_tables *t, const option_set *set)
{
    size_t rows = 0, names = 0, letters = 0;
    for (const option_row *const *table = set->tables; *table; table++)
        for (const option_row *row = *table; !is_end(row); row++)
            rows++;
    const size_t more = set->letters ? strlen(set->letters) : 0;
    t->names = calloc(2 * rows + 1, sizeof *t->names);
    t->letters = calloc(3 * rows + more + 1, 1);
    if (!t->names || !t->letters)
        return false;
    for (const option_row *const *table = set->tables; *table; table++)
        for (const option_row *row = *table; !is_end(row); row++) {
            const int argument = !row->argument          ? no_argument
                                 : *row->argument == '[' ? optional_argument
                                                         : required_argument;
            const char *const both[] = { row->name, row->also };
            for (size_t i = 0; i < 2; i++)
                if (both[i])
                    t->names[names++] = (struct option){ both[i], argument, NULL, row->value };
            if (!is_letter(row->value))
                continue;
            t->letters[letters++] = (char)row->value;
            if (argument == required_argument)
                t->letters[letters++] = ':';
        }
    if (more)
        memcpy(t->letters + letters, set->letters, more);
    return true;
}

/* ---- what is printed --------------------------------------------------- */

/* "  -e, --regexp PATTERN". Returns its length. */
static int print_head(const option_set *set, const option_row *row)
{
    int length = is_letter(row->value) ? printf("  -%c", row->value) : printf("    ");
    if (row->name)
        length += printf("%s--%s", is_letter(row->value) ? ", " : "  ", row->name);
    if (row->argument && *row->argument == '[')
        length += printf("[=%s", row->argument + 1);
    else if (row->argument)
        length += printf("%c%s", set->before_argument, row->argument);
    return row->also ? length + printf(", --%s", row->also) : length;
}

static void print_row(const option_set *set, const option_row *row)
{
    if (!row->value) {
        fputs(row->about, stdout);
        return;
    }
    const int length = print_head(set, row);
    const int gap = length + 2 < set->column ? set->column - length : 2;
    printf("%*s", gap, "");
    for (const char *at = row->about; *at; at++) {
        putchar(*at);
        if (*at == '\n')
            printf("%*s", set->column, "");
    }
    putchar('\n');
}

static void print_help(const option_set *set)
{
    for (const option_row *const *table = set->tables; *table; table++)
        for (const option_row *row = *table; !is_end(row); row++)
            if (row->about)
                print_row(set, row);
}

/* For completions, a line: the name, the argument's, what it may be, and the first line of what the
 * option does, with tabs between them. */
static void print_words(const option_row *row, const char *dashes, const char *name)
{
    printf("%s%s\t%s\t", dashes, name, row->argument ? row->argument : "");
    const char *blank = "";
    for (size_t i = 0; row->values && row->values[i]; i++, blank = " ")
        printf("%s%s", blank, row->values[i]);
    for (size_t i = 0; row->value_at && row->value_at(i); i++, blank = " ")
        printf("%s%s", blank, row->value_at(i));
    printf("\t%.*s\n", (int)strcspn(row->about, "\n"), row->about);
}

static void print_completion(const option_set *set)
{
    for (const option_row *const *table = set->tables; *table; table++)
        for (const option_row *row = *table; !is_end(row); row++) {
            const char letter[] = { (char)row->value, '\0' };
            if (!row->value || !row->about)
                continue;
            if (is_letter(row->value))
                print_words(row, "-", letter);
            if (row->name)
                print_words(row, "--", row->name);
            if (row->also)
                print_words(row, "--", row->also);
        }
}

static const char *name_of(const void *user, size_t number)
{
    return ((const struct option *)user)[number].name;
}

/* After getopt_long's message about an unknown long option: say what may have been meant. The
 * names that it begins were listed. */
static void suggest_option(const char *argument, const struct option *names)
{
    char name[64];
    const size_t length = strncmp(argument, "--", 2) == 0 ? strcspn(argument + 2, "=") : 0;
    if (length == 0 || length >= sizeof name)
        return;
    memcpy(name, argument + 2, length);
    name[length] = '\0';
    for (const struct option *o = names; o->name; o++)
        if (strncmp(o->name, name, length) == 0)
            return;
    const char *near = suggest(name, name_of, names);
    if (near)
        fprintf(stderr, "Did you mean --%s?\n", near);
}

/* ---- reading them ------------------------------------------------------ */

static int read_options(const option_set *set, const getopt_tables *t, int argc, char **argv,
                        take_option take, void *user)
{
    int option;
    while ((option = getopt_long(argc, argv, t->letters, t->names, NULL)) != -1) {
        const option_row *row = find_row(set, option);
        if (row && row->name && strcmp(row->name, "help") == 0) {
            print_help(set);
            return finish_output(set->command, EXIT_MATCH);
        }
        if (option == '?') {
            if (optopt == 0)
                suggest_option(argv[optind - 1], t->names);
            return usage_hint(set->command);
        }
        if (row && row->refused) {
            complain(set->command, "%s", row->refused);
            return usage_hint(set->command);
        }
        if (!take(user, option, optarg))
            return EXIT_ERROR;
    }
    return -1;
}

int parse_options(const option_set *set, int argc, char **argv, take_option take, void *user)
{
    getopt_tables tables;
    if (argc == 2 && strcmp(argv[1], LIST_OPTIONS) == 0) {
        print_completion(set);
        return finish_output(set->command, EXIT_MATCH);
    }
    const bool fine = make_tables(&tables, set);
    if (!fine)
        complain(set->command, "out of memory for the options");
    const int status = fine ? read_options(set, &tables, argc, argv, take, user) : EXIT_ERROR;
    free_tables(&tables);
    return status;
}

static bool take_choice(void *user, int option, const char *value)
{
    list_choice *choice = user;
    const bool first = choice->option == 0 || choice->option == option;
    choice->option = option;
    choice->value = value;
    if (first)
        return true;
    complain(choice->command, "these options exclude one another: give one of them");
    usage_hint(choice->command);
    return false;
}

int parse_choice(list_choice *choice, const option_set *set, int argc, char **argv)
{
    const char *command = choice->command;
    int status = parse_options(set, argc, argv, take_choice, choice);
    if (status >= 0 || optind == argc)
        return status;
    complain(command, "takes no argument, but got '%s'", argv[optind]);
    return usage_hint(command);
}
