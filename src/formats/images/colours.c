/* colours.c: numbers for colours wider than a cell.
 *
 * Idea. An open hash table from colours to the order in which they came. Cost: one look-up a
 * pixel, none for a pixel that equals the one to its left.
 */
#include "formats/images/colours.h"

#include <stdlib.h>

/* Colour k is colours[k]; slots is an open hash table of k + 1, 0 when free, never more
 * than half full. */
struct image_intern {
    uint64_t *colours;
    uint32_t *slots;
    size_t count;
    size_t capacity; /* of slots, a power of two or 0; colours holds half of it */
};

image_intern *image_intern_new(void)
{
    return calloc(1, sizeof(image_intern));
}

void image_intern_free(image_intern *table)
{
    if (table == NULL)
        return;
    free(table->colours);
    free(table->slots);
    free(table);
}

/* The slot that holds the colour, or the free one where it belongs. The address of the
 * table salts the hash, so that no picture can be made to collide everywhere. */
static size_t intern_slot(const image_intern *table, uint64_t colour)
{
    uint64_t hash = colour ^ (uint64_t)(uintptr_t)table;
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    size_t slot = (size_t)(hash ^ (hash >> 33)) & (table->capacity - 1);
    while (table->slots[slot] != 0 && table->colours[table->slots[slot] - 1] != colour)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static bool intern_grow(image_intern *table, uint64_t max_bytes)
{
    size_t capacity = table->capacity == 0 ? 1024 : table->capacity * 2;
    const uint64_t bytes = capacity / 2 * sizeof *table->colours + capacity * sizeof *table->slots;
    if (table->count >= UINT32_MAX / 2 || bytes > max_bytes)
        return false;
    uint64_t *colours = realloc(table->colours, capacity / 2 * sizeof *colours);
    if (colours == NULL)
        return false;
    table->colours = colours;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    for (size_t k = 0; k < table->count; k++)
        slots[intern_slot(table, colours[k])] = (uint32_t)k + 1;
    return true;
}

static bool intern_colour(image_intern *table, uint64_t colour, uint64_t max_bytes,
                          uint32_t *number)
{
    if (table->count >= table->capacity / 2 && !intern_grow(table, max_bytes))
        return false;
    size_t slot = intern_slot(table, colour);
    if (table->slots[slot] == 0) {
        table->colours[table->count++] = colour;
        table->slots[slot] = (uint32_t)table->count;
    }
    *number = table->slots[slot] - 1;
    return true;
}

bool image_intern_row(image_intern *table, uint32_t *cells, const uint16_t *samples,
                      unsigned channels, size_t cols, uint64_t max_bytes)
{
    uint64_t last = 0;
    for (size_t i = 0; i < cols; i++, samples += channels) {
        uint64_t colour = samples[0] | (uint64_t)samples[1] << 16 | (uint64_t)samples[2] << 32;
        if (channels == 4)
            colour |= (uint64_t)samples[3] << 48;
        if (i > 0 && colour == last)
            cells[i] = cells[i - 1];
        else if (!intern_colour(table, colour, max_bytes, &cells[i]))
            return false;
        last = colour;
    }
    return true;
}
