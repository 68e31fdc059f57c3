/* device.c: extended SHIFT-AND on devices: which kernel, and how large. The kernels are in
 * device.k.
 *
 * A group takes a block of words, up to 32, over as many slices as it has items for. Its part of Ch
 * and Rep lies in local memory by byte when that takes little, by class when that fits, else it
 * stays where it is.
 */
#include "engines/classes/shiftand/device.h"

#include "base/error.h"
#include "engines/shared/carry/launch.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 8,
    WIDEST_BLOCK = 32,
    BY_BYTE_BYTES = 16 << 10, /* most local memory for masks by byte */
    LOCAL_BYTES = 48 << 10    /* and at all, so that several groups share a multiprocessor */
};

typedef struct shiftand_device {
    uint32_t group;
    /* The words that are no chains. */
    uint32_t masks, features; /* MASKS and FEATURES of the variant */
    uint32_t block, block_group, local_bytes;
    uint32_t chains;
    device_buffer bounds; /* where the chains begin, and where the last one ends */
} shiftand_device;

static const shiftand_tables *tables_of(const device_plan *p)
{
    return (const shiftand_tables *)p->facts.tables;
}

static int prepare_chains(device_plan *p, trawl_error *error)
{
    const shiftand_tables *t = tables_of(p);
    const uint64_t *link = (const uint64_t *)(p->facts.tables + t->link);
    shiftand_device *d = p->state;
    uint32_t *bounds =
        memory_take_array(p->memory, (size_t)t->words - t->packed + 1, sizeof *bounds);
    if (!bounds)
        return memory_failed(p->memory, error, "%u words", t->words);
    for (uint32_t w = t->packed; w < t->words; w++)
        if (w == t->packed || !link[w])
            bounds[d->chains++] = w;
    bounds[d->chains] = t->words;
    int status = TRAWL_OK;
    if (d->chains)
        status = plan_upload(p, &d->bounds, bounds, (d->chains + 1) * sizeof *bounds, error);
    memory_give(p->memory, bounds);
    return status;
}

static void prepare_words(device_plan *p)
{
    const shiftand_tables *t = tables_of(p);
    const uint32_t room = smaller(LOCAL_BYTES, p->device->info.local_bytes);
    shiftand_device *d = p->state;
    d->features = t->features & SHIFTAND_REPEATS ? SHIFTAND_REPEATS | SHIFTAND_SKIPS : t->features;
    d->block = 1;
    while (d->block < WIDEST_BLOCK && d->block < t->packed && d->block * 2 <= d->group)
        d->block *= 2;
    d->block_group = d->group / d->block * d->block;
    const uint32_t by_byte = 4 * SHIFTAND_LOCAL(256, d->block, d->features);
    const uint32_t by_class = 4 * SHIFTAND_LOCAL(t->classes, d->block, d->features);
    d->masks = MASKS_GLOBAL;
    d->local_bytes = 4 * SHIFTAND_MASKS;
    if (by_byte <= BY_BYTE_BYTES + 4 * SHIFTAND_MASKS && by_byte <= room) {
        d->masks = MASKS_BYTE;
        d->local_bytes = by_byte;
    } else if (by_class <= room) {
        d->masks = MASKS_CLASS;
        d->local_bytes = by_class;
    }
}

static int shiftand_prepare(device_plan *p, trawl_error *error)
{
    shiftand_device *d = p->state;
    const int status = plan_group(p, p->device->info.cpu ? CPU_GROUP : GPU_GROUP, &d->group, error);
    if (status != TRAWL_OK)
        return status;
    prepare_words(p);
    return prepare_chains(p, error);
}

static void shiftand_release(device_plan *p)
{
    shiftand_device *d = p->state;
    p->give(p, &d->bounds);
}

static slice_needs needs_of(const device_plan *p)
{
    const shiftand_device *d = p->state;
    return (slice_needs){ (uint64_t)tables_of(p)->packed + d->chains, d->chains != 0 };
}

static size_t shiftand_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)cols;
    return carry_scratch(p, needs_of(p), length);
}

/* The words of a piece: chains or those that are none. */
static int run_words(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                     bool chained, trawl_error *error)
{
    const shiftand_device *d = p->state;
    const uint32_t chunks = parts(cut->slices, cut->span);
    const shiftand_args numbers = { piece->sink.capacity, *cut, d->block, d->chains, 0 };
    /* The last group of chains may have items without a chunk: they find no slice. */
    launch l = chained ? launch_of("shiftand", "shiftand",
                                   parts((uint64_t)chunks * d->chains, d->group), d->group, 0)
                       : launch_of("shiftand", "shiftand",
                                   parts(chunks, d->block_group / d->block) *
                                       parts(tables_of(p)->packed, d->block),
                                   d->block_group, d->local_bytes);
    launch_define(&l, "CHAINED", chained);
    launch_define(&l, "MASKS", chained ? MASKS_GLOBAL : d->masks);
    launch_define(&l, "FEATURES", chained ? SHIFTAND_REPEATS | SHIFTAND_SKIPS : d->features);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    if (chained)
        launch_buffer(&l, &d->bounds);
    launch_scratch(&l, p, piece);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

static int run_cut(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                   trawl_error *error)
{
    const shiftand_device *d = p->state;
    int status = TRAWL_OK;
    if (tables_of(p)->packed)
        status = run_words(p, q, piece, cut, false, error);
    if (status == TRAWL_OK && d->chains)
        status = run_words(p, q, piece, cut, true, error);
    return status;
}

static int shiftand_run(const device_plan *p, device_queue *q, text_piece *piece,
                        trawl_error *error)
{
    return carry_run(p, q, piece, needs_of(p), run_cut, error);
}

const device_walk device_shiftand = {
    .kind = WALK_SHIFTAND,
    .state_bytes = sizeof(shiftand_device),
    .prepare = shiftand_prepare,
    .release = shiftand_release,
    .scratch_bytes = shiftand_scratch,
    .run_text = shiftand_run,
};
