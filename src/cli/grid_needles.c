/* grid_needles.c: the needles of `trawl grid` are read and become one plan. */
#include <string.h>

#include "cli/grid.h"

#define MESSAGE 5000 /* bytes, with a path */

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

static bool fail_needle(const grid_run *run, const char *path, const char *message)
{
    complain(run->options.command, "%s: %s", shown_name(path), message);
    return false;
}

static bool read_masks(const grid_run *run, size_t index)
{
    image_needle *needle = &run->needles[index];
    const char *path = run->mask_count ? run->masks[run->mask_count > 1 ? index : 0] : NULL;
    char message[MESSAGE];
    if (path && !needle_mask_file(needle, path, run->limit, message, sizeof message))
        return fail_needle(run, path, message);
    return !run->alpha_mask || needle_mask_alpha(needle, run->limit, message, sizeof message) ||
           fail_needle(run, needle->path, message);
}

static bool read_needle(grid_run *run, size_t index)
{
    image_needle *needle = &run->needles[index];
    const char *name = shown_name(needle->path);
    /* All zero when none was given: not raw. */
    const raw_format *raw = &run->raw_needles[run->raw_needle_count > 1 ? index : 0];
    const image_request request = { run->as, raw, run->limit, run->colours, 0 };
    char message[MESSAGE];
    if (!needle_read(needle, &request, message, sizeof message))
        return fail_needle(run, needle->path, message);
    grid_warn(run, name, &needle->picture, !run->alpha_mask);
    if (run->tallest < needle->rows)
        run->tallest = needle->rows;
    if (index == 0)
        memcpy(run->kind, needle->picture.kind, sizeof run->kind);
    if (strcmp(run->kind, needle->picture.kind) != 0) {
        complain(run->options.command,
                 "%s: is %s, but %s is %s; needles must be of one kind: convert them with --as rgb "
                 "(or rgba, grey)",
                 name, needle->picture.kind, shown_name(run->needles[0].path), run->kind);
        return false;
    }
    if (!read_masks(run, index))
        return false;
    run->found[index].names = grid_writer_names(&run->output, index + 1, name);
    return run->found[index].names || fail_needle(run, needle->path, "out of memory for its name");
}

/* Whether a tolerance means something; complains if not. */
static bool tolerance_fits(const grid_run *run)
{
    const image *picture = &run->needles[0].picture;
    const bool fine = run->tolerance == 0 || picture->channel_bytes > 0;
    if (!fine)
        complain(
            run->options.command,
            "--tolerance does not work on %s, whose cells are no whole numbers of channels: %s",
            picture->kind,
            strncmp(picture->kind, "float", 5) == 0 ? "store whole numbers, of 16 bits, say"
                                                    : "convert with --as rgb (or rgba, grey)");
    return fine;
}

static bool compile_needles(grid_run *run)
{
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS_INIT;
    trawl_error error;
    options.engine = run->options.engine;
    options.context = run->context;
    if (!tolerance_fits(run))
        return false;
    if (needles_compile(run->needles, run->needle_count, (uint32_t)run->tolerance, run->wrong,
                        &options, &run->plan, &error) == TRAWL_OK)
        return true;
    if (error.pattern < run->needle_count)
        return fail_needle(run, run->needles[error.pattern].path, error.message);
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
