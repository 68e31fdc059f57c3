/* tiff.c: TIFF and BigTIFF through libtiff, to rows of samples.
 *
 *     grey, 1 to 16 bits       samples; of 0-is-white (faxes) inverted, as in PNG and PBM
 *     grey and alpha, RGB,     8 or 16 bits and all between, in one plane or several
 *     RGBA
 *     palette                  its colours, in 8 bits
 *     YCbCr in JPEG            RGB, as libtiff converts it
 *     17 to 32 bits, signed    cells as they are, of one sample: image_begin_cells
 *     numbers, floats
 *
 * Whatever compression libtiff was built with is read; the tag Orientation is not applied. A page
 * that is a reduced copy of another, or a mask, is passed over.
 *
 * Idea. Rows lie in blocks: a row of tiles, a strip of each plane, or one row of a strip whose
 * planes are interleaved. A block is read whole, and its rows are unpacked one by one, so that
 * memory holds a block, not the picture. Some rows are kept of a row of tiles that is larger than
 * MAX_HELD, and the tiles are decoded again for the next ones. A file is read where it stands,
 * through its FILE.
 *
 * Strict: what libtiff complains of while it reads pixels, even as a warning, is an error, for the
 * rows would be guessed. Cost: one pass over the samples.
 */
#include "formats/images/decoder.h"

#include <string.h>

bool image_is_tiff(const uint8_t *bytes, size_t length)
{
    return length >= 4 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0 ||
                           memcmp(bytes, "II+\0", 4) == 0 || memcmp(bytes, "MM\0+", 4) == 0);
}

#ifdef TRAWL_HAVE_TIFF

#include <inttypes.h>
#include <stdlib.h>
#include <tiffio.h>

#include "formats/sources/library.h"

/* clang-format off */
#define CALLS(LINE)                                                                            \
    LINE(TIFFOpenOptions *, TIFFOpenOptionsAlloc, (void))                                      \
    LINE(void, TIFFOpenOptionsFree, (TIFFOpenOptions *))                                       \
    LINE(void, TIFFOpenOptionsSetMaxSingleMemAlloc, (TIFFOpenOptions *, tmsize_t))             \
    LINE(void, TIFFOpenOptionsSetErrorHandlerExtR,                                             \
         (TIFFOpenOptions *, TIFFErrorHandlerExtR, void *))                                    \
    LINE(void, TIFFOpenOptionsSetWarningHandlerExtR,                                           \
         (TIFFOpenOptions *, TIFFErrorHandlerExtR, void *))                                    \
    LINE(TIFF *, TIFFClientOpenExt,                                                            \
         (const char *, const char *, thandle_t, TIFFReadWriteProc, TIFFReadWriteProc,         \
          TIFFSeekProc, TIFFCloseProc, TIFFSizeProc, TIFFMapFileProc, TIFFUnmapFileProc,       \
          TIFFOpenOptions *))                                                                  \
    LINE(void, TIFFClose, (TIFF *))                                                            \
    LINE(int, TIFFGetField, (TIFF *, uint32_t, ...))                                           \
    LINE(int, TIFFGetFieldDefaulted, (TIFF *, uint32_t, ...))                                  \
    LINE(int, TIFFSetField, (TIFF *, uint32_t, ...))                                           \
    LINE(int, TIFFIsCODECConfigured, (uint16_t))                                               \
    LINE(int, TIFFIsTiled, (TIFF *))                                                           \
    LINE(tmsize_t, TIFFTileRowSize, (TIFF *))                                                  \
    LINE(tmsize_t, TIFFTileSize, (TIFF *))                                                     \
    LINE(tmsize_t, TIFFScanlineSize, (TIFF *))                                                 \
    LINE(tmsize_t, TIFFStripSize, (TIFF *))                                                    \
    LINE(tmsize_t, TIFFReadTile, (TIFF *, void *, uint32_t, uint32_t, uint32_t, uint16_t))     \
    LINE(tmsize_t, TIFFReadEncodedStrip, (TIFF *, uint32_t, void *, tmsize_t))                 \
    LINE(uint32_t, TIFFComputeStrip, (TIFF *, uint32_t, uint16_t))                             \
    LINE(int, TIFFReadScanline, (TIFF *, void *, uint32_t, uint16_t))                          \
    LINE(int, TIFFReadDirectory, (TIFF *))                                                     \
    LINE(int, TIFFSetDirectory, (TIFF *, tdir_t))
/* clang-format on */

LIBRARY(CALLS, (void)0, "libtiff.so.6", "libtiff.so")

