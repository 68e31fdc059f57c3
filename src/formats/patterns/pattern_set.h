/* pattern_set.h: patterns, and where they were read: what lists and files of rules become.
 *
 * Nothing is printed here. What is to be said, faults and warnings, goes to the set's `tell`; where
 * a function says that it tells, false and NULL come after that; elsewhere they mean no memory.
 */
#ifndef TRAWL_PATTERN_SET_H
#define TRAWL_PATTERN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

/* Where a pattern was read, and what it asks for; file is NULL for one of the command line. */
typedef struct pattern_origin {
    const char *file;
    size_t line;
    bool styled;      /* it came with its syntax, flags and id: of a rule */
    bool negated;     /* ... that asks for it not to be there */
    size_t signature; /* number of ClamAV's that it is part of, which may be left out; 0: none */
    size_t head; /* bytes before the pattern's text that say something of it: "(?i)" */
    trawl_conditions conditions; /* of its matches; of size 0: none */
} pattern_origin;

/* The id of a pattern that stands for one of no byte, so that nothing of its match is printed. */
enum { NO_PIECE = 0 };

/* What may be left out of a file of patterns, with a warning that has its line. */
enum { LEFT_RULES, LEFT_STRINGS, LEFT_SIGNATURES, LEFT_ENTRIES, LEFT_KINDS };

/* What is to be said of patterns that are read. */
typedef struct pattern_message {
    bool warning;     /* else what was asked for is not done */
    const char *file; /* in which it is; NULL: of no file */
    size_t line;      /* 0: of no line */
    const char *text; /* of this call alone */
} pattern_message;

typedef void (*pattern_tell)(void *user, const pattern_message *message);

typedef struct pattern_set {
    pattern_tell tell; /* NULL: nobody is told */
    void *teller;      /* its user */
    trawl_pattern *patterns;
    pattern_origin *origins;
    size_t count, room;
    bool given;   /* some, or a file that may have none */
    char **owned; /* texts and the names of files */
    size_t owned_count, owned_room;
    bool with_names;    /* lines of files are NAME, a tab and the pattern */
    bool takes_fasta;   /* a file of patterns may be FASTA, or of another known format */
    bool extended;      /* -E was given: who writes \\| knows what it means */
    bool by_line;       /* only lines that match count, not where a match ends */
    bool every_start;   /* without --report all starts are asked for: of YARA's strings */
    bool conditional;   /* some pattern has conditions */
    size_t left_out[LEFT_KINDS];
    size_t signatures;           /* of ClamAV's that were read */
    struct rule_list *rules;     /* of --rules (rules.h); NULL: none */
    bool takes_empty, has_empty; /* an empty pattern is not added, but noted, if it may be */
    bool keeps_texts;            /* the plan shall hold the patterns' texts, and */
    uint32_t tag;                /* the plan's, */
    const char *note;            /* and its note; NULL: none */
    trawl_plan *plan;            /* the patterns are those of a plan that was made; it holds them */
} pattern_set;

/* Add one pattern (copied). Ids count from 1 in the order of adding. Tells of a failure. */
bool pattern_set_add(pattern_set *set, const char *text, size_t length);
/* The same of each line of a text, as GNU grep has it. */
bool pattern_set_add_lines(pattern_set *set, const char *text);
/* Add a file's lines (LF or CRLF; "-" is standard input). Tells of a failure. */
bool pattern_set_add_file(pattern_set *set, const char *path);
/* Add the contents of a file of Snort's or Suricata's rules, with their sids as ids, negated ones
 * too, until it is known what for (rules.h). A rule that is malformed is left out. Tells of a
 * failure. */
bool pattern_set_add_rules(pattern_set *set, const char *path);
/* Add the strings of a file of YARA's rules, named RULE:$STRING; one that is left out is told in a
 * warning. Tells of a failure. */
bool pattern_set_add_yara(pattern_set *set, const char *path);
void pattern_set_free(pattern_set *set);

/* Compile `count` patterns, from number `first` on, with their conditions. As trawl_compile. */
int pattern_set_make(const pattern_set *set, size_t first, size_t count,
                     const trawl_compile_options *options, trawl_plan **plan, trawl_error *error);

/* Tell of what ends the reading; printf-like. `file` is NULL, and `line` 0, where it has no place.
 * Always false. */
bool pattern_set_fail(const pattern_set *set, const char *file, size_t line, const char *format,
                      ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* Tell of what is not done, or may not be meant. */
void pattern_set_warn(const pattern_set *set, const char *file, size_t line, const char *format,
                      ...)
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* ---- for who reads a file of patterns ---------------------------------------------- */

/* Take `text` (malloc'ed) over, on failure too; NULL is a failure. */
bool pattern_set_own(pattern_set *set, char *text);
/* `count` bytes and one more that the set owns. */
char *pattern_set_room(pattern_set *set, size_t count);
/* The whole file, which the set owns. Tells of a failure. */
char *pattern_set_read(pattern_set *set, const char *path, size_t *length);
/* The value of a hexadecimal digit; -1: it is none. */
int hex_digit(char c);
/* Pattern `index` asks for that: a TRAWL_PLACE, a TRAWL_WORD. */
void pattern_set_place(pattern_set *set, size_t index, uint32_t place, uint64_t offset,
                       uint64_t within);
void pattern_set_word(pattern_set *set, size_t index, uint32_t word);
/* One more pattern; `text` and `file` outlive the set, or are owned by it. */
bool pattern_set_append(pattern_set *set, const char *text, size_t length, const char *file,
                        size_t line);

#endif
