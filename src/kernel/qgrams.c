/* qgrams.c: strided q-grams on devices: the device's own tables, and how they are searched. The
 * kernel is in qgrams.k; qgrams.h says what the tables are.
 *
 * A plan's stride may be one for CPUs: of its grams the device takes as many neighbouring ones as
 * the largest power of two says, and of a long gram the first bytes. Neighbouring hashes are
 * neighbours in the bitmap, so it can be made smaller until it suits the device's local memory.
 */
#include <stdlib.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "kernel/qgrams.h"

enum {
    LARGE_GROUP = QGRAMS_GROUP,
    SMALL_GROUP = 256,
    CPU_GROUP = 64,
    UNIT_ITEMS = 1024,       /* work items that a multiprocessor holds, at 64 registers each */
    LARGE_LOCAL = 64 * 1024, /* a device with so much local memory runs large groups */
    CPU_BITMAP = 32 * 1024,  /* without warps, for a first cache */
    LEAST_LOG = 13,          /* bits of the bitmap */
    MOST_LOG = 20,
    USUAL_LOG = 17,
    SPARSE = 128, /* bits for each gram, if there is room */
    LEAST_HEADS = 4,
    MOST_HEADS = 24,
    MOST_Q = 6,
    WORK = 1,         /* slots, or 8 bytes of a pattern, that a byte of text is worth, */
    WORK_OF_MANY = 2, /* and with so many literals that ac leaves its caches */
    MANY = 1000,
    LEAST_WORK = 1 << 16,
    PAGE = 4096 /* without warps: bytes of an item */
};

typedef struct qgrams_device {
    uint32_t q, stride, group, blocks, local_bytes;
    uint32_t work; /* that a byte of text is worth */
    qgrams_args numbers;
    device_buffer made;
} qgrams_device;

/* What the tables are made of. */
typedef struct maker {
    const qgrams_tables *t;
    const uint32_t *tables;
    const literal_entry *literals;
    const uint8_t *bytes;
    uint32_t q, stride, fold, before;
    uint32_t *windows; /* of each pattern: its first gram */
    uint32_t *firsts;  /* where its bytes are, in words of 8 */
    uint32_t *full;    /* the bitmap with 2^MOST_LOG bits */
    uint32_t *words;   /* what is made */
} maker;

static uint32_t length_of(const maker *m, uint32_t index)
{
    return m->literals[index].length & LITERAL_LENGTH;
}

static const uint8_t *literal_of(const maker *m, uint32_t index)
{
    return m->bytes + m->literals[index].first;
}

/* Whether pattern `index` has gram k: always, but in a plan that somebody forged. */
static bool has_gram(const maker *m, uint32_t index, uint32_t k)
{
    return (uint64_t)m->windows[index] + k + m->q <= length_of(m, index);
}

static uint32_t hash_of(const maker *m, uint32_t index, uint32_t k)
{
    const uint8_t *at = literal_of(m, index) + m->windows[index] + k;
    if (m->q > 4)
        return gram_hash_at(at, m->q, m->fold);
    return (gram_word(at, m->q) | m->fold) * QGRAMS_FACTOR(m->q);
}

/* ---- the bitmap ----------------------------------------------------------------------- */

static uint32_t ones(const uint32_t *words, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t left = words[i]; left; left &= left - 1)
            sum++;
    return sum;
}

static void fill_bits(maker *m)
{
    for (uint32_t i = 0; i < m->t->prints.literals.count; i++)
        for (uint32_t k = 0; k < m->stride && has_gram(m, i, k); k++) {
            const uint32_t bit = hash_of(m, i, k) >> (32 - MOST_LOG);
            m->full[bit / 32] |= 0x80000000u >> (bit % 32);
        }
}

/* The bitmap with 2^log bits, at `to`. */
static void fit_bits(const maker *m, uint32_t log, uint32_t *to)
{
    for (uint32_t i = 0; i < 1u << MOST_LOG; i++)
        if (m->full[i / 32] & 0x80000000u >> (i % 32)) {
            const uint32_t bit = i >> (MOST_LOG - log);
            to[bit / 32] |= 0x80000000u >> (bit % 32);
        }
}

/* How large a bitmap `set` grams get in `bytes` of local memory: few places are to pass by chance,
 * but what the bitmap takes of a multiprocessor's memory its first-level cache has not. */
static uint32_t choose_log(uint32_t set, uint64_t bytes)
{
    uint32_t log = USUAL_LOG;
    while (log < MOST_LOG && (uint64_t)1 << log < (uint64_t)SPARSE * set)
        log++;
    while (log > LEAST_LOG && (uint64_t)1 << (log - 3) > bytes)
        log--;
    return log;
}

/* ---- heads and slots -------------------------------------------------------------------- */

static bool has_all(uint32_t length, uint32_t offset, uint32_t before)
{
    return offset <= before && length - offset <= PRINT_BYTES - before;
}

