/* bmp.c: Windows bitmaps, to rows of samples.
 *
 *     1, 4, 8 bits    a palette: its colours, RGB, as of a PNG; also run-length encoded (RLE4,
 * RLE8) 16, 32 bits     RGB by masks, or 5 bits a colour; RGBA when the header names a mask of
 * alpha 24 bits         RGB
 *
 * Layout: a file header of 14 bytes, the header (12 bytes: OS/2; 40 and more: Windows, which grew
 * in time), masks, palette, rows. Numbers are little-endian. Rows are padded to 4 bytes and stand
 * upside down unless the height is negative. Run lengths go from the bottom left on and may jump;
 * what they pass by is colour 0.
 *
 * A field of less than 8 bits is scaled to 8, as by all who show it: v * 255 / most, rounded.
 *
 * Strict: a row that is not there, a run beyond its row, an index without a colour are errors.
 * Cost: one pass; run lengths are unpacked whole, a byte a pixel.
 */
#include "formats/images/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEADER = 14,
    OS2_HEADER = 12,
    WINDOWS_HEADER = 40,
    LAST_HEADER = 124,
    ALPHA_HEADER = 56 /* from here on the header holds a mask of alpha, too */
};

typedef enum packing { PLAIN = 0, RLE8 = 1, RLE4 = 2, FIELDS = 3, ALPHA_FIELDS = 6 } packing;

typedef struct field {
    uint32_t mask, shift, most;
} field;

typedef struct bmp_job {
    const uint8_t *bytes;
    size_t length;
    image_builder *builder;
    uint32_t header, rows, cols, bits, packing;
    bool upside_down; /* as usual */
    size_t pixels;    /* offset of the rows */
    size_t row_bytes;
    const uint8_t *palette;
    uint32_t colours, entry; /* bytes of an entry */
    unsigned channels;
    field fields[4];
    uint8_t *indices; /* of run lengths, unpacked */
    uint8_t *samples;
} bmp_job;

static uint32_t read_16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t read_32(const uint8_t *p)
{
    return read_16(p) | read_16(p + 2) << 16;
}

bool image_is_bmp(const uint8_t *bytes, size_t length)
{
    if (length < 2 || memcmp(bytes, "BM", 2) != 0)
        return false;
    if (length < FILE_HEADER + 4)
        return true;
    const uint32_t header = read_32(bytes + FILE_HEADER);
    return header == OS2_HEADER || (header >= WINDOWS_HEADER && header <= LAST_HEADER);
}

/* ---- errors ----------------------------------------------------------- */

static int fail_truncated(const bmp_job *job, const char *where)
{
    return image_fail(&job->builder->error,
                      "truncated BMP: the data ends in %s; fetch or export the file again", where);
}

static int fail_row(const bmp_job *job, const char *what, uint64_t row)
{
    return image_fail(&job->builder->error,
                      "corrupt BMP: %s, at row %" PRIu64 " of %" PRIu32 "; fetch or export the "
                      "file again",
                      what, row + 1, job->rows);
}

static int fail_kind(const bmp_job *job)
{
    return image_fail(&job->builder->error,
                      "a BMP of %" PRIu32 " bits a pixel and compression %" PRIu32
                      ", which Trawl does not read; convert it to PNG",
                      job->bits, job->packing);
}

/* ---- the header -------------------------------------------------------- */

static int read_shape(bmp_job *job)
{
    const uint8_t *h = job->bytes + FILE_HEADER;
    if (job->length < FILE_HEADER + 4)
        return fail_truncated(job, "the header");
    job->header = read_32(h);
    if (job->length < (size_t)FILE_HEADER + job->header)
        return fail_truncated(job, "the header");
    int64_t rows, cols;
    if (job->header == OS2_HEADER) {
        cols = read_16(h + 4);
        rows = read_16(h + 6);
        job->bits = read_16(h + 10);
        job->entry = 3;
    } else {
        cols = (int32_t)read_32(h + 4);
        rows = (int32_t)read_32(h + 8);
        job->bits = read_16(h + 14);
        job->packing = read_32(h + 16);
        job->colours = read_32(h + 32);
        job->entry = 4;
    }
    job->upside_down = rows > 0;
    rows = rows < 0 ? -rows : rows;
    if (rows == 0 || cols <= 0 || rows > INT32_MAX)
        return image_fail(&job->builder->error, "corrupt BMP: it has no width or no height; export "
                                                "it again");
    job->rows = (uint32_t)rows;
    job->cols = (uint32_t)cols;
    return 0;
}

