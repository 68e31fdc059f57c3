/* cut.h: the literals that wake a unit. */
#ifndef TRAWL_ENGINES_PROGRAMS_GLUSHKOV_CUT_H
#define TRAWL_ENGINES_PROGRAMS_GLUSHKOV_CUT_H

#include "base/block.h"
#include "engines/classes/factors/rarity.h"
#include "engines/programs/glushkov/graph.h"
#include "engines/programs/glushkov/layout.h"

/* A literal as a key: equal literals are equal bytes. */
typedef struct wake_literal {
    uint8_t bytes[GLUSHKOV_LITERAL]; /* in lower case if it is folded; zeros after its length */
    uint8_t length, folded;
} wake_literal;

/* A literal of a cut. */
typedef struct cut_literal {
    wake_literal literal;
    uint8_t goes_on; /* 1: it is not near the begin of a match, but after a wait */
    uint8_t unused;
} cut_literal;

typedef struct cut {
    block literals; /* cut_literal[] */
    uint32_t back;  /* a match has one of them within this number of its first bytes, and of those
                       after a wait; 0: no cut */
    bool waits;     /* matches may wait in positions that cut_waits tells */
    double rate;    /* how often one of them is to be expected, for each byte of text */
} cut;

/* Find the literals of a graph that are expected to cost least, `hit` nanoseconds each; if that is
 * more than `most` nanoseconds a byte, there is no cut. The graph has no links to positions that
 * begin a match anywhere. The caller frees cut->literals. */
void cut_find(const graph *g, const rarity *rarity, double hit, double most, cut *found);

/* Mark the positions in which matches may wait by 1: they repeat a class of nearly all bytes, and
 * no match ends with them. */
void cut_waits(const graph *g, uint8_t *waits);

#endif
