/* bundle.h: many texts, one after the other, for a device in one go.
 *
 * Idea: to start a device takes microseconds, to search a hundred bytes nanoseconds. So threads
 * copy the texts of a call together, which are searched as one; the end of a match tells which text
 * it is in.
 *
 * Invariant: no match crosses two texts. One whose length is known is dropped if it begins before
 * its text; if some patterns vary in length, a byte that none of these holds stands before each
 * text.
 *
 * Cost: a copy of the texts, and their bundle in memory.
 */
#ifndef TRAWL_SCAN_BUNDLE_H
#define TRAWL_SCAN_BUNDLE_H

#include "scan/text.h"

/* Whether a bundle pays for `count` texts in this context, with this plan. */
bool bundle_pays(const trawl_context *context, const trawl_plan *plan, const budget *b,
                 size_t count);

/* Room for a bundle. */
typedef struct bundle_room {
    uint32_t *begin;
    uint8_t *bytes;
} bundle_room;

int bundle_open(bundle_room *r, memory *m, const trawl_text *texts, size_t count,
                trawl_error *error);
void bundle_close(bundle_room *r, memory *m);

/* Search the first of the `count` texts, as many as fit, and hand on their matches; text 0 is
 * number `first` of the call. *done is set to how many; 0: the first one is too long. */
int bundle_scan(const bundle_room *r, trawl_context *context, delivery *d, const trawl_text *texts,
                size_t count, size_t first, size_t *done, trawl_error *error);

#endif
