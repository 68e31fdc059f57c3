/* test_pictures.c: JPEG, WebP and BMP.
 *
 * Pictures are made from one formula by the libraries, BMP by hand, and must come back as it says.
 * Then every prefix must be refused, and no damage may do more than be refused.
 */
#include "decoded.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JPEG --------------------------------------------------------------- */

#ifdef TRAWL_HAVE_JPEG

#include <jpeglib.h>

enum { JPEG_ROWS = 61, JPEG_COLS = 75 };

/* How a camera was held, by EXIF; 0: nothing is said. */
static void write_orientation(struct jpeg_compress_struct *jpeg, int orientation)
{
    uint8_t big[] = "Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0?\0\0\0\0\0";
    uint8_t little[] = "Exif\0\0II*\0\10\0\0\0\1\0\22\1\3\0\1\0\0\0?\0\0\0\0\0\0";
    big[25] = little[24] = (uint8_t)orientation;
    if (orientation)
        jpeg_write_marker(jpeg, JPEG_APP0 + 1, orientation % 2 ? big : little, 32);
}

static bytes encode_jpeg(int channels, J_COLOR_SPACE space, bool progressive, int orientation)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long length = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &data, &length);
    jpeg.image_width = JPEG_COLS;
    jpeg.image_height = JPEG_ROWS;
    jpeg.input_components = channels;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1; /* 4:4:4 */
    if (progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    write_orientation(&jpeg, orientation);
    for (int row = 0; row < JPEG_ROWS; row++) {
        uint8_t samples[JPEG_COLS * 4];
        JSAMPROW from = samples;
        for (int i = 0; i < JPEG_COLS * channels; i++)
            samples[i] = (uint8_t)(row + i / channels + 40 * (i % channels));
        jpeg_write_scanlines(&jpeg, &from, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return (bytes){ data, length };
}

static bool near(uint64_t value, int expected)
{
    return value + 4 >= (uint64_t)expected && value <= (uint64_t)expected + 4;
}

static void test_jpeg(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool grey = way % 2;
        const int turned = way == 3 ? 6 : way;
        bytes file = encode_jpeg(grey ? 1 : 3, grey ? JCS_GRAYSCALE : JCS_RGB, way / 2, turned);
        image picture = must_decode(file, IMAGE_AS_STORED);
        assert_int_equal(picture.orientation, turned == 1 ? 0 : turned);
        assert_string_equal(picture.kind, grey ? "grey8" : "rgb8");
        assert_int_equal(picture.rows, JPEG_ROWS);
        assert_int_equal(picture.cols, JPEG_COLS);
        for (int i = 0; i < JPEG_ROWS * JPEG_COLS; i++) {
            const uint64_t found = cell(&picture, (uint64_t)i / JPEG_COLS, (uint64_t)i % JPEG_COLS);
            const int base = i / JPEG_COLS + i % JPEG_COLS;
            for (int k = 0; k < (grey ? 1 : 3); k++)
                assert_true(near(found >> 8 * k & 255, base + 40 * k));
        }
        image_free(&picture);
        check_prefixes(file, file.length);
        check_damage(file);
        free(file.data);
    }
}

static void test_jpeg_refused(void **state)
{
    (void)state;
    bytes file = encode_jpeg(4, JCS_CMYK, false, 0);
    must_fail(file, IMAGE_AS_STORED, "a JPEG of 4 components");
    free(file.data);
}

#endif

/* ---- WebP --------------------------------------------------------------- */

#ifdef TRAWL_HAVE_WEBP

#include <webp/encode.h>

static void test_webp(void **state)
{
    (void)state;
    enum { ROWS = 45, COLS = 38 };
    for (unsigned channels = 3; channels <= 4; channels++) {
        uint8_t samples[ROWS * COLS * 4], *data = NULL;
        for (unsigned i = 0; i < ROWS * COLS * channels; i++)
            samples[i] = (uint8_t)sample(8, i / channels / COLS, i / channels % COLS, i % channels);
        if (channels == 4) /* an invisible colour is not kept */
            for (unsigned i = 3; i < sizeof samples; i += 4)
                samples[i] |= 1;
        const int stride = (int)(COLS * channels);
        bytes file = { NULL, channels == 3
                                 ? WebPEncodeLosslessRGB(samples, COLS, ROWS, stride, &data)
                                 : WebPEncodeLosslessRGBA(samples, COLS, ROWS, stride, &data) };
        file.data = data;
        image picture = must_decode(file, IMAGE_AS_STORED);
        assert_string_equal(picture.kind, channels == 3 ? "rgb8" : "rgba8");
        assert_int_equal(picture.rows, ROWS);
        assert_int_equal(picture.cols, COLS);
        for (unsigned i = 0; i < ROWS * COLS; i++)
            for (unsigned k = 0; k < channels; k++)
                assert_int_equal(cell(&picture, i / COLS, i % COLS) >> 8 * k & 255,
                                 samples[i * channels + k]);
        image_free(&picture);
        check_prefixes(file, file.length - 1); /* the last byte pads */
        check_damage(file);
        WebPFree(data);
    }
}

#endif

/* ---- BMP ---------------------------------------------------------------- */

static void put(bytes *file, const void *data, size_t length)
{
    file->data = realloc(file->data, file->length + length);
    assert_non_null(file->data);
    memcpy(file->data + file->length, data, length);
    file->length += length;
}

static void put_number(bytes *file, unsigned size, uint32_t value)
{
    const uint8_t little[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                               (uint8_t)(value >> 24) };
    put(file, little, size);
}

/* The header, and what a palette of 2^bits colours takes; the rows follow. */
static bytes begin_bmp(unsigned header, int rows, int cols, unsigned bits, unsigned packing,
                       const uint32_t *masks)
{
    bytes file = { NULL, 0 };
    const unsigned colours = bits <= 8 ? 1u << bits : 0, entry = header == 12 ? 3 : 4;
    put(&file, "BM", 2);
    put_number(&file, 4, 0);
    put_number(&file, 4, 0);
    put_number(&file, 4, 14 + (header < 56 && masks ? 52 : header) + colours * entry);
    put_number(&file, 4, header);
    put_number(&file, header == 12 ? 2 : 4, (uint32_t)cols);
    put_number(&file, header == 12 ? 2 : 4, (uint32_t)rows);
    put_number(&file, 2, 1);
    put_number(&file, 2, bits);
    if (header > 12) {
        put_number(&file, 4, packing);
        for (int i = 0; i < 5; i++)
            put_number(&file, 4, 0);
    }
    for (unsigned at = 40; (masks && at < 52) || at < header; at += 4)
        put_number(&file, 4, masks && at < 56 ? masks[(at - 40) / 4] : 0);
    for (unsigned i = 0; i < colours; i++) {
        const uint8_t colour[] = { (uint8_t)sample(8, i, 0, 2), (uint8_t)sample(8, i, 0, 1),
                                   (uint8_t)sample(8, i, 0, 0), 0 };
        put(&file, colour, entry);
    }
    return file;
}

static uint32_t palette_cell(uint32_t index)
{
    return sample(8, index, 0, 0) | sample(8, index, 0, 1) << 8 | sample(8, index, 0, 2) << 16;
}

static uint32_t pixel(unsigned bits, unsigned row, unsigned col)
{
    return sample(bits, row, col, 0);
}

static void put_rows(bytes *file, int rows, unsigned cols, unsigned bits)
{
    const unsigned count = rows < 0 ? (unsigned)-rows : (unsigned)rows;
    for (unsigned i = 0; i < count; i++) {
        const unsigned row = rows < 0 ? i : count - 1 - i;
        uint8_t packed[400] = { 0 };
        for (unsigned col = 0; col < cols; col++) {
            if (bits < 8)
                put_bits(packed, col, bits, pixel(bits, row, col));
            else
                for (unsigned k = 0; k < bits / 8; k++)
                    packed[col * bits / 8 + k] = (uint8_t)(pixel(bits, row, col) >> 8 * k);
        }
        put(file, packed, (cols * bits + 31) / 32 * 4);
    }
}

static void check_bmp(bytes file, const char *kind, unsigned bits, const unsigned *shifts,
                      const unsigned *most)
{
    image picture = must_decode(file, IMAGE_AS_STORED);
    assert_string_equal(picture.kind, kind);
    for (unsigned row = 0; row < picture.rows; row++)
        for (unsigned col = 0; col < picture.cols; col++) {
            const uint32_t p = pixel(bits, row, col);
            uint32_t expected = 0;
            for (unsigned k = 0; shifts && k < (kind[3] == 'a' ? 4u : 3u); k++)
                expected |= ((p >> shifts[k] & most[k]) * 255 + most[k] / 2) / most[k] << 8 * k;
            assert_int_equal(cell(&picture, row, col), shifts ? expected : palette_cell(p));
        }
    image_free(&picture);
    check_prefixes(file, file.length);
    check_damage(file);
    free(file.data);
}

static void test_bmp(void **state)
{
    (void)state;
    static const unsigned eights[] = { 16, 8, 0, 24 }, fives[] = { 10, 5, 0 };
    static const unsigned sixes[] = { 11, 5, 0 }, bytes_most[] = { 255, 255, 255, 255 };
    static const unsigned five_most[] = { 31, 31, 31 }, six_most[] = { 31, 63, 31 };
    static const uint32_t six_masks[] = { 0xF800, 0x07E0, 0x001F };
    static const uint32_t rgba[] = { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 };
    for (int rows = -7; rows <= 7; rows += 14)
        for (unsigned cols = 5; cols <= 13; cols += 8) {
            for (unsigned bits = 1; bits <= 8; bits = bits == 1 ? 4 : bits * 2) {
                for (unsigned header = 12; header <= 124;
                     header = header == 12 ? 40 : header + 84) {
                    bytes file =
                        begin_bmp(header, header == 12 ? 7 : rows, (int)cols, bits, 0, NULL);
                    put_rows(&file, header == 12 ? 7 : rows, cols, bits);
                    check_bmp(file, "rgb8", bits, NULL, NULL);
                }
            }
            bytes file = begin_bmp(40, rows, (int)cols, 24, 0, NULL);
            put_rows(&file, rows, cols, 24);
            check_bmp(file, "rgb8", 24, eights, bytes_most);
            file = begin_bmp(40, rows, (int)cols, 32, 0, NULL);
            put_rows(&file, rows, cols, 32);
            check_bmp(file, "rgb8", 32, eights, bytes_most);
            file = begin_bmp(40, rows, (int)cols, 16, 0, NULL);
            put_rows(&file, rows, cols, 16);
            check_bmp(file, "rgb8", 16, fives, five_most);
            file = begin_bmp(40, rows, (int)cols, 16, 3, six_masks);
            put_rows(&file, rows, cols, 16);
            check_bmp(file, "rgb8", 16, sixes, six_most);
            file = begin_bmp(108, rows, (int)cols, 32, 3, rgba);
            put_rows(&file, rows, cols, 32);
            check_bmp(file, "rgba8", 32, eights, bytes_most);
        }
}

static void check_runs(unsigned bits, const uint8_t *runs, size_t length, const char *indices)
{
    bytes file = begin_bmp(40, 3, 6, bits, bits == 8 ? 1 : 2, NULL);
    put(&file, runs, length);
    image picture = must_decode(file, IMAGE_AS_STORED);
    for (unsigned i = 0; i < 18; i++)
        assert_int_equal(cell(&picture, i / 6, i % 6), palette_cell((uint32_t)indices[i] - '0'));
    image_free(&picture);
    check_damage(file);
    free(file.data);
}

static void test_bmp_runs(void **state)
{
    (void)state;
    static const uint8_t eight[] = { 4, 7, 2, 3, 0, 0,   /* the bottom row, and its end */
                                     0, 2, 1, 0, 3, 9,   /* one to the right, three of 9 */
                                     0, 2, 0, 1, 0, 1 }; /* up; the end */
    check_runs(8, eight, sizeof eight, "000000099900777733");
    static const uint8_t as_they_are[] = { 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 6, 8, 0, 1 };
    check_runs(8, as_they_are, sizeof as_they_are, "888888000000123450");
    static const uint8_t four[] = { 5, 0x12, 0, 0, 0, 3, 0x34, 0x50, 0, 0, 6, 0x77, 0, 1 };
    check_runs(4, four, sizeof four, "777777345000121210");
    static const struct {
        uint8_t runs[6];
        const char *text;
    } bad[] = {
        { { 7, 1, 0, 1, 0, 1 }, "a run beyond its row" },
        { { 6, 1, 0, 2, 1, 0 }, "a jump out of the picture" },
        { { 6, 1, 0, 0, 6, 1 }, "truncated BMP: the data ends in the runs" },
        { { 0, 9, 1, 2, 3, 4 }, "truncated BMP: the data ends in the runs" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bytes file = begin_bmp(40, 3, 6, 8, 1, NULL);
        put(&file, bad[i].runs, sizeof bad[i].runs);
        must_fail(file, IMAGE_AS_STORED, bad[i].text);
        free(file.data);
    }
}

static void test_bmp_errors(void **state)
{
    (void)state;
    static const struct {
        int rows, cols;
        unsigned bits, packing;
        const char *text;
    } all[] = {
        { 0, 3, 8, 0, "no width or no height" },
        { 3, -3, 8, 0, "no width or no height" },
        { 3, 3, 8, 4, "8 bits a pixel and compression 4" },
        { 3, 3, 7, 0, "7 bits a pixel" },
        { 3, 3, 16, 3, "a colour's mask" },
        { INT32_MAX, INT32_MAX, 24, 0, "too large" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bytes file = begin_bmp(40, all[i].rows, all[i].cols, all[i].bits, all[i].packing, NULL);
        for (int k = 0; k < 40; k++)
            put_number(&file, 1, 0);
        must_fail(file, IMAGE_AS_STORED, all[i].text);
        free(file.data);
    }
}

/* ---- what this build does without -------------------------------------------- */

static void test_missing(void **state)
{
    (void)state;
#ifndef TRAWL_HAVE_JPEG
    must_fail((bytes){ (uint8_t *)"\xff\xd8\xff\xe0", 4 }, IMAGE_AS_STORED, "libjpeg62-turbo-dev");
#endif
#ifndef TRAWL_HAVE_WEBP
    must_fail((bytes){ (uint8_t *)"RIFF....WEBP", 12 }, IMAGE_AS_STORED, "libwebp-dev");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bmp),        cmocka_unit_test(test_bmp_runs),
        cmocka_unit_test(test_bmp_errors), cmocka_unit_test(test_missing),
#ifdef TRAWL_HAVE_JPEG
        cmocka_unit_test(test_jpeg),       cmocka_unit_test(test_jpeg_refused),
#endif
#ifdef TRAWL_HAVE_WEBP
        cmocka_unit_test(test_webp),
#endif
    };
    return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}
