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

/* A file of so many bytes begins; UINT64_MAX: it is not known. */
void line_printer_begin(line_search *s, uint64_t length);

/* Print the selected line text[begin .. end) of the block, with the lines around it that may be
 * printed by now. In order. */
void line_printer_select(line_search *s, size_t begin, size_t end);

/* The block ends: print what is still to come behind the last selected line, and keep what the next
 * block may print before its first one. */
void line_printer_end_block(line_search *s);

/* The file ends. */
void line_printer_end(line_search *s);

/* A file's name, and behind it a character: as for selected lines. */
void line_printer_name(const line_style *style, printer *out, const char *name, char behind);

void line_printer_free(line_search *s);

#endif
