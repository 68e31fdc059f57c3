/* direct.c: bounds of cells for direct comparison. The walk and the essay are in
 * walk/vector/direct.c.
 *
 * Idea: which cells are compared first decides the speed, not the result. The walk looks at the
 * text and chooses among the first ones, so these should be of all colours that the needle has: one
 * of each, from the rarest to the commonest, then another one of each, and so on. Among cells of
 * one colour a hash of their place decides, which spreads them.
 *
 * Cost: O(n log n) for n cells.
 */
#include "table/direct.h"

#include <stdlib.h>
#include <string.h>

#include "engine/costs.h"
#include "engine/engine.h"
#include "engine/rows.h"

#define KINDS_BITS 12u /* of counters of colours, by hash */

static const char *direct_refuses(const pattern_list *list)
{
    return list->needles ? NULL : "it searches grids of cells: use `trawl grid`, or bm, wm or ac";
}

/* Other engines are meant for cells that compare exactly. */
static double direct_cost(const problem *p)
{
    const double each = COST_DIRECT * p->list->cell_size * (p->list->wrong + 2.0);
    return p->list->alike ? each * (double)p->list->count : COST_IMPOSSIBLE / 2;
}

/* ---- the order ------------------------------------------------------------ */

typedef struct ranked_cell {
    uint32_t kind, turn; /* its number among those of its kind */
    uint32_t often, spread, row, col;
} ranked_cell;

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Cells that the tolerance makes alike are mostly of one kind. */
static uint32_t kind_of(const pattern_list *list, const uint8_t *cell)
{
    uint32_t kind = 0;
    for (uint32_t k = 0; k < list->cell_size; k += list->channel_bytes) {
        const uint32_t value = direct_channel(cell + k, list->channel_bytes);
        kind = mix(kind ^ value / (list->tolerance / 2 * 2 + 1));
    }
    return kind >> (32 - KINDS_BITS);
}

static int compare_kinds(const void *left, const void *right)
{
    const ranked_cell *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->spread < b->spread ? -1 : a->spread > b->spread;
}

static int compare_turns(const void *left, const void *right)
{
    const ranked_cell *a = left, *b = right;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    if (a->often != b->often)
        return a->often < b->often ? -1 : 1;
    return a->spread < b->spread ? -1 : a->spread > b->spread;
}

/* The cells that are compared, in order; returns how many. */
static uint32_t rank_cells(const pattern_list *list, const needle *n, ranked_cell *ranked)
{
    uint32_t kinds[1u << KINDS_BITS] = { 0 }, count = 0;
    const size_t cells = (size_t)n->rows * n->cols;
    for (size_t i = 0; i < cells; i++) {
        if (n->mask && !n->mask[i])
            continue;
        const uint32_t kind = kind_of(list, n->cells + i * list->cell_size);
        kinds[kind]++;
        ranked[count++] = (ranked_cell){ .kind = kind,
                                         .spread = mix((uint32_t)i),
                                         .row = (uint32_t)(i / n->cols),
                                         .col = (uint32_t)(i % n->cols) };
    }
    qsort(ranked, count, sizeof *ranked, compare_kinds);
    for (uint32_t i = 0; i < count; i++) {
        ranked[i].often = kinds[ranked[i].kind];
        ranked[i].turn = i > 0 && ranked[i].kind == ranked[i - 1].kind ? ranked[i - 1].turn + 1 : 0;
    }
    qsort(ranked, count, sizeof *ranked, compare_turns);
    return count;
}

/* ---- building ------------------------------------------------------------- */

/* The channel's number becomes `value`, as direct_channel reads it. */
static void put_channel(uint8_t *to, uint32_t bytes, uint32_t value)
{
    const uint16_t two = (uint16_t)value;
    const uint8_t each[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16) };
    const void *const from[] = { each, &two, each, &value };
    memcpy(to, from[bytes - 1], bytes);
}

