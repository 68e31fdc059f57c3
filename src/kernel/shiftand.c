/* shiftand.c: launching the kernels of extended SHIFT-AND (kernel/shiftand.k).
 *
 * A group takes a block of words, as many as there are up to 32, over as many slices as it has
 * items left. Its part of Ch and Rep lies in local memory by byte when that takes little, by
 * class when that fits, else it stays where it is.
 */
#include "table/shiftand.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "kernel/carry.h"

enum {
    GPU_GROUP = 256,
    CPU_GROUP = 8,
    WIDEST_BLOCK = 32,
    BY_BYTE_BYTES = 16 << 10, /* most local memory for tables by byte */
    LOCAL_BYTES = 48 << 10,   /* and at all, so that several groups share a multiprocessor */
    MAP_BYTES = 256
};

typedef struct shiftand_device {
    uint32_t chains;
    device_buffer masks; /* plans that carry */
    device_buffer list;  /* where the chains begin */
} shiftand_device;

static shiftand_device *state_of(const device_plan *p)
{
    return p->state;
}

static const shiftand_tables *tables_of(const device_plan *p)
{
    return (const shiftand_tables *)p->facts.tables;
}

static uint64_t word_at(const device_plan *p, uint32_t masks, size_t i)
{
    return ((const uint64_t *)(p->facts.tables + masks))[i];
}

/* States that stay whatever byte comes: those that repeat for every class. */
static int prepare_masks(device_plan *p, trawl_error *error)
{
    const shiftand_tables *t = tables_of(p);
    uint64_t *masks = malloc((size_t)t->words * 2 * sizeof *masks);
    if (!masks)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %u words", t->words);
    for (size_t w = 0; w < t->words; w++) {
        masks[w] = masks[t->words + w] = UINT64_MAX;
        for (uint32_t c = 0; c < t->classes; c++)
            masks[w] &= word_at(p, t->repeat, (size_t)c * t->words + w);
    }
    int status = carry_prepare(p, masks, &state_of(p)->masks, error);
    free(masks);
    return status;
}

/* Where chains begin, and where the last one ends. */
static int prepare_chains(device_plan *p, trawl_error *error)
{
    const shiftand_tables *t = tables_of(p);
    uint32_t *bounds = malloc(((size_t)t->words - t->packed + 1) * sizeof *bounds);
    if (!bounds)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %u words", t->words);
    uint32_t chains = 0;
    for (uint32_t w = t->packed; w < t->words; w++)
        if (w == t->packed || !word_at(p, t->link, w))
            bounds[chains++] = w;
    bounds[chains] = t->words;
    state_of(p)->chains = chains;
    int status = TRAWL_OK;
    if (chains)
        status = plan_upload(p, &state_of(p)->list, bounds, (chains + 1) * sizeof *bounds, error);
    free(bounds);
    return status;
}

static int shiftand_prepare(device_plan *p, trawl_error *error)
{
    const uint32_t most = p->device->info.most_group;
    if (p->tuning.group != TUNE_AUTO && p->tuning.group > most)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u is more than the %u work items of a group on %s", p->tuning.group,
                    most, p->device->info.name);
    int status = prepare_chains(p, error);
    if (status == TRAWL_OK && p->facts.carries)
        status = prepare_masks(p, error);
    return status;
}

static uint32_t usual_group(const device_plan *p)
{
    const device_info *info = &p->device->info;
    return tuned(p->tuning.group, smaller(info->cpu ? CPU_GROUP : GPU_GROUP, info->most_group));
}

static void shiftand_release(device_plan *p)
{
    p->give(p, &state_of(p)->masks);
    p->give(p, &state_of(p)->list);
}

static text_cut cut_for(const device_plan *p, uint64_t length, size_t room)
{
    const shiftand_tables *t = tables_of(p);
    const uint64_t items = (uint64_t)t->packed + state_of(p)->chains;
    return cut_choose(p, length, items, state_of(p)->chains != 0, room);
}

