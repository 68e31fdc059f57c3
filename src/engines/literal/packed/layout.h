/* layout.h: tables of the packed comparison of one literal.
 *
 * Shared by the builder (build.c) and the loops (vector.c, device.k).
 */
#ifndef TRAWL_ENGINES_LITERAL_PACKED_LAYOUT_H
#define TRAWL_ENGINES_LITERAL_PACKED_LAYOUT_H

#include "base/port.h"

#define PACKED_BYTES 8u  /* the most bytes of a pattern that the vector loop compares: */
#define PACKED_SINGLE 3u /* up to this number one by one, */
#define PACKED_PAIRS 4u  /* more of them two by two */
#define PACKED_SPAN 64u  /* which stand within this number of bytes */
#define PACKED_WINDOW 4u /* bytes of a pattern that devices compare first */
#define PACKED_ROUND 64u /* `pattern` and `keep` are as long as a multiple of it */

/* Which letters a pattern has. */
enum {
    PACKED_EXACT,  /* all bytes are compared as they are */
    PACKED_FOLDED, /* all are letters without case */
    PACKED_MIXED   /* some are; where few of many places are compared, all count as letters */
};

typedef struct packed_tables {
    u32 length;               /* bytes of the pattern, >= 1 */
    u32 count;                /* how many bytes are compared at first: packed_more */
    u32 fold;                 /* PACKED_EXACT, ... */
    u32 pattern;              /* u8[length], lower case where it folds, then zeros; word offset */
    u32 keep;                 /* u8[length]: the bits of a byte that count: 255; 223 for a letter
                                 without case; 0 after the pattern; word offset */
    u32 place[PACKED_SINGLE]; /* first those that together tell most; in a short pattern all, and
                                 then the first again */
    u32 window;               /* place of the first of PACKED_WINDOW bytes; 0 in a shorter
                                 pattern */
    u32 pair[PACKED_PAIRS];   /* places of two neighbours, in the same way; if `count` bytes are the
                                 whole pattern, the first pairs have all of them */
} packed_tables;

SHARED_SIZE(packed_tables, 52);

/* The next number of bytes above `count`, which is below PACKED_BYTES, that there is a loop for. */
INLINE u32 packed_more(u32 count)
{
    return count <= PACKED_SINGLE ? count + 1 : count + 2;
}

/* The place of the k-th of `count` bytes. */
INLINE u32 packed_place(const packed_tables *t, u32 count, u32 k)
{
    return count <= PACKED_SINGLE ? t->place[k] : t->pair[k / 2] + k % 2;
}

/* How many things are compared for `count` bytes: bytes, or pairs of them. */
INLINE u32 packed_probes(u32 count)
{
    return count <= PACKED_SINGLE ? count : count / 2;
}

#endif
