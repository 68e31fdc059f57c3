/* image.c: pictures and rasters are read.
 *
 * Idea. The format is told by the first bytes; its decoder (decoder.h) reads the picture through a
 * builder. Raw rasters are cells already.
 *
 * Files are read into memory first, but where a decoder reads them in pieces.
 *
 * Invariant. A read ends with a whole picture or with cells == NULL and a message.
 *
 * Cost. One pass over the samples.
 */
#include "formats/images/image.h"
#include "formats/images/decoder.h"
#include "formats/sources/compressed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void image_free(image *picture)
{
    if (picture == NULL)
        return;
    free(picture->cells);
    memset(picture, 0, sizeof *picture);
}

/* ---- the formats ------------------------------------------------------ */

#define DECODER_ENTRY(name, title, files) { image_is_##name, image_decode_##name, files },
#define TITLE(name, title, files) ", " title

typedef struct decoder {
    bool (*recognise)(const uint8_t *bytes, size_t length);
    int (*decode)(const uint8_t *bytes, size_t length, image_builder *builder);
    bool files; /* reads builder.file in pieces, when there is one */
} decoder;

static const decoder decoders[] = { IMAGE_DECODERS(DECODER_ENTRY) };

/* NULL when the format is none of the table. */
static const decoder *find_decoder(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
        if (decoders[i].recognise(bytes, length))
            return &decoders[i];
    return NULL;
}

static int fail_unknown(const uint8_t *bytes, size_t length, const image_error *error)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *name;
    } others[] = {
        { "GIF8", 4, "GIF" },
        { "P7", 2, "PAM" },
        { "PF", 2, "PFM" },
        { "Pf", 2, "PFM" },
        { "\xff\x4f\xff\x51", 4, "JPEG 2000" },
    };
    static const char titles[] = IMAGE_DECODERS(TITLE);
    const char *compressed = compressed_kind(bytes, length);
    if (length == 0)
        return image_fail(error, "empty: no picture; fetch or export the file again");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (length >= others[i].length && memcmp(bytes, others[i].magic, others[i].length) == 0)
            return image_fail(error, "looks like %s, which Trawl does not read; convert it to PNG",
                              others[i].name);
    if (compressed)
        return image_fail(error, "is compressed (%s), no picture; decompress it first: %s FILE",
                          compressed, compressed_remedy(compressed));
    return image_fail(
        error, "none of %s; convert it to PNG, or give the shape and the type of a raw raster",
        titles + strlen(", "));
}

/* Read what `bytes` begin, or the builder's file, through the builder. 1: the caller wants no more
 * bands. */
static int decode(const uint8_t *bytes, size_t length, image_builder *builder)
{
    const decoder *found = find_decoder(bytes, length);
    memset(builder->out, 0, sizeof *builder->out);
    int status = found ? found->decode(bytes, length, builder)
                       : fail_unknown(bytes, length, &builder->error);
    if (status == 0)
        status = image_end(builder);
    image_builder_close(builder);
    if (status != 0 || builder->fn)
        image_free(builder->out);
    return builder->ended ? 1 : status;
}

int image_decode(const void *bytes, size_t length, image_as as, image_limit limit,
                 image_intern *table, image *out, char *message, size_t message_size)
{
    image_builder builder = { .as = as,
                              .table = table,
                              .limit = limit,
                              .file_bytes = length,
                              .source_bytes = length,
                              .out = out };
    builder.error = (image_error){ message, message_size };
    return decode(bytes, length, &builder);
}

/* ---- raw rasters ------------------------------------------------------ */

/* The bytes that a raw raster must have, within the limit. */
static int raw_size(const raw_format *raw, image_as as, image_limit limit, uint64_t *bytes,
                    const image_error *error)
{
    if (raw->cell_size > 4)
        return image_fail(error, "a raw raster of %" PRIu32 " bytes a cell; cells have 1 to 4",
                          raw->cell_size);
    if (as != IMAGE_AS_STORED && (as != IMAGE_AS_GREY || raw->cell_size != 1))
        return image_fail(error, "a raw raster has no colours to convert; compare it as it is "
                                 "stored, or with cells of 1 byte as grey");
    if (raw->rows == 0 || raw->cols == 0)
        return image_fail(error,
                          "a raw raster of %" PRIu64 " x %" PRIu64 " cells; it must have at least "
                          "1 x 1 cell",
                          raw->rows, raw->cols);
    const double needed = (double)raw->rows * (double)raw->cols * raw->cell_size;
    if (needed > (double)limit.bytes)
        return image_fail_large(error, raw->rows, raw->cols, needed, limit);
    *bytes = raw->rows * raw->cols * raw->cell_size;
    return 0;
}

