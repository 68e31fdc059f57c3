/* grid_needles.c: the needles of `trawl grid` are read and become one plan. */
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"

char *grid_quote_path(const grid_run *run, const char *column, const char *path)
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
    char *path = grid_quote_path(run, "name", needle->path);
    if (path == NULL)
        return false;
    needle->names = format_text(run->json ? "\"needle\":%zu,%s" : "%zu\t%s", index + 1, path);
    free(path);
    if (needle->names == NULL)
        complain(run->options.command, "%s: out of memory for its name", shown_name(needle->path));
    return needle->names != NULL;
}

void grid_warn_hidden(const grid_run *run, const char *name)
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
        grid_warn_hidden(run, name);
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
