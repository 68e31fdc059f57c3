/* tuning.h: the parameters of the walks on devices, by name.
 *
 *     "group=128,staged=1,chars=16"
 *
 * Parameters that are not given are chosen for the device and the plan.
 */
#ifndef TRAWL_TUNING_H
#define TRAWL_TUNING_H

#include <stdint.h>

#include "trawl.h"

#define TUNE_AUTO UINT32_MAX

enum { EXCHANGE_ATOMIC, EXCHANGE_RELAY, EXCHANGE_BALLOT };

typedef struct tuning {
    uint32_t group;    /* work items of a group: 1 .. 1024 */
    uint32_t blocks;   /* groups a multiprocessor (bm, wm, pfac, the vector walks): 1 .. 32 */
    uint32_t cascade;  /* bm: tiles that a group takes in turn: 1 .. 64 */
    uint32_t chars;    /* characters (columns: byr) a work item takes of a tile: 1 .. 4096 */
    uint32_t page;     /* bytes of text a work item takes (wm, ac, shiftand, hnfa): 16 .. 2^20 */
    uint32_t borders;  /* wm: 1, a second kernel finds what crosses pages; 0, pages overlap */
    uint32_t staged;   /* text through local memory: 0, 1 */
    uint32_t row;      /* ac, pfac: the trie's first row in local memory: 0, 1 */
    uint32_t filter;   /* pfac: starts pass a bitmap of prefixes in local memory first: 0, 1 */
    uint32_t texture;  /* tables through textures (wm: and constant memory): 0, 1 */
    uint32_t exchange; /* hnfa: atomic, relay, ballot */
    uint32_t stage;    /* bb, byr: 1 .. 4 */
    uint32_t mapped;   /* text in buffers mapped for the host instead of copied: 0, 1 */
    uint32_t piece;    /* KiB of text that a queue has on the device at once: 64 .. 262144 */
    uint32_t queues;   /* queues a device: 1 .. 32 */
    uint32_t carriers; /* threads that bring text to a device: 1 .. 32 */
    uint32_t copies;   /* 1: they share one queue for that, 0: each piece's own queue takes it */
    uint32_t timed;    /* 1: every piece is timed, 0: only some, where they are many and short */
    uint32_t memory;   /* MiB of device memory that may be used; more counts as out of memory */
} tuning;

/* Parse `text` (NULL: nothing is given). The error names the key, its range and its meaning. */
int tuning_read(const char *text, tuning *out, trawl_error *error);

static inline uint32_t tuned(uint32_t given, uint32_t usual)
{
    return given == TUNE_AUTO ? usual : given;
}

#endif