#define MAX_HELD (UINT64_C(208) << 20)  /* bytes of blocks; with a band less than 300 MB */
#define PART_HELD (UINT64_C(128) << 20) /* of larger ones, beside a tile */

typedef struct tiff_job {
    const uint8_t *bytes; /* the file, when it is in memory */
    uint64_t length, at;
    image_builder *builder;
    TIFF *tiff;
    char text[120]; /* the first complaint of libtiff; "": none */
    bool pixels;    /* warnings count, too */
    /* the present page */
    uint32_t rows, cols;
    uint64_t row;
    uint16_t bits, channels, planes, photometric;
    bool with_sign;
    bool tiled, opaque;  /* of cells that are no samples */
    uint32_t across;     /* tiles */
    uint32_t tile_cols;  /* columns of a tile, or of the page */
    uint32_t block_rows; /* rows that are read at once */
    uint32_t kept_rows;  /* of these, those that are kept */
    size_t row_bytes, tile_bytes, kept_bytes;
    uint16_t *map[3]; /* the colours of a palette */
    bool narrow_map;  /* of 8 bits, against the standard */
    uint8_t *block;   /* tile by tile, plane by plane */
    uint8_t *tile;    /* one of them whole; NULL: they are kept whole */
    uint8_t *samples; /* of a row */
} tiff_job;

/* ---- what libtiff calls ------------------------------------------------- */

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t size)
{
    tiff_job *job = handle;
    if (size <= 0)
        return 0;
    if (job->builder->file)
        return (tmsize_t)fread(to, 1, (size_t)size, job->builder->file);
    uint64_t left = job->at < job->length ? job->length - job->at : 0;
    size_t count = left < (uint64_t)size ? (size_t)left : (size_t)size;
    memcpy(to, job->bytes + (count ? job->at : 0), count);
    job->at += count;
    return (tmsize_t)count;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle;
    (void)from;
    (void)size;
    return 0;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    tiff_job *job = handle;
    if (job->builder->file) {
        if (offset > INT64_MAX || fseeko(job->builder->file, (off_t)offset, whence) != 0)
            return (toff_t)-1;
        return (toff_t)ftello(job->builder->file);
    }
    job->at = whence == SEEK_SET ? offset : offset + (whence == SEEK_CUR ? job->at : job->length);
    return job->at;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle)
{
    const tiff_job *job = handle;
    return job->builder->file ? job->builder->source_bytes : job->length;
}

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list values)
{
    tiff_job *job = user;
    (void)tiff;
    (void)module;
    if (job->text[0] == '\0')
        vsnprintf(job->text, sizeof job->text, format, values);
    job->text[strcspn(job->text, "\r\n")] = '\0';
    return 1;
}

/* LZW of the oldest files is read all the same. */
static int on_warning(TIFF *tiff, void *user, const char *module, const char *format,
                      va_list values)
{
    const tiff_job *job = user;
    if (job->pixels && (module == NULL || strcmp(module, "LZWPreDecode") != 0))
        on_error(tiff, user, module, format, values);
    return 1;
}

/* ---- errors --------------------------------------------------------------- */

static int fail_tiff(const tiff_job *job, const char *what)
{
    char place[80] = "before the first page";
    const image_band *band = &job->builder->band;
    int length = 0;
    if (band->page > 0 || job->rows > 0)
        length = snprintf(place, sizeof place, "at row %" PRIu64 " of %" PRIu32, job->row + 1,
                          job->rows);
    if (band->pages > 1 && length > 0)
        snprintf(place + length, sizeof place - (size_t)length, " of page %" PRIu32, band->page);
    return image_fail(&job->builder->error,
                      "corrupt or truncated TIFF: %s, %s; fetch or export the file again",
                      job->text[0] ? job->text : what, place);
}

static int fail_kind(const tiff_job *job, const char *what, unsigned number, const char *remedy)
{
    return image_fail(&job->builder->error, "a TIFF of %s %u, which Trawl does not read; %s", what,
                      number, remedy);
}

/* ---- the shape -------------------------------------------------------------- */

static uint16_t tag_16(const tiff_job *job, uint32_t tag)
{
    uint16_t value = 0;
    lib.TIFFGetFieldDefaulted(job->tiff, tag, &value);
    return value;
}

