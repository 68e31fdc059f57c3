/* expression.h: a regular expression as a tree.
 *
 * Elements stand in one array, in the order in which they were read; a run is a stretch of them. So
 * what is a sequence of elements is one node, however long it is, and needs no tree at all.
 *
 * A condition asks for kinds of the bytes on its two sides, and is a set of pairs of kinds: then
 * conditions that stand together are the pairs that all of them have, and those of alternatives
 * the pairs that any of them has.
 */
#ifndef TRAWL_PATTERN_EXPRESSION_H
#define TRAWL_PATTERN_EXPRESSION_H

#include "pattern/elements.h"
#include "pattern/reader.h"

#define EXPRESSION_MAX_DEPTH 250 /* groups within each other, as in PCRE */

/* Kinds of a byte beside a condition. What comes before it: */
enum { PRIOR_BEGIN, PRIOR_LINE, PRIOR_WORD, PRIOR_OTHER, PRIORS };
/* What comes after it; NEXT_LAST is the byte that ends a line, as the text's last one. */
enum { NEXT_END, NEXT_LINE, NEXT_LAST, NEXT_WORD, NEXT_OTHER, NEXTS };

typedef uint32_t condition; /* a set of pairs */

#define CONDITION_ANY ((condition)((1u << PRIORS * NEXTS) - 1))
#define NEXT_ANY ((1u << NEXTS) - 1)

/* The kinds that may come after the kind `prior`, as a set of bits. */
static inline uint32_t condition_nexts(condition c, unsigned prior)
{
    return c >> prior * NEXTS & NEXT_ANY;
}

/* All pairs of a kind of `priors` and one of `nexts`, which are sets of bits. */
static inline condition condition_of(uint32_t priors, uint32_t nexts)
{
    condition all = 0;
    for (unsigned prior = 0; prior < PRIORS; prior++)
        if (priors >> prior & 1)
            all |= nexts << prior * NEXTS;
    return all;
}

enum node_kind {
    NODE_RUN,
    NODE_CONDITION,
    NODE_SEQUENCE, /* without children: nothing, which matches everywhere */
    NODE_CHOICE,   /* children in order of priority */
    NODE_REPEAT    /* of its only child */
};

typedef struct node {
    uint8_t kind;         /* a node_kind */
    bool lazy;            /* NODE_REPEAT: few are tried before many */
    bool atomic;          /* once it has matched, no other way through it is tried; */
    size_t mark;          /* where that is written */
    uint32_t min, max;    /* NODE_REPEAT: max is 1 .. or REPEAT_UNBOUNDED */
    condition asks;       /* NODE_CONDITION */
    condition empty;      /* where it matches nothing: set by expression_empty */
    size_t first, count;  /* NODE_RUN: elements, one at least */
    size_t at;            /* where it begins in the pattern's text */
    struct node *child;   /* the first one */
    struct node *sibling; /* the next one */
} node;

typedef struct node_block {
    struct node_block *before;
    size_t count, room;
    node nodes[];
} node_block;

typedef struct expression {
    memory *memory;
    trawl_error *error;
    pattern spelled;   /* its elements are those of all runs */
    elements elements; /* with which they are appended */
    node_block *block;
    node *root;
    bool flagged; /* there are flags within it */
    bool atomic;  /* some node is */
    int status;   /* why the last node could not be made */
} expression;

void expression_open(memory *m, trawl_error *error, expression *x);
void expression_close(expression *x);

/* A new node without children. NULL: memory; the error and x->status are set. */
node *expression_add(expression *x, enum node_kind kind, size_t at);
node *expression_add_run(expression *x, size_t first, size_t count, size_t at);

static inline element *expression_elements(const expression *x, const node *run)
{
    return x->spelled.elements + run->first;
}

/* Whether it takes no byte and asks for nothing. */
static inline bool node_is_nothing(const node *n)
{
    return n->kind == NODE_SEQUENCE && !n->child;
}

/* The children of a node in an array, for the caller to give back. NULL: memory, as above. */
const node **expression_children(expression *x, const node *n, size_t *count);

/* Set where the node and all below it may match nothing; the result is that of the node. */
condition expression_empty(const expression *x, node *n);

/* Read a pattern's text from r->at on into x->root: all of it, or one alternative of the outermost
 * level, before whose '|' r->at is left. */
int expression_parse(expression *x, reader *r, bool one);

/* Refuse what is atomic, unless that changes no match. Where nodes may match nothing is set. */
int expression_check_atomic(expression *x);

/* Make the tree smaller. No match changes, nor the order in which they are tried. Alternatives of
 * the outermost level are left as they are; expression_share lets them share what they begin and
 * end with. */
int expression_simplify(expression *x);
int expression_share(expression *x);

/* A sequence of sets, whose repeats may be lazy, as one in which none is: its matches are the same,
 * their order is not. *made is NULL if the tree is no such sequence. */
int expression_greedy(expression *x, node **made);

/* Make the tree's program, for the pattern src. */
int expression_program(expression *x, const trawl_pattern *src, program **made);

#endif
