/* test_image.c: the picture readers against pictures made here, pixel by pixel.
 *
 * PNM and raw pictures are written out in the tests. PNGs of every colour type, depth
 * and interlacing are encoded by libpng from one formula and must come back as it says;
 * then every prefix and many corruptions of one must be refused.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/images/image.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char message[256];
static const image_limit usual = { IMAGE_MAX_BYTES, "max" };

static image must_read(const void *bytes, size_t length, image_as as, image_intern *table)
{
    image picture;
    message[0] = '\0';
    if (image_read_memory(bytes, length, as, NULL, usual, table, &picture, message,
                          sizeof message) != 0)
        fail_msg("not read: %s", message);
    return picture;
}

/* The read fails, leaves no cells, and says `text` somewhere. */
static void must_fail(const void *bytes, size_t length, const raw_format *raw, const char *text)
{
    image picture;
    message[0] = '\0';
    assert_int_equal(image_read_memory(bytes, length, IMAGE_AS_STORED, raw, usual, NULL, &picture,
                                       message, sizeof message),
                     -1);
    assert_null(picture.cells);
    if (strstr(message, text) == NULL)
        fail_msg("expected \"%s\" in: %s", text, message);
}

static uint64_t cell(const image *picture, uint64_t row, uint64_t col)
{
    size_t at = (size_t)(row * picture->cols + col);
    switch (picture->cell_size) {
    case 1:
        return ((const uint8_t *)picture->cells)[at];
    case 2:
        return ((const uint16_t *)picture->cells)[at];
    default:
        return ((const uint32_t *)picture->cells)[at];
    }
}

/* The picture in `text` has this kind and these cells, row by row. */
static void check_pnm(const char *text, size_t length, image_as as, const char *kind, uint64_t rows,
                      uint64_t cols, const uint64_t *cells)
{
    image picture = must_read(text, length, as, NULL);
    assert_string_equal(picture.kind, kind);
    assert_int_equal(picture.rows, rows);
    assert_int_equal(picture.cols, cols);
    for (uint64_t i = 0; i < rows * cols; i++)
        assert_int_equal(cell(&picture, i / cols, i % cols), cells[i]);
    image_free(&picture);
}

#define CHECK_PNM(text, as, kind, rows, cols, ...)                                                 \
    check_pnm(text, sizeof text - 1, as, kind, rows, cols, (const uint64_t[]){ __VA_ARGS__ })
#define MUST_FAIL(text, expected) must_fail(text, sizeof text - 1, NULL, expected)

/* ---- PNM --------------------------------------------------------------- */

static void test_pnm_formats(void **state)
{
    (void)state;
    CHECK_PNM("P1\n# c\n3 2\n010 1\n1#x\n1", IMAGE_AS_STORED, "grey1", 2, 3, 1, 0, 1, 0, 0, 0);
    CHECK_PNM("P4 9 2\n\x80\x00\x00\x80", IMAGE_AS_STORED, "grey1", 2, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1,
              1, 1, 1, 1, 1, 1, 1, 1, 0);
    CHECK_PNM("P2 2 1 255 7 255", IMAGE_AS_STORED, "grey8", 1, 2, 7, 255);
    CHECK_PNM("P5#a\n2\r\n1\t15\n\x03\x0f", IMAGE_AS_STORED, "grey4", 1, 2, 3, 15);
    CHECK_PNM("P5 1 2 65535\n\x01\x02\xff\xfe", IMAGE_AS_STORED, "grey16", 2, 1, 0x0102, 0xfffe);
    CHECK_PNM("P3 1 1 255\n1 2 3\n", IMAGE_AS_STORED, "rgb8", 1, 1, 0x030201);
    CHECK_PNM("P6 1 1 255#c\n\x01\x02\x03", IMAGE_AS_STORED, "rgb8", 1, 1, 0x030201);
}

