/* layout.h: tables of Baker-Bird.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_GRID_BB_LAYOUT_H
#define TRAWL_ENGINES_GRID_BB_LAYOUT_H

#include "engines/shared/grid/layout.h"

/* Equal needles make one class: one string of the column automaton. */
typedef struct bb_tables {
    u32 cell_size;
    u32 max_rows;    /* of any needle */
    u32 groups;      /* distinct widths */
    u32 row_group;   /* u32[rows.strings], word offset: the group of each row */
    u32 class_first; /* u32[columns.strings + 1], word offset: the first member of each class */
    u32 members;     /* u32[class_first[columns.strings]], word offset: needle indices */
    automaton_tables rows;
    automaton_tables columns;
    automaton_dense dense; /* of the rows */
} bb_tables;

/* The state of one group in one column. */
typedef struct bb_column {
    u32 row; /* the text row in which `state` is the one to go on from */
    u32 state;
} bb_column;

SHARED_SIZE(bb_tables, 116);
SHARED_SIZE(bb_column, 8);

typedef struct bb_scan {
    GLOBAL const u32 *tables;
    GLOBAL const bb_tables *head;
    GLOBAL bb_column *states; /* [groups][cols] */
    automaton rows, columns;
    u32 cols, end;
} bb_scan;

INLINE void bb_report(const bb_scan *scan, u32 kind, u32 top, u32 left, const sink *out)
{
    GLOBAL const u32 *members = scan->tables + scan->head->members;
    u32 i = scan->tables[scan->head->class_first + kind];
    u32 stop = scan->tables[scan->head->class_first + kind + 1];
    for (; i < stop; i++)
        sink_put(out, top * scan->cols + left, members[i]);
}

#endif
