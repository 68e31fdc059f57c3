/* device.h: what the kernel of factors (device.k) and its host (device.c) agree on.
 *
 * The device has its own tables: those of the filter (engines/literal/qgrams/device.h), where a
 * slot is a gram of a pattern, and in place of literals the patterns as segments. In a slot,
 * `first` is the pattern's number there, `length` that of the segment with the gram, and `offset`
 * where the gram begins in the segment. Offsets of patterns are in words from `literals` on.
 */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_DEVICE_H
#define TRAWL_ENGINES_CLASSES_FACTORS_DEVICE_H

#include "engines/classes/bitslice/layout.h"
#include "engines/literal/qgrams/device.h"

/* At `literals`, in words from there: bitslice_pattern[], and u32[8] of each class. */
typedef struct factors_head {
    u32 patterns, sets;
} factors_head;

SHARED_SIZE(factors_head, 8);

#endif
