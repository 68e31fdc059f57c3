/* syntax.h: the table of syntaxes. A new one is a file with its parser, and a line here.
 *
 * A parser fills bytes or elements, literal and length of a zeroed pattern from src->text; flags
 * are already set, and the text is not empty. It checks the syntax, that no match is empty and that
 * a literal is not too long. On an error error->offset is set; error->pattern is filled by the
 * caller, who also frees what *out holds. Each call reads one alternative: *next is 0 in the first
 * call, later what the call before left there, an offset or a number; the last one leaves LAST_ONE.
 */
#ifndef TRAWL_PATTERN_SYNTAX_H
#define TRAWL_PATTERN_SYNTAX_H

#include "pattern/pattern.h"

/* clang-format off */
/* The number in trawl_syntax, the name, what it is. parse_NAME is its parser. */
#define SYNTAXES(LINE)                                                                         \
    LINE(TRAWL_SYNTAX_LITERAL,  literal,  "the bytes as they are")                             \
    LINE(TRAWL_SYNTAX_ESCAPED,  escaped,  "bytes and C escapes")                               \
    LINE(TRAWL_SYNTAX_EXTENDED, extended, "byte classes and repeats")                        \
    LINE(TRAWL_SYNTAX_PROSITE,  prosite,  "motifs of amino acids")                              \
    LINE(TRAWL_SYNTAX_IUPAC,    iupac,    "codes of bases")                                     \
    LINE(TRAWL_SYNTAX_HEX,      hex,      "hexadecimal bytes")
/* clang-format on */

#define LAST_ONE SIZE_MAX

typedef int syntax_parser(memory *m, const trawl_pattern *src, size_t *next, pattern *out,
                          trawl_error *error);

#define SYNTAX_PARSER(number, name, about) syntax_parser parse_##name;
SYNTAXES(SYNTAX_PARSER)
#undef SYNTAX_PARSER

#endif
