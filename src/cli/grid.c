/* grid.c: `trawl grid`, which finds pictures in pictures and rasters in rasters.
 *
 * Idea. All needles are read first and compiled into one plan, so that each text is read
 * and scanned once, whatever the number of needles. A needle's index in the plan is its
 * index on the command line.
 *
 * Invariant. Only pictures of the same kind are compared (io/image.h). A text that cannot
 * be read or is of another kind gets a message and costs exit status 2; the others are
 * searched all the same. A match is printed from the one band that owns its top row.
 *
 * Cost. The needles and one band of a text are in memory at a time; matches are printed as they
 * come.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"

/* ---- help and options ------------------------------------------------------ */

static const char help_text[] =
    "Usage: trawl grid -n NEEDLE [-n NEEDLE...] [OPTION...] [TEXT...]\n"
    "Find small pictures or rasters in larger ones, cell by cell and exactly.\n"
    "Needles and texts are PNG, TIFF, JPEG, WebP, BMP, PNM (P1 to P6) or raw; TEXT - is\n"
    "standard input, which is also read when no TEXT is given.\n"
    "\n"
    "  -n, --needle FILE        what to find; may be given many times\n"
    "      --as KIND            compare as stored (default), rgb, rgba or grey:\n"
    "                           all but stored convert both sides to 8 bits; rgb and grey\n"
    "                           leave transparency out and compare the colours behind it,\n"
    "                           with a warning\n"
    "      --shape ROWSxCOLS    the texts are raw rasters of that shape\n"
    "      --needle-shape ROWSxCOLS\n"
    "                           the needles are raw rasters; given once it holds for all,\n"
    "                           else one for each -n, in order\n"
    "      --dtype u1|u2|u3|u4  bytes of a raw cell, in this machine's byte order\n"
    "\n"
    "      --json               JSON, one object a line, instead of TSV\n"
    "      --count              print the number of matches a file and needle\n"
    "      --max-matches N      stop after N matches in all, and say so\n"
    "      --max-memory SIZE    refuse a picture or raster that takes more memory while it is\n"
    "                           decoded (1G); texts are read by bands; bytes, or with K, M, G\n"
    "\n" RUN_OPTIONS_HELP "\n"
    "The columns are file, needle (its number, from 1), name (its file), row and col: the top\n"
    "left cell, from 0.\n"
    "Exit status: 0 found, 1 nothing found, 2 an error.\n"
    "\n"
    "Examples:\n"
    "  trawl grid -n button.png screenshot.png           where is the button?\n"
    "  trawl grid -n key.png --as rgb shots/*.png        colours alone, without transparency\n"
    "  trawl grid --count -n a.png -n b.png map.png      how often is each tile used?\n"
    "  pngtopnm page.png | trawl grid -n letter.pbm -    from a pipe\n"
    "  trawl grid -n ridge.raw --needle-shape 3x8 --shape 359x367 --dtype u2 dem.raw\n"
    "                                                    16-bit rasters without a header\n";

enum {
    OPT_AS = OPT_OWN,
    OPT_SHAPE,
    OPT_NEEDLE_SHAPE,
    OPT_DTYPE,
    OPT_JSON,
    OPT_COUNT,
    OPT_MAX,
    OPT_MEMORY
};

static const struct option long_options[] = {
    { "needle", required_argument, NULL, 'n' },
    { "as", required_argument, NULL, OPT_AS },
    { "shape", required_argument, NULL, OPT_SHAPE },
    { "needle-shape", required_argument, NULL, OPT_NEEDLE_SHAPE },
    { "dtype", required_argument, NULL, OPT_DTYPE },
    { "json", no_argument, NULL, OPT_JSON },
    { "count", no_argument, NULL, OPT_COUNT },
    { "max-matches", required_argument, NULL, OPT_MAX },
    { "max-memory", required_argument, NULL, OPT_MEMORY },
    RUN_LONG_OPTIONS,
    { NULL, 0, NULL, 0 },
};

static bool parse_as(grid_run *run, const char *value)
{
    static const struct {
        const char *name;
        image_as as;
    } all[] = {
        { "stored", IMAGE_AS_STORED }, { "rgb", IMAGE_AS_RGB },   { "rgba", IMAGE_AS_RGBA },
        { "grey", IMAGE_AS_GREY },     { "gray", IMAGE_AS_GREY },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(value, all[i].name) == 0) {
            run->as = all[i].as;
            return true;
        }
    }
    complain(run->options.command, "--as takes stored, rgb, rgba or grey, not '%s'", value);
    return false;
}

static bool parse_dtype(grid_run *run, const char *value)
{
    if (value[0] == 'u' && value[1] >= '1' && value[1] <= '4' && value[2] == '\0') {
        run->raw_cell_size = (uint32_t)(value[1] - '0');
        return true;
    }
    complain(run->options.command,
             "--dtype takes u1, u2, u3 or u4 (unsigned cells of 1 to 4 bytes), not '%s'", value);
    return false;
}

