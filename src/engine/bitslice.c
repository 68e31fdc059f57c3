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

enum {
    MOST_WIDE = 16,
    MOST_APART = 32,
    MOST_PARTS_TOGETHER = 5,
    MOST_EARLY = 8,
    MOST_LATE = 8,
    ROWS_BYTES = 2 << 20,
    MOST_LENGTH = 512
};
enum { MOST_COMMON = 96, LEAST_ASKED = 6 };
enum { ESTIMATED = 4096 }; /* patterns: more, and the cost is not worth finding out */

/* A class that some test may ask for, or its last `wide` rows; or a group: classes at fixed
 * distances, and its last `apart` rows. */
typedef struct property {
    uint32_t class, wide;
    double often; /* share of the places */
    bool used;
    uint32_t row;
    uint32_t first, count; /* of a group in design.parts; `wide` of it is 0, `apart` its width */
    uint32_t apart;
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
    uint32_t *class_asked;  /* by so many positions that every match has */
    uint32_t *class_common; /* the rarest common class that holds all of it; UINT32_MAX: none */
    uint32_t class_count, class_room;
    uint32_t *class_slots; /* hashed; a power of two */
    property *properties;
    uint32_t property_count;
    uint32_t *property_of; /* [class][MOST_WIDE + 1]: UINT32_MAX: none */
    position *positions;   /* of one pattern */
    uint32_t *position_class;
    landmark *landmarks;
    chosen *patterns;
    landmark *parts; /* of groups: which property, so many rows before the last one */
    uint32_t part_count, group_count;
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
    const bool usual = !p->sampled && known < 0.5;
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

/* The landmarks of the pattern whose `count` positions have been read, in d->landmarks: each with
 * its class, and with the common one. Widths are rounded up where the start leaves room, for fewer
 * are shared by more. */
static uint32_t find_landmarks(design *d, size_t count)
{
    uint32_t found = 0, least = 0, most = 0; /* bytes from the start to the position */
    for (size_t i = 0; i < count && most < BITSLICE_AHEAD; i++) {
        const bool optional = d->positions[i].optional;
        const uint32_t class = d->position_class[i], common = d->class_common[class];
        uint32_t wide = 1;
        while (wide < most - least + 1)
            wide *= 2;
        if (wide > most + 1)
            wide = most - least + 1;
        if (!optional && wide <= MOST_WIDE) {
            d->landmarks[found].property = property_number(d, class, wide);
            d->landmarks[found++].behind = most;
        }
        if (!optional && wide <= MOST_WIDE && common != class && common != UINT32_MAX) {
            d->landmarks[found].property = property_number(d, common, wide);
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

/* The classes whose rows are made anyhow: of one byte, and those that say most to most patterns. */
static void choose_common(design *d)
{
    uint32_t common[MOST_COMMON], count = 0;
    for (size_t i = 0; i < d->list->count; i++) {
        const size_t positions = read_positions(d, i);
        for (size_t k = 0; k < positions && k < BITSLICE_AHEAD; k++)
            d->class_asked[d->position_class[k]] += !d->positions[k].optional;
    }
    for (uint32_t i = 0; i < MOST_COMMON; i++) {
        double most = LEAST_ASKED;
        common[count] = UINT32_MAX;
        for (uint32_t c = 0; c < d->class_count; c++) {
            const double worth = d->class_asked[c] * information(d->class_often[c]);
            if (d->class_common[c] == UINT32_MAX && worth > most && d->class_often[c] < 0.6) {
                most = worth;
                common[count] = c;
            }
        }
        if (common[count] == UINT32_MAX)
            break;
        d->class_common[common[count]] = common[count];
        count++;
    }
    for (uint32_t c = 0; c < d->class_count; c++)
        for (uint32_t i = 0; i < count && d->class_common[c] != c; i++) {
            const uint32_t now = d->class_common[c], other = common[i];
            if ((now == UINT32_MAX || d->class_often[other] < d->class_often[now]) &&
                inside(&d->classes[c], &d->classes[other]))
                d->class_common[c] = other;
        }
    for (uint32_t i = 0; i < count; i++)
        d->properties[property_number(d, common[i], 1)].used = true;
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
    while (c->early < MOST_EARLY) {
        const double now = cost_of_hits(c->survive);
        double most = c->early ? 0 : -1e9;
        landmark *best = NULL;
        for (uint32_t i = 0; i < count; i++) {
            const property *p = &d->properties[d->landmarks[i].property];
            const double saved = now - cost_of_hits(c->survive * p->often) - 4 * COST_SLICE_TEST -
                                 (p->used ? 0 : 4 * COST_SLICE_ROW);
            if (saved > most && d->landmarks[i].behind != UINT32_MAX) {
                most = saved;
                best = &d->landmarks[i];
            }
        }
        if (!best)
            break;
        d->properties[best->property].used = true;
        c->survive *= d->properties[best->property].often;
        c->early++;
        d->tests[d->test_count++] = *best;
        d->ahead = best->behind > d->ahead ? best->behind : d->ahead;
        for (uint32_t i = 0, behind = best->behind; i < count; i++)
            if (d->landmarks[i].behind == behind)
                d->landmarks[i].behind = UINT32_MAX; /* what it says is said */
    }
    c->count = c->early;
}

/* A group of the positions [from, upto), which begin `least` to `most` bytes behind the start, in
 * d->landmarks: those of rows that are there, the rarest. Returns its number of parts; *often, how
 * often all are seen in a window of it, *last, the distance of the last one from the first. */
static uint32_t find_group(design *d, size_t from, size_t upto, uint32_t wide, double *often,
                           uint32_t *last)
{
    uint32_t count = 0;
    double never = 1;
    for (size_t k = from; k < upto; k++) {
        const uint32_t both[] = { d->position_class[k], d->class_common[d->position_class[k]] };
        for (int i = 0; i < 2; i++) {
            const uint32_t number = both[i] == UINT32_MAX
                                        ? UINT32_MAX
                                        : d->property_of[(size_t)both[i] * (MOST_WIDE + 1) + 1];
            if (number == UINT32_MAX || !d->properties[number].used ||
                d->properties[number].often > 0.5)
                continue;
            d->landmarks[count].property = number;
            d->landmarks[count].behind = (uint32_t)(k - from);
            d->landmarks[count++].worth = information(d->properties[number].often);
            break;
        }
    }
    sort_landmarks(d->landmarks, count);
    count = count < MOST_PARTS_TOGETHER ? count : MOST_PARTS_TOGETHER;
    *often = 1;
    *last = 0;
    for (uint32_t i = 0; i < count; i++) {
        *often *= d->properties[d->landmarks[i].property].often;
        *last = d->landmarks[i].behind > *last ? d->landmarks[i].behind : *last;
    }
    for (uint32_t i = 0; i < wide; i++)
        never *= 1 - *often;
    *often = 1 - never;
    return count;
}

/* A further test of a pattern with optional positions, whose beginning says little: that somewhere
 * behind them a whole group of positions is seen. */
static void choose_group(design *d, chosen *c, size_t count)
{
    uint32_t least = 0, most = 0, last, best_least = 0, best_most = 0;
    size_t best_from = 0, best_upto = 0;
    double saved = 0, often;
    for (size_t i = 0; i < count && most < BITSLICE_AHEAD && most - least < MOST_APART;) {
        size_t upto = i;
        while (upto < count && !d->positions[upto].optional && most + upto - i < BITSLICE_AHEAD - 1)
            upto++;
        if (most > least && upto > i) {
            double steps = 1;
            find_group(d, i, upto, most - least + 1, &often, &last);
            for (uint32_t wide = 1; wide < most - least + 1; wide *= 2)
                steps++;
            const double now = cost_of_hits(c->survive) - cost_of_hits(c->survive * often) -
                               4 * (COST_SLICE_TEST + steps * COST_SLICE_ROW / 2);
            if (now > saved) {
                saved = now;
                best_from = i;
                best_upto = upto;
                best_least = least;
                best_most = most;
            }
        }
        least += (uint32_t)(upto - i);
        most += (uint32_t)(upto - i);
        if (upto < count && !d->positions[upto].optional)
            break;
        for (i = upto; i < count && d->positions[i].optional; i++)
            most++;
    }
    if (best_upto == best_from || c->early == MOST_EARLY)
        return;
    property *p = &d->properties[d->property_count];
    memset(p, 0, sizeof *p);
    p->apart = best_most - best_least + 1;
    p->class = UINT32_MAX;
    p->used = true;
    p->first = d->part_count;
    p->count = find_group(d, best_from, best_upto, p->apart, &p->often, &last);
    for (uint32_t i = 0; i < p->count; i++) {
        d->parts[d->part_count] = d->landmarks[i];
        d->parts[d->part_count++].behind = last - d->landmarks[i].behind;
    }
    d->tests[d->test_count++] =
        (landmark){ .property = d->property_count++, .behind = best_most + last };
    d->ahead = best_most + last > d->ahead ? best_most + last : d->ahead;
    d->group_count++;
    c->survive *= p->often;
    c->count = ++c->early;
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
    void *const all[] = { d->classes,        d->class_often, d->class_slots, d->class_asked,
                          d->class_common,   d->properties,  d->property_of, d->positions,
                          d->position_class, d->landmarks,   d->patterns,    d->parts,
                          d->tests };
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
    const size_t groups = p->list->count;
    d->class_often = memory_take_zeroed(d->memory, d->class_count, sizeof *d->class_often);
    d->properties = memory_take_array(d->memory, kinds + groups, sizeof *d->properties);
    d->property_of = memory_take_array(d->memory, kinds, sizeof *d->property_of);
    d->parts = memory_take_array(d->memory, groups * MOST_PARTS_TOGETHER, sizeof *d->parts);
    d->class_asked = memory_take_zeroed(d->memory, d->class_count, sizeof *d->class_asked);
    d->class_common = memory_take_array(d->memory, d->class_count, sizeof *d->class_common);
    if (!d->class_often || !d->properties || !d->property_of || !d->class_asked || !d->parts ||
        !d->class_common)
        return false;
    memset(d->class_common, 0xff, d->class_count * sizeof *d->class_common);
    memset(d->property_of, 0xff, kinds * sizeof *d->property_of);
    count_bytes(p, d);
    choose_common(d);
    for (size_t i = 0; i < p->list->count; i++) {
        const size_t count = read_positions(d, i);
        choose_early(d, &d->patterns[i], find_landmarks(d, count));
        choose_group(d, &d->patterns[i], count);
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

/* A group, and its last `apart` rows, each union twice as wide as the one before. */
static void make_group(row_maker *m, property *p)
{
    design *d = m->d;
    uint32_t first = m->input_count, wide = 1;
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        m->inputs[m->input_count++] = d->properties[d->parts[i].property].row;
        m->inputs[m->input_count++] = d->parts[i].behind;
    }
    p->row = add_operation(m, BITSLICE_ALL, first);
    while (wide < p->apart) {
        const uint32_t more = 2 * wide <= p->apart ? wide : p->apart - wide;
        first = m->input_count;
        m->inputs[m->input_count++] = p->row;
        m->inputs[m->input_count++] = more;
        p->row = add_operation(m, BITSLICE_WIDEN, first);
        wide += more;
    }
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
        if (!p->used || p->wide != 1)
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
    for (uint32_t i = 0; i < d->property_count; i++)
        if (d->properties[i].count > 0)
            make_group(m, &d->properties[i]);
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

/* Checks of the positions [from, upto), the rarest first; of `but` those that its tests leave open.
 * Returns their number; *at is where they stand. */
static uint32_t add_checks(design *d, size_t from, size_t upto, const chosen *but, block *b,
                           uint32_t *at)
{
    uint32_t count = 0;
    for (size_t k = from; k < upto; k++) {
        const uint32_t class = d->position_class[k];
        if (class_size(&d->classes[class]) == 256 ||
            (but && has_test(d, but, class, 1, (uint32_t)k)))
            continue;
        d->landmarks[count].property = class;
        d->landmarks[count].behind = (uint32_t)(k - from);
        d->landmarks[count++].worth = 1 - d->class_often[class];
    }
    sort_landmarks(d->landmarks, count);
    *at = words_of(b);
    for (uint32_t k = 0; k < count; k++)
        add_word(b, d->landmarks[k].property, d->landmarks[k].behind);
    return count;
}

/* Positions to segments. */
static void add_segments(design *d, size_t count, block *b, bitslice_pattern *out)
{
    bitslice_segment segments[BITSLICE_LONGEST];
    size_t i = 0;
    while (i < count) {
        bitslice_segment *g = &segments[out->segment_count++];
        const size_t first = i;
        memset(g, 0, sizeof *g);
        while (i < count && !d->positions[i].optional)
            i++;
        g->length = (uint32_t)(i - first);
        g->check_count = add_checks(d, first, i, NULL, b, &g->checks);
        g->gap_class = i < count ? d->position_class[i] : 0;
        while (i < count && d->positions[i].optional && d->position_class[i] == g->gap_class) {
            g->gap++;
            i++;
        }
    }
    out->segments = words_of(b);
    block_append(b, segments, out->segment_count * sizeof *segments, 4);
}

static void add_pattern(design *d, uint32_t i, block *b, bitslice_pattern *out)
{
    const chosen *c = &d->patterns[i];
    const size_t count = read_positions(d, i);
    size_t fixed = 0;
    while (fixed < count && !d->positions[fixed].optional)
        fixed++;
    out->index = i;
    out->length = (uint32_t)d->list->patterns[i].min_length;
    out->longest = (uint32_t)d->list->patterns[i].max_length;
    out->early = c->early;
    out->late = c->count - c->early;
    out->tests = words_of(b);
    for (uint32_t k = 0; k < c->count; k++) {
        const landmark *l = &d->tests[c->first + k];
        add_word(b, d->properties[l->property].row, l->behind);
    }
    out->check_count = add_checks(d, 0, fixed, c, b, &out->checks);
    if (fixed < count)
        add_segments(d, count, b, out);
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
    const size_t rows = d.property_count + (size_t)d.group_count * 8;
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
        rows += d.properties[i].used ? COST_SLICE_ROW * (d.properties[i].count ? 3 : 1) : 0;
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
        if (op->kind > BITSLICE_ALL || op->first > t->input_count ||
            op->count > t->input_count - op->first || (widens && op->count != 2) ||
            (op->kind == BITSLICE_ALL && (op->count < 2 || op->count % 2)))
            return false;
        for (uint32_t k = 0; k < op->count; k++)
            if (inputs[op->first + k] >=
                (op->kind >= BITSLICE_WIDEN && k % 2 ? BITSLICE_AHEAD : row))
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

static bool segments_check(const bitslice_tables *t, const bitslice_pattern *p,
                           const uint32_t *tables, size_t words)
{
    const bitslice_segment *segments = (const bitslice_segment *)(tables + p->segments);
    if (p->segment_count > BITSLICE_LONGEST ||
        !words_inside(words, p->segments, (uint64_t)p->segment_count * sizeof *segments / 4))
        return false;
    for (uint32_t i = 0; i < p->segment_count; i++) {
        const bitslice_segment *g = &segments[i];
        if (g->length > BITSLICE_LONGEST || g->check_count > g->length ||
            g->gap > BITSLICE_LONGEST || (g->gap && g->gap_class >= t->classes) ||
            (g->length &&
             !words_check(tables, words, g->checks, g->check_count, t->classes, g->length - 1)))
            return false;
    }
    return true;
}

static bool pattern_check(const stage_facts *facts, const bitslice_tables *t,
                          const bitslice_pattern *p, const uint32_t *tables, size_t words)
{
    return p->index < facts->pattern_count && p->early >= 1 && p->early <= MOST_EARLY &&
           p->late <= MOST_LATE && p->length >= 1 && p->length <= BITSLICE_LONGEST &&
           p->check_count <= BITSLICE_LONGEST &&
           words_check(tables, words, p->tests, p->early + p->late, t->rows, t->ahead) &&
           words_check(tables, words, p->checks, p->check_count, t->classes, p->length - 1) &&
           segments_check(t, p, tables, words);
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
