/* tile.h: a tile of text in local memory, for bm and wm.
 *
 * The items of a group copy it together: neighbours load neighbouring 16 bytes, four loads at a
 * time before the first store, so that memory is busy. If a plan ignores case, the text is put in
 * lower case on the way, once for each byte, so that the search itself knows no case.
 */
#ifndef TRAWL_ENGINES_SHARED_DEVICE_TILE_H
#define TRAWL_ENGINES_SHARED_DEVICE_TILE_H

#include "engines/shared/device/port.h"

/* Four bytes with ASCII capitals put in lower case. */
INLINE u32 tile_fold(u32 bytes)
{
    const u32 low = bytes & 0x7f7f7f7fu;
    const u32 from_a = low + 0x3f3f3f3fu;   /* top bit: 'A' or above */
    const u32 behind_z = low + 0x25252525u; /* top bit: above 'Z' */
    return bytes | ((from_a & ~behind_z & ~bytes & 0x80808080u) >> 2);
}

INLINE u32x4 tile_folded(u32x4 v, u32 folded)
{
    if (folded) {
        v.x = tile_fold(v.x);
        v.y = tile_fold(v.y);
        v.z = tile_fold(v.z);
        v.w = tile_fold(v.w);
    }
    return v;
}

/* The whole group copies `quads` times 16 bytes from `from` to `to`, both on 16-byte boundaries.
 * The caller sets the barriers. */
INLINE void tile_load(GLOBAL const u32 *from, LOCAL u32 *to, u32 quads, u32 folded)
{
    LOCAL u32x4 *tile = (LOCAL u32x4 *)to;
    const u32 step = PORT_GROUP_SIZE;
    u32 i = PORT_LID;
    for (; i + 3 * step < quads; i += 4 * step) {
        const u32x4 a = PORT_LOAD4(from + 4 * i);
        const u32x4 b = PORT_LOAD4(from + 4 * (i + step));
        const u32x4 c = PORT_LOAD4(from + 4 * (i + 2 * step));
        const u32x4 d = PORT_LOAD4(from + 4 * (i + 3 * step));
        tile[i] = tile_folded(a, folded);
        tile[i + step] = tile_folded(b, folded);
        tile[i + 2 * step] = tile_folded(c, folded);
        tile[i + 3 * step] = tile_folded(d, folded);
    }
    for (; i < quads; i += step)
        tile[i] = tile_folded(PORT_LOAD4(from + 4 * i), folded);
}

#endif
