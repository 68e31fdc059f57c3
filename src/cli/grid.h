/* grid.h: what the files of `trawl grid` share: options and needles, their reading, the search. */
#ifndef TRAWL_CLI_GRID_H
#define TRAWL_CLI_GRID_H

#include "cli/cli.h"
#include "formats/images/annotate.h"
#include "formats/images/needle.h"
#include "formats/writers/grid.h"

/* What is printed of a needle. */
typedef struct grid_found {
    char *names;    /* its number from 1 and its path */
    uint64_t count; /* matches in the present text */
} grid_found;

typedef struct grid_run {
    run_options options;
    image_as as;
    raw_format raw_text;
    uint32_t raw_cell_size; /* --dtype; 0: not given */
    raw_format *raw_needles;
    size_t raw_needle_count;
    bool alpha_mask;
    const char **masks; /* --mask */
    size_t mask_count;
    uint64_t tolerance, wrong;
    image_region within;
    grid_writer output;
    bool count_all;                                                                 /* 0, too */
    const char *annotate;                                                           /* NULL: no */
    const char *as_given, *shape_given, *dtype_given, *within_given, *format_given; /* options */
    uint64_t max_matches; /* 0: no limit */
    image_limit limit;    /* for one picture */

    image_needle *needles;
    grid_found *found; /* of each */
    size_t needle_count;
    char kind[sizeof((image *)0)->kind]; /* of the needles */
    image_intern *colours;
    trawl_plan *plan;
    trawl_context *context;
    uint64_t tallest; /* needle, in rows */
    const char *file; /* the present text, for messages */
    const image_band *band;
    uint64_t top, left;             /* of its part that is searched */
    uint64_t file_bytes, file_done; /* of the text's file, for --progress; and counted so far */
    bool failed;                    /* in a band of it */
    image_frame *frames;            /* of its matches, for --annotate */
    size_t frame_count, frame_room;
    run_stats stats;
} grid_run;

/* grid_needles.c: read the needles, open the context, and compile for it. */
bool grid_read_needles(grid_run *run);

/* Warn of a picture whose hidden colours are compared, or that is shown otherwise than it is
 * stored.
 */
void grid_warn(const grid_run *run, const char *name, const image *picture, bool hidden_matter);

/* grid_texts.c: search the texts and print what is found; returns the exit status. */
int grid_search(grid_run *run, char **texts, size_t count);

#endif
