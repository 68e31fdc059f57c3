/* backend.h: one way to run stages. The driver (scan/) cuts the text into slices and puts
 * the matches in order; a backend runs the slices it is handed. It knows stages by kind, and no
 * engine.
 */
#ifndef TRAWL_BACKEND_H
#define TRAWL_BACKEND_H

#include <stdatomic.h>

#include "base/memory.h"
#include "base/target.h"
#include "engines/shared/walk.h"
#include "plan/plan.h"
#include "trawl/device.h"

/* A stretch of a window of text, or a band of rows. The driver fills it in; the backend runs each
 * part of the plan over it. Offsets are relative to the window (rows for grids). */
typedef struct slice {
    u32 from, begin, end; /* see text_task and grid_task; grids ignore from */
    record *records;      /* room for `capacity` records */
    u64 capacity;
    u64 count;  /* out: all matches, also those that found no room */
    u64 *state; /* text, in and out: states of all parts that carry (plan_header.state_words), or
                   NULL */
    u64 *marks; /* plans that carry, on CPUs: the states after every mark_bytes; or NULL */
    u64 *flow;  /* text: out, and in when flows_in: the states of stages that flow, in parts that do
                   not carry (part_flow_words each); or NULL */
    bool sorted;         /* text: its records are in order */
    bool whole;          /* text: it is a whole text, and nobody needs the states at its end */
    bool flows_in;       /* parts whose stages flow begin at `begin`, else at `from` */
    u32 done[MAX_PARTS]; /* out: where the first stage of a part stopped */
    u64 candidates[MAX_PARTS]; /* out: places that it looked at more closely */
} slice;

/* How a job runs its slices over a plan that carries. */
typedef enum carry_mode {
    CARRY_ALL,  /* every slice from its state */
    CARRY_NEWS, /* only parts that carry, and only the states in `state`: no match begins; a run
                   ends where the marks hold all its states, which are added to them */
} carry_mode;

/* Devices: what a job does with its matches instead of putting records into slices. It is not for
 * plans that carry, which may find a record twice. */
typedef struct keeping {
    u64 *counts; /* u64[plan_header.given], in the caller's order, added to; NULL: not wanted. With
                    one pattern only `count` is added to */
    _Atomic u64 count; /* all matches: added to */
    u64 capacity;      /* of the memory that takes matches (backend.keep); more find no room */
    u64 base;          /* added to offsets in the text */
} keeping;

typedef struct text_job {
    const trawl_plan *plan;
    isa isa;          /* of the walks, on CPUs */
    const u8 *window; /* NULL: it is in the text that the worker holds (backend.hold), */
    u64 window_at;    /* from this byte of that text on; where matches are kept, of any text */
    bool opens;       /* window[0] is the opening */
    slice *slices;
    size_t count;
    u32 mark_bytes; /* distance of marks; the last, shorter stretch has one too */
    carry_mode carry;
    bool fallback[MAX_PARTS]; /* begin with the fallback */
    u64 allowance;            /* see text_task */
    memory *memory;           /* for scratch */
    /* Called for each slice that is done, on the thread that did it; or NULL. */
    void (*ready)(const struct text_job *job, slice *s);
    /* Device backends call it for a slice with more records than it has room for: give it room for
     * `records` of them, and keep those it has; if that fails, it stays as it is. 0: give back what
     * it got, for a slice that is run anew. */
    void (*widen)(const struct text_job *job, slice *s, u64 records);
    void *user;       /* for both */
    keeping *keeping; /* NULL: none; the slices' capacity is 0 then */
} text_job;

typedef struct grid_job {
    const trawl_plan *plan;
    isa isa;
    const u8 *window; /* NULL: it is in the grid that the worker holds, */
    u64 window_at;    /* from this byte of it on */
    u32 rows, cols;   /* of the window */
    u64 stride;       /* bytes */
    slice *slices;
    size_t count;
    bool fallback[MAX_PARTS];
    u64 allowance;
    memory *memory;
} grid_job;

/* What the driver must know of a backend to cut slices for it. */
#define DEFAULT_ALLOWANCE 16384u
enum { LED_JOBS = 4 };

typedef struct backend_limits {
    u32 first_window;   /* bytes of text; later ones grow */
    u32 slice_bytes;    /* bytes of the slices of a window; 0: as suits the threads */
    u32 lanes;          /* the fewest slices of a window, unless they would be short */
    u32 held_bytes;     /* slice_bytes for a text that it holds */
    bool carries_whole; /* if a plan carries, it gets one slice and cuts that itself */
    u32 allowance;      /* of work, for first stages on CPUs: see text_task */
} backend_limits;

