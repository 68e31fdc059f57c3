/* pfac.c: PFAC on devices: which kernel, how large, and the bitmap of the filter. The kernels are
 * in pfac.k.
 *
 * The bitmap: the first q bytes of all patterns, found by walking the trie, so that a class of
 * bytes (both cases of a letter) stands there with all its bytes. When the trie folds case, text
 * and bitmap have bit 5 of every byte set: that makes the cases equal, and keeps a string of q
 * letters from taking 2^q bits. q is the largest of 4, 3, 2 that leaves 7 of 8 bits free, since
 * patterns shorter than q stand there with all continuations. Then the bitmap shrinks, from 2^18
 * bits down to 2^15, as long as it is at most 1/32 full: small ones leave more room to caches.
 *
 * Without `filter`, the plain kernels are taken where even the best filter would let half of all
 * strings pass, and on CPUs, which have no warps to fill. With a filter `staged` changes nothing:
 * the text goes through registers, and `chars` is rounded up to a multiple of 16, 64 at most.
 *
 * The list of deep walks has a place for every 64 bytes of text: matches are seldom closer. When
 * no pattern is longer than PFAC_DEPTH, nothing is handed over, and pfac_deep is not launched.
 *
 * On an H200 the filter is worth a factor of three on rule literals in source code
 * (docs/performance.md). The plain kernels gain by many starts an item, and nothing by staging:
 * the text is in the first-level cache anyway.
 */
#include "table/pfac.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "kernel/trie_sizes.h"

enum {
    USUAL_GROUP = 256,
    FILTER_GROUP = 512,
    CPU_GROUP = 64,
    USUAL_CHARS = 16,
    CPU_CHARS = 256,
    CHUNK = 16,        /* starts of an item in one load of the filter */
    MOST_CHUNKS = 4,   /* 64 bits hold what passed */
    MOST_HALO = 256,   /* bytes staged behind a tile */
    UNIT_ITEMS = 2048, /* work items that a multiprocessor holds */
    LIST_SHARE = 64,   /* a place in the list of deep walks for so many bytes of text */
    LEAST_LIST = 4096,
    UNIT_LOCAL = 160 * 1024, /* of its local memory, what groups may fill */
    LEAST_LOG = 15,
    MOST_LOG = 18 /* 32 KiB */
};

typedef struct pfac_device {
    bool filtered;
    uint32_t staged, row, textured; /* 0 or 1 */
    uint32_t group, chars, halo, local_bytes;
    uint32_t depth;                     /* 0: no pattern is long enough to be handed over */
    uint32_t shift, fold, gram, blocks; /* filtered */
    device_buffer filter;
} pfac_device;

static pfac_device *state_of(const device_plan *p)
{
    return p->state;
}

/* ---- the filter ------------------------------------------------------------- */

#define GRAM_BUDGET (1u << 21) /* steps through the trie: more, and q is given up */
#define ANY_STATE UINT32_MAX   /* an occurrence has ended: anything may follow */

typedef struct gram_set {
    const uint32_t *tables;
    uint8_t bytes[257][256]; /* of each class those that differ under `fold`; last, of all */
    uint32_t byte_count[257];
    uint32_t fold; /* 0x20202020 or 0 */
    uint32_t q, log;
    uint32_t steps;
    uint32_t *bits; /* 2^log of them */
} gram_set;

static void add_byte(gram_set *g, uint32_t list, uint8_t byte)
{
    byte = (uint8_t)(byte | g->fold);
    for (uint32_t i = 0; i < g->byte_count[list]; i++)
        if (g->bytes[list][i] == byte)
            return;
    g->bytes[list][g->byte_count[list]++] = byte;
}

static void list_bytes(gram_set *g)
{
    const uint8_t *map = (const uint8_t *)(g->tables + ((const ac_tables *)g->tables)->map);
    bool folds = false;
    for (int c = 'A'; c <= 'Z'; c++)
        folds = folds || (map[c] == map[c + 32] && map[c] != 0);
    g->fold = folds ? 0x20202020u : 0;
    for (int c = 0; c < 256; c++) {
        add_byte(g, map[c], (uint8_t)c);
        add_byte(g, 256, (uint8_t)c);
    }
}

