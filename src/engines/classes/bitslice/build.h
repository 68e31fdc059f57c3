/* build.h: what the files of bit-slicing share. */
#ifndef TRAWL_ENGINES_CLASSES_BITSLICE_BUILD_H
#define TRAWL_ENGINES_CLASSES_BITSLICE_BUILD_H

#include "engines/classes/bitslice/layout.h"
#include "engines/shared/engine.h"
#include "engines/shared/positions.h"

/* ---- which tests find which pattern: design.c ----------------------------- */

/* The most rows whose union a class may have; the most tests of a pattern. */
enum { MAX_WIDE = 16, MAX_EARLY = BITSLICE_EARLY, MAX_LATE = 8 };

/* A class, or the union of its last `wide` rows, that some test may ask for. */
typedef struct property {
    uint32_t class, wide;
    double often; /* share of the places */
    bool used;
    uint32_t row;
} property;

/* A position that every match has, and which property tells it, where. */
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
    double test_cost, row_cost;  /* nanoseconds for four rows; */
    double hit_cost, start_cost; /* for four with a surviving place, and for such a place */
    byte_class *classes;
    double *class_often;
    uint32_t *class_asked;  /* by how many positions that every match has */
    uint32_t *class_common; /* the rarest common class that includes it; UINT32_MAX: none */
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
    bool counts;    /* a survivor that is a match by its tests alone costs little */
} design;

/* Choose all tests. False: there is no memory (the problem's says so), or too much to number. Call
 * design_free in either case. */
bool design_make(const problem *p, design *d);
void design_free(design *d);

/* Mark what wide properties are made of as used too, so that all rows that must be made are. */
void design_use_parts(design *d);

/* Read the positions of pattern i, and their classes, into d->positions and d->position_class.
 * Returns their number. */
size_t design_read(design *d, size_t i);

/* Whether some test asks that one of the last `wide` bytes up to `behind` is in the class.
 */
bool design_has_test(const design *d, const chosen *c, uint32_t class, uint32_t wide,
                     uint32_t behind);

/* Nanoseconds that surviving places take for four rows. */
double design_hits_cost(const design *d, const chosen *c);

/* Sort by worth, best first. */
void landmarks_sort(landmark *l, uint32_t count);

unsigned class_size(const byte_class *set);
bool class_inside(const byte_class *a, const byte_class *b); /* of b */

#endif
