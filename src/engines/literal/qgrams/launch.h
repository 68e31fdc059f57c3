/* launch.h: tables of the filter by grams, and its launch: what the hosts of all kernels with this
 * filter share (filter.k; device.h says what the tables are).
 */
#ifndef TRAWL_ENGINES_LITERAL_QGRAMS_LAUNCH_H
#define TRAWL_ENGINES_LITERAL_QGRAMS_LAUNCH_H

#include "engines/literal/qgrams/device.h"
#include "engines/shared/device/kernel.h"

typedef struct qgrams_device {
    const char *unit; /* and its kernel */
    uint32_t q, stride, group, blocks, local_bytes;
    uint32_t work; /* the work that a byte of text is worth */
    qgrams_args numbers;
    size_t words; /* of `made` */
    device_buffer made;
} qgrams_device;

/* A gram that becomes a slot: its hash, and whose it is. */
typedef struct qgrams_item {
    uint32_t hash, of, k;
} qgrams_item;

/* Grams with what makes slots of them. */
typedef struct qgrams_items {
    const qgrams_item *items;
    size_t count;
    qgrams_slot (*slot)(const void *with, const qgrams_item *item);
    const void *with;
} qgrams_items;

/* Choose group, blocks and the bitmap's size for these grams. The unit's name is set before. */
int qgrams_sizes(device_plan *p, qgrams_device *d, const qgrams_items *from, trawl_error *error);

/* How many upper bits of a hash give its head, when there are `slots` slots. */
uint32_t qgrams_heads_log(uint64_t slots);

/* Make tables with room for `rest` words after the slots, from numbers.literals on. The caller
 * fills these, and calls qgrams_upload, which frees the tables. NULL: no memory, and *error says
 * so. */
uint32_t *qgrams_tables_of(const device_plan *p, qgrams_device *d, const qgrams_items *from,
                           uint64_t rest, trawl_error *error);
int qgrams_upload(device_plan *p, qgrams_device *d, uint32_t *tables, trawl_error *error);

void qgrams_release(device_plan *p);
int qgrams_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error);

#endif
