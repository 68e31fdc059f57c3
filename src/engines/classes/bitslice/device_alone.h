/* device_alone.h: what the kernel of bit-slicing on devices that are CPUs (device_alone.k) and
 * its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_ALONE_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_ALONE_H

#include "engines/classes/bitslice/layout.h"

/* Text as in text_piece. A tile is BITSLICE_LANES times `length` bytes. */
typedef struct alone_args {
    u64 capacity;
    u64 most; /* the search gives up when more places pass all tests; 0: it never does */
    u32 from, begin, end;
    u32 length; /* bytes of a lane, a multiple of BITSLICE_STEP */
    u32 tiles;
    u32 unused;
} alone_args;

SHARED_SIZE(alone_args, 40);

#endif
