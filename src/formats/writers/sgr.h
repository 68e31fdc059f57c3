/* sgr.h: colours of lines and of matches in them, as GREP_COLORS names them: the numbers of the
 * terminal's escape sequence "select graphic rendition". */
#ifndef TRAWL_SGR_H
#define TRAWL_SGR_H

#include <stdbool.h>

/* Numbers with semicolons between them; empty: no colour. */
typedef struct sgr_colours {
    char selected_match[64], context_match[64];
    char selected_line[64], context_line[64];
    char name[64], number[64], offset[64], separator[64];
    bool reverse; /* under -v the lines' two are exchanged */
    bool plain;   /* the rest of the terminal's line is left alone */
} sgr_colours;

/* GNU grep's colours, changed as a text like "ms=01;32:sl=1:ne" says (NULL: not). What comes first
 * and cannot be read ends it. */
void sgr_read(sgr_colours *colours, const char *text);

#endif
