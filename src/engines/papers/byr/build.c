/* build.c: Baeza-Yates-Regnier's tables. The walk and the essay are in cpu.c. */
#include "engines/papers/byr/build.h"

#include <stdlib.h>
#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/grid/needles.h"

static uint32_t fewest_rows(const pattern_list *list)
{
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < list->count; i++)
        if (list->needles[i].rows < fewest)
            fewest = list->needles[i].rows;
    return fewest;
}

/* Where a row of one colour ends, every needle row of that colour is a comparison. */
static double byr_cost(const problem *p)
{
    const uint32_t step = fewest_rows(p->list);
    const double cost =
        (row_step_cost(p->list) + COST_GRID_COMPARE * even_rows_met(p->list, step)) / step;
    return p->target.gpu ? COST_GPU_GRID * cost + COST_GPU_BYR : cost;
}

/* ---- needles ------------------------------------------------------------- */

typedef struct row_variety {
    uint32_t changes; /* cells that differ from the one before */
    uint32_t row;
} row_variety;

static int compare_variety(const void *left, const void *right)
{
    const row_variety *a = left, *b = right;
    if (a->changes != b->changes)
        return a->changes > b->changes ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static const uint8_t *row_of(const needle *n, uint32_t cell_size, uint32_t row)
{
    return n->cells + (size_t)row * n->cols * cell_size;
}

/* Rows from the most to the least varied: what a random text is least likely to have. */
static uint32_t add_order(block *b, const needle *n, uint32_t cell_size)
{
    uint32_t offset = block_words(b, NULL, n->rows);
    row_variety *rows = memory_take_array(b->memory, n->rows, sizeof *rows);
    if (!rows)
        b->failed = true;
    if (!b->failed) {
        for (uint32_t row = 0; row < n->rows; row++)
            rows[row] =
                (row_variety){ row_changes(row_of(n, cell_size, row), cell_size, n->cols), row };
        qsort(rows, n->rows, sizeof *rows, compare_variety);
        uint32_t *order = (uint32_t *)(b->bytes + (size_t)offset * 4);
        for (uint32_t i = 0; i < n->rows; i++)
            order[i] = rows[i].row;
    }
    memory_give(b->memory, rows);
    return offset;
}

/* The smallest period of the needle's rows, by Knuth, Morris and Pratt's border table. */
static uint32_t vertical_period(block *b, const needle *n, uint32_t cell_size)
{
    const size_t width = (size_t)n->cols * cell_size;
    /* border[i]: the longest border of the first i + 1 rows. */
    uint32_t *border = memory_take_array(b->memory, n->rows, sizeof *border);
    uint32_t length = 0;
    if (!border) {
        b->failed = true;
        return 1;
    }
    border[0] = 0;
    for (uint32_t row = 1; row < n->rows; row++) {
        const uint8_t *cells = row_of(n, cell_size, row);
        while (length > 0 && memcmp(row_of(n, cell_size, length), cells, width) != 0)
            length = border[length - 1];
        if (memcmp(row_of(n, cell_size, length), cells, width) == 0)
            length++;
        border[row] = length;
    }
    memory_give(b->memory, border);
    return n->rows - length;
}

static void add_needle(block *b, const needle *n, uint32_t cell_size, byr_needle *out)
{
    const uint32_t row_bytes = n->cols * cell_size;
    out->rows = n->rows;
    out->row_bytes = row_bytes;
    out->row_words = (row_bytes + 3) / 4;
    out->order = add_order(b, n, cell_size);
    out->period = vertical_period(b, n, cell_size);
    out->cells = block_words(b, NULL, (size_t)out->row_words * n->rows);
    for (uint32_t row = 0; row < n->rows && !b->failed; row++)
        memcpy(b->bytes + ((size_t)out->cells + (size_t)row * out->row_words) * 4,
               row_of(n, cell_size, row), row_bytes);
}

uint32_t byr_needles_build(block *b, const pattern_list *list)
{
    byr_needle *needles = memory_take_zeroed(b->memory, list->count, sizeof *needles);
    if (!needles)
        b->failed = true;
    for (size_t i = 0; i < list->count && !b->failed; i++)
        add_needle(b, &list->needles[i], list->cell_size, &needles[i]);
    const uint32_t offset = block_words(b, needles, list->count * sizeof *needles / 4);
    memory_give(b->memory, needles);
    return offset;
}

/* ---- candidates ------------------------------------------------------------ */

static void add_candidates(block *b, const pattern_list *list, const row_set *rows,
                           byr_tables *head)
{
    uint32_t *place = memory_take_array(b->memory, rows->count, sizeof *place);
    if (!place)
        b->failed = true;
    head->candidates = block_words(b, NULL, (size_t)rows->count * sizeof(byr_candidate) / 4);
    head->candidate_first = grid_lists_build(b, rows->numbers, rows->count, rows->distinct, place);
    if (!b->failed) {
        byr_candidate *candidates = (byr_candidate *)(b->bytes + (size_t)head->candidates * 4);
        for (uint32_t i = 0, next = 0; i < list->count; i++)
            for (uint32_t row = 0; row < head->step; row++)
                candidates[place[next++]] = (byr_candidate){ i, row };
    }
    memory_give(b->memory, place);
}

static void byr_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    block *b = &out->tables;
    byr_tables head;
    row_set rows;
    memset(&head, 0, sizeof head);
    head.cell_size = list->cell_size;
    head.step = fewest_rows(list);
    rows_collect(list, head.step, b, &rows);
    if (b->failed)
        return;
    block_words(b, NULL, sizeof head / 4);
    automaton_build(b, rows.strings, rows.distinct, list->cell_size == 1, &head.rows);
    dense_build(b, &head.rows, list->cell_size == 1, &head.dense);
    add_candidates(b, list, &rows, &head);
    head.needles = byr_needles_build(b, list);
    rows_free(b->memory, &rows);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
}

