/* image.c: pictures become grids of cells.
 *
 * Idea. The format is told by the first bytes. A decoder (png.c, pnm.c) delivers rows
 * of samples; image_put_row makes one row of cells of them at once, so that only the
 * finished cells and one row of scratch are held.
 *
 *     as stored   1 channel: the sample itself; grey and alpha: alpha above grey;
 *                 RGB and RGBA of 8 bits: r | g << 8 | b << 16 | a << 24;
 *                 RGB and RGBA of 16 bits: the number of the colour (image_intern)
 *     converted   samples scaled to 8 bits, packed as above, then alpha cleared (RGB)
 *                 or kept (RGBA), or luma taken (grey)
 *
 * Invariant. A read ends with a whole picture or with cells == NULL and a message.
 *
 * Cost. One pass over the samples; interned colours one hash look-up a pixel, none for
 * a pixel that equals the one to its left.
 */
#include "io/image.h"
#include "io/image_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_MAX_BYTES (UINT64_C(1) << 34)
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

void image_free(image *picture)
{
    if (picture == NULL)
        return;
    free(picture->cells);
    memset(picture, 0, sizeof *picture);
}

/* ---- interned colours ------------------------------------------------- */

/* Colour k is colours[k]; slots is an open hash table of k + 1, 0 when free, never more
 * than half full. */
struct image_intern {
    uint64_t *colours;
    uint32_t *slots;
    size_t count;
    size_t capacity; /* of slots, a power of two or 0; colours holds half of it */
};

image_intern *image_intern_new(void)
{
    return calloc(1, sizeof(image_intern));
}

void image_intern_free(image_intern *table)
{
    if (table == NULL)
        return;
    free(table->colours);
    free(table->slots);
    free(table);
}

/* The slot that holds the colour, or the free one where it belongs. The address of the
 * table salts the hash, so that no picture can be made to collide everywhere. */
static size_t intern_slot(const image_intern *table, uint64_t colour)
{
    uint64_t hash = colour ^ (uint64_t)(uintptr_t)table;
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    size_t slot = (size_t)(hash ^ (hash >> 33)) & (table->capacity - 1);
    while (table->slots[slot] != 0 && table->colours[table->slots[slot] - 1] != colour)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static bool intern_grow(image_intern *table)
{
    size_t capacity = table->capacity == 0 ? 1024 : table->capacity * 2;
    if (table->count >= UINT32_MAX / 2)
        return false;
    uint64_t *colours = realloc(table->colours, capacity / 2 * sizeof *colours);
    if (colours == NULL)
        return false;
    table->colours = colours;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    for (size_t k = 0; k < table->count; k++)
        slots[intern_slot(table, colours[k])] = (uint32_t)k + 1;
    return true;
}

static bool intern_colour(image_intern *table, uint64_t colour, uint32_t *number)
{
    if (table->count >= table->capacity / 2 && !intern_grow(table))
        return false;
    size_t slot = intern_slot(table, colour);
    if (table->slots[slot] == 0) {
        table->colours[table->count++] = colour;
        table->slots[slot] = (uint32_t)table->count;
    }
    *number = table->slots[slot] - 1;
    return true;
}

static bool intern_row(image_intern *table, uint32_t *cells, const uint16_t *samples,
                       unsigned channels, size_t cols)
{
    uint64_t last = 0;
    for (size_t i = 0; i < cols; i++, samples += channels) {
        uint64_t colour = samples[0] | (uint64_t)samples[1] << 16 | (uint64_t)samples[2] << 32;
        if (channels == 4)
            colour |= (uint64_t)samples[3] << 48;
        if (i > 0 && colour == last)
            cells[i] = cells[i - 1];
        else if (!intern_colour(table, colour, &cells[i]))
            return false;
        last = colour;
    }
    return true;
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
    else if (!intern_row(b->table, cells, samples, b->channels, cols))
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

/* rows * cols * unit, or 0 when that is 0 or more than max_bytes. */
static uint64_t area(uint64_t rows, uint64_t cols, uint64_t unit, uint64_t max_bytes)
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
    uint64_t bytes = area(rows, cols, out->cell_size, b->max_bytes);
    if (bytes == 0 || area(rows, cols, (uint64_t)channels * sample_size, b->max_bytes) == 0)
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

/* ---- the formats ------------------------------------------------------ */

typedef enum image_format { FORMAT_UNKNOWN, FORMAT_PNG, FORMAT_PNM } image_format;

static bool starts_with(const uint8_t *bytes, size_t length, const char *magic, size_t count)
{
    return length >= count && memcmp(bytes, magic, count) == 0;
}

static image_format find_format(const uint8_t *bytes, size_t length)
{
    static const char png[] = "\x89PNG\r\n\x1a\n";
    if (starts_with(bytes, length, png, 4) || (length > 0 && length < 4 && bytes[0] == 0x89))
        return FORMAT_PNG;
    if (length >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
        (length == 2 || memchr(" \t\n\v\f\r#", bytes[2], 7) != NULL))
        return FORMAT_PNM;
    return FORMAT_UNKNOWN;
}

static int fail_unknown(const uint8_t *bytes, size_t length, const image_error *error)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *name;
    } others[] = {
        { "\xff\xd8\xff", 3, "JPEG" },
        { "GIF8", 4, "GIF" },
        { "II*\0", 4, "TIFF" },
        { "MM\0*", 4, "TIFF" },
        { "BM", 2, "BMP" },
        { "RIFF", 4, "WebP" },
        { "P7", 2, "PAM" },
        { "PF", 2, "PFM" },
        { "Pf", 2, "PFM" },
    };
    if (length == 0)
        return image_fail(error, "empty: no picture; fetch or export the file again");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts_with(bytes, length, others[i].magic, others[i].length))
            return image_fail(error, "looks like %s, which Trawl does not read; convert it to PNG",
                              others[i].name);
    return image_fail(error, "neither PNG nor PNM (P1 to P6); convert it to PNG, or give --shape "
                             "and --dtype for a raw raster");
}

