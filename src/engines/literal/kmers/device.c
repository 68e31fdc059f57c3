/* device.c: literals of four letters on devices: how large a launch is, and the filter. The kernel
 * is in device.k.
 *
 * The filter is the plan's bitmap, in local memory if it fits. A large one leaves a multiprocessor
 * room for only one group, which then is as large as groups can be.
 */
#include "engines/literal/kmers/device.h"
#include "base/error.h"
#include "engines/shared/device/kernel.h"

enum {
    LARGE_GROUP = KMERS_MAX_GROUP, /* with a filter of LARGE_LOG and more */
    DEFAULT_GROUP = 512,
    LARGE_LOG = 19,
    MIN_LOG = 7,  /* 16 bytes */
    MAX_LOG = 20, /* bits of a filter in local memory */
    UNIT_ITEMS = 1024,
    UNIT_LOCAL = 220 * 1024, /* of a multiprocessor */
    CPU_GROUP = 8,
    CPU_PAGE = 16 * 1024,
    DEFAULT_PAGE = 512,       /* of a GPU whose warps are not known */
    BYTES_A_WORRY = 2048,     /* of text, for a warp that takes a long bucket, */
    ITEMS_BYTES_A_WORRY = 64, /* ... or an item that does */
    MIN_WORRIES = 4096        /* this number is always allowed */
};

typedef struct kmers_device {
    bool warps; /* PORT_WARPS of its kernels */
    uint32_t group, blocks, page, log;
    uint32_t probes, near, general; /* of the variant */
    device_buffer filter;
} kmers_device;

static const kmers_tables *kmers_head(const device_plan *p)
{
    return (const kmers_tables *)p->facts.tables;
}

static uint64_t local_bytes(uint32_t group, uint32_t log, uint32_t near)
{
    return 4 * ((uint64_t)KMERS_LOCAL(group) + (near ? (uint64_t)1 << (log - 5) : 0));
}

/* The plan's bitmap; one of fewer than 2^MIN_LOG bits again and again. */
static int upload_filter(device_plan *p, trawl_error *error)
{
    kmers_device *d = p->state;
    const kmers_tables *t = kmers_head(p);
    const uint32_t *from = p->facts.tables + t->bits, grams = 1u << (2 * t->q);
    uint32_t small[(1 << MIN_LOG) / 32] = { 0 };
    if (d->log > MIN_LOG)
        return plan_upload(p, &d->filter, from, grams / 8, error);
    for (uint32_t i = 0; i < 1u << MIN_LOG; i++)
        small[i / 32] |= (from[i % grams / 32] >> (i % grams % 32) & 1) << (i % 32);
    return plan_upload(p, &d->filter, small, sizeof small, error);
}

static uint32_t variant_probes(uint32_t stride)
{
    static const uint32_t variants[] = { 1, 2, 3, 4, 8, 16 };
    uint32_t i = 0;
    while (variants[i] * stride < 16)
        i++;
    return variants[i];
}

static int kmers_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const kmers_tables *t = kmers_head(p);
    kmers_device *d = p->state;
    d->log = 2 * t->q < MIN_LOG ? MIN_LOG : 2 * t->q;
    d->general = t->letter_bit == KMERS_GENERAL;
    d->warps = info->lanes == WARP;
    d->probes = d->general || !d->warps ? 0 : variant_probes(t->stride);
    d->page = (tuned(p->tuning.page, info->cpu ? CPU_PAGE : DEFAULT_PAGE) + 63) / 64 * 64;
    const bool large = d->warps && d->log >= LARGE_LOG && d->log <= MAX_LOG;
    int status = plan_warps(p, "kmers",
                            info->cpu ? CPU_GROUP
                            : large   ? LARGE_GROUP
                                      : DEFAULT_GROUP,
                            info->most_group, &d->group, error);
    if (status == TRAWL_OK && d->warps) {
        d->near = d->log <= MAX_LOG && local_bytes(d->group, d->log, 1) <= info->local_bytes;
        status =
            plan_local(p, "kmers", d->group, local_bytes(d->group, d->log, d->near), "", error);
    }
    if (status != TRAWL_OK)
        return status;
    const uint32_t fitting = (uint32_t)(UNIT_LOCAL / local_bytes(d->group, d->log, d->near));
    const uint32_t blocks = smaller(fitting, UNIT_ITEMS / d->group);
    d->blocks = tuned(p->tuning.blocks, blocks ? blocks : 1);
    return upload_filter(p, error);
}

static void kmers_release(device_plan *p)
{
    kmers_device *d = p->state;
    p->give(p, &d->filter);
}

static int kmers_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const kmers_device *d = p->state;
    const kmers_tables *t = kmers_head(p);
    const device_info *info = &p->device->info;
    const uint32_t length = piece->end - piece->from;
    const uint32_t worth = d->warps ? BYTES_A_WORRY : ITEMS_BYTES_A_WORRY;
    const kmers_args numbers = {
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .letter_mask = d->general ? 0 : 0x03030303u << t->letter_bit,
        .letter_sum = d->general ? 0 : (1u << 24 | 1u << 18 | 1u << 12 | 1u << 6) >> t->letter_bit,
        .may_stop = p->facts.may_stop ? length / worth + MIN_WORRIES : 0,
        .page = d->page,
        .q = t->q,
        .stride = t->stride,
        .shift = t->shift,
        .buckets = t->buckets,
        .entries = t->entries,
        .ahead = KMERS_CHUNK % t->stride,
        .bytes = (1u << (d->log - 3)) - 4,
        .near = d->near ? 1u << (d->log - 5) : 0,
    };
    const uint32_t pages = parts(parts(length, d->page), d->group);
    const uint32_t tiles = parts(parts(length, KMERS_TILE), parts(d->group, WARP));
    const uint32_t groups = d->warps ? smaller(tiles, info->units * d->blocks) : pages;
    const uint64_t local = d->warps ? local_bytes(d->group, d->log, d->near) : 0;
    launch l = launch_of("kmers", "kmers", groups, d->group, (uint32_t)local);
    l.bound = KMERS_MAX_GROUP;
    launch_define(&l, "PROBES", d->probes);
    launch_define(&l, "GENERAL", d->general);
    launch_define(&l, "NEAR", d->near);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, &d->filter);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_kmers = {
    .kind = WALK_KMERS,
    .state_bytes = sizeof(kmers_device),
    .prepare = kmers_prepare,
    .release = kmers_release,
    .run_text = kmers_run,
};
