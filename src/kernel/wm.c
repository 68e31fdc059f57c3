/* wm.c: Wu-Manber on devices: which kernel, and how large. The kernels are in wm.k.
 *
 * Unless a page, textures or staged=0 are asked for, a GPU takes wm_staged: 512 items a group,
 * and so much text that four groups fill the local memory of a multiprocessor beside the 32 KiB
 * of SHIFT; an odd number of words an item, so that a warp's items use all banks. The grid is
 * `blocks` groups a multiprocessor (4). CPUs take wm_pages with long pages, for which nothing
 * has to be copied. borders is 0 unless asked for: one kernel reads less than two.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/constant.h"
#include "kernel/kernel.h"
#include "table/wm.h"

enum {
    USUAL_GROUP = 128,
    USUAL_PAGE = 512,
    CPU_GROUP = 8,
    CPU_PAGE = 16 * 1024,
    STAGED_GROUP = 512,
    STAGED_LOCAL = 48 * 1024 - 16, /* four groups a multiprocessor, and some L1 is left for HASH */
    STAGED_BLOCKS = 4,
    SHIFT_BYTES = WM_BLOCKS / 2, /* 4 bits an entry */
    SHIFT_MOST = 15,
    HEAD_WORDS = 8,    /* WM_HEAD_WORDS of wm.k */
    INDEX_MOST = 32767 /* 15 bits of a member: WM_MEMBER_INDEX of wm.k */
};

enum { FORM_PAGES, FORM_TEXTURE, FORM_STAGED };

typedef struct wm_device {
    uint32_t form; /* FORM_* */
    uint32_t group, page, borders;
    device_buffer shifts;    /* FORM_STAGED */
    device_buffer constants; /* FORM_TEXTURE */
} wm_device;

static wm_device *state_of(const device_plan *p)
{
    return p->state;
}

static const wm_tables *wm_head(const device_plan *p)
{
    return (const wm_tables *)p->facts.tables;
}

/* How many bytes before its end a match may begin, less one. */
static uint32_t reach_of(const device_plan *p)
{
    return (uint32_t)p->facts.max_length - 1;
}

/* ---- what the kernels need besides the tables ------------------------------ */

static int upload_shifts(device_plan *p, trawl_error *error)
{
    const uint8_t *shift = (const uint8_t *)(p->facts.tables + wm_head(p)->shift);
    uint8_t *nibbles = calloc(SHIFT_BYTES, 1);
    if (!nibbles)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for SHIFT");
    for (uint32_t i = 0; i < WM_BLOCKS; i++) {
        const unsigned cut = shift[i] < SHIFT_MOST ? shift[i] : SHIFT_MOST;
        nibbles[i / 2] |= (uint8_t)(cut << (i % 2 * 4));
    }
    const int status = plan_upload(p, &state_of(p)->shifts, nibbles, SHIFT_BYTES, error);
    free(nibbles);
    return status;
}

/* One pattern for constant memory: see wm.k. */
static void put_member(uint32_t to[2], const literal_entry *e, const uint8_t *bytes, uint32_t index,
                       const uint8_t *fold)
{
    const uint32_t length = e->length & LITERAL_LENGTH;
    to[0] = fold[bytes[e->first]] | length << 16;
    if (length > 1)
        to[0] |= (uint32_t)fold[bytes[e->first + 1]] << 8;
    to[1] = e->first | index << 16 | (e->length & LITERAL_FOLDED);
}