static direct_cell bounds_of(const pattern_list *list, const needle *n, const ranked_cell *at)
{
    const uint32_t bytes = list->channel_bytes, tolerance = list->tolerance;
    const uint32_t most = (uint32_t)((UINT64_C(1) << (8 * bytes)) - 1);
    const uint8_t *cell = n->cells + ((size_t)at->row * n->cols + at->col) * list->cell_size;
    direct_cell c = { .row = at->row, .col = at->col };
    for (uint32_t k = 0; k < list->cell_size; k += bytes) {
        const uint32_t value = direct_channel(cell + k, bytes);
        put_channel(c.low + k, bytes, value > tolerance ? value - tolerance : 0);
        put_channel(c.high + k, bytes, most - value > tolerance ? value + tolerance : most);
    }
    return c;
}

/* Room for cells, each of which a device reads at once. */
static uint32_t add_cells(block *b, uint32_t count)
{
    const size_t offset =
        block_append(b, NULL, (size_t)count * sizeof(direct_cell), sizeof(direct_cell)) / 4;
    b->failed |= offset > UINT32_MAX;
    return (uint32_t)offset;
}

static void add_needle(block *b, const pattern_list *list, const needle *n, direct_needle *out)
{
    ranked_cell *ranked = memory_take_array(b->memory, (size_t)n->rows * n->cols, sizeof *ranked);
    if (!ranked) {
        b->failed = true;
        return;
    }
    out->rows = n->rows;
    out->cols = n->cols;
    out->count = rank_cells(list, n, ranked);
    out->cells = add_cells(b, out->count);
    direct_cell *cells = (direct_cell *)(void *)(b->bytes + (size_t)out->cells * 4);
    for (uint32_t i = 0; i < out->count && !b->failed; i++)
        cells[i] = bounds_of(list, n, &ranked[i]);
    memory_give(b->memory, ranked);
}

static void direct_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    block *b = &out->tables;
    direct_tables head = { .cell_size = list->cell_size,
                           .channel = list->tolerance ? list->channel_bytes : 1,
                           .exact = list->tolerance == 0,
                           .wrong = list->wrong,
                           .count = (uint32_t)list->count };
    direct_needle *needles = memory_take_zeroed(b->memory, list->count, sizeof *needles);
    if (!needles)
        b->failed = true;
    block_words(b, NULL, sizeof head / 4);
    for (size_t i = 0; i < list->count && !b->failed; i++)
        add_needle(b, list, &list->needles[i], &needles[i]);
    if (!b->failed)
        head.needles = block_words(b, needles, list->count * sizeof *needles / 4);
    memory_give(b->memory, needles);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

/* ---- verifying ------------------------------------------------------------ */

static bool direct_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const direct_tables *t = (const direct_tables *)tables;
    if (words < sizeof *t / 4 || t->cell_size != facts->cell_size || facts->state_words != 0 ||
        t->exact > 1 || t->channel == 0 || t->channel > 4 || t->cell_size % t->channel != 0 ||
        t->count != facts->pattern_count ||
        !words_inside(words, t->needles, (uint64_t)t->count * sizeof(direct_needle) / 4))
        return false;
    const direct_needle *needles = (const direct_needle *)(tables + t->needles);
    for (uint32_t i = 0; i < t->count; i++) {
        const direct_needle *n = &needles[i];
        if (n->rows < facts->min_length || n->rows > facts->max_length || n->cols == 0 ||
            n->cells % (sizeof(direct_cell) / 4) != 0 ||
            !words_inside(words, n->cells, (uint64_t)n->count * sizeof(direct_cell) / 4))
            return false;
        const direct_cell *cells = (const direct_cell *)(tables + n->cells);
        for (uint32_t k = 0; k < n->count; k++)
            if (cells[k].row >= n->rows || cells[k].col >= n->cols)
                return false;
    }
    return true;
}

const engine engine_direct = {
    .name = "direct",
    .about = "direct comparison: needles with masks, tolerance, wrong cells; cell by cell",
    .kind = WALK_DIRECT,
    .grid = true,
    .refuses = direct_refuses,
    .cost = direct_cost,
    .build = direct_build,
    .check = direct_check,
};
