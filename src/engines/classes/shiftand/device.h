/* device.h: what the kernels of extended SHIFT-AND (device.k) and their host (device.c)
 * agree on. */
#ifndef TRAWL_ENGINES_CLASSES_SHIFTAND_DEVICE_H
#define TRAWL_ENGINES_CLASSES_SHIFTAND_DEVICE_H

#include "engines/classes/shiftand/layout.h"
#include "engines/shared/carry/device.h"

/* MASKS of a variant: where Ch and Rep stand. */
#define MASKS_BYTE 0   /* in local memory, a row for each byte */
#define MASKS_CLASS 1  /* in local memory, a row for each class */
#define MASKS_GLOBAL 2 /* in the tables */

typedef struct shiftand_args {
    u64 capacity;
    text_cut cut;
    u32 block;  /* words that a group takes, a power of two that divides it */
    u32 chains; /* CHAINED: how many there are */
    u32 unused;
} shiftand_args;

SHARED_SIZE(shiftand_args, 64);

/* Words of local memory: the class map; then a block of `rows` rows of Ch, and one of Rep if the
 * features include repeats. */
#define SHIFTAND_MASKS 64
#define SHIFTAND_LOCAL(rows, block, features)                                                      \
    (SHIFTAND_MASKS + 2 * (rows) * (block) * ((features)&SHIFTAND_REPEATS ? 2 : 1))

#endif
