/* program.h: the devices' programs as the build made them (tools/embed.c).
 *
 * OpenCL C sources are part of the library. CUDA images are files of their own, since they are
 * ten times as large as all the rest: lib/trawl/UNIT.fatbin.
 */
#ifndef TRAWL_PROGRAM_H
#define TRAWL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

typedef struct device_program {
    const char *unit;
    const unsigned char *source; /* OpenCL C, includes resolved */
    size_t source_bytes;
    const char *stamp; /* a symbol that CUDA images of this source have, and no others */
} device_program;

/* NULL when there is no such unit. */
const device_program *device_program_by_name(const char *unit);

/* Read the CUDA image of a unit; *image is taken from `m`. If there is none,
 * TRAWL_ERROR_UNSUPPORTED says where it was looked for. */
int device_image_read(const char *unit, memory *m, void **image, trawl_error *error);

/* Whether this unit has an image; if not, *error is that of device_image_read. */
bool device_image_exists(const char *unit, trawl_error *error);

#endif
