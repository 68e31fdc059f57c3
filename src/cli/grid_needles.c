/* grid_needles.c: the needles of `trawl grid` are read and become one plan. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/grid.h"
#include "trawl/grid.h"

/* A CSV field: in quotes, which are doubled, when it has to be (RFC 4180). */
static char *csv_quote(const char *text)
{
    char *quoted = malloc(2 * strlen(text) + 3), *to = quoted;
    const bool plain = strpbrk(text, ",\"\r\n") == NULL;
    if (quoted == NULL)
        return NULL;
    if (!plain)
        *to++ = '"';
    for (; *text; text++) {
        if (*text == '"')
            *to++ = '"';
        *to++ = *text;
    }
    if (!plain)
        *to++ = '"';
    *to = '\0';
    return quoted;
}

char *grid_quote_path(const grid_run *run, const char *column, const char *path)
{
    const char *shown = shown_name(path);
    char *quoted = run->format == GRID_JSON  ? json_member(column, shown, strlen(shown))
                   : run->format == GRID_CSV ? csv_quote(shown)
                                             : tsv_quote(shown);
    quoted = terminal_text(isatty(STDOUT_FILENO), quoted);
    if (quoted == NULL)
        complain(run->options.command, "%s: out of memory for its name", shown);
    return quoted;
}

static bool name_needle(const grid_run *run, size_t index)
{
    grid_needle *needle = &run->needles[index];
    char *path = grid_quote_path(run, "name", needle->path);
    if (path == NULL)
        return false;
    needle->names = format_text(run->format == GRID_JSON  ? "\"needle\":%zu,%s"
                                : run->format == GRID_CSV ? "%zu,%s"
                                                          : "%zu\t%s",
                                index + 1, path);
    free(path);
    if (needle->names == NULL)
        complain(run->options.command, "%s: out of memory for its name", shown_name(needle->path));
    return needle->names != NULL;
}

void grid_warn(const grid_run *run, const char *name, const image *picture, bool hidden_matter)
{
    const char *as = run->as == IMAGE_AS_GREY ? "grey" : "rgb"; /* those that hide something */
    if (picture->hidden && hidden_matter)
        complain(run->options.command,
                 "warning: %s: has transparent pixels: --as %s compares their hidden colours; take "
                 "--as rgba to compare transparency too",
                 name, as);
    if (picture->orientation)
        complain(run->options.command,
                 "warning: %s: is to be turned or mirrored when it is shown (orientation %u of "
                 "EXIF or TIFF): it is compared, and rows and columns count, as it is stored; "
                 "turn it first, as by convert -auto-orient",
                 name, (unsigned)picture->orientation);
}

/* ---- masks ------------------------------------------------------------------- */

static bool fail_needle(const grid_run *run, const char *path, const char *message)
{
    complain(run->options.command, "%s: %s", shown_name(path), message);
    return false;
}

/* The needle's mask, which begins with every cell compared. */
static bool open_mask(const grid_run *run, grid_needle *needle)
{
    const size_t cells = (size_t)(needle->rows * needle->cols);
    if (needle->mask == NULL && (needle->mask = malloc(cells)) != NULL)
        memset(needle->mask, 1, cells);
    return needle->mask != NULL || fail_needle(run, needle->path, "out of memory for its mask");
}

/* Cells that are not opaque match anything. */
static bool mask_alpha(const grid_run *run, grid_needle *needle)
{
    char message[512];
    image alpha;
    if (image_read(needle->path, IMAGE_AS_RGBA, NULL, run->max_memory, NULL, &alpha, message,
                   sizeof message) != 0)
        return fail_needle(run, needle->path, message);
    const bool fine = open_mask(run, needle);
    const uint32_t *cells = alpha.cells;
    for (size_t i = 0; fine && i < (size_t)(alpha.rows * alpha.cols); i++)
        if (cells[i] >> 24 != 255)
            needle->mask[i] = 0;
    image_free(&alpha);
    return fine;
}

