/* lines.h: the lines of a file that match, printed as GNU grep prints them. */
#ifndef TRAWL_LINES_H
#define TRAWL_LINES_H

#include "cli/cli.h"
#include "cli/printer.h"
#include "io/source.h"

/* What is selected and what of it is printed: "name:number:offset:line". */
typedef struct line_style {
    bool invert;     /* the lines without a match */
    bool only;       /* the matches instead of their lines */
    bool number;     /* print the line's number */
    bool offset;     /* print the offset of what is printed */
    bool silent;     /* print no line */
    bool first_only; /* stop after the first selected line */
    bool text;       /* take a file with NUL bytes for text */
    uint64_t most;   /* stop after so many selected lines */
} line_style;

typedef struct line_search {
    const line_style *style;
    const trawl_plan *plan; /* NULL: no pattern, so no line matches */
    trawl_context *context;
    printer *out;
    size_t largest; /* bytes read at once; 0: some MiB */

    /* One file's results. */
    uint64_t selected;   /* lines */
    uint64_t bytes;      /* searched */
    bool binary;         /* from the line of the first NUL byte on: none is printed */
    bool binary_matched; /* a line was selected since then */
    trawl_error error;   /* what a scan failed with */

    /* The present block: lines that are all text, or all binary. */
    const uint8_t *text;
    size_t length;
    size_t done;    /* begin of the first line that is not decided yet */
    size_t used;    /* end of the last line that was selected */
    size_t counted; /* newlines before it are counted: */
    uint64_t line;  /* so many, with those of earlier blocks */
    bool finished;  /* no further line is wanted */
    char *prefix;   /* "name:" and room for two numbers */
    size_t prefix_length, prefix_room;
} line_search;

typedef enum line_result {
    LINES_OK,
    LINES_READ_FAILED, /* see the file's `why` */
    LINES_SCAN_FAILED, /* see error */
    LINES_WRITE_FAILED /* standard output takes no more, or nobody wants it */
} line_result;

/* Search one file. `name` is printed before each line unless it is NULL. Standard input is left
 * behind the last line that was needed. */
line_result lines_search(line_search *s, source *file, const char *name);

/* As lines_search, from the offset `at` on, where the file was placed: `selected` lines were
 * selected before, of `line` lines. */
line_result lines_resume(line_search *s, source *file, const char *name, uint64_t at,
                         uint64_t selected, uint64_t line);

/* Search a piece of a file: whole lines without a NUL byte, which begin at the offset `at`, behind
 * `line` lines. Only LINES_OK means that it was searched. */
line_result lines_piece(line_search *s, uint8_t *text, size_t length, const char *name, uint64_t at,
                        uint64_t line);

/* Newlines in so many bytes. */
uint64_t lines_count(const uint8_t *text, size_t length);

void lines_free(line_search *s);

#endif