static int upload_constants(device_plan *p, trawl_error *error)
{
    const uint32_t *tables = p->facts.tables;
    const wm_tables *t = wm_head(p);
    const literal_entry *entries = (const literal_entry *)(tables + t->literals.entries);
    const uint8_t *bytes = (const uint8_t *)(tables + t->literals.bytes);
    const uint8_t *fold = (const uint8_t *)(tables + t->literals.fold);
    const uint32_t longs = tables[t->hash + WM_BLOCKS];
    const uint32_t shorts = tables[t->shorts + 256];
    const uint32_t available = p->device->info.constant_bytes;
    const uint64_t most = available < 4 * CONSTANT_WORDS ? available : 4 * CONSTANT_WORDS;
    uint64_t text = 0;
    for (uint32_t i = 0; i < t->literals.count; i++) {
        const uint64_t end = (uint64_t)entries[i].first + (entries[i].length & LITERAL_LENGTH);
        text = end > text ? end : text;
    }
    const uint64_t words = HEAD_WORDS + 2 * ((uint64_t)longs + shorts) + (text + 3) / 4;
    if (words * 4 > most || t->literals.count > INDEX_MOST)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "wm: with texture=1 these %u patterns need %llu bytes of constant memory; "
                    "there are %llu: use fewer, or texture=0",
                    t->literals.count, (unsigned long long)words * 4, (unsigned long long)most);

    uint32_t *block = calloc((size_t)words, 4);
    if (!block)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for %u patterns",
                    t->literals.count);
    const uint32_t short_lists = shorts ? t->shorts : 0;
    const uint32_t bytes_at = HEAD_WORDS + 2 * (longs + shorts);
    /* In the order of WM_HEAD_BLOCK and so on. */
    const uint32_t head[HEAD_WORDS] = { t->block,    t->window, t->shift, t->hash,
                                        short_lists, longs,     bytes_at, t->folded };
    memcpy(block, head, sizeof head);
    const wm_member *members = (const wm_member *)(tables + t->members);
    const wm_member *short_members = (const wm_member *)(tables + t->short_members);
    for (uint32_t i = 0; i < longs + shorts; i++) {
        const uint32_t index = i < longs ? members[i].index : short_members[i - longs].index;
        put_member(block + HEAD_WORDS + 2 * i, &entries[index], bytes, index, fold);
    }
    memcpy(block + bytes_at, bytes, (size_t)text);
    const int status = plan_upload(p, &state_of(p)->constants, block, (size_t)words * 4, error);
    free(block);
    return status;
}

/* ---- choosing -------------------------------------------------------------- */

/* A tile begins up to 15 bytes before its first block, and ends up to 15 behind the last one. */
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

/* Sets form, group and page. */
static int choose(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    wm_device *d = p->state;
    const bool windows = wm_head(p)->window > 0; /* else there are short patterns only */
    const bool texture = tune->texture == 1;
    bool staged =
        windows && !texture && (tune->staged == 1 || (tune->staged == TUNE_AUTO && !info->cpu));
    uint32_t group = tuned(tune->group, staged      ? STAGED_GROUP
                                        : info->cpu ? CPU_GROUP
                                                    : USUAL_GROUP);
    if (tune->group == TUNE_AUTO && group > info->most_group)
        group = info->most_group;
    if (group > info->most_group)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u: %s takes groups of up to %u work items", group, info->name,
                    info->most_group);

    if (staged && tune->staged == TUNE_AUTO &&
        (tune->page != TUNE_AUTO || staged_page(info, group) == 0)) {
        staged = false;
        group = tuned(tune->group, USUAL_GROUP < info->most_group ? USUAL_GROUP : info->most_group);
    }
    const uint32_t usual = staged ? staged_page(info, group) : info->cpu ? CPU_PAGE : USUAL_PAGE;
    const uint32_t page = tuned(tune->page, usual ? usual : 4);
    if (staged && local_bytes(group, page) > info->local_bytes)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "wm: a group of %u items with pages of %u bytes needs %llu bytes of local "
                    "memory; there are %u: use fewer, or staged=0",
                    group, page, (unsigned long long)local_bytes(group, page), info->local_bytes);
    d->form = texture ? FORM_TEXTURE : staged ? FORM_STAGED : FORM_PAGES;
    d->group = group;
    d->page = page;
    d->borders = tuned(tune->borders, 0);
    return TRAWL_OK;
}

