/* block.c: a growing block of bytes. */
#include "base/block.h"

#include <string.h>

void block_reserve(block *b, size_t size)
{
    if (b->failed || size <= b->capacity)
        return;
    uint8_t *grown = memory_grow(b->memory, b->bytes, size);
    if (!grown) {
        b->failed = true;
        return;
    }
    b->bytes = grown;
    b->capacity = size;
}

size_t block_append(block *b, const void *source, size_t size, size_t align)
{
    size_t offset = (b->size + align - 1) & ~(align - 1);
    if (b->failed || size > SIZE_MAX / 4 || offset > SIZE_MAX / 4) {
        b->failed = true;
        return 0;
    }
    if (offset + size > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 4096;
        while (capacity < offset + size)
            capacity *= 2;
        block_reserve(b, capacity);
        if (b->failed)
            return 0;
    }
    if (offset > b->size)
        memset(b->bytes + b->size, 0, offset - b->size);
    if (size && source)
        memcpy(b->bytes + offset, source, size);
    else if (size)
        memset(b->bytes + offset, 0, size);
    b->size = offset + size;
    return offset;
}

uint32_t block_words(block *b, const void *source, size_t words)
{
    size_t offset = block_append(b, source, words * 4, 8) / 4;
    if (offset > UINT32_MAX)
        b->failed = true;
    return (uint32_t)offset;
}

void block_free(block *b)
{
    memory_give(b->memory, b->bytes);
    *b = (block){ .memory = b->memory };
}
