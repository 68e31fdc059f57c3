/* lines.h: the lines of a file that match, printed as GNU grep prints them. */
#ifndef TRAWL_LINES_H
#define TRAWL_LINES_H

#include "cli/cli.h"
#include "cli/printer.h"
#include "formats/patterns/line_matches.h"
#include "formats/sources/line_ends.h"
#include "formats/writers/lines_json.h"
#include "formats/writers/sgr.h"

/* What is selected and what of it is printed: "name:number:offset:line". */
typedef struct line_style {
    bool invert;     /* the lines without a match */
    bool only;       /* the matches instead of their lines */
    bool terminal;   /* what is printed is shown: names as shown_text has them */
    bool number;     /* print the line's number */
    bool offset;     /* print the offset of what is printed */
    bool silent;     /* print no line */
    bool first_only; /* stop after the first selected line */
    bool every;      /* every line matches, whatever the patterns */
    bool empties;    /* some patterns stand for empty matches */
    bool text;       /* take a file with NUL bytes for text */
    bool no_binary;  /* pass over a file with one among its first bytes */
    bool null_name;  /* a NUL byte ends the name, as -Z has it */
    uint64_t most;   /* selected lines, after which the search stops */
    uint8_t end;     /* the byte that ends a line: a newline, or NUL */

    /* Where one of these is wanted, line_printer.c prints the lines; `apart` says so. */
    bool apart;
    bool context;           /* groups of lines, with `separator` between them unless it is NULL */
    uint64_t before, after; /* lines around a selected one */
    const char *separator;
    const sgr_colours *colours; /* NULL: none */
    bool tab;                   /* one before the line, and numbers in columns */
    bool heading;               /* the name on a line of its own */
    bool json;                  /* messages of formats/writers/lines_json.h instead */
} line_style;

/* Around selected lines: what line_context.c knows of a file. */
typedef struct line_context {
    size_t shown;      /* end of the block's last line that was printed; 0: none was */
    bool began;        /* a line of the file was printed: */
    uint64_t shown_to; /* its end in the file */
    uint64_t left;     /* lines still to be printed after the last selected one */
    int width;         /* of numbers under `tab` */

    /* The last lines before the block, if they were not printed: kept[begin .. end). */
    uint8_t *kept;
    size_t begin, end, room;
    uint64_t lines;
} line_context;

/* Where what a piece of a file has printed begins and ends in the file, for what belongs between it
 * and its neighbours: line_context.c. */
typedef struct line_edges {
    bool began;                  /* it has printed a line */
    uint64_t from, to;           /* the first one's begin, the last one's end */
    uint64_t from_line, to_line; /* lines before these, where they are numbered */
    uint64_t before, after; /* lines that are still wanted before the first and after the last */
} line_edges;

typedef struct line_search {
    const line_style *style;
    const trawl_plan *plan; /* NULL: no pattern, so no line matches */
    trawl_context *context;
    printer *out;
    size_t largest; /* bytes read at once; 0: some MiB */

    /* One file's results. */
    uint64_t selected;   /* lines */
    uint64_t bytes;      /* searched */
    uint64_t offset;     /* where the block begins in the file */
    bool binary;         /* from the line of the first NUL byte on: none is printed */
    bool binary_matched; /* a line was selected since then */
    bool packed;         /* it begins as a compressed file */
    trawl_error error;   /* what a scan failed with */

    /* The present block: lines that are all text, or all binary. */
    const uint8_t *text;
    size_t length;
    size_t done;    /* begin of the first line that is not decided yet */
    size_t used;    /* end of the last line that was selected */
    size_t counted; /* newlines before it are counted: */
    uint64_t line;  /* their number, with those of earlier blocks */
    bool finished;  /* no further line is wanted */
    char *prefix;   /* "name:" and room for two numbers */
    size_t prefix_length, prefix_room;

    null_lines nulls; /* where style->end is one */

    /* Where style->apart is set. */
    const char *name;  /* NULL: lines have none */
    line_edges *edges; /* of the piece that is searched; NULL: it is a whole file */
    line_context context_lines;
    line_matches matches; /* of one line */
    bool broken;          /* a line could not be searched: error */
    double began;
    lines_json json;
    uint64_t binary_offset; /* of a file's first NUL byte */
} line_search;

typedef enum line_result {
    LINES_OK,
    LINES_READ_FAILED, /* see the file's `why` */
    LINES_SCAN_FAILED, /* see error */
    LINES_WRITE_FAILED /* standard output takes no more, or nobody wants it */
} line_result;

/* Search one file. `name` is printed before each line unless it is NULL. Standard input is left
 * after the last line that was needed. */
line_result lines_search(line_search *s, source *file, const char *name);

/* As lines_search, from the offset `at` of a mappable file on: `selected` lines were selected
 * before, of `line` lines, and printed up to `last`. */
line_result lines_resume(line_search *s, source *file, const char *name, uint64_t at,
                         uint64_t selected, uint64_t line, line_edges *last);

/* Search a piece of a file that has no NUL byte, after `line` lines. Only LINES_OK means that it
 * was searched. What is printed of it is in `edges`, which is all zero before. */
line_result lines_piece(line_search *s, const source *file, const line_piece *p, const char *name,
                        uint64_t line, line_edges *edges);

/* The number of the line that begins at `at` of the block, which none before it did. */
uint64_t lines_number(line_search *s, size_t at);

void lines_free(line_search *s);

#endif