/* How many bytes before the gram most patterns are whole with. */
static uint32_t best_before(const maker *m)
{
    uint32_t whole[PRINT_BYTES] = { 0 }, best = 0;
    const uint32_t most = PRINT_BYTES - m->q;
    for (uint32_t i = 0; i < m->t->prints.literals.count; i++)
        for (uint32_t k = 0; k < m->stride && length_of(m, i) <= PRINT_BYTES; k++)
            for (uint32_t before = 0; before <= most; before++)
                whole[before] += has_all(length_of(m, i), m->windows[i] + k, before);
    for (uint32_t before = 1; before <= most; before++)
        if (whole[before] >= whole[best])
            best = before;
    return best;
}

static qgrams_slot slot_of(const maker *m, uint32_t index, uint32_t k)
{
    const uint32_t offset = m->windows[index] + k, length = length_of(m, index);
    const bool folded = m->literals[index].length & LITERAL_FOLDED;
    const uint8_t *bytes = literal_of(m, index);
    qgrams_slot s = { .index = index,
                      .length = m->literals[index].length,
                      .first = m->firsts[index],
                      .offset = offset | (has_all(length, offset, m->before) ? SLOT_WHOLE : 0) };
    for (uint32_t i = 0; i < PRINT_BYTES; i++) {
        if (offset + i < m->before || offset + i - m->before >= length)
            continue;
        const uint8_t byte = bytes[offset + i - m->before];
        /* Nothing else than the two cases of a letter differs in bit 5 alone. */
        const bool folds = folded && byte >= 'a' && byte <= 'z';
        s.bytes |= (uint64_t)(folds ? byte & 0xdf : byte) << (8 * i);
        s.mask |= (uint64_t)(folds ? 0xdf : 0xff) << (8 * i);
    }
    s.bytes &= s.mask;
    return s;
}

/* Count by head, place, and put counts and bits into the heads. */
static void fill_slots(maker *m, const qgrams_args *a)
{
    const uint32_t heads = 1u << (32 - a->heads_shift), count = m->t->prints.literals.count;
    uint64_t *head = (uint64_t *)(void *)(m->words + a->heads);
    qgrams_slot *slots = (qgrams_slot *)(void *)(m->words + a->slots);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < m->stride && has_gram(m, i, k); k++)
            head[hash_of(m, i, k) >> a->heads_shift]++;
    for (uint32_t h = 0; h <= heads; h++) {
        sum += head[h];
        head[h] = sum;
    }
    for (uint32_t i = count; i-- > 0;)
        for (uint32_t k = m->stride; k-- > 0;)
            if (has_gram(m, i, k))
                slots[--head[hash_of(m, i, k) >> a->heads_shift]] = slot_of(m, i, k);
    for (uint32_t h = 0; h < heads; h++) {
        const uint64_t slots_of = head[h + 1] - head[h];
        head[h] |= (slots_of < HEAD_MANY ? slots_of : HEAD_MANY) << 32;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < m->stride && has_gram(m, i, k); k++) {
            const uint32_t hash = hash_of(m, i, k);
            head[hash >> a->heads_shift] |= (uint64_t)1 << (32 + HEAD_BIT(hash));
        }
}

static void fill_literals(maker *m, uint32_t *to)
{
    for (uint32_t i = 0; i < m->t->prints.literals.count; i++)
        memcpy((uint64_t *)(void *)to + m->firsts[i], literal_of(m, i), length_of(m, i));
}

/* ---- preparing ---------------------------------------------------------------------------- */

static bool maker_open(maker *m, const device_plan *p)
{
    const qgrams_tables *t = (const qgrams_tables *)(const void *)p->facts.tables;
    const print_entry *entries =
        (const print_entry *)(const void *)(p->facts.tables + t->prints.entries);
    const uint32_t count = t->prints.literals.count;
    *m = (maker){ .t = t, .tables = p->facts.tables, .q = t->prints.q, .fold = t->prints.fold };
    m->literals = (const literal_entry *)(const void *)(m->tables + t->prints.literals.entries);
    m->bytes = (const uint8_t *)(m->tables + t->prints.literals.bytes);
    m->q = m->q < MOST_Q ? m->q : MOST_Q;
    m->stride = t->stride < 2 ? 1 : t->stride < 4 ? 2 : t->stride < 8 ? 4 : 8;
    m->windows = malloc((size_t)count * sizeof *m->windows);
    m->firsts = malloc((size_t)count * sizeof *m->firsts);
    m->full = calloc(1u << (MOST_LOG - 5), sizeof *m->full);
    if (!m->windows || !m->firsts || !m->full)
        return false;
    memset(m->windows, 0xff, (size_t)count * sizeof *m->windows);
    for (uint32_t i = 0; i < t->prints.count; i++)
        if (entries[i].offset < m->windows[entries[i].index])
            m->windows[entries[i].index] = entries[i].offset;
    m->before = best_before(m);
    fill_bits(m);
    return true;
}

static void maker_close(maker *m)
{
    free(m->windows);
    free(m->firsts);
    free(m->full);
    free(m->words);
}

