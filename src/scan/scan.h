/* scan.h: the driver. It cuts text into windows and slices, has a backend run them, and
 * hands the records on in order.
 *
 *     text ─► windows (grow from 1 MiB) ─► slices ─► backend ─► sorted batches ─► consumer
 *
 * A window is what one job covers; positions in it are 32 bits. A slice owns the matches
 * that end in it and reads `reach` bytes before it, so cutting neither loses nor doubles
 * one. Where reach has no bound, state crosses the border instead: slices run from the
 * empty state, then are run again from the true one until both agree.
 */
#ifndef TRAWL_SCAN_H
#define TRAWL_SCAN_H

#include "backend/backend.h"
#include "match/match.h"

#define SCAN_SLICES 1024u       /* the most slices of one job */
#define SCAN_RECORDS (2u << 20) /* records that the slices of a window share */
#define NESTED_SLICES 64u       /* the same for a stretch that is scanned again */
#define NESTED_RECORDS (256u << 10)

/* Room for the slices of one job. */
typedef struct scan_room {
    slice *slices;
    uint32_t slice_count;
    record *records;
    uint32_t record_count;
    uint64_t *states; /* plans that carry: state and snapshots of each slice */
    size_t state_words;
    uint32_t snapshot_bytes;
} scan_room;

struct trawl_context {
    worker worker;
    scan_room room;
    record *scratch; /* SCAN_RECORDS */
};

int scan_room_open(scan_room *room, uint32_t slices, uint32_t records, trawl_error *error);
void scan_room_close(scan_room *room);

/* Takes the records of one slice, sorted, whose ends lie in (what came before, upto]; both
 * are positions in the window. Non-zero stops the scan with that status. */
typedef int (*records_fn)(void *user, const record *records, size_t count, uint32_t upto,
                          trawl_error *error);

typedef struct text_scan {
    trawl_context *context;
    const trawl_plan *plan;
    records_fn consume; /* NULL: count only (not for plans that carry) */
    void *user;
    uint64_t counted; /* matches so far */
    uint64_t *state;  /* plans that carry: the true state at the next byte, then a copy */
    uint64_t window;  /* bytes that the next window should have */
} text_scan;

/* Error: memory. */
int text_scan_open(text_scan *scan, trawl_context *context, const trawl_plan *plan,
                   records_fn consume, void *user, trawl_error *error);
void text_scan_close(text_scan *scan);

/* Bytes before a window that must be readable: 0 for plans that carry. */
uint32_t text_scan_reach(const trawl_plan *plan);

/* Scan window[lead .. lead + length): bytes [0, lead) were scanned before and may be read.
 * lead + length < 2^31. Status of the consumer, or an error. */
int text_scan_window(text_scan *scan, const uint8_t *window, uint32_t lead, uint32_t length,
                     trawl_error *error);

/* Read scan options over the defaults; checks them. */
int read_scan_options(const trawl_scan_options *given, trawl_scan_options *options,
                      trawl_error *error);

#endif
