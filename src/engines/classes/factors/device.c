/* device.c: class patterns by rare grams on devices: the device's own tables. The kernel is in
 * device.k; device.h says what the tables are.
 *
 * A piece of the plan is a row of runs and gaps. Here it becomes segments with gaps after them: the
 * bytes that a gap takes at least belong to the segment before it. All positions are checks of
 * classes, except those that the slots of the piece's window have compared.
 */

#include "engines/classes/factors/device.h"
#include "base/error.h"
#include "engines/classes/factors/layout.h"
#include "engines/literal/qgrams/launch.h"

enum {
    NO_CLASS = 0xffff,
    MASKED_CLASSES = 1 << 16, /* value << 8 | mask */
    WORK = 1,                 /* slots and rounds that a byte is worth, for each word of shiftand */
    POSITIONS_A_WORD = 64
};

_Static_assert(FACTORS_SETS + 6561 < NO_CLASS, "a class for each set, and each byte under a mask");
_Static_assert(FACTORS_NEAR == BITSLICE_LONGEST, "compared alike");

/* A position of a segment: its bytes are those that fit value under mask, and are in the class. */
typedef struct place {
    uint8_t value, mask;
    bool whole; /* value and mask say it all */
    uint16_t class;
} place;

/* A gram of a piece's window, as a slot has it. */
typedef struct spelled {
    uint64_t bytes, mask;
    uint32_t piece;
} spelled;

/* Words that grow. */
typedef struct words {
    memory *memory;
    uint32_t *at;
    size_t count, room;
    bool failed;
} words;

/* What the tables are made of. */
typedef struct maker {
    memory *memory;
    const factors_tables *t;
    const uint32_t *tables;
    uint32_t q, stride, before;
    uint16_t *masked; /* the class of a byte under a mask, or NO_CLASS */
    words sets;       /* u32[8] of each class */
    words rest;       /* checks and segments */
    bitslice_pattern *patterns;
    spelled *grams;
    qgrams_item *items;
    size_t count, room; /* of both */
    bool failed;

    /* The piece that is read. */
    place places[FACTORS_NEAR]; /* of all its segments */
    bitslice_segment segments[2 * FACTORS_NEAR + 1];
    uint32_t place_count, segment_count;
    uint32_t window_segment, window; /* the segment, and where in it */
} maker;

static uint32_t add_words(words *w, const void *from, size_t count)
{
    const size_t at = w->count;
    if (w->count + count > w->room) {
        const size_t room = 2 * (w->count + count) + 1024;
        uint32_t *more =
            room < UINT32_MAX ? memory_grow(w->memory, w->at, room * sizeof *more) : NULL;
        if (!more) {
            w->failed = true;
            return 0;
        }
        w->at = more;
        w->room = room;
    }
    memcpy(w->at + at, from, count * sizeof *w->at);
    w->count += count;
    return (uint32_t)at;
}

/* ---- classes ---------------------------------------------------------------------- */

static uint16_t add_class(maker *m, const uint32_t set[8])
{
    return (uint16_t)(add_words(&m->sets, set, 8) / 8);
}

/* The plan's sets keep their numbers. */
static uint16_t class_of(maker *m, uint32_t set, uint8_t value, uint8_t mask)
{
    uint16_t *masked = &m->masked[value << 8 | mask];
    uint32_t bits[8] = { 0 };
    if (set != FACTORS_ANY)
        return (uint16_t)set;
    if (*masked != NO_CLASS)
        return *masked;
    for (uint32_t b = 0; b < 256; b++)
        if ((b & mask) == (value & mask))
            bits[b / 32] |= 1u << (b % 32);
    return *masked = add_class(m, bits);
}

static bool class_has(const maker *m, uint32_t class, uint32_t byte)
{
    return m->sets.at[class * 8 + byte / 32] >> (byte % 32) & 1;
}

/* ---- pieces as segments --------------------------------------------------------------- */

static bitslice_segment *last_segment(maker *m)
{
    return &m->segments[m->segment_count - 1];
}

static void begin_segment(maker *m)
{
    m->segments[m->segment_count++] = (bitslice_segment){ 0 };
}

static void add_place(maker *m, place p)
{
    m->places[m->place_count++] = p;
    last_segment(m)->length++;
}

