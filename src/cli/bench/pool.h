/* pool.h: contexts that are kept open from cell to cell, and the energy meters. */
#ifndef TRAWL_BENCH_POOL_H
#define TRAWL_BENCH_POOL_H

#include "cli/bench/bench.h"

/* A context with these options for plans of this engine; `bytes` is about what its pieces take.
 * It stays open until some dozens of others were asked for. NULL: *error says why. */
trawl_context *pool_get(struct context_pool *pool, const char *engine,
                        const trawl_context_options *options, uint64_t bytes, trawl_error *error);

/* Cumulative joules of all GPUs and of the CPU; negative where they cannot be read. */
void energy_now(struct energy_meter *meter, double *gpu, double *cpu);

#endif