/* Which samples a row has; 0, or -1 with the message written. */
static int read_kind(tiff_job *job)
{
    const uint16_t format = tag_16(job, TIFFTAG_SAMPLEFORMAT);
    const uint16_t compression = tag_16(job, TIFFTAG_COMPRESSION);
    job->bits = tag_16(job, TIFFTAG_BITSPERSAMPLE);
    job->channels = tag_16(job, TIFFTAG_SAMPLESPERPIXEL);
    job->planes = tag_16(job, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE ? job->channels : 1;
    job->photometric = PHOTOMETRIC_MINISBLACK;
    lib.TIFFGetField(job->tiff, TIFFTAG_PHOTOMETRIC, &job->photometric);
    job->with_sign = format == SAMPLEFORMAT_INT;
    job->opaque = job->bits > 16 || format == SAMPLEFORMAT_INT || format == SAMPLEFORMAT_IEEEFP;
    if (!lib.TIFFIsCODECConfigured(compression))
        return fail_kind(job, "compression", compression, "rewrite it (tiffcp -c lzw)");
    if (job->bits < 1 || job->bits > 32 || format > SAMPLEFORMAT_VOID)
        return fail_kind(job, format > SAMPLEFORMAT_VOID ? "sample format" : "bits a sample:",
                         format > SAMPLEFORMAT_VOID ? format : job->bits,
                         "convert it to samples of 1 to 32 bits");
    if (job->channels < 1 || job->channels > 4 || (job->opaque && job->channels > 1))
        return fail_kind(job, "samples a pixel:", job->channels,
                         "take one of its bands, or convert it to RGB of 8 bits");
    if (job->opaque && job->bits != 8 && job->bits != 16 && job->bits != 24 && job->bits != 32)
        return fail_kind(job, "bits a sample:", job->bits, "convert it to 16 or 32 bits");
    if (job->photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG &&
        job->planes == 1) {
        lib.TIFFSetField(job->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        job->photometric = PHOTOMETRIC_RGB;
    }
    if (job->photometric > PHOTOMETRIC_MASK ||
        (job->photometric == PHOTOMETRIC_PALETTE && (job->channels > 1 || job->opaque)))
        return fail_kind(job, "photometric interpretation", job->photometric,
                         "convert it to RGB of 8 bits");
    return 0;
}

static int read_palette(tiff_job *job)
{
    uint16_t largest = 0;
    if (!lib.TIFFGetField(job->tiff, TIFFTAG_COLORMAP, &job->map[0], &job->map[1], &job->map[2]))
        return fail_tiff(job, "the palette is missing");
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < (size_t)1 << job->bits; i++)
            largest = job->map[c][i] > largest ? job->map[c][i] : largest;
    job->narrow_map = largest < 256;
    return 0;
}

/* How the rows lie in blocks. */
static int read_layout(tiff_job *job)
{
    const bool planar = job->planes > 1;
    tmsize_t row_bytes, tile_bytes;
    job->tiled = lib.TIFFIsTiled(job->tiff);
    job->across = 1;
    job->tile_cols = job->cols;
    job->block_rows = 1;
    if (job->tiled) {
        lib.TIFFGetField(job->tiff, TIFFTAG_TILEWIDTH, &job->tile_cols);
        lib.TIFFGetField(job->tiff, TIFFTAG_TILELENGTH, &job->block_rows);
        row_bytes = lib.TIFFTileRowSize(job->tiff);
        tile_bytes = lib.TIFFTileSize(job->tiff);
        job->across = job->tile_cols ? (job->cols - 1) / job->tile_cols + 1 : 0;
    } else {
        if (planar)
            lib.TIFFGetFieldDefaulted(job->tiff, TIFFTAG_ROWSPERSTRIP, &job->block_rows);
        if (planar && job->block_rows > job->rows)
            job->block_rows = job->rows;
        row_bytes = lib.TIFFScanlineSize(job->tiff);
        tile_bytes = planar ? lib.TIFFStripSize(job->tiff) : row_bytes;
    }
    const uint64_t samples = (uint64_t)job->tile_cols * (planar ? 1 : job->channels);
    if (job->across == 0 || job->block_rows == 0 || row_bytes <= 0 ||
        (uint64_t)row_bytes < (samples * job->bits + 7) / 8 ||
        (uint64_t)tile_bytes / job->block_rows < (uint64_t)row_bytes)
        return fail_tiff(job, "the sizes of strips or tiles contradict each other");
    job->row_bytes = (size_t)row_bytes;
    job->tile_bytes = (size_t)tile_bytes;
    const uint64_t blocks = (uint64_t)job->across * job->planes, most = MAX_HELD / blocks;
    job->kept_rows = job->block_rows;
    job->kept_bytes = job->tile_bytes;
    if (job->block_rows > 1 && job->tile_bytes > most) {
        const uint64_t fit = PART_HELD / blocks / job->row_bytes;
        job->kept_rows = fit == 0 ? 1 : fit < job->block_rows ? (uint32_t)fit : job->block_rows;
        job->kept_bytes = job->kept_rows * job->row_bytes;
    }
    return 0;
}

static const char *opaque_kind(const tiff_job *job, char *kind, size_t size)
{
    const uint16_t format = tag_16(job, TIFFTAG_SAMPLEFORMAT);
    snprintf(kind, size, "%s%u",
             format == SAMPLEFORMAT_INT      ? "int"
             : format == SAMPLEFORMAT_IEEEFP ? "float"
                                             : "grey",
             job->bits);
    return kind;
}

/* Bytes of a sample once it is unpacked. */
static size_t sample_size(const tiff_job *job)
{
    return job->bits <= 8 ? 1 : job->bits <= 16 ? 2 : 4;
}

static int begin_page(tiff_job *job)
{
    char kind[16];
    const bool palette = job->photometric == PHOTOMETRIC_PALETTE;
    const size_t pixel = (palette ? 3 : job->channels) * sample_size(job);
    const bool in_parts = job->kept_rows < job->block_rows;
    const double block = (double)job->kept_bytes * job->across * job->planes +
                         (in_parts ? (double)job->tile_bytes : 0);
    /* The block, in rows of samples as the builder counts them. */
    job->builder->held_rows = 2 + (uint64_t)(block / ((double)job->cols * (double)pixel));
    int status =
        job->opaque
            ? image_begin_cells(job->builder, job->rows, job->cols, (uint32_t)sample_size(job),
                                opaque_kind(job, kind, sizeof kind))
        : palette
            ? image_begin(job->builder, job->rows, job->cols, 3, 255)
            : image_begin(job->builder, job->rows, job->cols, job->channels, (1u << job->bits) - 1);
    if (status != 0)
        return status;
    image_oriented(job->builder, tag_16(job, TIFFTAG_ORIENTATION));
    job->block = calloc((size_t)job->across * job->planes, job->kept_bytes);
    job->tile = in_parts ? calloc(1, job->tile_bytes) : NULL;
    job->samples = malloc(job->cols * pixel);
    if (job->block == NULL || job->samples == NULL || (in_parts && job->tile == NULL))
        return image_fail(&job->builder->error,
                          "out of memory for %" PRIu32 " rows of the TIFF; rewrite it in smaller "
                          "strips (tiffcp -r 16)",
                          job->block_rows);
    return 0;
}

/* ---- rows ----------------------------------------------------------------- */

/* Read the blocks of all planes, from this row on as many rows as are kept. */
static int read_block(tiff_job *job, uint32_t row)
{
    const tmsize_t size = (tmsize_t)job->tile_bytes;
    const uint32_t first = row % job->block_rows, left = job->block_rows - first;
    const uint32_t rows = left < job->kept_rows ? left : job->kept_rows;
    uint8_t *block = job->block;
    for (uint16_t plane = 0; plane < job->planes; plane++) {
        for (uint32_t tile = 0; tile < job->across; tile++, block += job->kept_bytes) {
            uint8_t *to = job->tile ? job->tile : block;
            bool fine;
            if (job->tiled)
                fine =
                    lib.TIFFReadTile(job->tiff, to, tile * job->tile_cols, row, 0, plane) == size;
            else if (job->planes > 1)
                fine = lib.TIFFReadEncodedStrip(
                           job->tiff, lib.TIFFComputeStrip(job->tiff, row, plane), to, size) > 0;
            else
                fine = lib.TIFFReadScanline(job->tiff, to, row, 0) == 1;
            if (!fine || job->text[0])
                return fail_tiff(job, "the pixels cannot be read");
            if (job->tile)
                memcpy(block, to + first * job->row_bytes, rows * job->row_bytes);
        }
    }
    return 0;
}

/* Samples of any number of bits up to 16, the first in the highest bits. */
static uint32_t take_bits(const uint8_t *from, size_t bit, unsigned bits)
{
    uint32_t word = 0;
    for (size_t i = bit / 8; i <= (bit + bits - 1) / 8; i++)
        word = word << 8 | from[i];
    return word >> (7 - (bit + bits - 1) % 8) & ((1u << bits) - 1);
}

/* The same of 1, 2 or 4 bits; called with a constant number. */
static inline void unpack_small(uint8_t *to, const uint8_t *from, size_t count, size_t step,
                                unsigned bits)
{
    const size_t in_byte = 8 / bits;
    const unsigned mask = (1u << bits) - 1;
    for (size_t i = 0; i < count / in_byte; i++, to += in_byte * step)
        for (size_t k = 0; k < in_byte; k++)
            to[k * step] = from[i] >> (8 - bits - k * bits) & mask;
    for (size_t k = 0; k < count % in_byte; k++)
        to[k * step] = from[count / in_byte] >> (8 - bits - k * bits) & mask;
}

/* Three bytes in the host's order. */
static uint32_t take_three(const uint8_t *from)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one ? from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16
                                  : from[2] | (uint32_t)from[1] << 8 | (uint32_t)from[0] << 16;
}

