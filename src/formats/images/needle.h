/* needle.h: pictures that are searched for in others: which of their cells are compared, and a plan
 * of them; and the part of a band that is searched. */
#ifndef TRAWL_NEEDLE_H
#define TRAWL_NEEDLE_H

#include "formats/images/image.h"
#include "trawl/grid.h"

typedef struct image_needle {
    const char *path;
    image picture; /* not needed once there is a plan */
    uint64_t rows, cols;
    uint8_t *mask; /* of its cells, 0: matches anything; malloc'ed, NULL: none does */
} image_needle;

/* Read the picture at needle->path. Messages are as of image_read. */
bool needle_read(image_needle *needle, const image_request *request, char *message, size_t room);

/* Cells that are not opaque match anything. */
bool needle_mask_alpha(image_needle *needle, image_limit limit, char *message, size_t room);

/* Cells that are black in the picture at `path`, to which the message belongs, match anything. */
bool needle_mask_file(image_needle *needle, const char *path, image_limit limit, char *message,
                      size_t room);

void needle_free(image_needle *needle);

/* As trawl_compile_grid, with the needles' masks; their ids are their numbers from 1. */
int needles_compile(const image_needle *needles, size_t count, uint32_t tolerance, uint64_t wrong,
                    const trawl_compile_options *options, trawl_plan **plan, trawl_error *error);

/* Where needles must lie in a page; rows == 0: anywhere. */
typedef struct image_region {
    uint64_t row, col, rows, cols;
} image_region;

/* The part of a band that lies in the region, which begins at the page's row *top and column *left;
 * no rows: none of it does. */
trawl_grid band_part(const image_band *band, const image_region *region, uint64_t *top,
                     uint64_t *left);

/* Whether image_as converts pictures of a kind: not signed numbers, floats, nor wide ones. */
bool kind_has_colours(const char *kind);

#endif
