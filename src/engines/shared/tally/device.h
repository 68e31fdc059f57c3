/* device.h: what the kernel that counts and keeps matches (device.k) and its host (device.c) agree
 * on.
 */
#ifndef TRAWL_ENGINES_SHARED_TALLY_DEVICE_H
#define TRAWL_ENGINES_SHARED_TALLY_DEVICE_H

#include "base/port.h"

/* Counts of up to this number of patterns are first added up in local memory. */
#define TALLY_LOCAL 2048u

/* A part's pattern: its index in the caller's array, and the length of its matches, or 0 if they
 * have several. */
typedef struct tally_name {
    u32 pattern, length;
} tally_name;

SHARED_SIZE(tally_name, 8);

/* A match that stays on the device, as trawl_device_match. */
typedef struct tally_match {
    u64 end;
    u32 pattern, length;
} tally_match;

SHARED_SIZE(tally_match, 16);

/* Records [first, stop) are counted; the names of their part begin with number `names`. `offset` is
 * added to positions in 32 bits, and `base` to the sum. The first `kept` records become matches,
 * from byte `at` of the buffer for these on. `patterns` counts by pattern are wanted; 0: none. */
typedef struct tally_args {
    u64 base, at;
    u32 offset;
    u32 first, stop;
    u32 kept;
    u32 names, patterns;
} tally_args;

SHARED_SIZE(tally_args, 40);

#endif