/* Give a section its place. */
static uint32_t section(uint64_t *words, uint64_t more)
{
    const uint64_t at = *words;
    *words += (more + 15) / 16 * 16;
    return (uint32_t)at;
}

static int upload(device_plan *p, maker *m, trawl_error *error)
{
    qgrams_device *d = p->state;
    qgrams_args *a = &d->numbers;
    const uint32_t count = m->t->prints.literals.count;
    const uint64_t slots = (uint64_t)count * m->stride;
    uint64_t literals = 1, words = 0;
    uint32_t log = LEAST_HEADS;
    while (log < MOST_HEADS && (uint64_t)1 << log < 2 * slots)
        log++;
    for (uint32_t i = 0; i < count; i++) {
        m->firsts[i] = (uint32_t)literals;
        literals += (length_of(m, i) + 7) / 8;
    }
    section(&words, (uint64_t)1 << (a->bits_log - 5));
    a->heads_shift = 32 - log;
    a->heads = section(&words, 2 * (((uint64_t)1 << log) + 1));
    a->slots = section(&words, 8 * slots);
    a->literals = section(&words, 2 * literals);
    if (words < UINT32_MAX)
        m->words = calloc((size_t)words, sizeof *m->words);
    if (!m->words)
        return fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for tables of q-grams");
    fit_bits(m, a->bits_log, m->words);
    fill_slots(m, a);
    fill_literals(m, m->words + a->literals);
    return plan_upload(p, &d->made, m->words, (size_t)words * sizeof *m->words, error);
}

static int prepare_device(device_plan *p, maker *m, trawl_error *error)
{
    const device_info *info = &p->device->info;
    qgrams_device *d = p->state;
    const bool large = info->local_bytes >= LARGE_LOCAL;
    const int status = plan_group(p,
                                  info->cpu ? CPU_GROUP
                                  : large   ? LARGE_GROUP
                                            : SMALL_GROUP,
                                  &d->group, error);
    if (status != TRAWL_OK)
        return status;
    const bool warps = info->lanes != 0;
    if (warps && d->group % 32 != 0)
        return fail(error, TRAWL_ERROR_UNSUPPORTED, TRAWL_NONE,
                    "group=%u: qgrams takes groups of a multiple of 32 work items", d->group);
    const uint64_t queues = warps ? d->group / 32 * QGRAMS_WARP_WORDS * 4ull : 0;
    const uint64_t left = info->local_bytes > queues ? info->local_bytes - queues : 0;
    d->numbers.bits_log =
        choose_log(ones(m->full, 1u << (MOST_LOG - 5)), warps ? left : CPU_BITMAP);
    const uint64_t bits = (uint64_t)1 << (d->numbers.bits_log - 3);
    d->local_bytes = warps ? (uint32_t)(queues + bits) : 16;
    d->blocks = tuned(p->tuning.blocks, d->group < UNIT_ITEMS ? UNIT_ITEMS / d->group : 1);
    return plan_local(p, "qgrams", d->group, d->local_bytes, "", error);
}

static int qgrams_prepare(device_plan *p, trawl_error *error)
{
    qgrams_device *d = p->state;
    maker m;
    int status;
    if (maker_open(&m, p)) {
        d->q = m.q < 4 ? 4 : m.q;
        d->stride = m.stride;
        d->work = m.t->prints.literals.count < MANY ? WORK : WORK_OF_MANY;
        d->numbers.before = m.before;
        d->numbers.fold = m.fold;
        d->numbers.factor = QGRAMS_FACTOR(m.q < 4 ? m.q : 4);
        status = prepare_device(p, &m, error);
        if (status == TRAWL_OK)
            status = upload(p, &m, error);
    } else {
        status = fail(error, TRAWL_ERROR_MEMORY, TRAWL_NONE, "out of memory for tables of q-grams");
    }
    maker_close(&m);
    return status;
}

static void qgrams_release(device_plan *p)
{
    qgrams_device *d = p->state;
    p->give(p, &d->made);
}

/* ---- running ------------------------------------------------------------------------------- */

static int qgrams_run(const device_plan *p, device_queue *q, text_piece *piece, trawl_error *error)
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
        numbers.may_stop = (uint64_t)length * d->work + LEAST_WORK;
        numbers.worth = numbers.may_stop / (8 * items) + 16;
    }
    launch l = launch_of("qgrams", "qgrams", tiles < most ? tiles : most, d->group, d->local_bytes);
    launch_define(&l, "STRIDE", d->stride);
    launch_define(&l, "Q", d->q);
    launch_buffer(&l, &d->made);
    launch_buffer(&l, piece->text);
    return launch_search(p, q, &l, &numbers, sizeof numbers, &piece->sink, error);
}

const device_walk device_qgrams = {
    .kind = WALK_QGRAMS,
    .state_bytes = sizeof(qgrams_device),
    .prepare = qgrams_prepare,
    .release = qgrams_release,
    .run_text = qgrams_run,
};
