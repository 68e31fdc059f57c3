/* builder.h: rows of samples become the cells of a picture.
 *
 * A decoder fixes the shape with image_begin, then hands over the rows. It knows nothing of cells.
 *
 * Samples of a row: cols * channels numbers, 0 .. maxval, channels interleaved; bytes
 * when maxval <= 255, else uint16_t of the host. Channels: 1 grey, 2 grey and alpha,
 * 3 RGB, 4 RGBA. Grey 0 is black.
 */
#ifndef TRAWL_BUILDER_H
#define TRAWL_BUILDER_H

#include "io/image.h"

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
                     uint64_t max_bytes);

/* A picture in the making. */
typedef struct image_builder {
    image_as as;
    image_intern *table;
    uint64_t max_bytes;  /* in memory at once */
    uint64_t file_bytes; /* of which the file takes so many */
    uint64_t held_rows;  /* and so many rows of samples: set by the decoder */
    image_error error;
    image *out;
    /* set by image_begin */
    unsigned channels;
    unsigned maxval;
    uint32_t mask;    /* keeps or clears alpha in a packed pixel */
    uint8_t *scale;   /* sample to 8 bits; NULL when that is the identity or not asked for */
    uint8_t *bytes;   /* a row of scaled samples */
    uint32_t *packed; /* a row of packed pixels on the way to grey */
} image_builder;

/* Fix the shape and allocate. 0, or -1 with the message written. */
int image_begin(image_builder *builder, uint64_t rows, uint64_t cols, unsigned channels,
                unsigned maxval);

/* Take one row of samples. 0, or -1 with the message written. */
int image_put_row(image_builder *builder, uint64_t row, const void *samples);

#endif
