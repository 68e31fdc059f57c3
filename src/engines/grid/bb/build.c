/* build.c: Baker-Bird's tables. The walk and the essay are in cpu.c. */
#include "engines/grid/bb/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/grid/needles.h"

/* Where a row of one colour ends, and each does once, the columns move on. */
static double bb_cost(const problem *p)
{
    const double even = even_rows_met(p->list, UINT32_MAX);
    const double cost = row_step_cost(p->list) + COST_GRID_COLUMN * (even < 1 ? even : 1);
    return p->target.gpu ? COST_GPU_GRID * cost : cost;
}

static int compare_words(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Number the widths, and append the number of each row's width. */
static void add_groups(block *b, const row_set *rows, bb_tables *head)
{
    uint32_t *widths = memory_take_array(b->memory, rows->distinct, sizeof *widths);
    head->row_group = block_words(b, NULL, rows->distinct);
    if (!widths)
        b->failed = true;
    if (!b->failed) {
        uint32_t *group_of = (uint32_t *)(b->bytes + (size_t)head->row_group * 4);
        for (uint32_t i = 0; i < rows->distinct; i++)
            widths[i] = rows->strings[i].length;
        qsort(widths, rows->distinct, sizeof *widths, compare_words);
        for (uint32_t i = 0; i < rows->distinct; i++)
            if (i == 0 || widths[i] != widths[head->groups - 1])
                widths[head->groups++] = widths[i];
        for (uint32_t i = 0; i < rows->distinct; i++) {
            const uint32_t *found = bsearch(&rows->strings[i].length, widths, head->groups,
                                            sizeof *widths, compare_words);
            group_of[i] = (uint32_t)(found - widths);
        }
    }
    memory_give(b->memory, widths);
}

/* The column automaton: needles as sequences of row numbers, equal ones in one class. */
static void add_columns(block *b, const pattern_list *list, const row_set *rows, bb_tables *head)
{
    const uint32_t count = (uint32_t)list->count;
    symbol_string *strings = memory_take_array(b->memory, count, sizeof *strings);
    uint32_t *classes = memory_take_array(b->memory, count, sizeof *classes);
    uint32_t *place = memory_take_array(b->memory, count, sizeof *place);
    if (!strings || !classes || !place)
        b->failed = true;
    if (!b->failed) {
        const uint32_t *next = rows->numbers;
        for (uint32_t i = 0; i < count; i++) {
            strings[i] = (symbol_string){ next, list->needles[i].rows, i };
            next += list->needles[i].rows;
        }
        uint32_t distinct = strings_number(strings, count, classes);
        automaton_build(b, strings, distinct, false, &head->columns);
        head->class_first = grid_lists_build(b, classes, count, distinct, place);
        head->members = block_words(b, NULL, count);
    }
    if (!b->failed) {
        uint32_t *members = (uint32_t *)(b->bytes + (size_t)head->members * 4);
        for (uint32_t i = 0; i < count; i++)
            members[place[i]] = i;
    }
    memory_give(b->memory, strings);
    memory_give(b->memory, classes);
    memory_give(b->memory, place);
}

static uint64_t state_words(const bb_tables *head)
{
    return (uint64_t)head->groups * sizeof(bb_column) / sizeof(uint32_t);
}

static void bb_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    block *b = &out->tables;
    bb_tables head;
    row_set rows;
    rows_collect(list, UINT32_MAX, b, &rows);
    if (b->failed)
        return;
    memset(&head, 0, sizeof head);
    head.cell_size = list->cell_size;
    for (size_t i = 0; i < list->count; i++)
        if (list->needles[i].rows > head.max_rows)
            head.max_rows = list->needles[i].rows;
    block_words(b, NULL, sizeof head / 4);
    automaton_build(b, rows.strings, rows.distinct, list->cell_size == 1, &head.rows);
    dense_build(b, &head.rows, list->cell_size == 1, &head.dense);
    add_groups(b, &rows, &head);
    add_columns(b, list, &rows, &head);
    rows_free(b->memory, &rows);
    if (!b->failed)
        memcpy(b->bytes, &head, sizeof head);
    out->state_words = state_words(&head);
}

static bool bb_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const bb_tables *t = (const bb_tables *)tables;
    if (words < sizeof *t / 4 || t->cell_size != facts->cell_size ||
        t->max_rows != facts->max_length || t->groups >= t->rows.states ||
        facts->state_words != state_words(t) || !automaton_valid(&t->rows, tables, words) ||
        !dense_valid(&t->dense, &t->rows, tables, words) ||
        !automaton_valid(&t->columns, tables, words) ||
        !words_inside(words, t->row_group, t->rows.strings) ||
        !grid_lists_valid(tables, words, t->class_first, t->columns.strings, t->members, 1))
        return false;
    for (uint32_t i = 0; i < t->rows.strings; i++)
        if (tables[t->row_group + i] >= t->groups)
            return false;
    for (uint32_t i = 0; i < tables[t->class_first + t->columns.strings]; i++)
        if (tables[t->members + i] >= facts->pattern_count)
            return false;
    return true;
}

const engine engine_bb = {
    .name = "bb",
    .about = "Baker-Bird: needles of any sizes; time does not depend on the text (1977, 1978)",
    .kind = WALK_BB,
    .grid = true,
    .refuses = refuses_unless_needles,
    .cost = bb_cost,
    .build = bb_build,
    .check = bb_check,
};