int image_decode(const void *bytes, size_t length, image_as as, uint64_t max_bytes,
                 image_intern *table, image *out, const image_error *error)
{
    image_builder builder = {
        .as = as, .table = table, .max_bytes = max_bytes, .error = *error, .out = out
    };
    int status = -1;
    memset(out, 0, sizeof *out);
    switch (find_format(bytes, length)) {
    case FORMAT_PNG:
        status = image_decode_png(bytes, length, &builder);
        break;
    case FORMAT_PNM:
        status = image_decode_pnm(bytes, length, &builder);
        break;
    case FORMAT_UNKNOWN:
        status = fail_unknown(bytes, length, error);
    }
    free(builder.scale);
    free(builder.bytes);
    free(builder.packed);
    if (status != 0)
        image_free(out);
    return status;
}

/* ---- raw rasters ------------------------------------------------------ */

/* The bytes that a raw raster must have. */
static int raw_size(const raw_format *raw, image_as as, uint64_t *bytes, const image_error *error)
{
    if (raw->cell_size != 1 && raw->cell_size != 2 && raw->cell_size != 4)
        return image_fail(error, "a raw raster of %" PRIu32 " bytes a cell; cells have 1, 2 or 4",
                          raw->cell_size);
    if (as != IMAGE_AS_STORED && (as != IMAGE_AS_GREY || raw->cell_size != 1))
        return image_fail(error, "a raw raster has no colours to convert; leave out --as, or use "
                                 "--as grey with cells of 1 byte");
    *bytes = area(raw->rows, raw->cols, raw->cell_size, IMAGE_MAX_BYTES);
    if (*bytes == 0)
        return image_fail(error,
                          "a raw raster of %" PRIu64 " x %" PRIu64 " cells; it must have at least "
                          "1 x 1 cell and at most %" PRIu64 " bytes",
                          raw->rows, raw->cols, IMAGE_MAX_BYTES);
    return 0;
}

static int fail_raw_length(const raw_format *raw, uint64_t expected, const char *more,
                           uint64_t length, const image_error *error)
{
    return image_fail(error,
                      "%s%" PRIu64 " bytes, but %" PRIu64 " x %" PRIu64 " cells of %" PRIu32
                      " make %" PRIu64 " bytes; correct the shape or the type",
                      more, length, raw->rows, raw->cols, raw->cell_size, expected);
}

static void raw_finish(const raw_format *raw, image_as as, void *cells, image *out)
{
    out->rows = raw->rows;
    out->cols = raw->cols;
    out->cell_size = raw->cell_size;
    out->cells = cells;
    if (as == IMAGE_AS_GREY)
        strcpy(out->kind, "grey8");
    else
        snprintf(out->kind, sizeof out->kind, "raw:u%u", (unsigned)raw->cell_size & 7u);
}

