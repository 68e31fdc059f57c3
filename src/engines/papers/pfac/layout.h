/* layout.h: the transition of PFAC.
 *
 * Shared by the builder (engines/literal/ac/build.c), the loop on CPUs (cpu.c) and the loops on
 * devices (device.k).
 */
#ifndef TRAWL_ENGINES_PAPERS_PFAC_LAYOUT_H
#define TRAWL_ENGINES_PAPERS_PFAC_LAYOUT_H

#include "engines/literal/ac/layout.h"

/* The transition without failure links; AC_DEAD ends the walk of this start. */
INLINE u32 pfac_next(GLOBAL const u32 *rows, GLOBAL const u32 *sparse, u32 s, u32 class_number)
{
    return s & AC_SPARSE ? ac_child(sparse + (s & AC_PLACE), class_number)
                         : rows[(s & AC_PLACE) + class_number];
}

#endif
