/* bitslice.c: which rows and tests find patterns in bit-sliced text. The loop and the essay are in
 * walk/vector/bitslice.c.
 *
 * A pattern's tests are on positions that every match has, at a distance from its start that is
 * fixed, or varies by up to MOST_WIDE bytes: then on the union of so many rows. Which ones is a
 * bargain: a test costs each start, and says as much as its class is rare; a row costs its making
 * once for all patterns, so what others ask for too is cheap. Tests are added until a survivor less
 * is not worth another. Those that survive are put to further tests on rows that are there anyhow.
 *
 * Rows of classes are unions of those of bytes that no class of a test tells apart; the largest
 * such group, what is in no class mostly, has no row: classes with it are complements.
 */
#include "table/bitslice.h"

#include <stdlib.h>
#include <string.h>

#include "engine/costs.h"
#include "engine/positions.h"

enum { MOST_WIDE = 16, MOST_EARLY = 8, MOST_LATE = 8, ROWS_BYTES = 2 << 20, MOST_LENGTH = 512 };
enum { ESTIMATED = 4096 }; /* patterns: more, and the cost is not worth finding out */

/* A class that some test may ask for, or its last `wide` rows. */
typedef struct property {
    uint32_t class, wide;
    double often;   /* share of the places */
    uint32_t asked; /* by so many patterns that might */
    bool used;
    uint32_t row;
} property;

/* A position that every match has, and which property says so where. */
typedef struct landmark {
    uint32_t property, behind; /* the start */
    double worth;
} landmark;

typedef struct chosen {
    uint32_t first, count, early; /* in design.tests */
    double survive;               /* share of the starts, after the early ones */
} chosen;

typedef struct design {
    memory *memory;
    const pattern_list *list;
    double often[256]; /* of bytes */
    byte_class *classes;
    double *class_often;
    uint32_t class_count, class_room;
    uint32_t *class_slots; /* hashed; a power of two */
    property *properties;
    uint32_t property_count;
    uint32_t *property_of; /* [class][MOST_WIDE + 1]: UINT32_MAX: none */
    position *positions;   /* of one pattern */
    uint32_t *position_class;
    landmark *landmarks;
    chosen *patterns;
    landmark *tests;
    size_t test_count;
    uint32_t ahead;
    bool failed;
} design;

