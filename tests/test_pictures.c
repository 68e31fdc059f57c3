/* test_pictures.c: TIFF, JPEG, WebP and BMP, and reading by bands.
 *
 * Pictures are made from one formula by the libraries, BMP by hand, and must come back as it says.
 * Then every prefix must be refused, and no damage may do more than be refused.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/image.h"
#include "random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bytes {
    uint8_t *data;
    size_t length;
} bytes;

static char message[512];

static uint64_t cell(const image *picture, uint64_t row, uint64_t col)
{
    const size_t at = (size_t)(row * picture->cols + col);
    const uint8_t *cells = picture->cells;
    uint16_t two;
    uint32_t four;
    if (picture->cell_size == 1)
        return cells[at];
    memcpy(&two, cells + 2 * at, 2);
    if (picture->cell_size == 2)
        return two;
    memcpy(&four, cells + 4 * at, 4);
    return four;
}

static image must_decode(bytes file, image_as as)
{
    image picture;
    image_intern *table = image_intern_new();
    if (image_decode(file.data, file.length, as, IMAGE_MAX_BYTES, table, &picture, message,
                     sizeof message) != 0)
        fail_msg("not read: %s", message);
    image_intern_free(table);
    return picture;
}

/* The read fails, leaves no cells, and says `text` somewhere. */
static void must_fail(bytes file, image_as as, const char *text)
{
    image picture;
    assert_int_equal(image_decode(file.data, file.length, as, IMAGE_MAX_BYTES, NULL, &picture,
                                  message, sizeof message),
                     -1);
    assert_null(picture.cells);
    if (strstr(message, text) == NULL)
        fail_msg("expected \"%s\" in: %s", text, message);
}

/* Every prefix, in memory of its own, so that a read beyond it is seen. */
static void check_prefixes(bytes whole, size_t least)
{
    for (size_t length = 1; length < whole.length; length += 1 + length / 64) {
        bytes prefix = { malloc(length), length };
        assert_non_null(prefix.data);
        memcpy(prefix.data, whole.data, length);
        if (length < least)
            must_fail(prefix, IMAGE_AS_STORED, "");
        free(prefix.data);
    }
}

/* Damage at random places: an error with a message, or a picture. */
static void check_damage(bytes whole)
{
    rng r = { test_seed() };
    const uint64_t cases = environment_number("TRAWL_TEST_CASES", 10000);
    bytes copy = { malloc(whole.length), whole.length };
    assert_non_null(copy.data);
    for (uint64_t i = 0; i < cases; i++) {
        image picture;
        memcpy(copy.data, whole.data, whole.length);
        for (uint32_t edits = 1 + rng_below(&r, 4); edits > 0; edits--)
            copy.data[rng_below(&r, (uint32_t)whole.length)] = (uint8_t)rng_next(&r);
        copy.length = rng_chance(&r, 4) ? 1 + rng_below(&r, (uint32_t)whole.length) : whole.length;
        message[0] = '\0';
        const int status = image_decode(copy.data, copy.length, (image_as)rng_below(&r, 4), 1 << 22,
                                        NULL, &picture, message, sizeof message);
        assert_true(status == 0 ? picture.cells != NULL
                                : picture.cells == NULL && message[0] != '\0');
        image_free(&picture);
    }
    free(copy.data);
}

/* The formula: neighbours differ, and so do channels. */
static uint32_t sample(unsigned bits, unsigned row, unsigned col, unsigned channel)
{
    const uint64_t mixed = (row * 7919u + col * 104729u + channel * 1299709u + 1) * 2654435761u;
    return (uint32_t)((mixed >> 7) & ((UINT64_C(1) << bits) - 1));
}

/* Put `value` into the `index`-th sample of a row, the first in the highest bits. */
static void put_bits(uint8_t *row, size_t index, unsigned bits, uint32_t value)
{
    for (unsigned bit = 0; bit < bits; bit++) {
        const size_t at = index * bits + bit;
        if (value >> (bits - 1 - bit) & 1)
            row[at / 8] |= (uint8_t)(128 >> at % 8);
    }
}

/* ---- TIFF --------------------------------------------------------------- */

#ifdef TRAWL_HAVE_TIFF

#include <tiffio.h>

typedef struct tiff_case {
    const char *mode; /* byte order, and BigTIFF */
    unsigned rows, cols, bits, channels, compression, photometric, format;
    bool separate, tiled;
} tiff_case;

static char path[32];

