/* decoder.h: the table of picture formats. A new one is a file with its decoder, and a line here.
 *
 * image_is_NAME tells by the first bytes; a picture that ends within them may be taken too, so that
 * the decoder says that it is truncated. image_decode_NAME finds the shape, calls image_begin, and
 * hands over the rows from top to bottom. 0, or -1 with the message written.
 */
#ifndef TRAWL_DECODER_H
#define TRAWL_DECODER_H

#include <stdbool.h>

#include "formats/images/builder.h"

/* clang-format off */
/* Name, what messages call it, and whether the decoder reads builder.file itself. */
#define IMAGE_DECODERS(LINE)                                                                   \
    LINE(png, "PNG", false)                                                                    \
    LINE(pnm, "PNM (P1 to P6)", false)                                                         \
    LINE(tiff, "TIFF", true)                                                                   \
    LINE(jpeg, "JPEG", false)                                                                  \
    LINE(webp, "WebP", false)                                                                  \
    LINE(bmp, "BMP", false)
/* clang-format on */

#define IMAGE_DECODER(name, title, files)                                                          \
    bool image_is_##name(const uint8_t *bytes, size_t length);                                     \
    int image_decode_##name(const uint8_t *bytes, size_t length, image_builder *builder);
IMAGE_DECODERS(IMAGE_DECODER)
#undef IMAGE_DECODER

/* In place of a decoder that is not built in: its name, title, and what to install. */
#define IMAGE_DECODER_MISSING(name, title, packages)                                               \
    int image_decode_##name(const uint8_t *bytes, size_t length, image_builder *builder)           \
    {                                                                                              \
        (void)bytes;                                                                               \
        (void)length;                                                                              \
        return image_fail(&builder->error,                                                         \
                          "a " title " picture, but Trawl was built without " title                \
                          "; install " packages " and build it again");                            \
    }

#endif
