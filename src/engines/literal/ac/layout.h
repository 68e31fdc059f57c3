/* layout.h: tables of Aho-Corasick, and of PFAC, which leaves the failure links out.
 *
 * Shared by the builder (build.c), the loop on CPUs (cpu.c) and the loops on devices
 * (device.k).
 */
#ifndef TRAWL_ENGINES_LITERAL_AC_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_AC_LAYOUT_H

#include "engines/shared/literal.h"

/* A state is a number: flags and the place of its row or its sparse record. */
#define AC_MATCH 0x80000000u  /* its output list is not empty */
#define AC_SPARSE 0x40000000u /* a sparse record, not a row */
#define AC_PLACE 0x3fffffffu  /* words from `rows` or `sparse` */
#define AC_ROOT 0u
#define AC_DEAD 0u            /* in pfac's tables: no transition; nothing leads to the root */
#define AC_VERIFY 0x80000000u /* in an output list: compare the literal in full (mixed case) */

typedef struct ac_tables {
    u32 classes; /* number of byte classes; a row has a target for each, then its output list */
    u32 map;     /* u8[256]: class of a byte, word offset */
    u32 rows;    /* u32[row_words], word offset; the root is the first row */
    u32 row_words;
    u32 sparse; /* u32[sparse_words]: records as sparse_* below say, word offset */
    u32 sparse_words;
    u32 outputs; /* u32[output_words]: records as output_* below say, word offset; 0 is empty */
    u32 output_words;
    literal_tables literals; /* count 0 when nothing needs a full comparison */
} ac_tables;

SHARED_SIZE(ac_tables, 48);

/* A sparse record: the failure link, the output list, the number of children, their classes (bytes,
 * padded to words), their states. */
#define SPARSE_FAIL 0
#define SPARSE_OUTPUT 1
#define SPARSE_CHILDREN 2
#define SPARSE_KEYS 3

/* An output list: the list of the next shorter suffix (0: none), a count, pattern indexes. */
#define OUTPUT_LINK 0
#define OUTPUT_COUNT 1
#define OUTPUT_INDEXES 2

/* The child of a sparse record under a class; AC_DEAD when there is none. */
INLINE u32 ac_child(GLOBAL const u32 *record, u32 class_number)
{
    u32 count = record[SPARSE_CHILDREN];
    GLOBAL const u8 *keys = (GLOBAL const u8 *)(record + SPARSE_KEYS);
    u32 i = 0;
    while (i < count && keys[i] != class_number)
        i++;
    return i < count ? record[SPARSE_KEYS + (count + 3) / 4 + i] : AC_DEAD;
}

#endif
