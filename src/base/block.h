/* block.h: a growing block of bytes, in which plans and their tables are put together. */
#ifndef TRAWL_BASE_BLOCK_H
#define TRAWL_BASE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* A byte block that grows. It begins as zeros, but for `memory`. `failed` is set when the memory
 * ran out (memory->failure says why), or when an offset does not fit 32 bits. Appending then does
 * nothing, so a builder checks once, at its end. */
typedef struct block {
    memory *memory;
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
} block;

/* Append `size` bytes, copies of those at `source` or zeros (NULL), at a multiple of `align`, which
 * is a power of two. Returns the offset; the bytes are at block->bytes + offset until the next
 * append. block_words counts in words of 4 bytes, as engines do in their tables. */
size_t block_append(block *b, const void *source, size_t size, size_t align);
uint32_t block_words(block *b, const void *source, size_t words);

/* Make room for `size` bytes in all, so that the block does not move until it holds them. */
void block_reserve(block *b, size_t size);
void block_free(block *b);

#endif
