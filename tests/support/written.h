/* written.h: bytes, classes and counts as patterns have them written, for the oracles. It shares no
 * code with the library. */
#ifndef TRAWL_WRITTEN_H
#define TRAWL_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNBOUNDED SIZE_MAX

/* What cannot be read sets `wrong`, unless it is set; what is read after that says nothing. */
typedef struct reader {
    const unsigned char *text;
    size_t length;
    size_t at;         /* the next byte */
    const char *wrong; /* NULL: nothing is */
} reader;

/* After the last byte, or where something was wrong. */
bool reader_ended(const reader *r);
bool reader_sees(const reader *r, char byte);
/* Take `byte`, if it comes next. */
bool reader_skip(reader *r, char byte);
unsigned char reader_take(reader *r);
void reader_fail(reader *r, const char *what);

/* A letter, a digit or _, as for isalpha() and its kin. */
int is_word(int byte);

/* One byte, which may be written as an escape. */
unsigned char read_byte(reader *r);
/* Take \d and its kin, or [:digit:] and its kin, if one comes next, and add its bytes to `set`. */
bool read_named_class(reader *r, bool set[256]);
/* [...]; the opening bracket is taken already. A ']' that comes first is a byte. */
void read_class(reader *r, bool nocase, bool set[256]);
void add_both_cases(bool set[256]);

/* {x} {x,} {x,y} {,y}; the opening brace is taken already. */
void read_counts(reader *r, size_t *min, size_t *max);

#endif