static void test_pnm_maximum(void **state)
{
    (void)state;
    CHECK_PNM("P2 3 1 100 0 50 100", IMAGE_AS_STORED, "grey:100", 1, 3, 0, 50, 100);
    CHECK_PNM("P2 3 1 100 0 50 100", IMAGE_AS_GREY, "grey8", 1, 3, 0, 128, 255);
    CHECK_PNM("P2 2 1 1000 1000 4", IMAGE_AS_RGBA, "rgba8", 1, 2, 0xFFFFFFFF, 0xFF010101);
    CHECK_PNM("P3 1 1 3 0 1 3", IMAGE_AS_RGB, "rgb8", 1, 1, 0xFF5500);
    CHECK_PNM("P3 1 1 255 10 20 30", IMAGE_AS_GREY, "grey8", 1, 1,
              (10 * 19595 + 20 * 38470 + 30 * 7471 + 0x8000) >> 16);
}

static void test_pnm_errors(void **state)
{
    (void)state;
    MUST_FAIL("P5", "before the width");
    MUST_FAIL("P5 2 2 # 255", "before the maximum");
    MUST_FAIL("P5 0 2 255\n", "the width is not a number from 1");
    MUST_FAIL("P5 2 -1 255\n", "the height is not");
    MUST_FAIL("P5 2 2 65536\n", "the maximum is not");
    MUST_FAIL("P5 99999999999999999999 2 255\n", "the width is not");
    MUST_FAIL("P6 1 1 255x123", "no blank");
    MUST_FAIL("P5 2 3 255\nabcde", "truncated PNM: the data ends at row 3 of 3");
    MUST_FAIL("P5 2 3 255", "row 1 of 3");
    MUST_FAIL("P4 9 2\n\x80\x00\x00", "row 2 of 2");
    MUST_FAIL("P2 2 2 9 1 2 3", "row 2 of 2");
    MUST_FAIL("P2 2 2 9 1 10 3 4", "row 1 of 2 is not a number up to 9");
    MUST_FAIL("P1 2 2 1 0 1 2", "row 2 of 2 is not a number up to 1");
    MUST_FAIL("P5 1 1 9\n\x0a", "up to 9");
    MUST_FAIL("P5 1 1 999\n\xff\xff", "up to 999");
    MUST_FAIL("P5 1 1 9\n\x01P5 1 1 9\n\x01", "more than one picture");
    MUST_FAIL("P6 2147483647 2147483647 255\n", "too large");
    MUST_FAIL("P6 1 1 65535\n123456", "rgb16 does not fit a cell");
}

static void test_limit(void **state)
{
    (void)state;
    static const char claim[] = "P5 2147483647 2147483647 255\n";
    image picture;
    assert_int_equal(image_decode(claim, sizeof claim - 1, IMAGE_AS_STORED,
                                  (image_limit){ 5000, "max" }, NULL, &picture, message,
                                  sizeof message),
                     -1);
    assert_non_null(strstr(message, "2147483647 x 2147483647 cells (rows x columns) need 4611"));
    assert_non_null(strstr(message, "the limit is 5000; raise it (max)"));
}

static void test_unknown_formats(void **state)
{
    (void)state;
    MUST_FAIL("", "empty");
    MUST_FAIL("\xff\xd8\xff\xe0", "JPEG");
    MUST_FAIL("P7\nWIDTH 3", "PAM");
    MUST_FAIL("hello", "none of PNG, PNM");
    MUST_FAIL("P5x", "none of PNG, PNM");
    MUST_FAIL("\x1f\x8b\x08\0abc",
              "is compressed (gzip), no picture; decompress it first: gzip -dc");
}

/* ---- interned colours --------------------------------------------------- */

static void put_16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

/* A P6 of 16 bits, one row of `count` colours (k, k / 3, seed). */
static int try_colours(unsigned first, unsigned count, uint64_t max_bytes, image_intern *table,
                       image *picture)
{
    size_t size = 32 + (size_t)count * 6;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    size_t at = (size_t)snprintf((char *)bytes, 32, "P6 %u 1 65535\n", count);
    for (unsigned k = first; k < first + count; k++, at += 6) {
        put_16(bytes + at, k & 0xFFFF);
        put_16(bytes + at + 2, k >> 16);
        put_16(bytes + at + 4, 7);
    }
    const int status = image_decode(bytes, at, IMAGE_AS_STORED, (image_limit){ max_bytes, "max" },
                                    table, picture, message, sizeof message);
    free(bytes);
    return status;
}

static image read_colours(unsigned first, unsigned count, image_intern *table)
{
    image picture;
    assert_int_equal(try_colours(first, count, IMAGE_MAX_BYTES, table, &picture), 0);
    return picture;
}