/* Set the bits of all strings of q bytes that go on from state `s` at `depth`. False: too many. */
static bool add_grams(gram_set *g, uint32_t s, uint32_t depth, uint32_t gram)
{
    const ac_tables *t = (const ac_tables *)g->tables;
    if (++g->steps > GRAM_BUDGET)
        return false;
    if (depth == g->q) {
        const uint32_t hash = gram * PFAC_HASH >> (32 - g->log);
        g->bits[hash / 32] |= 1u << (hash % 32);
        return true;
    }
    const bool any = s == ANY_STATE || (depth > 0 && s & AC_MATCH);
    for (uint32_t c = any ? 256 : 0; c < (any ? 257 : t->classes); c++) {
        uint32_t next = ANY_STATE;
        if (!any)
            next = pfac_next(g->tables + t->rows, g->tables + t->sparse, s, c);
        if (next == AC_DEAD)
            continue;
        for (uint32_t i = 0; i < g->byte_count[c]; i++)
            if (!add_grams(g, next, depth + 1, gram | (uint32_t)g->bytes[c][i] << (8 * depth)))
                return false;
    }
    return true;
}

/* The number of bits set; all of them when there would be too many strings. */
static uint32_t fill(gram_set *g, uint32_t q, uint32_t log)
{
    const size_t words = (size_t)1 << (log - 5);
    uint32_t set = 0;
    g->q = q;
    g->log = log;
    g->steps = 0;
    memset(g->bits, 0, words * sizeof *g->bits);
    if (!add_grams(g, AC_ROOT, 0, 0)) {
        memset(g->bits, 0xff, words * sizeof *g->bits);
        return 1u << log;
    }
    for (size_t w = 0; w < words; w++)
        for (uint32_t bits = g->bits[w]; bits; bits &= bits - 1)
            set++;
    return set;
}

/* The best filter of at most 2^most bits, in g->bits. Returns how many are set. */
static uint32_t choose_filter(gram_set *g, uint32_t most)
{
    uint32_t best = 4, least = UINT32_MAX;
    for (uint32_t q = 4; q >= 2; q--) {
        const uint32_t set = fill(g, q, most);
        if (set < least) {
            least = set;
            best = q;
        }
        if (set <= (1u << most) / 8)
            break;
    }
    uint32_t log = most;
    while (log > LEAST_LOG && least <= (1u << (log - 1)) / 32)
        log--;
    return fill(g, best, log);
}

/* ---- sizes ------------------------------------------------------------------ */

static uint64_t filter_local(uint32_t group, uint32_t row, uint32_t log)
{
    return 4 * (PFAC_FILTER_BITS((uint64_t)group, row) + ((uint64_t)1 << (log - 5)));
}

static uint64_t plain_local(uint32_t group, uint32_t row, bool staged, uint32_t chars,
                            uint32_t halo)
{
    /* A tile begins up to 15 bytes before its first start, and ends up to 15 behind. */
    const uint64_t tile = staged ? ((uint64_t)group * chars + halo + 30) / 16 * 16 : 0;
    return 4 * PFAC_TILE((uint64_t)group, row) + tile;
}

static int too_much_local(const device_plan *p, uint32_t group, uint64_t bytes, const char *instead,
                          trawl_error *error)
{
    return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                "pfac: a group of %u items needs %llu bytes of local memory; %s has %u: use a "
                "smaller group%s",
                group, (unsigned long long)bytes, p->device->info.name, p->device->info.local_bytes,
                instead);
}

static int prepare_filter(device_plan *p, gram_set *g, bool *useful, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const uint32_t group = state_of(p)->group, row = state_of(p)->row;
    uint32_t most = MOST_LOG;
    while (most > LEAST_LOG && filter_local(group, row, most) > info->local_bytes)
        most--;
    if (filter_local(group, row, most) > info->local_bytes)
        return too_much_local(p, group, filter_local(group, row, most), ", or filter=0", error);

    const uint32_t set = choose_filter(g, most);
    *useful = set < (1u << g->log) / 2;
    const uint64_t local = filter_local(group, row, g->log);
    const uint32_t blocks = UNIT_ITEMS / group < 16 ? UNIT_ITEMS / group : 16;
    const uint32_t fitting = (uint32_t)(UNIT_LOCAL / local) + 1;
    state_of(p)->local_bytes = (uint32_t)local;
    state_of(p)->shift = 32 - g->log;
    state_of(p)->fold = g->fold;
    state_of(p)->gram = UINT32_MAX >> (32 - 8 * g->q);
    state_of(p)->blocks = tuned(p->tuning.blocks, blocks < fitting ? blocks : fitting);
    if (!*useful && p->tuning.filter != 1)
        return TRAWL_OK;
    const size_t bytes = (size_t)1 << (g->log - 3);
    return plan_upload(p, &state_of(p)->filter, g->bits, bytes, error);
}

