/* trie_sizes.h: numbers that the kernels of ac and pfac and their hosts must agree on: the places
 * of the parts of local memory, in words, the hash of pfac's filter.
 */
#ifndef TRAWL_KERNEL_TRIE_SIZES_H
#define TRAWL_KERNEL_TRIE_SIZES_H

/* The box for a group's matches (trie.h), one match for each item, comes first. */
#define BOX_HEAD 4
#define BOX_WORDS(group) (2 * (group) + BOX_HEAD + 2 * ((group)&1))

/* The root's transitions of 256 bytes, then the classes of all bytes, when `row` is 1. */
#define TRIE_FIRST(group) BOX_WORDS(group)
#define TRIE_FIRST_WORDS (256 + 64)

/* ac: the text. */
#define TRIE_TILE(group, row) (TRIE_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

/* pfac: walks to be handed over, one for every two items, behind a head as the box's; then root
 * and text. With one for every item, four groups with the largest bitmap would leave an H200's
 * multiprocessor half as much memory for its first-level cache. */
#define PFAC_DEEP_WALKS(group) BOX_WORDS(group)
#define PFAC_DEEP_PLACES(group) (((group) + 1) / 2)
#define PFAC_FIRST(group) (PFAC_DEEP_WALKS(group) + BOX_HEAD + ((group) + 3) / 4 * 4)
#define PFAC_TILE(group, row) (PFAC_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

/* With a filter, behind the walks: two numbers of queued starts, taken in turn; the queue; root;
 * the bitmap. */
#define PFAC_QUEUE 4 /* starts in the queue for each item of the group */
#define PFAC_FILTER_COUNTS(group) PFAC_FIRST(group)
#define PFAC_FILTER_QUEUE(group) (PFAC_FILTER_COUNTS(group) + 4)
#define PFAC_FILTER_FIRST(group) (PFAC_FILTER_QUEUE(group) + PFAC_QUEUE * (group))
#define PFAC_FILTER_BITS(group, row) (PFAC_FILTER_FIRST(group) + ((row) ? TRIE_FIRST_WORDS : 0))

/* The high bits of string * PFAC_HASH number the bit of a string. 2^32 / golden ratio. */
#define PFAC_HASH 0x9E3779B1u

/* Walks alive after so many bytes are handed over. Those that begin by chance are dead by then,
 * nearly all, and twelve steps are few beside the reading of a tile. */
#define PFAC_DEPTH 12

#endif
