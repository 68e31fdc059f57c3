/* hostile.h: plans that were changed by someone who knows their form, for test_plan.c and
 * fuzz_plan.c. The checksum only tells accidents; after it is put right, nothing but the
 * verification of trawl_plan_load stands between a hostile plan and the walks.
 */
#ifndef TRAWL_HOSTILE_H
#define TRAWL_HOSTILE_H

#include "plan/plan.h"

enum { HOSTILE_PLANS = 180 };

/* Plans of every engine, of sets that between them use every table. Returns their number. */
size_t hostile_plans(trawl_plan *plans[HOSTILE_PLANS]);

/* One change of one 32-bit word of a plan block. Any values are a valid edit. */
typedef struct plan_edit {
    uint8_t where;  /* the header or a section */
    uint8_t how;    /* set, add, flip a bit, copy from another word */
    uint16_t place; /* word in there */
    uint32_t value;
} plan_edit;

void hostile_edit(void *block, size_t bytes, const plan_edit *edit);

/* Put magic, version, byte order, size and checksum right. */
void hostile_repair(void *block, size_t bytes);

/* Load the block and, when that succeeds, scan small texts or grids with it in every way: all
 * reports of whole texts, streams, ranges and many texts. True when it was loaded. What the scans
 * report is not looked at: they must end, and touch no memory but their own, which the sanitizers
 * see. */
bool hostile_scan(const void *block, size_t bytes, trawl_context *context);

#endif
