/* entries.h: files of patterns that are no plain lists. */
#ifndef TRAWL_CLI_ENTRIES_H
#define TRAWL_CLI_ENTRIES_H

#include "cli/cli.h"

/* For who reads a file of patterns; false and NULL: no memory, or a complaint where said. */

/* Take `text` (malloc'ed) over, on failure too; NULL is a failure. */
bool pattern_set_own(pattern_set *set, char *text);
/* `count` bytes and one more that the set owns. */
char *pattern_set_room(pattern_set *set, size_t count);
/* The whole file, which the set owns. Complains on failure. */
const char *pattern_set_read(pattern_set *set, const char *command, const char *path,
                             size_t *length);
/* One more pattern; `text` and `file` outlive the set, or are owned by it. */
bool pattern_set_append(pattern_set *set, const char *text, size_t length, const char *file,
                        size_t line);

/* The lines of files were added as patterns: under a syntax of TRAWL_SYNTAX_PROSITE, those of a
 * PROSITE file become its patterns, under TRAWL_SYNTAX_HEX those of a ClamAV file (.ndb) its
 * signatures, both with names. False, after a complaint, without memory. */
bool pattern_set_read_entries(pattern_set *set, const char *command, uint32_t syntax);

#endif
