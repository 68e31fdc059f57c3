/* pnm.c: portable bitmaps, greymaps and pixmaps (P1 to P6), to rows of samples.
 *
 *     P1 P4  bitmap, 1 is black: inverted, so that it equals a PNG of 1 bit
 *     P2 P5  grey, 0 .. maxval
 *     P3 P6  RGB, 0 .. maxval
 *
 * P1 to P3 are decimal text, P4 to P6 binary: eight pixels a byte, a byte a sample, or
 * two (high one first) when maxval > 255. A comment runs from # to the end of the line,
 * in the header and in a text raster. One blank separates header and binary raster.
 *
 * One pass; binary samples of a byte are handed on in place.
 */
#include "formats/images/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct pnm_job {
    const uint8_t *next, *end; /* the bytes not yet read */
    image_builder *builder;
    bool text, bitmap;
    unsigned channels;
    uint32_t rows, cols, maxval;
} pnm_job;

typedef enum token { TOKEN_OK, TOKEN_END, TOKEN_BAD } token;

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void skip_comment(pnm_job *job)
{
    while (job->next < job->end && *job->next != '\n' && *job->next != '\r')
        job->next++;
}

static void skip_blanks(pnm_job *job)
{
    while (job->next < job->end && (is_blank(*job->next) || *job->next == '#')) {
        if (*job->next == '#')
            skip_comment(job);
        else
            job->next++;
    }
}

/* A decimal number up to max. */
static token read_number(pnm_job *job, uint32_t max, uint32_t *value)
{
    skip_blanks(job);
    if (job->next == job->end)
        return TOKEN_END;
    if (!is_digit(*job->next))
        return TOKEN_BAD;
    uint64_t number = 0;
    for (; job->next < job->end && is_digit(*job->next); job->next++) {
        number = number * 10 + (uint64_t)(*job->next - '0');
        if (number > max)
            return TOKEN_BAD;
    }
    *value = (uint32_t)number;
    return TOKEN_OK;
}

/* One sample of a text bitmap; blanks between them may be left out. */
static token read_bit(pnm_job *job, uint32_t *value)
{
    skip_blanks(job);
    if (job->next == job->end)
        return TOKEN_END;
    if (*job->next != '0' && *job->next != '1')
        return TOKEN_BAD;
    *value = *job->next++ == '0';
    return TOKEN_OK;
}

/* ---- errors ----------------------------------------------------------- */

static int fail_truncated(const pnm_job *job, uint64_t row)
{
    return image_fail(&job->builder->error,
                      "truncated PNM: the data ends at row %" PRIu64 " of %" PRIu32
                      "; fetch or export the file again",
                      row + 1, job->rows);
}

static int fail_sample(const pnm_job *job, uint64_t row)
{
    return image_fail(&job->builder->error,
                      "malformed PNM: a sample in row %" PRIu64 " of %" PRIu32
                      " is not a number up to %" PRIu32 "; export the file again",
                      row + 1, job->rows, job->maxval);
}

/* ---- header ----------------------------------------------------------- */

static int header_number(pnm_job *job, const char *name, uint32_t max, uint32_t *value)
{
    token found = read_number(job, max, value);
    if (found == TOKEN_END)
        return image_fail(&job->builder->error,
                          "truncated PNM: the data ends before the %s; "
                          "fetch or export the file again",
                          name);
    if (found == TOKEN_BAD || *value == 0)
        return image_fail(&job->builder->error,
                          "malformed PNM: the %s is not a number from 1 to %" PRIu32
                          "; export the file again",
                          name, max);
    return 0;
}

/* The blank before a binary raster; a comment may stand in front of it. */
static int header_end(pnm_job *job)
{
    if (job->next < job->end && *job->next == '#')
        skip_comment(job);
    if (job->next == job->end)
        return fail_truncated(job, 0);
    if (!is_blank(*job->next++))
        return image_fail(&job->builder->error,
                          "malformed PNM: no blank after the header; export the file again");
    return 0;
}