static void add_run(maker *m, const factors_atom *a)
{
    const factors_check *checks = (const factors_check *)(m->tables + m->t->checks) + a->check;
    const uint8_t *value = (const uint8_t *)(m->tables + m->t->bytes) + a->bytes;
    const uint8_t *mask = value + a->length;
    if (last_segment(m)->gap)
        begin_segment(m);
    const uint32_t first = m->place_count;
    for (uint32_t i = 0; i < a->length; i++)
        add_place(m,
                  (place){ value[i], mask[i], true, class_of(m, FACTORS_ANY, value[i], mask[i]) });
    for (uint32_t i = 0; i < a->checks; i++) {
        m->places[first + checks[i].at].class = (uint16_t)checks[i].set;
        m->places[first + checks[i].at].whole = false;
    }
}

static void add_gap(maker *m, const factors_atom *a)
{
    const uint16_t class = class_of(m, a->set, 0, 0);
    if (last_segment(m)->gap)
        begin_segment(m);
    for (uint32_t i = 0; i < a->low; i++)
        add_place(m, (place){ 0, 0, a->set == FACTORS_ANY, class });
    last_segment(m)->gap = a->high - a->low;
    last_segment(m)->gap_class = class;
}

static void read_piece(maker *m, const factors_piece *p)
{
    const factors_atom *atoms = (const factors_atom *)(m->tables + m->t->atoms) + p->atom;
    m->place_count = m->segment_count = 0;
    begin_segment(m);
    for (uint32_t i = 0; i < p->atoms && !m->sets.failed; i++) {
        if (!atoms[i].length) {
            add_gap(m, &atoms[i]);
            continue;
        }
        add_run(m, &atoms[i]);
        if (i == FACTORS_WINDOW_ATOM(p->window)) {
            m->window_segment = m->segment_count - 1;
            m->window = last_segment(m)->length - atoms[i].length + FACTORS_WINDOW_BYTE(p->window);
        }
    }
}

/* The places of a segment. */
static const place *places_of(const maker *m, uint32_t segment)
{
    const place *at = m->places;
    for (uint32_t i = 0; i < segment; i++)
        at += m->segments[i].length;
    return at;
}

/* ---- patterns ------------------------------------------------------------------------ */

/* Whether all slots of the window have compared place i of its segment. */
static bool slots_have(const maker *m, const place *places, uint32_t i)
{
    const uint32_t first = m->window + m->stride - 1; /* the last gram */
    const bool gram = i >= first && i < m->window + m->q;
    return (places[i].whole || gram) && i + m->before >= first &&
           i + m->before < m->window + PRINT_BYTES;
}

/* Checks of the places of a segment; of the one with the window those that its slots have, or
 * have not. Returns how many. */
static uint32_t add_checks(maker *m, uint32_t segment, bool window, bool had)
{
    const place *places = places_of(m, segment);
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->segments[segment].length; i++) {
        if ((places[i].whole && !places[i].mask) || (window && slots_have(m, places, i) != had))
            continue;
        const uint32_t check = places[i].class | i << 16;
        add_words(&m->rest, &check, 1);
        count++;
    }
    return count;
}

static void add_pattern(maker *m, uint32_t piece, uint32_t index)
{
    bitslice_pattern *p = &m->patterns[piece];
    for (uint32_t i = 0; i < m->segment_count; i++) {
        bitslice_segment *g = &m->segments[i];
        const bool window = i == m->window_segment;
        g->checks = (uint32_t)m->rest.count;
        g->check_count = add_checks(m, i, window, false);
        if (!window)
            continue;
        *p = (bitslice_pattern){ .index = index,
                                 .length = g->length,
                                 .anchor = m->window,
                                 .checks = g->checks,
                                 .check_count = g->check_count,
                                 .at = i };
        g->check_count += add_checks(m, i, true, true);
        p->full_count = g->check_count;
    }
    if (m->segment_count > 1 || m->segments[0].gap)
        p->segment_count = m->segment_count;
    p->segments = add_words(&m->rest, m->segments, p->segment_count * sizeof *m->segments / 4);
}

/* ---- grams --------------------------------------------------------------------------- */