static size_t class_hash(const byte_class *set)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++)
        hash = (hash ^ set->bits[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
    return (size_t)hash;
}

/* The number of a class; what is new is added (`add`). */
static uint32_t class_number(design *d, const byte_class *set, bool add)
{
    size_t slot = class_hash(set);
    for (;; slot++) {
        uint32_t *number = &d->class_slots[slot & (d->class_room - 1)];
        if (*number == UINT32_MAX && add) {
            *number = d->class_count;
            d->classes[d->class_count++] = *set;
        }
        if (*number == UINT32_MAX || memcmp(&d->classes[*number], set, sizeof *set) == 0)
            return *number;
    }
}

/* Positions and their classes of pattern i, in d->positions and d->position_class. */
static size_t read_positions(design *d, size_t i)
{
    const pattern *p = &d->list->patterns[i];
    const size_t count = position_count(p);
    expand_positions(p, d->positions);
    for (size_t k = 0; k < count; k++)
        d->position_class[k] =
            k > 0 && memcmp(&d->positions[k].set, &d->positions[k - 1].set, sizeof(byte_class)) == 0
                ? d->position_class[k - 1]
                : class_number(d, &d->positions[k].set, true);
    return count;
}

/* ---- how often ------------------------------------------------------------------- */

/* Of bytes, in the sample; when there is none, and the page of usual text is not made of what the
 * patterns are about: all of that equally often. */
static void count_bytes(const problem *p, design *d)
{
    byte_class about = { { 0 } };
    double known = 0, bytes = 0;
    for (size_t i = 0; i < p->sample.length; i++)
        d->often[p->sample.bytes[i]] += 1 / (double)p->sample.length;
    for (uint32_t c = 0; c < d->class_count; c++) {
        unsigned size = 0;
        for (unsigned b = 0; b < 256; b++)
            size += class_has(&d->classes[c], b);
        for (unsigned i = 0; size <= 128 && i < 4; i++)
            about.bits[i] |= d->classes[c].bits[i];
    }
    for (unsigned b = 0; b < 256; b++) {
        known += class_has(&about, b) ? d->often[b] : 0;
        bytes += class_has(&about, b);
    }
    const bool usual = p->sample.bytes == profile_of(NULL, 0).bytes && known < 0.5;
    for (unsigned b = 0; b < 256; b++) {
        if (usual)
            d->often[b] = class_has(&about, b) ? 1 / bytes : 0;
        d->often[b] = d->often[b] > 1e-6 ? d->often[b] : 1e-6;
    }
    for (uint32_t c = 0; c < d->class_count; c++) {
        for (unsigned b = 0; b < 256; b++)
            d->class_often[c] += class_has(&d->classes[c], b) ? d->often[b] : 0;
        d->class_often[c] = d->class_often[c] < 1 ? d->class_often[c] : 1;
    }
}

/* What is learnt when something so frequent is seen: bits, about. */
static double information(double often)
{
    double bits = 0;
    for (; often < 0.5; often *= 2)
        bits++;
    return bits + 2 * (1 - often);
}

/* ---- landmarks -------------------------------------------------------------------- */

static uint32_t property_number(design *d, uint32_t class, uint32_t wide)
{
    uint32_t *number = &d->property_of[(size_t) class * (MOST_WIDE + 1) + wide];
    if (*number == UINT32_MAX) {
        property *made = &d->properties[d->property_count];
        double never = 1;
        memset(made, 0, sizeof *made);
        for (uint32_t i = 0; i < wide; i++)
            never *= 1 - d->class_often[class];
        made->class = class;
        made->wide = wide;
        made->often = wide > 1 ? 1 - never : d->class_often[class];
        *number = d->property_count++;
    }
    return *number;
}

/* The landmarks of the pattern whose `count` positions have been read, in d->landmarks. Widths are
 * rounded up where the start leaves room, for fewer are shared by more. */
static uint32_t find_landmarks(design *d, size_t count)
{
    uint32_t found = 0, least = 0, most = 0; /* bytes from the start to the position */
    for (size_t i = 0; i < count && most < BITSLICE_AHEAD; i++) {
        const bool optional = d->positions[i].optional;
        uint32_t wide = 1;
        while (wide < most - least + 1)
            wide *= 2;
        if (wide > most + 1)
            wide = most - least + 1;
        if (!optional && wide <= MOST_WIDE) {
            d->landmarks[found].property = property_number(d, d->position_class[i], wide);
            d->landmarks[found++].behind = most;
        }
        least += !optional;
        most++;
    }
    return found;
}

/* Best first; insertion, for there are few. */
static void sort_landmarks(landmark *l, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && l[k - 1].worth < l[k].worth; k--) {
            const landmark other = l[k];
            l[k] = l[k - 1];
            l[k - 1] = other;
        }
}

static void ask(design *d, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        d->landmarks[i].worth = information(d->properties[d->landmarks[i].property].often);
    sort_landmarks(d->landmarks, count);
    for (uint32_t i = 0; i < count && i < 6; i++)
        d->properties[d->landmarks[i].property].asked++;
}

/* Nanoseconds that a start which survives takes, of all starts of four rows. */
static double cost_of_hits(double survive)
{
    const double starts = 4 * BITSLICE_LANES * survive;
    return COST_SLICE_HIT * (1 - 1 / (1 + starts + starts * starts / 2)) +
           COST_SLICE_START * starts;
}

static void choose_early(design *d, chosen *c, uint32_t count)
{
    c->first = (uint32_t)d->test_count;
    c->survive = 1;
    for (uint32_t i = 0; i < count; i++) {
        const property *p = &d->properties[d->landmarks[i].property];
        d->landmarks[i].worth =
            information(p->often) / (1 + COST_SLICE_ROW / COST_SLICE_TEST / (1 + p->asked));
    }
    sort_landmarks(d->landmarks, count);
    for (uint32_t i = 0; i < count && c->early < MOST_EARLY; i++) {
        property *p = &d->properties[d->landmarks[i].property];
        const double saved = cost_of_hits(c->survive) - cost_of_hits(c->survive * p->often);
        if (c->early > 0 && saved < 4 * COST_SLICE_TEST)
            continue;
        p->used = true;
        c->survive *= p->often;
        c->early++;
        d->tests[d->test_count++] = d->landmarks[i];
        if (d->landmarks[i].behind > d->ahead)
            d->ahead = d->landmarks[i].behind;
    }
    c->count = c->early;
}

