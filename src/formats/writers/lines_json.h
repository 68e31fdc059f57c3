/* lines_json.h: lines of a text, and the matches in them, as JSON Lines of ripgrep's shape:
 * messages of the types begin, match, context, end and summary. */
#ifndef TRAWL_LINES_JSON_H
#define TRAWL_LINES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/patterns/line_matches.h"

/* A line that is written. */
typedef struct shown_line {
    const uint8_t *text;
    size_t length; /* without its newline */
    bool ended;    /* it has one */
    uint64_t number, offset;
    bool selected; /* or of the context */
    bool matches;  /* it may hold some */
} shown_line;

/* What messages count, of the files with a selected line. */
typedef struct line_stats {
    uint64_t files, lines, matches, bytes, printed;
    double seconds;
} line_stats;

typedef struct lines_json {
    void (*put)(void *user, const void *bytes, size_t length);
    void *user;
    const char *path; /* the present file's */
    line_stats stats; /* of it: all zero before */
    bool failed;      /* without memory */
} lines_json;

/* Before a file's first line; a line with its matches; after a file's last one, of which
 * stats.lines, .bytes and .seconds are set. `binary` is the offset of its first NUL byte, or
 * UINT64_MAX. */
void lines_json_begin(lines_json *w);
void lines_json_line(lines_json *w, const shown_line *line, const line_match *matches,
                     size_t count);
void lines_json_end(lines_json *w, uint64_t binary);

/* After all files, malloc'ed; NULL: no memory. */
char *lines_json_summary(const line_stats *stats, double seconds);

void line_stats_add(line_stats *sum, const line_stats *more);

#endif
