/* list_line.h: lines of files, from which patterns with names are made (entries.h). */
#ifndef TRAWL_LIST_LINE_H
#define TRAWL_LIST_LINE_H

#include "formats/patterns/entries.h"

/* Text that is not ended by a NUL byte. */
typedef struct list_line {
    const char *text;
    size_t length;
} list_line;

/* The line that is pattern `index` so far. */
list_line list_line_of(const pattern_set *set, size_t index);

bool list_line_begins(list_line l, const char *word);
bool list_line_is(list_line l, const char *word);

/* A copy with a NUL after it, which the set owns; NULL: no memory. */
char *list_line_name(pattern_set *set, list_line l);

/* Pattern `to` is pattern `from` with that text and name (NULL: its own). */
void list_line_move(pattern_set *set, size_t to, size_t from, const char *text, size_t length,
                    const char *name);

#endif
