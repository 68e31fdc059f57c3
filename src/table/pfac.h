/* pfac.h: the transition of PFAC.
 *
 * Shared by the builder (engine/ac.c), the loop on CPUs (walk/pfac.c) and the loops on devices
 * (kernel/pfac.k).
 */
#ifndef TRAWL_TABLE_PFAC_H
#define TRAWL_TABLE_PFAC_H

#include "table/ac.h"

/* The transition without failure links; AC_DEAD ends the walk of this start. */
INLINE u32 pfac_next(GLOBAL const u32 *rows, GLOBAL const u32 *sparse, u32 s, u32 class_number)
{
    return s & AC_SPARSE ? ac_child(sparse + (s & AC_PLACE), class_number)
                         : rows[(s & AC_PLACE) + class_number];
}

#endif