static bool has_test(const design *d, const chosen *c, uint32_t class, uint32_t wide,
                     uint32_t behind)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const landmark *l = &d->tests[c->first + i];
        const property *p = &d->properties[l->property];
        if (p->class == class && p->wide == wide && l->behind == behind)
            return true;
    }
    return false;
}

/* Further tests, on rows that are there. */
static void choose_late(design *d, chosen *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        d->landmarks[i].worth = information(d->properties[d->landmarks[i].property].often);
    sort_landmarks(d->landmarks, count);
    for (uint32_t i = 0; i < count && c->count < c->early + MOST_LATE; i++) {
        const landmark *l = &d->landmarks[i];
        const property *p = &d->properties[l->property];
        if (p->used && p->often < 0.7 && l->behind <= d->ahead &&
            !has_test(d, c, p->class, p->wide, l->behind))
            d->tests[c->first + c->count++] = *l;
    }
}

/* ---- design ------------------------------------------------------------------------ */

static void design_free(design *d)
{
    void *const all[] = { d->classes,     d->class_often, d->class_slots,    d->properties,
                          d->property_of, d->positions,   d->position_class, d->landmarks,
                          d->patterns,    d->tests };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_give(d->memory, all[i]);
}

/* Room for all that is counted by patterns and their elements. */
static bool take_room(design *d)
{
    memory *m = d->memory;
    size_t classes = 512, slots = 1024; /* those of literals */
    for (size_t i = 0; i < d->list->count; i++)
        classes += d->list->patterns[i].literal ? 0 : d->list->patterns[i].length;
    while (slots < 2 * classes)
        slots *= 2;
    d->class_room = (uint32_t)slots;
    d->classes = memory_take_array(m, classes, sizeof *d->classes);
    d->class_slots = memory_take_array(m, slots, sizeof *d->class_slots);
    d->positions = memory_take_array(m, BITSLICE_LONGEST, sizeof *d->positions);
    d->position_class = memory_take_array(m, BITSLICE_LONGEST, sizeof *d->position_class);
    d->landmarks = memory_take_array(m, BITSLICE_LONGEST, sizeof *d->landmarks);
    d->patterns = memory_take_zeroed(m, d->list->count, sizeof *d->patterns);
    d->tests = memory_take_array(m, d->list->count * (MOST_EARLY + MOST_LATE), sizeof *d->tests);
    if (!d->classes || !d->class_slots || !d->positions || !d->position_class || !d->landmarks ||
        !d->patterns || !d->tests)
        return false;
    memset(d->class_slots, 0xff, slots * sizeof *d->class_slots);
    return true;
}

/* Choose all tests. False: there is no memory (the problem's says so), or too much to number. */
static bool design_make(const problem *p, design *d)
{
    memset(d, 0, sizeof *d);
    d->memory = p->memory;
    d->list = p->list;
    if (!take_room(d))
        return false;
    for (size_t i = 0; i < p->list->count; i++)
        read_positions(d, i);
    if (d->class_count >= BITSLICE_MOST_ROWS / 32)
        return false;
    const size_t kinds = (size_t)d->class_count * (MOST_WIDE + 1);
    d->class_often = memory_take_zeroed(d->memory, d->class_count, sizeof *d->class_often);
    d->properties = memory_take_array(d->memory, kinds, sizeof *d->properties);
    d->property_of = memory_take_array(d->memory, kinds, sizeof *d->property_of);
    if (!d->class_often || !d->properties || !d->property_of)
        return false;
    memset(d->property_of, 0xff, kinds * sizeof *d->property_of);
    count_bytes(p, d);
    for (size_t i = 0; i < p->list->count; i++)
        ask(d, find_landmarks(d, read_positions(d, i)));
    for (size_t i = 0; i < p->list->count; i++) {
        choose_early(d, &d->patterns[i], find_landmarks(d, read_positions(d, i)));
        d->test_count += MOST_LATE;
    }
    for (size_t i = 0; i < p->list->count; i++)
        choose_late(d, &d->patterns[i], find_landmarks(d, read_positions(d, i)));
    return true;
}

/* ---- rows --------------------------------------------------------------------------- */

