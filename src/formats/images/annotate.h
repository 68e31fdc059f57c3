/* annotate.h: a picture again, with frames around places in it. */
#ifndef TRAWL_ANNOTATE_H
#define TRAWL_ANNOTATE_H

#include "formats/images/image.h"

/* A rectangle of cells; the frame is drawn around it, as far as the picture reaches. */
typedef struct image_frame {
    uint64_t row, col;
    uint64_t rows, cols;
    uint32_t colour; /* r | g << 8 | b << 16 */
} image_frame;

/* Read the picture again, as RGB, or GREY when it is raw (request->as is not read), and write it as
 * PNG with the frames, which rise by row. 0, or -1 with a message as of image_read, that names
 * the file at fault when it is `to`, where what was there is left. */
int image_annotate(const char *from, const image_request *request, const image_frame *frames,
                   size_t count, const char *to, char *message, size_t message_size);

#endif
