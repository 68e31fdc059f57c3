/* layout.h: tables of direct comparison: the cells of each needle that are compared, and the same
 * cells as boxes, for texts that resemble a needle everywhere.
 *
 * Shared by the builder (build.c), the loop on CPUs (vector.c) and the loops
 * on devices (device.k).
 */
#ifndef TRAWL_ENGINES_GRID_DIRECT_LAYOUT_H
#define TRAWL_ENGINES_GRID_DIRECT_LAYOUT_H

#include "engines/shared/grid/layout.h"

typedef struct direct_tables {
    u32 cell_size;
    u32 channel; /* bytes of a channel: 1; or the size of a cell, if it has only one; or 2 in cells
                    of 4 */
    u32 exact;   /* 1: `low` and `high` of every cell are equal */
    u32 wrong;   /* how many cells of an occurrence may be out of their bounds */
    u32 count;   /* needles */
    u32 needles; /* direct_needle[count], word offset */
} direct_tables;

typedef struct direct_needle {
    u32 rows, cols;
    u32 count;     /* cells that are compared, first those of all colours */
    u32 cells;     /* direct_cell[count], word offset, a multiple of 4 */
    u32 boxes;     /* direct_box[box_count], word offset: each of the cells lies in one of them */
    u32 box_count; /* 0: they would be too many */
} direct_needle;

/* The bounds of each channel, as cells in memory. */
typedef struct direct_cell {
    u32 row, col;
    u8 low[4], high[4];
} direct_cell;

/* A rectangle of cells that have nearly the same bounds. */
typedef struct direct_box {
    direct_cell outer; /* its top left cell; a cell of text out of these bounds is so for all its
                          cells, */
    direct_cell inner; /* one within these is within bounds for all its cells */
    u32 rows, cols;
} direct_box;

/* Words of state that boxes need for a column: two counters, and twice the bits of 64 bytes for
 * each group of cells, with a group to spare. */
#define DIRECT_BOX_STATE 10u

SHARED_SIZE(direct_tables, 24);
SHARED_SIZE(direct_needle, 24);
SHARED_SIZE(direct_cell, 16);
SHARED_SIZE(direct_box, 40);

/* The value of a channel of `bytes` bytes. */
INLINE u32 direct_channel(GLOBAL const u8 *p, u32 bytes)
{
    return bytes == 1   ? p[0]
           : bytes == 2 ? *(GLOBAL const u16 *)p
           : bytes == 3 ? p[0] | (u32)p[1] << 8 | (u32)p[2] << 16
                        : *(GLOBAL const u32 *)p;
}

#endif
