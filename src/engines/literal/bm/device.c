/* device.c: Boyer-Moore on devices: which kernel, and how large. The kernels are in device.k.
 *
 * chars: 124 bytes for an item unless given. A stride of 31 words, odd, spreads the items of a warp
 * over all banks; 128 items stage 15.5 KiB, so 12 groups fit a multiprocessor's 228 KB, and the
 * loads of some overlap the searches of others; an item loads its share in two times four loads;
 * and 50 bytes read twice are 0.3% of a tile. For a pattern longer than a quarter of a tile the
 * parts grow, so that at most a fifth of the loads are repeats, as far as local memory allows.
 *
 * Without `blocks` there is one group for each run of tiles: a multiprocessor takes the next
 * group when one ends, which evens out text that is slow in places. With `blocks` the grid is
 * that many groups a multiprocessor, which stride over the runs. Without `cascade` runs are as long
 * as possible while every multiprocessor has 64 groups to take, and at most 16 tiles: the tables
 * are then a small part of what a group loads.
 */
#include <string.h>

#include "base/error.h"
#include "engines/literal/bm/device.h"
#include "engines/shared/device/kernel.h"

enum {
    DEFAULT_GROUP = 128,
    DEFAULT_CHARS = 124,
    DEFAULT_PAGE = 1024,
    DEFAULT_CASCADE = 16,
    CPU_GROUP = 8,
    CPU_PAGE = 32 * 1024,
    MAX_LOCAL = 64 * 1024, /* unless asked for: more, and too few groups fit a multiprocessor */
    RUNS_A_UNIT = 64
};

typedef struct bm_device {
    bool staged;
    uint32_t group, chars, page;
    uint32_t folded; /* 1: without case */
    device_buffer shifts;
} bm_device;

static const bm_tables *bm_head(const device_plan *p)
{
    return (const bm_tables *)p->facts.tables;
}

static uint64_t table_bytes(const bm_tables *t)
{
    const uint64_t padded = ((uint64_t)t->length + 3) / 4 * 4;
    return (256 + 2 * padded + 15) / 16 * 16;
}

/* A tile begins up to 15 bytes before what is searched, and ends up to 15 after it. */
static uint64_t local_bytes(const bm_tables *t, uint32_t group, uint32_t chars)
{
    return table_bytes(t) + ((uint64_t)group * chars + t->length - 1 + 30) / 16 * 16;
}

static uint32_t usual_chars(const bm_tables *t, uint32_t group)
{
    const uint64_t words = parts(4 * ((uint64_t)t->length - 1), (uint64_t)group * 4) | 1;
    return words * 4 <= DEFAULT_CHARS ? DEFAULT_CHARS : (uint32_t)(words * 4);
}

/* The tables that device.k describes. */
static int upload_tables(device_plan *p, trawl_error *error)
{
    bm_device *d = p->state;
    const uint32_t *tables = p->facts.tables;
    const bm_tables *t = bm_head(p);
    const size_t bytes = (size_t)table_bytes(t);
    uint8_t *block = memory_take_zeroed(p->memory, bytes, 1);
    if (!block)
        return memory_failed(p->memory, error, "the shift tables");
    uint8_t *pattern = block + 256;
    uint8_t *good = pattern + ((size_t)t->length + 3) / 4 * 4;
    for (uint32_t c = 0; c < 256; c++) {
        const uint32_t shift = tables[t->bad + c];
        block[c] = (uint8_t)(shift < 255 ? shift : 255);
    }
    memcpy(pattern, tables + t->pattern, t->length);
    for (uint32_t j = 0; j < t->length; j++) {
        const uint32_t shift = tables[t->good + j];
        good[j] = (uint8_t)(shift < 255 ? shift : 255);
    }
    const int status = plan_upload(p, &d->shifts, block, bytes, error);
    memory_give(p->memory, block);
    return status;
}

static int bm_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    const bm_tables *t = bm_head(p);
    bm_device *d = p->state;
    const bool asked = tune->staged == 1 || (tune->staged == TUNE_AUTO && tune->chars != TUNE_AUTO);
    const bool staged = asked || (tune->staged == TUNE_AUTO && !info->cpu);
    int status = plan_group(p, info->cpu ? CPU_GROUP : DEFAULT_GROUP, &d->group, error);
    if (status != TRAWL_OK)
        return status;

    const uint32_t group = d->group, chars = tuned(tune->chars, usual_chars(t, group));
    const uint64_t local = local_bytes(t, group, chars);
    if (asked)
        status = plan_local(p, "bm", group, local, ", fewer chars, or staged=0", error);
    if (status != TRAWL_OK)
        return status;
    const uint64_t room = asked || info->local_bytes < MAX_LOCAL ? info->local_bytes : MAX_LOCAL;
    const uint32_t usual_page = info->cpu ? CPU_PAGE : DEFAULT_PAGE;
    d->staged = staged && local <= room;
    d->chars = chars;
    /* A page as long as the pattern: periodic text then costs a few looks a byte at most. */
    d->page = tuned(tune->page, usual_page < t->length ? t->length : usual_page);
    /* A plan folds ASCII letters or nothing. */
    d->folded = ((const uint8_t *)(p->facts.tables + t->fold))['A'] == 'a';
    return d->staged ? upload_tables(p, error) : TRAWL_OK;
}

static void bm_release(device_plan *p)
{
    bm_device *d = p->state;
    p->give(p, &d->shifts);
}

static int run_staged(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const bm_tables *t = bm_head(p);
    const bm_device *d = p->state;
    const uint32_t units = p->device->info.units;
    const uint32_t group = d->group, chars = d->chars;
    const uint32_t tiles = parts(piece->end - piece->begin, (uint64_t)group * chars);
    uint32_t cascade = tiles / (units * RUNS_A_UNIT);
    cascade = cascade < 1 ? 1 : cascade > DEFAULT_CASCADE ? DEFAULT_CASCADE : cascade;
    cascade = tuned(p->tuning.cascade, cascade);
    uint32_t groups = parts(tiles, cascade);
    if (p->tuning.blocks != TUNE_AUTO && groups > (uint64_t)units * p->tuning.blocks)
        groups = units * p->tuning.blocks;

    launch l = launch_of("bm", "bm_staged", groups, group, (uint32_t)local_bytes(t, group, chars));
    const bm_staged_args numbers = {
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .quads = (uint32_t)(table_bytes(t) / 16),
        .length = t->length,
        .period = t->period,
        .index = t->index,
        .folded = d->folded,
        .chars = chars,
        .cascade = cascade,
    };
    launch_buffer(&l, &d->shifts);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

static int run_global(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const bm_device *d = p->state;
    const uint32_t group = d->group, page = d->page;
    const uint32_t pages = parts(piece->end - piece->begin, page);
    const bm_global_args numbers = { piece->sink.capacity, piece->from, piece->begin, piece->end,
                                     page };
    launch l = launch_of("bm", "bm_global", parts(pages, group), group, 0);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

static int bm_run_text(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const bm_device *d = p->state;
    return d->staged ? run_staged(p, q, piece, error) : run_global(p, q, piece, error);
}

const device_walk device_bm = {
    .kind = WALK_BM,
    .state_bytes = sizeof(bm_device),
    .prepare = bm_prepare,
    .release = bm_release,
    .run_text = bm_run_text,
};
