/* webp.c: WebP through libwebp, to rows of samples: RGB, or RGBA when it has alpha.
 *
 * libwebp decodes into one buffer, which counts as memory; a picture has at most 16383 x 16383
 * pixels. None of several frames (an animation) is the picture.
 */
#include "formats/images/decoder.h"

#include <string.h>

bool image_is_webp(const uint8_t *bytes, size_t length)
{
    return length >= 4 && memcmp(bytes, "RIFF", 4) == 0 &&
           (length < 12 || memcmp(bytes + 8, "WEBP", 4) == 0);
}

#ifdef TRAWL_HAVE_WEBP

#include <stdlib.h>
#include <webp/decode.h>

static int fail_webp(const image_builder *builder, VP8StatusCode status)
{
    switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
        return image_fail(&builder->error, "out of memory for the WebP; cut the picture");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return image_fail(&builder->error,
                          "truncated WebP: the data ends too early; fetch or export the file "
                          "again");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return image_fail(&builder->error, "a WebP of a kind that libwebp does not read; convert "
                                           "it to PNG");
    default:
        return image_fail(&builder->error,
                          "corrupt WebP (libwebp's status %d); fetch or export the file again",
                          (int)status);
    }
}

/* Decode into `samples`, and hand the rows on. */
static int put_rows(const uint8_t *bytes, size_t length, WebPDecoderConfig *config,
                    uint8_t *samples, image_builder *builder)
{
    const unsigned channels = config->input.has_alpha ? 4 : 3;
    const size_t row_bytes = (size_t)config->input.width * channels;
    const uint64_t rows = (uint64_t)config->input.height;
    config->output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config->output.is_external_memory = 1;
    config->output.u.RGBA.rgba = samples;
    config->output.u.RGBA.stride = (int)row_bytes;
    config->output.u.RGBA.size = row_bytes * rows;
    const VP8StatusCode status = WebPDecode(bytes, length, config);
    if (status != VP8_STATUS_OK)
        return fail_webp(builder, status);
    for (uint64_t row = 0; row < rows; row++)
        if (image_put_row(builder, row, samples + row * row_bytes) != 0)
            return -1;
    return 0;
}

int image_decode_webp(const uint8_t *bytes, size_t length, image_builder *builder)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return image_fail(&builder->error, "libwebp does not start; rebuild Trawl");
    const VP8StatusCode status = WebPGetFeatures(bytes, length, &config.input);
    if (status != VP8_STATUS_OK)
        return fail_webp(builder, status);
    if (config.input.has_animation)
        return image_fail(&builder->error, "an animated WebP; take its frames apart (webpmux)");
    const uint64_t rows = (uint64_t)config.input.height, cols = (uint64_t)config.input.width;
    const unsigned channels = config.input.has_alpha ? 4 : 3;
    builder->held_rows = 2 * rows; /* and libwebp's own, of lossless pixels */
    if (image_begin(builder, rows, cols, channels, 255) != 0)
        return -1;
    uint8_t *samples = malloc((size_t)(rows * cols * channels));
    if (samples == NULL)
        return fail_webp(builder, VP8_STATUS_OUT_OF_MEMORY);
    const int result = put_rows(bytes, length, &config, samples, builder);
    WebPFreeDecBuffer(&config.output);
    free(samples);
    return result;
}

#else

IMAGE_DECODER_MISSING(webp, "WebP", "libwebp-dev and pkg-config")

#endif
