/* device.c: Wu-Manber on devices: which kernel, and how large. The kernels are in device.k.
 *
 * Unless a page, textures or staged=0 are asked for, a GPU stages the text: groups of 512 items,
 * with as much text as lets four groups fill the local memory of a multiprocessor beside the 32 KiB
 * of SHIFT; an odd number of words for each item, so that a warp's items use all banks. The grid is
 * `blocks` groups for each multiprocessor (4). CPUs take long pages, for which nothing has to be
 * copied. `borders` is 0 unless asked for: one launch reads less than two.
 */
#include <string.h>

#include "base/error.h"
#include "engines/papers/wm/device.h"
#include "engines/shared/device/kernel.h"

enum {
    DEFAULT_GROUP = 128,
    DEFAULT_PAGE = 512,
    CPU_GROUP = 8,
    CPU_PAGE = 16 * 1024,
    STAGED_GROUP = 512,
    STAGED_LOCAL = 48 * 1024 - 16, /* four groups a multiprocessor, and some L1 is left for HASH */
    STAGED_BLOCKS = 4,
    SHIFT_BYTES = 4 * WM_TILE
};

typedef struct wm_device {
    uint32_t staged, textured, borders; /* 0 or 1 */
    uint32_t group, page;
    wm_tables tables;        /* of wm_args */
    device_buffer shifts;    /* staged */
    device_buffer constants; /* textured */
} wm_device;

/* ---- what the kernels need besides the tables ------------------------------ */

static int upload_shifts(device_plan *p, trawl_error *error)
{
    wm_device *d = p->state;
    const uint8_t *shift = (const uint8_t *)(p->facts.tables + d->tables.shift);
    uint8_t *staged = memory_take_zeroed(p->memory, SHIFT_BYTES, 1);
    if (!staged)
        return memory_failed(p->memory, error, "SHIFT");
    for (uint32_t i = 0; i < WM_BLOCKS; i++) {
        const unsigned cut = shift[i] < WM_STAGED_SHIFT ? shift[i] : WM_STAGED_SHIFT;
        staged[i / 2] |= (uint8_t)(cut << (i % 2 * 4));
    }
    const int status = plan_upload(p, &d->shifts, staged, SHIFT_BYTES, error);
    memory_give(p->memory, staged);
    return status;
}

/* One pattern for constant memory: see device.h. */
static void put_member(uint32_t to[2], const literal_entry *e, const uint8_t *bytes, uint32_t index,
                       const uint8_t *fold)
{
    const uint32_t length = e->length & LITERAL_LENGTH;
    to[0] = fold[bytes[e->first]] | length << WM_HIGH;
    if (length > 1)
        to[0] |= (uint32_t)fold[bytes[e->first + 1]] << 8;
    to[1] = e->first | index << WM_HIGH | (e->length & LITERAL_FOLDED);
}

/* The members in HASH's order, then the short ones, then the patterns' bytes. */
static int upload_constants(device_plan *p, trawl_error *error)
{
    wm_device *d = p->state;
    const uint32_t *tables = p->facts.tables;
    const wm_tables *t = (const wm_tables *)tables;
    const literal_entry *entries = (const literal_entry *)(tables + t->literals.entries);
    const uint8_t *bytes = (const uint8_t *)(tables + t->literals.bytes);
    const uint8_t *fold = (const uint8_t *)(tables + t->literals.fold);
    const wm_member *members = (const wm_member *)(tables + t->members);
    const wm_member *short_members = (const wm_member *)(tables + t->short_members);
    const uint32_t longs = tables[t->hash + WM_BLOCKS];
    const uint32_t shorts = tables[t->shorts + 256];
    const uint32_t available = p->device->info.constant_bytes;
    const uint64_t most = available < 4 * CONSTANT_WORDS ? available : 4 * CONSTANT_WORDS;
    const uint64_t bytes_at = 2 * ((uint64_t)longs + shorts);
    uint64_t text = 0;
    for (uint32_t i = 0; i < t->literals.count; i++) {
        const uint64_t end = (uint64_t)entries[i].first + (entries[i].length & LITERAL_LENGTH);
        text = end > text ? end : text;
    }
    const uint64_t room = 4 * (bytes_at + (text + 3) / 4);
    if (room > most || t->literals.count > WM_MAX_INDEX)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "wm: with texture=1 these %u patterns need %llu bytes of constant memory; "
                    "there are %llu: use fewer, or texture=0",
                    t->literals.count, (unsigned long long)room, (unsigned long long)most);

    uint32_t *block = memory_take_zeroed(p->memory, (size_t)room, 1);
    if (!block)
        return memory_failed(p->memory, error, "%u pattern%s", t->literals.count,
                             plural(t->literals.count));
    for (uint32_t i = 0; i < longs + shorts; i++) {
        const uint32_t index = i < longs ? members[i].index : short_members[i - longs].index;
        put_member(block + 2 * i, &entries[index], bytes, index, fold);
    }
    memcpy(block + bytes_at, bytes, (size_t)text);
    d->tables.members = 0;
    d->tables.short_members = 2 * longs;
    d->tables.literals.bytes = (uint32_t)bytes_at;
    const int status = plan_upload(p, &d->constants, block, (size_t)room, error);
    memory_give(p->memory, block);
    return status;
}

