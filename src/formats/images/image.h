/* image.h: pictures and rasters as grids of cells.
 *
 * A pixel is one cell of 1, 2 or 4 bytes, so that whole pixels are compared.
 * As stored (IMAGE_AS_STORED) a cell holds
 *     grey of up to 8 bits      1 byte, the value unscaled (black and white: 0 and 1)
 *     grey of 16 bits           2 bytes
 *     grey and alpha            g | a << 8 in 2 bytes; of 16 bits g | a << 16 in 4
 *     RGB, RGBA, palette        r | g << 8 | b << 16 | a << 24 in 4 bytes; a palette is
 *                               its colours, RGBA when some are transparent
 *     RGB, RGBA of 16 bits      the number of the colour: see colours.h
 *     17 to 32 bits, signed     the number in 1, 2 or 4 bytes ("grey32", "int16", "float32"),
 *     numbers, floats           a signed one plus 2^(bits - 1); they have no colours to convert
 *     raw                       the number in the file, in the host's byte order; 3 bytes
 *                               are compared as they are
 * Two pictures are comparable when their `kind` is equal. The conversions scale to 8
 * bits and make any two comparable: RGB (alpha dropped), RGBA (opaque without alpha),
 * GREY (luma, 1 byte). Raw rasters convert to GREY alone, unchanged, where cells have 1 byte. MASK
 * makes of every picture but a raw one cells of 1 byte: 0 where all its numbers but alpha are 0,
 * else 1.
 * One transparent colour of a grey or RGB PNG is not stored.
 */
#ifndef TRAWL_IMAGE_H
#define TRAWL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/images/colours.h"

#define IMAGE_MAX_BYTES (UINT64_C(1) << 30) /* unless the user has another wish */

/* Bytes of memory, and what sets them, which messages name. */
typedef struct image_limit {
    uint64_t bytes;
    const char *name;
} image_limit;

typedef enum image_as {
    IMAGE_AS_STORED = 0,
    IMAGE_AS_RGB,
    IMAGE_AS_RGBA,
    IMAGE_AS_GREY,
    IMAGE_AS_MASK
} image_as;

typedef struct image {
    uint64_t rows, cols;
    uint32_t cell_size;     /* 1 to 4 */
    uint32_t channel_bytes; /* of each number in a cell; 0: it holds none that differ by little
                               where colours do (numbers of colours, floats) */
    void *cells;            /* rows * cols * cell_size bytes, packed, malloc'ed */
    char kind[16];          /* what a cell holds: "grey1" .. "grey16", "greya8", "rgb8", "rgba16",
                               "raw:u1" ...; PNM with an odd maximum: "grey:100", "rgb:1000" */
    bool hidden;            /* the conversion dropped alpha, and a pixel was not opaque */
    uint8_t orientation;    /* 2 to 8: the file says (EXIF, TIFF) that it is turned or mirrored
                               when it is shown; cells are as they are stored. Else 0 */
} image;

/* Some rows of a page. */
typedef struct image_band {
    image *picture;       /* its cells; `rows` of them, but as much as is known of the page */
    uint64_t first;       /* the page's row that the first one is */
    uint64_t own;         /* rows that are in no later band; in the last band all */
    uint64_t rows;        /* of the page */
    uint32_t page, pages; /* from 1 */
} image_band;

/* Takes a band, which is valid during the call. Non-zero: no more of them. */
typedef int (*image_band_fn)(const image_band *band, void *user);

/* A raw raster needs its shape and type from the user. */
typedef struct raw_format {
    uint64_t rows, cols;
    uint32_t cell_size; /* 1 to 4; 0: not raw */
} raw_format;

/* Read a picture of decoder.h, or a raw raster. The format is found by its first bytes;
 * with raw not NULL and raw->cell_size != 0 it is raw. Returns 0, or -1 with one line in message
 * (what, where, why, how to mend it; without the path, which the caller prints first)
 * and an empty picture: never a part of one. table may be NULL; then colours that need
 * it are refused. What is in memory at once, the file, its rows while they are read and the
 * cells, has at most the bytes of `limit` (up to SIZE_MAX / 2); so has the table. A header that
 * claims more is refused before anything is allocated for it. image_read opens the path ("-" is
 * standard input); image_read_memory takes bytes. image_decode takes the bytes of a picture. A file
 * of several pages is none of one picture. */
int image_read(const char *path, image_as as, const raw_format *raw, image_limit limit,
               image_intern *table, image *out, char *message, size_t message_size);
int image_read_memory(const void *bytes, size_t length, image_as as, const raw_format *raw,
                      image_limit limit, image_intern *table, image *out, char *message,
                      size_t message_size);
int image_decode(const void *bytes, size_t length, image_as as, image_limit limit,
                 image_intern *table, image *out, char *message, size_t message_size);
void image_free(image *picture);

/* The same band by band, for pictures that memory does not hold: every row is in one band at least,
 * and a band begins with the last `overlap` rows of the one before, so that what is so high and one
 * row more lies whole in one of them. Pictures of up to IMAGE_BAND_BYTES are one band, handed on
 * when the end was reached without an error. A file of several pages gives one after the other. A
 * page of more than the limit, and of more than IMAGE_RATIO times its file, is refused. 1 when fn
 * ended the reading. */
#define IMAGE_BAND_BYTES (UINT64_C(64) << 20)
#define IMAGE_RATIO 2000
typedef struct image_request {
    image_as as;
    const raw_format *raw; /* NULL: not raw */
    image_limit limit;
    image_intern *table;
    uint64_t overlap;
} image_request;
int image_read_bands(const char *path, const image_request *request, image_band_fn fn, void *user,
                     char *message, size_t message_size);

#endif
