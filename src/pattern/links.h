/* links.h: an expression's positions and what may follow them, before conditions are resolved. */
#ifndef TRAWL_PATTERN_LINKS_H
#define TRAWL_PATTERN_LINKS_H

#include "pattern/expression.h"
#include "pattern/program.h"

/* As in a program, but for `when`: it is the condition between the two bytes, or between one of
 * them and what lies outside of the match. */
typedef struct links {
    memory *memory;
    trawl_error *error;
    uint32_t positions;
    byte_class *sets;
    uint32_t *first; /* positions + 2 */
    program_link *items;
    uint32_t count, room;
} links;

static inline void links_close(links *l)
{
    memory_give(l->memory, l->sets);
    memory_give(l->memory, l->first);
    memory_give(l->memory, l->items);
}

/* Append a link. Error: memory, or there are more than PROGRAM_MAX_LINKS. */
int links_append(links *l, uint32_t to, uint32_t when);

/* Make a program of links; *made is NULL if nothing can match. */
int links_resolve(const links *l, uint32_t line, program **made);

#endif
