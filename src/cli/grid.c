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
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/image.h"

typedef struct grid_needle {
    const char *path;
    char *names; /* its number from 1 and its path, as they are printed */
    image picture;
    uint64_t count; /* matches in the present text */
} grid_needle;

typedef struct grid_run {
    run_options options;
    image_as as;
    raw_format raw_text;
    uint32_t raw_cell_size; /* --dtype; 0: not given */
    raw_format *raw_needles;
    size_t raw_needle_count;
    bool json, count;
    uint64_t max_matches; /* 0: no limit */
    uint64_t max_memory;  /* for one picture */

    grid_needle *needles;
    size_t needle_count;
    char kind[sizeof((image *)0)->kind]; /* of the needles */
    image_intern *colours;
    trawl_plan *plan;
    trawl_context *context;
    uint64_t tallest; /* needle, in rows */
    const char *file; /* the present text, for messages */
    char *file_name;  /* and its page, as they are printed */
    const image_band *band;
    bool failed; /* in a band of it */
    run_stats stats;
} grid_run;

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

/* ---- needles --------------------------------------------------------------- */

/* Why two kinds cannot be compared, and what to do about it. */
static void complain_kinds(const grid_run *run, const char *path, const char *kind)
{
    const bool raw = strncmp(kind, "raw", 3) == 0 || strncmp(run->kind, "raw", 3) == 0;
    complain(run->options.command, "%s: is %s, but %s %s; %s", path, kind,
             run->needle_count == 1 ? "the needle is" : "the needles are", run->kind,
             raw ? "convert with --as grey (cells of 1 byte), or give raw needles and texts both "
                   "their shape (--needle-shape, --shape)"
                 : "convert both with --as rgb (or rgba, grey)");
}

/* A path as it is printed, made once, not once a match; NULL after a complaint. */
static char *quote_path(const grid_run *run, const char *column, const char *path)
{
    const char *shown = shown_name(path);
    char *quoted = run->json ? json_member(column, shown, strlen(shown)) : tsv_quote(shown);
    if (quoted == NULL)
        complain(run->options.command, "%s: out of memory for its name", shown);
    return quoted;
}

static bool name_needle(const grid_run *run, size_t index)
{
    grid_needle *needle = &run->needles[index];
    char *path = quote_path(run, "name", needle->path);
    if (path == NULL)
        return false;
    needle->names = format_text(run->json ? "\"needle\":%zu,%s" : "%zu\t%s", index + 1, path);
    free(path);
    if (needle->names == NULL)
        complain(run->options.command, "%s: out of memory for its name", shown_name(needle->path));
    return needle->names != NULL;
}

static void warn_hidden(const grid_run *run, const char *name)
{
    const char *as = run->as == IMAGE_AS_GREY ? "grey" : "rgb"; /* those that hide something */
    complain(run->options.command,
             "warning: %s: has transparent pixels: --as %s compares their hidden colours; take "
             "--as rgba to compare transparency too",
             name, as);
}

static bool read_needle(grid_run *run, size_t index)
{
    grid_needle *needle = &run->needles[index];
    const char *name = shown_name(needle->path);
    const raw_format *raw = run->raw_needles; /* all zero when none was given: not raw */
    if (run->raw_needle_count > 1)
        raw += index;
    char message[512];
    if (image_read(needle->path, run->as, raw, run->max_memory, run->colours, &needle->picture,
                   message, sizeof message) != 0) {
        complain(run->options.command, "%s: %s", name, message);
        return false;
    }
    if (needle->picture.hidden)
        warn_hidden(run, name);
    if (run->tallest < needle->picture.rows)
        run->tallest = needle->picture.rows;
    if (index == 0)
        memcpy(run->kind, needle->picture.kind, sizeof run->kind);
    if (strcmp(run->kind, needle->picture.kind) != 0) {
        complain(run->options.command,
                 "%s: is %s, but %s is %s; needles must be of one kind: convert them with --as rgb "
                 "(or rgba, grey)",
                 name, needle->picture.kind, shown_name(run->needles[0].path), run->kind);
        return false;
    }
    return name_needle(run, index);
}

static bool compile_needles(grid_run *run)
{
    trawl_needle *needles = calloc(run->needle_count, sizeof *needles);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error;
    if (needles == NULL) {
        complain(run->options.command, "out of memory for %zu needles", run->needle_count);
        return false;
    }
    for (size_t i = 0; i < run->needle_count; i++) {
        const image *picture = &run->needles[i].picture;
        needles[i].cells = picture->cells;
        needles[i].rows = picture->rows;
        needles[i].cols = picture->cols;
        needles[i].id = (uint32_t)i + 1;
        needles[i].name = shown_name(run->needles[i].path);
    }
    options.engine = run->options.engine;
    options.context = run->context;
    const int status =
        trawl_compile_grid(needles, run->needle_count, run->needles[0].picture.cell_size, &options,
                           &run->plan, &error);
    free(needles);
    if (status == TRAWL_OK)
        return true;
    if (error.pattern < run->needle_count)
        complain(run->options.command, "%s: %s", shown_name(run->needles[error.pattern].path),
                 error.message);
    else
        complain(run->options.command, "%s", error.message);
    return false;
}

