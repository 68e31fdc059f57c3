/* device.h: what the kernel for literals of four letters (device.k) and its host (device.c) agree
 * on.
 */
#ifndef TRAWL_ENGINES_LITERAL_KMERS_DEVICE_H
#define TRAWL_ENGINES_LITERAL_KMERS_DEVICE_H

#include "engines/literal/kmers/layout.h"
#include "engines/shared/device/queue_sizes.h"

/* Bytes that a warp loads at once; bytes of a tile: two loads. */
#define KMERS_CHUNK (32u * 16u)
#define KMERS_TILE (2u * KMERS_CHUNK)

#define KMERS_MAX_GROUP 1024u

/* Text as in text_piece. */
typedef struct kmers_args {
    u64 capacity;
    u32 from, begin, end;
    u32 letter_mask; /* the bits of four bytes that make letters, */
    u32 letter_sum;  /* and the factor that gathers the four in the upper byte of the product */
    u32 may_stop;    /* entries beyond what is usual, after which the search gives up; 0: never */
    u32 page;        /* without warps: bytes of an item */
    u32 q, stride, shift, buckets, entries; /* as in kmers_tables */
    u32 ahead;                              /* KMERS_CHUNK % stride */
    u32 bytes;                              /* of the filter, less 4: the mask of its words'
                                               offsets */
    u32 near;                               /* words of the filter in local memory */
    u32 unused;
} kmers_args;

SHARED_SIZE(kmers_args, 72);

/* Words of local memory: the filter, if it is there; the sums of the group; a queue of pairs and a
 * box for each warp. */
#define KMERS_SUMS 64u
#define KMERS_WARP (2 * QUEUE_PLACES + BOX_PLACES)
#define KMERS_LOCAL(group) (KMERS_SUMS + (group) / 32 * KMERS_WARP)

#endif
