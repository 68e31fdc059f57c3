/* find_totals.h: what is said once for a file, and put together by the ranks that share it: counts,
 * patterns that occur. */
#ifndef TRAWL_FIND_TOTALS_H
#define TRAWL_FIND_TOTALS_H

#include "cli/find_blocks.h"

/* Before the rounds, for what is printed again is of another file: what was found in this rank's
 * piece of the last one. */
void rank_note_last(rank_work *k);

/* Collective, after the rounds: print what a rank has of the file that began before its share. */
void rank_print_first(rank_work *k);

#endif
