/* grid_texts.c: the texts of `trawl grid` are read band by band, searched, and what is found
 * printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"

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

/* The page's name as it is printed: of a file of several pages with the number. */
static bool name_page(grid_run *run, const image_band *band)
{
    char *numbered = NULL;
    if (band->pages > 1)
        numbered = format_text("%s:%" PRIu32, run->file, band->page);
    if (band->pages > 1 && numbered == NULL)
        complain(run->options.command, "%s: out of memory for its name", run->file);
    else
        run->file_name = grid_quote_path(run, "file", numbered ? numbered : run->file);
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
        grid_warn_hidden(run, run->file);
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

int grid_search(grid_run *run, char **texts, size_t count)
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
