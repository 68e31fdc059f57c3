/* backend.h: one way to run walks. The driver (scan/) cuts the text into slices and puts
 * the matches in order; a backend runs the slices it is handed and knows no engine.
 */
#ifndef TRAWL_BACKEND_H
#define TRAWL_BACKEND_H

#include "plan/plan.h"
#include "walk/walk.h"

/* A piece of a window of text, or a band of rows. Filled by the driver; the backend runs
 * the walk and sets `count`. Offsets are relative to the window (rows for grids). */
typedef struct slice {
    u32 from, begin, end; /* see text_walk and grid_walk; grids ignore from */
    record *records;      /* room for `capacity` of them */
    u64 capacity;
    u64 count;      /* out: all matches, also those that found no room */
    u64 *state;     /* plans that carry: in and out; else NULL */
    u64 *snapshots; /* plans that carry: state after every snapshot_bytes; or NULL */
} slice;

typedef struct text_job {
    const trawl_plan *plan;
    const u8 *window;
    slice *slices;
    size_t count;
    u32 snapshot_bytes; /* distance of snapshots; the last, shorter piece has one too */
} text_job;

typedef struct grid_job {
    const trawl_plan *plan;
    const u8 *window;
    u32 rows, cols; /* of the window */
    u64 stride;     /* bytes */
    slice *slices;
    size_t count;
} grid_job;

typedef struct backend backend;

/* A backend at work for one context. */
typedef struct worker {
    const backend *backend;
    trawl_context_options options; /* strings of the caller: valid in open only */
    uint32_t threads;              /* at least 1 */
    void *state;                   /* the backend's own */
} worker;

struct backend {
    const char *name;
    const char *about;
    /* The backend cuts for itself: it is handed one slice at a time, and may report a match of a
     * plan that carries twice. */
    bool whole;
    /* Set threads, and state if there is one, as the options ask. */
    int (*open)(worker *w, trawl_error *error);
    void (*close)(worker *w); /* NULL when there is no state */
    /* Run all slices of a job. Returns 0 or an error; slices may run in any order. */
    int (*run_text)(worker *w, const text_job *job, trawl_error *error);
    int (*run_grid)(worker *w, const grid_job *job, trawl_error *error);
    /* Device backends; else NULL. See trawl_context_get_timing and trawl_context_warning. */
    void (*timing)(worker *w, trawl_timing *timing);
    const char *(*warning)(const worker *w);
};

const backend *backend_at(size_t index); /* NULL past the end */
const backend *backend_by_name(const char *name);

/* Run one slice with the C walk: what every CPU backend does inside its loop. Returns
 * TRAWL_OK or TRAWL_ERROR_MEMORY (scratch). */
int slice_run_text(const text_job *job, slice *s);
int slice_run_grid(const grid_job *job, slice *s);

extern const backend backend_serial, backend_threads, backend_opencl, backend_cuda;

#endif
