/* grid.c: `trawl grid`, which finds pictures in pictures and rasters in rasters.
 *
 * Idea. All needles are read first and compiled into one plan, so that each text is read
 * and scanned once, whatever the number of needles. A needle's index in the plan is its
 * index on the command line.
 *
 * Invariant. Only pictures of the same kind are compared (images/image.h). A text that cannot
 * be read or is of another kind gets a message and costs exit status 2; the others are
 * searched all the same. A match is printed from the one band that owns its top row.
 *
 * Cost. The needles and one band of a text are in memory at a time; matches are printed as they
 * come.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/grid.h"
#include "cli/progress.h"

/* ---- help and options ------------------------------------------------------ */

enum {
    OPT_AS = OPT_OWN,
    OPT_SHAPE,
    OPT_NEEDLE_SHAPE,
    OPT_DTYPE,
    OPT_ALPHA_MASK,
    OPT_MASK,
    OPT_TOLERANCE,
    OPT_WRONG,
    OPT_WITHIN,
    OPT_CSV,
    OPT_BOX,
    OPT_ANNOTATE,
    OPT_JSON,
    OPT_COUNT,
    OPT_MAX,
    OPT_MEMORY
};

/* By their number in image_as. */
static const char *const as_names[] = { "stored", "rgb", "rgba", "grey", "gray", NULL };
/* One less than the bytes of a cell. */
static const char *const dtype_names[] = { "u1", "u2", "u3", "u4", NULL };

static const option_row own_rows[] = {
    { .about =
          "Usage: trawl grid -n NEEDLE [-n NEEDLE...] [OPTION...] [TEXT...]\n"
          "Find small pictures or rasters in larger ones, cell by cell and exactly.\n"
          "Needles and texts are PNG, TIFF, JPEG, WebP, BMP, PNM (P1 to P6) or raw; TEXT - is\n"
          "standard input, which is also read when no TEXT is given.\n"
          "\n" },
    { 'n', "needle", "FILE", .about = "what to find; may be given many times" },
    { OPT_AS, "as", "KIND", .values = as_names,
      .about = "compare as stored (default), rgb, rgba or grey:\n"
               "all but stored convert both sides to 8 bits; rgb and grey\n"
               "leave transparency out and compare the colours behind it,\n"
               "with a warning" },
    { OPT_ALPHA_MASK, "alpha-mask",
      .about = "cells of a needle that are not opaque match anything" },
    { OPT_MASK, "mask", "FILE",
      .about = "cells of a needle that are black in this picture match anything;\n"
               "given once it holds for all, else one for each -n, in order" },
    { OPT_TOLERANCE, "tolerance", "N", .about = "each channel of a cell may differ by up to N" },
    { OPT_WRONG, "wrong", "K", .about = "up to K cells may differ by more" },
    { OPT_WITHIN, "within", "ROW,COL,H,W",
      .about = "only in this part of the texts: H rows and W columns from there" },
    { .about = "\n" },
    { OPT_SHAPE, "shape", "ROWSxCOLS", .about = "the texts are raw rasters of that shape" },
    { OPT_NEEDLE_SHAPE, "needle-shape", "ROWSxCOLS",
      .about = "the needles are raw rasters; given once it holds for all,\n"
               "else one for each -n, in order" },
    { OPT_DTYPE, "dtype", "u1|u2|u3|u4", .values = dtype_names,
      .about = "bytes of a raw cell, in this machine's byte order" },
    { .about = "\n" },
    { OPT_JSON, "json", .about = "JSON, one object a line, instead of TSV" },
    { OPT_CSV, "csv", .about = "CSV instead of TSV" },
    { OPT_BOX, "box", .about = "more columns: x, y, w, h, centre_x and centre_y" },
    { OPT_ANNOTATE, "annotate", "FILE",
      .about = "write the text, one picture, as PNG with a frame around each match" },
    { OPT_COUNT, "count", "[all]", .values = count_names,
      .about = "a line for each file and needle that is in it, with the number of\n"
               "matches; all: for needles that are not, too" },
    { OPT_MAX, "max-matches", "N", .about = "stop after N matches in all, and say so" },
    { OPT_MEMORY, "max-memory", "SIZE",
      .about = "refuse a picture or raster that takes more memory while it is\n"
               "decoded (1G); texts are read by bands; bytes, or with K, M, G" },
    { .about = "\n" },
    { 0 },
};

