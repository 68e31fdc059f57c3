/* random_grid.c: random texts and needles of cells. */
#include "random_grid.h"

#include "fence.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check_memory(const void *pointer)
{
    if (pointer)
        return;
    fputs("random_grid: out of memory\n", stderr);
    abort();
}

uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

void put_cell(uint8_t *cells, size_t index, uint32_t cell_size, uint32_t value)
{
    uint8_t v1 = (uint8_t)value;
    uint16_t v2 = (uint16_t)(value * 0x0101u);
    uint32_t v4 = value * 0x9e3779b1u;
    if (cell_size == 1)
        memcpy(cells + index, &v1, 1);
    else if (cell_size == 2)
        memcpy(cells + index * 2, &v2, 2);
    else
        memcpy(cells + index * cell_size, &v4, cell_size);
}

const uint8_t *cell_at(const trawl_grid *text, uint32_t cell_size, uint64_t row, uint64_t col)
{
    return (const uint8_t *)text->cells + row * text->stride + col * cell_size;
}

size_t grid_bytes(const trawl_grid *text, uint32_t cell_size)
{
    const size_t stride = text->stride ? text->stride : (size_t)text->cols * cell_size;
    return (size_t)(text->rows - 1) * stride + (size_t)text->cols * cell_size;
}

void free_text(const trawl_grid *text, uint32_t cell_size)
{
    fenced_free(text->cells, grid_bytes(text, cell_size));
}

trawl_grid random_text(uint64_t *seed, uint32_t cell_size, uint32_t most)
{
    static const uint32_t alphabets[] = { 1, 2, 2, 3, 256, 1024 };
    trawl_grid text;
    text.rows = 1 + next_random(seed) % most;
    text.cols = 1 + next_random(seed) % most;
    uint32_t padding = next_random(seed) % 3;
    uint32_t letters = alphabets[next_random(seed) % COUNT(alphabets)];
    uint32_t down = 1 + next_random(seed) % 4, across = 1 + next_random(seed) % 4;
    bool periodic = next_random(seed) % 3 == 0;
    text.stride = text.cols * cell_size + padding * (cell_size == 3 ? 1 : cell_size);
    const size_t size = grid_bytes(&text, cell_size);
    uint8_t *cells = fenced_text(size, next_random(seed) % 2);
    memset(cells, 0xee, size);
    for (uint64_t row = 0; row < text.rows; row++)
        for (uint64_t col = 0; col < text.cols; col++) {
            uint32_t value = next_random(seed) % letters;
            if (periodic && next_random(seed) % 50 != 0)
                value = (uint32_t)(row % down + col % across) % letters;
            put_cell(cells + row * text.stride, col, cell_size, value);
        }
    text.cells = cells;
    return text;
}

trawl_needle random_needle(uint64_t *seed, uint32_t cell_size, const trawl_grid *text,
                           uint32_t most)
{
    trawl_needle needle = { 0 };
    needle.rows = 1 + next_random(seed) % most;
    needle.cols = 1 + next_random(seed) % most;
    needle.id = next_random(seed) % 3;
    size_t width = needle.cols * cell_size;
    uint8_t *cells = malloc(needle.rows * width);
    check_memory(cells);
    bool inside = needle.rows <= text->rows && needle.cols <= text->cols;
    uint64_t top = inside ? next_random(seed) % (text->rows - needle.rows + 1) : 0;
    uint64_t left = inside ? next_random(seed) % (text->cols - needle.cols + 1) : 0;
    for (uint64_t row = 0; row < needle.rows; row++)
        for (uint64_t col = 0; col < needle.cols; col++)
            if (inside)
                memcpy(cells + row * width + col * cell_size,
                       cell_at(text, cell_size, top + row, left + col), cell_size);
            else
                put_cell(cells + row * width, col, cell_size, next_random(seed) % 2);
    if (next_random(seed) % 3 == 0)
        put_cell(cells, next_random(seed) % (needle.rows * needle.cols), cell_size,
                 next_random(seed) % 2);
    needle.cells = cells;
    return needle;
}

void grid_scenario_make(grid_scenario *g, uint64_t seed)
{
    g->cell_size = 1 + next_random(&seed) % 4;
    g->text = random_text(&seed, g->cell_size, next_random(&seed) % 10 ? 24 : 60);
    g->count = 1 + next_random(&seed) % GRID_NEEDLES;
    const uint32_t most = next_random(&seed) % 4 ? 5 : 26;
    for (size_t i = 0; i < g->count; i++) {
        trawl_needle *needle = &g->needles[i];
        *needle = random_needle(&seed, g->cell_size, &g->text, most);
        if (i == 0 || next_random(&seed) % 6 != 0)
            continue;
        free((void *)needle->cells); /* equal needles */
        *needle = g->needles[i - 1];
        needle->id = next_random(&seed) % 3;
        const size_t size = needle->rows * needle->cols * g->cell_size;
        void *copy = malloc(size);
        check_memory(copy);
        needle->cells = memcpy(copy, needle->cells, size);
    }
}

void grid_scenario_free(grid_scenario *g)
{
    for (size_t i = 0; i < g->count; i++)
        free((void *)g->needles[i].cells);
    free_text(&g->text, g->cell_size);
}
