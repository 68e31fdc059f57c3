/* build.h: building and verifying the tables of layout.h, for the engines whose filters come before
 * them.
 */
#ifndef TRAWL_ENGINES_SHARED_PRINTS_BUILD_H
#define TRAWL_ENGINES_SHARED_PRINTS_BUILD_H

#include "engines/shared/engine.h"
#include "engines/shared/prints/layout.h"

/* Which grams are entries: `stride` grams of each pattern i, from windows[i] on. */
typedef struct prints_choice {
    const pattern_list *list;
    const uint8_t *windows;
    uint32_t q, fold, stride;
} prints_choice;

/* Append all sections; b->failed says if memory ran out, or offsets grew too large. */
prints_tables append_prints(const prints_choice *c, block *b);

bool prints_valid(const stage_facts *facts, const prints_tables *t, const uint32_t *tables,
                  size_t words);

#endif
