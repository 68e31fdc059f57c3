/* ac.h: what the kernel of Aho-Corasick (ac.k) and its host (ac.c) agree on. */
#ifndef TRAWL_KERNEL_AC_H
#define TRAWL_KERNEL_AC_H

#include "kernel/trie_sizes.h"

/* Text as in text_piece; `page` bytes an item and `reach` before them, multiples of 16. */
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
