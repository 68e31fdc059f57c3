/* ac.h: what the walks of ac and pfac share. */
#ifndef TRAWL_WALK_AC_H
#define TRAWL_WALK_AC_H

#include "table/ac.h"
#include "walk/walk.h"

/* Report the output list of state s, and those it links to, at end offset `pos`. Literals that
 * must be compared in full are, if they begin at `low` or after it. */
void ac_report(const u32 *tables, const u8 *text, u32 s, u32 low, u32 pos, const sink *out);

#endif
