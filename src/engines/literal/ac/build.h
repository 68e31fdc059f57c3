/* build.h: what the builders of Aho-Corasick and of PFAC, which has no failure links, share. */
#ifndef TRAWL_ENGINES_LITERAL_AC_BUILD_H
#define TRAWL_ENGINES_LITERAL_AC_BUILD_H

#include "engines/shared/engine.h"

/* Make the tables of layout.h for a set of literals, after a head of `head` bytes that begins with
 * theirs; out->tables.failed is set when memory runs out. A longer head is pfac's, without failure
 * links. */
void ac_lay_out(const problem *p, size_t head, stage_draft *out);

/* Whether no walk leaves these tables of a loaded plan. */
bool ac_tables_valid(const stage_facts *facts, const uint32_t *tables, size_t words);

#endif
