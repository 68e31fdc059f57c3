/* entries.h: files of patterns that are no plain lists. */
#ifndef TRAWL_CLI_ENTRIES_H
#define TRAWL_CLI_ENTRIES_H

#include "cli/cli.h"

/* The lines of files were added as patterns: under a syntax of TRAWL_SYNTAX_PROSITE, those of a
 * PROSITE file become its patterns, under TRAWL_SYNTAX_HEX those of a ClamAV file (.ndb) its
 * signatures, both with names. False, after a complaint, without memory. */
bool pattern_set_read_entries(pattern_set *set, const char *command, uint32_t syntax);

#endif
