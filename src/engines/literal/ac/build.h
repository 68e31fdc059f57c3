/* build.h: what the builders of Aho-Corasick and of PFAC, which has no failure links, share. */
#ifndef TRAWL_ENGINES_LITERAL_AC_BUILD_H
#define TRAWL_ENGINES_LITERAL_AC_BUILD_H

#include "engines/shared/engine.h"

/* The tables of layout.h for a set of literals, after a head of so many bytes that begins with
 * theirs; failed ones when memory ran out. A longer head is pfac's, without failure links. */
void ac_lay_out(const problem *p, size_t head, stage_draft *out);

/* Whether no walk over these tables of a loaded plan leaves them. */
bool ac_tables_valid(const stage_facts *facts, const uint32_t *tables, size_t words);

#endif
