/* elements.h: what the syntaxes of elements share: byte classes, and a pattern's elements one by
 * one.
 *
 * Invariant: no set is empty; sets are closed under case when TRAWL_NOCASE is given and hold no
 * line's end when TRAWL_LINES is. A pattern of single bytes becomes a literal; fixed repeats as in
 * a{3} are unrolled if the whole has at most UNROLL_MAX bytes.
 */
#ifndef TRAWL_PATTERN_ELEMENTS_H
#define TRAWL_PATTERN_ELEMENTS_H

#include "pattern/pattern.h"

typedef struct elements {
    memory *memory;
    pattern *out;
    trawl_error *error;
    size_t room;     /* elements that out->elements has room for */
    uint32_t states; /* of all elements so far */
    bool required;   /* one element so far must occur */
} elements;

void class_add_range(byte_class *set, unsigned low, unsigned high);
void class_unite(byte_class *set, const byte_class *other);

/* Under TRAWL_NOCASE: add the other case of every letter of the set. It comes before a negation,
 * which then leaves out both cases. */
void class_fold(uint32_t flags, byte_class *set);

/* Whether the set has both cases of each of its letters. */
bool class_is_folded(const byte_class *set);

/* Apply the flags to a set that is complete but for its negation. */
int class_settle(uint32_t flags, size_t offset, bool negated, byte_class *set, trawl_error *error);

/* Append an element that counts as no state. */
int elements_add(elements *e, element added);

/* Append an element, which was read at `offset` of the text. */
int elements_append(elements *e, size_t offset, const byte_class *set, uint32_t min, uint32_t max);

/* The pattern is complete: make it a literal if its elements spell one. */
int elements_settle(elements *e);

#endif
