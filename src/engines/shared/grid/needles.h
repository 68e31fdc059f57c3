/* needles.h: what the builders of both grid engines share: the distinct rows of a set of
 * needles, and the automaton of layout.h over them.
 */
#ifndef TRAWL_ENGINES_SHARED_GRID_NEEDLES_H
#define TRAWL_ENGINES_SHARED_GRID_NEEDLES_H

#include "engines/shared/engine.h"
#include "engines/shared/grid/layout.h"

/* A sequence of symbols: a needle row, or a needle as a sequence of row numbers. */
typedef struct symbol_string {
    const uint32_t *symbols;
    uint32_t length; /* >= 1 */
    uint32_t owner;  /* whose it is; see strings_number */
} symbol_string;

/* Sort the strings and drop repeated ones. Equal strings get one number, in sorted order, and
 * numbers[owner] is set for each. Returns how many distinct strings there are; they stand at
 * strings[0 ..] by their number, as automaton_build needs them. */
uint32_t strings_number(symbol_string *strings, uint32_t count, uint32_t *numbers);

/* The rows of a set of needles. */
typedef struct row_set {
    uint32_t count;    /* rows taken, needle after needle */
    uint32_t *numbers; /* the number of each of them */
    uint32_t distinct;
    symbol_string *strings; /* by number */
    uint32_t *symbols;      /* their cells */
} row_set;

/* Take the first `limit` rows of every needle, for tables in b, from the memory of b. When that
 * runs out, or there are too many cells, b->failed is set and nothing is left allocated. */
void rows_collect(const pattern_list *list, uint32_t limit, block *b, row_set *rows);
void rows_free(memory *m, row_set *rows);

/* Append the automaton of strings that are distinct and sorted. When memory runs out,
 * b->failed is set. `byte_symbols`: no symbol is above 255. */
void automaton_build(block *b, const symbol_string *strings, uint32_t count, bool byte_symbols,
                     automaton_tables *out);

/* Append the table of an automaton by state and class of byte, if its symbols are bytes and few. */
void dense_build(block *b, const automaton_tables *of, bool byte_symbols, automaton_dense *out);

/* Verify such a table of a valid automaton: its steps are the automaton's. */
bool dense_valid(const automaton_dense *t, const automaton_tables *of, const uint32_t *tables,
                 size_t words);

/* Verify an automaton of a loaded plan: the walk's loops end, it stays inside the section, and no
 * string it finds is longer than what was read. */
bool automaton_valid(const automaton_tables *stored, const uint32_t *tables, size_t words);

/* Sort `count` items by key into lists: append u32[keys + 1], the first item of each key, and set
 * place[i] to the place of item i. Items of one key keep their order. Returns the word offset. */
uint32_t grid_lists_build(block *b, const uint32_t *key_of, uint32_t count, uint32_t keys,
                          uint32_t *place);

/* Verify such a table: the lists never fall, and all items, of `item_words` words each, are
 * inside. */
bool grid_lists_valid(const uint32_t *tables, size_t words, uint32_t lists, uint32_t keys,
                      uint32_t items, uint32_t item_words);

/* How many cells of a row differ from the cell before. */
uint32_t row_changes(const uint8_t *cells, uint32_t cell_size, uint32_t cols);

/* A set of colours, each known by a hash of its cell: MAX_COLOURS of them at most. */
#define MAX_COLOURS 256u
typedef struct colour_set {
    uint8_t has[MAX_COLOURS];
} colour_set;

void colours_add(colour_set *set, uint32_t cell);
uint32_t colours_count(const colour_set *set);

/* How many of the first `limit` rows of every needle, those of one colour, begin at a place of a
 * text, on average. It is assumed that a text has one colour around COST_EVEN_SHARE of its places,
 * and that this is any colour of these rows.
 */
double even_rows_met(const pattern_list *list, uint32_t limit);

/* The cost of a step of the automaton: the fewer colours, the deeper in it a text is. */
double row_step_cost(const pattern_list *list);

const char *refuses_unless_needles(const pattern_list *list);

#endif