static const option_row end_rows[] = {
    { .about =
          "\n"
          "The columns are file, needle (its number, from 1), name (its file), row and col: the "
          "top\n"
          "left cell, from 0.\n"
          "Exit status: 0 found, 1 nothing found, 2 an error.\n"
          "\n"
          "Examples:\n"
          "  trawl grid -n button.png screenshot.png           where is the button?\n"
          "  trawl grid -n key.png --as rgb shots/*.png        colours alone, without "
          "transparency\n"
          "  trawl grid --count=all -n a.png -n b.png map.png  how often is each tile used?\n"
          "  trawl grid -n icon.png --as rgb --alpha-mask --tolerance 2 --box shot.png\n"
          "                                                    any background, nearly these "
          "colours\n"
          "  trawl grid -n stamp.png --wrong 5 --annotate found.png page.tif\n"
          "                                                    up to 5 pixels may differ\n"
          "  pngtopnm page.png | trawl grid -n letter.pbm -    from a pipe\n"
          "  trawl grid -n ridge.raw --needle-shape 3x8 --shape 359x367 --dtype u2 dem.raw\n"
          "                                                    16-bit rasters without a header\n" },
    { 0 },
};

static const option_row *const tables[] = { own_rows,  engine_rows, run_rows, progress_rows,
                                            help_rows, end_rows,    NULL };
static const option_set options = { "grid", tables, 27, ' ', NULL };

static bool parse_as(grid_run *run, const char *value)
{
    uint32_t kind;
    if (!choice_option(run->options.command, "--as", as_names, value, &kind))
        return false;
    run->as = kind > IMAGE_AS_GREY ? IMAGE_AS_GREY : (image_as)kind;
    return true;
}

static bool parse_dtype(grid_run *run, const char *value)
{
    uint32_t number;
    if (!choice_option(run->options.command, "--dtype", dtype_names, value, &number))
        return false;
    run->raw_cell_size = number + 1;
    return true;
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

static bool parse_within(grid_run *run, const char *value)
{
    image_region *r = &run->within;
    uint64_t *const numbers[] = { &r->row, &r->col, &r->rows, &r->cols };
    const char *at = value;
    for (int i = 0; i < 4 && at != NULL; i++) {
        const char *begin = at + (i > 0 && *at == ',');
        const bool fine = (i == 0 || begin > at) && *begin >= '0' && *begin <= '9';
        at = fine ? read_digits(begin, INT64_MAX, numbers[i]) : NULL;
    }
    if (at != NULL && *at == '\0' && r->rows > 0 && r->cols > 0)
        return true;
    complain(run->options.command, "--within takes ROW,COL,H,W, as in 0,100,480,640, not '%s'",
             value);
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
        return single_option(run->options.command, "--as", &run->as_given, value) &&
               parse_as(run, value);
    case OPT_SHAPE:
        return single_option(run->options.command, "--shape", &run->shape_given, value) &&
               parse_shape(run, "--shape", value, &run->raw_text);
    case OPT_NEEDLE_SHAPE:
        return parse_shape(run, "--needle-shape", value,
                           &run->raw_needles[run->raw_needle_count++]);
    case OPT_DTYPE:
        return single_option(run->options.command, "--dtype", &run->dtype_given, value) &&
               parse_dtype(run, value);
    case OPT_ALPHA_MASK:
        return run->alpha_mask = true;
    case OPT_MASK:
        run->masks[run->mask_count++] = value;
        return true;
    case OPT_TOLERANCE:
        return parse_number(run->options.command, "--tolerance", value, UINT32_MAX,
                            &run->tolerance);
    case OPT_WRONG:
        return parse_number(run->options.command, "--wrong", value, UINT32_MAX, &run->wrong);
    case OPT_WITHIN:
        return single_option(run->options.command, "--within", &run->within_given, value) &&
               parse_within(run, value);
    case OPT_BOX:
        return run->output.box = true;
    case OPT_ANNOTATE:
        return single_option(run->options.command, "--annotate", &run->annotate, value);
    case OPT_CSV:
        run->output.format = GRID_CSV;
        return single_option(run->options.command, "", &run->format_given, "--csv");
    case OPT_JSON:
        run->output.format = GRID_JSON;
        return single_option(run->options.command, "", &run->format_given, "--json");
    case OPT_COUNT:
        run->output.count = true;
        return count_option(run->options.command, value, &run->count_all);
    case OPT_MAX:
        return limit_option(run->options.command, value, &run->max_matches);
    case OPT_MEMORY:
        return parse_size(run->options.command, "--max-memory", value, SIZE_MAX / 2,
                          &run->limit.bytes);
    case OPT_PROGRESS:
        return progress_option(run->options.command, value);
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
                 "%zu times --needle-shape for %zu needle%s; give it once for all of them, or once "
                 "for each",
                 run->raw_needle_count, run->needle_count, plural(run->needle_count));
        return false;
    }
    if (run->raw_text.rows > 0)
        run->raw_text.cell_size = run->raw_cell_size;
    for (size_t i = 0; i < run->raw_needle_count; i++)
        run->raw_needles[i].cell_size = run->raw_cell_size;
    return true;
}

