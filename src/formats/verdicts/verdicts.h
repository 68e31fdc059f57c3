/* verdicts.h: which rules hold for a record.
 *
 * A rule holds when all of its contents are where they are asked for and all negated ones are not,
 * for some choice among the places of those that others are relative to; when the record's flow
 * fits its head, and its size fits. What cannot be evaluated is taken to hold, and named; a content
 * of a buffer is asked for anywhere in the record, a negated one is not asked. A record without
 * bytes has no verdicts.
 */
#ifndef TRAWL_VERDICTS_H
#define TRAWL_VERDICTS_H

#include "formats/patterns/rules.h"

#define VERDICTS_PLACES ((size_t)1 << 23) /* of contents with windows, at most, in a record */

typedef struct verdicts verdicts;

/* A record that has ended. */
typedef struct verdicts_record {
    const uint8_t *bytes; /* NULL: it came in pieces, which were searched for all patterns */
    uint64_t length;
    const char *flow; /* between whom it went (flow_read); "": nobody knows */
} verdicts_record;

/* Rules that hold, in the order in which they were read; until the next call. */
typedef struct verdicts_held {
    const rule *const *rules;
    size_t count;
} verdicts_held;

typedef enum verdicts_status {
    VERDICTS_KNOWN,
    VERDICTS_TOO_MANY, /* contents occur at more than VERDICTS_PLACES places: none holds */
    VERDICTS_NO_MEMORY
} verdicts_status;

/* The verdicts of a set that rules_for_verdicts made, which outlives them and whose patterns are
 * put in order.
 * NULL: no memory. */
verdicts *verdicts_open(pattern_set *set);
void verdicts_close(verdicts *v);

/* The set's patterns are those that whole records are searched for, or `all`, for records that come
 * in pieces. */
void verdicts_choose(verdicts *v, bool all);

/* The present record has these matches. False: no memory. */
bool verdicts_take(verdicts *v, const trawl_match *matches, size_t count);
/* The present record has ended; the next one begins. */
verdicts_status verdicts_judge(verdicts *v, const verdicts_record *r, verdicts_held *held);

#endif
