/* positions.h: patterns as sequences of positions, for the bit-parallel engines.
 *
 * A position takes one byte of a class; it may be skipped (optional) and may take further
 * bytes (repeat). An element {min, max} becomes min positions, then max - min optional
 * ones, or, when unbounded, a repeating last one.
 */
#ifndef TRAWL_ENGINES_SHARED_POSITIONS_H
#define TRAWL_ENGINES_SHARED_POSITIONS_H

#include "engines/shared/engine.h"

typedef struct position {
    byte_class set;
    bool optional;
    bool repeat;
} position;

/* The number of positions of a pattern. */
size_t position_count(const pattern *p);

/* Fill positions[position_count(p)]. */
void expand_positions(const pattern *p, position *positions);

/* Byte classes: sets of bytes that no position of the list tells apart. Returns their number;
 * map[b] is the class of byte b, sample[c] a byte of class c. */
uint32_t byte_classes(const pattern_list *list, uint8_t map[256], uint8_t sample[256]);

/* Split the classes of `map`, `count` of them, by membership in `set`. Returns their number. */
uint32_t split_classes(const byte_class *set, uint8_t map[256], uint32_t count);

/* Runs of optional positions, as bits `base` + position of three bit arrays. Each run is
 * closed from the position before it, or from its own first when the positions begin with
 * it. Returns the length of the run at the beginning (0: none). */
size_t mark_runs(const position *positions, size_t count, size_t base, uint64_t *ebeg,
                 uint64_t *eend, uint64_t *eblk);

/* Whether state must cross slice borders: the reach is unbounded, or too long to read again. */
uint32_t needs_carry(const pattern_list *list);

static inline void set_bit(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

#endif
