/* colours.h: colours wider than 4 bytes become numbers, the same colour the same number in all
 * images that were read through the same table. One table serves one thread at a time. */
#ifndef TRAWL_COLOURS_H
#define TRAWL_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct image_intern image_intern;

image_intern *image_intern_new(void); /* NULL: out of memory */
void image_intern_free(image_intern *table);

/* Number the colours of a row of 16-bit samples. False: out of memory, or the table would take more
 * than max_bytes. */
bool image_intern_row(image_intern *table, uint32_t *cells, const uint16_t *samples,
                      unsigned channels, size_t cols, uint64_t max_bytes);

#endif
