/* name_set.c: see name_set.h.
 *
 * The hash is salted with the place of the table, so that no file can have all of its names fall
 * into one slot.
 */
#include "formats/patterns/name_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The slot of a name, or the free one that it would take. The set has one at least. */
static name_slot *slot_of(const name_set *set, const char *text, size_t length)
{
    uint64_t hash = (uintptr_t)set->slots;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    size_t at = (size_t)(hash ^ (hash >> 33)) & (set->room - 1);
    while (set->slots[at].text &&
           (set->slots[at].length != length || memcmp(set->slots[at].text, text, length) != 0))
        at = (at + 1) & (set->room - 1);
    return &set->slots[at];
}

bool name_set_has(const name_set *set, const char *text, size_t length)
{
    return set->count && slot_of(set, text, length)->text;
}

static bool grow(name_set *set)
{
    const name_set old = *set;
    set->room = old.room ? 2 * old.room : 64;
    set->slots = calloc(set->room, sizeof *set->slots);
    if (!set->slots) {
        *set = old;
        return false;
    }
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].text)
            *slot_of(set, old.slots[i].text, old.slots[i].length) = old.slots[i];
    free(old.slots);
    return true;
}

bool name_set_add(name_set *set, const char *text, size_t length)
{
    if (2 * (set->count + 1) > set->room && !grow(set))
        return false;
    name_slot *slot = slot_of(set, text, length);
    set->count += !slot->text;
    *slot = (name_slot){ text, length };
    return true;
}

void name_set_free(name_set *set)
{
    free(set->slots);
    *set = (name_set){ .slots = NULL };
}
