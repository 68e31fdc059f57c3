/* device.c: PFAC on devices: which kernel, and how large. The kernels are in device.k.
 *
 * Without `filter`, the plain kernels are taken where even the best filter would let half of all
 * strings pass, and on CPUs, which have no warps to fill. With a filter `staged` changes nothing:
 * the text goes through registers, and `chars` is rounded up to a multiple of 16, 64 at most.
 *
 * The list of deep walks has a place for every 64 bytes of text: matches are seldom closer. When
 * no pattern is longer than PFAC_DEPTH, nothing is handed over.
 *
 * On an H200 the filter is worth a factor of three on rule literals in source code
 * (docs/records/devices.md). The plain kernels gain by many starts for each item, and nothing by
 * staging: the text is in the first-level cache anyway.
 */

#include "engines/papers/pfac/device.h"
#include "base/error.h"
#include "engines/shared/device/kernel.h"

enum {
    DEFAULT_GROUP = 256,
    FILTER_GROUP = 512,
    CPU_GROUP = 64,
    DEFAULT_CHARS = 16,
    CPU_CHARS = 256,
    CHUNK = 16,        /* starts of an item in one load of the filter */
    MAX_CHUNKS = 4,   /* 64 bits hold what passed */
    MAX_HALO = 256,   /* bytes staged after a tile */
    UNIT_ITEMS = 2048, /* work items that a multiprocessor holds */
    LIST_SHARE = 64,   /* bytes of text for each place in the list of deep walks */
    MIN_LIST = 4096,
    UNIT_LOCAL = 160 * 1024, /* of its local memory, what groups may fill */
    MANY_GRAMS = 500, /* more, and much passes in some places: smaller shares even that out */
    SMALL_SHARES = 4,
    MIN_LOG = 15, /* bits of the filter: 2^15 to 2^18 */
    MAX_LOG = 18,
    STEPS_A_BYTE = 8 /* of deep walks, where they may be given up */
};

typedef struct pfac_device {
    uint32_t kind;                  /* PFAC_PLAIN or PFAC_FILTERED */
    uint32_t staged, row, textured; /* 0 or 1 */
    uint32_t group, chars, halo, local_bytes;
    uint32_t depth;                     /* 0: no pattern is long enough to be handed over */
    uint32_t shift, fold, gram, blocks; /* as in pfac_args; groups a multiprocessor */
    device_buffer filter;
} pfac_device;

/* ---- sizes ------------------------------------------------------------------ */

static uint64_t filter_local(uint32_t group, uint32_t row, uint32_t log)
{
    return 4 * (PFAC_FILTER_BITS((uint64_t)group, row) + ((uint64_t)1 << (log - 5)));
}

static uint64_t plain_local(uint32_t group, uint32_t row, bool staged, uint32_t chars,
                            uint32_t halo)
{
    /* A tile begins up to 15 bytes before its first start, and ends up to 15 after it. */
    const uint64_t tile = staged ? ((uint64_t)group * chars + halo + 30) / 16 * 16 : 0;
    return 4 * PFAC_TILE((uint64_t)group, row) + tile;
}

/* ---- preparing --------------------------------------------------------------- */

/* The plan's bitmap with at most 2^most bits: neighbours fall together when it is made smaller, for
 * the high bits of a hash number its bits. of `m`; *log and *set are of the result. */
static uint32_t *fit_filter(memory *m, const uint32_t *tables, uint32_t most, uint32_t *log,
                            uint32_t *set)
{
    const grams_tables *g = &((const pfac_tables *)tables)->grams;
    const uint32_t *from = tables + g->bits, full = 32 - g->shift;
    const uint32_t less = full > most ? full - most : 0, words = 1u << (full - less - 5);
    uint32_t *bits = memory_take_zeroed(m, words, sizeof *bits);
    *log = full - less;
    *set = 0;
    for (uint32_t i = 0; bits && i < 1u << full; i++)
        if (from[i / 32] >> (i % 32) & 1)
            bits[(i >> less) / 32] |= 1u << ((i >> less) % 32);
    for (uint32_t i = 0; bits && i < words; i++)
        for (uint32_t left = bits[i]; left; left &= left - 1)
            ++*set;
    return bits;
}

