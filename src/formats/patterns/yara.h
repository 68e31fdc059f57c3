/* yara.h: the strings of YARA's rules, as patterns. */
#ifndef TRAWL_YARA_H
#define TRAWL_YARA_H

#include "formats/patterns/entries.h"

/* A regular expression between slashes as a pattern of the extended syntax, which the set owns, in
 * plain bytes or in characters of two (`wide`). NULL: *why, or without memory *why is NULL as well.
 */
typedef struct yara_regex {
    const char *text;
    size_t length;
    bool nocase;  /* and what the modifiers say */
    bool dot_all; /* . is a newline too */
    bool wide;
    bool one_length; /* set: all matches have it */
} yara_regex;

char *yara_regex_pattern(pattern_set *set, yara_regex *r, size_t *length, const char **why);

#endif
