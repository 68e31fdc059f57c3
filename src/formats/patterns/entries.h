/* entries.h: files of patterns that are no plain lists. */
#ifndef TRAWL_ENTRIES_H
#define TRAWL_ENTRIES_H

#include "formats/patterns/pattern_set.h"

/* Whether a list begins with a title of FASTA, ">" and a word, and a line that is none. */
bool looks_like_fasta(const char *text, size_t length);

/* The lines of files were added as patterns: those of a FASTA file become its sequences, those of a
 * PROSITE file (TRAWL_SYNTAX_PROSITE) its patterns, those of a ClamAV file (.ndb; TRAWL_SYNTAX_HEX)
 * its signatures, and any "NAME, a tab, PATTERN" where the set has names: all with names. False,
 * after telling why. */
bool pattern_set_read_entries(pattern_set *set, uint32_t syntax);

#endif