/* A mask's bits must stand side by side. */
static bool set_field(field *f, uint32_t mask)
{
    *f = (field){ mask, 0, mask };
    while (f->most && (f->most & 1) == 0) {
        f->most >>= 1;
        f->shift++;
    }
    return (f->most & (f->most + 1)) == 0;
}

/* The masks of 16 and 32 bits: in the header, after one that has none, or the usual ones. */
static int read_fields(bmp_job *job)
{
    static const uint32_t five[] = { 0x7C00, 0x03E0, 0x001F }, eight[] = { 0xFF0000, 0xFF00, 0xFF };
    const uint32_t *usual = job->bits == 16 ? five : eight;
    const bool given = job->packing == FIELDS || job->packing == ALPHA_FIELDS;
    const bool alpha = job->packing == ALPHA_FIELDS || (given && job->header >= ALPHA_HEADER);
    const uint8_t *masks = job->bytes + FILE_HEADER + WINDOWS_HEADER;
    if (given && job->length < (size_t)FILE_HEADER + WINDOWS_HEADER + (alpha ? 16 : 12))
        return fail_truncated(job, "the masks");
    for (int i = 0; i < 4; i++) {
        const uint32_t mask =
            i < 3 ? (given ? read_32(masks + 4 * i) : usual[i]) : (alpha ? read_32(masks + 12) : 0);
        if (!set_field(&job->fields[i], mask) || (i < 3 && mask == 0))
            return image_fail(&job->builder->error,
                              "corrupt BMP: a colour's mask is %08" PRIx32 "; export it again",
                              mask);
    }
    job->channels = job->fields[3].mask ? 4 : 3;
    return 0;
}

static int read_palette(bmp_job *job)
{
    const size_t at = FILE_HEADER + (size_t)job->header;
    if (job->colours == 0 || job->colours > 1u << job->bits)
        job->colours = 1u << job->bits;
    /* The rows may begin earlier than a whole palette would end. */
    if (job->pixels > at && (job->pixels - at) / job->entry < job->colours)
        job->colours = (uint32_t)((job->pixels - at) / job->entry);
    if (job->length < at + (size_t)job->colours * job->entry)
        return fail_truncated(job, "the palette");
    job->palette = job->bytes + at;
    job->channels = 3;
    return 0;
}

static int read_header(bmp_job *job)
{
    if (read_shape(job) != 0)
        return -1;
    job->pixels = read_32(job->bytes + 10);
    job->row_bytes = (size_t)(((uint64_t)job->cols * job->bits + 31) / 32 * 4);
    job->channels = 3;
    const bool runs = job->packing == RLE8 || job->packing == RLE4;
    switch (job->bits) {
    case 1:
    case 4:
    case 8:
        if (job->packing != PLAIN && !(job->packing == RLE8 && job->bits == 8) &&
            !(job->packing == RLE4 && job->bits == 4))
            return fail_kind(job);
        if (read_palette(job) != 0)
            return -1;
        break;
    case 16:
    case 32:
        if (runs || (job->packing > FIELDS && job->packing != ALPHA_FIELDS))
            return fail_kind(job);
        if (read_fields(job) != 0)
            return -1;
        break;
    case 24:
        if (job->packing != PLAIN)
            return fail_kind(job);
        break;
    default:
        return fail_kind(job);
    }
    if (job->pixels > job->length)
        return fail_truncated(job, "the header");
    job->builder->held_rows = 1 + (runs ? ((uint64_t)job->rows + 2) / 3 : 0);
    return image_begin(job->builder, job->rows, job->cols, job->channels, 255);
}

/* ---- run lengths ------------------------------------------------------- */

typedef struct run_place {
    const uint8_t *next, *end;
    uint64_t row, col; /* row 0 is the bottom */
} run_place;

/* `count` pixels of the bytes at `from`; of one byte, over and over, when it is a run. */
static int put_run(bmp_job *job, run_place *at, const uint8_t *from, uint32_t count, bool one)
{
    if (at->row >= job->rows || count > job->cols - at->col)
        return fail_row(job, "a run beyond its row", at->row < job->rows ? at->row : job->rows - 1);
    uint8_t *to = job->indices + at->row * job->cols + at->col;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t byte = from[one ? 0 : job->bits == 8 ? i : i / 2];
        to[i] = job->bits == 8 ? byte : i % 2 ? byte & 15 : byte >> 4;
    }
    at->col += count;
    return 0;
}

/* What follows a 0: 0 end of the row, 1 end of the picture, 2 a jump, else the number of pixels
 * that follow as they are. 1: the picture has ended. */
