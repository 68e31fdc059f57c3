/* block.h: bytes that grow, in which plans and their tables are put together. */
#ifndef TRAWL_BASE_BLOCK_H
#define TRAWL_BASE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing byte block. `failed` is set when memory ran out; appending then does
 * nothing, so a builder checks once at its end. */
typedef struct block {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
} block;

/* Append `size` zero bytes (source NULL) or a copy, at a multiple of `align` (a power
 * of two). Returns the offset; the bytes are at block->bytes + offset until the next
 * append. Offsets of engine sections are kept in words: block_words. */
size_t block_append(block *b, const void *source, size_t size, size_t align);
uint32_t block_words(block *b, const void *source, size_t words);
void block_free(block *b);

#endif
