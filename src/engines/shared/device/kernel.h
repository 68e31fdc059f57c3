/* kernel.h: a walk on devices, seen from the host.
 *
 * Each algorithm has three files for it: device.k, the kernels, in the subset of base/port.h and
 * port.h; device.c, which chooses kernel, variant and grid from the tuning and queues them; and
 * device.h, what both agree on: the struct of a kernel's numbers, the places in local memory. The
 * struct is passed by value after the buffers. It consists of u64 and u32, the wide ones first, so
 * that all compilers lay it out alike, which SHARED_SIZE has each of them check. Kernels use the
 * engine's tables as they stand in the plan, uploaded whole; `prepare` makes what else they need
 * (filters, lists).
 *
 * The backend (backend/devices.c) brings pieces of text to the device and records back; it knows
 * walks only through this.
 */
#ifndef TRAWL_ENGINES_SHARED_DEVICE_KERNEL_H
#define TRAWL_ENGINES_SHARED_DEVICE_KERNEL_H

#include "base/memory.h"
#include "device/device.h"
#include "device/tuning.h"
#include "engines/shared/walk.h"

enum { PIECE_EVENTS = 64, WARP = 32 /* PORT_WARPS */ };
/* In bytes; grid/ku/device.c explains ROW_LEAD. */
enum { TEXT_PADDING = 256, ROW_ALIGN = 16, ROW_LEAD = 96 };

/* What a walk on a device knows of the patterns. */
typedef struct walk_facts {
    walk_kind kind;
    const uint32_t *tables; /* as layout.h says, on the host, valid while this is used */
    size_t bytes;           /* of the tables */
    uint64_t min_length;    /* grids: the fewest rows of a needle */
    uint64_t max_length;    /* UINT64_MAX: there is no longest; grids: the most rows */
    uint64_t state_words;   /* 64-bit words of walk state per slice; grids: u32 words a column */
    uint32_t carries;       /* 1: state crosses the borders of pieces */
    uint32_t cell_size;     /* 0: text */
    const uint64_t *masks;  /* plan_stage.masks; NULL when it does not carry */
    uint32_t patience;      /* plan_stage.patience */
    bool may_stop;          /* a fallback is there: the kernels may set piece_cursor.gave_up */
} walk_facts;

/* The tables of some patterns on a device. Opened by the backend. */
typedef struct device_plan {
    device *device;
    device_queue *queue; /* for prepare; idle before and after */
    memory *memory;      /* the context's, for what the host holds */
    const struct device_walk *walk;
    walk_facts facts;
    tuning tuning;
    device_buffer tables;   /* facts.tables */
    device_texture texture; /* over tables; open when tuning.texture or tuning.stage ask for it */
    void *state;            /* the walk's own: see device_walk.state_bytes */
    /* Take and give back device memory for the state, counted with all that the context uses.
     * Giving back a buffer that was not taken does nothing. */
    int (*take)(struct device_plan *p, size_t bytes, device_buffer *b, trawl_error *error);
    void (*give)(struct device_plan *p, device_buffer *b);
    void *owner; /* the backend's */
} device_plan;

/* In device memory: the count of all matches of a piece, also of those that find no room; whether
 * the fallback should search the piece, because this search is not worth it; and a count by which
 * the search decides to give up. All are 0 before the first part of a plan, and `worries` before
 * each part. */
typedef struct piece_cursor {
    uint64_t count;
    uint64_t gave_up;
    uint64_t worries;
} piece_cursor;

SHARED_SIZE(piece_cursor, 24);

enum { CURSOR_ROOM = 256 };

/* Where the matches of a piece go; capacity 0 counts only. */
typedef struct piece_sink {
    device_buffer *cursor;  /* piece_cursor */
    device_buffer *records; /* record[capacity]; always a valid buffer */
    uint64_t capacity;
    device_event *events; /* [PIECE_EVENTS]: those of the launches since the last sink_settle; NULL:
                             they are not timed */
    uint32_t event_count; /* how many are used */
    double seconds;       /* in kernels that are settled */
} piece_sink;

/* Text on the device. Occurrences whose end e satisfies begin < e <= end are reported, with
 * positions in `text`. Bytes [from, end) are text; TEXT_PADDING more may be read, whatever they
 * hold. begin < end; from is 0 or a multiple of 16; from <= begin - reach unless the text begins
 * there. */
typedef struct text_piece {
    device_buffer *text;
    device_texture *texture; /* over text; NULL when the walk's texts_texture is false */
    uint32_t from, begin, end;
    device_buffer *scratch; /* scratch_bytes long; NULL when that is 0 */
    uint64_t *state;        /* plans that carry: in and out (host memory); begin == from */
    piece_sink sink;
} text_piece;

