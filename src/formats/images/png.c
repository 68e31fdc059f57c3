/* png.c: PNG through libpng, to rows of samples.
 *
 * Grey of 1, 2 and 4 bits is unpacked to a byte a pixel and keeps its values; a palette
 * becomes RGB, or RGBA when it has transparent entries; a colour that it lacks is damage. A single
 * transparent colour (tRNS of grey or RGB) is no sample as stored, and alpha in conversions. No
 * gamma, no background.
 *
 * Plain pictures go row by row through one buffer. Interlaced ones (Adam7) need all rows
 * in memory; a row is whole when the last pass has read it.
 *
 * libpng reports errors by longjmp. All state lives in one struct of the caller of
 * setjmp, nothing else survives the jump, and everything is freed in one place.
 *
 * Strict: a wrong checksum in any chunk and a missing end are errors.
 */
#include "formats/images/decoder.h"

#include <string.h>

bool image_is_png(const uint8_t *bytes, size_t length)
{
    static const char signature[] = "\x89PNG";
    return length > 0 && bytes[0] == 0x89 && (length < 4 || memcmp(bytes, signature, 4) == 0);
}

#ifdef TRAWL_HAVE_PNG

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct png_job {
    const uint8_t *next, *end; /* the bytes not yet read */
    image_builder *builder;
    png_structp png;
    png_infop info;
    uint8_t *samples; /* one row, or all rows when interlaced */
    uint8_t *colours; /* with a palette: of one row */
    unsigned channels;
    uint32_t rows; /* 0 until the pixels begin */
    uint32_t row;  /* the row being read */
    int pass, passes;
    bool truncated, out_of_memory;
    char text[80]; /* what libpng says */
} png_job;

static void on_error(png_structp png, png_const_charp text)
{
    png_job *job = png_get_error_ptr(png);
    snprintf(job->text, sizeof job->text, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size)
{
    png_job *job = png_get_mem_ptr(png);
    void *memory = malloc(size);
    job->out_of_memory = memory == NULL;
    return memory;
}

static void on_free(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void on_read(png_structp png, png_bytep to, size_t count)
{
    png_job *job = png_get_io_ptr(png);
    if ((size_t)(job->end - job->next) < count) {
        job->truncated = true;
        png_error(png, "unexpected end");
    }
    memcpy(to, job->next, count);
    job->next += count;
}

/* Ask libpng for samples as builder.h wants them, and fix the shape. */
static int begin(png_job *job)
{
    png_structp png = job->png;
    png_infop info = job->info;
    int type = png_get_color_type(png, info);
    unsigned channels = png_get_channels(png, info);
    unsigned bits = png_get_bit_depth(png, info);
    bool transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    const uint16_t one = 1;
    const bool palette = type == PNG_COLOR_TYPE_PALETTE;
    if (palette) { /* look_up makes colours of numbers */
        png_set_packing(png);
        channels = transparent ? 4 : 3;
        bits = 8;
    } else if (transparent && job->builder->as != IMAGE_AS_STORED) {
        png_set_tRNS_to_alpha(png);
        channels++;
        bits = bits < 8 ? 8 : bits;
    } else {
        png_set_packing(png);
    }
    if (bits == 16 && *(const uint8_t *)&one == 1)
        png_set_swap(png);
    uint32_t cols = png_get_image_width(png, info), rows = png_get_image_height(png, info);
    bool interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    job->builder->held_rows = 2 + (interlaced ? (uint64_t)rows : 1); /* libpng has two of its own */
    if (image_begin(job->builder, rows, cols, channels, (1u << bits) - 1) != 0)
        return -1;
    job->passes = png_set_interlace_handling(png);
    job->channels = channels;
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) !=
        (size_t)cols * (palette ? 1 : channels) * (bits == 16 ? 2 : 1))
        png_error(png, "unexpected length of a row");
    job->colours = palette ? malloc((size_t)cols * channels) : NULL;
    if (palette && job->colours == NULL)
        return image_fail(&job->builder->error, "out of memory for a row; cut the picture");
    return 0;
}

