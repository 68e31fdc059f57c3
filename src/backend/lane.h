/* lane.h: one queue of one device, with room for one piece of text, and the device it is of.
 *
 * A piece goes through a lane in three steps, of which the first two only queue work:
 *
 *     lane_bring_text / lane_bring_rows    host ─► pinned buffer ─► device
 *     lane_bring_held, .._held_rows        nothing: it is there already (held.h)
 *     lane_run_text / lane_run_grid        kernels, then cursor and first records back
 *     lane_collect                         wait; records go to the slice, in window positions
 *
 * While one lane computes, another copies: that is the whole pipeline (belt.h). Lanes of a device
 * may have different threads: what is queued is queued under used_device.lock.
 */
#ifndef TRAWL_LANE_H
#define TRAWL_LANE_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/held.h"
#include "backend/pool.h"
#include "engines/shared/device/kernel.h"

enum { MAX_LANES = 32, MAX_LOADED = 16 };
_Static_assert(MAX_LOADED >= 4 * MAX_PARTS, "a plan and its fallbacks, and another plan");

typedef struct lane {
    struct used_device *on;
    device_queue *queue;
    device_buffer staging; /* pinned, unless text is mapped */
    device_buffer text;
    device_texture texture; /* over text */
    bool textured;          /* text is read through it */
    device_buffer part;     /* of a held text: the piece, where it is in place */
    device_buffer scratch, cursor, records;
    device_buffer back; /* pinned: a count for each part, then records */
    device_event written, counted[MAX_PARTS], read, events[PIECE_EVENTS];
    bool copied;           /* `written` is of this piece */
    bool timed;            /* its commands have events for their times */
    u32 turn;              /* pieces since lane_reserve */
    u64 bytes;             /* of the piece, as it was brought */
    const held_text *held; /* of which it is; NULL: the host's */
    bool busy;
    u64 expected; /* records of the next piece, by what this one had, */
    u64 first;    /* and of this piece those that come back at once */
    u32 offset;   /* what is added to positions of the piece */
    u32 length;   /* of the piece's own bytes or rows */
    /* What it runs: the parts of a plan that carry, or those that do not. */
    const trawl_plan *plan;
    bool carries, fallback[MAX_PARTS];
    slice *into;         /* where its records go */
    const text_job *job; /* of text; else NULL */
    keeping *keeping;    /* or what becomes of them */
    u64 window_at;       /* text_job's */
    device_event tallied[MAX_PARTS];
    u32 tallies; /* how many of these were launched and not settled */
    text_piece piece;
    grid_piece grid;
} lane;

/* What a device needs for jobs that keep their matches (kept.c). */
typedef struct kept {
    uint64_t checksum;     /* of the plan whose `names` are there; 0: none */
    device_buffer names;   /* tally_name of each pattern of each part */
    device_buffer counts;  /* u64 of each of the caller's patterns: of this job */
    device_buffer matches; /* the caller's memory, */
    size_t matches_at;     /* from this byte on; no handle: none */
    device_queue *queue;   /* for what the caller's thread puts there; NULL: none yet */
} kept;

/* A stage of a plan on a device. */
typedef struct loaded_stage {
    const trawl_plan *of; /* NULL: free */
    uint64_t checksum;    /* of that plan */
    const plan_stage *stage;
    uint64_t turn; /* when it was asked for last */
    device_plan plan;
} loaded_stage;

