/* grid_texts.c: the texts of `trawl grid` are read band by band, searched, and what is found
 * printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "cli/progress.h"
#include "formats/sources/grow.h"

/* ---- matches --------------------------------------------------------------- */

/* Remember a match for --annotate. */
static bool add_frame(grid_run *run, size_t needle, uint64_t row, uint64_t col)
{
    /* By needle, so that neighbours in the list are told apart. */
    static const uint32_t colours[] = {
        0x0000ff, 0x00a000, 0xff4000, 0x00a5ff, 0xc000c0, 0xb0b000
    };
    if (!grow_array(&run->frames, run->frame_count + 1, &run->frame_room, sizeof *run->frames)) {
        complain(run->options.command, "out of memory for the frames of matches");
        run->failed = true;
        return false;
    }
    run->frames[run->frame_count++] =
        (image_frame){ row, col, run->needles[needle].rows, run->needles[needle].cols,
                       colours[needle % (sizeof colours / sizeof *colours)] };
    return true;
}

static bool at_limit(const grid_run *run)
{
    return run->max_matches > 0 && run->stats.matches >= run->max_matches;
}

/* Count a match and, without --count, print it. Stops when the output fails, at the limit, and
 * after the rows that the band owns. Its place is in the part of the band that is searched. */
static bool print_match(grid_run *run, const trawl_grid_match *match)
{
    const image_needle *needle = &run->needles[match->needle];
    grid_found *found = &run->found[match->needle];
    const uint64_t row = run->top + match->row, col = run->left + match->col;
    if (row >= run->band->first + run->band->own)
        return false;
    run->stats.matches++;
    found->count++;
    if (run->annotate && !add_frame(run, match->needle, row, col))
        return false;
    if (run->output.count)
        return true;
    grid_writer_place(&run->output, found->names, row, col, needle->rows, needle->cols);
    return !ferror(stdout) && !at_limit(run);
}

static int on_matches(const trawl_grid_match *matches, size_t count, void *user)
{
    size_t taken = 0;
    progress_hold(true);
    while (taken < count && print_match((grid_run *)user, &matches[taken]))
        taken++;
    progress_release(true);
    return taken < count;
}

/* ---- texts ----------------------------------------------------------------- */

/* Why two kinds cannot be compared, and what to do about it. */
static void complain_kinds(const grid_run *run, const char *path, const char *kind)
{
    const bool raw = strncmp(kind, "raw", 3) == 0 || strncmp(run->kind, "raw", 3) == 0;
    const bool colours = kind_has_colours(kind) && kind_has_colours(run->kind);
    const char *advice =
        raw && colours ? "convert with --as grey (cells of 1 byte), or give raw needles and texts "
                         "both their shape (--needle-shape, --shape)"
        : colours      ? "convert both with --as rgb (or rgba, grey)"
                       : "such numbers are no colours, which --as converts: give needles and texts "
                         "of one kind, as gdal_translate -ot makes them";
    complain(run->options.command, "%s: is %s, but %s %s; %s", path, kind,
             run->needle_count == 1 ? "the needle is" : "the needles are", run->kind, advice);
}

/* A page begins, which a file of several pages has in its name. */
static bool begin_page(grid_run *run, const image_band *band)
{
    char *numbered = band->pages > 1 ? format_text("%s:%" PRIu32, run->file, band->page) : NULL;
    const bool fine = (numbered || band->pages <= 1) &&
                      grid_writer_file(&run->output, numbered ? numbered : run->file);
    if (!fine)
        complain(run->options.command, "%s: out of memory for its name", run->file);
    free(numbered);
    for (size_t i = 0; i < run->needle_count; i++)
        run->found[i].count = 0;
    return fine;
}

/* The counts of a page, which ends. */
static void print_counts(const grid_run *run)
{
    progress_hold(true);
    for (size_t i = 0; i < run->needle_count; i++)
        if (run->count_all || run->found[i].count)
            grid_writer_count(&run->output, run->found[i].names, run->found[i].count);
    progress_release(true);
}

/* Bytes of the text's file that the band, and what is above it, count for; of one whose length is
 * not known, those of the cells. */
static uint64_t bytes_down_to(const grid_run *run, const image_band *band)
{
    if (run->file_bytes == UINT64_MAX)
        return run->file_done + band->own * band->picture->cols * band->picture->cell_size;
    const double pages = band->pages ? (double)band->pages : 1, before = (double)band->page - 1;
    const double rows = (double)(band->first + band->own) / (double)band->rows;
    const uint64_t bytes = (uint64_t)((before + rows) / pages * (double)run->file_bytes);
    return bytes < run->file_bytes ? bytes : run->file_bytes;
}

/* What is above the band has been searched. */
static bool scan_band(grid_run *run, const image_band *band)
{
    const trawl_grid part = band_part(band, &run->within, &run->top, &run->left);
    trawl_error error;
    const uint64_t down_to = bytes_down_to(run, band);
    const uint64_t bytes = down_to > run->file_done ? down_to - run->file_done : 0;
    run->band = band;
    progress_scans(run->context, part.rows * part.cols, bytes);
    const int status =
        trawl_scan_grid(run->context, run->plan, &part, NULL, on_matches, run, &error);
    progress_scans(NULL, 0, 0);
    progress_add(bytes);
    run->file_done += bytes;
    if (status < 0) {
        complain(run->options.command, "%s: %s", run->file, error.message);
        return false;
    }
    run->stats.bytes += band->own * band->picture->cols * band->picture->cell_size;
    return !run->failed;
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
        run->failed = (band->first == 0 && !begin_page(run, band)) || !scan_band(run, band);
    }
    if (last && !run->failed && run->output.count)
        print_counts(run);
    if (last) {
        grid_warn(run, run->file, band->picture, true);
        grid_writer_file(&run->output, NULL);
    }
    return run->failed || at_limit(run) || ferror(stdout);
}

static bool search_text(grid_run *run, char *path)
{
    const image_request request = { run->as, &run->raw_text, run->limit, run->colours,
                                    run->tallest - 1 };
    char message[512];
    run->file = shown_name(path);
    run->failed = false;
    run->file_bytes = progress_total(&path, 1);
    run->file_done = 0;
    const int status = image_read_bands(path, &request, search_band, run, message, sizeof message);
    grid_writer_file(&run->output, NULL);
    if (status < 0)
        complain(run->options.command, "%s: %s", run->file, message);
    return status >= 0 && !run->failed;
}

/* The one text again, with frames. */
static bool annotate(const grid_run *run, const char *path)
{
    const image_request request = { run->as, &run->raw_text, run->limit, NULL, 0 };
    char message[512];
    if (image_annotate(path, &request, run->frames, run->frame_count, run->annotate, message,
                       sizeof message) == 0)
        return true;
    complain(run->options.command, "--annotate: %s", message);
    return false;
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
    grid_writer_header(&run->output);
    progress_begin(progress_total(texts, count));
    for (size_t i = 0; i < count && !at_limit(run) && !ferror(stdout); i++)
        fine = search_text(run, texts[i]) && fine;
    if (run->annotate && fine)
        fine = annotate(run, texts[0]);
    progress_end();
    if (at_limit(run))
        limit_reached(run->options.command, run->max_matches);
    int status = !fine ? EXIT_ERROR : run->stats.matches > 0 ? EXIT_MATCH : EXIT_NONE;
    status = finish_output(run->options.command, status);
    stats_print(&run->stats, &run->options, run->plan, run->context);
    return status;
}
