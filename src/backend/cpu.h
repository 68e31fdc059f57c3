/* cpu.h: what the backends of the CPU share. They differ in how they run tasks (backend.run_tasks);
 * each task runs a slice. */
#ifndef TRAWL_CPU_H
#define TRAWL_CPU_H

#include "backend/backend.h"

#define CPU_LIMITS                                                                                 \
    {                                                                                              \
        .first_window = 1u << 20, .allowance = DEFAULT_ALLOWANCE                                   \
    }

/* Cores that this process may use. */
uint32_t cpu_cores(void);

/* Set the worker's threads as its options ask. */
int cpu_set_threads(worker *w, trawl_error *error);

/* backend.run_text and run_grid: run all slices by the backend's run_tasks. */
int cpu_run_text(worker *w, const text_job *job, trawl_error *error);
int cpu_run_grid(worker *w, const grid_job *job, trawl_error *error);

#endif
