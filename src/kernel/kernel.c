/* kernel.c: the walks on devices, by kind. */
#include "kernel/kernel.h"

const device_walk *device_walk_of(walk_kind kind)
{
    static const device_walk *const walks[WALK_KINDS] = {
        [WALK_BM] = &device_bm,     [WALK_WM] = &device_wm,     [WALK_AC] = &device_ac,
        [WALK_PFAC] = &device_pfac, [WALK_HNFA] = &device_hnfa, [WALK_SHIFTAND] = &device_shiftand,
        [WALK_BB] = &device_bb,     [WALK_BYR] = &device_byr,
    };
    return walks[kind];
}