/* The first one. False: no memory. */
static bool add_gram(maker *m, uint32_t gram, const spelled *slot, uint32_t k)
{
    if (m->count == m->room) {
        const size_t room = 2 * m->room + 1024;
        spelled *grams = memory_grow(m->memory, m->grams, room * sizeof *grams);
        m->grams = grams ? grams : m->grams;
        qgrams_item *items = grams ? memory_grow(m->memory, m->items, room * sizeof *items) : NULL;
        m->items = items ? items : m->items;
        if (!items)
            return false;
        m->room = room;
    }
    m->grams[m->count] = *slot;
    m->items[m->count] = (qgrams_item){ gram * QGRAMS_FACTOR(m->q), (uint32_t)m->count, k };
    m->count++;
    return true;
}

/* All bytes of a place; returns how many. */
static uint32_t bytes_of(const maker *m, const place *p, uint8_t bytes[256])
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < 256; b++)
        if (class_has(m, p->class, b))
            bytes[count++] = (uint8_t)b;
    return count;
}

/* The bytes around gram k of the window that are of its segment. */
static spelled around(const maker *m, uint32_t piece, uint32_t k)
{
    const place *places = places_of(m, m->window_segment);
    const uint32_t offset = m->window + k, length = m->segments[m->window_segment].length;
    spelled s = { .piece = piece };
    for (uint32_t i = 0; i < PRINT_BYTES; i++) {
        if (offset + i < m->before || offset + i - m->before >= length)
            continue;
        const place *p = &places[offset + i - m->before];
        s.bytes |= (uint64_t)(p->value & p->mask) << (8 * i);
        s.mask |= (uint64_t)p->mask << (8 * i);
    }
    return s;
}

/* What the window allows k bytes after its begin. A plan that somebody forged may allow more than
 * there are to be; it gets fewer. */
static void spell(maker *m, uint32_t piece, uint32_t k)
{
    const place *places = places_of(m, m->window_segment) + m->window + k;
    const uint64_t ones = (0xffffffffu >> (32 - 8 * m->q)) * (uint64_t)1 << (8 * m->before);
    spelled slot = around(m, piece, k);
    const uint64_t others = slot.bytes & ~ones;
    uint8_t bytes[FACTORS_GRAM][256];
    uint32_t count[FACTORS_GRAM], turn[FACTORS_GRAM] = { 0 }, made = 0;
    for (uint32_t i = 0; i < m->q; i++) {
        count[i] = bytes_of(m, &places[i], bytes[i]);
        if (!count[i])
            return;
    }
    slot.mask |= ones;
    for (uint32_t i = 0; i < m->q && made < FACTORS_SPELLED; made++) {
        uint32_t gram = 0;
        for (uint32_t b = 0; b < m->q; b++)
            gram |= (uint32_t)bytes[b][turn[b]] << (8 * b);
        slot.bytes = others | (uint64_t)gram << (8 * m->before);
        m->failed = m->failed || !add_gram(m, gram, &slot, k);
        for (i = 0; i < m->q && ++turn[i] == count[i]; i++)
            turn[i] = 0;
    }
}

static qgrams_slot slot_of(const void *with, const qgrams_item *item)
{
    const maker *m = with;
    const spelled *g = &m->grams[item->of];
    const bitslice_pattern *p = &m->patterns[g->piece];
    const bool whole = !p->segment_count && !p->check_count;
    return (qgrams_slot){ .bytes = g->bytes,
                          .mask = g->mask,
                          .index = p->index,
                          .length = p->length,
                          .first = g->piece,
                          .offset = (p->anchor + item->k) | (whole ? SLOT_WHOLE : 0) };
}

/* ---- preparing ------------------------------------------------------------------------- */

static bool is_ready(const maker *m)
{
    return !m->failed && !m->sets.failed && !m->rest.failed;
}

/* How many bytes before a gram slots begin with: so that they tell the most. */
static uint32_t choose_before(maker *m, const factors_piece *pieces)
{
    uint64_t bits[PRINT_BYTES] = { 0 };
    uint32_t best = 0;
    for (uint32_t i = 0; i < m->t->piece_count && is_ready(m); i++) {
        read_piece(m, &pieces[i]);
        for (m->before = 0; m->before <= PRINT_BYTES - m->q; m->before++)
            for (uint32_t k = 0; k < m->stride; k++)
                for (uint64_t mask = around(m, i, k).mask; mask; mask &= mask - 1)
                    bits[m->before]++;
    }
    for (uint32_t before = 1; before <= PRINT_BYTES - m->q; before++)
        if (bits[before] > bits[best])
            best = before;
    return best;
}