/* The table has the limit too. */
static void test_colours_limit(void **state)
{
    (void)state;
    image_intern *table = image_intern_new();
    image picture;
    assert_int_equal(try_colours(0, 70000, 2050000, table, &picture), -1);
    assert_non_null(strstr(message, "the colours of the 16-bit pictures fit neither"));
    assert_null(picture.cells);
    assert_int_equal(try_colours(0, 70000, 2100000, table, &picture), 0);
    image_free(&picture);
    image_intern_free(table);
}

static void test_interned_colours(void **state)
{
    (void)state;
    image_intern *table = image_intern_new();
    image a = read_colours(0, 70000, table);
    image b = read_colours(1000, 70000, table);
    assert_string_equal(a.kind, "rgb16");
    assert_int_equal(a.cell_size, 4);
    for (uint64_t i = 0; i < a.cols; i++) {
        assert_int_equal(cell(&a, 0, i), i);
        assert_int_equal(cell(&b, 0, i), i + 1000);
    }
    image_free(&a);
    image_free(&b);
    image_intern_free(table);
    image_intern_free(NULL);
    image_free(NULL);
}

/* ---- raw and files ------------------------------------------------------ */

static image must_read_raw(const void *bytes, size_t length, const raw_format *raw)
{
    image picture;
    if (image_read_memory(bytes, length, IMAGE_AS_STORED, raw, usual, NULL, &picture, message,
                          sizeof message) != 0)
        fail_msg("not read: %s", message);
    return picture;
}

static void test_raw(void **state)
{
    (void)state;
    static const uint16_t cells[] = { 1, 2, 3, 0xABCD, 5, 6 };
    raw_format raw = { 2, 3, 2 };
    image picture;
    picture = must_read_raw(cells, sizeof cells, &raw);
    assert_string_equal(picture.kind, "raw:u2");
    assert_int_equal(cell(&picture, 1, 0), 0xABCD);
    image_free(&picture);
    assert_int_equal(image_read_memory(cells, sizeof cells, IMAGE_AS_RGB, &raw, usual, NULL,
                                       &picture, message, sizeof message),
                     -1);
    must_fail(cells, 11, &raw, "11 bytes, but 2 x 3 cells of 2 make 12 bytes");
    raw = (raw_format){ UINT64_MAX, UINT64_MAX, 4 };
    must_fail(cells, 12, &raw, "too large");
    raw = (raw_format){ 0, 12, 1 };
    must_fail(cells, 12, &raw, "at least");
    raw = (raw_format){ 4, 1, 5 };
    must_fail(cells, 12, &raw, "1 to 4");
    raw = (raw_format){ 4, 1, 3 };
    picture = must_read_raw(cells, 12, &raw);
    assert_string_equal(picture.kind, "raw:u3");
    assert_memory_equal(picture.cells, cells, 12);
    image_free(&picture);
    raw = (raw_format){ 3, 4, 1 };
    assert_int_equal(image_read_memory(cells, sizeof cells, IMAGE_AS_GREY, &raw, usual, NULL,
                                       &picture, message, sizeof message),
                     0);
    assert_string_equal(picture.kind, "grey8");
    image_free(&picture);
}

static void must_fail_path(const char *path, const raw_format *raw, const char *text)
{
    image picture;
    assert_int_equal(
        image_read(path, IMAGE_AS_STORED, raw, usual, NULL, &picture, message, sizeof message), -1);
    assert_null(picture.cells);
    if (strstr(message, text) == NULL)
        fail_msg("expected \"%s\" in: %s", text, message);
}

