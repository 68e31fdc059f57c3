/* build.c: Aho-Corasick: the layout of layout.h from the trie of a set of literals.
 *
 * Steps: the trie (trie.c), whose numbers are breadth-first, so that a failure link always
 * points to a smaller one; rows for the first nodes, each a copy of the row of its failure link
 * with its own children put in, so that finding a child's link is one look at a row, or at a few
 * records for nodes after the last row; then sparse records for the rest. PFAC is the same without
 * failure links.
 */
#include "engines/literal/ac/layout.h"

#include <stdlib.h>
#include <string.h>

#include "engines/literal/ac/build.h"
#include "engines/literal/ac/trie.h"
#include "engines/shared/costs.h"
#include "engines/shared/fold.h"
#include "engines/shared/literals.h"

/* Words of rows: 16 MiB; after another engine 4 MiB, which are built in a third of the time, and
 * at most a quarter slower. */
#define AC_ROW_BUDGET (4u << 20)
#define AC_ROW_BUDGET_BEHIND (1u << 20)

enum {
    AHEAD = 8,      /* patterns whose bytes are fetched before they are read */
    PREFIX_LOG = 20 /* bits for prefixes that are counted: 128 KiB */
};

/* ---- layout ----------------------------------------------------------- */

/* The states of a trie, by number. */
typedef struct layout {
    const pattern_list *list;
    trie t;
    uint32_t *fail; /* NULL: none */
    uint32_t rows;  /* nodes that have a row */
    uint32_t *row;  /* [rows * width]: while they are made, numbers */
} layout;

static uint32_t width_of(const layout *l)
{
    return l->t.classes + 1;
}

/* The first nodes get rows, which hold numbers of nodes; 0 is the root, or none (PFAC). */
static uint32_t follow(const layout *l, uint32_t node, uint8_t key)
{
    while (node >= l->rows) {
        for (uint32_t c = l->t.child[node]; c < l->t.child[node + 1]; c++)
            if (l->t.key[c] == key)
                return c;
        node = l->fail[node];
    }
    return l->row[(size_t)node * width_of(l) + key];
}

static void fill_row(layout *l, uint32_t n)
{
    const uint32_t width = width_of(l);
    uint32_t *row = l->row + (size_t)n * width;
    if (l->fail && n > 0)
        memcpy(row, l->row + (size_t)l->fail[n] * width, width * sizeof *row);
    for (uint32_t c = l->t.child[n]; c < l->t.child[n + 1]; c++)
        row[l->t.key[c]] = c;
}

/* In breadth-first order, so that the links and rows needed are there. */
static void link_nodes(layout *l)
{
    for (uint32_t n = 0; n < l->t.count; n++) {
        for (uint32_t c = l->t.child[n]; l->fail && c < l->t.child[n + 1]; c++)
            l->fail[c] = n ? follow(l, l->fail[n], l->t.key[c]) : 0;
        if (n < l->rows)
            fill_row(l, n);
    }
}

/* Output lists go in by number: a link leads to a smaller number, so to a smaller offset. */
static uint32_t append_outputs(layout *l, block *b)
{
    const bool mixed = fold_mixed(l->list);
    trie *t = &l->t;
    size_t base = block_append(b, NULL, 8, 8); /* offset 0 is the empty list */
    for (uint32_t n = 0; n < t->count; n++) {
        const uint32_t link = l->fail && n ? t->output[l->fail[n]] : 0;
        const uint32_t first = t->first[n];
        t->output[n] = link;
        if (first == TRIE_NONE)
            continue;
        const uint32_t record[2] = { link, t->equals[first] };
        const size_t at = block_append(b, record, sizeof record, 4);
        for (uint32_t i = first; i < first + record[1]; i++) {
            uint32_t index = t->order[i];
            if (mixed && !(l->list->patterns[index].flags & TRAWL_NOCASE))
                index |= AC_VERIFY;
            block_append(b, &index, sizeof index, 4);
        }
        if (b->failed)
            return 0;
        t->output[n] = (uint32_t)((at - base) / 4);
    }
    return (uint32_t)(base / 4);
}

/* The first states have rows; the others a place in the sparse part. False: they are more than 30
 * bits can place. */
