/* device_far.h: sets of distances, for kernels that compare patterns of variable length.
 */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_FAR_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_DEVICE_FAR_H

#include "engines/shared/device/port.h"

/* Numbers 0 .. 255: how far after a place, or before an end. The words are separate members, since
 * an array would not stay in registers. */
typedef struct far_set {
    u64 a, b, c, d;
} far_set;

INLINE void clear_far(far_set *set)
{
    set->a = set->b = set->c = set->d = 0;
}

INLINE void add_far(far_set *set, u32 d)
{
    const u64 bit = (u64)1 << (d % 64);
    set->a |= d / 64 == 0 ? bit : 0;
    set->b |= d / 64 == 1 ? bit : 0;
    set->c |= d / 64 == 2 ? bit : 0;
    set->d |= d / 64 == 3 ? bit : 0;
}

INLINE u32 any_far(const far_set *set)
{
    return (set->a | set->b | set->c | set->d) != 0;
}

/* Take the lowest number out of a set that is not empty. */
INLINE u32 take_far(far_set *set)
{
    const u32 far = set->a ? 0 : set->b ? 64 : set->c ? 128 : 192;
    const u64 word = set->a ? set->a : set->b ? set->b : set->c ? set->c : set->d;
    const u64 less = word & (word - 1);
    set->a = far == 0 ? less : set->a;
    set->b = far == 64 ? less : set->b;
    set->c = far == 128 ? less : set->c;
    set->d = far == 192 ? less : set->d;
    return far + PORT_CTZ64(word);
}

#endif
