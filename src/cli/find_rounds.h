/* find_rounds.h: what ranks tell each other, and what they search again for it. */
#ifndef TRAWL_FIND_ROUNDS_H
#define TRAWL_FIND_ROUNDS_H

#include "cli/find_blocks.h"

/* Collective: rounds until no rank has news for another. How many there were. */
uint64_t rank_settle(rank_work *k);

/* What is printed next is of the file that began before the share. */
void rank_begin_first(const rank_work *k);

/* The file of the share's last block, of which there is one. */
size_t rank_last_file(const rank_work *k);

/* Collective: what a rank tells those after it: the number of the file that goes on there, plus 1
 * (0: none does), and of that `length` bytes. All ranks' come back, in lengths[rank]. */
uint8_t *rank_tell(rank_work *k, const void *bytes, size_t length, size_t *lengths);

/* The bytes after that number, of a rank before this one that has some of the file that this one
 * goes on with; NULL: it has none. */
const uint8_t *rank_told_of_first(const rank_work *k, const uint8_t *at, size_t length);

#endif
