/* records.h: texts that are divided into records, each searched by itself. */
#ifndef TRAWL_RECORDS_H
#define TRAWL_RECORDS_H

#include "formats/records/ahead.h"
#include "formats/search/circle.h"
#include "trawl.h"

typedef struct record_scan {
    trawl_context *context;
    const trawl_plan *plan;
    trawl_scan_options options;
    /* If it is set: the plan for records that come in pieces; NULL, after a complaint: none. */
    const trawl_plan *(*plan_of_pieces)(void *user);
    bool whole;    /* the report needs whole records in memory */
    bool circular; /* records are circles */
    /* Takes matches of which record_scan_of says whose they are. */
    trawl_match_fn take;
    void *user;
    /* If it is set: each record that has ended, after its matches, with its length. Non-zero
     * stops. */
    int (*ended)(void *user, const record *r, uint64_t length);
    void (*searched)(void *user, uint64_t bytes); /* if it is set: `bytes` more were */

    const reader_kind *kind;
    batch *batch;         /* the present one */
    trawl_text *texts;    /* of the batch's records */
    size_t first;         /* the record that texts, or the stream, begin with */
    size_t told;          /* records before this one are known to have ended */
    uint64_t length;      /* of the stream so far */
    trawl_stream *stream; /* open within a record that is longer than a batch */
    circle *circle;       /* where records are circles */
    uint8_t *joined;      /* the bytes of a match that crosses the end of one */
    content_doubt doubt;  /* with a reason: of the first line that may not be meant so */
    bool damaged;         /* the text is, after what the batch holds */
    trawl_error error;
    const char *why;
    char message[256];
} record_scan;

/* Search the records of a text. TRAWL_OK, a notice (TRAWL_STOPPED, TRAWL_LIMITED), or an error:
 * why, after what was found before. */
int record_scan_text(record_scan *r, const reader_kind *kind, source *text);

/* Whose match it is, while `take` has it. */
const record *record_scan_of(const record_scan *r, const trawl_match *match);

/* The bytes of a match whose start is known, while `take` has it, of records in memory whole; of
 * one that crosses the end of a circle they are joined. NULL: no memory. */
const uint8_t *record_scan_match(record_scan *r, const trawl_match *match);

/* The name of a record, while it is there; NULL: records of this kind have none. */
const char *record_scan_name(const record_scan *r, const record *which);

/* A record's bytes, when it has ended; NULL: it came in pieces. */
const uint8_t *record_scan_bytes(const record_scan *r, const record *which);

/* Between whom a packet went; "" of other records. */
const char *record_scan_flow(const record_scan *r, const record *which);

#endif
