/* decoded.c: see decoded.h. */
#include "decoded.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

char message[512];
static const image_limit usual = { IMAGE_MAX_BYTES, "limit" }, little = { 1 << 22, "limit" };

uint64_t cell(const image *picture, uint64_t row, uint64_t col)
{
    const size_t at = (size_t)(row * picture->cols + col);
    const uint8_t *cells = picture->cells;
    uint16_t two;
    uint32_t four;
    if (picture->cell_size == 1)
        return cells[at];
    memcpy(&two, cells + 2 * at, 2);
    if (picture->cell_size == 2)
        return two;
    memcpy(&four, cells + 4 * at, 4);
    return four;
}

image must_decode(bytes file, image_as as)
{
    image picture;
    image_intern *table = image_intern_new();
    if (image_decode(file.data, file.length, as, usual, table, &picture, message, sizeof message) !=
        0)
        fail_msg("not read: %s", message);
    image_intern_free(table);
    return picture;
}

void must_fail(bytes file, image_as as, const char *text)
{
    image picture;
    assert_int_equal(
        image_decode(file.data, file.length, as, usual, NULL, &picture, message, sizeof message),
        -1);
    assert_null(picture.cells);
    if (strstr(message, text) == NULL)
        fail_msg("expected \"%s\" in: %s", text, message);
}

void check_prefixes(bytes whole, size_t least)
{
    for (size_t length = 1; length < whole.length; length += 1 + length / 64) {
        bytes prefix = { malloc(length), length };
        assert_non_null(prefix.data);
        memcpy(prefix.data, whole.data, length);
        if (length < least)
            must_fail(prefix, IMAGE_AS_STORED, "");
        free(prefix.data);
    }
}

void check_damage(bytes whole)
{
    rng r = { test_seed() };
    const uint64_t cases = test_cases(10000);
    bytes copy = { malloc(whole.length), whole.length };
    assert_non_null(copy.data);
    for (uint64_t i = 0; i < cases; i++) {
        image picture;
        memcpy(copy.data, whole.data, whole.length);
        for (uint32_t edits = 1 + rng_below(&r, 4); edits > 0; edits--)
            copy.data[rng_below(&r, (uint32_t)whole.length)] = (uint8_t)rng_next(&r);
        copy.length = rng_chance(&r, 4) ? 1 + rng_below(&r, (uint32_t)whole.length) : whole.length;
        message[0] = '\0';
        const int status = image_decode(copy.data, copy.length, (image_as)rng_below(&r, 5), little,
                                        NULL, &picture, message, sizeof message);
        assert_true(status == 0 ? picture.cells != NULL
                                : picture.cells == NULL && message[0] != '\0');
        image_free(&picture);
    }
    free(copy.data);
}

uint32_t sample(unsigned bits, unsigned row, unsigned col, unsigned channel)
{
    const uint64_t mixed = (row * 7919u + col * 104729u + channel * 1299709u + 1) * 2654435761u;
    return (uint32_t)((mixed >> 7) & ((UINT64_C(1) << bits) - 1));
}

void put_bits(uint8_t *row, size_t index, unsigned bits, uint32_t value)
{
    for (unsigned bit = 0; bit < bits; bit++) {
        const size_t at = index * bits + bit;
        if (value >> (bits - 1 - bit) & 1)
            row[at / 8] |= (uint8_t)(128 >> at % 8);
    }
}
