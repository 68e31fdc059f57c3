/* fuzz_image.c: libFuzzer target for the picture readers.
 *
 * Each input is read in all four conversions and as a raw raster. Properties: a failure
 * leaves a message and no cells; a success leaves every cell readable; the conversions
 * agree on success and shape with each other.
 *
 * Checksums would stop nearly every mutation of a PNG at its first chunk, so the custom
 * mutator puts them right after it has changed the bytes.
 */
#include "formats/images/image.h"

#include <stdlib.h>
#include <string.h>

/* Of cells: keeps memory and time small. */
static const image_limit limit = { UINT64_C(1) << 22, "limit" };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t read_32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t crc_32(const uint8_t *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void repair_checksums(uint8_t *data, size_t size)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    if (size < 8 || memcmp(data, signature, 8) != 0)
        return;
    size_t at = 8;
    while (size - at >= 12 && read_32(data + at) <= size - at - 12) {
        size_t length = read_32(data + at);
        uint32_t crc = crc_32(data + at + 4, length + 4);
        uint8_t *to = data + at + 8 + length;
        for (int i = 0; i < 4; i++)
            to[i] = (uint8_t)(crc >> (24 - 8 * i));
        at += length + 12;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 != 0)
        repair_checksums(data, size);
    return size;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check(int status, const image *picture, const char *message)
{
    if (status != 0) {
        require(status == -1 && picture->cells == NULL && message[0] != '\0');
        return;
    }
    size_t bytes = (size_t)(picture->rows * picture->cols * picture->cell_size);
    const uint8_t *cells = picture->cells;
    volatile uint8_t sum = 0;
    require(bytes > 0 && picture->kind[0] != '\0');
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + cells[i]);
}

static void read_raw(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    raw_format raw = { data[0] % 8, size / 8, data[0] / 8 % 5 };
    char message[256] = "";
    image picture;
    if (raw.cell_size == 0)
        return;
    int status = image_read_memory(data, size, IMAGE_AS_STORED, &raw, limit, NULL, &picture,
                                   message, sizeof message);
    check(status, &picture, message);
    image_free(&picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t rows[IMAGE_AS_GREY + 1], cols[IMAGE_AS_GREY + 1];
    image_intern *table = image_intern_new();
    for (int as = IMAGE_AS_STORED; as <= IMAGE_AS_GREY; as++) {
        char message[256] = "";
        image picture;
        int status =
            image_decode(data, size, (image_as)as, limit, table, &picture, message, sizeof message);
        check(status, &picture, message);
        rows[as] = picture.rows;
        cols[as] = picture.cols;
        image_free(&picture);
    }
    image_intern_free(table);
    /* The 4-byte conversions have the same limit, so they must agree. */
    if (rows[IMAGE_AS_RGBA] != 0)
        require(rows[IMAGE_AS_RGB] == rows[IMAGE_AS_RGBA] &&
                cols[IMAGE_AS_RGB] == cols[IMAGE_AS_RGBA]);
    read_raw(data, size);
    return 0;
}