static bool place_states(layout *l, ac_tables *head)
{
    trie *t = &l->t;
    uint64_t place = 0;
    for (uint32_t n = 0; n < t->count; n++) {
        const uint32_t children = t->child[n + 1] - t->child[n];
        if (n < l->rows) {
            t->state[n] = n * width_of(l);
        } else {
            t->state[n] = (uint32_t)place | AC_SPARSE;
            place += SPARSE_KEYS + (children + 3) / 4 + children;
            if (place > AC_PLACE)
                return false;
        }
        if (t->output[n])
            t->state[n] |= AC_MATCH;
    }
    head->row_words = l->rows * width_of(l);
    head->sparse_words = (uint32_t)place;
    return true;
}

/* Rows of numbers to rows of states, each with its output list after it. */
static void finish_rows(layout *l)
{
    const uint32_t width = width_of(l);
    uint32_t *row = l->row;
    for (uint32_t n = 0; n < l->rows; n++, row += width) {
        for (uint32_t c = 0; c + 1 < width; c++)
            row[c] = row[c] ? l->t.state[row[c]] : AC_ROOT;
        row[width - 1] = l->t.output[n];
    }
}

static void fill_sparse(const layout *l, uint32_t *sparse)
{
    const trie *t = &l->t;
    for (uint32_t n = l->rows; n < t->count; n++) {
        uint32_t *record = sparse + (t->state[n] & AC_PLACE);
        const uint32_t first = t->child[n], count = t->child[n + 1] - first;
        record[SPARSE_FAIL] = l->fail ? t->state[l->fail[n]] : AC_DEAD;
        record[SPARSE_OUTPUT] = t->output[n];
        record[SPARSE_CHILDREN] = count;
        memcpy(record + SPARSE_KEYS, t->key + first, count);
        memcpy(record + SPARSE_KEYS + (count + 3) / 4, t->state + first, count * sizeof *record);
    }
}

static void lay_out(layout *l, size_t head_bytes, block *b)
{
    ac_tables head;
    memset(&head, 0, sizeof head);
    block_words(b, NULL, head_bytes / 4);
    link_nodes(l);
    head.classes = l->t.classes;
    head.map = (uint32_t)(block_append(b, l->t.map, sizeof l->t.map, 8) / 4);
    head.outputs = append_outputs(l, b);
    head.output_words = (uint32_t)(b->size / 4) - head.outputs;
    if (!place_states(l, &head))
        b->failed = true;
    if (fold_mixed(l->list))
        head.literals = append_literals(l->list, b);
    block_reserve(b, b->size + ((size_t)head.row_words + head.sparse_words + 4) * 4);
    head.rows = block_words(b, NULL, head.row_words);
    head.sparse = block_words(b, NULL, head.sparse_words);
    if (b->failed)
        return;
    uint32_t *words = (uint32_t *)(void *)b->bytes;
    finish_rows(l);
    memcpy(words + head.rows, l->row, head.row_words * sizeof *l->row);
    fill_sparse(l, words + head.sparse);
    memcpy(words, &head, sizeof head);
}

void ac_lay_out(const problem *p, size_t head, stage_draft *out)
{
    const bool failureless = head > sizeof(ac_tables);
    layout l = { .list = p->list };
    bool fine = trie_open(p->memory, p->list, &l.t);
    if (fine) {
        const uint32_t most = (p->behind ? AC_ROW_BUDGET_BEHIND : AC_ROW_BUDGET) / width_of(&l);
        l.rows = l.t.count < most ? l.t.count : most;
        l.row = memory_take_zeroed(p->memory, (size_t)l.rows * width_of(&l), sizeof *l.row);
        if (!failureless)
            l.fail = memory_take_zeroed(p->memory, l.t.count, sizeof *l.fail);
        fine = l.row && (failureless || l.fail);
    }
    if (fine)
        lay_out(&l, head, &out->tables);
    else
        out->tables.failed = true;
    memory_give(p->memory, l.row);
    memory_give(p->memory, l.fail);
    trie_close(p->memory, &l.t);
}

static void ac_build(const problem *p, stage_draft *out)
{
    out->state_words = 1; /* the automaton's state */
    ac_lay_out(p, sizeof(ac_tables), out);
}

/* ---- verifying a loaded section --------------------------------------- */

typedef struct ac_view {
    const ac_tables *t;
    const uint32_t *rows, *sparse, *outputs;
    uint8_t *starts; /* bit set: where sparse records begin, then where output lists do */
    uint8_t *lists;
    uint64_t divides; /* by the words of a row, see is_row */
} ac_view;

static bool bit(const uint8_t *set, uint32_t i)
{
    return set[i / 8] >> (i % 8) & 1;
}

