/* main.c: the command `trawl`, which hands over to its subcommands. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/pattern_options.h"
#include "formats/sources/guard.h"
#include "formats/writers/suggest.h"

typedef struct command {
    const char *name;
    const char *full_name; /* for getopt_long's messages */
    const char *about;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    { "grep", "trawl grep", "print the lines that match, as grep does", command_grep },
    { "find", "trawl find", "print where patterns occur, by byte offset", command_find },
    { "grid", "trawl grid", "find small pictures in large ones", command_grid },
    { "compile", "trawl compile", "make a plan of patterns, for find and grep", command_compile },
    { "info", "trawl info", "say what a plan is", command_info },
    { "engines", "trawl engines", "list the algorithms", command_engines },
    { "devices", "trawl devices", "list the backends and their devices", command_devices },
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out)
{
    fputs("Usage: trawl COMMAND [OPTION...] ...\n"
          "Find patterns in text, sequences and images.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-8s  %s\n", commands[i].name, commands[i].about);
    fputs("\nOptions:\n"
          "  -h, --help     print this text; `trawl help COMMAND` explains a command,\n"
          "                 `trawl help patterns` what patterns are made of\n"
          "  -V, --version  print the version\n\n"
          "Examples:\n"
          "  trawl grep -n 'error \\d+' app.log             lines with an error number\n"
          "  trawl find -F -e '\\x7fELF' -e 'PK\\x03\\x04' *   signatures, by offset\n"
          "  trawl grid -n button.png screen.png           where a picture is in another\n\n"
          "Exit status: 0 something was found, 1 nothing was, 2 an error.\n",
          out);
}

/* For completions and manual pages: a command and what it does, as options.c lists options. */
static void list_commands(void)
{
    for (size_t i = 0; i < COMMANDS; i++)
        printf("%s\t\t\t%s\n", commands[i].name, commands[i].about);
}

/* Set when main is done. A library that ends the program itself, as that of OpenMP does when it
 * gets no thread, would choose a status that here means no match. */
static bool finished;

static void check_finished(void)
{
    if (!finished)
        _exit(EXIT_ERROR);
}

/* A file must not get the number of a standard one that is closed, and be read or written as that.
 * What stands in for it cannot be, as if it were closed. */
static void fill_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            fputs("trawl: standard input, output or error is closed, and there is no /dev/null\n",
                  stderr);
            _exit(EXIT_ERROR);
        }
}

static void prepare(void)
{
    atexit(check_finished);
    guard_install();
    fill_standard_files();
    setvbuf(stdout, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static const char *command_name(const void *user, size_t number)
{
    (void)user;
    return number < COMMANDS ? commands[number].name : NULL;
}

static int refuse_command(const char *name)
{
    const char *near = suggest(name, command_name, NULL);
    fprintf(stderr, "trawl: there is no command '%s'", name);
    if (strcmp(name, "bench") == 0)
        fputs(": the benchmarks are bench/seeds and engines", stderr);
    else if (near)
        fprintf(stderr, ": did you mean '%s'?", near);
    fputs("\nTry 'trawl --help'.\n", stderr);
    return EXIT_ERROR;
}

/* The subcommand sees its own arguments, with "trawl NAME" for argv[0]. */
static int run_command(const command *c, int argc, char **argv)
{
    char full_name[32];
    snprintf(full_name, sizeof full_name, "%s", c->full_name);
    argv[1] = full_name;
    return c->run(argc - 1, argv + 1);
}

static bool is_word(const char *text, const char *word, const char *other)
{
    return strcmp(text, word) == 0 || strcmp(text, other) == 0;
}

static int run(int argc, char **argv)
{
    char help_option[] = "--help";
    if (argc < 2) {
        print_help(stderr);
        return EXIT_ERROR;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "patterns") == 0) {
        fputs(pattern_language, stdout);
        return finish_output("help", EXIT_MATCH);
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0) { /* as COMMAND --help */
        argv[1] = argv[2];
        argv[2] = help_option;
        argc = 3;
    }
    if (argc == 2 && strcmp(argv[1], LIST_OPTIONS) == 0) {
        list_commands();
        return finish_output(LIST_OPTIONS, EXIT_MATCH);
    }
    const command *c = find_command(argv[1]);
    if (is_word(argv[1], "-V", "--version") ||
        (c && argc > 2 && is_word(argv[2], "-V", "--version"))) {
        printf("trawl %s\n", trawl_version());
        return finish_output("--version", EXIT_MATCH);
    }
    if (is_word(argv[1], "-h", "--help") || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return finish_output("--help", EXIT_MATCH);
    }
    if (c)
        return run_command(c, argc, argv);
    return refuse_command(argv[1]);
}

int main(int argc, char **argv)
{
    prepare();
    int status = run(argc, argv);
    finished = true;
    return status;
}