/* ---- verifying ------------------------------------------------------------- */

bool byr_needles_valid(const stage_facts *facts, uint32_t offset, uint32_t fewest,
                       const uint32_t *tables, size_t words)
{
    if (!words_inside(words, offset, (uint64_t)facts->pattern_count * sizeof(byr_needle) / 4))
        return false;
    const byr_needle *needles = (const byr_needle *)(tables + offset);
    for (uint32_t i = 0; i < facts->pattern_count; i++) {
        const byr_needle *n = &needles[i];
        if (n->rows < fewest || n->period == 0 || n->row_bytes > (uint64_t)n->row_words * 4 ||
            !words_inside(words, n->cells, (uint64_t)n->rows * n->row_words) ||
            !words_inside(words, n->order, n->rows))
            return false;
        for (uint32_t row = 0; row < n->rows; row++)
            if (tables[n->order + row] >= n->rows)
                return false;
    }
    return true;
}

/* A candidate's needle is as wide as the row that was found, so it fits into the text. */
static bool candidates_valid(const stage_facts *facts, const byr_tables *t, const uint32_t *tables,
                             size_t words)
{
    if (!grid_lists_valid(tables, words, t->candidate_first, t->rows.strings, t->candidates,
                          sizeof(byr_candidate) / 4))
        return false;
    const byr_needle *needles = (const byr_needle *)(tables + t->needles);
    const byr_candidate *candidates = (const byr_candidate *)(tables + t->candidates);
    for (uint32_t number = 0; number < t->rows.strings; number++) {
        uint64_t row_bytes = (uint64_t)tables[t->rows.lengths + number] * t->cell_size;
        uint32_t stop = tables[t->candidate_first + number + 1];
        for (uint32_t i = tables[t->candidate_first + number]; i < stop; i++)
            if (candidates[i].needle >= facts->pattern_count || candidates[i].row >= t->step ||
                needles[candidates[i].needle].row_bytes != row_bytes)
                return false;
    }
    return true;
}

static bool byr_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const byr_tables *t = (const byr_tables *)tables;
    return words >= sizeof *t / 4 && t->cell_size == facts->cell_size && facts->state_words == 0 &&
           t->step != 0 && t->step == facts->min_length &&
           automaton_valid(&t->rows, tables, words) &&
           dense_valid(&t->dense, &t->rows, tables, words) &&
           byr_needles_valid(facts, t->needles, t->step, tables, words) &&
           candidates_valid(facts, t, tables, words);
}

const engine engine_byr = {
    .name = "byr",
    .about = "Baeza-Yates-Regnier: needles of any sizes; scans every m-th row only (1993)",
    .kind = WALK_BYR,
    .grid = true,
    .refuses = refuses_unless_needles,
    .cost = byr_cost,
    .build = byr_build,
    .check = byr_check,
    .fallback = &engine_bb,
};
