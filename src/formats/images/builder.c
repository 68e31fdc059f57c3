/* builder.c: rows of samples become rows of cells.
 *
 * Idea. A row becomes cells at once, so that only the finished cells and one row of scratch are
 * held.
 *
 *     as stored   1 channel: the sample itself; grey and alpha: alpha above grey;
 *                 RGB and RGBA of 8 bits: r | g << 8 | b << 16 | a << 24;
 *                 RGB and RGBA of 16 bits: the number of the colour (colours.h)
 *     a mask      1 where a sample other than alpha is not 0
 *     converted   samples scaled to 8 bits, packed as above, then alpha cleared (RGB)
 *                 or kept (RGBA), or luma taken (grey)
 *
 * A band is cells of as many rows as IMAGE_BAND_BYTES hold. When it is full it is handed on, and
 * the rows that the next one begins with move to its top.
 *
 * Cost. One pass over the samples.
 */
#include "formats/images/builder.h"

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
    else if (!image_intern_row(b->table, cells, samples, b->channels, cols, b->limit.bytes))
        return image_fail(&b->error,
                          "the colours of the 16-bit pictures fit neither memory nor the limit of "
                          "%" PRIu64 " bytes; raise it (%s), or compare in 8 bits (as "
                          "rgb)",
                          b->limit.bytes, b->limit.name);
    return 0;
}

static uint32_t sample_at(const image_builder *b, const void *samples, size_t at)
{
    const uint8_t *one = samples;
    const uint16_t *two = samples;
    const uint32_t *four = samples;
    return b->sample_bytes == 1 ? one[at] : b->sample_bytes == 2 ? two[at] : four[at];
}

static void put_mask(const image_builder *b, uint8_t *cells, const void *samples)
{
    const unsigned colours = b->channels % 2 == 0 ? b->channels - 1 : b->channels;
    for (size_t col = 0; col < b->out->cols; col++) {
        cells[col] = 0;
        for (size_t i = 0; i < colours; i++)
            cells[col] |= (sample_at(b, samples, col * b->channels + i) & b->digits) != b->zero;
    }
}

/* Whether alpha, the last channel, is less than full somewhere. */
static bool is_transparent(const image_builder *b, const void *samples)
{
    const size_t count = (size_t)b->out->cols * b->channels;
    const uint16_t *wide = samples;
    const uint8_t *bytes = samples;
    for (size_t i = b->channels - 1; i < count; i += b->channels)
        if ((b->maxval > 255 ? wide[i] : bytes[i]) != b->maxval)
            return true;
    return false;
}

