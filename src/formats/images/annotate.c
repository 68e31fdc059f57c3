/* annotate.c: a picture is read again band by band and written as PNG, with frames.
 *
 * Idea. Rows go straight from the bands into the PNG, so memory holds a band and the frames. Frames
 * rise by row: those that may touch a row are a window of the list, which moves down with it.
 *
 * The file takes its place when it is whole (sources/replace.h), so nothing is lost by an error.
 *
 * Cost. A pass over the picture, and each frame's own cells.
 */
#include "formats/images/annotate.h"
#include "formats/images/builder.h"
#include "formats/sources/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef TRAWL_HAVE_PNG

#include <png.h>
#include <setjmp.h>

typedef struct annotation {
    const image_frame *frames;
    size_t count, first; /* no frame before `first` reaches the next row */
    uint64_t tallest;
    const char *to;
    replacement made; /* no file before the first band */
    png_structp png;
    png_infop info;
    uint8_t *row; /* RGB */
    image_error error;
    bool failed;
} annotation;

static int fail_png(annotation *a, const char *what)
{
    a->failed = true;
    return image_fail(&a->error, "%s: cannot be written: %s", a->to, what);
}

static void on_error(png_structp png, png_const_charp text)
{
    fail_png(png_get_error_ptr(png), errno ? strerror(errno) : text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* ---- frames --------------------------------------------------------------- */

static void draw(annotation *a, uint64_t from, uint64_t to, uint64_t cols, uint32_t colour)
{
    for (uint64_t col = from; col <= to && col < cols; col++)
        for (int c = 0; c < 3; c++)
            a->row[3 * col + (uint64_t)c] = (uint8_t)(colour >> 8 * c);
}

/* One cell around the rectangle. */
static void draw_frames(annotation *a, uint64_t row, uint64_t cols)
{
    while (a->first < a->count && a->frames[a->first].row + a->tallest < row)
        a->first++;
    for (size_t i = a->first; i < a->count && a->frames[i].row <= row + 1; i++) {
        const image_frame *f = &a->frames[i];
        const uint64_t left = f->col > 0 ? f->col - 1 : 0, right = f->col + f->cols;
        if (row > f->row + f->rows)
            continue;
        if (row + 1 == f->row || row == f->row + f->rows) {
            draw(a, left, right, cols, f->colour);
        } else {
            if (f->col > 0)
                draw(a, left, left, cols, f->colour);
            draw(a, right, right, cols, f->colour);
        }
    }
}

/* ---- rows ------------------------------------------------------------------- */

static void begin(annotation *a, const image_band *band)
{
    png_init_io(a->png, a->made.file);
    png_set_IHDR(a->png, a->info, (png_uint_32)band->picture->cols, (png_uint_32)band->rows, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(a->png, 3);
    png_write_info(a->png, a->info);
}

static void take_cells(annotation *a, const image *picture, uint64_t row)
{
    const size_t cols = (size_t)picture->cols;
    const uint8_t *grey = (const uint8_t *)picture->cells + row * cols;
    const uint32_t *packed = (const uint32_t *)picture->cells + row * cols;
    for (size_t i = 0; i < cols; i++)
        for (int c = 0; c < 3; c++)
            a->row[3 * i + (size_t)c] =
                picture->cell_size == 1 ? grey[i] : (uint8_t)(packed[i] >> 8 * c);
}

/* libpng's jumps end here. */
static int write_band(annotation *a, const image_band *band)
{
    if (setjmp(png_jmpbuf(a->png)))
        return 1;
    if (band->first == 0)
        begin(a, band);
    for (uint64_t row = 0; row < band->own; row++) {
        take_cells(a, band->picture, row);
        draw_frames(a, band->first + row, band->picture->cols);
        png_write_row(a->png, a->row);
    }
    if (band->first + band->own == band->rows)
        png_write_end(a->png, a->info);
    return 0;
}

/* The picture can be written: only now anything is. */
static int begin_file(annotation *a, const image_band *band)
{
    a->row = malloc((size_t)band->picture->cols * 3);
    if (a->row == NULL)
        return fail_png(a, "out of memory for a row");
    return replace_begin(&a->made, a->to) ? 0 : fail_png(a, strerror(errno));
}

static int take_band(const image_band *band, void *user)
{
    annotation *a = user;
    if (band->pages > 1 || band->picture->cols > PNG_UINT_31_MAX || band->rows > PNG_UINT_31_MAX)
        return fail_png(a, band->pages > 1 ? "the picture has several pages; split it"
                                           : "it is larger than a PNG may be");
    if (band->first == 0 && begin_file(a, band) != 0)
        return -1;
    return write_band(a, band);
}

static int write_file(annotation *a, const char *from, const image_request *request)
{
    a->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, a, on_error, on_warning);
    a->info = a->png ? png_create_info_struct(a->png) : NULL;
    if (a->info == NULL)
        return fail_png(a, "out of memory");
    const int status = image_read_bands(from, request, take_band, a, a->error.text, a->error.size);
    return a->failed ? -1 : status;
}

int image_annotate(const char *from, const image_request *request, const image_frame *frames,
                   size_t count, const char *to, char *message, size_t message_size)
{
    annotation a = { .frames = frames, .count = count, .to = to };
    image_request again = *request;
    again.as = request->raw && request->raw->cell_size ? IMAGE_AS_GREY : IMAGE_AS_RGB;
    again.overlap = 0;
    a.error = (image_error){ message, message_size };
    for (size_t i = 0; i < count; i++)
        a.tallest = frames[i].rows > a.tallest ? frames[i].rows : a.tallest;
    int status = write_file(&a, from, &again);
    png_destroy_write_struct(&a.png, &a.info);
    free(a.row);
    if (a.made.file && !replace_end(&a.made, status == 0) && status == 0)
        status = fail_png(&a, strerror(errno));
    return status;
}

#else

int image_annotate(const char *from, const image_request *request, const image_frame *frames,
                   size_t count, const char *to, char *message, size_t message_size)
{
    image_error error = { message, message_size };
    (void)from;
    (void)request;
    (void)frames;
    (void)count;
    return image_fail(&error,
                      "%s: Trawl was built without PNG; install libpng-dev and build it "
                      "again",
                      to);
}

#endif
