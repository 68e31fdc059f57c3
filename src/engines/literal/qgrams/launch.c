/* launch.c: see launch.h. Neighbouring hashes are neighbours in the bitmap, so it can be made as
 * small as suits the device's local memory.
 */
#include "engines/literal/qgrams/launch.h"

#include <string.h>

#include "base/error.h"

enum {
    LARGE_GROUP = QGRAMS_GROUP,
    SMALL_GROUP = 256,
    CPU_GROUP = 64,
    UNIT_ITEMS = 1024,       /* work items that a multiprocessor shall hold */
    LARGE_LOCAL = 64 * 1024, /* a device with so much local memory runs large groups */
    CPU_BITMAP = 32 * 1024,  /* without warps, for a first cache */
    MIN_LOG = 13,            /* bits of the bitmap */
    MAX_LOG = 20,
    DEFAULT_LOG = 17,
    SPARSE = 128, /* bits for each gram, if there is room */
    MIN_HEADS = 4,
    MAX_HEADS = 24,
    MIN_WORK = 1 << 16,
    RARE_SLOTS = 2,
    MAX_RARE = 16, /* of one gram, which a text may have everywhere */
    PAGE = 4096    /* without warps: bytes of an item */
};

/* ---- the bitmap ----------------------------------------------------------------------- */

static void set_bits(const qgrams_items *from, uint32_t log, uint32_t *bits)
{
    for (size_t i = 0; i < from->count; i++) {
        const uint32_t bit = from->items[i].hash >> (32 - log);
        bits[bit / 32] |= 0x80000000u >> (bit % 32);
    }
}

static uint32_t ones(const uint32_t *words, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t left = words[i]; left; left &= left - 1)
            sum++;
    return sum;
}

/* How large a bitmap `set` grams get in `bytes` of local memory: few places are to pass by chance,
 * but what the bitmap takes of a multiprocessor's memory its first-level cache has not. */
static uint32_t choose_log(uint32_t set, uint64_t bytes)
{
    uint32_t log = DEFAULT_LOG;
    while (log < MAX_LOG && (uint64_t)1 << log < (uint64_t)SPARSE * set)
        log++;
    while (log > MIN_LOG && (uint64_t)1 << (log - 3) > bytes)
        log--;
    return log;
}

static int no_memory(const device_plan *p, trawl_error *error)
{
    return memory_failed(p->memory, error, "tables of q-grams");
}

int qgrams_sizes(device_plan *p, qgrams_device *d, const qgrams_items *from, trawl_error *error)
{
    const device_info *info = &p->device->info;
    const bool large = info->local_bytes >= LARGE_LOCAL, warps = info->lanes != 0;
    uint32_t *full = memory_take_zeroed(p->memory, 1u << (MAX_LOG - 5), sizeof *full);
    const int status = plan_warps(p, d->unit,
                                  info->cpu ? CPU_GROUP
                                  : large   ? LARGE_GROUP
                                            : SMALL_GROUP,
                                  warps ? QGRAMS_GROUP : info->most_group, &d->group, error);
    if (full)
        set_bits(from, MAX_LOG, full);
    const uint32_t set = full ? ones(full, 1u << (MAX_LOG - 5)) : 0;
    memory_give(p->memory, full);
    if (status != TRAWL_OK)
        return status;
    if (!full)
        return no_memory(p, error);
    const uint64_t queues = warps ? d->group / WARP * QGRAMS_WARP_WORDS * 4ull : 0;
    const uint64_t left = info->local_bytes > queues ? info->local_bytes - queues : 0;
    d->numbers.bits_log = choose_log(set, warps ? left : CPU_BITMAP);
    const uint64_t bits = (uint64_t)1 << (d->numbers.bits_log - 3);
    d->local_bytes = warps ? (uint32_t)(queues + bits) : 16;
    d->blocks = tuned(p->tuning.blocks, d->group < UNIT_ITEMS ? UNIT_ITEMS / d->group : 1);
    return plan_local(p, d->unit, d->group, d->local_bytes, "", error);
}

/* ---- heads and slots -------------------------------------------------------------------- */

uint32_t qgrams_heads_log(uint64_t slots)
{
    uint32_t log = MIN_HEADS;
    while (log < MAX_HEADS && (uint64_t)1 << log < 2 * slots)
        log++;
    return log;
}

/* What its head is found by: its hash, and the byte after the gram if that is asked for and it has
 * one. Case counts in that byte, unless all grams are folded. */
static uint32_t key_of(const qgrams_args *a, uint32_t hash, const qgrams_slot *s)
{
    if (a->next == QGRAMS_NO_NEXT || ((s->mask >> a->next | (a->fold & 0x20)) & 0xff) != 0xff)
        return hash;
    return qgrams_key(hash, (uint32_t)(s->bytes >> a->next) & 0xff, a->fold);
}

/* Whether so few slots share a gram that its hash finds them: a slot meets fewer than RARE_SLOTS on
 * the average, as a text does that has each gram as often as slots do; and no gram has very many.
 */