/* The same in the order of libtiff: numbers of whole bytes are the host's. */
static void put_sample(uint8_t *row, size_t index, unsigned bits, uint32_t value)
{
    const uint16_t two = (uint16_t)value;
    switch (bits) {
    case 8:
        row[index] = (uint8_t)value;
        return;
    case 16:
        memcpy(row + 2 * index, &two, 2);
        return;
    case 32:
        memcpy(row + 4 * index, &value, 4);
        return;
    default:
        put_bits(row, index, bits, value);
    }
}

/* A stretch of one row and plane; UINT_MAX: all planes, interleaved. */
static void make_row(const tiff_case *c, uint8_t *to, size_t bytes_of_row, unsigned row,
                     unsigned col, unsigned cols, unsigned plane)
{
    size_t index = 0;
    memset(to, 0, bytes_of_row);
    for (unsigned i = 0; i < cols && col + i < c->cols && row < c->rows; i++)
        for (unsigned k = 0; k < (c->separate ? 1 : c->channels); k++)
            put_sample(to, index++, c->bits,
                       sample(c->bits, row, col + i, c->separate ? plane : k));
}

static void set_tags(TIFF *tiff, const tiff_case *c)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, c->cols);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, c->rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, c->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, c->channels);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, c->compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, c->photometric);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, c->format);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 c->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (c->photometric == PHOTOMETRIC_PALETTE) {
        uint16_t map[3][256];
        for (unsigned i = 0; i < 256; i++)
            for (unsigned k = 0; k < 3; k++)
                map[k][i] = (uint16_t)(sample(8, i, 0, k) * 257);
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    }
    if (c->tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 32);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
    }
}

static void write_page(TIFF *tiff, const tiff_case *c)
{
    static uint8_t buffer[1 << 20];
    const unsigned planes = c->separate ? c->channels : 1;
    set_tags(tiff, c);
    for (unsigned plane = 0; plane < planes; plane++) {
        if (!c->tiled) {
            for (unsigned row = 0; row < c->rows; row++) {
                make_row(c, buffer, (size_t)TIFFScanlineSize(tiff), row, 0, c->cols, plane);
                assert_int_equal(TIFFWriteScanline(tiff, buffer, row, (uint16_t)plane), 1);
            }
            continue;
        }
        const size_t row_bytes = (size_t)TIFFTileRowSize(tiff);
        for (unsigned top = 0; top < c->rows; top += 32)
            for (unsigned left = 0; left < c->cols; left += 16) {
                for (unsigned i = 0; i < 32; i++)
                    make_row(c, buffer + i * row_bytes, row_bytes, top + i, left, 16, plane);
                assert_true(TIFFWriteTile(tiff, buffer, left, top, 0, (uint16_t)plane) > 0);
            }
    }
    assert_int_equal(TIFFWriteDirectory(tiff), 1);
}

static void write_tiff(const tiff_case *c, unsigned pages)
{
    TIFF *tiff = TIFFOpen(path, c->mode);
    assert_non_null(tiff);
    for (unsigned i = 0; i < pages; i++)
        write_page(tiff, c);
    TIFFClose(tiff);
}

static bytes read_file(void)
{
    bytes file = { malloc(1 << 22), 0 };
    FILE *from = fopen(path, "rb");
    assert_true(file.data && from);
    file.length = fread(file.data, 1, 1 << 22, from);
    fclose(from);
    return file;
}

static uint64_t expected_cell(const tiff_case *c, unsigned row, unsigned col)
{
    uint64_t value = 0;
    const unsigned first = sample(c->bits, row, col, 0);
    if (c->photometric == PHOTOMETRIC_PALETTE)
        return sample(8, first, 0, 0) | sample(8, first, 0, 1) << 8 | sample(8, first, 0, 2) << 16;
    if (c->format == SAMPLEFORMAT_INT)
        return first ^ 1u << (c->bits - 1);
    if (c->photometric == PHOTOMETRIC_MINISWHITE)
        return ((UINT64_C(1) << c->bits) - 1) - first;
    const unsigned shift = c->bits > 8 ? 16 : 8;
    for (unsigned k = 0; k < c->channels; k++)
        value |= (uint64_t)sample(c->bits, row, col, k) << shift * k;
    return value;
}

