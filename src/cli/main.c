/* main.c: the command `trawl`, which hands over to its subcommands. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define OUTPUT_BUFFER (128u << 10)

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
    { "engines", "trawl engines", "list the algorithms", command_engines },
    { "devices", "trawl devices", "list the backends", command_devices },
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
          "  --help     print this text; `trawl COMMAND --help` explains a command\n"
          "  --version  print the version\n\n"
          "Examples:\n"
          "  trawl grep -n 'error \\d+' app.log             lines with an error number\n"
          "  trawl find -F -e '\\x7fELF' -e 'PK\\x03\\x04' *   signatures, by offset\n"
          "  trawl grid -n button.png screen.png           where a picture is in another\n\n"
          "Exit status: 0 something was found, 1 nothing was, 2 an error.\n",
          out);
}

/* A mapped file that somebody shortens raises SIGBUS where it was. */
static void on_bus_error(int signal_number)
{
    static const char message[] = "trawl: a file was shortened while it was searched\n";
    (void)signal_number;
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(EXIT_ERROR);
}

static void prepare(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_bus_error;
    sigaction(SIGBUS, &action, NULL);
    setvbuf(stdout, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, OUTPUT_BUFFER);
}

/* The subcommand sees its own arguments, with "trawl NAME" for argv[0]. */
static int run_command(const command *c, int argc, char **argv)
{
    char full_name[32];
    snprintf(full_name, sizeof full_name, "%s", c->full_name);
    argv[1] = full_name;
    return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    prepare();
    if (argc < 2) {
        print_help(stderr);
        return EXIT_ERROR;
    }
    if (strcmp(argv[1], "--help") == 0) {
        print_help(stdout);
        return finish_output("--help", EXIT_MATCH);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("trawl %s\n", trawl_version());
        return finish_output("--version", EXIT_MATCH);
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc, argv);
    fprintf(stderr, "trawl: there is no command '%s'\nTry 'trawl --help'.\n", argv[1]);
    return EXIT_ERROR;
}