typedef struct backend backend;
typedef struct device_calls device_calls;

/* A backend at work for one context. */
typedef struct worker {
    const backend *backend;
    trawl_context_options options; /* its strings are the caller's, valid in open only */
    uint32_t threads;              /* at least 1 */
    bool automatic;                /* the library chose the threads: fewer will do */
    target target;
    backend_limits limits;
    memory *memory; /* of the context: its scratch memory comes from it */
    void *state;    /* the backend's own */
} worker;

struct backend {
    const char *name;
    const char *about;
    backend_limits limits; /* a worker begins with them */
    /* Set threads and target, limits and state if need be, as the options ask. */
    int (*open)(worker *w, trawl_error *error);
    void (*close)(worker *w); /* NULL when there is no state */
    /* Run all slices of a job. Returns 0 or an error; slices may run in any order. Parts that
     * carry may report a match twice. When a device lacks memory they return TRAWL_ERROR_MEMORY;
     * slices and their states must then be made anew. */
    int (*run_text)(worker *w, const text_job *job, trawl_error *error);
    int (*run_grid)(worker *w, const grid_job *job, trawl_error *error);
    /* Run task(job, 0) .. task(job, count - 1), each once,
     * and return when all have ended. Error: some did not run, and none is running. */
    int (*run_tasks)(worker *w, trawl_task_fn task, void *job, uint32_t count, trawl_error *error);
    const device_calls *device; /* NULL: it is the CPU's, and takes neither devices nor tuning */
};

/* What a backend of devices does besides. */
struct device_calls {
    /* Until `drop` the worker holds a text, or a grid, that is in a
     * device's memory; nothing queued for it runs before what is in the caller's queue. */
    int (*hold)(worker *w, const trawl_device_text *text, trawl_error *error);
    void (*drop)(worker *w);
    /* lead: call fn(user), which may have jobs of the plan run while it
     * does something else: `start` begins a job, `finish` waits for it. Up to LED_JOBS jobs may be
     * in flight, and run_text may be called meanwhile. `held`: the jobs are of the text that the
     * worker holds; `records`: their matches are not only counted. False: this is not possible, and
     * fn was not called. */
    bool (*lead)(worker *w, const trawl_plan *plan, bool held, bool records, void (*fn)(void *user),
                 void *user);
    void (*start)(worker *w, const text_job *job);
    int (*finish)(worker *w, const text_job *job, trawl_error *error);
    /* While a text is held: `keep` has memory on its device take the
     * matches of jobs that keep them, `capacity` times tally_match, until drop; `put` copies bytes
     * to such memory.
     */
    int (*keep)(worker *w, void *memory, size_t offset, u64 capacity, trawl_error *error);
    int (*put)(worker *w, void *memory, size_t offset, const void *from, size_t bytes,
               trawl_error *error);
    /* Bytes a second that can be copied to the devices, measured when
     * first asked for; 0: they are CPUs, or it is not known. */
    double (*link)(worker *w);
    /* See trawl_context_get_timing. */
    void (*timing)(worker *w, trawl_timing *timing);
};

/* Whether jobs run on devices; those of a worker that did not open run nowhere. */
static inline bool on_devices(const worker *w)
{
    return w->backend && w->backend->device;
}

const backend *backend_at(size_t index); /* NULL past the end */
const backend *backend_by_name(const char *name);

/* Run one slice with the walks: a task of the CPU backends. Returns TRAWL_OK, or TRAWL_ERROR_MEMORY
 * if there is none for scratch. */
int slice_run_text(const text_job *job, slice *s);
int slice_run_grid(const grid_job *job, slice *s);

/* The same for a whole text, by the first stage of a plan with a single part. False: the plan is
 * not such a one, or the stage gave up; forget what went to `out` then. */
bool slice_run_plain(isa set, const trawl_plan *plan, const u8 *text, u32 length, u64 allowance,
                     const sink *out);

/* The stage that a part begins with: its fallback, if `fallback` is set, or its first. */
const plan_stage *stage_begun(const trawl_plan *plan, const plan_part *part, bool fallback);

/* Words of slice.flow for a part: 0 when no stage that it may begin with flows. */
u64 part_flow_words(const trawl_plan *plan, const plan_part *part);

extern const backend backend_serial, backend_threads, backend_openmp, backend_opencl, backend_cuda;
extern const backend backend_runner; /* in place of threads, when the options have a runner */

#endif
