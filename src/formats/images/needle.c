/* needle.c: see needle.h. */
#include "formats/images/needle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sources/source.h"

bool needle_read(image_needle *needle, const image_request *request, char *message, size_t room)
{
    image *picture = &needle->picture;
    if (image_read(needle->path, request->as, request->raw, request->limit, request->table, picture,
                   message, room) != 0)
        return false;
    needle->rows = picture->rows;
    needle->cols = picture->cols;
    return true;
}

void needle_free(image_needle *needle)
{
    image_free(&needle->picture);
    free(needle->mask);
    needle->mask = NULL;
}

/* ---- masks --------------------------------------------------------------------- */

/* The needle's mask, which begins with every cell compared. */
static bool open_mask(image_needle *needle, char *message, size_t room)
{
    const size_t cells = (size_t)(needle->rows * needle->cols);
    if (!needle->mask && (needle->mask = malloc(cells)))
        memset(needle->mask, 1, cells);
    if (!needle->mask)
        snprintf(message, room, "out of memory for its mask");
    return needle->mask;
}

bool needle_mask_alpha(image_needle *needle, image_limit limit, char *message, size_t room)
{
    image alpha;
    if (image_read(needle->path, IMAGE_AS_RGBA, NULL, limit, NULL, &alpha, message, room) != 0)
        return false;
    const bool fine = open_mask(needle, message, room);
    const uint32_t *cells = alpha.cells;
    for (size_t i = 0; fine && i < (size_t)(alpha.rows * alpha.cols); i++)
        if (cells[i] >> 24 != 255)
            needle->mask[i] = 0;
    image_free(&alpha);
    return fine;
}

bool needle_mask_file(image_needle *needle, const char *path, image_limit limit, char *message,
                      size_t room)
{
    image picture;
    if (image_read(path, IMAGE_AS_MASK, NULL, limit, NULL, &picture, message, room) != 0)
        return false;
    bool fine = picture.rows == needle->rows && picture.cols == needle->cols;
    if (!fine)
        snprintf(message, room,
                 "the mask has %" PRIu64 " x %" PRIu64
                 " cells (rows x columns), but %s has %" PRIu64 " x %" PRIu64
                 ": give one of its size",
                 picture.rows, picture.cols, shown_name(needle->path), needle->rows, needle->cols);
    fine = fine && open_mask(needle, message, room);
    const uint8_t *cells = picture.cells;
    for (size_t i = 0; fine && i < (size_t)(picture.rows * picture.cols); i++)
        if (cells[i] == 0)
            needle->mask[i] = 0;
    image_free(&picture);
    return fine;
}

/* ---- plans --------------------------------------------------------------------- */

int needles_compile(const image_needle *needles, size_t count, uint32_t tolerance, uint64_t wrong,
                    const trawl_compile_options *options, trawl_plan **plan, trawl_error *error)
{
    trawl_needle *list = calloc(count, sizeof *list);
    const uint8_t **masks = calloc(count, sizeof *masks);
    trawl_compile_options asked = *options;
    trawl_likeness like = TRAWL_LIKENESS_INIT;
    int status = TRAWL_ERROR_MEMORY;
    *error = (trawl_error){ .pattern = TRAWL_NONE, .message = "out of memory for the needles" };
    for (size_t i = 0; list && masks && i < count; i++) {
        const image_needle *n = &needles[i];
        list[i].cells = n->picture.cells;
        list[i].rows = n->rows;
        list[i].cols = n->cols;
        list[i].id = (uint32_t)i + 1;
        list[i].name = shown_name(n->path);
        masks[i] = n->mask;
    }
    like.masks = masks;
    like.tolerance = tolerance;
    like.channel_bytes = needles->picture.channel_bytes;
    like.wrong = wrong;
    asked.likeness = &like;
    if (list && masks)
        status = trawl_compile_grid(list, count, needles->picture.cell_size, &asked, plan, error);
    free(masks);
    free(list);
    return status;
}

/* ---- texts --------------------------------------------------------------------- */

trawl_grid band_part(const image_band *band, const image_region *region, uint64_t *top,
                     uint64_t *left)
{
    const image *picture = band->picture;
    const image_region all = { 0, 0, band->rows, picture->cols };
    const image_region *in = region->rows > 0 ? region : &all;
    const uint64_t stop = band->first + picture->rows;
    const uint64_t end = stop - in->row < in->rows || in->row > stop ? stop : in->row + in->rows;
    trawl_grid part = { NULL, 0, 0, (size_t)picture->cols * picture->cell_size };
    *top = in->row > band->first ? in->row : band->first;
    *left = in->col;
    if (*top >= end || in->col >= picture->cols)
        return part;
    part.rows = end - *top;
    part.cols = picture->cols - in->col < in->cols ? picture->cols - in->col : in->cols;
    part.cells = (const uint8_t *)picture->cells + (*top - band->first) * part.stride +
                 in->col * picture->cell_size;
    return part;
}

bool kind_has_colours(const char *kind)
{
    return strncmp(kind, "int", 3) != 0 && strncmp(kind, "float", 5) != 0 &&
           (strncmp(kind, "grey", 4) != 0 || strtoul(kind + 4, NULL, 10) <= 16);
}