/* Whether a row begins there. A whole multiple of UINT64_MAX / width + 1 is small, modulo 2^64, if
 * it is the multiple by a multiple of `width`, and only then (Lemire, Kaser, Kurz 2019). */
static bool is_row(const ac_view *v, uint32_t place)
{
    return place < v->t->row_words && place * v->divides <= v->divides - 1;
}

static bool state_valid(const ac_view *v, uint32_t s)
{
    uint32_t place = s & AC_PLACE;
    if (s & AC_SPARSE)
        return place < v->t->sparse_words && bit(v->starts, place);
    return is_row(v, place);
}

static bool list_valid(const ac_view *v, uint32_t list)
{
    return list == 0 || (list < v->t->output_words && bit(v->lists, list));
}

static bool outputs_valid(const ac_view *v, uint32_t patterns)
{
    uint32_t words = v->t->output_words, at = 2;
    while (at < words) {
        if (words - at < OUTPUT_INDEXES)
            return words - at < 2; /* padding */
        uint32_t link = v->outputs[at + OUTPUT_LINK], count = v->outputs[at + OUTPUT_COUNT];
        if (count > words - at - OUTPUT_INDEXES || link >= at || !list_valid(v, link))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index = v->outputs[at + OUTPUT_INDEXES + i];
            if ((index & ~AC_VERIFY) >= patterns || (index & AC_VERIFY && !v->t->literals.count))
                return false;
        }
        v->lists[at / 8] |= (uint8_t)(1u << (at % 8));
        at += OUTPUT_INDEXES + count;
    }
    return true;
}

static bool sparse_starts(const ac_view *v)
{
    uint32_t words = v->t->sparse_words, at = 0;
    while (at < words) {
        uint32_t left = words - at;
        if (left < SPARSE_KEYS || v->sparse[at + SPARSE_CHILDREN] > 256)
            return false;
        uint32_t children = v->sparse[at + SPARSE_CHILDREN];
        uint32_t size = SPARSE_KEYS + (children + 3) / 4 + children;
        if (size > left)
            return false;
        v->starts[at / 8] |= (uint8_t)(1u << (at % 8));
        at += size;
    }
    return true;
}

static bool sparse_valid(const ac_view *v)
{
    for (uint32_t at = 0; at < v->t->sparse_words;) {
        const uint32_t *record = v->sparse + at;
        uint32_t children = record[SPARSE_CHILDREN], keys = (children + 3) / 4;
        uint32_t fail_state = record[SPARSE_FAIL];
        if (!state_valid(v, fail_state) || !list_valid(v, record[SPARSE_OUTPUT]) ||
            (fail_state & AC_SPARSE && (fail_state & AC_PLACE) >= at))
            return false;
        for (uint32_t i = 0; i < children; i++)
            if (!state_valid(v, record[SPARSE_KEYS + keys + i]))
                return false;
        at += SPARSE_KEYS + keys + children;
    }
    return true;
}

static bool rows_valid(const ac_view *v)
{
    const uint32_t classes = v->t->classes;
    for (uint32_t at = 0; at < v->t->row_words; at += classes + 1) {
        for (uint32_t c = 0; c < classes; c++)
            if (!state_valid(v, v->rows[at + c]))
                return false;
        if (!list_valid(v, v->rows[at + classes]))
            return false;
    }
    return true;
}

bool ac_tables_valid(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const ac_tables *t = (const ac_tables *)tables;
    if (words < sizeof *t / 4 || facts->carries || t->classes < 1 || t->classes > 256 ||
        t->row_words == 0 || t->row_words % (t->classes + 1) != 0 || t->row_words > AC_PLACE ||
        t->sparse_words > AC_PLACE || !words_inside(words, t->map, 64) ||
        !words_inside(words, t->rows, t->row_words) ||
        !words_inside(words, t->sparse, t->sparse_words) ||
        !words_inside(words, t->outputs, t->output_words) ||
        (t->literals.count && !literals_valid(facts, &t->literals, tables, words)))
        return false;
    const uint8_t *map = (const uint8_t *)(tables + t->map);
    for (int c = 0; c < 256; c++)
        if (map[c] >= t->classes)
            return false;
    ac_view v = { t,
                  tables + t->rows,
                  tables + t->sparse,
                  tables + t->outputs,
                  NULL,
                  NULL,
                  UINT64_MAX / (t->classes + 1) + 1 };
    v.starts = memory_take_zeroed(facts->memory, t->sparse_words / 8 + 1, 1);
    v.lists = memory_take_zeroed(facts->memory, t->output_words / 8 + 1, 1);
    bool valid = v.starts && v.lists && outputs_valid(&v, facts->pattern_count) &&
                 sparse_starts(&v) && sparse_valid(&v) && rows_valid(&v);
    memory_give(facts->memory, v.starts);
    memory_give(facts->memory, v.lists);
    return valid;
}

