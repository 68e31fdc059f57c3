/* needles.c: distinct rows of needles and their automaton.
 *
 * Idea: sort the strings. A state of the trie is then a range of them (all that begin with
 * its symbols), its children are the parts of that range by their next symbol, in order, and
 * visiting states in the order of their numbers is breadth first. Failure links follow in a
 * second pass, from small numbers to large ones.
 *
 * Cost: O(total length), besides sorting; 20 bytes for each state in the plan, and 8 while
 * building.
 */
#include "engines/shared/grid/needles.h"

#include <stdlib.h>
#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/grid/automaton.h"

#define FEW_COLOURS 4u
#define DENSE_SYMBOLS 5u        /* the most classes; */
#define DENSE_STATES 8u         /* the fewest states for each class: with less, texts are at the
                                   root; and */
#define DENSE_STEPS (16u << 10) /* the most entries, which the first cache holds */
#define MAX_SYMBOLS (1u << 29)  /* keeps state numbers and word offsets within 32 bits */

const char *refuses_unless_needles(const pattern_list *list)
{
    if (list->alike)
        return "it compares cells exactly: direct takes masks, tolerance and wrong cells, ku masks";
    return list->needles ? NULL : "it searches grids of cells: use `trawl grid`, or bm, wm or ac";
}

/* ---- strings ----------------------------------------------------------- */

/* Symbol by symbol, a prefix before the longer one; equal ones by owner. */
static int compare_strings(const void *left, const void *right)
{
    const symbol_string *a = left, *b = right;
    uint32_t common = a->length < b->length ? a->length : b->length;
    for (uint32_t i = 0; i < common; i++)
        if (a->symbols[i] != b->symbols[i])
            return a->symbols[i] < b->symbols[i] ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static bool strings_equal(const symbol_string *a, const symbol_string *b)
{
    return a->length == b->length &&
           memcmp(a->symbols, b->symbols, a->length * sizeof *a->symbols) == 0;
}

uint32_t strings_number(symbol_string *strings, uint32_t count, uint32_t *numbers)
{
    uint32_t distinct = 0;
    qsort(strings, count, sizeof *strings, compare_strings);
    for (uint32_t i = 0; i < count; i++) {
        if (distinct == 0 || !strings_equal(&strings[distinct - 1], &strings[i]))
            strings[distinct++] = strings[i];
        numbers[strings[i].owner] = distinct - 1;
    }
    return distinct;
}

/* ---- rows ---------------------------------------------------------------- */

static uint32_t rows_taken(const needle *n, uint32_t limit)
{
    return n->rows < limit ? n->rows : limit;
}

uint32_t row_changes(const uint8_t *cells, uint32_t cell_size, uint32_t cols)
{
    uint32_t changes = 0;
    for (uint32_t col = 1; col < cols; col++)
        changes += grid_cell(cells, cell_size, col) != grid_cell(cells, cell_size, col - 1);
    return changes;
}

void colours_add(colour_set *set, uint32_t cell)
{
    set->has[cell * 0x9e3779b1u >> 24] = 1;
}

uint32_t colours_count(const colour_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_COLOURS; i++)
        count += set->has[i];
    return count;
}

double even_rows_met(const pattern_list *list, uint32_t limit)
{
    colour_set colours = { { 0 } };
    double even = 0;
    for (size_t i = 0; i < list->count; i++) {
        const needle *n = &list->needles[i];
        for (uint32_t row = 0; row < rows_taken(n, limit); row++) {
            const uint8_t *cells = n->cells + (size_t)row * n->cols * list->cell_size;
            if (row_changes(cells, list->cell_size, n->cols) != 0)
                continue;
            colours_add(&colours, grid_cell(cells, list->cell_size, 0));
            even++;
        }
    }
    return even > 0 ? COST_EVEN_SHARE * even / colours_count(&colours) : 0;
}

double row_step_cost(const pattern_list *list)
{
    colour_set colours = { { 0 } };
    const needle *n = list->needles;
    for (size_t i = 0; i < (size_t)n->rows * n->cols; i++)
        colours_add(&colours, grid_cell(n->cells + i * list->cell_size, list->cell_size, 0));
    return colours_count(&colours) <= FEW_COLOURS ? COST_GRID_DEEP_STEP : COST_GRID_STEP;
}

static void add_row(row_set *rows, const uint8_t *cells, uint32_t cell_size, uint32_t cols,
                    uint32_t *symbols)
{
    for (uint32_t col = 0; col < cols; col++)
        symbols[col] = grid_cell(cells, cell_size, col);
    rows->strings[rows->count] = (symbol_string){ symbols, cols, rows->count };
    rows->count++;
}

