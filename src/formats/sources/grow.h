/* grow.h: arrays that grow item by item. */
#ifndef TRAWL_GROW_H
#define TRAWL_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for one item more in an array of `count` of them: the array, which may have moved, or NULL,
 * and it is as it was. The room doubles, so an item is copied once on average. */
static inline void *grow_array(void *array, size_t count, size_t *room, size_t item)
{
    if (count < *room)
        return array;
    const size_t more = *room ? 2 * *room : 16;
    void *grown = more <= SIZE_MAX / item ? realloc(array, more * item) : NULL;
    if (grown)
        *room = more;
    return grown;
}

#endif