/* ---- the walk's functions ---------------------------------------------------- */

static int choose_group(device_plan *p, uint32_t usual, trawl_error *error)
{
    const device_info *info = &p->device->info;
    if (usual > info->most_group)
        usual = info->most_group;
    state_of(p)->group = tuned(p->tuning.group, info->cpu ? CPU_GROUP : usual);
    if (state_of(p)->group > info->most_group)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u: %s takes groups of up to %u work items", state_of(p)->group,
                    info->name, info->most_group);
    return TRAWL_OK;
}

static int filter_of(device_plan *p, trawl_error *error)
{
    bool useful = false;
    int status = choose_group(p, FILTER_GROUP, error);
    if (status)
        return status;
    gram_set *g = calloc(1, sizeof *g);
    uint32_t *bits = malloc((size_t)1 << (MOST_LOG - 3));
    if (g && bits) {
        g->tables = p->facts.tables;
        g->bits = bits;
        list_bytes(g);
        status = prepare_filter(p, g, &useful, error);
    } else {
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for pfac's filter");
    }
    free(bits);
    free(g);
    const uint32_t chunks = (tuned(p->tuning.chars, MOST_CHUNKS * CHUNK) + CHUNK - 1) / CHUNK;
    state_of(p)->chars = CHUNK * (chunks < MOST_CHUNKS ? chunks : MOST_CHUNKS);
    state_of(p)->filtered = useful || p->tuning.filter == 1;
    return status;
}

static int pfac_prepare(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    state_of(p)->row = tuned(tune->row, !info->cpu);
    state_of(p)->textured = tuned(tune->texture, 0);
    state_of(p)->depth = p->facts.max_length > PFAC_DEPTH ? PFAC_DEPTH : 0;
    if (tuned(tune->filter, !info->cpu)) {
        const int status = filter_of(p, error);
        if (status || state_of(p)->filtered)
            return status;
    }
    const int status = choose_group(p, USUAL_GROUP, error);
    if (status)
        return status;
    const uint64_t reach = p->facts.max_length - 1;
    state_of(p)->staged = tuned(tune->staged, 0);
    state_of(p)->chars = tuned(tune->chars, info->cpu ? CPU_CHARS : USUAL_CHARS);
    state_of(p)->halo = reach < MOST_HALO ? (uint32_t)reach : MOST_HALO;
    const uint64_t local = plain_local(state_of(p)->group, state_of(p)->row, state_of(p)->staged,
                                       state_of(p)->chars, state_of(p)->halo);
    if (local > info->local_bytes)
        return too_much_local(p, state_of(p)->group, local,
                              state_of(p)->staged ? ", fewer chars, or staged=0" : "", error);
    state_of(p)->local_bytes = (uint32_t)local;
    return TRAWL_OK;
}

static void pfac_release(device_plan *p)
{
    p->give(p, &state_of(p)->filter);
}

/* Deep walks that find a place while `length` bytes are searched. */
static uint32_t list_room(uint64_t length)
{
    const uint64_t share = length / LIST_SHARE;
    return share > LEAST_LIST ? (uint32_t)share : LEAST_LIST;
}

static size_t pfac_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)p;
    (void)cols;
    return sizeof(uint64_t) + list_room(length) * sizeof(record);
}

/* PFAC_LIST_ARGS of pfac.k. */
static void launch_list(launch *l, const device_plan *p, const text_piece *piece)
{
    launch_buffer(l, piece->scratch);
    launch_u32(l, list_room(piece->end));
    launch_u32(l, state_of(p)->depth);
}

