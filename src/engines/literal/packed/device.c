/* device.c: packed comparison on devices: how large a launch is. The kernel is in device.k.
 *
 * As many groups as a multiprocessor holds take tiles in turn: neighbouring warps read neighbouring
 * tiles. Without warps an item takes a page.
 */
#include "engines/literal/packed/device.h"
#include "base/error.h"
#include "engines/shared/device/kernel.h"

enum {
    DEFAULT_GROUP = 256,
    DEFAULT_BLOCKS = 5, /* groups a multiprocessor has registers for, */
    MASKED_BLOCKS = 4,
    CPU_GROUP = 8,
    CPU_PAGE = 16 * 1024,
    DEFAULT_PAGE = 512,   /* of a GPU whose warps are not known */
    BYTES_A_WORRY = 1024, /* of text that are worth a long comparison */
    MIN_WORRIES = 4096    /* long comparisons that are always allowed */
};

typedef struct packed_device {
    bool warps; /* PORT_WARPS of its kernels */
    uint32_t group, blocks, page;
    uint32_t key, mask; /* as in packed_args */
} packed_device;

static const packed_tables *packed_head(const device_plan *p)
{
    return (const packed_tables *)p->facts.tables;
}

static int packed_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const packed_tables *t = packed_head(p);
    const uint8_t *pattern = (const uint8_t *)(p->facts.tables + t->pattern) + t->window;
    const uint8_t *keep = (const uint8_t *)(p->facts.tables + t->keep) + t->window;
    packed_device *d = p->state;
    for (uint32_t i = 0; i < PACKED_WINDOW && i < t->length; i++) {
        d->key |= (uint32_t)(pattern[i] & keep[i]) << 8 * i;
        d->mask |= (uint32_t)keep[i] << 8 * i;
    }
    d->blocks = tuned(p->tuning.blocks, d->mask == UINT32_MAX ? DEFAULT_BLOCKS : MASKED_BLOCKS);
    d->page = tuned(p->tuning.page, info->cpu ? CPU_PAGE : DEFAULT_PAGE);
    d->warps = info->lanes == WARP;
    return plan_warps(p, "packed", info->cpu ? CPU_GROUP : DEFAULT_GROUP, info->most_group,
                      &d->group, error);
}

static int packed_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const packed_device *d = p->state;
    const packed_tables *t = packed_head(p);
    const device_info *info = &p->device->info;
    const uint32_t length = piece->end - piece->from;
    const packed_args numbers = {
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .length = t->length,
        .window = t->window,
        .key = d->key,
        .mask = d->mask,
        .pattern = t->pattern,
        .keep = t->keep,
        .may_stop = p->facts.may_stop ? length / BYTES_A_WORRY + MIN_WORRIES : 0,
        .page = d->page,
    };
    const uint32_t tiles = parts(parts(length, PACKED_TILE) + 1, parts(d->group, WARP));
    const uint32_t pages = parts(parts(length, d->page), d->group);
    const uint32_t groups = d->warps ? smaller(tiles, info->units * d->blocks) : pages;
    const uint32_t local = d->warps ? 4 * PACKED_LOCAL(d->group) : 0;
    launch l = launch_of("packed", "packed", groups, d->group, local);
    launch_define(&l, "MASKED", d->warps && d->mask != UINT32_MAX);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_packed = {
    .kind = WALK_PACKED,
    .state_bytes = sizeof(packed_device),
    .prepare = packed_prepare,
    .run_text = packed_run,
};