static bool is_raw(const raw_format *raw)
{
    return raw != NULL && raw->cell_size != 0;
}

int image_read_memory(const void *bytes, size_t length, image_as as, const raw_format *raw,
                      image_intern *table, image *out, char *message, size_t message_size)
{
    image_error error = { message, message_size };
    if (!is_raw(raw))
        return image_decode(bytes, length, as, IMAGE_MAX_BYTES, table, out, &error);
    uint64_t expected;
    memset(out, 0, sizeof *out);
    if (raw_size(raw, as, &expected, &error) != 0)
        return -1;
    if (length != expected)
        return fail_raw_length(raw, expected, "", length, &error);
    void *cells = malloc(length);
    if (cells == NULL)
        return image_fail(&error, "out of memory: %zu bytes; cut the raster into bands", length);
    memcpy(cells, bytes, length);
    raw_finish(raw, as, cells, out);
    return 0;
}

/* ---- files ------------------------------------------------------------ */

static int fail_errno(const char *what, const image_error *error)
{
    if (errno == EISDIR)
        return image_fail(error, "is a directory; name a picture in it");
    return image_fail(error, "%s: %s", what, strerror(errno));
}

/* Read to the end or to `limit` bytes. With `detect`, give up on the first block when
 * its format is unknown, so that an endless pipe ends at once. */
static int read_all(FILE *file, uint64_t limit, bool detect, uint8_t **bytes, size_t *length,
                    const image_error *error)
{
    size_t capacity = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            uint8_t *grown = capacity > SIZE_MAX / 2 ? NULL : realloc(*bytes, capacity);
            if (grown == NULL)
                return image_fail(error, "out of memory after %zu bytes; cut the picture", *length);
            *bytes = grown;
        }
        size_t room = capacity - *length;
        size_t wanted = limit - *length < room ? (size_t)(limit - *length) : room;
        errno = 0;
        size_t got = fread(*bytes + *length, 1, wanted, file);
        *length += got;
        if (got < wanted && ferror(file))
            return fail_errno("cannot be read", error);
        if (detect && find_format(*bytes, *length) == FORMAT_UNKNOWN)
            return fail_unknown(*bytes, *length, error);
        if (got < wanted || *length == limit)
            return 0;
    }
}

/* The bytes that were read become the cells: no second copy of a large raster. */
static int read_raw(FILE *file, const raw_format *raw, image_as as, uint8_t **bytes, image *out,
                    const image_error *error)
{
    uint64_t expected;
    size_t length = 0;
    if (raw_size(raw, as, &expected, error) != 0 ||
        read_all(file, expected + 1, false, bytes, &length, error) != 0)
        return -1;
    if (length > expected) {
        long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
        if (end > 0 && (uint64_t)end > expected)
            return fail_raw_length(raw, expected, "", (uint64_t)end, error);
        return fail_raw_length(raw, expected, "more than ", expected, error);
    }
    if (length < expected)
        return fail_raw_length(raw, expected, "", length, error);
    raw_finish(raw, as, *bytes, out);
    *bytes = NULL;
    return 0;
}

static int read_picture(FILE *file, image_as as, image_intern *table, uint8_t **bytes, image *out,
                        const image_error *error)
{
    size_t length = 0;
    if (read_all(file, IMAGE_MAX_BYTES + 1, true, bytes, &length, error) != 0)
        return -1;
    if (length > IMAGE_MAX_BYTES)
        return image_fail(error, "more than the limit of %" PRIu64 " bytes; cut the picture",
                          IMAGE_MAX_BYTES);
    return image_decode(*bytes, length, as, IMAGE_MAX_BYTES, table, out, error);
}

int image_read(const char *path, image_as as, const raw_format *raw, image_intern *table,
               image *out, char *message, size_t message_size)
{
    image_error error = { message, message_size };
    memset(out, 0, sizeof *out);
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        return fail_errno("cannot be opened", &error);
    uint8_t *bytes = NULL;
    int status = is_raw(raw) ? read_raw(file, raw, as, &bytes, out, &error)
                             : read_picture(file, as, table, &bytes, out, &error);
    free(bytes);
    if (file != stdin)
        fclose(file);
    return status;
}
