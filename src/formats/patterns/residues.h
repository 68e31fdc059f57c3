/* residues.h: lists of patterns of residues, nucleotides and amino acids, whose languages have
 * neither blanks nor '#': comments, empty lines, and columns after a name's pattern may stand in
 * them, and REBASE's marks of where an enzyme cuts. */
#ifndef TRAWL_RESIDUES_H
#define TRAWL_RESIDUES_H

#include "formats/patterns/list_line.h"

bool residues_are(uint32_t syntax);

/* The line without blanks around it; empty: it is a comment. */
list_line residues_line(list_line l);

/* The pattern that stands before a tab. */
list_line residues_column(list_line l);

/* Why a pattern would not be read as it is meant; NULL: it will be. */
const char *residues_fault(list_line pattern, uint32_t syntax);

/* Patterns `from` to the last are those of one list of bases: leave REBASE's marks out of them, or
 * warn of a first '^', which may be one. False after telling why. */
bool residues_uncut(pattern_set *set, size_t from, size_t to);

/* Whether a pattern can be read; else a warning says why, and that it is left out. */
bool residues_read(pattern_set *set, size_t index, uint32_t syntax);

#endif
