/* kernels.h: every walk as an entry point of a device.
 *
 * Idea: one work item runs one slice, as the CPU backends' loop over slices does, so a walk
 * means the same everywhere. All items share one cursor: records of different slices lie
 * mixed, and the host sorts them. The file is for OpenCL C and CUDA C alone, whose compilers
 * define KERNEL and PORT_ITEM (port.h); in C the backends call the walks themselves.
 *
 * Items beyond the number of slices do nothing, so any global size that is large enough
 * will do.
 */
#ifndef TRAWL_WALK_KERNELS_H
#define TRAWL_WALK_KERNELS_H

#include "walk/ac.h"
#include "walk/bb.h"
#include "walk/bm.h"
#include "walk/byr.h"
#include "walk/hnfa.h"
#include "walk/pfac.h"
#include "walk/shiftand.h"
#include "walk/wm.h"

/* A piece of the window: see text_walk and grid_walk (walk.h); grids ignore `from`. */
typedef struct kernel_slice {
    u32 from, begin, end;
} kernel_slice;

/* `states`: state_words u64 for each slice. */
#define TEXT_KERNEL(name, walk)                                                                    \
    KERNEL void name(GLOBAL const u32 *tables, GLOBAL const u8 *text,                              \
                     GLOBAL const kernel_slice *slices, u32 count, GLOBAL u64 *states,             \
                     u32 state_words, GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)    \
    {                                                                                              \
        const u32 i = PORT_ITEM;                                                                   \
        sink out;                                                                                  \
        out.cursor = cursor;                                                                       \
        out.records = records;                                                                     \
        out.capacity = capacity;                                                                   \
        if (i < count)                                                                             \
            walk(tables, text, slices[i].from, slices[i].begin, slices[i].end,                     \
                 states + (u64)i * state_words, &out);                                             \
    }

/* `states`: state_words u32 for each column and slice. */
#define GRID_KERNEL(name, walk)                                                                    \
    KERNEL void name(GLOBAL const u32 *tables, GLOBAL const u8 *cells, u32 rows, u32 cols,         \
                     u64 stride, GLOBAL const kernel_slice *slices, u32 count, GLOBAL u32 *states, \
                     u32 state_words, GLOBAL u64 *cursor, GLOBAL record *records, u64 capacity)    \
    {                                                                                              \
        const u32 i = PORT_ITEM;                                                                   \
        sink out;                                                                                  \
        out.cursor = cursor;                                                                       \
        out.records = records;                                                                     \
        out.capacity = capacity;                                                                   \
        if (i < count)                                                                             \
            walk(tables, cells, rows, cols, stride, slices[i].begin, slices[i].end,                \
                 states + (u64)i * state_words * cols, &out);                                      \
    }

TEXT_KERNEL(trawl_bm, bm_walk)
TEXT_KERNEL(trawl_wm, wm_walk)
TEXT_KERNEL(trawl_ac, ac_walk)
TEXT_KERNEL(trawl_pfac, pfac_walk)
TEXT_KERNEL(trawl_shiftand, shiftand_walk)
TEXT_KERNEL(trawl_hnfa, hnfa_walk)
GRID_KERNEL(trawl_bb, bb_walk)
GRID_KERNEL(trawl_byr, byr_walk)

#endif
