/* reader.h: what the extended syntax and its dialects read of a pattern's text: sets of bytes and
 * repeats, one at a time. What is refused is refused at its column, with advice.
 */
#ifndef TRAWL_PATTERN_READER_H
#define TRAWL_PATTERN_READER_H

#include "pattern/extended.h"

/* What flags within a pattern turn on and off, as (?s) and (?-m) do, beside TRAWL_NOCASE. */
enum {
    MODE_DOT_ALL = 1, /* s: . matches the byte that ends lines, too */
    MODE_LINES = 2,   /* m: ^ and $ are the borders of lines, not of the text alone */
    MODE_SPACED = 4   /* x: blanks and comments stand for nothing */
};

typedef struct reader {
    const trawl_pattern *src;
    const dialect *dialect; /* NULL: letters are bytes */
    const uint8_t *text;
    size_t length;
    size_t at;      /* the next byte to read */
    uint32_t flags; /* of the pattern, and TRAWL_NOCASE as it is here */
    uint32_t modes;
    trawl_error *error;
} reader;

typedef struct repeat {
    uint32_t min, max; /* max: 1 .. or REPEAT_UNBOUNDED */
    bool lazy;         /* few are tried before many */
    bool possessive;   /* as many as there are, and no fewer */
} repeat;

int reader_reject(reader *r, size_t offset, const char *advice);

/* The byte `ahead` places on, or -1 past the end. */
static inline int reader_peek(const reader *r, size_t ahead)
{
    return ahead < r->length - r->at ? r->text[r->at + ahead] : -1;
}

/* Whether the text goes on with the word. */
bool reader_at(const reader *r, const char *word);

/* Length of the multi-byte UTF-8 character at `at`, or 0 when there is none. */
size_t reader_utf8_length(const reader *r);

/* The condition at `at`, as the byte that tells it apart; 0: there is none. *length is what it
 * takes of the text. */
char reader_condition(const reader *r, size_t *length);

/* Read a set of bytes, complete with its flags: a byte, a class, an escape or a dot. */
int reader_set(reader *r, byte_class *set);

/* Read a quantifier; {1,1} when there is none. */
int reader_repeat(reader *r, repeat *found);

#endif
