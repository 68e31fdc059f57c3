/* format.h: what a format of lines is made of. */
#ifndef TRAWL_WRITER_FORMAT_H
#define TRAWL_WRITER_FORMAT_H

#include "formats/writers/writer.h"

struct writer_format {
    /* malloc'ed text; NULL without memory. */
    char *(*header)(const writer *w); /* NULL: there is none */
    char *(*file)(const char *name);
    char *(*opening)(const writer *w, const writer_place *place);
    char *(*label)(const writer *w, const trawl_pattern *p);
    bool label_last; /* it stands after the numbers */

    /* What stands in a line after opening and label: put it at `at`, where there is room for
     * WRITER_NUMBERS bytes, and return its end. */
    char *(*match)(char *at, const trawl_match *match);
    char *(*count)(char *at, uint64_t count);

    /* The same after the label of a match, with `numbers`; NULL: it stands in the opening. */
    char *(*index)(char *at, uint64_t index);

    /* After a match, with `matched`, malloc'ed: its bytes; NULL: nobody knows them. */
    char *(*matched)(const uint8_t *bytes, size_t length);

    /* What stands after the opening of the line of a rule that holds, malloc'ed; NULL where the
     * format cannot say it. */
    char *(*verdict)(const rule *r);

    const char *end; /* of each line */
    const char *name;
    bool track; /* nothing but matches with their starts: count and matched are NULL */
};

enum { WRITER_NUMBERS = 128 };

/* A copy without its NUL, and its end. */
char *writer_put(char *at, const char *text);

/* + or -; NULL: patterns of its syntax have no strand. */
const char *writer_strand(const trawl_pattern *p);

/* The name of a pattern without one is its text: its first byte, and how many. */
const char *writer_name(const writer *w, const trawl_pattern *p, size_t *length);

#endif