/* Sets what the filtered kernel needs. */
static int use_filter(device_plan *p, const uint32_t *bits, uint32_t log, trawl_error *error)
{
    const grams_tables *g = &((const pfac_tables *)p->facts.tables)->grams;
    pfac_device *d = p->state;
    const uint64_t local = filter_local(d->group, d->row, log);
    const uint32_t blocks = UNIT_ITEMS / d->group < 16 ? UNIT_ITEMS / d->group : 16;
    const uint32_t fitting = (uint32_t)(UNIT_LOCAL / local) + 1;
    const uint32_t chunks = (tuned(p->tuning.chars, MAX_CHUNKS * CHUNK) + CHUNK - 1) / CHUNK;
    d->kind = PFAC_FILTERED;
    d->local_bytes = (uint32_t)local;
    d->chars = CHUNK * (chunks < MAX_CHUNKS ? chunks : MAX_CHUNKS);
    d->shift = 32 - log;
    d->fold = g->fold;
    d->gram = g->mask;
    const uint32_t resident = blocks < fitting ? blocks : fitting;
    d->blocks = tuned(p->tuning.blocks, g->set < MANY_GRAMS ? resident : SMALL_SHARES * resident);
    return plan_upload(p, &d->filter, bits, (size_t)1 << (log - 3), error);
}

/* The kind stays PFAC_PLAIN where a filter is not asked for and would let too much pass. */
static int prepare_filter(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    pfac_device *d = p->state;
    int status = plan_group(p, info->cpu ? CPU_GROUP : FILTER_GROUP, &d->group, error);
    if (status)
        return status;
    uint32_t most = MAX_LOG, log, set;
    while (most > MIN_LOG && filter_local(d->group, d->row, most) > info->local_bytes)
        most--;
    status = plan_local(p, "pfac", d->group, filter_local(d->group, d->row, most), ", or filter=0",
                        error);
    if (status)
        return status;
    uint32_t *bits = fit_filter(p->memory, p->facts.tables, most, &log, &set);
    if (!bits)
        return memory_failed(p->memory, error, "pfac's filter");
    if (set < (1u << log) / 2 || p->tuning.filter == 1)
        status = use_filter(p, bits, log, error);
    memory_give(p->memory, bits);
    return status;
}

static int prepare_plain(device_plan *p, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const tuning *tune = &p->tuning;
    pfac_device *d = p->state;
    const int status = plan_group(p, info->cpu ? CPU_GROUP : DEFAULT_GROUP, &d->group, error);
    if (status)
        return status;
    const uint64_t reach = p->facts.max_length - 1;
    d->staged = tuned(tune->staged, 0);
    d->chars = tuned(tune->chars, info->cpu ? CPU_CHARS : DEFAULT_CHARS);
    d->halo = reach < MAX_HALO ? (uint32_t)reach : MAX_HALO;
    const uint64_t local = plain_local(d->group, d->row, d->staged, d->chars, d->halo);
    d->local_bytes = (uint32_t)local;
    return plan_local(p, "pfac", d->group, local, d->staged ? ", fewer chars, or staged=0" : "",
                      error);
}

static int pfac_prepare(device_plan *p, trawl_error *error)
{
    const bool cpu = p->device->info.cpu;
    pfac_device *d = p->state;
    d->row = tuned(p->tuning.row, !cpu);
    d->textured = tuned(p->tuning.texture, 0);
    d->depth = p->facts.max_length > PFAC_DEPTH ? PFAC_DEPTH : 0;
    d->kind = PFAC_PLAIN;
    const int status = tuned(p->tuning.filter, !cpu) ? prepare_filter(p, error) : TRAWL_OK;
    return status || d->kind == PFAC_FILTERED ? status : prepare_plain(p, error);
}

