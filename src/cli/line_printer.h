/* line_printer.h: one line after another, with colours, columns or headings. */
#ifndef TRAWL_LINE_PRINTER_H
#define TRAWL_LINE_PRINTER_H

#include "cli/lines.h"

/* Whether the style needs it. */
bool line_printer_wanted(const line_style *style);

/* A file begins, or a piece of one. */
void line_printer_begin(line_search *s, const source *file);

/* Print a line. */
void line_printer_line(line_search *s, const shown_line *line);

/* Lines do not follow those that were printed before: say so. */
void line_printer_group(line_search *s);

/* The file cannot be printed whole. Returns false. */
bool line_printer_lose(line_search *s, const char *why);

/* The file ends. */
void line_printer_end(line_search *s);

/* A file's name, and after it a character: as for selected lines. */
void line_printer_name(const line_style *style, printer *out, const char *name, char after);

void line_printer_free(line_search *s);

#endif