static void check_tiff(const tiff_case *c, const char *kind)
{
    const bool interned = c->bits == 16 && c->channels > 2;
    write_tiff(c, 1);
    bytes file = read_file();
    image picture = must_decode(file, IMAGE_AS_STORED);
    assert_string_equal(picture.kind, kind);
    assert_int_equal(picture.rows, c->rows);
    assert_int_equal(picture.cols, c->cols);
    for (unsigned row = 0; row < c->rows; row++)
        for (unsigned col = 0; col < c->cols; col++) {
            if (interned) /* colours are numbered as they come, and all differ */
                assert_int_equal(cell(&picture, row, col), row * c->cols + col);
            else
                assert_int_equal(cell(&picture, row, col), expected_cell(c, row, col));
        }
    image_free(&picture);
    free(file.data);
}

/* As a mask only what is 0 is 0. */
static void check_mask(const tiff_case *c)
{
    bytes file = read_file();
    image picture = must_decode(file, IMAGE_AS_MASK);
    const uint64_t zero = c->format == SAMPLEFORMAT_INT ? 1u << (c->bits - 1) : 0;
    const bool alpha = c->channels % 2 == 0;
    const uint64_t colours =
        alpha ? (UINT64_C(1) << (c->bits > 8 ? 16 : 8) * (c->channels - 1)) - 1 : UINT64_MAX;
    assert_string_equal(picture.kind, "mask");
    assert_int_equal(picture.cell_size, 1);
    for (unsigned row = 0; row < c->rows; row++)
        for (unsigned col = 0; col < c->cols; col++)
            assert_int_equal(cell(&picture, row, col),
                             (expected_cell(c, row, col) & colours) != zero);
    image_free(&picture);
    free(file.data);
}