/* A row that is there, and of which groups of bytes it is the union. */
typedef struct made_row {
    byte_class groups;
    uint32_t row;
} made_row;

typedef struct row_maker {
    design *d;
    block *b;
    bitslice_tables *head;
    uint8_t map[256]; /* group of a byte */
    uint32_t rest;    /* the group that has no row */
    made_row *made;
    uint32_t made_count;
    bitslice_operation *operations;
    uint32_t *inputs;
    uint32_t operation_count, input_count;
} row_maker;

static bool inside(const byte_class *a, const byte_class *b)
{
    uint64_t other = 0;
    for (int i = 0; i < 4; i++)
        other |= a->bits[i] & ~b->bits[i];
    return !other;
}

static unsigned class_size(const byte_class *set)
{
    unsigned size = 0;
    for (unsigned b = 0; b < 256; b++)
        size += class_has(set, b);
    return size;
}

static uint32_t add_operation(row_maker *m, uint32_t kind, uint32_t first)
{
    m->operations[m->operation_count] = (bitslice_operation){ kind, first, m->input_count - first };
    return m->head->letters + m->operation_count++;
}

/* The row of a class: unions of the largest rows that fit. */
static uint32_t make_class(row_maker *m, const byte_class *set)
{
    byte_class groups = { { 0 } };
    bool rest = false;
    const uint32_t first = m->input_count;
    for (unsigned b = 0; b < 256; b++)
        rest = rest || (m->map[b] == m->rest && class_has(set, b));
    for (unsigned b = 0; b < 256; b++)
        if (m->map[b] != m->rest && class_has(set, b) != rest)
            class_add(&groups, m->map[b]);
    byte_class left = groups;
    while (left.bits[0] | left.bits[1] | left.bits[2] | left.bits[3]) {
        const made_row *best = NULL;
        unsigned most = 0;
        for (uint32_t i = 0; i < m->made_count; i++)
            if (inside(&m->made[i].groups, &left)) {
                const unsigned size = class_size(&m->made[i].groups);
                best = size > most ? &m->made[i] : best;
                most = size > most ? size : most;
            }
        m->inputs[m->input_count++] = best->row;
        for (int i = 0; i < 4; i++)
            left.bits[i] &= ~best->groups.bits[i];
    }
    if (!rest && m->input_count == first + 1) /* it is there */
        return m->inputs[--m->input_count];
    const uint32_t row = add_operation(m, rest ? BITSLICE_NONE : BITSLICE_OR, first);
    if (!rest)
        m->made[m->made_count++] = (made_row){ groups, row };
    return row;
}

static int by_size(const void *a, const void *b)
{
    const property *x = *(const property *const *)a, *y = *(const property *const *)b;
    return x->row < y->row ? -1 : x->row > y->row ? 1 : x < y ? -1 : x > y;
}

/* The last `wide` rows, from those of the largest power of two below. */
static void make_wide(row_maker *m, property *p)
{
    design *d = m->d;
    uint32_t half = 1;
    while (2 * half < p->wide)
        half *= 2;
    const uint32_t number = d->property_of[(size_t)p->class * (MOST_WIDE + 1) + half];
    const uint32_t first = m->input_count;
    m->inputs[m->input_count++] = d->properties[number].row;
    m->inputs[m->input_count++] = p->wide - half;
    p->row = add_operation(m, BITSLICE_WIDEN, first);
}

/* What wide properties are made of is used too. */
static void use_parts(design *d)
{
    for (uint32_t i = 0; i < d->property_count; i++) {
        const uint32_t class = d->properties[i].class, wide = d->properties[i].wide;
        for (uint32_t half = 1; d->properties[i].used && half < wide; half *= 2)
            d->properties[property_number(d, class, half)].used = true;
    }
}

