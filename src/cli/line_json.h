/* line_json.h: selected lines as JSON Lines of ripgrep's shape: messages of the types begin, match,
 * context, end and summary. */
#ifndef TRAWL_LINE_JSON_H
#define TRAWL_LINE_JSON_H

#include "cli/line_printer.h"

/* Before a file's first line, a line with s->matches, and after a file's last one. */
void line_json_begin(line_search *s);
void line_json_line(line_search *s, const shown_line *line);
void line_json_end(line_search *s);

/* Behind all files. */
void line_json_summary(printer *out, const line_stats *stats, double seconds);

#endif