static void test_tiff_samples(void **state)
{
    (void)state;
    static const struct {
        unsigned bits, channels, photometric, format;
        const char *kind;
    } all[] = {
        { 1, 1, PHOTOMETRIC_MINISBLACK, 1, "grey1" },
        { 1, 1, PHOTOMETRIC_MINISWHITE, 1, "grey1" },
        { 2, 1, PHOTOMETRIC_MINISBLACK, 1, "grey2" },
        { 4, 1, PHOTOMETRIC_MINISBLACK, 1, "grey4" },
        { 6, 1, PHOTOMETRIC_MINISBLACK, 1, "grey:63" },
        { 8, 1, PHOTOMETRIC_MINISBLACK, 1, "grey8" },
        { 8, 1, PHOTOMETRIC_MINISWHITE, 1, "grey8" },
        { 12, 1, PHOTOMETRIC_MINISBLACK, 1, "grey:4095" },
        { 16, 1, PHOTOMETRIC_MINISBLACK, 1, "grey16" },
        { 16, 1, PHOTOMETRIC_MINISWHITE, 1, "grey16" },
        { 16, 1, PHOTOMETRIC_MINISBLACK, 2, "int16" },
        { 32, 1, PHOTOMETRIC_MINISBLACK, 1, "grey32" },
        { 32, 1, PHOTOMETRIC_MINISBLACK, 2, "int32" },
        { 32, 1, PHOTOMETRIC_MINISBLACK, 3, "float32" },
        { 8, 2, PHOTOMETRIC_MINISBLACK, 1, "greya8" },
        { 16, 2, PHOTOMETRIC_MINISBLACK, 1, "greya16" },
        { 8, 3, PHOTOMETRIC_RGB, 1, "rgb8" },
        { 4, 3, PHOTOMETRIC_RGB, 1, "rgb4" },
        { 8, 4, PHOTOMETRIC_RGB, 1, "rgba8" },
        { 16, 3, PHOTOMETRIC_RGB, 1, "rgb16" },
        { 16, 4, PHOTOMETRIC_MINISBLACK, 1, "rgba16" },
        { 8, 1, PHOTOMETRIC_PALETTE, 1, "rgb8" },
        { 4, 1, PHOTOMETRIC_PALETTE, 1, "rgb8" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (unsigned way = 0; way < 4; way++) {
            const tiff_case c = { .mode = way % 2 ? "wb" : "wl8",
                                  .rows = 37,
                                  .cols = 45,
                                  .bits = all[i].bits,
                                  .channels = all[i].channels,
                                  .compression = COMPRESSION_NONE,
                                  .photometric = all[i].photometric,
                                  .format = all[i].format,
                                  .separate = way / 2,
                                  .tiled = way == 1 || way == 2 };
            check_tiff(&c, all[i].kind);
            check_mask(&c);
        }
}

static void test_tiff_compressions(void **state)
{
    (void)state;
    static const unsigned all[] = { COMPRESSION_LZW,       COMPRESSION_ADOBE_DEFLATE,
                                    COMPRESSION_PACKBITS,  COMPRESSION_CCITTFAX4,
                                    COMPRESSION_CCITTFAX3, COMPRESSION_CCITTRLE };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (unsigned way = 0; way < 4; way++) {
            const bool fax = i > 2;
            const tiff_case c = { .mode = "w",
                                  .rows = 70,
                                  .cols = 51,
                                  .bits = fax ? 1 : 8,
                                  .channels = fax ? 1 : 3,
                                  .compression = all[i],
                                  .photometric = fax ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_RGB,
                                  .format = 1,
                                  .separate = way / 2 && !fax,
                                  .tiled = way % 2 };
            check_tiff(&c, fax ? "grey1" : "rgb8");
        }
}

static const tiff_case plain = { .mode = "w",
                                 .rows = 40,
                                 .cols = 33,
                                 .bits = 8,
                                 .channels = 3,
                                 .compression = COMPRESSION_LZW,
                                 .photometric = PHOTOMETRIC_RGB,
                                 .format = 1 };

static void test_tiff_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned bits, channels, photometric, format;
        image_as as;
        const char *text;
    } all[] = {
        { 8, 4, PHOTOMETRIC_SEPARATED, 1, 0, "photometric interpretation 5" },
        { 8, 3, PHOTOMETRIC_CIELAB, 1, 0, "photometric interpretation 8" },
        { 8, 5, PHOTOMETRIC_MINISBLACK, 1, 0, "samples a pixel: 5" },
        { 32, 3, PHOTOMETRIC_RGB, 1, 0, "samples a pixel: 3" },
        { 32, 1, PHOTOMETRIC_MINISBLACK, 3, IMAGE_AS_RGB, "float32 have no colours" },
        { 16, 3, PHOTOMETRIC_RGB, 1, 0, "rgb16 does not fit a cell" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tiff_case c = plain;
        c.bits = all[i].bits;
        c.channels = all[i].channels;
        c.photometric = all[i].photometric;
        c.format = all[i].format;
        write_tiff(&c, 1);
        bytes file = read_file();
        must_fail(file, all[i].as, all[i].text);
        free(file.data);
    }
}

static void test_tiff_damaged(void **state)
{
    (void)state;
    tiff_case c = plain;
    for (unsigned way = 0; way < 4; way++) {
        c.tiled = way % 2;
        if (way >= 2) {
            c.bits = c.channels = 1;
            c.compression = COMPRESSION_CCITTFAX4;
            c.photometric = PHOTOMETRIC_MINISWHITE;
        }
        write_tiff(&c, 1);
        bytes file = read_file();
        check_prefixes(file, file.length);
        check_damage(file);
        free(file.data);
    }
}

/* ---- bands -------------------------------------------------------------- */

typedef struct band_check {
    uint64_t next; /* the first row that no band has owned */
    uint32_t pages, bands;
    uint64_t cols, overlap;
    unsigned stop_after; /* bands; 0: none */
} band_check;

/* Of the picture that test_bands writes. */
static uint8_t band_cell(uint64_t row, uint64_t col)
{
    return (uint8_t)(row * 3 + col / 1000);
}

static int take_band(const image_band *band, void *user)
{
    band_check *check = user;
    const uint8_t *cells = band->picture->cells;
    const uint64_t cols = band->picture->cols, rows = band->picture->rows;
    const bool last = band->first + rows == band->rows;
    if (band->first == 0) {
        check->next = 0;
        check->pages++;
        assert_int_equal(band->page, check->pages);
    }
    assert_int_equal(band->first, check->next);
    assert_int_equal(band->own, last ? rows : rows - check->overlap);
    check->next += band->own;
    check->bands++;
    for (uint64_t row = 0; cols == check->cols && row < rows; row++)
        for (uint64_t col = 0; col < cols; col += 499)
            assert_int_equal(cells[row * cols + col], band_cell(band->first + row, col));
    return check->bands == check->stop_after;
}

static int read_bands(band_check *check, uint64_t max_bytes)
{
    const image_request request = { .max_bytes = max_bytes, .overlap = check->overlap };
    return image_read_bands(path, &request, take_band, check, message, sizeof message);
}

/* 150 MB of cells from a file of a few hundred KB, under a limit of 100 MB. */
static void test_bands(void **state)
{
    (void)state;
    enum { ROWS = 3000, COLS = 50000 };
    static uint8_t row_cells[COLS];
    TIFF *tiff = TIFFOpen(path, "w");
    tiff_case c = plain;
    c.rows = ROWS;
    c.cols = COLS;
    c.channels = 1;
    c.photometric = PHOTOMETRIC_MINISBLACK;
    assert_non_null(tiff);
    set_tags(tiff, &c);
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned col = 0; col < COLS; col++)
            row_cells[col] = band_cell(row, col);
        assert_int_equal(TIFFWriteScanline(tiff, row_cells, row, 0), 1);
    }
    TIFFClose(tiff);
    for (uint64_t overlap = 0; overlap < 800; overlap += 399) {
        band_check check = { .cols = COLS, .overlap = overlap };
        if (read_bands(&check, 100 << 20) != 0)
            fail_msg("%s", message);
        assert_int_equal(check.next, ROWS);
        assert_true(check.bands >= 3);
    }
    band_check stopped = { .cols = COLS, .overlap = 10, .stop_after = 2 };
    assert_int_equal(read_bands(&stopped, 100 << 20), 1);
    assert_int_equal(stopped.bands, 2);
    band_check large = { .cols = COLS };
    assert_int_equal(read_bands(&large, 60 << 20), -1);
    assert_non_null(strstr(message, "the limit is 62914560; raise it (--max-memory)"));
    image whole;
    assert_int_equal(
        image_read(path, IMAGE_AS_STORED, NULL, 100 << 20, NULL, &whole, message, sizeof message),
        -1);
}