/* Rows of bytes: a group each, but for the largest. */
static void make_letters(row_maker *m)
{
    design *d = m->d;
    uint32_t count = 1, size[256] = { 0 }, bytes = 0;
    bitslice_letter letters[256];
    uint8_t of[256] = { 0 };
    memset(m->map, 0, sizeof m->map);
    for (uint32_t i = 0; i < d->property_count; i++)
        if (d->properties[i].used && d->properties[i].wide == 1)
            count = split_classes(&d->classes[d->properties[i].class], m->map, count);
    for (unsigned b = 0; b < 256; b++)
        size[m->map[b]]++;
    for (uint32_t g = 1; g < count; g++)
        m->rest = size[g] > size[m->rest] ? g : m->rest;
    for (uint32_t g = 0; g < count; g++) {
        made_row *made = &m->made[m->made_count];
        if (g == m->rest)
            continue;
        memset(made, 0, sizeof *made);
        class_add(&made->groups, g);
        made->row = m->made_count;
        letters[m->made_count++] = (bitslice_letter){ bytes, size[g] };
        for (unsigned b = 0; b < 256; b++)
            if (m->map[b] == g)
                of[bytes++] = (uint8_t)b;
    }
    m->head->letters = m->made_count;
    m->head->byte_count = bytes;
    m->head->letter = block_words(m->b, letters, (size_t)m->made_count * sizeof *letters / 4);
    m->head->bytes = block_words(m->b, of, (bytes + 3) / 4);
}

static void make_rows(row_maker *m, property **order)
{
    design *d = m->d;
    uint32_t narrow = 0, wide = 0;
    make_letters(m);
    for (uint32_t i = 0; i < d->property_count; i++) {
        property *p = &d->properties[i];
        if (!p->used || p->wide > 1)
            continue;
        p->row = class_size(&d->classes[p->class]); /* for the order */
        order[narrow++] = p;
    }
    qsort(order, narrow, sizeof(property *), by_size);
    for (uint32_t i = 0; i < narrow; i++)
        order[i]->row = make_class(m, &d->classes[order[i]->class]);
    for (wide = 2; wide <= MOST_WIDE; wide++)
        for (uint32_t i = 0; i < d->property_count; i++)
            if (d->properties[i].used && d->properties[i].wide == wide)
                make_wide(m, &d->properties[i]);
    m->head->rows = m->head->letters + m->operation_count;
    m->head->operation =
        block_words(m->b, m->operations, (size_t)m->operation_count * sizeof *m->operations / 4);
    m->head->inputs = block_words(m->b, m->inputs, m->input_count);
    m->head->input_count = m->input_count;
}

/* ---- tables -------------------------------------------------------------------------- */

static void add_word(block *b, uint32_t what, uint32_t where)
{
    const uint32_t word = what | where << 16;
    block_append(b, &word, sizeof word, sizeof word);
}

static uint32_t words_of(const block *b)
{
    return (uint32_t)(b->size / 4);
}

static void add_pattern(design *d, uint32_t i, block *b, bitslice_pattern *out)
{
    const chosen *c = &d->patterns[i];
    const size_t count = read_positions(d, i);
    size_t fixed = 0, most = 0;
    while (fixed < count && !d->positions[fixed].optional)
        fixed++;
    out->index = i;
    out->length = (uint32_t)d->list->patterns[i].min_length;
    out->early = c->early;
    out->late = c->count - c->early;
    out->tests = words_of(b);
    for (uint32_t k = 0; k < c->count; k++) {
        const landmark *l = &d->tests[c->first + k];
        add_word(b, d->properties[l->property].row, l->behind);
    }
    /* The rarest first. */
    for (size_t k = 0; k < fixed; k++) {
        const uint32_t class = d->position_class[k];
        if (class_size(&d->classes[class]) == 256 || has_test(d, c, class, 1, (uint32_t)k))
            continue;
        d->landmarks[most].property = class;
        d->landmarks[most].behind = (uint32_t)k;
        d->landmarks[most++].worth = 1 - d->class_often[class];
    }
    sort_landmarks(d->landmarks, (uint32_t)most);
    out->checks = words_of(b);
    out->check_count = (uint32_t)most;
    for (size_t k = 0; k < most; k++)
        add_word(b, d->landmarks[k].property, d->landmarks[k].behind);
    out->positions = words_of(b);
    out->position_count = fixed < count ? (uint32_t)count : 0;
    for (size_t k = 0; k < out->position_count; k++)
        add_word(b, d->position_class[k], d->positions[k].optional);
}

static void add_sets(const design *d, bitslice_tables *head, block *b)
{
    head->classes = d->class_count;
    head->sets = block_words(b, NULL, 0);
    for (uint32_t c = 0; c < d->class_count; c++) {
        uint32_t words[8];
        for (int i = 0; i < 8; i++)
            words[i] = (uint32_t)(d->classes[c].bits[i / 2] >> (i % 2 * 32));
        block_words(b, words, 8);
    }
}

