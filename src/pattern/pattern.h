/* pattern.h: the validated form of a set of patterns, whatever syntax they came in.
 *
 * A pattern is a sequence of elements; an element is a byte class and a repeat
 * {min, max}. A literal is the special case in which each class is one byte and
 * each repeat is {1, 1}; it is kept as plain bytes, which most engines want. A needle is a
 * rectangle of cells. Every syntax lowers to this list; engines read nothing else.
 */
#ifndef TRAWL_PATTERN_H
#define TRAWL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "trawl/grid.h"

#define REPEAT_UNBOUNDED UINT32_MAX
#define LENGTH_UNBOUNDED UINT64_MAX

/* Limits. They keep state numbers and table offsets within 32 bits. */
#define PATTERN_MAX_STATES (1u << 20) /* states of one extended pattern */
#define PATTERN_MAX_LENGTH (1u << 26) /* bytes of one literal */
#define PATTERN_MAX_COUNT (1u << 24)  /* patterns of one plan */

typedef struct byte_class {
    uint64_t bits[4]; /* bit b of bits[b / 64]: byte b belongs */
} byte_class;

typedef struct element {
    byte_class set;
    uint32_t min; /* repeats, 0 .. max */
    uint32_t max; /* 1 .. or REPEAT_UNBOUNDED */
} element;

/* What must stand on one side of a match: [0] where the match's own byte on that side does not
 * belong to a word, [1] where it does. */
typedef struct border {
    byte_class set[2]; /* one of these bytes, */
    uint8_t edge[2];   /* or, if it is 1, the border of the text */
    uint8_t given;     /* 0: anything may stand there */
    uint8_t own;       /* 1: [0] and [1] differ */
    uint32_t last; /* after a match: this byte less 1 will do too, as the text's last byte; 0: it
                      will not */
} border;

/* What else is asked of a match, as in trawl_conditions; it is saved in the plan. What a word of
 * single bytes asks for is in the borders too. */
typedef struct demands {
    uint32_t place, word;
    uint64_t offset, within;
} demands;

typedef struct program program; /* pattern/program.h */

/* An opened pattern begins with one more element, or byte, which is what stands before the match;
 * lengths count it. The driver puts an opening before the text: a byte that stands for the border
 * of the text. */
typedef struct pattern {
    uint32_t id;
    uint32_t order;    /* index in the caller's array */
    uint32_t flags;    /* TRAWL_NOCASE, TRAWL_LINES, ... */
    uint32_t syntax;   /* a trawl_syntax */
    bool folded;       /* TRAWL_NOCASE is implied by its syntax, not given */
    bool literal;      /* bytes holds it; else elements or a program does */
    bool opened;       /* begins with what stands before it */
    bool varied;       /* an alternative of a pattern that varies in length, whatever its own: it
                          has elements even if it is a literal */
    uint8_t *bytes;    /* literal: `length` bytes; under TRAWL_NOCASE in lower case */
    element *elements; /* extended: `length` elements */
    size_t length;
    program *program;    /* what is no sequence of elements, or a sequence of which not the longest
                            matches are preferred; else NULL: see pattern/program.h */
    bool shared;         /* another pattern of this order owns the program */
    uint32_t when;       /* of a program without elements: which of its links to the end count, by
                            their AFTER_... bits: each condition there is a pattern of its own; else
                            0, all count */
    uint64_t min_length; /* shortest match in bytes, >= 1 */
    uint64_t max_length; /* longest, or LENGTH_UNBOUNDED */
    border before, after;
    demands asks;
    char *name;       /* NULL when it has none */
    const void *text; /* the caller's, valid in the call only */
    size_t text_length;
} pattern;

typedef struct needle {
    uint32_t id;
    uint32_t order;
    uint32_t rows, cols;
    uint8_t *cells; /* rows * cols * cell_size bytes, packed */
    uint8_t *mask;  /* rows * cols bytes, 0: the cell matches anything; NULL: none does */
    char *name;
} needle;