static bool grams_are_rare(const qgrams_items *from, const qgrams_args *a, uint64_t *head)
{
    const uint32_t heads = 1u << (32 - a->heads_shift);
    uint64_t met = 0, most = 0;
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t others = head[from->items[i].hash >> a->heads_shift]++;
        met += 2 * others + 1; /* the difference of squares */
        most = others > most ? others : most;
    }
    memset(head, 0, heads * sizeof *head);
    return met < RARE_SLOTS * from->count && most < MAX_RARE;
}

/* Count by head, place, and put counts and bits into the heads. `keys` has room for all items. */
static void fill_slots(const qgrams_items *from, qgrams_args *a, uint32_t *keys, uint32_t *words)
{
    const uint32_t heads = 1u << (32 - a->heads_shift);
    uint64_t *head = (uint64_t *)(void *)(words + a->heads);
    qgrams_slot *slots = (qgrams_slot *)(void *)(words + a->slots);
    uint64_t sum = 0;
    if (grams_are_rare(from, a, head))
        a->next = QGRAMS_NO_NEXT;
    a->alone = 0;
    for (size_t i = 0; i < from->count; i++) {
        const qgrams_slot s = from->slot(from->with, &from->items[i]);
        keys[i] = key_of(a, from->items[i].hash, &s);
        a->alone |= a->next < QGRAMS_NO_NEXT && keys[i] == from->items[i].hash;
        head[keys[i] >> a->heads_shift]++;
    }
    for (uint32_t h = 0; h <= heads; h++) {
        sum += head[h];
        head[h] = sum;
    }
    for (size_t i = from->count; i-- > 0;)
        slots[--head[keys[i] >> a->heads_shift]] = from->slot(from->with, &from->items[i]);
    for (uint32_t h = 0; h < heads; h++) {
        const uint64_t slots_of = head[h + 1] - head[h];
        head[h] |= (slots_of < HEAD_MANY ? slots_of : HEAD_MANY) << 32;
    }
    for (size_t i = 0; i < from->count; i++)
        head[keys[i] >> a->heads_shift] |= (uint64_t)1 << (32 + HEAD_BIT(keys[i]));
}

/* Give a section its place. */
static uint32_t section(uint64_t *words, uint64_t more)
{
    const uint64_t at = *words;
    *words += (more + 15) / 16 * 16;
    return (uint32_t)at;
}

uint32_t *qgrams_tables_of(const device_plan *p, qgrams_device *d, const qgrams_items *from,
                           uint64_t rest, trawl_error *error)
{
    qgrams_args *a = &d->numbers;
    const uint32_t log = qgrams_heads_log(from->count);
    uint64_t words = 0;
    uint32_t *made = NULL, *keys = memory_take_array(p->memory, from->count + 1, sizeof *keys);
    section(&words, (uint64_t)1 << (a->bits_log - 5));
    a->heads_shift = 32 - log;
    a->heads = section(&words, 2 * (((uint64_t)1 << log) + 1));
    a->slots = section(&words, 8 * (uint64_t)from->count);
    a->literals = section(&words, rest);
    if (keys && words < UINT32_MAX)
        made = memory_take_zeroed(p->memory, (size_t)words, sizeof *made);
    if (!made) {
        memory_give(p->memory, keys);
        no_memory(p, error);
        return NULL;
    }
    d->words = (size_t)words;
    set_bits(from, a->bits_log, made);
    a->next = smaller(8 * (a->before + d->q), QGRAMS_NO_NEXT); /* short grams may end sooner */
    fill_slots(from, a, keys, made);
    memory_give(p->memory, keys);
    return made;
}

int qgrams_upload(device_plan *p, qgrams_device *d, uint32_t *tables, trawl_error *error)
{
    const int status = plan_upload(p, &d->made, tables, d->words * sizeof *tables, error);
    memory_give(p->memory, tables);
    return status;
}

void qgrams_release(device_plan *p)
{
    qgrams_device *d = p->state;
    p->give(p, &d->made);
}

/* ---- running ------------------------------------------------------------------------------- */

int qgrams_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
{
    const qgrams_device *d = p->state;
    const uint32_t units = p->device->info.units, length = piece->end - piece->from;
    const bool warps = p->device->info.lanes != 0;
    qgrams_args numbers = d->numbers;
    numbers.capacity = piece->sink.capacity;
    numbers.from = piece->from;
    numbers.begin = piece->begin;
    numbers.end = piece->end;
    numbers.page = PAGE;
    const uint32_t tiles = parts(length, warps ? d->group * 64u : d->group * PAGE);
    const uint32_t most = warps ? units * d->blocks : UINT32_MAX;
    if (p->facts.may_stop) {
        const uint64_t items = (uint64_t)(tiles < most ? tiles : most) * d->group;
        numbers.may_stop = (uint64_t)length * d->work + MIN_WORK;
        numbers.worth = numbers.may_stop / (8 * items) + 16;
    }
    launch l = launch_of(d->unit, d->unit, tiles < most ? tiles : most, d->group, d->local_bytes);
    l.bound = QGRAMS_GROUP;
    launch_define(&l, "STRIDE", d->stride);
    launch_define(&l, "Q", d->q);
    launch_buffer(&l, &d->made);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}