void rows_collect(const pattern_list *list, uint32_t limit, block *b, row_set *rows)
{
    uint64_t symbols = 0, count = 0;
    *rows = (row_set){ 0 };
    for (size_t i = 0; i < list->count; i++) {
        count += rows_taken(&list->needles[i], limit);
        symbols += (uint64_t)rows_taken(&list->needles[i], limit) * list->needles[i].cols;
    }
    if (symbols > MAX_SYMBOLS) {
        b->failed = true;
        return;
    }
    rows->numbers = memory_take_array(b->memory, (size_t)count, sizeof *rows->numbers);
    rows->strings = memory_take_array(b->memory, (size_t)count, sizeof *rows->strings);
    rows->symbols = memory_take_array(b->memory, (size_t)symbols, sizeof *rows->symbols);
    if (!rows->numbers || !rows->strings || !rows->symbols) {
        rows_free(b->memory, rows);
        b->failed = true;
        return;
    }
    uint32_t *next = rows->symbols;
    for (size_t i = 0; i < list->count; i++) {
        const needle *n = &list->needles[i];
        for (uint32_t row = 0; row < rows_taken(n, limit); row++) {
            add_row(rows, n->cells + (size_t)row * n->cols * list->cell_size, list->cell_size,
                    n->cols, next);
            next += n->cols;
        }
    }
    rows->distinct = strings_number(rows->strings, rows->count, rows->numbers);
}

void rows_free(memory *m, row_set *rows)
{
    memory_give(m, rows->numbers);
    memory_give(m, rows->strings);
    memory_give(m, rows->symbols);
    *rows = (row_set){ 0 };
}

/* ---- automaton ----------------------------------------------------------- */

static uint32_t count_states(const symbol_string *strings, uint32_t count)
{
    uint32_t states = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t shared = 0;
        if (i > 0) {
            const symbol_string *before = &strings[i - 1];
            while (shared < before->length && shared < strings[i].length &&
                   before->symbols[shared] == strings[i].symbols[shared])
                shared++;
        }
        states += strings[i].length - shared;
    }
    return states;
}

/* While building: the strings [low, high) that begin with a state's symbols. */
typedef struct range {
    uint32_t low, high;
} range;

/* Number the children of `state`, whose strings are in ranges[state] and share their first
 * `depth` symbols. Returns the next free number. A string as long as that comes first, and
 * ends here. */
static uint32_t add_children(const symbol_string *strings, uint32_t state, uint32_t depth,
                             uint32_t free_state, range *ranges, automaton_node *nodes,
                             uint32_t *ends)
{
    uint32_t low = ranges[state].low, high = ranges[state].high;
    nodes[state].first = free_state;
    if (low < high && strings[low].length == depth) {
        ends[state] = low++;
        nodes[state].hit = state;
    }
    while (low < high) {
        uint32_t symbol = strings[low].symbols[depth];
        uint32_t stop = low + 1;
        while (stop < high && strings[stop].symbols[depth] == symbol)
            stop++;
        nodes[free_state].symbol = symbol;
        ranges[free_state++] = (range){ low, stop };
        low = stop;
    }
    return free_state;
}

static void add_states(const symbol_string *strings, uint32_t count, uint32_t states, range *ranges,
                       automaton_node *nodes, uint32_t *ends)
{
    uint32_t free_state = 1, depth = 0, level_end = 1;
    ranges[0] = (range){ 0, count };
    for (uint32_t state = 0; state < states; state++) {
        if (state == level_end) {
            depth++;
            level_end = free_state;
        }
        free_state = add_children(strings, state, depth, free_state, ranges, nodes, ends);
    }
    nodes[states].first = states;
}

/* Failure links and hits. The links of smaller states are there when a state needs them. */
static void add_links(uint32_t states, automaton_node *nodes)
{
    for (uint32_t state = 0; state < states; state++) {
        for (uint32_t child = nodes[state].first; child < nodes[state + 1].first; child++) {
            uint32_t suffix = state, found = 0;
            while (suffix != 0 && found == 0) {
                suffix = nodes[suffix].fail;
                found = automaton_child(nodes, suffix, nodes[child].symbol);
            }
            nodes[child].fail = found;
            if (nodes[child].hit == 0)
                nodes[child].hit = nodes[found].hit;
        }
    }
}

/* The root's hash table: eight slots a child, so that most symbols meet an empty one; for bytes
 * direct, by symbol. */