static void lay_out(const problem *p, design *d, row_maker *m, property **order,
                    bitslice_pattern *patterns)
{
    bitslice_tables head;
    block *b = m->b;
    memset(&head, 0, sizeof head);
    m->head = &head;
    block_words(b, NULL, sizeof head / 4);
    make_rows(m, order);
    add_sets(d, &head, b);
    head.count = (uint32_t)p->list->count;
    for (uint32_t i = 0; i < head.count; i++)
        add_pattern(d, i, b, &patterns[i]);
    head.pattern = block_words(b, patterns, head.count * sizeof *patterns / 4);
    head.ahead = d->ahead;
    head.patience = 1 + (uint32_t)(engine_shiftand.cost(p) / 2);
    const uint32_t each = ROWS_BYTES / BITSLICE_ROW / (head.rows ? head.rows : 1);
    head.length = each > head.ahead + BITSLICE_STEP ? each - head.ahead : BITSLICE_STEP;
    head.length = head.length < MOST_LENGTH ? head.length : MOST_LENGTH;
    head.length = head.length / BITSLICE_STEP * BITSLICE_STEP;
    if (head.rows >= BITSLICE_MOST_ROWS)
        b->failed = true;
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

static void bitslice_build(const problem *p, stage_draft *out)
{
    design d;
    row_maker m;
    memset(&m, 0, sizeof m);
    m.d = &d;
    m.b = &out->tables;
    if (!design_make(p, &d)) {
        out->tables.failed = true;
        design_free(&d);
        return;
    }
    use_parts(&d);
    const size_t rows = d.property_count;
    property **order = memory_take_array(d.memory, rows, sizeof(property *));
    bitslice_pattern *patterns = memory_take_zeroed(d.memory, p->list->count, sizeof *patterns);
    m.made = memory_take_array(d.memory, 256 + rows, sizeof *m.made);
    m.operations = memory_take_array(d.memory, rows, sizeof *m.operations);
    m.inputs = memory_take_array(d.memory, rows * 256, sizeof *m.inputs);
    if (order && patterns && m.made && m.operations && m.inputs) {
        lay_out(p, &d, &m, order, patterns);
        if (!out->tables.failed)
            out->state_words =
                bitslice_scratch((const bitslice_tables *)(const void *)out->tables.bytes);
    } else {
        out->tables.failed = true;
    }
    memory_give(d.memory, m.inputs);
    memory_give(d.memory, m.operations);
    memory_give(d.memory, m.made);
    memory_give(d.memory, patterns);
    memory_give(d.memory, order);
    design_free(&d);
}

/* ---- what it takes ------------------------------------------------------------------- */

static const char *bitslice_refuses(const pattern_list *list)
{
    if (list->needles)
        return "it takes byte patterns, not grids: use bb or byr";
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        uint32_t lead = 0;
        if (p->max_length > BITSLICE_LONGEST)
            return "some pattern may be longer than 255 bytes: use shiftand";
        for (size_t k = 0; !p->literal && k < p->length && p->elements[k].min == 0; k++)
            lead += p->elements[k].max;
        if (lead >= MOST_WIDE)
            return "some pattern begins with more than 15 bytes that may be missing: use shiftand";
    }
    return NULL;
}

static double bitslice_cost(const problem *p)
{
    design d;
    double tests = 0, hits = 0, rows = 0;
    if (p->target.gpu || p->list->count > ESTIMATED)
        return COST_IMPOSSIBLE;
    if (!design_make(p, &d)) {
        design_free(&d);
        return COST_IMPOSSIBLE;
    }
    use_parts(&d);
    for (size_t i = 0; i < p->list->count; i++) {
        tests += COST_SLICE_PATTERN + COST_SLICE_TEST * d.patterns[i].early;
        hits += cost_of_hits(d.patterns[i].survive) / 4;
    }
    for (uint32_t i = 0; i < d.property_count; i++)
        rows += d.properties[i].used ? COST_SLICE_ROW : 0;
    design_free(&d);
    return cost_of_vector(COST_SLICE_BYTE + (rows + tests) / BITSLICE_LANES, &p->target) +
           hits / BITSLICE_LANES;
}

