/* ahead.h: batches of records, of which the next is filled while one is searched. */
#ifndef TRAWL_AHEAD_H
#define TRAWL_AHEAD_H

#include "formats/records/reader.h"

typedef struct ahead ahead;

/* Batches from a reader's state; `whole`: of whole records. A thread fills them from the second on
 * where the text is in a file (a pipe may keep it waiting for ever), but of whole records. NULL:
 * out of memory. */
ahead *ahead_open(const reader_kind *kind, void *state, const source *text, bool whole);

/* The next batch, which is valid until the next call: 1, or 0 where it is the last, or -1 where it
 * is the last before an error: *why. No call follows these. */
int ahead_next(ahead *a, batch **b, const char **why);

/* Waits until the reader's state is nobody's. */
void ahead_close(ahead *a);

#endif
