/* grid.c: see grid.h. */
#include "formats/writers/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/writers/text.h"

#define NUMBERS 300 /* bytes of a line after its names */

static void put_text(const grid_writer *w, const char *text)
{
    w->put(text, strlen(text));
}

/* ---- names ---------------------------------------------------------------------- */

/* A CSV field: in quotes, which are doubled, when it has to be (RFC 4180). */
static char *csv_quote(const char *text)
{
    char *quoted = malloc(2 * strlen(text) + 3), *to = quoted;
    const bool plain = strpbrk(text, ",\"\r\n") == NULL;
    if (quoted == NULL)
        return NULL;
    if (!plain)
        *to++ = '"';
    for (; *text; text++) {
        if (*text == '"')
            *to++ = '"';
        *to++ = *text;
    }
    if (!plain)
        *to++ = '"';
    *to = '\0';
    return quoted;
}

static char *quote_name(const grid_writer *w, const char *column, const char *name)
{
    char *quoted = w->format == GRID_JSON  ? json_member(column, name, strlen(name))
                   : w->format == GRID_CSV ? csv_quote(name)
                                           : tsv_quote(name);
    return terminal_text(w->terminal, quoted);
}

bool grid_writer_file(grid_writer *w, const char *name)
{
    free(w->file);
    w->file = name ? quote_name(w, "file", name) : NULL;
    return w->file || !name;
}

char *grid_writer_names(const grid_writer *w, size_t number, const char *name)
{
    char *quoted = quote_name(w, "name", name);
    char *names = quoted ? format_text(w->format == GRID_JSON  ? "\"needle\":%zu,%s"
                                       : w->format == GRID_CSV ? "%zu,%s"
                                                               : "%zu\t%s",
                                       number, quoted)
                         : NULL;
    free(quoted);
    return names;
}

/* ---- lines ---------------------------------------------------------------------- */

void grid_writer_header(const grid_writer *w)
{
    static const char *const places[] = { "file\tneedle\tname\trow\tcol",
                                          "file,needle,name,row,col" };
    static const char *const counts[] = { "file\tneedle\tname\tcount\n",
                                          "file,needle,name,count\n" };
    static const char *const boxes[] = { "\tx\ty\tw\th\tcentre_x\tcentre_y\n",
                                         ",x,y,w,h,centre_x,centre_y\n" };
    if (w->format == GRID_JSON)
        return;
    put_text(w, w->count ? counts[w->format] : places[w->format]);
    if (!w->count)
        put_text(w, w->box ? boxes[w->format] : "\n");
}

/* "file, names", before the numbers of a line. */
static void put_names(const grid_writer *w, const char *names)
{
    put_text(w, w->format == GRID_JSON ? "{" : "");
    put_text(w, w->file);
    put_text(w, w->format == GRID_TSV ? "\t" : ",");
    put_text(w, names);
}

void grid_writer_place(const grid_writer *w, const char *names, uint64_t row, uint64_t col,
                       uint64_t rows, uint64_t cols)
{
    static const char *const places[] = { "\t%" PRIu64 "\t%" PRIu64, ",%" PRIu64 ",%" PRIu64,
                                          ",\"row\":%" PRIu64 ",\"col\":%" PRIu64 };
    static const char *const boxes[] = {
        "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
        ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
        ",\"x\":%" PRIu64 ",\"y\":%" PRIu64 ",\"w\":%" PRIu64 ",\"h\":%" PRIu64
        ",\"centre_x\":%" PRIu64 ",\"centre_y\":%" PRIu64
    };
    char numbers[NUMBERS];
    int length = snprintf(numbers, sizeof numbers, places[w->format], row, col);
    if (w->box)
        length += snprintf(numbers + length, sizeof numbers - (size_t)length, boxes[w->format], col,
                           row, cols, rows, col + cols / 2, row + rows / 2);
    put_names(w, names);
    w->put(numbers, (size_t)length);
    put_text(w, w->format == GRID_JSON ? "}\n" : "\n");
}

void grid_writer_count(const grid_writer *w, const char *names, uint64_t count)
{
    static const char *const counts[] = { "\t%" PRIu64 "\n", ",%" PRIu64 "\n",
                                          ",\"count\":%" PRIu64 "}\n" };
    char numbers[NUMBERS];
    const int length = snprintf(numbers, sizeof numbers, counts[w->format], count);
    put_names(w, names);
    w->put(numbers, (size_t)length);
}