static int fail_raw_length(const raw_format *raw, uint64_t expected, const char *more,
                           uint64_t length, const image_error *error)
{
    return image_fail(error,
                      "%s%" PRIu64 " bytes, but %" PRIu64 " x %" PRIu64 " cells of %" PRIu32
                      " make %" PRIu64 " bytes; correct the shape or the type",
                      more, length, raw->rows, raw->cols, raw->cell_size, expected);
}

static const char *raw_kind(const raw_format *raw, image_as as)
{
    static const char *const kinds[] = { "raw:u1", "raw:u2", "raw:u3", "raw:u4" };
    return as == IMAGE_AS_GREY ? "grey8" : kinds[raw->cell_size - 1];
}

static void raw_finish(const raw_format *raw, image_as as, void *cells, image *out)
{
    out->rows = raw->rows;
    out->cols = raw->cols;
    out->cell_size = raw->cell_size;
    out->channel_bytes = raw->cell_size;
    out->cells = cells;
    strcpy(out->kind, raw_kind(raw, as));
}

static bool is_raw(const raw_format *raw)
{
    return raw != NULL && raw->cell_size != 0;
}

int image_read_memory(const void *bytes, size_t length, image_as as, const raw_format *raw,
                      image_limit limit, image_intern *table, image *out, char *message,
                      size_t message_size)
{
    image_error error = { message, message_size };
    if (!is_raw(raw))
        return image_decode(bytes, length, as, limit, table, out, message, message_size);
    uint64_t expected = 0;
    memset(out, 0, sizeof *out);
    if (raw_size(raw, as, limit, &expected, &error) != 0)
        return -1;
    if (length != expected)
        return fail_raw_length(raw, expected, "", length, &error);
    void *cells = malloc(length);
    if (cells == NULL)
        return image_fail(&error, "out of memory: %zu bytes; cut the raster into bands", length);
    memcpy(cells, bytes, length);
    raw_finish(raw, as, cells, out);
    return 0;
}

/* ---- files ------------------------------------------------------------ */

static int fail_errno(const char *what, const image_error *error)
{
    if (errno == EISDIR)
        return image_fail(error, "is a directory; name a picture in it");
    return image_fail(error, "%s: %s", what, strerror(errno));
}

/* Whether the file can be read in pieces by a decoder that wants to. */
static bool in_pieces(FILE *file, const uint8_t *bytes, size_t length)
{
    const decoder *found = find_decoder(bytes, length);
    struct stat about;
    return found->files && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) &&
           fseeko(file, 0, SEEK_CUR) == 0;
}

/* Read to the end or to `limit` bytes, SIZE_MAX / 2 + 1 at most. With `detect`, give up on the
 * first block when its format is unknown, so that an endless pipe ends at once, and stop there
 * when the format's decoder reads the file itself: *pieces. */
static int read_all(FILE *file, uint64_t limit, bool detect, uint8_t **bytes, size_t *length,
                    bool *pieces, const image_error *error)
{
    size_t capacity = 0;
    for (;;) {
        if (*length == capacity) {
            capacity = capacity == 0 ? 65536 : capacity * 2;
            capacity = capacity < limit ? capacity : (size_t)limit;
            uint8_t *grown = realloc(*bytes, capacity);
            if (grown == NULL)
                return image_fail(error, "out of memory after %zu bytes; cut the picture", *length);
            *bytes = grown;
        }
        size_t room = capacity - *length;
        size_t wanted = limit - *length < room ? (size_t)(limit - *length) : room;
        errno = 0;
        size_t got = fread(*bytes + *length, 1, wanted, file);
        *length += got;
        if (got < wanted && ferror(file))
            return fail_errno("cannot be read", error);
        if (detect && find_decoder(*bytes, *length) == NULL)
            return fail_unknown(*bytes, *length, error);
        if (got < wanted || *length == limit)
            return 0;
        *pieces = detect && in_pieces(file, *bytes, *length);
        if (*pieces)
            return 0;
    }
}

/* The bytes that were read become the cells: no second copy of a large raster. */
static int read_raw(FILE *file, const raw_format *raw, image_as as, image_limit limit,
                    uint8_t **bytes, image *out, const image_error *error)
{
    uint64_t expected = 0;
    size_t length = 0;
    bool pieces;
    if (raw_size(raw, as, limit, &expected, error) != 0 ||
        read_all(file, expected + 1, false, bytes, &length, &pieces, error) != 0)
        return -1;
    if (length > expected) {
        long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
        if (end > 0 && (uint64_t)end > expected)
            return fail_raw_length(raw, expected, "", (uint64_t)end, error);
        return fail_raw_length(raw, expected, "more than ", expected, error);
    }
    if (length < expected)
        return fail_raw_length(raw, expected, "", length, error);
    raw_finish(raw, as, *bytes, out);
    *bytes = NULL;
    return 0;
}