/* `count` samples, to every `step`-th place. */
static void unpack(const tiff_job *job, const uint8_t *from, size_t count, size_t at, size_t step)
{
    uint8_t *bytes = job->samples + at;
    uint16_t *words = (uint16_t *)(void *)job->samples + at;
    uint32_t *longs = (uint32_t *)(void *)job->samples + at;
    switch (job->bits) {
    case 1:
        if (step == 1)
            unpack_small(bytes, from, count, 1, 1);
        else
            unpack_small(bytes, from, count, step, 1);
        return;
    case 2:
        unpack_small(bytes, from, count, step, 2);
        return;
    case 4:
        unpack_small(bytes, from, count, step, 4);
        return;
    case 8:
        for (size_t i = 0; i < count; i++)
            bytes[i * step] = from[i];
        return;
    case 16:
        for (size_t i = 0; i < count; i++)
            memcpy(&words[i * step], from + 2 * i, 2);
        return;
    case 24:
        for (size_t i = 0; i < count; i++)
            longs[i] = take_three(from + 3 * i);
        return;
    case 32:
        memcpy(longs, from, 4 * count);
        return;
    default:
        for (size_t i = 0; i < count; i++) {
            const uint32_t value = take_bits(from, i * job->bits, job->bits);
            if (job->bits < 8)
                bytes[i * step] = (uint8_t)value;
            else
                words[i * step] = (uint16_t)value;
        }
    }
}

