/* engines.c: `trawl engines`, the table of engines and what each takes. */
#include "cli/cli.h"

static const char command[] = "engines";

enum { OPT_JSON = OPT_OWN };

static const option_row own_rows[] = {
    { .about = "Usage: trawl engines [--json]\n"
               "List the engines: their names, for --engine NAME, and what each takes.\n"
               "\n" },
    { OPT_JSON, "json", .about = "JSON, one object a line, with the keys engine and about" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about =
          "\n"
          "Without --engine, Trawl chooses for the patterns, the begin of the first text and the\n"
          "device, and may divide the patterns; --explain says which engines it chose, and why.\n"
          "wm/ac is the first engine as Trawl itself would take it: the second one, its fallback, "
          "takes\n"
          "over where the first is slow.\n"
          "\n"
          "Examples:\n"
          "  trawl engines                                 what is there?\n"
          "  trawl find --engine ac -F -f words.txt text   take Aho-Corasick\n"
          "  trawl find --explain -f patterns.txt text     what does Trawl choose here?\n" },
    { 0 },
};

static const option_row *const tables[] = { own_rows, help_rows, end_rows, NULL };
static const option_set options = { command, tables, 15, ' ', NULL };

static void print_table(void)
{
    printf("%-10s  %s\n", "engine", "takes");
    for (size_t i = 0; i < trawl_engine_count(); i++)
        printf("%-10s  %s\n", trawl_engine_name(i), trawl_engine_about(i));
}

static bool put_json(FILE *to, void *unused)
{
    bool fine = true;
    (void)unused;
    for (size_t i = 0; i < trawl_engine_count() && fine; i++) {
        fprintf(to, "{\"engine\":\"%s\",\"about\":", trawl_engine_name(i));
        fine = put_quoted(to, trawl_engine_about(i));
        fputs("}\n", to);
    }
    return fine;
}

int command_engines(int argc, char **argv)
{
    list_choice asked = { command, 0, NULL };
    int status = parse_choice(&asked, &options, argc, argv);
    if (status >= 0)
        return status;
    if (asked.option != OPT_JSON)
        print_table();
    else if (!print_whole(command, put_json, NULL))
        return EXIT_ERROR;
    return finish_output(command, EXIT_MATCH);
}