static int put_row(image_builder *b, void *cells, const void *samples)
{
    size_t cols = (size_t)b->out->cols;
    if (b->as == IMAGE_AS_STORED)
        return put_stored(b, cells, samples);
    if (b->as == IMAGE_AS_MASK) {
        put_mask(b, cells, samples);
        return 0;
    }
    if (b->as != IMAGE_AS_RGBA && b->channels % 2 == 0 && !b->out->hidden)
        b->out->hidden = is_transparent(b, samples);
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

/* ---- bands ------------------------------------------------------------ */

/* Hand on the rows up to `row`, the last of the page or of the band. */
static int hand_on(image_builder *b, uint64_t row)
{
    const uint64_t room = b->out->rows, stop = row + 1, rows = stop - b->band.first;
    const uint64_t kept = stop < b->band.rows ? b->overlap : 0;
    const size_t row_bytes = (size_t)(b->out->cols * b->out->cell_size);
    uint8_t *cells = b->out->cells;
    b->out->rows = rows;
    b->band.own = rows - kept;
    b->ended = b->fn(&b->band, b->user) != 0;
    b->out->rows = room;
    memmove(cells, cells + (rows - kept) * row_bytes, (size_t)kept * row_bytes);
    b->band.first = stop - kept;
    return b->ended ? -1 : 0;
}

int image_put_row(image_builder *b, uint64_t row, const void *samples)
{
    const uint64_t at = row - b->band.first;
    uint8_t *cells = b->out->cells;
    if (put_row(b, cells + at * b->out->cols * b->out->cell_size, samples) != 0)
        return -1;
    return b->fn && at + 1 == b->out->rows && row + 1 < b->band.rows ? hand_on(b, row) : 0;
}

void image_oriented(image_builder *b, unsigned orientation)
{
    b->out->orientation = orientation >= 2 && orientation <= 8 ? (uint8_t)orientation : 0;
}

int image_end(image_builder *b)
{
    return b->fn && b->out->cells ? hand_on(b, b->band.rows - 1) : 0;
}

void image_builder_close(image_builder *b)
{
    free(b->scale);
    free(b->bytes);
    free(b->packed);
    b->scale = b->bytes = NULL;
    b->packed = NULL;
}

/* The rows of a band of the page, or of all of it. */
static uint64_t band_rows(const image_builder *b)
{
    const uint64_t row_bytes = b->out->cols * b->out->cell_size;
    const uint64_t fit = IMAGE_BAND_BYTES / row_bytes, least = 2 * (b->overlap + 1);
    const uint64_t rows = fit > least ? fit : least;
    return b->fn && rows < b->band.rows ? rows : b->band.rows;
}

/* ---- the shape -------------------------------------------------------- */

int image_fail_large(const image_error *error, uint64_t rows, uint64_t cols, double needed,
                     image_limit limit)
{
    return image_fail(error,
                      "too large: %" PRIu64 " x %" PRIu64 " cells (rows x columns) need %.0f bytes "
                      "of memory, and the limit is %" PRIu64 "; raise it (%s), or cut the "
                      "picture into pieces",
                      rows, cols, needed, limit.bytes, limit.name);
}

/* What is in memory at once, a row on its way to the cells included. A double, for a header may
 * claim more than 64 bits can say. */
static double bytes_needed(const image_builder *b)
{
    const image *out = b->out;
    const double samples = (double)out->cols * b->channels;
    const double row = (double)out->cols * sizeof *b->packed + samples;
    return (double)b->file_bytes + (double)out->rows * (double)out->cols * out->cell_size +
           (double)b->held_rows * samples * (b->maxval > 255 ? 2 : 1) + row;
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
    b->out->channel_bytes = 1;
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
    case IMAGE_AS_MASK:
        strcpy(b->out->kind, "mask");
        b->out->cell_size = 1;
        break;
    case IMAGE_AS_STORED:
        name_stored(b->out, b->channels, b->maxval);
        b->out->cell_size = pixel < 3 ? pixel : 4;
        b->out->channel_bytes = b->maxval <= 255 ? 1 : b->channels <= 2 ? 2 : 0;
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
    if (b->as == IMAGE_AS_STORED || b->as == IMAGE_AS_MASK || b->maxval == 255)
        return true;
    b->bytes = malloc(cols * b->channels);
    b->scale = malloc((size_t)b->maxval + 1);
    if (b->bytes == NULL || b->scale == NULL)
        return false;
    for (uint32_t v = 0; v <= b->maxval; v++)
        b->scale[v] = (uint8_t)((v * 255 + b->maxval / 2) / b->maxval);
    return true;
}

/* A page follows another, or is the first. */
static int begin_page(image_builder *b, uint64_t rows, uint64_t cols)
{
    if (b->fn == NULL && b->band.page > 0)
        return image_fail(&b->error, "several pictures in one file; split it into one a page");
    image_builder_close(b);
    image_free(b->out);
    b->band.picture = b->out;
    b->band.page++;
    b->band.pages = b->band.pages > b->band.page ? b->band.pages : b->band.page;
    b->band.first = 0;
    b->band.rows = rows;
    b->out->cols = cols;
    return 0;
}

/* More than may be in memory, from a file of next to nothing. */
static int fail_ratio(const image_builder *b)
{
    return image_fail(&b->error,
                      "too large: %" PRIu64 " x %" PRIu64 " cells (rows x columns) from %" PRIu64
                      " bytes, more than %d for one: damaged, or a decompression bomb; if it is "
                      "what it says, raise the limit (%s)",
                      b->band.rows, b->out->cols, b->source_bytes, IMAGE_RATIO, b->limit.name);
}

/* Fix the rows that are in memory at once, and allocate them. */
static int allocate_cells(image_builder *b)
{
    image *out = b->out;
    const double all = (double)b->band.rows * (double)out->cols * out->cell_size;
    out->rows = b->band.rows; /* for the message */
    if (all < 1e18)
        out->rows = band_rows(b);
    if (bytes_needed(b) > (double)b->limit.bytes)
        return image_fail_large(&b->error, b->band.rows, out->cols, bytes_needed(b), b->limit);
    b->total += (uint64_t)all;
    if (b->fn && b->total > b->limit.bytes && b->total / IMAGE_RATIO > b->source_bytes)
        return fail_ratio(b);
    const uint64_t bytes = out->rows * out->cols * out->cell_size;
    out->cells = malloc((size_t)bytes);
    if (out->cells == NULL || !allocate_scratch(b))
        return image_fail(&b->error,
                          "out of memory: %" PRIu64 " x %" PRIu64 " pixels (rows x columns) need "
                          "%" PRIu64 " bytes; cut the picture into pieces",
                          out->rows, out->cols, bytes);
    return 0;
}

int image_begin(image_builder *b, uint64_t rows, uint64_t cols, unsigned channels, unsigned maxval)
{
    if (begin_page(b, rows, cols) != 0)
        return -1;
    b->channels = channels;
    b->maxval = maxval;
    b->sample_bytes = maxval > 255 ? 2 : 1;
    b->zero = 0;
    b->digits = UINT32_MAX;
    choose_cells(b);
    if (b->as == IMAGE_AS_STORED && channels >= 3 && maxval > 255 && b->table == NULL)
        return image_fail(&b->error, "%s does not fit a cell; compare in 8 bits (as rgb)",
                          b->out->kind);
    return allocate_cells(b);
}

int image_begin_cells(image_builder *b, uint64_t rows, uint64_t cols, uint32_t cell_size,
                      const char *kind)
{
    if (begin_page(b, rows, cols) != 0)
        return -1;
    if (b->as != IMAGE_AS_STORED && b->as != IMAGE_AS_MASK)
        return image_fail(&b->error,
                          "cells of %s have no colours to convert; compare them as they are stored",
                          kind);
    const bool floats = strncmp(kind, "float", 5) == 0, numbers = strncmp(kind, "int", 3) == 0;
    const uint32_t sign = UINT32_C(1)
                          << (strtoul(kind + strcspn(kind, "0123456789"), NULL, 10) - 1);
    b->channels = 1;
    b->maxval = cell_size > 1 ? UINT16_MAX : UINT8_MAX;
    b->sample_bytes = cell_size;
    b->zero = numbers ? sign : 0;
    b->digits = floats ? ~sign : UINT32_MAX; /* -0 is 0, too */
    b->out->cell_size = b->as == IMAGE_AS_MASK ? 1 : cell_size;
    b->out->channel_bytes = floats ? 0 : cell_size;
    snprintf(b->out->kind, sizeof b->out->kind, "%s", b->as == IMAGE_AS_MASK ? "mask" : kind);
    return allocate_cells(b);
}
