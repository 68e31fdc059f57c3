/* device.c: strided q-grams on devices: the device's own tables, and how they are searched. The
 * kernel is in device.k; device.h says what the tables are.
 *
 * A plan's stride may suit only CPUs: the device takes as many of its neighbouring grams as the
 * largest power of two within it, and the first bytes of a long gram.
 */

#include "base/error.h"
#include "engines/literal/qgrams/launch.h"

enum {
    MAX_Q = 6,
    WORK = 1,         /* slots, or 8 bytes of a pattern, that a byte of text is worth; */
    WORK_OF_MANY = 2, /* the same from MANY literals on, with which ac leaves its caches */
    MANY = 1000
};

/* What the tables are made of. */
typedef struct maker {
    memory *memory;
    const qgrams_tables *t;
    const uint32_t *tables;
    const literal_entry *literals;
    const uint8_t *bytes;
    uint32_t q, stride, fold, before;
    uint32_t *windows; /* of each pattern: its first gram */
    uint32_t *firsts;  /* where its bytes are, in words of 8 */
    qgrams_item *items;
    size_t item_count;
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
    return gram_fold(gram_word(at, m->q), m->fold) * QGRAMS_FACTOR(m->q);
}

/* ---- slots -------------------------------------------------------------------- */

static bool has_all(uint32_t length, uint32_t offset, uint32_t before)
{
    return offset <= before && length - offset <= PRINT_BYTES - before;
}

/* How many bytes before the gram most patterns are whole with. */
static uint32_t best_before(const maker *m)
{
    uint32_t whole[PRINT_BYTES] = { 0 }, best = 0;
    const uint32_t most = PRINT_BYTES - (m->q < 4 ? 4 : m->q) - 1; /* for keys have a byte more */
    for (uint32_t i = 0; i < m->t->prints.literals.count; i++)
        for (uint32_t k = 0; k < m->stride && length_of(m, i) <= PRINT_BYTES; k++)
            for (uint32_t before = 0; before <= most; before++)
                whole[before] += has_all(length_of(m, i), m->windows[i] + k, before);
    for (uint32_t before = 1; before <= most; before++)
        if (whole[before] >= whole[best])
            best = before;
    return best;
}

static qgrams_slot slot_of(const void *with, const qgrams_item *item)
{
    const maker *m = with;
    const uint32_t index = item->of, k = item->k;
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

/* Every pattern's grams, and where its bytes are; returns how many words of 8 bytes these are. */
static uint64_t list_items(maker *m)
{
    uint64_t literals = 1;
    for (uint32_t i = 0; i < m->t->prints.literals.count; i++) {
        for (uint32_t k = 0; k < m->stride && has_gram(m, i, k); k++)
            m->items[m->item_count++] = (qgrams_item){ hash_of(m, i, k), i, k };
        m->firsts[i] = (uint32_t)literals;
        literals += (length_of(m, i) + 7) / 8;
    }
    return literals;
}

static void fill_literals(const maker *m, uint32_t *to)
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
    *m = (maker){ .memory = p->memory,
                  .t = t,
                  .tables = p->facts.tables,
                  .q = t->prints.q,
                  .fold = t->prints.fold };
    m->literals = (const literal_entry *)(const void *)(m->tables + t->prints.literals.entries);
    m->bytes = (const uint8_t *)(m->tables + t->prints.literals.bytes);
    m->q = m->q < MAX_Q ? m->q : MAX_Q;
    m->stride = t->stride < 2 ? 1 : t->stride < 4 ? 2 : t->stride < 8 ? 4 : 8;
    m->windows = memory_take_array(m->memory, count, sizeof *m->windows);
    m->firsts = memory_take_array(m->memory, count, sizeof *m->firsts);
    m->items = memory_take_array(m->memory, (size_t)count * m->stride, sizeof *m->items);
    if (!m->windows || !m->firsts || !m->items)
        return false;
    memset(m->windows, 0xff, (size_t)count * sizeof *m->windows);
    for (uint32_t i = 0; i < t->prints.count; i++)
        if (entries[i].offset < m->windows[entries[i].index])
            m->windows[entries[i].index] = entries[i].offset;
    m->before = best_before(m);
    return true;
}

static void maker_close(maker *m)
{
    memory_give(m->memory, m->windows);
    memory_give(m->memory, m->firsts);
    memory_give(m->memory, m->items);
}

static int upload(device_plan *p, maker *m, trawl_error *error)
{
    qgrams_device *d = p->state;
    const uint64_t literals = list_items(m);
    const qgrams_items from = { m->items, m->item_count, slot_of, m };
    const int status = qgrams_sizes(p, d, &from, error);
    if (status != TRAWL_OK)
        return status;
    uint32_t *tables = qgrams_tables_of(p, d, &from, 2 * literals, error);
    if (!tables)
        return TRAWL_ERROR_MEMORY;
    fill_literals(m, tables + d->numbers.literals);
    return qgrams_upload(p, d, tables, error);
}

static int qgrams_prepare(device_plan *p, trawl_error *error)
{
    qgrams_device *d = p->state;
    maker m;
    int status;
    if (maker_open(&m, p)) {
        d->unit = "qgrams";
        d->q = m.q < 4 ? 4 : m.q;
        d->stride = m.stride;
        d->work = m.t->prints.literals.count < MANY ? WORK : WORK_OF_MANY;
        d->numbers.before = m.before;
        d->numbers.fold = m.fold;
        d->numbers.factor = QGRAMS_FACTOR(m.q < 4 ? m.q : 4);
        status = upload(p, &m, error);
    } else {
        status = memory_failed(p->memory, error, "tables of q-grams");
    }
    maker_close(&m);
    return status;
}

const device_walk device_qgrams = {
    .kind = WALK_QGRAMS,
    .state_bytes = sizeof(qgrams_device),
    .prepare = qgrams_prepare,
    .release = qgrams_release,
    .run_text = qgrams_run,
};