static bool parse_shape(const grid_run *run, const char *option, const char *value,
                        raw_format *shape)
{
    shape->cols = 0;
    const char *end = read_digits(value, UINT64_MAX, &shape->rows);
    if (end != NULL && *end == 'x')
        end = read_digits(end + 1, UINT64_MAX, &shape->cols);
    if (end != NULL && *end == '\0' && shape->rows > 0 && shape->cols > 0)
        return true;
    complain(run->options.command, "%s takes ROWSxCOLS, as in 480x640, not '%s'%s", option, value,
             end == NULL ? ", which is too large" : "");
    return false;
}

static bool read_option(void *user, int option, const char *value)
{
    grid_run *run = user;
    switch (option) {
    case 'n':
        run->needles[run->needle_count++].path = value;
        return true;
    case OPT_AS:
        return parse_as(run, value);
    case OPT_SHAPE:
        return parse_shape(run, "--shape", value, &run->raw_text);
    case OPT_NEEDLE_SHAPE:
        return parse_shape(run, "--needle-shape", value,
                           &run->raw_needles[run->raw_needle_count++]);
    case OPT_DTYPE:
        return parse_dtype(run, value);
    case OPT_JSON:
        return run->json = json_available(run->options.command);
    case OPT_COUNT:
        return run->count = true;
    case OPT_MAX:
        return limit_option(run->options.command, value, &run->max_matches);
    case OPT_MEMORY:
        return parse_size(run->options.command, "--max-memory", value, SIZE_MAX / 2,
                          &run->max_memory);
    default:
        return run_option(&run->options, option, value);
    }
}

/* Raw rasters need a shape and a type; they share the type. */
static bool check_raw(grid_run *run)
{
    const char *command = run->options.command;
    const bool shaped = run->raw_text.rows > 0 || run->raw_needle_count > 0;
    if (shaped && run->raw_cell_size == 0) {
        complain(command, "a raw raster needs its type too: add --dtype u1, u2, u3 or u4");
        return false;
    }
    if (!shaped && run->raw_cell_size != 0) {
        complain(command, "--dtype is for raw rasters: add --shape ROWSxCOLS for the texts or "
                          "--needle-shape ROWSxCOLS for the needles");
        return false;
    }
    if (run->raw_needle_count > 1 && run->raw_needle_count != run->needle_count) {
        complain(command,
                 "%zu times --needle-shape for %zu needles; give it once for all of them, or once "
                 "for each",
                 run->raw_needle_count, run->needle_count);
        return false;
    }
    if (run->raw_text.rows > 0)
        run->raw_text.cell_size = run->raw_cell_size;
    for (size_t i = 0; i < run->raw_needle_count; i++)
        run->raw_needles[i].cell_size = run->raw_cell_size;
    return true;
}

static bool check_stdin(const grid_run *run, char **texts, size_t count)
{
    size_t uses = count == 0;
    for (size_t i = 0; i < run->needle_count; i++)
        uses += strcmp(run->needles[i].path, "-") == 0;
    for (size_t i = 0; i < count; i++)
        uses += strcmp(texts[i], "-") == 0;
    if (uses > 1)
        complain(run->options.command,
                 "standard input can be read only once; name a file for the other picture");
    return uses <= 1;
}

static bool check_options(grid_run *run, char **texts, size_t count)
{
    const char *command = run->options.command;
    if (run->needle_count == 0) {
        complain(command, "nothing to find: add -n NEEDLE");
        usage_hint(command);
        return false;
    }
    if (!limit_fits(command, run->max_matches, run->count))
        return false;
    return check_raw(run) && check_stdin(run, texts, count);
}

/* ---- the command ----------------------------------------------------------- */

static int run_command(grid_run *run, int argc, char **argv)
{
    const char *command = run->options.command;
    int status =
        parse_options(command, help_text, argc, argv, "n:", long_options, read_option, run);
    if (status >= 0)
        return status;
    char **texts = argv + optind;
    const size_t count = (size_t)(argc - optind);
    if (!check_options(run, texts, count) || !grid_read_needles(run))
        return EXIT_ERROR;
    return grid_search(run, texts, count);
}

static void free_run(grid_run *run)
{
    for (size_t i = 0; i < run->needle_count; i++) {
        image_free(&run->needles[i].picture);
        free(run->needles[i].names);
    }
    free(run->needles);
    free(run->raw_needles);
    image_intern_free(run->colours);
    trawl_plan_free(run->plan);
    close_context(&run->options, run->context);
}

int command_grid(int argc, char **argv)
{
    static const char command[] = "grid";
    grid_run run;
    int status = EXIT_ERROR;
    memset(&run, 0, sizeof run);
    run_options_init(&run.options, command);
    run.max_memory = IMAGE_MAX_BYTES;
    /* No more needles or shapes than arguments. */
    run.needles = calloc((size_t)argc, sizeof *run.needles);
    run.raw_needles = calloc((size_t)argc, sizeof *run.raw_needles);
    if (run.needles == NULL || run.raw_needles == NULL)
        complain(command, "out of memory");
    else
        status = run_command(&run, argc, argv);
    free_run(&run);
    return status;
}