static int take_escape(bmp_job *job, run_place *at, uint32_t code)
{
    if (code == 0) {
        at->row++;
        at->col = 0;
        return 0;
    }
    if (code == 1)
        return 1;
    const size_t bytes = code == 2 ? 2 : job->bits == 8 ? code : (code + 1) / 2;
    const size_t padded = (bytes + 1) / 2 * 2, left = (size_t)(at->end - at->next);
    if (left < bytes)
        return fail_truncated(job, "the runs");
    const uint8_t *from = at->next;
    at->next += left < padded ? left : padded;
    if (code != 2)
        return put_run(job, at, from, code, false);
    at->col += from[0];
    at->row += from[1];
    if (at->col > job->cols || at->row > job->rows)
        return fail_row(job, "a jump out of the picture", job->rows - 1);
    return 0;
}

static int unpack_runs(bmp_job *job)
{
    run_place at = { job->bytes + job->pixels, job->bytes + job->length, 0, 0 };
    job->indices = calloc(job->rows, job->cols);
    if (job->indices == NULL)
        return image_fail(&job->builder->error, "out of memory for the runs; cut the picture");
    int status = 0;
    while (status == 0) {
        if (at.end - at.next < 2) /* the end may be left out when all rows are there */
            return at.row + 1 >= job->rows ? 0 : fail_truncated(job, "the runs");
        const uint8_t *pair = at.next;
        at.next += 2;
        status =
            pair[0] ? put_run(job, &at, pair + 1, pair[0], true) : take_escape(job, &at, pair[1]);
    }
    return status < 0 ? -1 : 0;
}

/* ---- rows --------------------------------------------------------------- */

static int palette_row(const bmp_job *job, uint64_t row, const uint8_t *from)
{
    for (uint32_t i = 0; i < job->cols; i++) {
        const uint32_t in_byte = 8 / job->bits; /* pixels */
        const uint32_t index = job->indices
                                   ? from[i]
                                   : from[i / in_byte] >> (in_byte - 1 - i % in_byte) * job->bits &
                                         ((1u << job->bits) - 1);
        if (index >= job->colours)
            return fail_row(job, "an index without a colour", row);
        const uint8_t *colour = job->palette + index * job->entry;
        for (int c = 0; c < 3; c++)
            job->samples[3 * i + c] = colour[2 - c];
    }
    return 0;
}

static uint8_t take_field(const field *f, uint32_t pixel)
{
    const uint64_t value = (pixel & f->mask) >> f->shift;
    return (uint8_t)((value * 255 + f->most / 2) / f->most);
}

static void field_row(const bmp_job *job, const uint8_t *from)
{
    uint8_t *to = job->samples;
    for (uint32_t i = 0; i < job->cols; i++) {
        const uint32_t pixel = job->bits == 16 ? read_16(from + 2 * i) : read_32(from + 4 * i);
        for (unsigned c = 0; c < job->channels; c++)
            *to++ = take_field(&job->fields[c], pixel);
    }
}

static void plain_row(const bmp_job *job, const uint8_t *from)
{
    for (size_t i = 0; i < job->cols; i++)
        for (size_t c = 0; c < 3; c++)
            job->samples[3 * i + c] = from[3 * i + 2 - c];
}

static int read_rows(bmp_job *job)
{
    const uint8_t *pixels = job->indices ? job->indices : job->bytes + job->pixels;
    const uint64_t row_bytes = job->indices ? job->cols : job->row_bytes;
    const uint64_t whole = job->indices ? job->rows : (job->length - job->pixels) / row_bytes;
    for (uint64_t row = 0; row < job->rows; row++) {
        const uint64_t place = job->upside_down ? job->rows - 1 - row : row;
        if (place >= whole)
            return fail_row(job, "the data ends before its end", row);
        const uint8_t *from = pixels + place * row_bytes;
        if (job->bits <= 8 && palette_row(job, row, from) != 0)
            return -1;
        if (job->bits == 24)
            plain_row(job, from);
        else if (job->bits > 8)
            field_row(job, from);
        if (image_put_row(job->builder, row, job->samples) != 0)
            return -1;
    }
    return 0;
}

int image_decode_bmp(const uint8_t *bytes, size_t length, image_builder *builder)
{
    bmp_job job = { .bytes = bytes, .length = length, .builder = builder };
    int status = read_header(&job);
    if (status == 0 && (job.samples = malloc((size_t)job.cols * job.channels)) == NULL)
        status = image_fail(&builder->error, "out of memory for a row; cut the picture");
    if (status == 0 && (job.packing == RLE8 || job.packing == RLE4))
        status = unpack_runs(&job);
    if (status == 0)
        status = read_rows(&job);
    free(job.indices);
    free(job.samples);
    return status;
}
