/* decoded.h: what the tests of picture formats share: reading pictures from memory, damaging them,
 * and the formula that they are made from.
 */
#ifndef TRAWL_DECODED_H
#define TRAWL_DECODED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/images/image.h"

typedef struct bytes {
    uint8_t *data;
    size_t length;
} bytes;

extern char message[512]; /* of the last error */

uint64_t cell(const image *picture, uint64_t row, uint64_t col);

image must_decode(bytes file, image_as as);
/* The read fails, leaves no cells, and says `text` somewhere. */
void must_fail(bytes file, image_as as, const char *text);
/* Every prefix, in memory of its own, so that a read beyond it is seen; those shorter than `least`
 * are refused. */
void check_prefixes(bytes whole, size_t least);
/* Damage at random places: an error with a message, or a picture. */
void check_damage(bytes whole);

/* The formula: neighbours differ, and so do channels. */
uint32_t sample(unsigned bits, unsigned row, unsigned col, unsigned channel);
/* Put `value` into the `index`-th sample of a row, the first in the highest bits. */
void put_bits(uint8_t *row, size_t index, unsigned bits, uint32_t value);

#endif
