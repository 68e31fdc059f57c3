/* packed.h: tables of the packed comparison of one literal.
 *
 * Shared by the builder (engine/packed.c) and the loop on CPUs (walk/vector/packed.c).
 */
#ifndef TRAWL_TABLE_PACKED_H
#define TRAWL_TABLE_PACKED_H

#include "table/port.h"

#define PACKED_PLACES 8u /* of a pattern, that the vector loop may compare */
#define PACKED_SPAN 64u  /* they stand within so many bytes */
#define PACKED_ROUND 64u /* `pattern` and `keep` are as long as a multiple of it */

typedef struct packed_tables {
    u32 length;               /* bytes of the pattern, >= 1 */
    u32 count;                /* how many places are compared at first: packed_more */
    u32 fold;                 /* 1: some byte of `keep` is not 255 */
    u32 pattern;              /* u8[length], lower case where it folds, zeros behind; word offset */
    u32 keep;                 /* u8[length]: the bits of a byte that count: 255; 223 for a letter
                                 without case; 0 behind the pattern; word offset */
    u32 reserved;             /* 0 */
    u32 place[PACKED_PLACES]; /* those that tell most together first; of a short pattern all, and
                                 then the first again */
} packed_tables;

SHARED_SIZE(packed_tables, 56);

/* The numbers of places that there is a loop for: the next one above `count`, which is below
 * PACKED_PLACES. */
INLINE u32 packed_more(u32 count)
{
    return count < 4 ? count + 1 : count + 2;
}

#endif
