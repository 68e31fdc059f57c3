/* paths.c: finds the states of the rows' automaton that can only lead to one row, and that row.
 *
 * Idea: most of a trie of needle rows are paths without a branch. A kernel on such a path need not
 * look up state after state: it compares the rest of the row with the text. For that this file
 * makes a table for stage 4 (grid_rest in kernel.k): u32[states], for each state 0 or the word at
 * which its only row is described, then these rows, each a grid_path (kernel.h).
 *
 * Rows of less than 16 bytes have no path.
 *
 * Cost: 12 bytes for each state while it is made, and the table: 4 bytes for each state, and the
 * rows.
 */
#include <string.h>

#include "base/error.h"
#include "engines/shared/grid/launch.h"

enum { VECTOR = 16 }; /* bytes */

/* Sets alone[s] to 1 + the only row that can be completed from s, or to 0, and parents[s]. On
 * the way there nothing may end: no row that begins with s does (`own`), or no row at all. */
static void find_alone(const automaton_node *nodes, const uint32_t *ends, uint32_t states, bool own,
                       uint32_t *alone, uint32_t *parents)
{
    for (uint32_t s = states; s-- > 1;) { /* children have larger numbers */
        const uint32_t child = nodes[s].first, children = nodes[s + 1].first - child;
        const bool end = nodes[s].hit == s;
        if (children == 0)
            alone[s] = end ? ends[s] + 1 : 0;
        else
            alone[s] = children == 1 && !(own ? end : nodes[s].hit != 0) ? alone[child] : 0;
        for (uint32_t i = 0; i < children; i++)
            parents[child + i] = s;
    }
}

/* GRID_CELL the other way round. */
static void put_cell(uint8_t *row, uint32_t cell_size, uint32_t col, uint32_t symbol)
{
    const uint8_t bytes[] = { (uint8_t)symbol, (uint8_t)(symbol >> 8), (uint8_t)(symbol >> 16) };
    const uint16_t half = (uint16_t)symbol;
    const void *const cells[] = { bytes, &half, bytes, &symbol };
    memcpy(row + (size_t)col * cell_size, cells[cell_size - 1], cell_size);
}

typedef struct path_maker {
    memory *memory;
    const automaton_node *nodes;
    const uint32_t *lengths;
    uint32_t cell_size;
    uint32_t *alone, *parents;
    uint32_t *paths; /* the table */
} path_maker;

/* Words that the row which ends in leaf `s` takes; 0: it has no path, or s is no leaf. */
static uint32_t path_words(const path_maker *m, uint32_t s)
{
    if (m->alone[s] == 0 || m->nodes[s].first != m->nodes[s + 1].first ||
        m->alone[m->parents[s]] == 0)
        return 0;
    const uint32_t bytes = m->lengths[m->alone[s] - 1] * m->cell_size;
    return bytes < VECTOR ? 0 : (sizeof(grid_path) + (bytes + VECTOR - 1) / VECTOR * VECTOR) / 4;
}

/* Describe the row that ends in leaf `s` at word `at`, and set its states' words to that: but for
 * the path's first state, so that a walk takes one step on the path, which is cheap and mostly
 * the last, before it compares. */
static void add_path(const path_maker *m, uint32_t s, uint32_t at)
{
    const uint32_t number = m->alone[s] - 1, cols = m->lengths[number];
    grid_path *path = (grid_path *)(m->paths + at);
    uint8_t *row = (uint8_t *)(path + 1);
    path->number = number;
    path->bytes = cols * m->cell_size;
    path->leaf = s;
    for (uint32_t col = cols, state = s; col-- > 0; state = m->parents[state]) {
        put_cell(row, m->cell_size, col, m->nodes[state].symbol);
        if (state != s && m->alone[m->parents[state]] != 0)
            m->paths[state] = at;
    }
    memmove(row + (path->bytes - 1) / VECTOR * VECTOR, row + path->bytes - VECTOR, VECTOR);
}

/* Makes m->paths; returns its words, or 0 when memory ran out. */
static uint64_t make_paths(path_maker *m, const uint32_t *tables, const automaton_tables *t,
                           bool own)
{
    const uint32_t first = (t->states + 3) / 4 * 4;
    uint64_t words = first;
    if (!m->alone || !m->parents)
        return 0;
    find_alone(m->nodes, tables + t->ends, t->states, own, m->alone, m->parents);
    for (uint32_t s = 1; s < t->states; s++)
        words += path_words(m, s);
    if (words <= UINT32_MAX)
        m->paths = memory_take_zeroed(m->memory, (size_t)words, sizeof *m->paths);
    if (!m->paths)
        return 0;
    for (uint32_t s = 1, at = first; s < t->states; s++) {
        const uint32_t needed = path_words(m, s);
        if (needed != 0)
            add_path(m, s, at);
        at += needed;
    }
    return words;
}

int grid_upload_paths(device_plan *p, const grid_use *use, device_buffer *to, trawl_error *error)
{
    const uint32_t *tables = p->facts.tables;
    const automaton_tables *t = use->rows;
    path_maker m = { .memory = p->memory,
                     .nodes = (const automaton_node *)(tables + t->nodes),
                     .lengths = tables + t->lengths,
                     .cell_size = p->facts.cell_size };
    m.alone = memory_take_zeroed(m.memory, t->states, sizeof *m.alone);
    m.parents = memory_take_zeroed(m.memory, t->states, sizeof *m.parents);
    const uint64_t bytes = make_paths(&m, tables, t, use->own) * 4;
    int status =
        bytes != 0 ? TRAWL_OK
                   : memory_failed(m.memory, error, "the paths of %u states", (unsigned)t->states);
    if (status == TRAWL_OK)
        status = plan_upload(p, to, m.paths, (size_t)bytes, error);
    memory_give(m.memory, m.paths);
    memory_give(m.memory, m.parents);
    memory_give(m.memory, m.alone);
    return status;
}
