/* name_set.h: which names have been seen. */
#ifndef TRAWL_NAME_SET_H
#define TRAWL_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct name_slot {
    const char *text; /* the caller's; NULL: the slot is free */
    size_t length;
} name_slot;

/* All zero before the first name. */
typedef struct name_set {
    name_slot *slots; /* an open hash table, never more than half full */
    size_t room, count;
} name_set;

/* Whether the set has the name. */
bool name_set_has(const name_set *set, const char *text, size_t length);

/* Add a name, whose text stays where it is as long as it is in the set. False: no memory. */
bool name_set_add(name_set *set, const char *text, size_t length);

/* Take all names out. */
void name_set_free(name_set *set);

#endif
