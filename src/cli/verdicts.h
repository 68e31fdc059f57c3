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

#include "cli/find_output.h"
#include "formats/patterns/rules.h"

typedef struct verdicts verdicts;

/* Of a set that rules_for_verdicts made; `quiet`: they are only counted. NULL after a complaint. */
verdicts *verdicts_open(pattern_set *set, find_output *output, bool quiet);
void verdicts_close(verdicts *v);

/* The set's patterns are those that whole records are searched for, or `all`, for records that come
 * in pieces. */
void verdicts_choose(verdicts *v, bool all);

/* The present record has these matches; it has ended. At most `most` are printed, 0: all.
 * False: the search cannot go on, after a complaint unless standard output failed. */
bool verdicts_take(verdicts *v, const trawl_match *matches, size_t count);
bool verdicts_record(verdicts *v, const record_scan *scan, const record *r, uint64_t length,
                     uint64_t most);

/* So many were printed; the verdicts of some record could not be had, or not be printed. */
uint64_t verdicts_count(const verdicts *v);
bool verdicts_failed(const verdicts *v);

#endif
