/* compressed.c: see compressed.h.
 *
 * A format's first bytes are compared under a mask, those after its signature too where they take
 * few values, so that what begins like one by chance is not called compressed.
 */
#include "formats/sources/compressed.h"

#include <stdbool.h>
#include <string.h>

#define MAX_BYTES 10

typedef struct format {
    const char *kind, *remedy;
    uint8_t bytes[MAX_BYTES], mask[MAX_BYTES];
} format;

#define ALL 0xff

static const format formats[] = {
    /* RFC 1952: signature, method deflate, three flags that must be 0 */
    { "gzip", "gzip -dc", { 0x1f, 0x8b, 8, 0 }, { ALL, ALL, ALL, 0xe0 } },
    /* signature, level as a digit, then a block, or the end of an empty file */
    { "bzip2",
      "bzip2 -dc",
      { 'B', 'Z', 'h', '0', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59 },
      { ALL, ALL, ALL, 0xf0, ALL, ALL, ALL, ALL, ALL, ALL } },
    { "bzip2",
      "bzip2 -dc",
      { 'B', 'Z', 'h', '0', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90 },
      { ALL, ALL, ALL, 0xf0, ALL, ALL, ALL, ALL, ALL, ALL } },
    { "xz", "xz -dc", { 0xfd, '7', 'z', 'X', 'Z', 0 }, { ALL, ALL, ALL, ALL, ALL, ALL } },
    /* RFC 8878: signature, the reserved bit of the frame's header */
    { "zstd", "zstd -dc", { 0x28, 0xb5, 0x2f, 0xfd, 0 }, { ALL, ALL, ALL, ALL, 0x08 } },
    /* signature, version 01 and the reserved bit */
    { "lz4", "lz4 -dc", { 0x04, 0x22, 0x4d, 0x18, 0x40 }, { ALL, ALL, ALL, ALL, 0xc2 } },
    /* its legacy format: signature, then blocks, or nothing */
    { "lz4", "lz4 -dc", { 0x02, 0x21, 0x4c, 0x18 }, { ALL, ALL, ALL, ALL } },
    /* a file's header: signature, version below 6.4, any flags, a method below 128 */
    { "zip",
      "unzip -p",
      { 'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0 },
      { ALL, ALL, ALL, ALL, 0xc0, ALL, 0, 0, 0x80, ALL } },
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool begins_so(const format *f, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < MAX_BYTES; i++)
        if (f->mask[i] && (i >= length || (bytes[i] & f->mask[i]) != f->bytes[i]))
            return false;
    return true;
}

static const char *kind_of(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (begins_so(&formats[i], bytes, length))
            return formats[i].kind;
    return NULL;
}

uint64_t compressed_skips(const uint8_t *bytes, size_t length)
{
    if (length < COMPRESSED_SKIP || (bytes[0] & 0xf0) != 0x50 || bytes[1] != 0x2a ||
        bytes[2] != 0x4d || bytes[3] != 0x18)
        return 0;
    return COMPRESSED_SKIP + (bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 |
                              (uint64_t)bytes[7] << 24);
}

const char *compressed_kind(const uint8_t *bytes, size_t length)
{
    const bool skips = compressed_skips(bytes, length) != 0;
    uint64_t frame;
    while ((frame = compressed_skips(bytes, length)) != 0 && frame < length) {
        bytes += frame;
        length -= (size_t)frame;
    }
    if (skips && (frame || length < MAX_BYTES)) /* it is not seen what follows */
        return "zstd";
    const char *kind = kind_of(bytes, length);
    return skips && kind && strcmp(kind, "zstd") != 0 && strcmp(kind, "lz4") != 0 ? NULL : kind;
}

const char *compressed_remedy(const char *kind)
{
    size_t i = 0;
    while (strcmp(formats[i].kind, kind) != 0)
        i++;
    return formats[i].remedy;
}
