/* carry.h: state across the borders of slices, for plans that carry.
 *
 * The step of a set of states is linear over unions, f(A | B) = f(A) | f(B). So all slices run at
 * once, each from a set of states that its begin surely has. What a slice's predecessor really
 * left, less what the slice began with, runs afterwards: the news. A run of news begins no match,
 * and ends where the states that were marked on the first run hold all of it. What is left at the
 * slice's end is news for the next one. Rounds go on until there is none. A match may be found by a
 * first run and by news: such records are equal, and dropped when they are put in order.
 *
 * What a begin surely has: those states of the window's begin that no byte kills (x.* after an x);
 * and, as a guess, the states that every slice of the last window ended with. The guess is checked:
 * where a slice ends without it, the slices after it are run again without it.
 *
 * Invariant: a state that is marked has been run, or is being run, to the end of its slice; so when
 * no news is left, the last marks are the true states.
 *
 * Cost: a first run, a second one where a guess was wrong, and as many bytes of news as states live
 * beyond the borders that they cross. Each slice that news crosses entirely takes a round; slices
 * of one round run at once.
 */
#ifndef TRAWL_SCAN_CARRY_H
#define TRAWL_SCAN_CARRY_H

#include "scan/scan.h"

/* plan_stage.masks: the states that no byte kills; those that are news to the next slice. */
enum { CARRY_IMMORTAL, CARRY_PASSES };

/* Allocate scan->state and scan->lasting. */
int carry_open(text_scan *scan, trawl_error *error);

/* Give `count` slices of at most `longest` bytes, in their order, the states that they begin
 * with, and room for marks. */
int carry_place(text_scan *scan, scan_room *room, uint32_t count, uint32_t longest,
                trawl_error *error);

/* Call it after all slices of a job have run: it brings them to their true matches and states. */
int carry_settle(text_scan *scan, text_job *job, trawl_error *error);

/* The true state at the end of slice i, once settled. */
const uint64_t *carry_end(const text_scan *scan, const text_job *job, uint32_t i);

#endif