static void add_slots(block *b, uint32_t nodes, bool byte_symbols, automaton_tables *out)
{
    const uint32_t stop = ((const automaton_node *)(b->bytes + (size_t)nodes * 4))[1].first;
    uint32_t bits = byte_symbols ? 9 : 1;
    while (!byte_symbols && bits < 31 && ((uint64_t)1 << bits) < 8 * (uint64_t)stop)
        bits++;
    out->slot_mask = (1u << bits) - 1;
    out->multiplier = byte_symbols ? 1 : 0x9e3779b1u; /* 2^32 over the golden ratio */
    out->shift = byte_symbols ? 0 : 32 - bits;
    out->slots = block_words(b, NULL, (size_t)2 << bits);
    if (b->failed)
        return;
    const automaton_node *node = (const automaton_node *)(b->bytes + (size_t)nodes * 4);
    automaton_slot *slots = (automaton_slot *)(b->bytes + (size_t)out->slots * 4);
    for (uint32_t child = 1; child < stop; child++) {
        uint32_t i = (node[child].symbol * out->multiplier >> out->shift) & out->slot_mask;
        while (slots[i].state != 0)
            i = (i + 1) & out->slot_mask;
        slots[i].symbol = node[child].symbol;
        slots[i].state = child;
    }
}

static void add_lengths(block *b, const symbol_string *strings, uint32_t count,
                        automaton_tables *out)
{
    out->strings = count;
    out->lengths = block_words(b, NULL, count);
    if (b->failed)
        return;
    uint32_t *lengths = (uint32_t *)(b->bytes + (size_t)out->lengths * 4);
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = strings[i].length;
}

void automaton_build(block *b, const symbol_string *strings, uint32_t count, bool byte_symbols,
                     automaton_tables *out)
{
    const uint32_t states = count_states(strings, count);
    range *ranges = memory_take_array(b->memory, states, sizeof *ranges);
    out->states = states;
    out->nodes = block_words(b, NULL, ((size_t)states + 1) * sizeof(automaton_node) / 4);
    out->ends = block_words(b, NULL, states);
    if (!ranges)
        b->failed = true;
    if (!b->failed) {
        automaton_node *nodes = (automaton_node *)(b->bytes + (size_t)out->nodes * 4);
        uint32_t *ends = (uint32_t *)(b->bytes + (size_t)out->ends * 4);
        add_states(strings, count, states, ranges, nodes, ends);
        add_links(states, nodes);
        add_slots(b, out->nodes, byte_symbols, out);
        add_lengths(b, strings, count, out);
    }
    memory_give(b->memory, ranges);
}

/* The step of the automaton as the dense table has it. */
static uint32_t dense_step(const automaton *a, uint32_t state, uint32_t byte, uint32_t shift)
{
    const uint32_t next = automaton_step(a, state, byte, false);
    return next << shift | (a->nodes[next].hit != 0 ? DENSE_HIT : 0);
}

void dense_build(block *b, const automaton_tables *of, bool byte_symbols, automaton_dense *out)
{
    uint8_t classes[256] = { 0 };
    uint32_t bytes[DENSE_SYMBOLS] = { 0 }, symbols = 1;
    *out = (automaton_dense){ 0 };
    if (b->failed || !byte_symbols)
        return;
    const automaton_node *nodes = (const automaton_node *)(b->bytes + (size_t)of->nodes * 4);
    for (uint32_t state = 1; state < of->states && symbols <= DENSE_SYMBOLS; state++) {
        const uint32_t byte = nodes[state].symbol;
        if (classes[byte] != 0)
            continue;
        if (symbols < DENSE_SYMBOLS)
            bytes[symbols] = byte;
        classes[byte] = (uint8_t)symbols++;
    }
    uint32_t shift = 1;
    while ((1u << shift) < symbols)
        shift++;
    if (symbols > DENSE_SYMBOLS || of->states < DENSE_STATES * symbols ||
        (uint64_t)of->states << shift > DENSE_STEPS)
        return;
    out->classes = block_words(b, classes, sizeof classes / 4);
    out->bytes = block_words(b, bytes, symbols);
    out->next = block_words(b, NULL, (size_t)of->states << shift);
    if (b->failed)
        return;
    automaton a;
    automaton_open(&a, (const uint32_t *)(const void *)b->bytes, of);
    uint32_t *next = (uint32_t *)(b->bytes + (size_t)out->next * 4);
    for (uint32_t state = 0; state < of->states; state++)
        for (uint32_t k = 1; k < symbols; k++)
            next[(state << shift) + k] = dense_step(&a, state, bytes[k], shift);
    out->symbols = symbols;
    out->shift = shift;
}

/* ---- lists ----------------------------------------------------------------- */