/* A device of a context, with the plans that it holds. */
typedef struct used_device {
    device *device;
    pthread_mutex_t lock;
    pool *copiers;     /* help to copy; NULL: others copy already */
    device_queue *way; /* takes all copies of text to the device; NULL: each lane's queue its own */
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

/* Seconds of the pieces that were timed, and what there was of those and of all: an event costs
 * as much as what it times is begun with, so of many short pieces a few stand for the others. */
typedef struct spent {
    double kernel, to_device, from_device;
    u64 pieces, bytes, timed_bytes;
} spent;

/* Bytes a second from pinned memory to some devices, measured now on idle ones (link.c); 0: one is
 * a CPU, or it cannot be told. */
double link_rate(used_device *devices, u32 count);

/* ---- plans on a device (loaded.c) ---------------------------------------------- */

/* The stage whose kernels a part begins with: of a filter and what verifies, the latter's; where
 * that has none (vector walks), the fallback. NULL: that has none either. */
const plan_stage *searching_stage(const trawl_plan *plan, const plan_part *part, bool fallback);

/* Bring the stages onto the device that these parts of the plan begin with; they stay until room
 * is needed. Error: also what a tuning does not fit. */
int load_parts(used_device *u, const tuning *tuning, const trawl_plan *plan, bool carries,
               const bool fallback[MAX_PARTS], trawl_error *error);
/* The stage that a part begins with, brought before. */
device_plan *loaded_part(used_device *u, const trawl_plan *plan, const plan_part *part,
                         bool fallback);
/* Drop what was brought; `but`: the stages of this plan stay. */
void unload(used_device *u, const trawl_plan *but);

/* ---- matches that stay on a device (kept.c) --------------------------------------- */

/* Records that a lane has room for when it keeps what it finds in `bytes` of text. */
uint64_t kept_records(uint64_t bytes);

/* A job of the plan begins: its names are there, its counts are zero. */
int kept_begin(used_device *u, const trawl_plan *plan, const keeping *k, memory *m,
               trawl_error *error);
/* Queue what becomes of a part's records [first, stop) of a lane, and count them. */
int kept_part(lane *l, u32 part, u32 first, u32 stop, trawl_error *error);
/* Wait for that, and add its time. The lane's queue has finished. */
int kept_settle(lane *l, spent *times, trawl_error *error);
/* The job has ended well: its counts by pattern are added to the host's. */
int kept_end(used_device *u, const trawl_plan *plan, keeping *k, memory *m, spent *times,
             trawl_error *error);
/* The job has failed: nothing of it is under way, in no lane, when this returns. */
void kept_abandon(used_device *u);
/* Memory of the caller's on the device takes what is kept, until it is closed (kept.matches); and
 * bytes are put into some. */
int kept_take(used_device *u, void *memory, size_t offset, u64 capacity, trawl_error *error);
/* `after`: what is awaited first, unless it is zero. Carriers may be at work. */
int kept_put(used_device *u, const device_event *after, void *memory, size_t offset,
             const void *from, size_t bytes, trawl_error *error);
void kept_release(used_device *u);

/* ---- lanes ------------------------------------------------------------------------ */

/* Buffers under the device's limit. Errors as of buffer_open. */
int used_buffer(used_device *u, buffer_kind kind, size_t bytes, device_buffer *b,
                trawl_error *error);
void unused_buffer(used_device *u, device_buffer *b);

/* Where it is not open yet. */
int lane_open(used_device *u, lane *l, trawl_error *error);
void lane_close(lane *l);

/* Open it, and make room for a piece of `text` bytes (with a texture over it), `scratch` bytes and
 * `records`. `staged`: the host brings the text. The lane is idle. */
int lane_reserve(used_device *u, lane *l, bool staged, size_t text, bool textured, size_t scratch,
                 uint64_t records, trawl_error *error);
/* Have room for so many records at least, while other lanes are at work; this one is idle. Without
 * the memory for more it stays as it is. */
int lane_widen(lane *l, uint64_t records, trawl_error *error);
/* Let go of the piece of a held text; the lane is idle. */
void lane_forget_held(lane *l);
/* Give back what lane_reserve took, and that. */
void lane_release(lane *l);

/* Bytes [from, end) of the window, of which (begin, end] owns matches. */
int lane_bring_text(lane *l, const text_job *job, u32 from, u32 begin, u32 end, trawl_error *error);
/* The same of a held text: (begin, end] owns matches, `lead` bytes before it are read; byte 0 of
 * the window is byte `window` of the held buffer. */
int lane_bring_held(lane *l, const held_text *held, u64 window, u32 lead, u32 begin, u32 end,
                    trawl_error *error);
/* Run the parts of the job's plan that carry, or those that do not. */
int lane_run_text(lane *l, const text_job *job, bool carries, slice *into, trawl_error *error);

/* Rows [top, bottom) of the window, of which the first `tops` own matches. */
int lane_bring_rows(lane *l, const grid_job *job, u32 top, u32 bottom, u32 tops,
                    trawl_error *error);
/* The same of a held grid, in place; or brought to the lane's memory, which has room for
 * lane_rows(..) rows. */
int lane_bring_held_rows(lane *l, const held_text *held, const held_rows *g, const grid_job *job,
                         bool in_place, u32 top, u32 bottom, u32 tops, trawl_error *error);
u32 lane_rows(const lane *l, u32 cols, u32 cell_size);
int lane_run_grid(lane *l, const grid_job *job, slice *into, trawl_error *error);

/* Bytes from row to row on the device. */
u64 lane_stride(u32 cols, u32 cell_size);

/* Wait for the piece, run it again by a fallback where a part gave up, add its matches to the slice
 * and its times to `times`. */
int lane_collect(lane *l, spent *times, trawl_error *error);
/* Wait until nothing of it is under way; what it found is void. */
void lane_give_up(lane *l);

#endif
