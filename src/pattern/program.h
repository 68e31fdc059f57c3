/* program.h: patterns that are no sequence of elements, as position automata.
 *
 * A position takes one byte of a class. The links of a position say what may follow it: another
 * position, or the end of the match; those of the start, with which a match may begin. The links
 * stand in the order in which Perl would try them: of two ways that both lead to a match, the first
 * one is preferred. So the same lists serve engines, which ask for all ends, and reports, which
 * choose.
 *
 * What a pattern asks of neighbouring bytes (borders of words, lines and the text) is resolved when
 * the program is made: a position whose links depend on its byte is divided by kinds of bytes. So
 * only links of the start and links to the end have a condition left: on the byte before the match,
 * and on the one after it.
 *
 * A program is one flat block without pointers, as it is saved in plans.
 *
 * Source: Glushkov 1961; the order of links as in Pike's machine (Cox 2009).
 */
#ifndef TRAWL_PATTERN_PROGRAM_H
#define TRAWL_PATTERN_PROGRAM_H

#include "pattern/pattern.h"

#define PROGRAM_MAX_POSITIONS (1u << 16)
#define PROGRAM_MAX_LINKS (1u << 22)
#define PROGRAM_END UINT32_MAX /* as `to` */

/* What may stand before a match: a set of these bits. */
enum {
    BEFORE_BEGIN = 1,    /* the begin of the text */
    BEFORE_LINE = 2,     /* the byte that ends a line */
    BEFORE_LETTER = 4,   /* a letter or digit of ASCII */
    BEFORE_LOW_LINE = 8, /* _ */
    BEFORE_OTHER = 16,
    BEFORE_ANY = 31
};

/* What may stand after a match. */
enum {
    AFTER_END = 1,       /* the end of the text */
    AFTER_LINE = 2,      /* the byte that ends a line, unless it is the text's last byte */
    AFTER_LAST_LINE = 4, /* the byte that ends a line, as the text's last byte */
    AFTER_LETTER = 8,
    AFTER_LOW_LINE = 16,
    AFTER_OTHER = 32,
    AFTER_ANY = 63
};

typedef struct program_link {
    uint32_t to;   /* a position, or PROGRAM_END */
    uint32_t when; /* a link of the start: BEFORE_..., to the end: AFTER_..., else 0 */
} program_link;

/* Followed by byte_class[positions], uint32_t[positions + 2] (and one more of padding where that is
 * odd), and program_link[links]: the links of the start are those from first[0] on, those of
 * position p from first[p + 1] on, up to the next one's. */
struct program {
    uint32_t positions, links;
    uint32_t line; /* the byte that ends a line */
    uint32_t reserved;
};

static inline size_t program_firsts(uint32_t positions)
{
    return ((size_t)positions + 3) / 2 * 2;
}

/* The bytes of a program, a multiple of 8. */
static inline size_t program_size(uint32_t positions, uint32_t links)
{
    return sizeof(program) + positions * sizeof(byte_class) +
           program_firsts(positions) * sizeof(uint32_t) + links * sizeof(program_link);
}

static inline const byte_class *program_sets(const program *p)
{
    return (const byte_class *)(const void *)(p + 1);
}

static inline const uint32_t *program_first(const program *p)
{
    return (const uint32_t *)(const void *)(program_sets(p) + p->positions);
}

static inline const program_link *program_links(const program *p)
{
    return (const program_link *)(const void *)(program_first(p) + program_firsts(p->positions));
}

/* The links of a list: 0 is the start's, p + 1 that of position p. They go from *link to *end. */
static inline void program_list(const program *p, uint32_t list, const program_link **link,
                                const program_link **end)
{
    const uint32_t *first = program_first(p);
    *link = program_links(p) + first[list];
    *end = program_links(p) + first[list + 1];
}

/* The kinds of a byte that stands before a match, or after one that is not at the text's end. */
static inline uint32_t program_before(const program *p, uint8_t byte)
{
    return byte == p->line      ? BEFORE_LINE
           : byte == '_'        ? BEFORE_LOW_LINE
           : is_word_byte(byte) ? BEFORE_LETTER
                                : BEFORE_OTHER;
}

static inline uint32_t program_after(const program *p, uint8_t byte, bool last)
{
    return byte == p->line      ? (last ? AFTER_LAST_LINE : AFTER_LINE)
           : byte == '_'        ? AFTER_LOW_LINE
           : is_word_byte(byte) ? AFTER_LETTER
                                : AFTER_OTHER;
}

/* The bytes that a set of BEFORE_... bits, or of AFTER_... bits, allows; the latter where the text
 * goes on after them. */
byte_class program_bytes_before(const program *p, uint32_t when);
byte_class program_bytes_after(const program *p, uint32_t when);

/* Make a program of parts: `first` has positions + 2 entries. NULL: memory. */
program *program_make(memory *m, uint32_t positions, const byte_class *sets, const uint32_t *first,
                      const program_link *links, uint32_t line);

/* A copy with only those links of the start and to the end that `before` and `after` allow, a part
 * of whose conditions they take away, and without the positions that no match has then. *made is
 * NULL if there are no matches left. False: memory. */
bool program_restrict(memory *m, const program *p, uint32_t before, uint32_t after, program **made);

/* The lengths of the shortest and the longest match, LENGTH_UNBOUNDED if there is none. False:
 * memory. A program whose check has passed. */
bool program_measure(memory *m, const program *p, uint64_t *min, uint64_t *max);

/* Verify a stranger's program of `size` bytes: lists and links lie within it, no position is
 * without a byte, no link of the start leads to the end, each position is reached from the start
 * and reaches the end, and conditions stand only where they may. */
bool program_check(memory *m, const void *block, size_t size);

#endif
