/* delivery.h: what scans of a text in memory and of a stream share: checks of a call, and the way
 * from records to matches.
 */
#ifndef TRAWL_SCAN_DELIVERY_H
#define TRAWL_SCAN_DELIVERY_H

#include "scan/scan.h"

/* A context, and a plan for text. */
int check_call(const trawl_context *context, const trawl_plan *plan, trawl_error *error);

/* Offsets up to base + length must fit, TRAWL_UNKNOWN left over. */
int check_end(uint64_t base, uint64_t length, trawl_error *error);

/* Reports ends as they are, or passes them to the reporter of the other modes. */
typedef struct delivery {
    const trawl_plan *plan;
    match_out out;
    reporter *reports;   /* NULL: ENDS */
    const uint8_t *text; /* what may be read: text[0] has offset text_begin */
    uint64_t text_begin;
    uint64_t window_begin; /* offset of the window that records refer to */
} delivery;

int delivery_open(delivery *d, const trawl_plan *plan, const trawl_scan_options *options,
                  trawl_match_fn fn, void *user, trawl_error *error);

/* The records_fn of a text_scan; `user` is the delivery. */
int deliver(void *user, const record *records, size_t count, uint32_t upto, trawl_error *error);

/* The text ends at `upto`. */
int delivery_finish(delivery *d, uint64_t upto, trawl_error *error);

#endif