static void pfac_release(device_plan *p)
{
    pfac_device *d = p->state;
    p->give(p, &d->filter);
}

/* ---- running ------------------------------------------------------------------- */

/* Deep walks that find a place while `length` bytes are searched. */
static uint32_t list_room(uint64_t length)
{
    const uint64_t share = length / LIST_SHARE;
    return share > MIN_LIST ? (uint32_t)share : MIN_LIST;
}

static size_t pfac_scratch(const device_plan *p, uint64_t length, uint64_t cols)
{
    (void)p;
    (void)cols;
    return sizeof(uint64_t) + list_room(length) * sizeof(record);
}

/* Launch a kernel of one kind. */
static int run_kind(const device_plan *p, device_queue *q, text_piece *piece, uint32_t kind,
                    uint32_t groups, uint32_t local_bytes, const pfac_args *numbers,
                    trawl_error *error)
{
    const pfac_device *d = p->state;
    launch l = launch_of("pfac", "pfac", groups, d->group, local_bytes);
    launch_define(&l, "KIND", kind);
    launch_define(&l, "STAGED", kind == PFAC_PLAIN && d->staged);
    launch_define(&l, "ROW", kind != PFAC_DEEP && d->row);
    launch_define(&l, "TEXTURED", d->textured);
    launch_tables(&l, p, d->textured);
    launch_buffer(&l, piece->text);
    if (kind == PFAC_FILTERED)
        launch_buffer(&l, &d->filter);
    launch_buffer(&l, piece->scratch);
    return launch_search(p, q, &l, numbers, sizeof *numbers, &piece->sink, error);
}

static int pfac_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const pfac_device *d = p->state;
    const uint32_t units = p->device->info.units, starts = piece->end - piece->from;
    pfac_args numbers = {
        .capacity = piece->sink.capacity,
        .from = piece->from,
        .begin = piece->begin,
        .end = piece->end,
        .chars = d->chars,
        .halo = d->halo,
        .shift = d->shift,
        .fold = d->fold,
        .gram = d->gram,
        .room = list_room(piece->end),
        .depth = d->depth,
    };
    if (p->facts.may_stop) {
        const uint64_t worth = piece->end / p->facts.max_length * STEPS_A_BYTE + MIN_LIST;
        numbers.room = smaller(worth, numbers.room);
        numbers.may_stop = smaller(worth, UINT32_MAX);
    }
    uint32_t groups = UINT32_MAX;
    if (d->kind == PFAC_FILTERED) {
        groups = units * d->blocks;
        /* Smaller tiles when there is not one for each group. */
        while (numbers.chars > CHUNK && parts(starts, (uint64_t)d->group * numbers.chars) < groups)
            numbers.chars -= CHUNK;
    }
    const uint32_t tiles = parts(starts, (uint64_t)d->group * numbers.chars);
    int status = TRAWL_OK;
    if (d->depth)
        status = p->device->api->clear(q, piece->scratch, 0, sizeof(uint64_t), error);
    if (status == TRAWL_OK)
        status = run_kind(p, q, piece, d->kind, tiles < groups ? tiles : groups, d->local_bytes,
                          &numbers, error);
    if (status != TRAWL_OK || d->depth == 0)
        return status;
    /* As many items as the device holds: the host does not know how long the list is. */
    groups = parts((uint64_t)units * UNIT_ITEMS, d->group);
    return run_kind(p, q, piece, PFAC_DEEP, groups, 4 * BOX_WORDS(d->group), &numbers, error);
}

const device_walk device_pfac = {
    .kind = WALK_PFAC,
    .state_bytes = sizeof(pfac_device),
    .prepare = pfac_prepare,
    .release = pfac_release,
    .scratch_bytes = pfac_scratch,
    .run_text = pfac_run,
};
