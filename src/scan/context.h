/* context.h: a context: a backend at work, scratch memory, and the one call that it serves. */
#ifndef TRAWL_SCAN_CONTEXT_H
#define TRAWL_SCAN_CONTEXT_H

#include "backend/backend.h"
#include "base/budget.h"
#include "base/memory.h"
#include "base/origin.h"
#include "match/match.h"

/* What a slice has beside what its backend knows. */
typedef struct slice_extra {
    record *narrow;       /* its first `records`, which were too few; NULL: it has them still */
    trawl_match *matches; /* that its records stand for, made ahead; or NULL */
    size_t match_count;
} slice_extra;

/* Room for the slices of one job. It grows with what jobs need. */
typedef struct scan_room {
    memory *memory;
    slice *slices;
    slice_extra *extras; /* of each slice */
    uint32_t slice_count;
    record *records;  /* record_count */
    uint8_t *scratch; /* record_count * scratch_size bytes: a record or a match each */
    size_t record_count, scratch_size;
    const struct text_scan *scan; /* the scan whose job has the slices */
    uint64_t *states; /* plans that carry: state, known states and marks of each slice */
    size_t state_words;
    uint32_t mark_bytes;
} scan_room;

void scan_room_open(scan_room *room, memory *memory);
void scan_room_close(scan_room *room);

/* Make room for at least `slices` slices and `records` records, and, if `matches`, for as many
 * matches that are made ahead. What the room held is lost. */
int scan_room_fit(scan_room *room, uint32_t slices, size_t records, bool matches,
                  trawl_error *error);

static inline slice_extra *extra_of(const scan_room *room, const slice *s)
{
    return &room->extras[s - room->slices];
}

/* The scratch of a slice: scratch_size bytes for each record that it has room for. */
void *scan_room_scratch(const scan_room *room, const slice *s);

/* Give back the records that a slice, or each slice, took for itself. */
void scan_slice_narrow(const scan_room *room, slice *s);
void scan_room_narrow(scan_room *room);

/* Which stage parts begin with (stages.c). Parts whose first stage did not pay begin with their
 * fallback, until `rest` bytes have passed. Then the first stage is tried again, and if in vain
 * left alone twice as long. All zero: parts begin with their first stage. */
typedef struct stage_choice {
    bool fallback[MAX_PARTS];
    uint64_t rest[MAX_PARTS], patience[MAX_PARTS];
} stage_choice;

/* What is done with matches: they are only counted; they are handed on as they end; or a reporter
 * has to put them together. */
typedef enum handing { HANDING_NONE, HANDING_ENDS, HANDING_REPORTS } handing;

/* What windows have taught, for the next windows of this call, and of the next call with the same
 * plan. Results never depend on it. */
typedef struct scan_experience {
    const trawl_plan *plan;
    uint64_t checksum; /* another plan may be where one was freed */
    stage_choice stages;
    uint64_t found, bytes; /* of the last window: its matches, and its bytes */
    handing handed;        /* what was done with them */
    uint64_t window;       /* bytes that the next window should have */
} scan_experience;

struct trawl_context {
    atomic_uint state; /* CALL_... of budget.h */
    origin origin;     /* where it uses devices, which do not survive a fork; else not open */
    memory memory;     /* all that the context holds, except itself, comes from it */
    worker worker;
    worker spare;    /* CPU threads for what a device has no memory for; backend NULL: not open */
    uint64_t spared; /* bytes that they did since the last trawl_context_get_timing */
    char warning[256];
    _Atomic uint64_t scanned;           /* trawl_context_scanned */
    scan_room room, more[LED_JOBS - 2]; /* more: windows that are in flight at once */
    scan_experience experience;
};

/* Every public call that uses a context enters and leaves it: entering fails when another call is
 * in progress. */
int context_enter(trawl_context *context, trawl_error *error);
void context_leave(trawl_context *context);

/* Whether no call is in progress. A call that has all it needs on its stack, and so shares nothing
 * with another call, may ask this instead of entering. */
static inline bool context_idle(const trawl_context *context)
{
    return atomic_load_explicit(&context->state, memory_order_relaxed) == CALL_NONE;
}

/* `count` more bytes, or cells, have been scanned. */
static inline void context_scanned(trawl_context *context, uint64_t count)
{
    atomic_fetch_add_explicit(&context->scanned, count, memory_order_relaxed);
}

/* The worker that does the next `bytes` instead of the context's device, which has no memory for
 * them, as *why says; NULL: there is no memory for it either. */
worker *context_spare(trawl_context *context, uint64_t bytes, const trawl_error *why);
/* There is no spare worker, since `what` is held in a device's memory: say so in *why too. */
void context_no_spare(const char *what, trawl_error *why);

/* The first steps of a call on a text in a device's memory; `status` is the outcome of the checks
 * so far. Unless it fails, the backend holds the text until context_drop. context_drop leaves the
 * context, as does a failure. */
int context_hold(trawl_context *context, int status, const trawl_device_text *text,
                 trawl_error *error);
void context_drop(trawl_context *context);

/* Check that the context uses devices; else TRAWL_ERROR_UNSUPPORTED, and the message names the call
 * for memory of the host, `instead`. */
int context_on_device(const trawl_context *context, const char *instead, trawl_error *error);

/* Read and check scan options, over the defaults. */
int read_given_options(const trawl_scan_options *given, trawl_scan_options *options,
                       trawl_error *error);

static inline int read_scan_options(const trawl_scan_options *given, trawl_scan_options *options,
                                    trawl_error *error)
{
    const trawl_scan_options defaults = TRAWL_SCAN_OPTIONS_INIT;
    *options = defaults;
    return given ? read_given_options(given, options, error) : TRAWL_OK;
}

#endif
