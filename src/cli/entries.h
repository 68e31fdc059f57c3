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
/* The value of a hexadecimal digit; -1: it is none. */
int hex_digit(char c);
/* One more pattern; `text` and `file` outlive the set, or are owned by it. */
bool pattern_set_append(pattern_set *set, const char *text, size_t length, const char *file,
                        size_t line);

/* Whether a list begins with a title of FASTA, ">" and a word, and a line that is none. */
bool looks_like_fasta(const char *text, size_t length);

/* The lines of files were added as patterns: those of a FASTA file become its sequences, those of a
 * PROSITE file (TRAWL_SYNTAX_PROSITE) its patterns, those of a ClamAV file (.ndb; TRAWL_SYNTAX_HEX)
 * its signatures, and any "NAME, a tab, PATTERN" where the set has names: all with names. False,
 * after a complaint. */
bool pattern_set_read_entries(pattern_set *set, const char *command, uint32_t syntax);

#endif