static size_t shiftand_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)cols;
    return cut_for(p, length + 15, SIZE_MAX).scratch;
}

/* The form of the packed words: words a group takes, where its tables lie. */
typedef struct packed_form {
    char kernel[32];
    uint32_t block, group, local_bytes;
} packed_form;

static packed_form choose_form(const device_plan *p)
{
    const shiftand_tables *t = tables_of(p);
    const uint32_t group = usual_group(p), room = smaller(LOCAL_BYTES, p->device->info.local_bytes);
    const uint64_t tables = t->features & SHIFTAND_REPEATS ? 2 : 1;
    packed_form f = { .block = 1 };
    while (f.block < WIDEST_BLOCK && f.block < t->packed && f.block * 2 <= group)
        f.block *= 2;
    f.group = group / f.block * f.block;
    const uint64_t row = f.block * tables * sizeof(uint64_t);
    const char *where = "global";
    f.local_bytes = MAP_BYTES;
    if (256 * row <= BY_BYTE_BYTES && 256 * row + MAP_BYTES <= room) {
        where = "byte";
        f.local_bytes += (uint32_t)(256 * row);
    } else if (t->classes * row + MAP_BYTES <= room) {
        where = "class";
        f.local_bytes += (uint32_t)(t->classes * row);
    }
    const char *features = t->features & SHIFTAND_REPEATS ? "full"
                           : t->features & SHIFTAND_SKIPS ? "skips"
                                                          : "plain";
    snprintf(f.kernel, sizeof f.kernel, "shiftand_%s_%s", where, features);
    return f;
}

static int run_packed(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                      uint32_t mode, uint32_t span, trawl_error *error)
{
    const packed_form f = choose_form(p);
    const uint32_t blocks = (tables_of(p)->packed - 1) / f.block + 1;
    launch l =
        launch_of("shiftand", f.kernel, groups_for(chunks_of(cut, span), f.group / f.block, blocks),
                  f.group, f.local_bytes);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    launch_u32(&l, f.block);
    launch_cut(&l, p, piece, cut, mode, span);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int run_chains(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                      uint32_t mode, uint32_t span, trawl_error *error)
{
    const uint32_t group = usual_group(p), chains = state_of(p)->chains;
    /* The last group may have items without a chunk: they find no slice. */
    launch l = launch_of("shiftand", "shiftand_chained",
                         groups_for(chunks_of(cut, span) * chains, group, 1), group, 0);
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, piece->text);
    launch_buffer(&l, &state_of(p)->list);
    launch_u32(&l, chains);
    launch_cut(&l, p, piece, cut, mode, span);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int run_words(const device_plan *p, device_queue *q, text_piece *piece, const text_cut *cut,
                     uint32_t mode, uint32_t span, trawl_error *error)
{
    int status = TRAWL_OK;
    if (tables_of(p)->packed)
        status = run_packed(p, q, piece, cut, mode, span, error);
    if (status == TRAWL_OK && state_of(p)->chains)
        status = run_chains(p, q, piece, cut, mode, span, error);
    return status;
}

static int shiftand_run(const device_plan *p, device_queue *q, text_piece *piece,
                        trawl_error *error)
{
    if (piece->begin >= piece->end)
        return TRAWL_OK;
    const size_t room = piece->scratch ? piece->scratch->bytes : SIZE_MAX;
    const text_cut cut = cut_for(p, cut_length(piece), room);
    return carry_run(p, q, piece, &cut, "shiftand", &state_of(p)->masks, run_words, error);
}

const device_walk device_shiftand = {
    .kind = WALK_SHIFTAND,
    .state_bytes = sizeof(shiftand_device),
    .prepare = shiftand_prepare,
    .release = shiftand_release,
    .scratch_bytes = shiftand_scratch,
    .run_text = shiftand_run,
};
