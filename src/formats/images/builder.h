/* builder.h: rows of samples become the cells of a picture, whole or band by band.
 *
 * A decoder fixes the shape with image_begin, then hands over the rows from top to bottom. It knows
 * nothing of cells or bands. A file of several pages begins each.
 *
 * Samples of a row: cols * channels numbers, 0 .. maxval, channels interleaved; bytes
 * when maxval <= 255, else uint16_t of the host. Channels: 1 grey, 2 grey and alpha,
 * 3 RGB, 4 RGBA. Grey 0 is black. With image_begin_cells a row is its cells already.
 */
#ifndef TRAWL_BUILDER_H
#define TRAWL_BUILDER_H

#include <stdio.h>

#include "formats/images/image.h"

#if defined(__GNUC__) || defined(__clang__)
#define IMAGE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define IMAGE_PRINTF(text, first)
#endif

/* Where an error message goes. */
typedef struct image_error {
    char *text;
    size_t size;
} image_error;

/* Write the message; always -1, so that callers can return it. */
int image_fail(const image_error *error, const char *format, ...) IMAGE_PRINTF(2, 3);

/* Say that a picture needs too much memory; always -1. */
int image_fail_large(const image_error *error, uint64_t rows, uint64_t cols, double needed,
                     image_limit limit);

/* A picture in the making. */
typedef struct image_builder {
    image_as as;
    image_intern *table;
    image_limit limit;     /* of what is in memory at once */
    uint64_t file_bytes;   /* of these the file's */
    uint64_t source_bytes; /* of the file, in memory or not */
    FILE *file;            /* of a decoder that reads files in pieces; NULL: from memory */
    uint64_t held_rows;    /* rows of samples in memory: set by the decoder */
    image_error error;
    image *out; /* the picture, or its present band */
    /* for bands */
    image_band_fn fn; /* NULL: the whole picture */
    void *user;
    uint64_t overlap;
    image_band band;
    uint64_t total; /* bytes of cells in the pages begun so far */
    bool ended;     /* fn wants no more */
    /* set by image_begin */
    unsigned channels;
    unsigned maxval;
    uint32_t mask;   /* keeps or clears alpha in a packed pixel */
    uint32_t zero;   /* masks: as a sample, */
    uint32_t digits; /* of which these bits count */
    unsigned sample_bytes;
    uint8_t *scale;   /* sample to 8 bits; NULL when that is the identity or not asked for */
    uint8_t *bytes;   /* a row of scaled samples */
    uint32_t *packed; /* a row of packed pixels on the way to grey */
} image_builder;

/* Fix the shape and allocate. 0, or -1 with the message written. */
int image_begin(image_builder *builder, uint64_t rows, uint64_t cols, unsigned channels,
                unsigned maxval);

/* The same for rows of cells of 1, 2 or 4 bytes, whose kind has a name and no colours. */
int image_begin_cells(image_builder *builder, uint64_t rows, uint64_t cols, uint32_t cell_size,
                      const char *kind);

/* The file says how the page is to be turned: 1 to 8, as EXIF and TIFF number it. */
void image_oriented(image_builder *builder, unsigned orientation);

/* Take one row of samples. 0, or -1 with the message written or, for bands, the end asked for. */
int image_put_row(image_builder *builder, uint64_t row, const void *samples);

/* Hand on the last band. As image_put_row. */
int image_end(image_builder *builder);

/* Free what the builder holds but for the cells. */
void image_builder_close(image_builder *builder);

#endif
