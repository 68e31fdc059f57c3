/* origin.h: whether this is still the process that made an object, or a fork of it, which has none
 * of its threads and must leave its devices alone.
 *
 * The process's number does not tell: the first process of a container, 1, may fork one that is
 * number 1 of a namespace of its own. But Linux empties a page in the child if asked to. Where
 * there is no such page, the number has to do.
 */
#ifndef TRAWL_BASE_ORIGIN_H
#define TRAWL_BASE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: belongs to no process. */
typedef struct origin {
    long process;
    unsigned char *page; /* its first byte is 1 in that process; NULL: there is none */
    size_t bytes;        /* of the page */
} origin;

void origin_open(origin *o); /* this process */
bool origin_here(const origin *o);
void origin_close(origin *o); /* in any process */

#endif
