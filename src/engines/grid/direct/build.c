/* build.c: bounds of cells for direct comparison. The walk and the essay are in
 * vector.c.
 *
 * Idea: which cells are compared first decides the speed, not the result. The walk looks at the
 * text and chooses among the first ones, so these should be of all colours that the needle has: one
 * of each, from the rarest to the commonest, then another of each, and so on. Among cells of one
 * colour a hash of their place decides, which spreads them.
 *
 * Boxes: rectangles of cells of one colour, or of colours that differ by no more than the
 * tolerance, found one after the other from the top left: each as wide as the first cell's row
 * allows, then as high. A box is kept if it has at least BOX_CELLS cells (twice as many if it has
 * several colours, since it is then looked at twice), which is about what a box costs the walk.
 *
 * Cost: O(n log n) for n cells.
 */
#include "engines/grid/direct/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/engine.h"
#include "engines/shared/grid/needles.h"

#define KINDS_BITS 12u /* of counters of colours, by hash */
#define BOX_CELLS 32u

static const char *direct_refuses(const pattern_list *list)
{
    return list->needles ? NULL : "it searches grids of cells: use `trawl grid`, or bm, wm or ac";
}

/* Other engines are meant for cells that compare exactly. */
static double direct_cost(const problem *p)
{
    const double cell = COST_DIRECT * (p->target.gpu ? COST_GPU_DIRECT : p->list->cell_size);
    const double each = cell * (p->list->wrong + 2.0);
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

/* The bounds of channel `k` for numbers from `low` to `high`: whatever one of them allows, or, with
 * both exchanged, what all of them allow. */
static void put_bounds(const pattern_list *list, uint32_t k, uint32_t low, uint32_t high,
                       direct_cell *c)
{
    const uint32_t bytes = list->channel_bytes, tolerance = list->tolerance;
    const uint32_t most = (uint32_t)((UINT64_C(1) << (8 * bytes)) - 1);
    put_channel(c->low + k, bytes, low > tolerance ? low - tolerance : 0);
    put_channel(c->high + k, bytes, most - high > tolerance ? high + tolerance : most);
}

static direct_cell bounds_of(const pattern_list *list, const needle *n, const ranked_cell *at)
{
    const uint8_t *cell = n->cells + ((size_t)at->row * n->cols + at->col) * list->cell_size;
    direct_cell c = { .row = at->row, .col = at->col };
    for (uint32_t k = 0; k < list->cell_size; k += list->channel_bytes) {
        const uint32_t value = direct_channel(cell + k, list->channel_bytes);
        put_bounds(list, k, value, value, &c);
    }
    return c;
}

/* ---- boxes ---------------------------------------------------------------- */

/* The least and the greatest number of each channel, at the byte where it begins. */
typedef struct range {
    uint32_t low[4], high[4];
} range;

typedef struct boxing {
    const pattern_list *list;
    const needle *of;
    uint8_t *free; /* [rows * cols]: cells that lie in no box yet */
} boxing;

static range range_of(const pattern_list *list, const uint8_t *cell)
{
    range r = { { 0 }, { 0 } };
    for (uint32_t k = 0; k < list->cell_size; k += list->channel_bytes)
        r.low[k] = r.high[k] = direct_channel(cell + k, list->channel_bytes);
    return r;
}

/* Add a cell to a range, if that is narrow enough then. */
static bool range_add(const pattern_list *list, range *r, const uint8_t *cell)
{
    range wider = *r;
    for (uint32_t k = 0; k < list->cell_size; k += list->channel_bytes) {
        const uint32_t value = direct_channel(cell + k, list->channel_bytes);
        wider.low[k] = value < r->low[k] ? value : r->low[k];
        wider.high[k] = value > r->high[k] ? value : r->high[k];
        if (wider.high[k] - wider.low[k] > list->tolerance)
            return false;
    }
    *r = wider;
    return true;
}

/* How many of `most` cells from (row, col) on are free and fit the range, which they are added to.
 */
static uint32_t fitting_cells(const boxing *b, range *r, uint32_t row, uint32_t col, uint32_t most)
{
    const size_t first = (size_t)row * b->of->cols + col;
    uint32_t count = 0;
    while (count < most && b->free[first + count] &&
           range_add(b->list, r, b->of->cells + (first + count) * b->list->cell_size))
        count++;
    return count;
}

/* The box that begins with a free cell, whose cells are taken. */
static direct_box take_box(boxing *b, uint32_t row, uint32_t col)
{
    const needle *n = b->of;
    direct_box box = { .outer = { .row = row, .col = col }, .rows = 1 };
    range r = range_of(b->list, n->cells + ((size_t)row * n->cols + col) * b->list->cell_size);
    range wider;
    box.cols = fitting_cells(b, &r, row, col, n->cols - col);
    for (wider = r; row + box.rows < n->rows &&
                    fitting_cells(b, &wider, row + box.rows, col, box.cols) == box.cols;
         box.rows++)
        r = wider;
    for (uint32_t i = 0; i < box.rows; i++)
        memset(b->free + (size_t)(row + i) * n->cols + col, 0, box.cols);
    box.inner = box.outer;
    for (uint32_t k = 0; k < b->list->cell_size; k += b->list->channel_bytes) {
        put_bounds(b->list, k, r.low[k], r.high[k], &box.outer);
        put_bounds(b->list, k, r.high[k], r.low[k], &box.inner);
    }
    return box;
}

/* The boxes of a needle; returns how many, or 0 if they would cost more than `most`. */
static uint32_t find_boxes(boxing *b, uint32_t most, direct_box *boxes)
{
    const needle *n = b->of;
    const size_t cells = (size_t)n->rows * n->cols;
    uint32_t count = 0, cost = 0;
    for (size_t i = 0; i < cells; i++)
        b->free[i] = !n->mask || n->mask[i];
    for (uint32_t row = 0; row < n->rows; row++)
        for (uint32_t col = 0; col < n->cols; col++) {
            if (!b->free[(size_t)row * n->cols + col])
                continue;
            boxes[count] = take_box(b, row, col);
            cost += memcmp(&boxes[count].outer, &boxes[count].inner, sizeof(direct_cell)) ? 2 : 1;
            count++;
            if (cost > most)
                return 0;
        }
    return count;
}

static void add_boxes(block *b, const pattern_list *list, const needle *n, direct_needle *out)
{
    const uint32_t most = out->count / BOX_CELLS;
    boxing boxing = { .list = list, .of = n };
    direct_box *boxes = memory_take_array(b->memory, most + 1, sizeof *boxes);
    boxing.free = memory_take_array(b->memory, (size_t)n->rows * n->cols, 1);
    if (boxes && boxing.free) {
        out->box_count = find_boxes(&boxing, most, boxes);
        out->boxes = block_words(b, boxes, (size_t)out->box_count * sizeof *boxes / 4);
    } else {
        b->failed = true;
    }
    memory_give(b->memory, boxing.free);
    memory_give(b->memory, boxes);
}

/* ---- needles -------------------------------------------------------------- */

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
    add_boxes(b, list, n, out);
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
    for (size_t i = 0; i < list->count && !b->failed; i++) {
        add_needle(b, list, &list->needles[i], &needles[i]);
        out->state_words = needles[i].box_count ? DIRECT_BOX_STATE : out->state_words;
    }
    if (!b->failed)
        head.needles = block_words(b, needles, list->count * sizeof *needles / 4);
    memory_give(b->memory, needles);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

/* ---- verifying ------------------------------------------------------------ */

static bool boxes_valid(const direct_needle *n, const uint32_t *tables, size_t words)
{
    if (!words_inside(words, n->boxes, (uint64_t)n->box_count * sizeof(direct_box) / 4))
        return false;
    const direct_box *boxes = (const direct_box *)(tables + n->boxes);
    for (uint32_t i = 0; i < n->box_count; i++) {
        const direct_box *b = &boxes[i];
        if (b->outer.row >= n->rows || b->rows == 0 || b->rows > n->rows - b->outer.row ||
            b->inner.row != b->outer.row || b->inner.col != b->outer.col ||
            b->outer.col >= n->cols || b->cols == 0 || b->cols > n->cols - b->outer.col)
            return false;
    }
    return true;
}

static bool cells_valid(const direct_needle *n, const uint32_t *tables, size_t words)
{
    if (n->cells % (sizeof(direct_cell) / 4) != 0 ||
        !words_inside(words, n->cells, (uint64_t)n->count * sizeof(direct_cell) / 4))
        return false;
    const direct_cell *cells = (const direct_cell *)(tables + n->cells);
    for (uint32_t i = 0; i < n->count; i++)
        if (cells[i].row >= n->rows || cells[i].col >= n->cols)
            return false;
    return true;
}

static bool direct_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const direct_tables *t = (const direct_tables *)tables;
    uint32_t state = 0;
    if (words < sizeof *t / 4 || t->cell_size != facts->cell_size || t->exact > 1 ||
        t->channel == 0 || t->channel > 4 || t->cell_size % t->channel != 0 ||
        t->count != facts->pattern_count ||
        !words_inside(words, t->needles, (uint64_t)t->count * sizeof(direct_needle) / 4))
        return false;
    const direct_needle *needles = (const direct_needle *)(tables + t->needles);
    for (uint32_t i = 0; i < t->count; i++) {
        const direct_needle *n = &needles[i];
        if (n->rows < facts->min_length || n->rows > facts->max_length || n->cols == 0 ||
            !cells_valid(n, tables, words) || !boxes_valid(n, tables, words))
            return false;
        state = n->box_count ? DIRECT_BOX_STATE : state;
    }
    return facts->state_words == state;
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
