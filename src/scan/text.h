/* text.h: one text in memory, from its first byte to its last match. */
#ifndef TRAWL_SCAN_TEXT_H
#define TRAWL_SCAN_TEXT_H

#include "scan/delivery.h"

/* Scan a text and put its matches into the batch, those that are still open at its end too. */
int text_deliver(trawl_context *context, delivery *d, const void *text, size_t length,
                 trawl_error *error);

/* The same for a small text (d->text) on the CPU (small.c). False: it is not small, or has many
 * matches; nothing was handed on then. */
bool small_deliver(trawl_context *context, delivery *d, size_t length, int *status,
                   trawl_error *error);

/* The matches of a small text counted, all ends. False: it is not small. */
bool small_count(trawl_context *context, const trawl_plan *plan, const void *text, size_t length,
                 uint64_t *count);

#endif
