/* fence.h: memory between two pages that nobody may touch, so that a test ends where something
 * before it or after it is read or written. */
#ifndef TRAWL_FENCE_H
#define TRAWL_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes [first, stop), whole pages of zeros. */
typedef struct fence {
    uint8_t *first, *stop;
} fence;

/* A fence around `bytes` bytes and more; a failure ends the test. */
fence fence_open(size_t bytes);
void fence_close(const fence *f);

/* A copy there that ends at such a page (`last`) or begins at one, until the next; of no bytes it
 * lies in one. Under the address sanitizer the rest of its own pages may not be touched either. */
uint8_t *fence_copy(const fence *f, const void *from, size_t bytes, bool last);

/* A text of exactly `bytes` with a fence of its own, of zeros or a copy. */
uint8_t *fenced_text(size_t bytes, bool last);
uint8_t *fenced_copy(const void *from, size_t bytes, bool last);
/* `bytes` as they were given then; NULL is no text. */
void fenced_free(const void *text, size_t bytes);

#endif
