/* design.c: which tests find which pattern in bit-sliced text.
 *
 * A pattern's tests are on positions that every match has. One of these is the anchor; the distance
 * of a test from it is fixed, or varies by up to MAX_WIDE bytes: then the test is on the union of
 * as many rows. Which tests are best is a trade: a test costs something at each place, and says the
 * more the rarer its class is; a row is made once for all patterns. So the classes that say most to
 * most patterns always have rows, and stand for the classes that they include; a pattern gets
 * another row if that saves more than it costs. Tests are added until fewer survivors are not worth
 * another test. All positions are tried as the anchor. Survivors are put to further tests on rows
 * that are there anyhow.
 */
#include "engines/classes/bitslice/build.h"

#include <string.h>

#include "engines/shared/costs.h"

enum { MAX_COMMON = 96, MIN_ASKED = 6 };

#define LITTLE 0.4 /* is said by what is seen so often */

static size_t class_hash(const byte_class *set)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++)
        hash = (hash ^ set->bits[i] ^ hash >> 29) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 29);
}

/* The number of a class; a new one is added. */
static uint32_t class_number(design *d, const byte_class *set)
{
    size_t slot = class_hash(set);
    for (;; slot++) {
        uint32_t *number = &d->class_slots[slot & (d->class_room - 1)];
        if (*number == UINT32_MAX) {
            *number = d->class_count;
            d->classes[d->class_count++] = *set;
        }
        if (memcmp(&d->classes[*number], set, sizeof *set) == 0)
            return *number;
    }
}

/* Positions and their classes of pattern i, in d->positions and d->position_class. */
size_t design_read(design *d, size_t i)
{
    const pattern *p = &d->list->patterns[i];
    const size_t count = position_count(p);
    expand_positions(p, d->positions);
    for (size_t k = 0; k < count; k++)
        d->position_class[k] =
            k > 0 && memcmp(&d->positions[k].set, &d->positions[k - 1].set, sizeof(byte_class)) == 0
                ? d->position_class[k - 1]
                : class_number(d, &d->positions[k].set);
    return count;
}

/* ---- how often ------------------------------------------------------------------- */

/* Count bytes in the sample. If there is none, and the page of usual text is not made of the bytes
 * that patterns are about, all of these are taken as equally frequent. */
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
    uint32_t *number = &d->property_of[(size_t) class * (MAX_WIDE + 1) + wide];
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

/* The landmarks of the pattern whose `count` positions have been read, from its position `anchor`
 * on, in d->landmarks: each with its class, and with the common one. Widths are rounded up where
 * the anchor leaves room, for fewer are shared by more. */
static uint32_t find_landmarks(design *d, size_t count, size_t anchor)
{
    uint32_t found = 0, least = 0, most = 0; /* bytes from the anchor to the position */
    for (size_t i = anchor; i < count && most < BITSLICE_AHEAD; i++) {
        const bool optional = d->positions[i].optional;
        const uint32_t class = d->position_class[i], common = d->class_common[class];
        uint32_t wide = 1;
        while (wide < most - least + 1)
            wide *= 2;
        if (wide > most + 1)
            wide = most - least + 1;
        if (!optional && wide <= MAX_WIDE) {
            d->landmarks[found].property = property_number(d, class, wide);
            d->landmarks[found++].behind = most;
        }
        if (!optional && wide <= MAX_WIDE && common != class && common != UINT32_MAX) {
            d->landmarks[found].property = property_number(d, common, wide);
            d->landmarks[found++].behind = most;
        }
        least += !optional;
        most++;
    }
    return found;
}

/* Best first; insertion, for there are few. */
void landmarks_sort(landmark *l, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && l[k - 1].worth < l[k].worth; k--) {
            const landmark other = l[k];
            l[k] = l[k - 1];
            l[k - 1] = other;
        }
}

bool class_inside(const byte_class *a, const byte_class *b)
{
    uint64_t other = 0;
    for (int i = 0; i < 4; i++)
        other |= a->bits[i] & ~b->bits[i];
    return !other;
}

unsigned class_size(const byte_class *set)
{
    unsigned size = 0;
    for (unsigned b = 0; b < 256; b++)
        size += class_has(set, b);
    return size;
}

/* Choose the classes whose rows are made anyhow: those of one byte, and those that say most to most
 * patterns. */
