/* jpeg.c: JPEG through libjpeg-turbo, to rows of samples.
 *
 * Grey stays grey, YCbCr becomes RGB, by the accurate integer transform and with smoothed chroma:
 * the pixels that most programs see. JPEG keeps no exact pixels, so a needle that was cut out and
 * stored as JPEG again is not found; one cut out as PNG is.
 *
 * libjpeg reports errors by longjmp. All state lives in one struct of the caller of setjmp, and
 * everything is freed in one place.
 *
 * Pixels stay where they are stored: what EXIF says of how a camera was held is told, not applied.
 *
 * Strict: a warning (cut or damaged data, which libjpeg fills with grey) is an error. The memory of
 * a progressive picture, all its coefficients, counts; its scans are limited, for a small file can
 * have thousands of them.
 */
#include "formats/images/decoder.h"

#include <string.h>

bool image_is_jpeg(const uint8_t *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

#ifdef TRAWL_HAVE_JPEG

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
/* jpeglib.h needs stdio.h and stddef.h first */
#include <jerror.h>
#include <jpeglib.h>

#define MAX_SCANS 500
#define EXIF_MARKER (JPEG_APP0 + 1)
#define EXIF_BYTES 4096u /* of which the orientation is among the first */

typedef struct jpeg_job {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf give_up;
    image_builder *builder;
    uint8_t *samples; /* a row */
    char text[JMSG_LENGTH_MAX];
} jpeg_job;

static void on_error(j_common_ptr jpeg)
{
    jpeg_job *job = jpeg->client_data;
    jpeg->err->format_message(jpeg, job->text);
    longjmp(job->give_up, 1);
}

/* Warnings have a level below 0; these three touch no pixel. */
static void on_message(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM &&
        code != JWRN_JFIF_MAJOR)
        on_error(jpeg);
}

static void on_progress(j_common_ptr jpeg)
{
    jpeg_job *job = jpeg->client_data;
    if (job->jpeg.input_scan_number > MAX_SCANS) {
        snprintf(job->text, sizeof job->text, "more than %d scans", MAX_SCANS);
        longjmp(job->give_up, 1);
    }
}

static unsigned exif_number(const uint8_t *p, unsigned bytes, bool big)
{
    unsigned number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (unsigned)p[big ? bytes - 1 - i : i] << 8 * i;
    return number;
}

/* The orientation that a marker of EXIF names: a TIFF after six bytes; 0: none. */
static unsigned exif_orientation(const uint8_t *marker, size_t length)
{
    static const uint8_t name[6] = "Exif\0";
    if (length < 14 || memcmp(marker, name, sizeof name) != 0)
        return 0;
    const uint8_t *tiff = marker + sizeof name;
    const size_t size = length - sizeof name;
    const bool big = tiff[0] == 'M';
    const size_t table = exif_number(tiff + 4, 4, big);
    if (table > size - 2)
        return 0;
    const unsigned count = exif_number(tiff + table, 2, big);
    for (unsigned i = 0; i < count && table + 2 + 12 * (i + 1) <= size; i++) {
        const uint8_t *entry = tiff + table + 2 + 12 * i; /* tag, type, count, value */
        if (exif_number(entry, 2, big) == 0x112)
            return exif_number(entry + 8, 2, big);
    }
    return 0;
}

static int begin(jpeg_job *job)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    const bool grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    const uint64_t rows = jpeg->image_height;
    if (!grey && jpeg->jpeg_color_space != JCS_YCbCr && jpeg->jpeg_color_space != JCS_RGB)
        return image_fail(&job->builder->error,
                          "a JPEG of %d components (CMYK or unknown), which Trawl does not read; "
                          "convert it to RGB",
                          jpeg->num_components);
    jpeg->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    /* A row, and libjpeg's: two rows of blocks, or all coefficients, two bytes each. */
    job->builder->held_rows = 33 + (jpeg_has_multiple_scans(jpeg) ? 2 * rows : 0);
    if (image_begin(job->builder, rows, jpeg->image_width, grey ? 1 : 3, 255) != 0)
        return -1;
    unsigned orientation = 0;
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m && !orientation; m = m->next)
        orientation = exif_orientation(m->data, m->data_length);
    image_oriented(job->builder, orientation);
    return 0;
}

static int decode(jpeg_job *job, const uint8_t *bytes, size_t length)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->client_data = job;
    jpeg->progress = &job->progress;
    job->progress.progress_monitor = on_progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)length);
    jpeg_save_markers(jpeg, EXIF_MARKER, EXIF_BYTES);
    jpeg_read_header(jpeg, TRUE);
    if (begin(job) != 0)
        return -1;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(jpeg);
    job->samples = malloc((size_t)jpeg->output_width * (size_t)jpeg->output_components);
    if (job->samples == NULL)
        return image_fail(&job->builder->error, "out of memory for a row; cut the picture");
    while (jpeg->output_scanline < jpeg->output_height) {
        const uint64_t row = jpeg->output_scanline;
        JSAMPROW to = job->samples;
        jpeg_read_scanlines(jpeg, &to, 1);
        if (image_put_row(job->builder, row, job->samples) != 0)
            return -1;
    }
    jpeg_finish_decompress(jpeg);
    return 0;
}

/* decode, with libjpeg's jumps caught: 1 when it gave up. */
static int guarded_decode(jpeg_job *job, const uint8_t *bytes, size_t length)
{
    if (setjmp(job->give_up))
        return 1;
    return decode(job, bytes, length);
}

int image_decode_jpeg(const uint8_t *bytes, size_t length, image_builder *builder)
{
    jpeg_job job;
    memset(&job, 0, sizeof job);
    job.builder = builder;
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.jpeg.client_data = &job;
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    int status = guarded_decode(&job, bytes, length);
    if (status > 0)
        status = image_fail(&builder->error,
                            "corrupt or truncated JPEG: %s, at row %lu of %lu; fetch or export "
                            "the file again",
                            job.text, (unsigned long)job.jpeg.output_scanline + 1,
                            (unsigned long)job.jpeg.image_height);
    jpeg_destroy_decompress(&job.jpeg);
    free(job.samples);
    return status;
}

#else

IMAGE_DECODER_MISSING(jpeg, "JPEG", "libjpeg62-turbo-dev and pkg-config")

#endif
