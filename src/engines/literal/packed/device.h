/* device.h: what the kernel of packed comparison (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_LITERAL_PACKED_DEVICE_H
#define TRAWL_ENGINES_LITERAL_PACKED_DEVICE_H

#include "engines/literal/packed/layout.h"
#include "engines/shared/device/queue_sizes.h"

/* Bytes that a warp loads at once; bytes of a tile. */
#define PACKED_CHUNK (32u * 16u)
#define PACKED_TILE (4u * PACKED_CHUNK)

/* Text as in text_piece. */
typedef struct packed_args {
    u64 capacity;
    u32 from, begin, end;
    u32 length;
    u32 window, key, mask; /* place of the four bytes, these bytes, and which of their bits count */
    u32 pattern, keep;     /* word offsets of the tables */
    u32 may_stop;          /* long comparisons after which the search gives up; 0: never */
    u32 page;              /* without warps: bytes of an item */
    u32 unused;
} packed_args;

SHARED_SIZE(packed_args, 56);

/* Words of local memory: the sums of the group; a queue and a box for each warp. */
#define PACKED_SUMS 64u
#define PACKED_WARP (QUEUE_PLACES + BOX_PLACES)
#define PACKED_LOCAL(group) (PACKED_SUMS + (group) / 32 * PACKED_WARP)

#endif
