/* bytes.h: what the syntaxes share: literals, byte by byte, and C escapes. */
#ifndef TRAWL_PATTERN_BYTES_H
#define TRAWL_PATTERN_BYTES_H

#include "pattern/pattern.h"

/* A literal is never longer than its text: literal_begin allocates that much, and literal_append
 * adds the byte that was read at `offset` of the text, folded if the flags say so. */
int literal_begin(memory *m, const trawl_pattern *src, pattern *out, trawl_error *error);
int literal_append(const trawl_pattern *src, size_t offset, uint8_t byte, pattern *out,
                   trawl_error *error);
int check_literal_length(size_t length, trawl_error *error);

/* The byte that ends lines, under TRAWL_LINES. */
static inline uint8_t line_terminator(uint32_t flags)
{
    return flags & TRAWL_NULS ? '\0' : '\n';
}

/* Fail: the pattern holds the byte that ends lines. */
int reject_terminator(uint32_t flags, size_t offset, trawl_error *error);

/* Read the C escape whose backslash is at text[*at], and step over it. */
int parse_escape(const uint8_t *text, size_t length, size_t *at, uint8_t *byte, trawl_error *error);

#endif