static void choose_common(design *d)
{
    uint32_t common[MAX_COMMON], count = 0;
    for (size_t i = 0; i < d->list->count; i++) {
        const size_t positions = design_read(d, i);
        for (size_t k = 0; k < positions; k++)
            d->class_asked[d->position_class[k]] += !d->positions[k].optional;
    }
    for (uint32_t i = 0; i < MAX_COMMON; i++) {
        double most = MIN_ASKED;
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
                class_inside(&d->classes[c], &d->classes[other]))
                d->class_common[c] = other;
        }
    for (uint32_t i = 0; i < count; i++)
        d->properties[property_number(d, common[i], 1)].used = true;
}

/* Nanoseconds that places which survive take, such a share of all those of four rows: together, and
 * one by one. */
static double hit_cost(const design *d, double survive)
{
    const double starts = 4 * BITSLICE_LANES * survive;
    return d->hit_cost * (1 - 1 / (1 + starts + starts * starts / 2));
}

static double hits_cost(const design *d, double survive)
{
    return hit_cost(d, survive) + d->start_cost * 4 * BITSLICE_LANES * survive;
}

double design_hits_cost(const design *d, const chosen *c)
{
    return c->whole ? hit_cost(d, c->survive) : hits_cost(d, c->survive);
}

/* The early tests among `count` landmarks, to tests[MAX_EARLY]; c->early of them leave c->survive.
 * Returns what they and survivors take for four rows. */
static double early_tests(design *d, chosen *c, uint32_t count, landmark *tests)
{
    double takes = 0;
    c->survive = 1;
    c->early = 0;
    while (c->early < MAX_EARLY) {
        const double now = hits_cost(d, c->survive);
        double most = c->early ? 0 : -1e9;
        landmark *best = NULL;
        for (uint32_t i = 0; i < count; i++) {
            const property *p = &d->properties[d->landmarks[i].property];
            const double saved = now - hits_cost(d, c->survive * p->often) - d->test_cost -
                                 (p->used ? 0 : d->row_cost);
            if (saved > most && d->landmarks[i].behind != UINT32_MAX) {
                most = saved;
                best = &d->landmarks[i];
            }
        }
        if (!best)
            break;
        const property *p = &d->properties[best->property];
        takes += d->test_cost + (p->used ? 0 : d->row_cost);
        c->survive *= p->often;
        tests[c->early++] = *best;
        for (uint32_t i = 0, behind = best->behind; i < count; i++)
            if (d->landmarks[i].behind == behind)
                d->landmarks[i].behind = UINT32_MAX; /* what it says is said */
    }
    return takes + hits_cost(d, c->survive);
}

/* Tests for all that a pattern says, whose `count` positions have been read: then a GPU need not
 * compare what survives, but counts it. False: they are too many, or too far from each other. */
static bool whole_tests(design *d, chosen *c, size_t count, landmark *tests, double *takes)
{
    size_t first = 0;
    while (first < count && class_size(&d->classes[d->position_class[first]]) == 256)
        first++;
    *c = (chosen){ .first = (uint32_t)d->test_count, .anchor = (uint32_t)first, .whole = true };
    c->survive = 1;
    *takes = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t class = d->position_class[i];
        if (d->positions[i].optional)
            return false;
        if (class_size(&d->classes[class]) == 256)
            continue;
        if (c->early == MAX_EARLY || i - first >= BITSLICE_AHEAD)
            return false;
        const uint32_t number = property_number(d, class, 1);
        tests[c->early++] = (landmark){ number, (uint32_t)(i - first), 0 };
        c->survive *= d->class_often[class];
        *takes += d->test_cost + (d->properties[number].used ? 0 : d->row_cost);
    }
    *takes += hit_cost(d, c->survive);
    return c->early > 0;
}

static void take_tests(design *d, chosen *c, const chosen *one, const landmark *tests)
{
    *c = *one;
    memcpy(&d->tests[d->test_count], tests, one->early * sizeof *tests);
}

/* The anchor of the pattern whose `count` positions have been read, and its early tests. A position
 * that says little is tried only where there is no other yet: what is after it can be seen from
 * there. */
