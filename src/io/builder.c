/* builder.c: rows of samples become rows of cells.
 *
 * Idea. A row becomes cells at once, so that only the finished cells and one row of scratch are
 * held.
 *
 *     as stored   1 channel: the sample itself; grey and alpha: alpha above grey;
 *                 RGB and RGBA of 8 bits: r | g << 8 | b << 16 | a << 24;
 *                 RGB and RGBA of 16 bits: the number of the colour (colours.h)
 *     converted   samples scaled to 8 bits, packed as above, then alpha cleared (RGB)
 *                 or kept (RGBA), or luma taken (grey)
 *
 * Cost. One pass over the samples.
 */
#include "io/builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLOUR_MASK 0x00FFFFFFu
#define OPAQUE 0xFF000000u

int image_fail(const image_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, error->size, format, arguments);
    va_end(arguments);
    return -1;
}

/* ---- rows of samples to rows of cells --------------------------------- */

static void scale_row(uint8_t *bytes, const void *samples, const uint8_t *scale, bool wide,
                      size_t count)
{
    if (wide) {
        const uint16_t *from = samples;
        for (size_t i = 0; i < count; i++)
            bytes[i] = scale[from[i]];
    } else {
        const uint8_t *from = samples;
        for (size_t i = 0; i < count; i++)
            bytes[i] = scale[from[i]];
    }
}

/* Samples of 8 bits to r | g << 8 | b << 16 | a << 24, under the mask. */
static void pack_row(uint32_t *cells, const uint8_t *s, unsigned channels, uint32_t mask,
                     size_t cols)
{
    switch (channels) {
    case 1:
        for (size_t i = 0; i < cols; i++)
            cells[i] = (s[i] * 0x010101u | OPAQUE) & mask;
        break;
    case 2:
        for (size_t i = 0; i < cols; i++, s += 2)
            cells[i] = (s[0] * 0x010101u | (uint32_t)s[1] << 24) & mask;
        break;
    case 3:
        for (size_t i = 0; i < cols; i++, s += 3)
            cells[i] = (s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | OPAQUE) & mask;
        break;
    default:
        for (size_t i = 0; i < cols; i++, s += 4)
            cells[i] =
                (s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24) & mask;
    }
}

