/* device_sizes.h: what the kernels of ac and pfac and their hosts agree on: the first parts of
 * local memory, in words.
 */
#ifndef TRAWL_ENGINES_LITERAL_AC_DEVICE_SIZES_H
#define TRAWL_ENGINES_LITERAL_AC_DEVICE_SIZES_H

#include "engines/literal/ac/layout.h"

/* The box for a group's matches (device_trie.h), one match for each item, comes first. */
#define BOX_HEAD 4
#define BOX_WORDS(group) (2 * (group) + BOX_HEAD + 2 * ((group)&1))

/* ac: the root's transitions of 256 bytes, then the classes of all bytes. */
#define TRIE_FIRST(group) BOX_WORDS(group)
#define TRIE_FIRST_WORDS (256 + 64)

#endif