static bool ac_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    return facts->state_words == 1 && ac_tables_valid(facts, tables, words);
}

/* ---- what a byte costs ------------------------------------------------ */

static uint64_t literal_bytes(const pattern_list *list)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += list->patterns[i].length;
    return bytes;
}

/* Prefixes of some length: how many there are, and how often the sample has one. */
typedef struct prefixes {
    double count, share;
} prefixes;

static uint32_t prefix_bit(const uint8_t *at, uint32_t length, uint32_t fold)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < length; i++)
        bytes = bytes << 8 | gram_fold(at[i], fold);
    return (uint32_t)(bytes * 0x9E3779B97F4A7C15u >> (64 - PREFIX_LOG));
}

/* By a hash: `bits` has room for 2^PREFIX_LOG. */
static prefixes count_prefixes(const problem *p, uint32_t length, uint32_t *bits)
{
    const pattern_list *list = p->list;
    const uint32_t fold = fold_any(list) ? GRAM_FOLD : 0;
    size_t count = 0, seen = 0;
    memset(bits, 0, ((size_t)1 << PREFIX_LOG) / 8);
    for (size_t i = 0; i < list->count; i++) {
        if (list->count - i > AHEAD)
            WALK_FETCH(list->patterns[i + AHEAD].bytes);
        if (list->patterns[i].length < length)
            continue;
        const uint32_t bit = prefix_bit(list->patterns[i].bytes, length, fold);
        count += !(bits[bit / 32] >> (bit % 32) & 1);
        bits[bit / 32] |= 1u << (bit % 32);
    }
    for (size_t i = 0; i + length <= p->sample.length; i++) {
        const uint32_t bit = prefix_bit(p->sample.bytes + i, length, fold);
        seen += bits[bit / 32] >> (bit % 32) & 1;
    }
    return (prefixes){ (double)count, (double)seen / (double)p->sample.length };
}

/* The cost of a step from one of `states` states, each with a row. */
static double miss_cost(double states, double row_bytes)
{
    double bytes = states * row_bytes, cost = 0;
    bytes = bytes < AC_ROW_BUDGET * 4.0 ? bytes : AC_ROW_BUDGET * 4.0;
    for (; bytes > 2 * COST_AC_CACHED; bytes /= 2)
        cost += COST_AC_DOUBLING;
    return bytes > COST_AC_CACHED ? cost + COST_AC_DOUBLING * (bytes / COST_AC_CACHED - 1) : cost;
}

static size_t count_classes(const pattern_list *list)
{
    bool used[256] = { false };
    size_t classes = 1;
    for (size_t i = 0; i < list->count; i++) {
        if (list->count - i > AHEAD)
            WALK_FETCH(list->patterns[i + AHEAD].bytes);
        for (size_t k = 0; k < list->patterns[i].length; k++)
            used[list->patterns[i].bytes[k]] = true;
    }
    for (int c = 0; c < 256; c++)
        classes += used[c];
    return classes;
}

/* Near the root all is in the caches. What a text pays for is how often it is four bytes deep in
 * the trie, among how many states, and how often eight. */
static double ac_cost(const problem *p)
{
    if (p->target.gpu)
        return cost_of_many(COST_GPU_AC, COST_GPU_AC_TENFOLD, p->list->count);
    const double row = ((double)count_classes(p->list) + 1) * 4;
    const double states = (double)literal_bytes(p->list);
    double cost = COST_AC_BYTE;
    if (states * row <= COST_AC_CACHED)
        return cost;
    uint32_t *bits = memory_take(p->memory, ((size_t)1 << PREFIX_LOG) / 8);
    if (bits) {
        const prefixes four = count_prefixes(p, 4, bits), eight = count_prefixes(p, 8, bits);
        cost += four.share * miss_cost(3 * four.count + 2 * eight.count, row) +
                eight.share * COST_AC_DEEP * miss_cost(states, row);
    }
    memory_give(p->memory, bits);
    return cost;
}

const engine engine_ac = {
    .name = "ac",
    .about = "Aho-Corasick with failure links: many literals",
    .kind = WALK_AC,
    .refuses = refuses_unless_literals,
    .cost = ac_cost,
    .build = ac_build,
    .check = ac_check,
};