static int wm_prepare(device_plan *p, trawl_error *error)
{
    int status = p->tuning.texture == 1 ? refuse_texture(p, error) : TRAWL_OK;
    if (!status)
        status = choose(p, error);
    if (!status && state_of(p)->form == FORM_STAGED)
        status = upload_shifts(p, error);
    if (!status && state_of(p)->form == FORM_TEXTURE)
        status = upload_constants(p, error);
    return status;
}

static void wm_release(device_plan *p)
{
    p->give(p, &state_of(p)->shifts);
    p->give(p, &state_of(p)->constants);
}

/* ---- running --------------------------------------------------------------- */

/* The arguments that WM_CUT (wm.k) declares; returns the number of pages. */
static uint32_t launch_cut(launch *l, const device_plan *p, const text_piece *piece)
{
    const uint32_t reach = reach_of(p);
    const uint32_t lead = piece->begin - piece->from;
    /* On a 16-byte boundary, as `from` is: never before it. */
    const uint32_t first = (piece->begin - (lead < reach ? lead : reach)) & ~15u;
    launch_u32(l, first);
    launch_u32(l, piece->begin);
    launch_u32(l, piece->end);
    launch_u32(l, state_of(p)->page);
    launch_u32(l, reach);
    return parts(piece->end - first, state_of(p)->page);
}

/* Where text and tables of the forms that take a page an item lie. */
static void launch_places(launch *l, const device_plan *p, const text_piece *piece)
{
    if (state_of(p)->form == FORM_TEXTURE) {
        launch_texture(l, &p->texture);
        launch_texture(l, piece->texture);
        launch_constant(l, &state_of(p)->constants);
    } else {
        launch_buffer(l, &p->tables);
        launch_buffer(l, piece->text);
    }
}

static int run_pages(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const bool texture = state_of(p)->form == FORM_TEXTURE;
    launch l = launch_of("wm", texture ? "wm_texture" : "wm_pages", 0, state_of(p)->group, 0);
    launch_places(&l, p, piece);
    l.groups = parts(launch_cut(&l, p, piece), l.group);
    launch_u32(&l, state_of(p)->borders);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int run_borders(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const bool texture = state_of(p)->form == FORM_TEXTURE;
    launch l =
        launch_of("wm", texture ? "wm_texture_borders" : "wm_borders", 0, state_of(p)->group, 0);
    launch_places(&l, p, piece);
    const uint32_t borders = launch_cut(&l, p, piece) - 1;
    if (borders == 0 || reach_of(p) == 0)
        return TRAWL_OK;
    l.groups = parts(borders, l.group);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int run_staged(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const wm_tables *t = wm_head(p);
    const uint32_t units = p->device->info.units ? p->device->info.units : 1;
    const uint32_t group = state_of(p)->group;
    launch l = launch_of("wm", "wm_staged", units * tuned(p->tuning.blocks, STAGED_BLOCKS), group,
                         (uint32_t)local_bytes(group, state_of(p)->page));
    launch_buffer(&l, &p->tables);
    launch_buffer(&l, &state_of(p)->shifts);
    launch_buffer(&l, piece->text);
    const uint32_t tiles = parts(launch_cut(&l, p, piece), group);
    if (l.groups > tiles)
        l.groups = tiles;
    launch_u32(&l, state_of(p)->borders);
    launch_u32(&l, t->window);
    launch_u32(&l, t->block);
    launch_u32(&l, t->folded);
    launch_u32(&l, t->short_count);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

static int wm_run_text(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    if (piece->begin >= piece->end)
        return TRAWL_OK;
    int status = state_of(p)->form == FORM_STAGED ? run_staged(p, q, piece, error)
                                                  : run_pages(p, q, piece, error);
    if (!status && state_of(p)->borders)
        status = run_borders(p, q, piece, error);
    return status;
}

const device_walk device_wm = {
    .kind = WALK_WM,
    .texts_texture = true,
    .state_bytes = sizeof(wm_device),
    .prepare = wm_prepare,
    .release = wm_release,
    .run_text = wm_run_text,
};