/* ---- choosing -------------------------------------------------------------- */

/* A tile begins up to 15 bytes before its first block, and ends up to 15 after the last one. */
static uint64_t local_bytes(uint64_t group, uint64_t page)
{
    return SHIFT_BYTES + (group * page + 2 + 30) / 16 * 16;
}

/* The largest odd number of words an item that keeps a group in its share of local memory, or 0. */
static uint32_t staged_page(const device_info *info, uint32_t group)
{
    const uint32_t room = info->local_bytes < STAGED_LOCAL ? info->local_bytes : STAGED_LOCAL;
    if (room < SHIFT_BYTES + 32)
        return 0;
    const uint32_t words = (room - SHIFT_BYTES - 32) / (group * 4);
    return words ? (words - !(words & 1)) * 4 : 0;
}

static int refuse_texture(const device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    if (p->tuning.staged == 1)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "wm: staged text is read from local memory and not through a texture: choose "
                    "staged=0 or texture=0");
    if (info->texture_words < p->tables.bytes / 4)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "wm: the tables have %llu words, a texture of %s %llu: use texture=0",
                    (unsigned long long)(p->tables.bytes / 4), info->name,
                    (unsigned long long)info->texture_words);
    return TRAWL_OK;
}

static int wm_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    wm_device *d = p->state;
    d->tables = *(const wm_tables *)p->facts.tables;
    d->textured = tuned(tune->texture, 0);
    d->borders = tuned(tune->borders, 0) && p->facts.max_length > 1;
    /* Without a window there are short patterns only. */
    d->staged = d->tables.window > 0 && !d->textured &&
                tuned(tune->staged, !info->cpu && tune->page == TUNE_AUTO);
    const uint32_t unstaged_group = info->cpu ? CPU_GROUP : DEFAULT_GROUP;
    int status = d->textured ? refuse_texture(p, error) : TRAWL_OK;
    if (!status)
        status = plan_group(p, d->staged ? STAGED_GROUP : unstaged_group, &d->group, error);
    if (!status && d->staged && tune->staged == TUNE_AUTO && staged_page(info, d->group) == 0) {
        d->staged = 0;
        status = plan_group(p, unstaged_group, &d->group, error);
    }
    if (status)
        return status;

    const uint32_t usual = d->staged   ? staged_page(info, d->group)
                           : info->cpu ? CPU_PAGE
                                       : DEFAULT_PAGE;
    d->page = tuned(tune->page, usual ? usual : 4);
    if (d->staged)
        status = plan_local(p, "wm", d->group, local_bytes(d->group, d->page),
                            ", a smaller page, or staged=0", error);
    return status        ? status
           : d->staged   ? upload_shifts(p, error)
           : d->textured ? upload_constants(p, error)
                         : TRAWL_OK;
}

static void wm_release(device_plan *p)
{
    wm_device *d = p->state;
    p->give(p, &d->shifts);
    p->give(p, &d->constants);
}

/* ---- running --------------------------------------------------------------- */

/* Queue the kernel for this share of the matches. Nothing is staged for those across borders. */
static int run(const device_plan *p, device_queue *q, text_piece *piece, uint32_t share,
               trawl_error *error)
{
    const wm_device *d = p->state;
    const bool staged = d->staged && share != WM_ACROSS;
    const uint32_t reach = (uint32_t)p->facts.max_length - 1;
    const uint32_t lead = piece->begin - piece->from;
    /* On a 16-byte boundary, as `from` is: never before it. */
    const uint32_t first = (piece->begin - (lead < reach ? lead : reach)) & ~15u;
    const wm_args numbers = {
        .capacity = piece->sink.capacity,
        .first = first,
        .begin = piece->begin,
        .end = piece->end,
        .page = d->page,
        .reach = reach,
        .share = share,
        .t = d->tables,
    };
    const uint32_t most_staged = p->device->info.units * tuned(p->tuning.blocks, STAGED_BLOCKS);
    uint32_t groups = parts(parts(piece->end - first, d->page), d->group);
    if (staged && groups > most_staged)
        groups = most_staged;
    launch l = launch_of("wm", "wm", groups, d->group,
                         staged ? (uint32_t)local_bytes(d->group, d->page) : 0);
    launch_define(&l, "STAGED", staged);
    launch_define(&l, "TEXTURED", d->textured);
    launch_define(&l, "BLOCK", d->tables.block);
    launch_define(&l, "FOLDED", d->tables.folded != 0);
    if (d->textured) {
        launch_constant(&l, &d->constants);
        launch_texture(&l, &p->texture);
        launch_texture(&l, piece->texture);
    } else {
        launch_buffer(&l, &p->tables);
        launch_buffer(&l, piece->text);
    }
    if (staged)
        launch_buffer(&l, &d->shifts);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

static int wm_run_text(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const wm_device *d = p->state;
    const int status = run(p, q, piece, d->borders ? WM_INSIDE : WM_ALL, error);
    return status || !d->borders ? status : run(p, q, piece, WM_ACROSS, error);
}

const device_walk device_wm = {
    .kind = WALK_WM,
    .texts_texture = true,
    .state_bytes = sizeof(wm_device),
    .prepare = wm_prepare,
    .release = wm_release,
    .run_text = wm_run_text,
};