static int read_header(pnm_job *job)
{
    int type = job->next[1] - '0';
    job->next += 2;
    job->text = type <= 3;
    job->bitmap = type == 1 || type == 4;
    job->channels = type == 3 || type == 6 ? 3 : 1;
    job->maxval = 1;
    if (header_number(job, "width", INT32_MAX, &job->cols) != 0 ||
        header_number(job, "height", INT32_MAX, &job->rows) != 0 ||
        (!job->bitmap && header_number(job, "maximum", UINT16_MAX, &job->maxval) != 0))
        return -1;
    return job->text ? 0 : header_end(job);
}

/* ---- raster ----------------------------------------------------------- */

static int text_row(pnm_job *job, uint64_t row, void *samples)
{
    size_t count = (size_t)job->cols * job->channels;
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        token found = job->bitmap ? read_bit(job, &value) : read_number(job, job->maxval, &value);
        if (found == TOKEN_END)
            return fail_truncated(job, row);
        if (found == TOKEN_BAD)
            return fail_sample(job, row);
        if (job->maxval > 255)
            ((uint16_t *)samples)[i] = (uint16_t)value;
        else
            ((uint8_t *)samples)[i] = (uint8_t)value;
    }
    return 0;
}

static void bitmap_row(const pnm_job *job, uint8_t *samples)
{
    for (size_t i = 0; i < job->cols; i++)
        samples[i] = !(job->next[i / 8] >> (7 - i % 8) & 1);
}

static int wide_row(const pnm_job *job, uint64_t row, uint16_t *samples)
{
    size_t count = (size_t)job->cols * job->channels;
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        samples[i] = (uint16_t)(job->next[2 * i] << 8 | job->next[2 * i + 1]);
        largest = samples[i] > largest ? samples[i] : largest;
    }
    return largest > job->maxval ? fail_sample(job, row) : 0;
}

static int byte_row(const pnm_job *job, uint64_t row)
{
    size_t count = (size_t)job->cols * job->channels;
    uint8_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = job->next[i] > largest ? job->next[i] : largest;
    return largest > job->maxval ? fail_sample(job, row) : 0;
}

static int read_text(pnm_job *job, void *samples)
{
    for (uint64_t row = 0; row < job->rows; row++)
        if (text_row(job, row, samples) != 0 || image_put_row(job->builder, row, samples) != 0)
            return -1;
    return 0;
}

static int read_binary(pnm_job *job, void *samples)
{
    uint64_t count = (uint64_t)job->cols * job->channels;
    uint64_t row_bytes = job->bitmap ? (count + 7) / 8 : job->maxval > 255 ? count * 2 : count;
    uint64_t whole = (uint64_t)(job->end - job->next) / row_bytes;
    if (whole < job->rows)
        return fail_truncated(job, whole);
    for (uint64_t row = 0; row < job->rows; row++, job->next += row_bytes) {
        const void *from = samples;
        int status = 0;
        if (job->bitmap) {
            bitmap_row(job, samples);
        } else if (job->maxval > 255) {
            status = wide_row(job, row, samples);
        } else {
            status = byte_row(job, row);
            from = job->next;
        }
        if (status != 0 || image_put_row(job->builder, row, from) != 0)
            return -1;
    }
    return 0;
}

/* Binary files may hold several pictures: say so rather than leave them out. */
static int check_single(pnm_job *job)
{
    skip_blanks(job);
    if (job->end - job->next >= 3 && job->next[0] == 'P' && job->next[1] >= '1' &&
        job->next[1] <= '7' && is_blank(job->next[2]))
        return image_fail(&job->builder->error,
                          "more than one picture in a PNM file; split it (pamsplit)");
    return 0;
}

bool image_is_pnm(const uint8_t *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
           (length == 2 || memchr(" \t\n\v\f\r#", bytes[2], 7) != NULL);
}

int image_decode_pnm(const uint8_t *bytes, size_t length, image_builder *builder)
{
    pnm_job job = { .next = bytes, .end = bytes + length, .builder = builder };
    builder->held_rows = 2; /* one, with 2 bytes a sample */
    if (read_header(&job) != 0 ||
        image_begin(builder, job.rows, job.cols, job.channels, job.maxval) != 0)
        return -1;
    void *samples = malloc((size_t)job.cols * job.channels * sizeof(uint16_t));
    if (samples == NULL)
        return image_fail(&builder->error, "out of memory for a row; cut the picture");
    int status = job.text ? read_text(&job, samples) : read_binary(&job, samples);
    free(samples);
    return status == 0 && !job.text ? check_single(&job) : status;
}