/* False: no memory. The maker is to be closed anyhow. */
static bool maker_open(maker *m, const device_plan *p)
{
    const factors_tables *t = (const factors_tables *)(const void *)p->facts.tables;
    const factors_piece *pieces = (const factors_piece *)(p->facts.tables + t->pieces);
    *m = (maker){ .memory = p->memory,
                  .sets.memory = p->memory,
                  .rest.memory = p->memory,
                  .t = t,
                  .tables = p->facts.tables,
                  .q = FACTORS_Q(t->windows),
                  .stride = FACTORS_STRIDE(t->windows) };
    m->masked = memory_take_array(m->memory, MASKED_CLASSES, sizeof *m->masked);
    m->patterns = memory_take_zeroed(m->memory, (size_t)t->piece_count + 1, sizeof *m->patterns);
    if (!m->masked || !m->patterns)
        return false;
    memset(m->masked, 0xff, MASKED_CLASSES * sizeof *m->masked);
    for (uint32_t i = 0; i < t->set_count && is_ready(m); i++)
        add_class(m, p->facts.tables + t->sets + 8 * (size_t)i);
    m->before = choose_before(m, pieces);
    const factors_head head = { 0 };
    add_words(&m->rest, &head, sizeof head / 4);
    for (uint32_t i = 0; i < t->piece_count && is_ready(m); i++) {
        read_piece(m, &pieces[i]);
        add_pattern(m, i, pieces[i].pattern);
        for (uint32_t k = 0; k < m->stride && is_ready(m); k++)
            spell(m, i, k);
    }
    if (!is_ready(m))
        return false;
    const factors_head made = { add_words(&m->rest, m->patterns,
                                          t->piece_count * (sizeof *m->patterns / 4)),
                                add_words(&m->rest, m->sets.at, m->sets.count) };
    if (is_ready(m))
        memcpy(m->rest.at, &made, sizeof made);
    return is_ready(m);
}

static void maker_close(maker *m)
{
    memory_give(m->memory, m->masked);
    memory_give(m->memory, m->patterns);
    memory_give(m->memory, m->sets.at);
    memory_give(m->memory, m->rest.at);
    memory_give(m->memory, m->grams);
    memory_give(m->memory, m->items);
    memory_give(m->memory, m);
}

/* Words of shiftand, the fallback. */
static uint32_t words_of(const factors_tables *t, const uint32_t *tables)
{
    const factors_atom *atoms = (const factors_atom *)(tables + t->atoms);
    uint64_t positions = 0;
    for (uint32_t i = 0; i < t->atom_count; i++)
        positions += atoms[i].length ? atoms[i].length : atoms[i].high;
    return (uint32_t)(positions / POSITIONS_A_WORD);
}

static int upload(device_plan *p, const maker *m, trawl_error *error)
{
    qgrams_device *d = p->state;
    const qgrams_items from = { m->items, m->count, slot_of, m };
    const int status = qgrams_sizes(p, d, &from, error);
    if (status != TRAWL_OK)
        return status;
    uint32_t *tables = qgrams_tables_of(p, d, &from, m->rest.count, error);
    if (!tables)
        return TRAWL_ERROR_MEMORY;
    memcpy(tables + d->numbers.literals, m->rest.at, m->rest.count * sizeof *tables);
    return qgrams_upload(p, d, tables, error);
}

static int factors_prepare(device_plan *p, trawl_error *error)
{
    qgrams_device *d = p->state;
    maker *m = memory_take(p->memory, sizeof *m);
    int status = TRAWL_OK;
    if (m && maker_open(m, p)) {
        d->unit = "factors";
        d->q = FACTORS_GRAM;
        d->stride = m->stride;
        d->work = WORK * (1 + words_of(m->t, p->facts.tables));
        d->numbers.before = m->before;
        d->numbers.factor = QGRAMS_FACTOR(m->q);
        status = upload(p, m, error);
    } else {
        status = memory_failed(p->memory, error, "tables of factors");
    }
    if (m)
        maker_close(m);
    return status;
}

static bool factors_takes(const uint32_t *tables)
{
    return ((const factors_tables *)(const void *)tables)->windows != 0;
}

const device_walk device_factors = {
    .kind = WALK_FACTORS,
    .state_bytes = sizeof(qgrams_device),
    .takes = factors_takes,
    .prepare = factors_prepare,
    .release = qgrams_release,
    .run_text = qgrams_run,
};
