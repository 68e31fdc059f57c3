/* grow.h: arrays that grow. */
#ifndef TRAWL_GROW_H
#define TRAWL_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Let the array that the pointer at `pointer` points to have room for `wanted` items; it may move.
 * The room doubles, so an item is copied once on average. False: no memory, and all is as it was.
 */
static inline bool grow_array(void *pointer, size_t wanted, size_t *room, size_t item)
{
    const size_t more = wanted < 16 ? 16 : wanted <= SIZE_MAX / 2 ? 2 * wanted : SIZE_MAX;
    void *array;
    if (wanted <= *room)
        return true;
    memcpy(&array, pointer, sizeof array); /* whose type is the caller's; POSIX: all are alike */
    array = more <= SIZE_MAX / item ? realloc(array, more * item) : NULL;
    if (!array)
        return false;
    memcpy(pointer, &array, sizeof array);
    *room = more;
    return true;
}

#endif
