/* device.h: what the kernel of Aho-Corasick (device.k) and its host (device.c) agree on. */
#ifndef TRAWL_ENGINES_LITERAL_AC_DEVICE_H
#define TRAWL_ENGINES_LITERAL_AC_DEVICE_H

#include "engines/literal/ac/device_sizes.h"

/* Text as in text_piece; an item takes `page` bytes, and `reach` before them, multiples of 16. */
typedef struct ac_args {
    u64 capacity;
    u32 from, begin, end;
    u32 page, reach;
    u32 unused;
} ac_args;

SHARED_SIZE(ac_args, 32);

/* Words of local memory: the box, the first row when `row` is 1, the text. */
#define AC_TILE(group, row) (TRIE_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

#endif
