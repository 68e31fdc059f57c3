/* scan.h: the driver. It cuts text into windows and slices, has a backend run them, and hands on
 * the records in order.
 *
 *     text ─► windows (grow from 1 MiB) ─► slices ─► backend ─► sorted batches ─► consumer
 *
 * A window is what one job covers; positions in it have 32 bits. A slice owns the matches that end
 * in it and reads `reach` bytes before it, so cutting neither loses nor doubles one. Where reach
 * has no bound, state crosses the border instead (carry.h).
 */
#ifndef TRAWL_SCAN_H
#define TRAWL_SCAN_H

#include "scan/context.h"

#define SCAN_SLICES 1024u       /* the most slices of one job */
#define SCAN_RECORDS (2u << 20) /* the most records that the slices of a window share */
#define NESTED_SLICES 64u       /* the same for a stretch that is scanned again */
#define NESTED_RECORDS (256u << 10)

/* Bytes, or cells, below which waking threads costs more than it brings. */
#define MIN_SHARED (256u << 10)

/* Room for a stretch that is known to hold about `count` matches. */
static inline size_t nested_records(uint64_t count)
{
    const uint64_t least = 4096;
    return count > NESTED_RECORDS / 4 ? NESTED_RECORDS
                                      : (size_t)(4 * count > least ? 4 * count : least);
}

/* A window, or a round of a grid, should not take longer than this: a call can end between two of
 * them. */
#define WINDOW_NANOSECONDS 50000000u

/* Whether some part has a fallback. */
bool stages_may_give_up(const trawl_plan *plan);

/* Note how far the first stages came in the slices of a job, which began as `choice` says; a
 * position of a slice is `unit` bytes. */
void stages_note(stage_choice *choice, const trawl_plan *plan, const slice *slices, size_t count,
                 uint64_t unit);

/* Takes the sorted records of one slice, whose ends lie in (the last call's `upto`, upto], in
 * positions of the window. It may change them. Non-zero stops the scan with that status. */
typedef int (*records_fn)(void *user, record *records, size_t count, uint32_t upto,
                          trawl_error *error);

/* Makes the matches of sorted records, whose window begins at offset `window_begin`; returns how
 * many there are. Any thread may call it. */
typedef size_t (*make_fn)(const void *user, const record *records, size_t count,
                          uint64_t window_begin, trawl_match *to);
/* Takes these matches, in order. Returns as records_fn does. */
typedef int (*take_fn)(void *user, const trawl_match *matches, size_t count);

typedef struct text_scan {
    trawl_context *context;
    worker *worker; /* the context's, or its spare one */
    const trawl_plan *plan;
    records_fn consume; /* NULL: count only (not for plans that carry) */
    make_fn make; /* the backend's threads make matches ahead, for `take`; NULL: they do not */
    take_fn take;
    void *user;         /* for all three */
    handing handed;     /* what `consume` does with them */
    keeping *keeping;   /* devices, count only: what else is done with matches; or NULL */
    uint64_t counted;   /* matches so far */
    uint64_t window_at; /* where the window begins in a text that the worker holds */
    uint64_t window;    /* bytes that the next window should have */
    bool opens;         /* the next windows begin with the opening */
    bool led;           /* other windows are in flight */
    size_t expected;    /* records of the next window, judged by the last one */

    /* Plans that carry: the true state at the next byte; the states that all slices of the last
     * window ended with, or that no byte kills. */
    uint64_t *state, *lasting;

    /* Streams: the states, at the next byte, of the parts that do not carry, so that their reach
     * need not be read again. NULL: not a stream, or nothing flows. */
    uint64_t *flow;
    size_t flow_words;
    bool flows; /* `flow` is true */

} text_scan;

/* `stream`: windows will be short. Error: memory. */
int text_scan_open(text_scan *scan, trawl_context *context, const trawl_plan *plan, bool stream,
                   records_fn consume, void *user, trawl_error *error);
void text_scan_close(text_scan *scan);

/* Another text goes on at the next byte: `flow` is not its state. */
void text_scan_forget_flow(text_scan *scan);

/* Another text begins at the next byte. */
void text_scan_restart(text_scan *scan);

/* Scan window[lead .. lead + length): bytes [0, lead) were scanned before and may be read, as far
 * as the plan's reach. `window` is NULL: it is in the text that the worker holds, at window_at.
 * lead + length < 2^31. Returns the consumer's status, or an error. */
int text_scan_window(text_scan *scan, const uint8_t *window, uint32_t lead, uint32_t length,
                     trawl_error *error);

/* ---- several windows at once (led.c) -------------------------------------------------- */

/* Call it before the first window. `held`: the windows are of a text that the worker holds. */
void text_scan_begin(text_scan *scan, bool held);
/* Cut window[begin .. end) into slices in a room, as a job that the present worker may then run.
 * `again`: it did not fit the room it had. */
int text_scan_cut(text_scan *scan, scan_room *room, const uint8_t *window, uint32_t begin,
                  uint32_t end, bool again, text_job *job, trawl_error *error);
/* Hand on the matches of a job that has run. */
int text_scan_hand_on(text_scan *scan, scan_room *room, const text_job *job, trawl_error *error);
/* A window of `length` bytes had `found` matches, and took `took` nanoseconds. */
void text_scan_learn(text_scan *scan, bool held, uint32_t length, uint64_t found, uint64_t took);

#endif