/* White is 0 in the file, as in faxes. Alpha is not turned. */
static void invert(const tiff_job *job)
{
    const uint32_t most = (uint32_t)((UINT64_C(1) << job->bits) - 1);
    uint16_t *words = (uint16_t *)(void *)job->samples;
    uint32_t *longs = (uint32_t *)(void *)job->samples;
    const size_t size = sample_size(job), count = (size_t)job->cols * job->channels;
    if (size == 1 && job->channels == 1) { /* most of them, and the compiler's vectors */
        for (size_t i = 0; i < count; i++)
            job->samples[i] = (uint8_t)(most - job->samples[i]);
        return;
    }
    for (size_t i = 0; i < count; i += job->channels) {
        if (size == 1)
            job->samples[i] = (uint8_t)(most - job->samples[i]);
        else if (size == 2)
            words[i] = (uint16_t)(most - words[i]);
        else
            longs[i] = most - longs[i];
    }
}

/* The least number becomes 0, so that cells differ as numbers do. */
static void lift_signs(const tiff_job *job)
{
    uint16_t *words = (uint16_t *)(void *)job->samples;
    uint32_t *longs = (uint32_t *)(void *)job->samples;
    const size_t size = sample_size(job);
    for (size_t i = 0; i < job->cols; i++) {
        if (size == 1)
            job->samples[i] ^= 0x80u;
        else if (size == 2)
            words[i] ^= 0x8000u;
        else
            longs[i] ^= UINT32_C(1) << (job->bits - 1);
    }
}

/* Indices to colours, from the last on, for they take more room. */
static void look_up(const tiff_job *job)
{
    const uint16_t *words = (const uint16_t *)(const void *)job->samples;
    uint8_t *colours = job->samples;
    for (size_t i = job->cols; i-- > 0;) {
        const size_t index = job->bits > 8 ? words[i] : job->samples[i];
        for (size_t c = 0; c < 3; c++)
            colours[3 * i + c] =
                (uint8_t)(job->narrow_map ? job->map[c][index] : job->map[c][index] >> 8);
    }
}