static void choose_early(design *d, chosen *c, size_t count)
{
    landmark tests[MAX_EARLY];
    double least = COST_IMPOSSIBLE, all;
    chosen whole;
    for (size_t i = 0; i < count; i++) {
        chosen one = { .first = (uint32_t)d->test_count, .anchor = (uint32_t)i };
        if (d->positions[i].optional ||
            (least < COST_IMPOSSIBLE && d->class_often[d->position_class[i]] > LITTLE))
            continue;
        const double takes = early_tests(d, &one, find_landmarks(d, count, i), tests);
        if (takes < least) {
            least = takes;
            take_tests(d, c, &one, tests);
        }
    }
    if (d->counts && whole_tests(d, &whole, count, tests, &all) && all < least)
        take_tests(d, c, &whole, tests);
    for (uint32_t k = 0; k < c->early; k++) {
        const landmark *l = &d->tests[d->test_count++];
        d->properties[l->property].used = true;
        d->ahead = l->behind > d->ahead ? l->behind : d->ahead;
    }
    c->count = c->early;
}

bool design_has_test(const design *d, const chosen *c, uint32_t class, uint32_t wide,
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
    landmarks_sort(d->landmarks, count);
    for (uint32_t i = 0; i < count && !c->whole && c->count < c->early + MAX_LATE; i++) {
        const landmark *l = &d->landmarks[i];
        const property *p = &d->properties[l->property];
        if (p->used && p->often < 0.7 && l->behind <= d->ahead &&
            !design_has_test(d, c, p->class, p->wide, l->behind))
            d->tests[c->first + c->count++] = *l;
    }
}

/* ---- design ------------------------------------------------------------------------ */

void design_free(design *d)
{
    void *const all[] = { d->classes,        d->class_often, d->class_slots, d->class_asked,
                          d->class_common,   d->properties,  d->property_of, d->positions,
                          d->position_class, d->landmarks,   d->patterns,    d->tests };
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
    d->tests = memory_take_array(m, d->list->count * (MAX_EARLY + MAX_LATE), sizeof *d->tests);
    if (!d->classes || !d->class_slots || !d->positions || !d->position_class || !d->landmarks ||
        !d->patterns || !d->tests)
        return false;
    memset(d->class_slots, 0xff, slots * sizeof *d->class_slots);
    return true;
}

/* Choose all tests. False: there is no memory (the problem's says so), or too much to number. */
bool design_make(const problem *p, design *d)
{
    const bool gpu = p->target.gpu && !p->target.cpu;
    memset(d, 0, sizeof *d);
    d->memory = p->memory;
    d->list = p->list;
    d->counts = gpu;
    d->test_cost = gpu ? 2 * COST_GPU_SLICE_TEST : cost_of_vector(4 * COST_SLICE_TEST, &p->target);
    d->row_cost = gpu ? 2 * COST_GPU_SLICE_ROW : cost_of_vector(4 * COST_SLICE_ROW, &p->target);
    d->hit_cost = gpu ? COST_GPU_SLICE_HIT : COST_SLICE_HIT;
    d->start_cost = gpu ? COST_GPU_SLICE_START : COST_SLICE_START;
    if (!take_room(d))
        return false;
    for (size_t i = 0; i < p->list->count; i++)
        design_read(d, i);
    if (d->class_count >= BITSLICE_MAX_ROWS / 32)
        return false;
    const size_t kinds = (size_t)d->class_count * (MAX_WIDE + 1);
    d->class_often = memory_take_zeroed(d->memory, d->class_count, sizeof *d->class_often);
    d->properties = memory_take_array(d->memory, kinds, sizeof *d->properties);
    d->property_of = memory_take_array(d->memory, kinds, sizeof *d->property_of);
    d->class_asked = memory_take_zeroed(d->memory, d->class_count, sizeof *d->class_asked);
    d->class_common = memory_take_array(d->memory, d->class_count, sizeof *d->class_common);
    if (!d->class_often || !d->properties || !d->property_of || !d->class_asked || !d->class_common)
        return false;
    memset(d->class_common, 0xff, d->class_count * sizeof *d->class_common);
    memset(d->property_of, 0xff, kinds * sizeof *d->property_of);
    count_bytes(p, d);
    choose_common(d);
    for (size_t i = 0; i < p->list->count; i++) {
        choose_early(d, &d->patterns[i], design_read(d, i));
        d->test_count += MAX_LATE;
    }
    for (size_t i = 0; i < p->list->count; i++)
        choose_late(d, &d->patterns[i],
                    find_landmarks(d, design_read(d, i), d->patterns[i].anchor));
    return true;
}

/* What wide properties are made of is used too. */
void design_use_parts(design *d)
{
    for (uint32_t i = 0; i < d->property_count; i++) {
        const uint32_t class = d->properties[i].class, wide = d->properties[i].wide;
        for (uint32_t half = 1; d->properties[i].used && half < wide; half *= 2)
            d->properties[property_number(d, class, half)].used = true;
    }
}
