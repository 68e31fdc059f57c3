/* draft.h: a set as pieces with their grams, before these become tables. */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_DRAFT_H
#define TRAWL_ENGINES_CLASSES_FACTORS_DRAFT_H

#include "base/block.h"
#include "engines/classes/factors/layout.h"
#include "engines/classes/factors/rarity.h"

typedef struct cell {
    uint8_t value, mask;
    uint16_t count; /* bytes that it takes */
    uint32_t set;   /* one of the draft's sets; or FACTORS_ANY: value and mask say all */
} cell;

/* Strides of devices: 1, 2 and 4 (factors_tables.windows). */
#define DRAFT_STRIDES 3u

/* Where a piece's windows are, by stride. */
typedef struct draft_windows {
    uint32_t at[DRAFT_STRIDES];
} draft_windows;

/* How often a piece's grams are met; and, if the draft finds that out, for how many bytes its
 * pattern may then go on: to the end of the piece, and, if that fits, through the jump after it. */
typedef struct draft_met {
    double rate, goes_on;
} draft_met;

/* The contents of the tables, in a block each. */
typedef struct factor_draft {
    const rarity *rarity;
    block grams[FACTORS_GRAM]; /* factors_entry */
    block pieces, atoms, checks, sets, bytes;
    uint64_t state_words;
    uint64_t furthest; /* the most bytes from the gram of a last piece to its end */
    double rate;       /* grams met, for each byte of text, */
    block met;         /* draft_met[], of each piece; */
    bool works;        /* find out, too: */
    double work;       /* what is compared around them, in nanoseconds a byte of text */

    /* For devices. The windows of the first stride are where the grams are. */
    bool strided;                       /* find those of the other strides, too */
    bool near;                          /* each pattern is one piece, of FACTORS_NEAR bytes */
    uint32_t q;                         /* bytes of the shortest gram, and of all grams on
                                           devices */
    double q_rate[FACTORS_GRAM];        /* grams met, if only the first 1, 2, ... bytes of each
                                           count */
    block windows;                      /* draft_windows, of each piece */
    bool windowed[DRAFT_STRIDES];       /* all pieces have one; then: */
    double window_rate[DRAFT_STRIDES];  /* grams met at each place, */
    double window_grams[DRAFT_STRIDES]; /* and about how many grams there are */

    block cells; /* cell[], of the present piece */
    block runs;  /* run[], of the present piece */
    uint32_t first_piece, first_atom, run_begin;
    factors_jump before;
    uint64_t forward; /* the most bytes from the gram of the last piece to its match's end */
} factor_draft;

/* Open a draft, which keeps `rarity`. `strided` is as in the draft. */
void draft_open(factor_draft *d, memory *m, const rarity *rarity, bool strided);
void draft_close(factor_draft *d);

/* Make it as it was opened, but keep the rate. */
void draft_clear(factor_draft *d);

/* Add a pattern, with this number. */
void draft_add(factor_draft *d, const pattern *p, uint32_t number);

/* The same, but only with the piece that is found first. */
void draft_add_first(factor_draft *d, const pattern *p, uint32_t number);

/* Whether memory ran out. */
bool draft_failed(const factor_draft *d);

#endif