static launch filter_launch(const device_plan *p, const text_piece *piece)
{
    static const char *const kernels[2][2] = { { "pfac_fr0t0", "pfac_fr0t1" },
                                               { "pfac_fr1t0", "pfac_fr1t1" } };
    const pfac_device *d = p->state;
    const uint32_t starts = piece->end - piece->from;
    const uint32_t groups = p->device->info.units * d->blocks;
    /* Smaller tiles when there is not one for each group. */
    uint32_t chars = d->chars;
    while (chars > CHUNK && parts(starts, (uint64_t)d->group * chars) < groups)
        chars -= CHUNK;
    const uint32_t tiles = parts(starts, (uint64_t)d->group * chars);
    launch l = launch_of("pfac", kernels[d->row][d->textured], tiles < groups ? tiles : groups,
                         d->group, d->local_bytes);
    launch_buffer(&l, &p->tables);
    if (d->textured)
        launch_texture(&l, &p->texture);
    launch_buffer(&l, piece->text);
    launch_buffer(&l, &state_of(p)->filter);
    launch_u32(&l, d->shift);
    launch_u32(&l, d->fold);
    launch_u32(&l, d->gram);
    launch_u32(&l, piece->from);
    launch_u32(&l, piece->begin);
    launch_u32(&l, piece->end);
    launch_u32(&l, chars / CHUNK);
    launch_list(&l, p, piece);
    return l;
}

static launch plain_launch(const device_plan *p, const text_piece *piece)
{
    static const char *const kernels[2][2][2] = {
        { { "pfac_s0r0t0", "pfac_s0r0t1" }, { "pfac_s0r1t0", "pfac_s0r1t1" } },
        { { "pfac_s1r0t0", "pfac_s1r0t1" }, { "pfac_s1r1t0", "pfac_s1r1t1" } }
    };
    const pfac_device *d = p->state;
    const uint32_t groups = parts(piece->end - piece->from, (uint64_t)d->group * d->chars);
    launch l = launch_of("pfac", kernels[d->staged][d->row][d->textured], groups, d->group,
                         d->local_bytes);
    launch_buffer(&l, &p->tables);
    if (d->textured)
        launch_texture(&l, &p->texture);
    launch_buffer(&l, piece->text);
    launch_u32(&l, piece->from);
    launch_u32(&l, piece->begin);
    launch_u32(&l, piece->end);
    launch_u32(&l, d->chars);
    launch_u32(&l, d->halo);
    launch_list(&l, p, piece);
    return l;
}

/* As many items as the device holds: the host does not know how long the list is. */
static launch deep_launch(const device_plan *p, const text_piece *piece)
{
    static const char *const kernels[2] = { "pfac_deep_t0", "pfac_deep_t1" };
    const pfac_device *d = p->state;
    launch l = launch_of("pfac", kernels[d->textured],
                         parts((uint64_t)p->device->info.units * UNIT_ITEMS, d->group), d->group,
                         4 * BOX_WORDS(d->group));
    launch_buffer(&l, &p->tables);
    if (d->textured)
        launch_texture(&l, &p->texture);
    launch_buffer(&l, piece->text);
    launch_u32(&l, piece->begin);
    launch_u32(&l, piece->end);
    launch_list(&l, p, piece);
    return l;
}

static int pfac_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    if (piece->end <= piece->begin)
        return TRAWL_OK;
    launch l = state_of(p)->filtered ? filter_launch(p, piece) : plain_launch(p, piece);
    launch_sink(&l, &piece->sink);
    if (state_of(p)->depth == 0)
        return sink_launch(p, q, &l, &piece->sink, error);
    int status = p->device->api->clear(q, piece->scratch, 0, sizeof(uint64_t), error);
    if (status == TRAWL_OK)
        status = sink_launch(p, q, &l, &piece->sink, error);
    if (status != TRAWL_OK)
        return status;
    l = deep_launch(p, piece);
    launch_sink(&l, &piece->sink);
    return sink_launch(p, q, &l, &piece->sink, error);
}

const device_walk device_pfac = {
    .kind = WALK_PFAC,
    .unit = "pfac",
    .state_bytes = sizeof(pfac_device),
    .prepare = pfac_prepare,
    .release = pfac_release,
    .scratch_bytes = pfac_scratch,
    .run_text = pfac_run,
};