/* Where the mask's picture is black the needle's cells match anything. */
static bool mask_file(const grid_run *run, grid_needle *needle, const char *path)
{
    char message[512];
    image picture;
    if (image_read(path, IMAGE_AS_MASK, NULL, run->max_memory, NULL, &picture, message,
                   sizeof message) != 0)
        return fail_needle(run, path, message);
    bool fine = picture.rows == needle->rows && picture.cols == needle->cols;
    if (!fine)
        complain(run->options.command,
                 "%s: the mask has %llu x %llu cells (rows x columns), but %s has %llu x %llu: "
                 "give one of its size",
                 shown_name(path), (unsigned long long)picture.rows,
                 (unsigned long long)picture.cols, shown_name(needle->path),
                 (unsigned long long)needle->rows, (unsigned long long)needle->cols);
    fine = fine && open_mask(run, needle);
    const uint8_t *cells = picture.cells;
    for (size_t i = 0; fine && i < (size_t)(picture.rows * picture.cols); i++)
        if (cells[i] == 0)
            needle->mask[i] = 0;
    image_free(&picture);
    return fine;
}

static bool read_masks(const grid_run *run, size_t index)
{
    grid_needle *needle = &run->needles[index];
    if (run->mask_count > 0 && !mask_file(run, needle, run->masks[run->mask_count > 1 ? index : 0]))
        return false;
    return !run->alpha_mask || mask_alpha(run, needle);
}

/* ---- needles ----------------------------------------------------------------- */

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
    grid_warn(run, name, &needle->picture, !run->alpha_mask);
    needle->rows = needle->picture.rows;
    needle->cols = needle->picture.cols;
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
    return read_masks(run, index) && name_needle(run, index);
}

/* The masks of all needles, NULL where there is none. *fine: memory was enough, and a tolerance
 * means something. */
static const uint8_t **take_masks(const grid_run *run, trawl_likeness *like, bool *fine)
{
    const uint8_t **masks = calloc(run->needle_count, sizeof *masks);
    const image *picture = &run->needles[0].picture;
    *fine = masks != NULL;
    if (masks == NULL)
        complain(run->options.command, "out of memory for %zu mask%s", run->needle_count,
                 plural(run->needle_count));
    for (size_t i = 0; masks && i < run->needle_count; i++)
        masks[i] = run->needles[i].mask;
    like->masks = masks;
    like->tolerance = (uint32_t)run->tolerance;
    like->channel_bytes = picture->channel_bytes;
    like->wrong = run->wrong;
    if (run->tolerance > 0 && picture->channel_bytes == 0) {
        complain(
            run->options.command,
            "--tolerance does not work on %s, whose cells are no whole numbers of channels: %s",
            picture->kind,
            strncmp(picture->kind, "float", 5) == 0 ? "store whole numbers, of 16 bits, say"
                                                    : "convert with --as rgb (or rgba, grey)");
        *fine = false;
    }
    return masks;
}

static bool compile_needles(grid_run *run)
{
    trawl_needle *needles = calloc(run->needle_count, sizeof *needles);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error;
    if (needles == NULL) {
        complain(run->options.command, "out of memory for %zu needle%s", run->needle_count,
                 plural(run->needle_count));
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
    trawl_likeness like = TRAWL_LIKENESS_INIT;
    bool fine;
    const uint8_t **masks = take_masks(run, &like, &fine);
    options.likeness = &like;
    const int status =
        !fine ? TRAWL_OK
              : trawl_compile_grid(needles, run->needle_count, run->needles[0].picture.cell_size,
                                   &options, &run->plan, &error);
    free(masks);
    free(needles);
    if (status == TRAWL_OK)
        return fine;
    if (error.pattern < run->needle_count)
        complain(run->options.command, "%s: %s", shown_name(run->needles[error.pattern].path),
                 error.message);
    else
        complain(run->options.command, "%s", error.message);
    return false;
}

/* Read the needles, open the context, and compile for it. */
bool grid_read_needles(grid_run *run)
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