static void test_files(void **state)
{
    (void)state;
    static const char pnm[] = "P5 2 1 255\nxy";
    char path[] = "/tmp/test_image_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, pnm, sizeof pnm - 1), sizeof pnm - 1);
    close(file);
    image picture;
    assert_int_equal(
        image_read(path, IMAGE_AS_STORED, NULL, usual, NULL, &picture, message, sizeof message), 0);
    assert_int_equal(cell(&picture, 0, 1), 'y');
    image_free(&picture);
    raw_format raw = { 1, 13, 1 };
    assert_int_equal(
        image_read(path, IMAGE_AS_STORED, &raw, usual, NULL, &picture, message, sizeof message), 0);
    assert_int_equal(cell(&picture, 0, 12), 'y');
    image_free(&picture);
    raw.cols = 5;
    must_fail_path(path, &raw, "13 bytes, but 1 x 5 cells");
    raw.cols = 14;
    must_fail_path(path, &raw, "13 bytes, but 1 x 14 cells");
    assert_non_null(freopen(path, "rb", stdin));
    assert_int_equal(
        image_read("-", IMAGE_AS_STORED, NULL, usual, NULL, &picture, message, sizeof message), 0);
    assert_string_equal(picture.kind, "grey8");
    image_free(&picture);
    unlink(path);
    must_fail_path(path, NULL, "cannot be opened");
    must_fail_path("/", NULL, "is a directory");
    must_fail_path("/", &raw, "is a directory");
}

/* ---- PNG ---------------------------------------------------------------- */

#ifdef TRAWL_HAVE_PNG

#include <png.h>

typedef struct bytes {
    uint8_t *data;
    size_t length;
} bytes;

static void append(bytes *to, const uint8_t *from, size_t count)
{
    to->data = realloc(to->data, to->length + count);
    assert_non_null(to->data);
    memcpy(to->data + to->length, from, count);
    to->length += count;
}

