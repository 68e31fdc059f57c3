/* image.c: pictures and rasters are read.
 *
 * Idea. The format is told by the first bytes; its decoder (decoder.h) reads the picture through a
 * builder. Raw rasters are cells already.
 *
 * Invariant. A read ends with a whole picture or with cells == NULL and a message.
 *
 * Cost. One pass over the samples.
 */
#include "io/image.h"
#include "io/compressed.h"
#include "io/decoder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void image_free(image *picture)
{
    if (picture == NULL)
        return;
    free(picture->cells);
    memset(picture, 0, sizeof *picture);
}

/* ---- the formats ------------------------------------------------------ */

#define DECODER_ENTRY(name, title) { image_is_##name, image_decode_##name },
#define NOR_TITLE(name, title) " nor " title

typedef struct decoder {
    bool (*recognise)(const uint8_t *bytes, size_t length);
    int (*decode)(const uint8_t *bytes, size_t length, image_builder *builder);
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
        { "\xff\xd8\xff", 3, "JPEG" },
        { "GIF8", 4, "GIF" },
        { "II*\0", 4, "TIFF" },
        { "MM\0*", 4, "TIFF" },
        { "BM", 2, "BMP" },
        { "RIFF", 4, "WebP" },
        { "P7", 2, "PAM" },
        { "PF", 2, "PFM" },
        { "Pf", 2, "PFM" },
    };
    static const char titles[] = IMAGE_DECODERS(NOR_TITLE);
    const char *compressed = compressed_kind(bytes, length);
    if (length == 0)
        return image_fail(error, "empty: no picture; fetch or export the file again");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (length >= others[i].length && memcmp(bytes, others[i].magic, others[i].length) == 0)
            return image_fail(error, "looks like %s, which Trawl does not read; convert it to PNG",
                              others[i].name);
    if (compressed)
        return image_fail(error,
                          "is compressed (%s), no picture; decompress it first: %s FILE | trawl "
                          "grid ... -",
                          compressed, compressed_remedy(compressed));
    return image_fail(error,
                      "neither%s; convert it to PNG, or give --shape and --dtype for a raw raster",
                      titles + strlen(" nor"));
}

int image_decode(const void *bytes, size_t length, image_as as, uint64_t max_bytes,
                 image_intern *table, image *out, char *message, size_t message_size)
{
    const decoder *found = find_decoder(bytes, length);
    image_builder builder = {
        .as = as, .table = table, .max_bytes = max_bytes, .file_bytes = length, .out = out
    };
    builder.error = (image_error){ message, message_size };
    memset(out, 0, sizeof *out);
    int status = found ? found->decode(bytes, length, &builder)
                       : fail_unknown(bytes, length, &builder.error);
    free(builder.scale);
    free(builder.bytes);
    free(builder.packed);
    if (status != 0)
        image_free(out);
    return status;
}

/* ---- raw rasters ------------------------------------------------------ */

/* The bytes that a raw raster must have. */
static int raw_size(const raw_format *raw, image_as as, uint64_t max_bytes, uint64_t *bytes,
                    const image_error *error)
{
    if (raw->cell_size > 4)
        return image_fail(error, "a raw raster of %" PRIu32 " bytes a cell; cells have 1 to 4",
                          raw->cell_size);
    if (as != IMAGE_AS_STORED && (as != IMAGE_AS_GREY || raw->cell_size != 1))
        return image_fail(error, "a raw raster has no colours to convert; leave out --as, or use "
                                 "--as grey with cells of 1 byte");
    if (raw->rows == 0 || raw->cols == 0)
        return image_fail(error,
                          "a raw raster of %" PRIu64 " x %" PRIu64 " cells; it must have at least "
                          "1 x 1 cell",
                          raw->rows, raw->cols);
    const double needed = (double)raw->rows * (double)raw->cols * raw->cell_size;
    if (needed > (double)max_bytes)
        return image_fail_large(error, raw->rows, raw->cols, needed, max_bytes);
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

static void raw_finish(const raw_format *raw, image_as as, void *cells, image *out)
{
    out->rows = raw->rows;
    out->cols = raw->cols;
    out->cell_size = raw->cell_size;
    out->cells = cells;
    if (as == IMAGE_AS_GREY)
        strcpy(out->kind, "grey8");
    else
        snprintf(out->kind, sizeof out->kind, "raw:u%u", (unsigned)raw->cell_size & 7u);
}

static bool is_raw(const raw_format *raw)
{
    return raw != NULL && raw->cell_size != 0;
}

int image_read_memory(const void *bytes, size_t length, image_as as, const raw_format *raw,
                      uint64_t max_bytes, image_intern *table, image *out, char *message,
                      size_t message_size)
{
    image_error error = { message, message_size };
    if (!is_raw(raw))
        return image_decode(bytes, length, as, max_bytes, table, out, message, message_size);
    uint64_t expected = 0;
    memset(out, 0, sizeof *out);
    if (raw_size(raw, as, max_bytes, &expected, &error) != 0)
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

/* Read to the end or to `limit` bytes, SIZE_MAX / 2 + 1 at most. With `detect`, give up on the
 * first block when its format is unknown, so that an endless pipe ends at once. */
static int read_all(FILE *file, uint64_t limit, bool detect, uint8_t **bytes, size_t *length,
                    const image_error *error)
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
    }
}

/* The bytes that were read become the cells: no second copy of a large raster. */
static int read_raw(FILE *file, const raw_format *raw, image_as as, uint64_t max_bytes,
                    uint8_t **bytes, image *out, const image_error *error)
{
    uint64_t expected = 0;
    size_t length = 0;
    if (raw_size(raw, as, max_bytes, &expected, error) != 0 ||
        read_all(file, expected + 1, false, bytes, &length, error) != 0)
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

static int read_picture(FILE *file, image_as as, uint64_t max_bytes, image_intern *table,
                        uint8_t **bytes, image *out, const image_error *error)
{
    size_t length = 0;
    if (read_all(file, max_bytes + 1, true, bytes, &length, error) != 0)
        return -1;
    if (length > max_bytes)
        return image_fail(error,
                          "the file alone has more than the limit of %" PRIu64 " bytes; raise it "
                          "(--max-memory), or cut the picture into pieces",
                          max_bytes);
    return image_decode(*bytes, length, as, max_bytes, table, out, error->text, error->size);
}

int image_read(const char *path, image_as as, const raw_format *raw, uint64_t max_bytes,
               image_intern *table, image *out, char *message, size_t message_size)
{
    image_error error = { message, message_size };
    memset(out, 0, sizeof *out);
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        return fail_errno("cannot be opened", &error);
    uint8_t *bytes = NULL;
    int status = is_raw(raw) ? read_raw(file, raw, as, max_bytes, &bytes, out, &error)
                             : read_picture(file, as, max_bytes, table, &bytes, out, &error);
    free(bytes);
    if (file != stdin)
        fclose(file);
    return status;
}