/* libpng would take numbers that the palette does not have for black. */
static const uint8_t *look_up(png_job *job, const uint8_t *numbers)
{
    const size_t cols = png_get_image_width(job->png, job->info);
    png_colorp palette = NULL;
    png_bytep alpha = NULL;
    int count = 0, alphas = 0;
    png_get_PLTE(job->png, job->info, &palette, &count);
    png_get_tRNS(job->png, job->info, &alpha, &alphas, NULL);
    uint8_t *to = job->colours;
    for (size_t i = 0; i < cols; i++, to += job->channels) {
        if (numbers[i] >= count)
            png_error(job->png, "a pixel's colour is not in the palette");
        const png_color *colour = &palette[numbers[i]];
        to[0] = colour->red;
        to[1] = colour->green;
        to[2] = colour->blue;
        if (job->channels == 4)
            to[3] = numbers[i] < alphas ? alpha[numbers[i]] : 255;
    }
    return job->colours;
}

static int put_row(png_job *job, const uint8_t *samples)
{
    return image_put_row(job->builder, job->row, job->colours ? look_up(job, samples) : samples);
}

static int read_rows(png_job *job)
{
    size_t row_bytes = png_get_rowbytes(job->png, job->info);
    bool interlaced = job->passes > 1;
    job->rows = png_get_image_height(job->png, job->info);
    job->samples = calloc(interlaced ? job->rows : 1, row_bytes);
    if (job->samples == NULL)
        return image_fail(&job->builder->error, "out of memory for the rows; cut the picture");
    for (job->pass = 0; job->pass < job->passes; job->pass++) {
        for (job->row = 0; job->row < job->rows; job->row++) {
            uint8_t *samples = job->samples + (interlaced ? job->row * row_bytes : 0);
            png_read_row(job->png, samples, NULL);
            if (job->pass == job->passes - 1 && put_row(job, samples) != 0)
                return -1;
        }
    }
    return 0;
}

static int decode(png_job *job)
{
    png_set_read_fn(job->png, job, on_read);
    png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* image_begin limits */
    png_set_chunk_cache_max(job->png, 1); /* no texts, which may be large once decompressed */
    png_set_crc_action(job->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_info(job->png, job->info);
    if (begin(job) != 0 || read_rows(job) != 0)
        return -1;
    png_read_end(job->png, NULL);
    return 0;
}

/* decode, with libpng's jumps caught: 1 when it gave up. */
static int guarded_decode(png_job *job)
{
    if (setjmp(png_jmpbuf(job->png)))
        return 1;
    return decode(job);
}

static int fail_png(const png_job *job)
{
    char place[64];
    if (job->rows == 0)
        snprintf(place, sizeof place, "before the first row");
    else if (job->pass == job->passes)
        snprintf(place, sizeof place, "after the last row");
    else if (job->passes > 1)
        snprintf(place, sizeof place, "in interlace pass %d of %d", job->pass + 1, job->passes);
    else
        snprintf(place, sizeof place, "at row %lu of %lu", (unsigned long)job->row + 1,
                 (unsigned long)job->rows);
    if (job->out_of_memory)
        return image_fail(&job->builder->error, "out of memory for reading the PNG, %s", place);
    if (job->truncated)
        return image_fail(&job->builder->error,
                          "truncated PNG: the data ends %s; fetch or export the file again", place);
    return image_fail(&job->builder->error, "corrupt PNG: %s, %s; fetch or export the file again",
                      job->text, place);
}

int image_decode_png(const uint8_t *bytes, size_t length, image_builder *builder)
{
    png_job job = { .next = bytes, .end = bytes + length, .builder = builder };
    int status = -1;
    job.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning, &job,
                                       on_malloc, on_free);
    if (job.png != NULL)
        job.info = png_create_info_struct(job.png);
    if (job.info == NULL && job.out_of_memory)
        fail_png(&job);
    else if (job.info == NULL)
        image_fail(&builder->error, "libpng does not start (it has version %s); rebuild Trawl",
                   png_get_libpng_ver(NULL));
    else
        status = guarded_decode(&job);
    if (status > 0)
        status = fail_png(&job);
    png_destroy_read_struct(&job.png, &job.info, NULL);
    free(job.samples);
    free(job.colours);
    return status;
}

#else

IMAGE_DECODER_MISSING(png, "PNG", "libpng-dev")

#endif