static void on_write(png_structp png, png_bytep from, size_t count)
{
    append(png_get_io_ptr(png), from, count);
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* A zTXt chunk. */
static void put_text_chunk(bytes *to, char *text)
{
    bytes out = { NULL, 0 };
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(info);
    png_set_write_fn(png, &out, on_write, on_flush);
    png_set_IHDR(png, info, 1, 1, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, 0, 0);
    png_set_text(png, info,
                 &(png_text){ .compression = PNG_TEXT_COMPRESSION_zTXt, .key = "k", .text = text },
                 1);
    png_write_info(png, info);
    append(to, out.data + 33, out.length - 33); /* after signature and IHDR */
    png_destroy_write_struct(&png, &info);
    free(out.data);
}

typedef struct png_case {
    int type, bits;
    bool interlaced;
    bool transparent; /* the palette has a tRNS, or sample 1 is the transparent grey */
    unsigned rows, cols;
    unsigned lacks; /* colours of the palette */
} png_case;

static unsigned channels_of(const png_case *c)
{
    static const unsigned channels[] = { 1, 0, 3, 1, 2, 0, 4 };
    return channels[c->type];
}

/* The formula: the sample of a channel of a pixel. */
static unsigned sample(const png_case *c, unsigned row, unsigned col, unsigned channel)
{
    unsigned mixed = row * 40503 + col * 30011 + channel * 9973;
    return (mixed ^ mixed >> 7) & ((1u << c->bits) - 1);
}

static unsigned palette_colour(unsigned index, unsigned channel)
{
    return channel == 3 ? 255 - index % 7 : (index * 37 + channel * 91) & 255;
}

static void write_palette(png_structp png, png_infop info, const png_case *c)
{
    png_color colours[256];
    png_byte alpha[256];
    for (unsigned i = 0; i < 1u << c->bits; i++) {
        colours[i].red = (png_byte)palette_colour(i, 0);
        colours[i].green = (png_byte)palette_colour(i, 1);
        colours[i].blue = (png_byte)palette_colour(i, 2);
        alpha[i] = (png_byte)palette_colour(i, 3);
    }
    png_set_PLTE(png, info, colours, (1 << c->bits) - (int)c->lacks);
    if (c->transparent)
        png_set_tRNS(png, info, alpha, 1 << c->bits, NULL);
}

/* Samples of a row as PNG packs them. */
static void pack_samples(uint8_t *to, const png_case *c, unsigned row)
{
    unsigned channels = channels_of(c);
    for (unsigned i = 0; i < c->cols * channels; i++) {
        unsigned value = sample(c, row, i / channels, i % channels);
        size_t bit = (size_t)i * (unsigned)c->bits;
        if (c->bits == 16)
            put_16(to + bit / 8, value);
        else
            to[bit / 8] |= (uint8_t)(value << (8 - (unsigned)c->bits - bit % 8));
    }
}

static bytes encode(const png_case *c)
{
    bytes out = { NULL, 0 };
    size_t stride = (size_t)c->cols * channels_of(c) * 2;
    uint8_t *pixels = calloc(c->rows, stride);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(pixels);
    assert_non_null(info);
    png_set_write_fn(png, &out, on_write, on_flush);
    png_set_IHDR(png, info, c->cols, c->rows, c->bits, c->type,
                 c->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    if (c->type == PNG_COLOR_TYPE_PALETTE)
        write_palette(png, info, c);
    else if (c->transparent)
        png_set_tRNS(png, info, NULL, 1, &(png_color_16){ .gray = 1 });
    png_set_check_for_invalid_index(png, 0);
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (unsigned row = 0; row < c->rows; row++)
        pack_samples(pixels + row * stride, c, row);
    for (int pass = 0; pass < passes; pass++)
        for (unsigned row = 0; row < c->rows; row++)
            png_write_row(png, pixels + row * stride);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(pixels);
    return out;
}

static unsigned scale(unsigned value, int bits)
{
    double exact = value * 255.0 / ((1u << bits) - 1);
    return (unsigned)(exact + 0.5);
}

/* What the pixel is in 8 bits: r, g, b, a. */
static void expected_rgba(const png_case *c, unsigned row, unsigned col, unsigned *rgba)
{
    unsigned channels = channels_of(c), first = sample(c, row, col, 0);
    for (unsigned k = 0; k < 3; k++)
        rgba[k] = channels < 3 ? scale(first, c->bits) : scale(sample(c, row, col, k), c->bits);
    rgba[3] = channels % 2 == 0 ? scale(sample(c, row, col, channels - 1), c->bits) : 255;
    if (c->type == PNG_COLOR_TYPE_GRAY && c->transparent && first == 1)
        rgba[3] = 0;
    if (c->type == PNG_COLOR_TYPE_PALETTE)
        for (unsigned k = 0; k < (c->transparent ? 4u : 3u); k++)
            rgba[k] = palette_colour(first, k);
}

static uint64_t expected_stored(const png_case *c, unsigned row, unsigned col)
{
    unsigned rgba[4];
    uint64_t value = 0;
    expected_rgba(c, row, col, rgba);
    if (c->type == PNG_COLOR_TYPE_PALETTE)
        return rgba[0] | rgba[1] << 8 | rgba[2] << 16 | (c->transparent ? rgba[3] << 24 : 0);
    for (unsigned k = 0; k < channels_of(c); k++)
        value |= (uint64_t)sample(c, row, col, k) << ((unsigned)c->bits * k);
    return value;
}

static bool is_interned(const png_case *c)
{
    return c->bits == 16 && channels_of(c) >= 3;
}

static void check_stored(const png_case *c, const bytes *png)
{
    static const char *const names[] = { "grey", "", "rgb", "", "greya", "", "rgba" };
    char kind[16];
    image_intern *table = image_intern_new();
    image picture = must_read(png->data, png->length, IMAGE_AS_STORED, table);
    if (c->type == PNG_COLOR_TYPE_PALETTE)
        strcpy(kind, c->transparent ? "rgba8" : "rgb8");
    else
        snprintf(kind, sizeof kind, "%s%d", names[c->type], c->bits);
    assert_string_equal(picture.kind, kind);
    assert_false(picture.hidden);
    assert_int_equal(picture.rows, c->rows);
    assert_int_equal(picture.cols, c->cols);
    for (unsigned row = 0; row < c->rows; row++)
        for (unsigned col = 0; col < c->cols; col++) {
            if (!is_interned(c))
                assert_int_equal(cell(&picture, row, col), expected_stored(c, row, col));
            else /* same number exactly when the same colour as the pixel above */
                assert_int_equal(
                    row > 0 && cell(&picture, row, col) == cell(&picture, row - 1, col),
                    row > 0 && expected_stored(c, row, col) == expected_stored(c, row - 1, col));
        }
    image_free(&picture);
    image_intern_free(table);
}

static bool is_transparent(const png_case *c)
{
    unsigned rgba[4];
    for (unsigned i = 0; i < c->rows * c->cols; i++) {
        expected_rgba(c, i / c->cols, i % c->cols, rgba);
        if (rgba[3] != 255)
            return true;
    }
    return false;
}

static void check_converted(const png_case *c, const bytes *png)
{
    image rgb = must_read(png->data, png->length, IMAGE_AS_RGB, NULL);
    image rgba = must_read(png->data, png->length, IMAGE_AS_RGBA, NULL);
    image grey = must_read(png->data, png->length, IMAGE_AS_GREY, NULL);
    const bool transparent = is_transparent(c);
    assert_int_equal(rgb.hidden, transparent);
    assert_int_equal(grey.hidden, transparent);
    assert_false(rgba.hidden);
    assert_string_equal(rgb.kind, "rgb8");
    assert_string_equal(rgba.kind, "rgba8");
    assert_string_equal(grey.kind, "grey8");
    for (unsigned row = 0; row < c->rows; row++)
        for (unsigned col = 0; col < c->cols; col++) {
            unsigned e[4];
            expected_rgba(c, row, col, e);
            assert_int_equal(cell(&rgb, row, col), e[0] | e[1] << 8 | e[2] << 16);
            assert_int_equal(cell(&rgba, row, col), e[0] | e[1] << 8 | e[2] << 16 | e[3] << 24);
            assert_int_equal(cell(&grey, row, col),
                             (e[0] * 19595 + e[1] * 38470 + e[2] * 7471 + 0x8000) >> 16);
        }
    image_free(&rgb);
    image_free(&rgba);
    image_free(&grey);
}

static void test_png_types(void **state)
{
    (void)state;
    static const struct {
        int type, bits;
        bool transparent;
    } kinds[] = {
        { 0, 1, 0 },  { 0, 2, 0 }, { 0, 4, 0 },  { 0, 8, 0 },  { 0, 16, 0 }, { 0, 1, 1 },
        { 0, 4, 1 },  { 0, 8, 1 }, { 2, 8, 0 },  { 2, 16, 0 }, { 3, 1, 0 },  { 3, 2, 0 },
        { 3, 4, 0 },  { 3, 8, 0 }, { 3, 1, 1 },  { 3, 4, 1 },  { 3, 8, 1 },  { 4, 8, 0 },
        { 4, 16, 0 }, { 6, 8, 0 }, { 6, 16, 0 },
    };
    static const unsigned sizes[][2] = { { 1, 1 }, { 3, 11 }, { 17, 9 } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int interlaced = 0; interlaced < 2; interlaced++) {
                png_case c = { kinds[k].type,
                               kinds[k].bits,
                               interlaced != 0,
                               kinds[k].transparent,
                               sizes[s][0],
                               sizes[s][1],
                               0 };
                bytes png = encode(&c);
                check_stored(&c, &png);
                check_converted(&c, &png);
                free(png.data);
            }
}

static void test_png_equals_pbm(void **state)
{
    (void)state;
    png_case c = { PNG_COLOR_TYPE_GRAY, 1, false, false, 2, 3, 0 };
    char pbm[64];
    size_t at = (size_t)snprintf(pbm, sizeof pbm, "P1 3 2 ");
    for (unsigned i = 0; i < 6; i++)
        pbm[at++] = sample(&c, i / 3, i % 3, 0) == 0 ? '1' : '0'; /* PBM: 1 is black */
    bytes png = encode(&c);
    image a = must_read(png.data, png.length, IMAGE_AS_STORED, NULL);
    image b = must_read(pbm, at, IMAGE_AS_STORED, NULL);
    assert_string_equal(a.kind, b.kind);
    assert_memory_equal(a.cells, b.cells, 6);
    image_free(&a);
    image_free(&b);
    free(png.data);
}

/* The least limit that a picture is read under. */
static uint64_t least_limit(const bytes *png)
{
    uint64_t low = 0, high = 1 << 20;
    while (low + 1 < high) {
        const uint64_t middle = (low + high) / 2;
        image picture;
        const image_limit limit = { middle, "max" };
        const int status = image_decode(png->data, png->length, IMAGE_AS_STORED, limit, NULL,
                                        &picture, message, sizeof message);
        if (status == 0)
            high = middle;
        else
            low = middle;
        image_free(&picture);
    }
    return high;
}

/* The file, the cells, all rows of an interlaced picture. */
static void test_png_limit(void **state)
{
    (void)state;
    png_case c = { PNG_COLOR_TYPE_RGB, 8, false, false, 100, 50, 0 };
    bytes plain = encode(&c);
    c.interlaced = true;
    bytes interlaced = encode(&c);
    const uint64_t plain_needs = least_limit(&plain) - plain.length;
    const uint64_t interlaced_needs = least_limit(&interlaced) - interlaced.length;
    assert_true(plain_needs >= 100 * 50 * 3);
    assert_true(interlaced_needs >= plain_needs + 99 * 50 * 3);
    free(plain.data);
    free(interlaced.data);
}

/* Large texts, which are compressed to little, take no memory. */
static void test_png_texts(void **state)
{
    (void)state;
    enum { TEXT_BYTES = 7000000, TEXTS = 30 };
    png_case c = { PNG_COLOR_TYPE_RGB, 8, false, false, 3, 3, 0 };
    bytes png = encode(&c), all = { NULL, 0 }, one = { NULL, 0 };
    char *text = malloc(TEXT_BYTES + 1);
    assert_non_null(text);
    memset(text, 'x', TEXT_BYTES);
    text[TEXT_BYTES] = '\0';
    put_text_chunk(&one, text);
    append(&all, png.data, 33); /* signature and IHDR */
    for (int i = 0; i < TEXTS; i++)
        append(&all, one.data, one.length);
    append(&all, png.data + 33, png.length - 33);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    image picture = must_read(all.data, all.length, IMAGE_AS_STORED, NULL);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < TEXTS * (TEXT_BYTES / 1024) / 2);
    image_free(&picture);
    free(text);
    free(png.data);
    free(one.data);
    free(all.data);
}

static void test_png_damaged(void **state)
{
    (void)state;
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        png_case c = { PNG_COLOR_TYPE_RGB, 8, interlaced != 0, false, 9, 7, 0 };
        bytes png = encode(&c);
        for (size_t length = 1; length < png.length; length++) {
            uint8_t *prefix = malloc(length); /* so that a read beyond it is seen */
            assert_non_null(prefix);
            memcpy(prefix, png.data, length);
            must_fail(prefix, length, NULL, "truncated PNG: the data ends");
            free(prefix);
        }
        for (size_t at = 8; at < png.length; at++) {
            png.data[at] ^= 0x41;
            must_fail(png.data, png.length, NULL, "");
            png.data[at] ^= 0x41;
        }
        free(png.data);
    }
}

