/* build.h: what the files of bit-slicing share. */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_BUILD_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_BUILD_H

#include "engines/classes/bitslice/layout.h"
#include "engines/shared/engine.h"
#include "engines/shared/positions.h"

/* ---- which tests find which pattern: design.c ----------------------------- */

/* Rows of which a class may have the union; tests of a pattern. */
enum { MAX_WIDE = 16, MAX_EARLY = BITSLICE_EARLY, MAX_LATE = 8 };

/* A class that some test may ask for, or its last `wide` rows. */
typedef struct property {
    uint32_t class, wide;
    double often; /* share of the places */
    bool used;
    uint32_t row;
} property;

/* A position that every match has, and which property says so where. */
typedef struct landmark {
    uint32_t property, behind; /* the anchor */
    double worth;
} landmark;

typedef struct chosen {
    uint32_t first, count, early; /* in design.tests */
    uint32_t anchor;              /* a position */
    double survive;               /* share of the places, after the early ones */
    bool whole;                   /* what survives these is a match */
} chosen;

typedef struct design {
    memory *memory;
    const pattern_list *list;
    double often[256];           /* of bytes */
    double test_cost, row_cost;  /* nanoseconds, four rows; */
    double hit_cost, start_cost; /* of which some place survived, and such a place */
    byte_class *classes;
    double *class_often;
    uint32_t *class_asked;  /* by so many positions that every match has */
    uint32_t *class_common; /* the rarest common class that holds all of it; UINT32_MAX: none */
    uint32_t class_count, class_room;
    uint32_t *class_slots; /* hashed; a power of two */
    property *properties;
    uint32_t property_count;
    uint32_t *property_of; /* [class][MAX_WIDE + 1]: UINT32_MAX: none */
    position *positions;   /* of one pattern */
    uint32_t *position_class;
    landmark *landmarks;
    chosen *patterns;
    landmark *tests;
    size_t test_count;
    uint32_t ahead; /* rows after an anchor that tests ask for */
    bool counts;    /* what survives and is a match by its tests alone costs little */
} design;

/* Choose all tests. False: there is no memory (the problem's says so), or too much to number.
 * design_free in either case. */
bool design_make(const problem *p, design *d);
void design_free(design *d);

/* What wide properties are made of is used too: all rows that are to be made. */
void design_use_parts(design *d);

/* Positions and their classes of pattern i, in d->positions and d->position_class. Returns their
 * number. */
size_t design_read(design *d, size_t i);

/* Whether it is among the tests that one of the last `wide` bytes up to `behind` is in the class.
 */
bool design_has_test(const design *d, const chosen *c, uint32_t class, uint32_t wide,
                     uint32_t behind);

/* Nanoseconds that the places which survive take for four rows. */
double design_hits_cost(const design *d, const chosen *c);

/* By worth, best first. */
void landmarks_sort(landmark *l, uint32_t count);

unsigned class_size(const byte_class *set);
bool class_inside(const byte_class *a, const byte_class *b); /* of b */

#endif