static void test_pages(void **state)
{
    (void)state;
    band_check check = { .overlap = 3 };
    write_tiff(&plain, 3);
    if (read_bands(&check, IMAGE_MAX_BYTES) != 0)
        fail_msg("%s", message);
    assert_int_equal(check.pages, 3);
    assert_int_equal(check.bands, 3);
    bytes file = read_file();
    must_fail(file, IMAGE_AS_STORED, "several pictures in one file");
    free(file.data);
}

/* A page that claims much and stores nothing. */
static void test_bomb(void **state)
{
    (void)state;
    static const uint8_t nothing[] = { 'I', 'I', 42, 0, 8, 0, 0, 0, 5, 0, 0,  1, 4, 0,
                                       1,   0,   0,  0, 0, 0, 1, 0,              /* 65536 columns */
                                       1,   1,   4,  0, 1, 0, 0, 0, 0, 0, 16, 0, /* 2^20 rows */
                                       2,   1,   3,  0, 1, 0, 0, 0, 8, 0, 0,  0, 6, 1,
                                       3,   0,   1,  0, 0, 0, 1, 0, 0, 0, 17, 1, 4, 0,
                                       1,   0,   0,  0, 8, 0, 0, 0, 0, 0, 0,  0 };
    band_check check = { 0 };
    FILE *to = fopen(path, "wb");
    assert_true(to && fwrite(nothing, sizeof nothing, 1, to) == 1 && fclose(to) == 0);
    assert_int_equal(read_bands(&check, IMAGE_MAX_BYTES), -1);
    assert_int_equal(check.bands, 0);
}

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/trawl_pictures_XXXXXX");
    const int file = mkstemp(path);
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

#endif

/* ---- JPEG --------------------------------------------------------------- */

#ifdef TRAWL_HAVE_JPEG

#include <jpeglib.h>

enum { JPEG_ROWS = 61, JPEG_COLS = 75 };

static bytes encode_jpeg(int channels, J_COLOR_SPACE space, bool progressive)
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
        bytes file = encode_jpeg(grey ? 1 : 3, grey ? JCS_GRAYSCALE : JCS_RGB, way / 2);
        image picture = must_decode(file, IMAGE_AS_STORED);
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
    bytes file = encode_jpeg(4, JCS_CMYK, false);
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
#ifndef TRAWL_HAVE_TIFF
    must_fail((bytes){ (uint8_t *)"II*\0.....", 9 }, IMAGE_AS_STORED, "libtiff-dev");
#endif
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
        cmocka_unit_test(test_bmp),
        cmocka_unit_test(test_bmp_runs),
        cmocka_unit_test(test_bmp_errors),
        cmocka_unit_test(test_missing),
#ifdef TRAWL_HAVE_TIFF
        cmocka_unit_test_setup_teardown(test_tiff_samples, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_compressions, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_refused, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_damaged, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_bands, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_pages, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_bomb, make_path, remove_path),
#endif
#ifdef TRAWL_HAVE_JPEG
        cmocka_unit_test(test_jpeg),
        cmocka_unit_test(test_jpeg_refused),
#endif
#ifdef TRAWL_HAVE_WEBP
        cmocka_unit_test(test_webp),
#endif
    };
    return cmocka_run_group_tests_name("pictures", tests, NULL, NULL);
}
