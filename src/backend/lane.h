/* lane.h: one queue of a device with room for one piece of text, and that device.
 *
 * A piece goes through a lane in three steps; the first two only queue work:
 *
 *     lane_bring_text / lane_bring_rows    host ─► pinned buffer ─► device
 *     lane_bring_held, .._held_rows        nothing: it is there already (held.h)
 *     lane_run_text / lane_run_grid        kernels, then cursor and first records back
 *     lane_collect                         wait; records go to the slice, in window positions
 *
 * While one lane computes, another copies: that is the whole pipeline (belt.h). Different threads
 * may have lanes of one device: work is queued under used_device.lock.
 */
#ifndef TRAWL_LANE_H
#define TRAWL_LANE_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/held.h"
#include "backend/pool.h"
#include "engines/shared/device/kernel.h"

enum { MAX_LANES = 32, MAX_LOADED = 20 };
_Static_assert(MAX_LOADED >= 4 * MAX_PARTS, "a plan and its fallbacks, and another plan");

typedef struct lane {
    struct used_device *on;
    device_queue *queue;
    device_buffer staging; /* pinned, unless text is mapped */
    device_buffer text;
    device_texture texture; /* over text */
    bool textured;          /* text is read through it */
    device_buffer part;     /* the piece of a held text, if it is read in place */
    device_buffer scratch, cursor, records;
    device_buffer back; /* pinned: a count for each part, then records */
    device_event written, counted[MAX_PARTS], read, events[PIECE_EVENTS];
    bool copied;           /* `written` belongs to this piece */
    bool timed;            /* its commands have events for their times */
    u32 turn;              /* pieces since lane_reserve */
    u64 bytes;             /* of the piece that was brought */
    const held_text *held; /* the text that the piece is of; NULL: the host's */
    bool busy;
    u64 expected; /* records of the next piece, judged by this one */
    u64 first;    /* records of this piece that come back at once */
    u32 offset;   /* added to positions in the piece */
    u32 length;   /* of the piece: its own bytes or rows */
    /* What it runs: the parts of a plan that carry, or those that do not. */
    const trawl_plan *plan;
    bool carries, fallback[MAX_PARTS];
    slice *into;         /* where its records go */
    const text_job *job; /* if it is one of text; else NULL */
    keeping *keeping;    /* or what is done with them */
    u64 window_at;       /* text_job's */
    device_event tallied[MAX_PARTS];
    u32 tallies; /* how many of these were launched, and are not settled yet */
    text_piece piece;
    grid_piece grid;
} lane;

/* What a device needs for jobs that keep their matches (kept.c). */
typedef struct kept {
    uint64_t checksum;     /* of the plan whose `names` are there; 0: none */
    device_buffer names;   /* tally_name of each pattern of each part */
    device_buffer counts;  /* u64 for each of the caller's patterns, of this job */
    device_buffer matches; /* the caller's memory, */
    size_t matches_at;     /* from this byte on; no handle: none */
    device_queue *queue;   /* for bytes that the caller's thread puts there; NULL: none yet */
} kept;

/* A stage of a plan on a device. */
typedef struct loaded_stage {
    const trawl_plan *of; /* NULL: free */
    uint64_t checksum;    /* of that plan */
    const plan_stage *stage;
    uint64_t turn; /* when it was last asked for */
    device_plan plan;
} loaded_stage;

/* A device of a context, with the plans that it holds. */
typedef struct used_device {
    device *device;
    pthread_mutex_t lock;
    pool *copiers;     /* help to copy; NULL: other threads copy already */
    device_queue *way; /* takes all copies of text to the device; NULL: each lane's own queue
                          does */
    bool times_all;    /* every piece is timed */
    uint64_t taken;    /* bytes of its memory */
    uint64_t most;     /* bytes that may be taken */
    bool mapped;
    loaded_stage loaded[MAX_LOADED];
    uint64_t turn;
    lane lanes[MAX_LANES];
    u32 lane_count;
    kept kept;
} used_device;

/* Seconds that the timed pieces took, and how many pieces and bytes there were. An event costs as
 * much as launching what it times, so where there are many short pieces a few stand for the
 * others. */
typedef struct spent {
    double kernel, to_device, from_device;
    u64 pieces, bytes, timed_bytes;
} spent;

/* Bytes a second from pinned memory to all of these devices, which are idle, measured now (link.c);
 * 0: one is a CPU, or it is not known. */
double link_rate(used_device *devices, u32 count);

/* ---- plans on a device (loaded.c) ---------------------------------------------- */

/* The stage whose kernels a part begins with. Where it has none, as vector walks have none, it is
 * the fallback. NULL: that has none either. */
const plan_stage *searching_stage(const trawl_plan *plan, const plan_part *part, bool fallback);

/* Bring the stages that these parts of the plan begin with onto the device; they stay until room is
 * needed. Errors include a tuning that does not fit. */