static int read_picture(FILE *file, image_builder *builder)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    bool pieces = false;
    int status =
        read_all(file, builder->limit.bytes + 1, true, &bytes, &length, &pieces, &builder->error);
    builder->source_bytes = builder->file_bytes = length;
    if (status == 0 && pieces) {
        builder->file = file;
        builder->source_bytes = fseeko(file, 0, SEEK_END) == 0 ? (uint64_t)ftello(file) : 0;
        rewind(file);
    } else if (status == 0 && length > builder->limit.bytes) {
        status = image_fail(&builder->error,
                            "the file alone has more than the limit of %" PRIu64
                            " bytes; raise it (%s), or cut the picture into pieces",
                            builder->limit.bytes, builder->limit.name);
    }
    if (status == 0)
        status = decode(bytes, length, builder);
    free(bytes);
    return status;
}

/* NULL when it cannot be opened. */
static FILE *open_file(const char *path, const image_error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        fail_errno("cannot be opened", error);
    return file;
}

static void close_file(FILE *file)
{
    if (file != stdin)
        fclose(file);
}

int image_read(const char *path, image_as as, const raw_format *raw, image_limit limit,
               image_intern *table, image *out, char *message, size_t message_size)
{
    image_builder builder = { .as = as, .table = table, .limit = limit, .out = out };
    builder.error = (image_error){ message, message_size };
    memset(out, 0, sizeof *out);
    FILE *file = open_file(path, &builder.error);
    if (file == NULL)
        return -1;
    uint8_t *bytes = NULL;
    int status = is_raw(raw) ? read_raw(file, raw, as, limit, &bytes, out, &builder.error)
                             : read_picture(file, &builder);
    free(bytes);
    close_file(file);
    return status;
}

/* ---- bands ------------------------------------------------------------ */

static int read_raw_whole(FILE *file, const image_request *request, image_builder *builder)
{
    uint8_t *bytes = NULL;
    image *out = builder->out;
    int status =
        read_raw(file, request->raw, request->as, request->limit, &bytes, out, &builder->error);
    free(bytes);
    if (status == 0) {
        const image_band band = { out, 0, out->rows, out->rows, 1, 1 };
        status = builder->fn(&band, builder->user) != 0;
    }
    image_free(out);
    return status;
}

/* Row by row. A file of another length is refused before the first. */
static int read_raw_rows(FILE *file, const raw_format *raw, uint64_t expected,
                         image_builder *builder)
{
    struct stat about;
    const size_t row_bytes = (size_t)(raw->cols * raw->cell_size);
    uint64_t length = 0;
    const bool known = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    if (known && (uint64_t)about.st_size != expected)
        return fail_raw_length(raw, expected, "", (uint64_t)about.st_size, &builder->error);
    const char *kind = raw_kind(raw, builder->as);
    builder->as = IMAGE_AS_STORED;
    builder->source_bytes = expected;
    builder->held_rows = 1;
    int status = image_begin_cells(builder, raw->rows, raw->cols, raw->cell_size, kind);
    uint8_t *row = status == 0 ? malloc(row_bytes) : NULL;
    if (status == 0 && row == NULL)
        status = image_fail(&builder->error, "out of memory for a row; cut the raster");
    for (uint64_t i = 0; i < raw->rows && status == 0; i++) {
        const size_t got = fread(row, 1, row_bytes, file);
        length += got;
        if (got < row_bytes)
            status = ferror(file) ? fail_errno("cannot be read", &builder->error)
                                  : fail_raw_length(raw, expected, "", length, &builder->error);
        else
            status = image_put_row(builder, i, row);
    }
    free(row);
    if (status == 0 && fgetc(file) != EOF)
        status = fail_raw_length(raw, expected, "more than ", expected, &builder->error);
    return status == 0 ? image_end(builder) : status;
}

static int read_raw_bands(FILE *file, const image_request *request, image_builder *builder)
{
    const image_limit any = { UINT64_MAX / 4, request->limit.name };
    uint64_t expected = 0;
    if (raw_size(request->raw, request->as, any, &expected, &builder->error) != 0)
        return -1;
    if (expected <= IMAGE_BAND_BYTES)
        return read_raw_whole(file, request, builder);
    const int status = read_raw_rows(file, request->raw, expected, builder);
    image_builder_close(builder);
    image_free(builder->out);
    return builder->ended ? 1 : status;
}

int image_read_bands(const char *path, const image_request *request, image_band_fn fn, void *user,
                     char *message, size_t message_size)
{
    image band = { 0 };
    image_builder builder = { .as = request->as,
                              .table = request->table,
                              .limit = request->limit,
                              .out = &band,
                              .fn = fn,
                              .user = user,
                              .overlap = request->overlap };
    builder.error = (image_error){ message, message_size };
    FILE *file = open_file(path, &builder.error);
    if (file == NULL)
        return -1;
    int status = is_raw(request->raw) ? read_raw_bands(file, request, &builder)
                                      : read_picture(file, &builder);
    close_file(file);
    return status;
}
