/* literals.h: what the engines for literals share on the builder's side. */
#ifndef TRAWL_ENGINES_SHARED_LITERALS_H
#define TRAWL_ENGINES_SHARED_LITERALS_H

#include "engines/shared/engine.h"
#include "engines/shared/literal.h"

/* fold[c]: lower case when any pattern of the list is without case, else the identity. */
void fold_table(const pattern_list *list, uint8_t fold[256]);

/* True when any pattern of the list is without case. */
bool fold_any(const pattern_list *list);

/* True when some patterns fold case and others do not: what is found on the folded text
 * must then be compared in full. */
bool fold_mixed(const pattern_list *list);

/* The length of the shortest pattern. The alternatives of one pattern stand among the others in any
 * order. */
size_t shortest_literal(const pattern_list *list);

/* NULL when all patterns are literals, else why a literal engine does not take them. */
const char *refuses_unless_literals(const pattern_list *list);

/* Append the literals; returns where they are. */
literal_tables append_literals(const pattern_list *list, block *b);

/* Verify them in a loaded plan (for engine->check). */
bool literals_valid(const stage_facts *facts, const literal_tables *t, const uint32_t *tables,
                    size_t words);

#endif