/* ---- loaded plans -------------------------------------------------------------------- */

static bool letters_check(const bitslice_tables *t, const uint32_t *tables, size_t words)
{
    const bitslice_letter *letters = (const bitslice_letter *)(tables + t->letter);
    if (t->letters > 255 || t->byte_count > 256 ||
        !words_inside(words, t->letter, (uint64_t)t->letters * sizeof *letters / 4) ||
        !words_inside(words, t->bytes, (t->byte_count + 3) / 4))
        return false;
    for (uint32_t i = 0; i < t->letters; i++)
        if (letters[i].first > t->byte_count || letters[i].count > t->byte_count - letters[i].first)
            return false;
    return true;
}

static bool operations_check(const bitslice_tables *t, const uint32_t *tables, size_t words)
{
    const bitslice_operation *operations = (const bitslice_operation *)(tables + t->operation);
    const uint32_t *inputs = tables + t->inputs;
    if (t->rows < t->letters || t->rows >= BITSLICE_MOST_ROWS ||
        !words_inside(words, t->operation,
                      (uint64_t)(t->rows - t->letters) * sizeof *operations / 4) ||
        !words_inside(words, t->inputs, t->input_count))
        return false;
    for (uint32_t row = t->letters; row < t->rows; row++) {
        const bitslice_operation *op = &operations[row - t->letters];
        const bool widens = op->kind == BITSLICE_WIDEN;
        if (op->kind > BITSLICE_WIDEN || op->first > t->input_count ||
            op->count > t->input_count - op->first || (widens && op->count != 2))
            return false;
        for (uint32_t k = 0; k < op->count; k++)
            if (inputs[op->first + k] >= (widens && k == 1 ? (uint32_t)MOST_WIDE : row))
                return false;
    }
    return true;
}

/* `count` words at `at` that say a number below `what`, and where, at most `where`. */
static bool words_check(const uint32_t *tables, size_t words, uint32_t at, uint32_t count,
                        uint32_t what, uint32_t where)
{
    if (!words_inside(words, at, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (BITSLICE_WHAT(tables[at + i]) >= what || BITSLICE_WHERE(tables[at + i]) > where)
            return false;
    return true;
}

static bool pattern_check(const stage_facts *facts, const bitslice_tables *t,
                          const bitslice_pattern *p, const uint32_t *tables, size_t words)
{
    return p->index < facts->pattern_count && p->early >= 1 && p->early <= MOST_EARLY &&
           p->late <= MOST_LATE && p->length >= 1 && p->length <= BITSLICE_LONGEST &&
           p->check_count <= BITSLICE_LONGEST && p->position_count <= BITSLICE_LONGEST &&
           words_check(tables, words, p->tests, p->early + p->late, t->rows, t->ahead) &&
           words_check(tables, words, p->checks, p->check_count, t->classes, p->length - 1) &&
           words_check(tables, words, p->positions, p->position_count, t->classes, 1);
}

static bool bitslice_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const bitslice_tables *t = (const bitslice_tables *)tables;
    if (words < sizeof *t / 4 || facts->carries || t->length < BITSLICE_STEP ||
        t->length > MOST_LENGTH || t->length % BITSLICE_STEP || t->ahead >= BITSLICE_AHEAD ||
        t->classes > BITSLICE_MOST_ROWS || !letters_check(t, tables, words) ||
        !operations_check(t, tables, words) || facts->state_words != bitslice_scratch(t) ||
        !words_inside(words, t->sets, (uint64_t)t->classes * 8) ||
        !words_inside(words, t->pattern, (uint64_t)t->count * sizeof(bitslice_pattern) / 4))
        return false;
    const bitslice_pattern *patterns = (const bitslice_pattern *)(tables + t->pattern);
    for (uint32_t i = 0; i < t->count; i++)
        if (!pattern_check(facts, t, &patterns[i], tables, words))
            return false;
    return true;
}

const engine engine_bitslice = {
    .name = "bitslice",
    .about = "bit-sliced SHIFT-AND: many class patterns, of bounded length, 512 starts a step",
    .kind = WALK_BITSLICE,
    .refuses = bitslice_refuses,
    .cost = bitslice_cost,
    .build = bitslice_build,
    .check = bitslice_check,
    .fallback = &engine_shiftand,
};
