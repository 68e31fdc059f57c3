/* pool.h: threads that help the caller with the tasks of a job, and sleep between jobs. */
#ifndef TRAWL_POOL_H
#define TRAWL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct pool pool;

/* A pool without threads, in memory that outlives it. NULL: out of memory. */
pool *pool_open(memory *memory);
void pool_close(pool *p);

/* Have `helpers` threads besides the caller's. Call it before each job: after a fork the pool
 * begins anew. Returns 0, or the errno of what failed; pool_size then says how many there are. */
int pool_grow(pool *p, uint32_t helpers);
uint32_t pool_size(const pool *p);

/* Run task(job, 0) .. task(job, count - 1), on the caller's thread and at most `helpers` others.
 * `dealt`: thread t of n takes the tasks t, t + n, ...; else a free thread takes the next task.
 */
void pool_run(pool *p, uint32_t helpers, bool dealt, trawl_task_fn task, void *job, uint32_t count);

#endif
