/* line_printer.h: selected lines with context, colours, columns or headings. */
#ifndef TRAWL_LINE_PRINTER_H
#define TRAWL_LINE_PRINTER_H

#include "cli/lines.h"

/* A line that is printed. */
typedef struct shown_line {
    const uint8_t *text;
    size_t length; /* without its newline */
    bool ended;    /* it has one */
    uint64_t number, offset;
    bool selected; /* or of the context */
    bool matches;  /* it may hold some */
} shown_line;

/* Whether the style needs it. */
bool line_printer_wanted(const line_style *style);

/* A file begins, or a piece of one. */
void line_printer_begin(line_search *s, const source *file);

/* Print the selected line text[begin .. end) of the block, with the lines around it that may be
 * printed by now. In order. */
void line_printer_select(line_search *s, size_t begin, size_t end);

/* The block ends: print what is still to come behind the last selected line, and keep what the next
 * block may print before its first one; of a piece, note its edges. */
void line_printer_end_block(line_search *s);

/* Between pieces, of a file that was begun. Print the lines up to `end` that were still wanted
 * behind the last ones, and note it there. False: the file's why, or s->broken. */
bool line_printer_behind(line_search *s, source *file, line_edges *last, uint64_t end);

/* Print all that belongs between the last lines and those of the next piece. Likewise. */
bool line_printer_join(line_search *s, source *file, line_edges *last, const line_edges *next);

/* Go on at s->offset as if all before had been one file, printed up to `last`. Likewise. */
bool line_printer_resume(line_search *s, source *file, line_edges *last);

/* The file ends. */
void line_printer_end(line_search *s);

/* A file's name, and behind it a character: as for selected lines. */
void line_printer_name(const line_style *style, printer *out, const char *name, char behind);

void line_printer_free(line_search *s);

#endif