static bool check_masks(const grid_run *run)
{
    const char *command = run->options.command;
    if (run->mask_count > 1 && run->mask_count != run->needle_count) {
        complain(
            command,
            "%zu times --mask for %zu needle%s; give it once for all of them, or once for each",
            run->mask_count, run->needle_count, plural(run->needle_count));
        return false;
    }
    if (run->alpha_mask && run->raw_needle_count > 0) {
        complain(command, "--alpha-mask: a raw raster has no transparency; take --mask FILE");
        return false;
    }
    for (size_t i = 0; run->alpha_mask && i < run->needle_count; i++)
        if (strcmp(run->needles[i].path, "-") == 0) {
            complain(command, "--alpha-mask reads a needle twice; name a file, not standard input");
            return false;
        }
    return true;
}

static bool check_annotate(const grid_run *run, char **texts, size_t count)
{
    if (run->annotate == NULL)
        return true;
    if (count != 1 || strcmp(texts[0], "-") == 0) {
        complain(run->options.command,
                 "--annotate reads its one text twice: name one file, and not standard input");
        return false;
    }
    if (strcmp(run->annotate, "-") == 0) {
        complain(run->options.command, "--annotate: standard output has the matches: name a file");
        return false;
    }
    const char *command = run->options.command;
    bool fine = output_leaves(command, run->annotate, texts[0]);
    for (size_t i = 0; fine && i < run->needle_count; i++)
        fine = output_leaves(command, run->annotate, run->needles[i].path);
    for (size_t i = 0; fine && i < run->mask_count; i++)
        fine = output_leaves(command, run->annotate, run->masks[i]);
    return fine;
}

static bool check_stdin(const grid_run *run, char **texts, size_t count)
{
    size_t uses = count == 0;
    for (size_t i = 0; i < run->mask_count; i++)
        uses += strcmp(run->masks[i], "-") == 0;
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
    if (!limit_fits(command, run->max_matches, run->output.count))
        return false;
    return check_raw(run) && check_masks(run) && check_annotate(run, texts, count) &&
           check_stdin(run, texts, count);
}

/* ---- the command ----------------------------------------------------------- */

static int run_command(grid_run *run, int argc, char **argv)
{
    int status = parse_options(&options, argc, argv, read_option, run);
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
        needle_free(&run->needles[i]);
        free(run->found[i].names);
    }
    free(run->needles);
    free(run->found);
    free(run->raw_needles);
    free(run->masks);
    free(run->frames);
    image_intern_free(run->colours);
    trawl_plan_free(run->plan);
    close_context(&run->options, run->context);
}

static void put_line(const char *line, size_t length)
{
    fwrite(line, 1, length, stdout);
}

int command_grid(int argc, char **argv)
{
    static const char command[] = "grid";
    grid_run run;
    int status = EXIT_ERROR;
    memset(&run, 0, sizeof run);
    run_options_init(&run.options, command);
    run.limit = (image_limit){ IMAGE_MAX_BYTES, "--max-memory" };
    run.output.terminal = isatty(STDOUT_FILENO);
    run.output.put = put_line;
    /* No more needles or shapes than arguments. */
    run.needles = calloc((size_t)argc, sizeof *run.needles);
    run.found = calloc((size_t)argc, sizeof *run.found);
    run.raw_needles = calloc((size_t)argc, sizeof *run.raw_needles);
    run.masks = calloc((size_t)argc, sizeof *run.masks);
    if (run.needles == NULL || run.found == NULL || run.raw_needles == NULL || run.masks == NULL)
        complain(command, "out of memory");
    else
        status = run_command(&run, argc, argv);
    free_run(&run);
    return status;
}