static void test_png_damage_place(void **state)
{
    (void)state;
    png_case c = { PNG_COLOR_TYPE_RGB, 8, false, false, 200, 200, 0 };
    bytes png = encode(&c);
    must_fail(png.data, 20, NULL, "before the first row");
    must_fail(png.data, png.length / 2, NULL, "of 200; fetch or export the file again");
    must_fail(png.data, png.length - 12, NULL, "after the last row");
    png.data[18] ^= 1;
    must_fail(png.data, png.length, NULL, "corrupt PNG: IHDR: CRC error, before the first row");
    free(png.data);
    for (int bits = 1; bits <= 8; bits *= 2)
        for (int interlaced = 0; interlaced < 2; interlaced++) {
            c = (png_case){ PNG_COLOR_TYPE_PALETTE, bits, interlaced, false, 90, 90, .lacks = 1 };
            png = encode(&c);
            must_fail(png.data, png.length, NULL, "a pixel's colour is not in the palette");
            free(png.data);
        }
}

#else

static void test_png_missing(void **state)
{
    (void)state;
    MUST_FAIL("\x89PNG\r\n\x1a\n", "libpng-dev");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pnm_formats),     cmocka_unit_test(test_pnm_maximum),
        cmocka_unit_test(test_pnm_errors),      cmocka_unit_test(test_limit),
        cmocka_unit_test(test_unknown_formats), cmocka_unit_test(test_interned_colours),
        cmocka_unit_test(test_colours_limit),   cmocka_unit_test(test_raw),
        cmocka_unit_test(test_files),
#ifdef TRAWL_HAVE_PNG
        cmocka_unit_test(test_png_types),       cmocka_unit_test(test_png_equals_pbm),
        cmocka_unit_test(test_png_limit),       cmocka_unit_test(test_png_texts),
        cmocka_unit_test(test_png_damaged),     cmocka_unit_test(test_png_damage_place),
#else
        cmocka_unit_test(test_png_missing),
#endif
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
