/* draft.h: a set as pieces with their grams, before these become tables. */
#ifndef TRAWL_ENGINES_CLASSES_FACTORS_DRAFT_H
#define TRAWL_ENGINES_CLASSES_FACTORS_DRAFT_H

#include "base/block.h"
#include "engines/classes/factors/layout.h"
#include "engines/classes/factors/rarity.h"

typedef struct cell {
    uint8_t value, mask;
    uint16_t count; /* bytes that it takes */
    uint32_t set;   /* of the draft's sets, or FACTORS_ANY: value and mask say it all */
} cell;

/* Strides of devices: 1, 2 and 4 (factors_tables.windows). */
#define DRAFT_STRIDES 3u

/* Where a piece's windows are, by stride. */
typedef struct draft_windows {
    uint32_t at[DRAFT_STRIDES];
} draft_windows;

/* How often a piece's grams are met; and, if the draft finds that out, for how many bytes then its
 * pattern may go on: to the end of the piece, and if that fits on through the jump after it. */
typedef struct draft_met {
    double rate, goes_on;
} draft_met;

/* What stands in tables stands in blocks of them. */
typedef struct factor_draft {
    const rarity *rarity;
    block grams[FACTORS_GRAM]; /* factors_entry */
    block pieces, atoms, checks, sets, bytes;
    uint64_t state_words;
    uint64_t furthest; /* from the gram of a last piece to the end, at most */
    double rate;       /* grams met, for each byte of text, */
    block met;         /* draft_met[], of each piece; */
    bool works;        /* find out, too, */
    double work;       /* what is compared around them, in nanoseconds a byte of text */

    /* For devices. The windows of the first stride are where the grams are. */
    bool strided;                       /* find those of the others, too */
    bool near;                          /* each pattern is one piece, of FACTORS_NEAR bytes */
    uint32_t q;                         /* bytes of the shortest gram; of all grams there */
    double q_rate[FACTORS_GRAM];        /* grams met, by the first 1, 2, ... bytes of each */
    block windows;                      /* draft_windows, of each piece */
    bool windowed[DRAFT_STRIDES];       /* all pieces have one; then */
    double window_rate[DRAFT_STRIDES];  /* grams met, of those at each place, */
    double window_grams[DRAFT_STRIDES]; /* and about how many there are */

    block cells; /* cell[], of the present piece */
    block runs;  /* run[], of the present piece */
    uint32_t first_piece, first_atom, run_begin;
    factors_jump before;
    uint64_t forward; /* from the gram of the last piece to its match's end, at most */
} factor_draft;

/* `rarity` is kept. `strided` as in the draft. */
void draft_open(factor_draft *d, memory *m, const rarity *rarity, bool strided);
void draft_close(factor_draft *d);

/* As it was opened, but for the rate. */
void draft_clear(factor_draft *d);

/* Add a pattern, which takes this number. */
void draft_add(factor_draft *d, const pattern *p, uint32_t number);

/* The same, but only what is found of it first: one piece. */
void draft_add_first(factor_draft *d, const pattern *p, uint32_t number);

/* Whether memory ran out. */
bool draft_failed(const factor_draft *d);

#endif
