/* block.h: bytes that grow, in which plans and their tables are put together. */
#ifndef TRAWL_BASE_BLOCK_H
#define TRAWL_BASE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* A growing byte block, which begins as zeros but for its memory. `failed` is set when that ran
 * out (memory->failure says why), or when offsets do not reach so far; appending then does nothing,
 * so a builder checks once at its end. */
typedef struct block {
    memory *memory;
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
} block;

/* Append `size` zero bytes (source NULL) or a copy, at a multiple of `align` (a power
 * of two). Returns the offset; the bytes are at block->bytes + offset until the next
 * append. Offsets of engine sections are kept in words: block_words. */
size_t block_append(block *b, const void *source, size_t size, size_t align);
uint32_t block_words(block *b, const void *source, size_t words);

/* Room for `size` bytes in all, so that appending them does not move the block. */
void block_reserve(block *b, size_t size);
void block_free(block *b);

#endif
