/* pieces.h: a pattern as a row of steps: positions, gaps, and jumps that cut it into pieces. */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_PIECES_H
#define TRAWL_ENGINES_CLASSES_FACTORS_PIECES_H

#include "pattern/pattern.h"

typedef enum step_kind {
    STEP_CELLS, /* `low` positions of the set */
    STEP_GAP,   /* low to high bytes of the set, within a piece */
    STEP_JUMP,  /* the same between two pieces, or after the last one */
    STEP_END
} step_kind;

typedef struct step {
    step_kind kind;
    const byte_class *set;
    uint32_t low, high;
} step;

/* How far a class pattern has been read; at the beginning all zero but for the pattern. */
typedef struct steps {
    const pattern *of;
    size_t at;
    uint32_t slack; /* by how much the piece's gaps vary so far */
    uint32_t cells; /* positions of the piece so far */
    bool begun;     /* something was read */
    step gap;       /* what comes next, when high > 0 */
} steps;

/* Read the next step. A jump may be unbounded, but not at the begin of a pattern: as only ends are
 * asked for, the first element counts as often as it must, and elements before it that may be left
 * out do not count. */
step steps_next(steps *s);

#endif