/* The set, in the order in which matches that share their end are reported:
 * fixed-length patterns from long to short (so by start), then those of variable
 * length, each by id, then by the caller's order. Needles: by id, then order.
 * Alternatives of one pattern are patterns with one id and order. */
typedef struct pattern_list {
    memory *memory; /* what all of it is taken from */
    size_t count;
    size_t given;       /* by the caller: orders are below it */
    int opening;        /* the byte before the text of opened patterns; -1: there are none */
    pattern *patterns;  /* text; NULL for a grid */
    needle *needles;    /* grid; NULL for text */
    uint32_t cell_size; /* 1 to 4; 0 for text */
    uint32_t tag;       /* as in trawl_compile_options */
    bool keep_texts;    /* as in trawl_compile_options */
    const void *note;
    size_t note_length;
    bool alike; /* places may differ from needles; only `direct` finds such: */
    uint32_t tolerance, channel_bytes, wrong; /* as in trawl_likeness */
} pattern_list;

static inline bool class_has(const byte_class *c, unsigned byte)
{
    return (c->bits[byte >> 6] >> (byte & 63)) & 1;
}

static inline void class_add(byte_class *c, unsigned byte)
{
    c->bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

static inline void class_invert(byte_class *c)
{
    for (int i = 0; i < 4; i++)
        c->bits[i] = ~c->bits[i];
}

/* class_holds: every byte of `part` belongs to `c`. class_avoids: none does. */
static inline bool class_holds(const byte_class *c, const byte_class *part)
{
    uint64_t others = 0;
    for (int i = 0; i < 4; i++)
        others |= part->bits[i] & ~c->bits[i];
    return others == 0;
}

/* Whether the class has all bytes. */
static inline bool class_full(const byte_class *c)
{
    return (c->bits[0] & c->bits[1] & c->bits[2] & c->bits[3]) == UINT64_MAX;
}

/* Whether the class has no byte. */
static inline bool class_empty(const byte_class *c)
{
    return !(c->bits[0] | c->bits[1] | c->bits[2] | c->bits[3]);
}

static inline bool class_avoids(const byte_class *c, const byte_class *part)
{
    uint64_t common = 0;
    for (int i = 0; i < 4; i++)
        common |= part->bits[i] & c->bits[i];
    return common == 0;
}

static inline bool is_word_byte(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= '0' && byte <= '9');
}

static inline bool is_alphanumeric(uint8_t byte)
{
    return is_word_byte(byte) && byte != '_';
}

static inline uint8_t fold_byte(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

/* All flags of patterns, and those that only patterns of bases have. */
#define IUPAC_FLAGS (TRAWL_AMBIGUOUS | TRAWL_OTHER_STRAND)
#define PATTERN_FLAGS                                                                              \
    (TRAWL_NOCASE | TRAWL_LINES | TRAWL_ONCE | TRAWL_WORDS | TRAWL_WHOLE_LINES | TRAWL_NULS |      \
     IUPAC_FLAGS)

/* Lower patterns or needles to a list, validate and sort it; `conditions` may be NULL, and so may
 * its entries. On an error nothing is left allocated. */
int pattern_list_make(memory *m, const trawl_pattern *patterns, size_t count,
                      const trawl_conditions *const *conditions, pattern_list *list,
                      trawl_error *error);
int pattern_list_make_grid(memory *m, const trawl_needle *needles, size_t count, uint32_t cell_size,
                           const trawl_likeness *likeness, pattern_list *list, trawl_error *error);
void pattern_list_free(pattern_list *list);

/* Whether engines see a pattern as a program. If it has elements too, only reports do. */
static inline bool pattern_is_program(const pattern *p)
{
    return p->program && !p->elements && !p->literal;
}

/* Whether some pattern is one. */
bool pattern_list_has_programs(const pattern_list *list);

/* Whether `cells` and `stride`, in bytes, are aligned for cells. Cells of 3 bytes need nothing. */
bool cells_aligned(const void *cells, uint64_t stride, uint32_t cell_size);

#endif
