/* fence.h: memory between two pages that nobody may touch, so that a test ends where something
 * before it or behind it is read or written. */
#ifndef TRAWL_FENCE_H
#define TRAWL_FENCE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes [first, stop), whole pages of zeros. */
typedef struct fence {
    uint8_t *first, *stop;
} fence;

/* Of `bytes` and more; a failure ends the test. */
fence fence_open(size_t bytes);
void fence_close(const fence *f);

#endif
