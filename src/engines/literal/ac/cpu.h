/* cpu.h: what the walks of ac and pfac share. */
#ifndef TRAWL_ENGINES_LITERAL_AC_CPU_H
#define TRAWL_ENGINES_LITERAL_AC_CPU_H

#include "engines/literal/ac/layout.h"
#include "engines/shared/walk.h"

/* Report the output list of state s, and those it links to, at end offset `pos`. Literals that must
 * be compared in full are compared, if they begin at `low` or after it. */
void ac_report(const u32 *tables, const u8 *text, u32 s, u32 low, u32 pos, const sink *out);

#endif
