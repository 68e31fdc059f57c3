/* run.h: one run of one row, for the cell that it belongs to. */
#ifndef TRAWL_BENCH_RUN_H
#define TRAWL_BENCH_RUN_H

#include "cli/bench/bench.h"

typedef struct samples {
    double kernel[MOST_REPEATS], transfer[MOST_REPEATS], wall[MOST_REPEATS];
    uint32_t count;
    bool over; /* no more runs: it failed, or one takes too long */
} samples;

/* Matches, and the sum of their places. */
typedef struct tally {
    uint64_t count, sum;
} tally;

/* KiB of the piece in which the row's text is on the device while kernels are timed. */
uint64_t run_piece(const cell *c, const row *r);
/* One sample more. False: the row's state says why not. */
bool run_once(const cell *c, row *r, samples *s);
/* What the row finds in the first `length` bytes. False: *error says why not. */
bool run_part(const cell *c, const row *r, uint64_t length, tally *t, trawl_error *error);
/* Joules a byte, by scans for as long as the meters need. */
void run_energy(const cell *c, row *r);

#endif
