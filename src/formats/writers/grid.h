/* grid.h: matches of grids as lines of TSV, CSV or JSON, written to whoever takes them. */
#ifndef TRAWL_WRITERS_GRID_H
#define TRAWL_WRITERS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum grid_format { GRID_TSV = 0, GRID_CSV, GRID_JSON } grid_format;

typedef struct grid_writer {
    grid_format format;
    bool count;    /* lines are counts, not matches */
    bool box;      /* a match has its rectangle, too */
    bool terminal; /* what a terminal would obey is shown */
    void (*put)(const char *line, size_t length);
    char *file; /* the present text's name, as it is written; NULL: none */
} grid_writer;

void grid_writer_header(const grid_writer *w);

/* What comes next is of that file; NULL: of none. False: no memory. */
bool grid_writer_file(grid_writer *w, const char *name);

/* The number of a needle and its name, as they are written in each line, made once; malloc'ed,
 * NULL: no memory. */
char *grid_writer_names(const grid_writer *w, size_t number, const char *name);

/* A match: its top left cell, and the needle's rows and columns. */
void grid_writer_place(const grid_writer *w, const char *names, uint64_t row, uint64_t col,
                       uint64_t rows, uint64_t cols);

void grid_writer_count(const grid_writer *w, const char *names, uint64_t count);

#endif
