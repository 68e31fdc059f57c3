/* saved.h: how saved bytes that belong to a plan begin: a stream's state, a range's seam.
 *
 * They begin as plan_header does, for plan_checksum; the rest depends on the kind.
 */
#ifndef TRAWL_SAVED_H
#define TRAWL_SAVED_H

#include "base/error.h"
#include "plan/plan.h"

typedef struct saved_head {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t bytes;    /* of the whole block */
    uint64_t checksum; /* of the block */
    uint64_t plan;     /* plan_header.checksum */
} saved_head;

_Static_assert(sizeof(saved_head) == 40 &&
                   offsetof(saved_head, checksum) == offsetof(plan_header, checksum),
               "saved");

/* What one kind of saved bytes is, for messages too. */
typedef struct saved_kind {
    char magic[9];
    uint32_t version;
    const char *name;    /* "state" */
    const char *writer;  /* the call that writes them */
    const char *instead; /* what to do without them */
} saved_kind;

/* The head of a block of `bytes` bytes; saved_seal fills in its checksum. */
saved_head saved_begin(const saved_kind *kind, const trawl_plan *plan, size_t bytes);
/* Write the checksum of a block that is complete. */
void saved_seal(void *block);

/* Check that a block is of the kind, whole, and of this plan; else TRAWL_ERROR_PLAN. */
int saved_check(const saved_kind *kind, const trawl_plan *plan, const void *block, size_t bytes,
                trawl_error *error);

#endif