/* Rows on the device, `stride` bytes apart, the first one from byte `from` of text on. Both are
 * multiples of the cell's size, but cells of 3 bytes may be anywhere. Bytes may be read from the
 * first row to TEXT_PADDING bytes after the last one; and, if some row does not begin at a multiple
 * of ROW_ALIGN, from ROW_LEAD bytes before the first such row on. Occurrences whose top row r
 * satisfies begin <= r < end are reported as r * cols + col. rows * cols < 2^32. */
typedef struct grid_piece {
    device_buffer *text;
    uint32_t rows, cols;
    uint64_t from, stride;
    uint32_t begin, end;
    device_buffer *scratch;
    piece_sink sink;
} grid_piece;

typedef struct device_walk {
    walk_kind kind;
    bool texts_texture; /* with tuning.texture the text has a texture too */
    size_t state_bytes; /* of device_plan.state, which is zero before prepare */
    /* Whether it searches a stage with these tables; NULL: it searches any. */
    bool (*takes)(const uint32_t *tables);
    /* Check the tuning against plan and device (TRAWL_ERROR_UNSUPPORTED says what does not
     * fit), and make what the kernels need. May be NULL. */
    int (*prepare)(device_plan *p, trawl_error *error);
    /* Give back the buffers of the state, also when prepare failed. May be NULL. */
    void (*release)(device_plan *p);
    /* Bytes of scratch for a piece of `length` bytes (grids: cells, in rows of `cols`). May be
     * NULL: none. */
    size_t (*scratch_bytes)(const device_plan *p, uint64_t length, uint64_t cols);
    /* Queue the kernels. If the plan carries, it may wait for the queue; once the queue has
     * finished, piece->state is the state at the end. Only then are duplicate records allowed. */
    int (*run_text)(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error);
    int (*run_grid)(const device_plan *p, device_queue *q, grid_piece *piece, trawl_error *error);
} device_walk;

const device_walk *device_walk_of(walk_kind kind); /* engines/devices.c; NULL: none */
/* Whether there are kernels for a stage of this kind with these tables. */
bool device_takes(walk_kind kind, const uint32_t *tables);

/* Make the state of p->walk and prepare it. Call plan_release afterwards, also after an error. */
int plan_prepare(device_plan *p, trawl_error *error);
void plan_release(device_plan *p);

/* Work items of a group: as many as the tuning says, else `usual` or what the device allows. */
int plan_group(const device_plan *p, uint32_t usual, uint32_t *group, trawl_error *error);

/* The same for a walk that runs in warps: if the device has them, groups are rounded up to whole
 * warps, of at most `most` items. */
int plan_warps(const device_plan *p, const char *walk, uint32_t usual, uint32_t most,
               uint32_t *group, trawl_error *error);

/* Take device memory for `b` and fill it with a copy of from[0 .. bytes); for prepare. */
int plan_upload(device_plan *p, device_buffer *b, const void *from, size_t bytes,
                trawl_error *error);

/* Check that the device has `bytes` bytes of local memory for a group of this walk; `instead`
 * continues the message: what to ask for, besides a smaller group. */
int plan_local(const device_plan *p, const char *walk, uint32_t group, uint64_t bytes,
               const char *instead, trawl_error *error);

/* Launch with the next event of the sink; waits for those before when all are in use. */
int sink_launch(const device_plan *p, device_queue *q, const launch *l, piece_sink *s,
                trawl_error *error);
/* The same for a kernel that searches, whose last arguments this fills in: RECORDS_ARGS of
 * port.h and its numbers, `bytes` of them. */
int launch_search(const device_plan *p, device_queue *q, launch *l, const void *numbers,
                  size_t bytes, piece_sink *s, trawl_error *error);
/* Wait for all of *count events, set *count to 0, and add up their times. Returns the error of the
 * first that failed. */
int events_settle(const device_api *api, const device_event *events, uint32_t *count,
                  double *seconds, trawl_error *error);
/* The same for the launches of a sink. */
int sink_settle(const device_api *api, piece_sink *s, trawl_error *error);

/* Queue the kernel of engines/shared/tally/device.k over at least one record; `buffers` are the
 * kernel's, in order. */
struct tally_args;
int tally_launch(device *d, device_queue *q, const device_buffer *const buffers[4],
                 const struct tally_args *a, device_event *event, trawl_error *error);

/* Queue the kernel of engines/shared/rows/device.k for at least one row; `from` is a borrowed
 * buffer, and `to` has room for the rows, each rounded up to a multiple of 16 bytes. */
struct rows_args;
int rows_launch(device *d, device_queue *q, const device_buffer *from, const device_buffer *to,
                const struct rows_args *a, device_event *event, trawl_error *error);

/* How many parts a whole has, the last one perhaps shorter. */
static inline uint32_t parts(uint64_t whole, uint64_t part)
{
    return (uint32_t)((whole + part - 1) / part);
}

static inline uint32_t smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Add the tables, and if `texture` is set the texture over them. */
static inline void launch_tables(launch *l, const device_plan *p, bool texture)
{
    launch_buffer(l, &p->tables);
    if (texture)
        launch_texture(l, &p->texture);
}

#endif
