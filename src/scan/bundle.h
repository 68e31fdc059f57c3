/* bundle.h: many texts for a device in one go, one after the other.
 *
 * Idea: a device is begun with in microseconds, and a hundred bytes are searched in nanoseconds. So
 * the texts of a call are copied together, by threads, and searched as one; of a match it is known
 * by its end which text it is of.
 *
 * Invariant: no match of two texts counts. One whose length is known is dropped where it begins
 * before its text; where patterns vary in length, a byte that none of these holds stands before
 * each text.
 *
 * Cost: a copy of the texts, and their bundle in memory.
 */
#ifndef TRAWL_SCAN_BUNDLE_H
#define TRAWL_SCAN_BUNDLE_H

#include "scan/text.h"

/* Whether the context's texts are searched so, by this plan. */
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

/* Search the first of `count` texts, as many as fit, and hand their matches on; text 0 is number
 * `first` of the call. *done: how many; 0: the first one is too long. */
int bundle_scan(const bundle_room *r, trawl_context *context, delivery *d, const trawl_text *texts,
                size_t count, size_t first, size_t *done, trawl_error *error);

#endif
