/* device.h: what the kernel that brings rows together (device.k) and its host (device.c) agree on.
 */
#ifndef TRAWL_ENGINES_SHARED_ROWS_DEVICE_H
#define TRAWL_ENGINES_SHARED_ROWS_DEVICE_H

#include "base/port.h"

/* Copy `rows` rows of `bytes` bytes, each to `quads` times 16 bytes. They are `stride` bytes apart,
 * from byte `from` of a buffer on, whose first `stop` bytes may be read. There are fewer than 2^32
 * cells, and so quads. */
typedef struct rows_args {
    u64 from, stride, stop, bytes;
    u32 rows, quads;
} rows_args;

SHARED_SIZE(rows_args, 40);

#endif
