/* device.h: what the kernels of PFAC (device.k) and their host (device.c) agree on. */
#ifndef TRAWL_ENGINES_PAPERS_PFAC_DEVICE_H
#define TRAWL_ENGINES_PAPERS_PFAC_DEVICE_H

#include "engines/literal/ac/device_sizes.h"
#include "engines/papers/pfac/layout.h"

/* KIND of a variant. */
#define PFAC_PLAIN 0
#define PFAC_FILTERED 1
#define PFAC_DEEP 2

/* Walks that are alive after this many bytes are handed over. Nearly all that begin by chance are
 * dead by then, and twelve steps cost little beside the reading of a tile. */
#define PFAC_DEPTH 12

/* The numbers of all three kernels; each uses some. Text as in text_piece. */
typedef struct pfac_args {
    u64 capacity;
    u32 from, begin, end;
    u32 chars;      /* starts that an item takes in a tile; filtered: 16 to 64, a multiple of 16 */
    u32 halo;       /* plain: bytes staged after a tile */
    u32 shift;      /* filtered: the bitmap has 2^(32 - shift) bits */
    u32 fold, gram; /* filtered: how grams are folded, and their bytes */
    u32 room;       /* walks that the list has room for */
    u32 depth;      /* bytes after which they are handed over; 0: never */
    u32 may_stop;   /* how many deep walks without a place make the search give up; 0: it never
                       does */
    u32 unused;
} pfac_args;

SHARED_SIZE(pfac_args, 56);

/* Words of local memory. After the box come walks to be handed over, one for every two items, after
 * a head like the box's; then the root and the text. With one for every item, four groups with the
 * largest bitmap would leave an H200's multiprocessor half as much memory for its first-level
 * cache. */
#define PFAC_DEEP_WALKS(group) BOX_WORDS(group)
#define PFAC_DEEP_PLACES(group) (((group) + 1) / 2)
#define PFAC_FIRST(group) (PFAC_DEEP_WALKS(group) + BOX_HEAD + ((group) + 3) / 4 * 4)
#define PFAC_TILE(group, row) (PFAC_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

/* With a filter, after the walks: two numbers of queued starts, used in turn; the queue; the root;
 * the bitmap. */
#define PFAC_QUEUE 4 /* starts in the queue for each item of the group */
#define PFAC_FILTER_COUNTS(group) PFAC_FIRST(group)
#define PFAC_FILTER_QUEUE(group) (PFAC_FILTER_COUNTS(group) + 4)
#define PFAC_FILTER_FIRST(group) (PFAC_FILTER_QUEUE(group) + PFAC_QUEUE * (group))
#define PFAC_FILTER_BITS(group, row) (PFAC_FILTER_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

#endif