/* ITU-R 601 luma in 16-bit fixed point; grey stays what it is. */
static void luma_row(uint8_t *cells, const uint32_t *packed, size_t cols)
{
    for (size_t i = 0; i < cols; i++) {
        uint32_t r = packed[i] & 255, g = packed[i] >> 8 & 255, b = packed[i] >> 16 & 255;
        cells[i] = (uint8_t)((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
    }
}

static void grey_alpha_row(void *cells, const void *samples, bool wide, size_t cols)
{
    if (wide) {
        const uint16_t *from = samples;
        uint32_t *to = cells;
        for (size_t i = 0; i < cols; i++)
            to[i] = from[2 * i] | (uint32_t)from[2 * i + 1] << 16;
    } else {
        const uint8_t *from = samples;
        uint16_t *to = cells;
        for (size_t i = 0; i < cols; i++)
            to[i] = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
    }
}

static int put_stored(image_builder *b, void *cells, const void *samples)
{
    size_t cols = (size_t)b->out->cols;
    bool wide = b->maxval > 255;
    if (b->channels == 1)
        memcpy(cells, samples, cols * b->out->cell_size);
    else if (b->channels == 2)
        grey_alpha_row(cells, samples, wide, cols);
    else if (!wide)
        pack_row(cells, samples, b->channels, b->mask, cols);
    else if (!image_intern_row(b->table, cells, samples, b->channels, cols))
        return image_fail(&b->error,
                          "out of memory for the colours of a 16-bit picture; compare in 8 bits "
                          "(--as rgb)");
    return 0;
}

int image_put_row(image_builder *b, uint64_t row, const void *samples)
{
    size_t cols = (size_t)b->out->cols;
    void *cells = (uint8_t *)b->out->cells + (size_t)row * cols * b->out->cell_size;
    if (b->as == IMAGE_AS_STORED)
        return put_stored(b, cells, samples);
    const uint8_t *bytes = samples;
    if (b->scale != NULL) {
        scale_row(b->bytes, samples, b->scale, b->maxval > 255, cols * b->channels);
        bytes = b->bytes;
    }
    if (b->as == IMAGE_AS_GREY) {
        pack_row(b->packed, bytes, b->channels, b->mask, cols);
        luma_row(cells, b->packed, cols);
    } else {
        pack_row(cells, bytes, b->channels, b->mask, cols);
    }
    return 0;
}

/* ---- the shape -------------------------------------------------------- */

uint64_t image_area(uint64_t rows, uint64_t cols, uint64_t unit, uint64_t max_bytes)
{
    uint64_t limit = max_bytes < SIZE_MAX / 2 ? max_bytes : SIZE_MAX / 2;
    if (rows == 0 || cols == 0 || rows > limit / unit / cols)
        return 0;
    return rows * cols * unit;
}

/* "rgb8" when maxval is all ones in a depth of PNG, else "rgb:100": samples of another
 * scale are not comparable as stored. */
static void name_stored(image *out, unsigned channels, unsigned maxval)
{
    static const char *const model[] = { "grey", "greya", "rgb", "rgba" };
    for (unsigned bits = 1; bits <= 16; bits *= 2) {
        if (maxval == (1u << bits) - 1) {
            snprintf(out->kind, sizeof out->kind, "%s%u", model[channels - 1], bits);
            return;
        }
    }
    snprintf(out->kind, sizeof out->kind, "%s:%u", model[channels - 1], maxval & 0xFFFFu);
}

static void choose_cells(image_builder *b)
{
    unsigned pixel = b->channels * (b->maxval > 255 ? 2 : 1);
    b->mask = b->as == IMAGE_AS_RGB ? COLOUR_MASK : UINT32_MAX;
    b->out->cell_size = 4;
    switch (b->as) {
    case IMAGE_AS_RGB:
        strcpy(b->out->kind, "rgb8");
        break;
    case IMAGE_AS_RGBA:
        strcpy(b->out->kind, "rgba8");
        break;
    case IMAGE_AS_GREY:
        strcpy(b->out->kind, "grey8");
        b->out->cell_size = 1;
        break;
    case IMAGE_AS_STORED:
        name_stored(b->out, b->channels, b->maxval);
        b->out->cell_size = pixel < 3 ? pixel : 4;
        if (b->channels == 3)
            b->mask = COLOUR_MASK;
    }
}

/* The tables and rows that a conversion needs. */
static bool allocate_scratch(image_builder *b)
{
    size_t cols = (size_t)b->out->cols;
    if (b->as == IMAGE_AS_GREY) {
        b->packed = malloc(cols * sizeof *b->packed);
        if (b->packed == NULL)
            return false;
    }
    if (b->as == IMAGE_AS_STORED || b->maxval == 255)
        return true;
    b->bytes = malloc(cols * b->channels);
    b->scale = malloc((size_t)b->maxval + 1);
    if (b->bytes == NULL || b->scale == NULL)
        return false;
    for (uint32_t v = 0; v <= b->maxval; v++)
        b->scale[v] = (uint8_t)((v * 255 + b->maxval / 2) / b->maxval);
    return true;
}

int image_begin(image_builder *b, uint64_t rows, uint64_t cols, unsigned channels, unsigned maxval)
{
    image *out = b->out;
    b->channels = channels;
    b->maxval = maxval;
    out->rows = rows;
    out->cols = cols;
    choose_cells(b);
    unsigned sample_size = maxval > 255 ? 2 : 1;
    uint64_t bytes = image_area(rows, cols, out->cell_size, b->max_bytes);
    if (bytes == 0 || image_area(rows, cols, (uint64_t)channels * sample_size, b->max_bytes) == 0)
        return image_fail(&b->error,
                          "too large: %" PRIu64 " x %" PRIu64 " pixels (rows x columns) need more "
                          "than the limit of %" PRIu64 " bytes; cut the picture into pieces",
                          rows, cols, b->max_bytes);
    if (b->as == IMAGE_AS_STORED && channels >= 3 && sample_size == 2 && b->table == NULL)
        return image_fail(&b->error, "%s does not fit a cell; compare in 8 bits (--as rgb)",
                          out->kind);
    out->cells = malloc((size_t)bytes);
    if (out->cells == NULL || !allocate_scratch(b))
        return image_fail(&b->error,
                          "out of memory: %" PRIu64 " x %" PRIu64 " pixels (rows x columns) need "
                          "%" PRIu64 " bytes; cut the picture into pieces",
                          rows, cols, bytes);
    return 0;
}