uint32_t grid_lists_build(block *b, const uint32_t *key_of, uint32_t count, uint32_t keys,
                          uint32_t *place)
{
    uint32_t offset = block_words(b, NULL, (size_t)keys + 1);
    if (b->failed)
        return 0;
    /* lists[k + 1] counts key k, then is where its next item goes: in the end where the next
     * key begins. */
    uint32_t *lists = (uint32_t *)(b->bytes + (size_t)offset * 4);
    for (uint32_t i = 0; i < count; i++)
        lists[key_of[i] + 1]++;
    uint32_t first = 0;
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t items = lists[k + 1];
        lists[k + 1] = first;
        first += items;
    }
    for (uint32_t i = 0; i < count; i++)
        place[i] = lists[key_of[i] + 1]++;
    return offset;
}

/* ---- verifying ------------------------------------------------------------- */

/* Level by level: children follow each other without a gap and lie on the next level, links
 * lead to an earlier level, a string is as long as its state is deep. */
static bool nodes_valid(const automaton_tables *t, const uint32_t *tables)
{
    const automaton_node *nodes = (const automaton_node *)(tables + t->nodes);
    const uint32_t *ends = tables + t->ends, *lengths = tables + t->lengths;
    uint32_t depth = 0, level = 0, next_level = 1;
    if (nodes[0].first != 1 || nodes[0].fail != 0 || nodes[0].hit != 0 ||
        nodes[t->states].first != t->states)
        return false;
    for (uint32_t state = 1; state < t->states; state++) {
        const automaton_node *n = &nodes[state];
        if (state == next_level) {
            depth++;
            level = state;
            next_level = n->first;
        }
        if (n->first <= state || n->first < nodes[state - 1].first || n->first > t->states ||
            n->fail >= level || n->hit > state)
            return false;
        if (n->hit == state ? ends[state] >= t->strings || lengths[ends[state]] != depth
                            : n->hit != nodes[n->fail].hit)
            return false;
    }
    return true;
}

/* Slots lead to children of the root, and some slot ends the search for a symbol. */
static bool slots_valid(const automaton_tables *t, const uint32_t *tables)
{
    const automaton_node *nodes = (const automaton_node *)(tables + t->nodes);
    const automaton_slot *slots = (const automaton_slot *)(tables + t->slots);
    bool has_empty = false;
    for (uint64_t i = 0; i <= t->slot_mask; i++) {
        has_empty = has_empty || slots[i].state == 0;
        if (slots[i].state >= nodes[1].first)
            return false;
    }
    return has_empty;
}

bool automaton_valid(const automaton_tables *t, const uint32_t *tables, size_t words)
{
    return t->states >= 2 && t->states <= MAX_SYMBOLS + 1 && t->shift < 32 &&
           (t->slot_mask & (t->slot_mask + 1)) == 0 && t->slot_mask != UINT32_MAX &&
           words_inside(words, t->nodes, ((uint64_t)t->states + 1) * sizeof(automaton_node) / 4) &&
           words_inside(words, t->ends, t->states) && words_inside(words, t->lengths, t->strings) &&
           words_inside(words, t->slots, ((uint64_t)t->slot_mask + 1) * 2) &&
           nodes_valid(t, tables) && slots_valid(t, tables);
}

bool dense_valid(const automaton_dense *t, const automaton_tables *of, const uint32_t *tables,
                 size_t words)
{
    automaton a;
    if (t->symbols == 0)
        return true;
    if (t->symbols > DENSE_SYMBOLS || t->shift > 4 || t->symbols > 1u << t->shift ||
        (uint64_t)of->states << t->shift > DENSE_STEPS || !words_inside(words, t->classes, 64) ||
        !words_inside(words, t->bytes, t->symbols) ||
        !words_inside(words, t->next, (uint64_t)of->states << t->shift))
        return false;
    for (uint32_t byte = 0; byte < 256; byte++)
        if (((const uint8_t *)(tables + t->classes))[byte] >= t->symbols)
            return false;
    automaton_open(&a, tables, of);
    for (uint32_t state = 0; state < of->states; state++)
        for (uint32_t k = 0; k < t->symbols; k++)
            if (tables[t->next + (state << t->shift) + k] !=
                (k ? dense_step(&a, state, tables[t->bytes + k], t->shift) : 0))
                return false;
    return true;
}

bool grid_lists_valid(const uint32_t *tables, size_t words, uint32_t lists, uint32_t keys,
                      uint32_t items, uint32_t item_words)
{
    if (!words_inside(words, lists, (uint64_t)keys + 1))
        return false;
    for (uint32_t k = 0; k < keys; k++)
        if (tables[lists + k] > tables[lists + k + 1])
            return false;
    return words_inside(words, items, (uint64_t)tables[lists + keys] * item_words);
}
