/* pictures.c: the pictures of trawl/formats.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/api/common.h"
#include "formats/images/image.h"

struct trawl_picture {
    image image;
};

static int open_picture(const char *path, const void *bytes, size_t length, const char *name,
                        const trawl_picture_options *from, trawl_picture **picture,
                        trawl_file_error *error)
{
    trawl_picture_options o = TRAWL_PICTURE_OPTIONS_INIT;
    char message[sizeof error->message] = "";
    *picture = NULL;
    int status = api_options(&o, sizeof o, sizeof o, from, "trawl_picture_options",
                             "TRAWL_PICTURE_OPTIONS_INIT", name, error);
    if (status != TRAWL_OK)
        return status;
    if (o.as > TRAWL_PICTURE_MASK || o.unused)
        return api_fail(error, TRAWL_ERROR_ARGUMENT, name, 0,
                        "trawl_picture_options.%s is none of trawl/formats.h",
                        o.unused ? "unused" : "as");
    trawl_picture *p = calloc(1, sizeof *p);
    if (!p)
        return api_fail(error, TRAWL_ERROR_MEMORY, name, 0, "out of memory for its cells");
    const image_limit most = { o.max_bytes ? o.max_bytes : IMAGE_MAX_BYTES,
                               "trawl_picture_options.max_bytes" };
    status = path ? image_read(path, (image_as)o.as, NULL, most, NULL, &p->image, message,
                               sizeof message)
                  : image_read_memory(bytes, length, (image_as)o.as, NULL, most, NULL, &p->image,
                                      message, sizeof message);
    if (status != 0) {
        free(p);
        return api_fail(error, TRAWL_ERROR_ARGUMENT, name, 0, "%s", message);
    }
    *picture = p;
    return TRAWL_OK;
}

int trawl_picture_open(const char *path, const trawl_picture_options *options,
                       trawl_picture **picture, trawl_file_error *error)
{
    return open_picture(path, NULL, 0, path, options, picture, error);
}

int trawl_picture_open_memory(const void *bytes, size_t length, const char *name,
                              const trawl_picture_options *options, trawl_picture **picture,
                              trawl_file_error *error)
{
    return open_picture(NULL, bytes, length, name, options, picture, error);
}

int trawl_picture_get(const trawl_picture *picture, trawl_picture_info *info)
{
    const image *from = &picture->image;
    const size_t size = info->size;
    trawl_picture_info known = {
        .size = size,
        .grid = { .cells = from->cells, .rows = from->rows, .cols = from->cols },
        .cell_size = from->cell_size,
        .channel_bytes = from->channel_bytes,
        .hidden = from->hidden,
        .orientation = from->orientation
    };
    if (size < sizeof known || size > 4096 || size % sizeof(size_t))
        return TRAWL_ERROR_ARGUMENT;
    memcpy(known.kind, from->kind, sizeof from->kind);
    memset(info, 0, size);
    memcpy(info, &known, sizeof known);
    return TRAWL_OK;
}

void trawl_picture_close(trawl_picture *picture)
{
    if (picture)
        image_free(&picture->image);
    free(picture);
}
