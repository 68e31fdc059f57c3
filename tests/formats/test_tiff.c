/* test_tiff.c: TIFF of all kinds, and reading by bands.
 *
 * Pictures are made from one formula by libtiff, and must come back as it says. Then every prefix
 * must be refused, and no damage may do more than be refused.
 */
#define _POSIX_C_SOURCE 200809L

#include "decoded.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A cell of the picture that test_bands writes. */
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
    const image_request request = { .limit = { max_bytes, "max" }, .overlap = check->overlap };
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
    assert_non_null(strstr(message, "the limit is 62914560; raise it (max)"));
    image whole;
    assert_int_equal(image_read(path, IMAGE_AS_STORED, NULL, (image_limit){ 100 << 20, "max" },
                                NULL, &whole, message, sizeof message),
                     -1);
}

/* A row of tiles of 250 MB, under a limit of 220: some rows of it are kept at a time. */
static void test_tall_tiles(void **state)
{
    (void)state;
    enum { SIDE = 4096, ACROSS = 15, ROWS = 5000 };
    uint8_t *tile = malloc((size_t)SIDE * SIDE);
    TIFF *tiff = TIFFOpen(path, "w");
    tiff_case c = plain;
    assert_true(tile && tiff);
    c.rows = ROWS;
    c.cols = SIDE * ACROSS - 100;
    c.channels = 1;
    c.photometric = PHOTOMETRIC_MINISBLACK;
    c.compression = COMPRESSION_PACKBITS;
    set_tags(tiff, &c);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, SIDE);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, SIDE);
    for (unsigned at = 0; at < 2 * ACROSS; at++) {
        for (unsigned row = 0; row < SIDE; row++)
            for (unsigned col = 0; col < SIDE; col++)
                tile[row * SIDE + col] =
                    band_cell(at / ACROSS * SIDE + row, at % ACROSS * SIDE + col);
        assert_true(TIFFWriteEncodedTile(tiff, at, tile, (tmsize_t)SIDE * SIDE) > 0);
    }
    TIFFClose(tiff);
    free(tile);
    band_check check = { .cols = c.cols, .overlap = 7 };
    if (read_bands(&check, 220 << 20) != 0)
        fail_msg("%s", message);
    assert_int_equal(check.next, ROWS);
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

#else

static void test_missing(void **state)
{
    (void)state;
    must_fail((bytes){ (uint8_t *)"II*\0.....", 9 }, IMAGE_AS_STORED, "libtiff-dev");
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TRAWL_HAVE_TIFF
        cmocka_unit_test_setup_teardown(test_tiff_samples, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_compressions, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_refused, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tiff_damaged, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_bands, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_tall_tiles, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_pages, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_bomb, make_path, remove_path),
#else
        cmocka_unit_test(test_missing),
#endif
    };
    return cmocka_run_group_tests_name("tiff", tests, NULL, NULL);
}