/* Read the needles, open the context, and compile for it. */
static bool prepare(grid_run *run)
{
    run->colours = image_intern_new();
    if (run->colours == NULL) {
        complain(run->options.command, "out of memory");
        return false;
    }
    for (size_t i = 0; i < run->needle_count; i++)
        if (!read_needle(run, i))
            return false;
    run->context = open_context(&run->options);
    if (run->context == NULL || !compile_needles(run))
        return false;
    for (size_t i = 0; i < run->needle_count; i++)
        image_free(&run->needles[i].picture);
    return true;
}

/* ---- output ---------------------------------------------------------------- */

static void print_header(const grid_run *run)
{
    if (!run->json)
        puts(run->count ? "file\tneedle\tname\tcount" : "file\tneedle\tname\trow\tcol");
}

static void print_counts(const grid_run *run)
{
    for (size_t i = 0; i < run->needle_count; i++)
        printf(run->json ? "{%s,%s,\"count\":%" PRIu64 "}\n" : "%s\t%s\t%" PRIu64 "\n",
               run->file_name, run->needles[i].names, run->needles[i].count);
}

static bool at_limit(const grid_run *run)
{
    return run->max_matches > 0 && run->stats.matches >= run->max_matches;
}

/* Count a match and, without --count, print it. Stops when the output fails, at the limit, and
 * behind the rows that the band owns. */
static bool print_match(grid_run *run, const trawl_grid_match *match)
{
    grid_needle *needle = &run->needles[match->needle];
    if (match->row >= run->band->own)
        return false;
    run->stats.matches++;
    needle->count++;
    if (run->count)
        return true;
    printf(run->json ? "{%s,%s,\"row\":%" PRIu64 ",\"col\":%" PRIu64 "}\n"
                     : "%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n",
           run->file_name, needle->names, run->band->first + match->row, match->col);
    return !ferror(stdout) && !at_limit(run);
}

static int on_matches(const trawl_grid_match *matches, size_t count, void *user)
{
    for (size_t i = 0; i < count; i++)
        if (!print_match((grid_run *)user, &matches[i]))
            return 1;
    return 0;
}

/* ---- texts ----------------------------------------------------------------- */

/* The page's name as it is printed: of a file of several pages with the number. */
static bool name_page(grid_run *run, const image_band *band)
{
    char *numbered = NULL;
    if (band->pages > 1)
        numbered = format_text("%s:%" PRIu32, run->file, band->page);
    if (band->pages > 1 && numbered == NULL)
        complain(run->options.command, "%s: out of memory for its name", run->file);
    else
        run->file_name = quote_path(run, "file", numbered ? numbered : run->file);
    free(numbered);
    for (size_t i = 0; i < run->needle_count; i++)
        run->needles[i].count = 0;
    return run->file_name != NULL;
}

/* What is above the band has been searched. */
static bool scan_band(grid_run *run, const image_band *band)
{
    const image *picture = band->picture;
    const trawl_grid grid = { picture->cells, picture->rows, picture->cols, 0 };
    trawl_error error;
    run->band = band;
    if (trawl_scan_grid(run->context, run->plan, &grid, NULL, on_matches, run, &error) < 0) {
        complain(run->options.command, "%s: %s", run->file, error.message);
        return false;
    }
    run->stats.bytes += band->own * picture->cols * picture->cell_size;
    return true;
}

/* An image_band_fn. */
static int search_band(const image_band *band, void *user)
{
    grid_run *run = user;
    const bool last = band->first + band->own == band->rows;
    if (band->first == 0 && strcmp(band->picture->kind, run->kind) != 0) {
        complain_kinds(run, run->file, band->picture->kind);
        run->failed = true;
    } else {
        run->failed = (band->first == 0 && !name_page(run, band)) || !scan_band(run, band);
    }
    if (last && !run->failed && run->count)
        print_counts(run);
    if (last && band->picture->hidden)
        warn_hidden(run, run->file);
    if (last) {
        free(run->file_name);
        run->file_name = NULL;
    }
    return run->failed || at_limit(run) || ferror(stdout);
}

static bool search_text(grid_run *run, const char *path)
{
    const image_request request = { run->as, &run->raw_text, run->max_memory, run->colours,
                                    run->tallest - 1 };
    char message[512];
    run->file = shown_name(path);
    run->failed = false;
    const int status = image_read_bands(path, &request, search_band, run, message, sizeof message);
    free(run->file_name);
    run->file_name = NULL;
    if (status < 0)
        complain(run->options.command, "%s: %s", run->file, message);
    return status >= 0 && !run->failed;
}

static int search_texts(grid_run *run, char **texts, size_t count)
{
    char *standard_input[] = { "-" };
    bool fine = true;
    if (count == 0) {
        texts = standard_input;
        count = 1;
    }
    explain_print(&run->options, run->plan);
    stats_begin(&run->stats, &run->options);
    print_header(run);
    for (size_t i = 0; i < count && !at_limit(run) && !ferror(stdout); i++)
        fine = search_text(run, texts[i]) && fine;
    if (at_limit(run))
        limit_reached(run->options.command, run->max_matches);
    int status = !fine ? EXIT_ERROR : run->stats.matches > 0 ? EXIT_MATCH : EXIT_NONE;
    status = finish_output(run->options.command, status);
    stats_print(&run->stats, &run->options, run->plan, run->context);
    return status;
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
    if (!check_options(run, texts, count) || !prepare(run))
        return EXIT_ERROR;
    return search_texts(run, texts, count);
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