static void unpack_row(const tiff_job *job, uint32_t row)
{
    const size_t step = job->planes > 1 ? job->channels : 1;
    const size_t pixel = job->planes > 1 ? 1 : job->channels; /* samples in one plane */
    const uint8_t *from = job->block + row % job->block_rows % job->kept_rows * job->row_bytes;
    for (uint16_t plane = 0; plane < job->planes; plane++) {
        for (uint32_t tile = 0; tile < job->across; tile++, from += job->kept_bytes) {
            const uint32_t col = tile * job->tile_cols, left = job->cols - col;
            const uint32_t cols = left < job->tile_cols ? left : job->tile_cols;
            unpack(job, from, cols * pixel, (size_t)col * job->channels + plane, step);
        }
    }
    if (job->photometric == PHOTOMETRIC_MINISWHITE)
        invert(job);
    if (job->photometric == PHOTOMETRIC_PALETTE)
        look_up(job);
    if (job->with_sign)
        lift_signs(job);
}

static void free_blocks(tiff_job *job)
{
    free(job->block);
    free(job->tile);
    free(job->samples);
    job->block = job->tile = job->samples = NULL;
}

static int read_page(tiff_job *job)
{
    job->row = 0;
    lib.TIFFGetField(job->tiff, TIFFTAG_IMAGEWIDTH, &job->cols);
    lib.TIFFGetField(job->tiff, TIFFTAG_IMAGELENGTH, &job->rows);
    if (job->rows == 0 || job->cols == 0)
        return fail_tiff(job, "it has no width or no height");
    if (read_kind(job) != 0 || read_layout(job) != 0 ||
        (job->photometric == PHOTOMETRIC_PALETTE && read_palette(job) != 0) || begin_page(job) != 0)
        return -1;
    job->pixels = true;
    for (uint32_t row = 0; row < job->rows; row++) {
        job->row = row;
        if (row % job->block_rows % job->kept_rows == 0 && read_block(job, row) != 0)
            return -1;
        unpack_row(job, row);
        if (image_put_row(job->builder, row, job->samples) != 0)
            return -1;
    }
    job->pixels = false;
    free_blocks(job);
    return 0;
}

/* ---- pages ---------------------------------------------------------------- */

static bool is_page(const tiff_job *job)
{
    uint32_t type = 0;
    lib.TIFFGetFieldDefaulted(job->tiff, TIFFTAG_SUBFILETYPE, &type);
    return (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0;
}

static int read_pages(tiff_job *job)
{
    uint32_t pages = 0, seen = 0;
    do
        pages += is_page(job);
    while (lib.TIFFReadDirectory(job->tiff));
    job->builder->band.pages = pages;
    if (job->text[0] || !lib.TIFFSetDirectory(job->tiff, 0))
        return fail_tiff(job, "its directories cannot be read");
    if (pages == 0) /* nothing but a copy */
        return read_page(job);
    do {
        if (!is_page(job))
            continue;
        if ((seen > 0 && image_end(job->builder) != 0) || read_page(job) != 0)
            return -1;
        seen++;
    } while (seen < pages && lib.TIFFReadDirectory(job->tiff));
    return seen == pages ? 0 : fail_tiff(job, "a page cannot be read");
}

/* A limit for each single allocation of libtiff. Blocks are counted by the builder. */
static TIFF *open_tiff(tiff_job *job)
{
    const uint64_t most = job->builder->limit.bytes;
    TIFFOpenOptions *options = lib.TIFFOpenOptionsAlloc();
    if (options == NULL)
        return NULL;
    lib.TIFFOpenOptionsSetMaxSingleMemAlloc(options,
                                            most < PTRDIFF_MAX ? (tmsize_t)most : PTRDIFF_MAX);
    lib.TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, job);
    lib.TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, job);
    TIFF *tiff = lib.TIFFClientOpenExt("TIFF", "r", job, on_read, on_write, on_seek, on_close,
                                       on_size, NULL, NULL, options);
    lib.TIFFOpenOptionsFree(options);
    return tiff;
}

int image_decode_tiff(const uint8_t *bytes, size_t length, image_builder *builder)
{
    tiff_job job = { .bytes = bytes, .length = length, .builder = builder };
    if (!library_there())
        return image_fail(&builder->error, "a TIFF picture, which libtiff reads: install libtiff6");
    job.tiff = open_tiff(&job);
    int status = job.tiff ? read_pages(&job) : fail_tiff(&job, "it cannot be opened");
    if (job.tiff)
        lib.TIFFClose(job.tiff);
    free_blocks(&job);
    return status;
}

#else

IMAGE_DECODER_MISSING(tiff, "TIFF", "libtiff-dev and pkg-config")

#endif
