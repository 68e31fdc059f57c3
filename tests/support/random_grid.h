/* random_grid.h: random texts and needles of cells for the property tests. One seed gives one
 * scenario, always the same.
 */
#ifndef TRAWL_RANDOM_GRID_H
#define TRAWL_RANDOM_GRID_H

#include "trawl.h"
#include "trawl/grid.h"

enum { GRID_NEEDLES = 6 };

typedef struct grid_scenario {
    uint32_t cell_size;
    trawl_grid text;
    trawl_needle needles[GRID_NEEDLES];
    size_t count;
} grid_scenario;

void grid_scenario_make(grid_scenario *g, uint64_t seed);
void grid_scenario_free(grid_scenario *g);

uint32_t next_random(uint64_t *seed);
/* Cell `index` of a row becomes `value`, spread over all bytes of the cell. */
void put_cell(uint8_t *cells, size_t index, uint32_t cell_size, uint32_t value);

const uint8_t *cell_at(const trawl_grid *text, uint32_t cell_size, uint64_t row, uint64_t col);

/* Random cells, periodic ones or stripes, at most `most` rows and columns, which begin or end at a
 * page that nobody may touch. */
trawl_grid random_text(uint64_t *seed, uint32_t cell_size, uint32_t most);

/* Cells of any grid for such memory: from the first one to the last. */
size_t grid_bytes(const trawl_grid *text, uint32_t cell_size);
void free_text(const trawl_grid *text, uint32_t cell_size);

/* A piece of the text, at times with one cell changed, or cells of its own. Free the cells. */
trawl_needle random_needle(uint64_t *seed, uint32_t cell_size, const trawl_grid *text,
                           uint32_t most);

#endif
