/* extended.h: dialects of the extended syntax, whose letters stand for sets of bytes. */
#ifndef TRAWL_PATTERN_EXTENDED_H
#define TRAWL_PATTERN_EXTENDED_H

#include "pattern/pattern.h"

typedef struct dialect {
    /* Add the bytes that `byte` of the pattern stands for. False: it is no letter of the
     * dialect. */
    bool (*letter)(const trawl_pattern *src, uint8_t byte, byte_class *set);
    /* Called when the set of an element is complete but for its negation. */
    void (*finish)(uint32_t flags, bool negated, byte_class *set);
    const char *advice; /* for the message about a byte that is no letter */
} dialect;

/* As a syntax_parser. An element of a dialect is a letter or a class of letters. */
int parse_dialect(const dialect *of, memory *m, const trawl_pattern *src, size_t *next,
                  pattern *out, trawl_error *error);

/* The program of all alternatives of a pattern that parse_extended has taken, one after the other:
 * what reports by priority need. */
int extended_program(memory *m, const trawl_pattern *src, program **made, trawl_error *error);

#endif
