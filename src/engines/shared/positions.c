/* positions.c: expansion of elements, byte classes, runs of optional positions. */
#include "engines/shared/positions.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REREAD 4096u /* bytes of reach that slices read again rather than carry */

static size_t element_positions(const element *e)
{
    if (e->max != REPEAT_UNBOUNDED)
        return e->max;
    return e->min ? e->min : 1;
}

size_t position_count(const pattern *p)
{
    if (p->literal)
        return p->length;
    size_t count = 0;
    for (size_t i = 0; i < p->length; i++)
        count += element_positions(&p->elements[i]);
    return count;
}

static byte_class literal_class(const pattern *p, size_t i)
{
    byte_class set = { { 0 } };
    uint8_t byte = p->bytes[i];
    class_add(&set, byte);
    if (p->flags & TRAWL_NOCASE && byte >= 'a' && byte <= 'z')
        class_add(&set, byte - 32u);
    return set;
}

void expand_positions(const pattern *p, position *positions)
{
    size_t n = 0;
    for (size_t i = 0; i < p->length; i++) {
        if (p->literal) {
            positions[n].set = literal_class(p, i);
            positions[n].optional = false;
            positions[n++].repeat = false;
            continue;
        }
        const element *e = &p->elements[i];
        size_t count = element_positions(e);
        for (size_t k = 0; k < count; k++, n++) {
            positions[n].set = e->set;
            positions[n].optional = k >= e->min;
            positions[n].repeat = e->max == REPEAT_UNBOUNDED && k == count - 1;
        }
    }
}

uint32_t split_classes(const byte_class *set, uint8_t map[256], uint32_t count)
{
    uint16_t renamed[256];
    memset(renamed, 0xff, sizeof renamed);
    bool outside[256] = { false };
    for (unsigned b = 0; b < 256; b++)
        if (!class_has(set, b))
            outside[map[b]] = true;
    for (unsigned b = 0; b < 256; b++) {
        unsigned c = map[b];
        if (!class_has(set, b) || !outside[c])
            continue;
        if (renamed[c] == 0xffff)
            renamed[c] = (uint16_t)count++;
        map[b] = (uint8_t)renamed[c];
    }
    return count;
}

uint32_t byte_classes(const pattern_list *list, uint8_t map[256], uint8_t sample[256])
{
    uint32_t count = 1;
    bool seen[256] = { false }; /* literal bytes: split off once each */
    memset(map, 0, 256);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        for (size_t k = 0; k < p->length; k++) {
            if (p->literal && !(p->flags & TRAWL_NOCASE)) {
                if (seen[p->bytes[k]])
                    continue;
                seen[p->bytes[k]] = true;
            }
            byte_class set = p->literal ? literal_class(p, k) : p->elements[k].set;
            count = split_classes(&set, map, count);
        }
    }
    for (unsigned b = 0; b < 256; b++)
        sample[map[b]] = (uint8_t)b;
    return count;
}

size_t mark_runs(const position *positions, size_t count, size_t base, uint64_t *ebeg,
                 uint64_t *eend, uint64_t *eblk)
{
    size_t lead = 0, i = 0;
    while (i < count) {
        if (!positions[i].optional) {
            i++;
            continue;
        }
        size_t first = i;
        while (i < count && positions[i].optional)
            i++;
        if (first == 0)
            lead = i;
        /* Positions [first, i) are a run; one that begins the word is closed from inside. */
        size_t from = first ? first - 1 : 0;
        if (i - 1 == from)
            continue;
        set_bit(ebeg, base + from);
        set_bit(eend, base + i - 1);
        for (size_t k = from + 1; k < i; k++)
            set_bit(eblk, base + k);
    }
    return lead;
}

uint32_t needs_carry(const pattern_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->patterns[i].max_length > MAX_REREAD)
            return 1;
    return 0;
}
