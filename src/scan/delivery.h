/* delivery.h: what scans of a text in memory and of a stream share: checks of a call, and the way
 * from records to matches.
 */
#ifndef TRAWL_SCAN_DELIVERY_H
#define TRAWL_SCAN_DELIVERY_H

#include "match/sieve.h"
#include "scan/scan.h"

/* Fail: the plan is not for text; the base is too large. */
int no_text_plan(const trawl_plan *plan, trawl_error *error);
int no_such_end(trawl_error *error);

/* Check that offsets up to base + length fit, and TRAWL_UNKNOWN is none of them. */
static inline int check_end(uint64_t base, uint64_t length, trawl_error *error)
{
    return base < UINT64_MAX - length ? TRAWL_OK : no_such_end(error);
}

/* Check that the plan is for text, the options are valid and offsets up to base + length fit. Fills
 * *read. */
static inline int check_text(const trawl_plan *plan, const trawl_scan_options *options,
                             uint64_t length, trawl_scan_options *read, trawl_error *error)
{
    if (!plan || plan_head(plan)->cell_size)
        return no_text_plan(plan, error);
    const int status = read_scan_options(options, read, error);
    read->report = plan_report(plan, read->report);
    return status == TRAWL_OK ? check_end(read->base, length, error) : status;
}

/* Reports ends as they are, or passes them to the reporter of the other modes. */
typedef struct delivery {
    const trawl_plan *plan;
    memory *memory;
    match_out out;
    uint32_t report;
    reporter *reports;   /* NULL: ENDS */
    const uint8_t *text; /* what may be read: text[0] has offset text_begin */
    uint64_t text_begin;
    uint64_t origin;       /* as in text_view */
    uint64_t known;        /* the text may be read up to here; a match that ends here ends with the
                              text */
    uint64_t window_begin; /* offset of the window that records refer to */
    last_end *last;        /* plans with alternatives; else NULL */
    uint64_t texts;        /* how many came before this one */
} delivery;

/* The offset of the first byte that is scanned: -1 where an opening stands before the text. */
static inline uint64_t delivery_begins(const trawl_plan *plan)
{
    return plan_head(plan)->opened ? UINT64_MAX : 0;
}

/* That byte. */
static inline uint8_t delivery_opening(const trawl_plan *plan)
{
    return (uint8_t)(plan_head(plan)->opened - 1);
}

/* `batch` has MATCH_BATCH places and lives as long as the delivery, or until the next one is set
 * (out.batch). The context has been entered. */
int delivery_open(delivery *d, trawl_context *context, const trawl_plan *plan,
                  const trawl_scan_options *options, trawl_match_fn fn, void *user,
                  trawl_match *batch, trawl_error *error);
void delivery_release(delivery *d);

static inline void delivery_close(delivery *d)
{
    if (d->reports || d->out.reported || d->last)
        delivery_release(d);
}

/* Bytes of out.reported; 0: no pattern of the plan has TRAWL_ONCE. */
size_t delivery_once_bytes(const delivery *d);

/* Set the patterns that this text has reported already, from a saved state. */
void delivery_set_reported(delivery *d, const void *bits);

/* The records_fn of a text_scan; `user` is the delivery. */
int deliver(void *user, record *records, size_t count, uint32_t upto, trawl_error *error);

/* Whether each record is a match, and matches have no limit: then any thread may make matches
 * (make_matches is a make_fn; `user` is the delivery), which are handed on as they are
 * (take_matches is a take_fn). */
static inline bool delivery_is_plain(const delivery *d)
{
    return !d->reports && !d->last && !d->out.reported && d->out.left == UINT64_MAX &&
           !plan_head(d->plan)->bordered;
}

size_t make_matches(const void *user, const record *records, size_t count, uint64_t window_begin,
                    trawl_match *to);
int take_matches(void *user, const trawl_match *matches, size_t count);

/* Whether no match will be reported any more, whatever follows. */
static inline bool delivery_idle(const delivery *d)
{
    return d->out.open == 0;
}

static inline text_view delivery_view(const delivery *d)
{
    return (text_view){ d->text, d->text_begin, d->known, d->origin };
}

/* The text ends at `upto`, which decides matches that were still open. */
static inline int delivery_end(delivery *d, uint64_t upto, trawl_error *error)
{
    if (!d->reports)
        return TRAWL_OK;
    return reporter_feed(d->reports, NULL, 0, 0, delivery_view(d), upto, true, error);
}

/* Another text begins: nothing of it has been reported. */
int delivery_begin(delivery *d, trawl_error *error);

/* After delivery_end: another text begins, with offset 0. */
static inline int delivery_next(delivery *d, uint64_t record, trawl_error *error)
{
    d->out.record = record;
    d->texts++;
    return d->reports || d->out.reported ? delivery_begin(d, error) : TRAWL_OK;
}

/* Hand on what is left in the batch, after a call that ended with `status`. Returns what the call
 * ends with. */
static inline int delivery_flush(delivery *d, int status)
{
    return batch_last(status, d->out.count ? match_flush(&d->out) : TRAWL_OK);
}

#endif