int load_parts(used_device *u, const tuning *tuning, const trawl_plan *plan, bool carries,
               const bool fallback[MAX_PARTS], trawl_error *error);
/* The stage that a part begins with, which was brought before. */
device_plan *loaded_part(used_device *u, const trawl_plan *plan, const plan_part *part,
                         bool fallback);
/* Drop the stages that were brought, except those of the plan `but`. */
void unload(used_device *u, const trawl_plan *but);

/* ---- matches that stay on a device (kept.c) --------------------------------------- */

/* How many records a lane needs room for when it keeps what it finds in `bytes` bytes of text. */
uint64_t kept_records(uint64_t bytes);

/* A job of the plan begins: bring its names, and set its counts to zero. */
int kept_begin(used_device *u, const trawl_plan *plan, const keeping *k, memory *m,
               trawl_error *error);
/* Queue what is to be done with records [first, stop) of a part in a lane, and count them. */
int kept_part(lane *l, u32 part, u32 first, u32 stop, trawl_error *error);
/* Wait for that, and add its time to *times. The lane's queue has finished. */
int kept_settle(lane *l, spent *times, trawl_error *error);
/* The job has ended well: add its counts by pattern to the host's. */
int kept_end(used_device *u, const trawl_plan *plan, keeping *k, memory *m, spent *times,
             trawl_error *error);
/* The job has failed: wait until nothing of it is in flight in any lane. */
void kept_abandon(used_device *u);
/* Let memory of the caller's on the device take what is kept, until it is closed (kept.matches). */
int kept_take(used_device *u, void *memory, size_t offset, u64 capacity, trawl_error *error);
/* Copy bytes to memory of the caller's on the device, after the event `after`, unless that is zero.
 * Carriers may be at work. */
int kept_put(used_device *u, const device_event *after, void *memory, size_t offset,
             const void *from, size_t bytes, trawl_error *error);
void kept_release(used_device *u);

/* ---- lanes ------------------------------------------------------------------------ */

/* Open and close buffers within the device's limit. Errors are those of buffer_open. */
int used_buffer(used_device *u, buffer_kind kind, size_t bytes, device_buffer *b,
                trawl_error *error);
void unused_buffer(used_device *u, device_buffer *b);

/* Open a lane, unless it is open. */
int lane_open(used_device *u, lane *l, trawl_error *error);
void lane_close(lane *l);

/* Open an idle lane, and make room for a piece of `text` bytes (with a texture over it, if
 * `textured`), `scratch` bytes and `records` records. `staged`: the host brings the text. */
int lane_reserve(used_device *u, lane *l, bool staged, size_t text, bool textured, size_t scratch,
                 uint64_t records, trawl_error *error);
/* Have room for at least `records` records, while other lanes are at work; this one is idle. If
 * memory is short, it stays as it is. */
int lane_widen(lane *l, uint64_t records, trawl_error *error);
/* Release the piece of a held text; the lane is idle. */
void lane_forget_held(lane *l);
/* Give back what lane_reserve took, and the piece of a held text. */
void lane_release(lane *l);

/* Bring bytes [from, end) of the window; the piece owns matches with ends in (begin, end]. */
int lane_bring_text(lane *l, const text_job *job, u32 from, u32 begin, u32 end, trawl_error *error);
/* The same for a held text: the piece owns matches with ends in (begin, end], and `lead` bytes
 * before it are read; byte 0 of the window is byte `window` of the held buffer. */
int lane_bring_held(lane *l, const held_text *held, u64 window, u32 lead, u32 begin, u32 end,
                    trawl_error *error);
/* Run the parts of the job's plan that carry, or those that do not. */
int lane_run_text(lane *l, const text_job *job, bool carries, slice *into, trawl_error *error);

/* Bring rows [top, bottom) of the window; the first `tops` of them own matches. */
int lane_bring_rows(lane *l, const grid_job *job, u32 top, u32 bottom, u32 tops,
                    trawl_error *error);
/* The same for a held grid: its rows are read in place, or brought to the lane's memory, which has
 * room for lane_rows(..) rows. */
int lane_bring_held_rows(lane *l, const held_text *held, const held_rows *g, const grid_job *job,
                         bool in_place, u32 top, u32 bottom, u32 tops, trawl_error *error);
u32 lane_rows(const lane *l, u32 cols, u32 cell_size);
int lane_run_grid(lane *l, const grid_job *job, slice *into, trawl_error *error);

/* The stride on the device, in bytes. */
u64 lane_stride(u32 cols, u32 cell_size);

/* Wait for the piece, run it again by a fallback where a part gave up, add its matches to the slice
 * and its times to `times`. */
int lane_collect(lane *l, spent *times, trawl_error *error);
/* Wait until nothing of the piece is in flight; what it found is void. */
void lane_give_up(lane *l);

#endif
