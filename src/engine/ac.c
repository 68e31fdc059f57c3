/* ac.c: the trie of a set of literals, laid out for Aho-Corasick and for PFAC.
 *
 * Steps: byte classes; a trie by insertion (first child, next sibling); breadth-first
 * numbers, so that a failure link always points to a smaller number; failure links; then
 * the layout of table/ac.h: rows for the first states, sparse records for the rest. PFAC is
 * the same trie with the failure links left out.
 */
#include "table/ac.h"

#include <stdlib.h>
#include <string.h>

#include "engine/costs.h"
#include "engine/grams.h"
#include "engine/literals.h"
#include "table/pfac.h"

#define AC_ROW_BUDGET (4u << 20) /* words of rows: 16 MiB */
#define NO_NODE UINT32_MAX
#define NODE_BYTES 33 /* that a trie takes for each node */

typedef struct trie {
    uint32_t count;    /* nodes; the root is 0 */
    uint32_t *child;   /* first child */
    uint32_t *sibling; /* next sibling */
    uint8_t *key;      /* class of the byte that leads here */
    uint32_t *first;   /* first pattern that is this node's string, or NO_NODE */
    uint32_t *next;    /* of a pattern: the next one with the same string. The block of all arrays
                          begins here */
    uint32_t *order;   /* breadth-first: node of each number */
    uint32_t *number;  /* the inverse */
    uint32_t *fail;    /* by number */
    uint32_t *state;   /* by number: the state as walks know it */
    uint32_t *output;  /* by number: word offset of its output list, 0 when empty */
    uint8_t map[256];
    uint32_t classes;
} trie;

/* ---- building the trie ------------------------------------------------ */

/* One block, so that a trie which is too large is refused before anything of it is taken. */
static bool trie_alloc(memory *m, trie *t, size_t nodes, size_t patterns)
{
    uint32_t **const arrays[] = { &t->child,  &t->sibling, &t->first, &t->order,
                                  &t->number, &t->fail,    &t->state, &t->output };
    uint32_t *room = memory_take_zeroed(m, nodes * NODE_BYTES + patterns * sizeof *t->next, 1);
    t->next = room;
    if (!room)
        return false;
    room += patterns;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, room += nodes)
        *arrays[i] = room;
    t->key = (uint8_t *)room;
    return true;
}

static uint32_t find_child(const trie *t, uint32_t node, uint8_t key)
{
    uint32_t child = t->child[node];
    while (child != NO_NODE && t->key[child] != key)
        child = t->sibling[child];
    return child;
}

static uint32_t add_node(trie *t, uint32_t parent, uint8_t key)
{
    uint32_t node = t->count++;
    t->child[node] = NO_NODE;
    t->first[node] = NO_NODE;
    t->key[node] = key;
    t->sibling[node] = NO_NODE;
    if (node != 0) {
        t->sibling[node] = t->child[parent];
        t->child[parent] = node;
    }
    return node;
}

/* Bytes in use get classes 1, 2, ...; all others share class 0. When all 256 are in use
 * there is no class 0 to spare, so classes run from 0. */
static void number_classes(const pattern_list *list, trie *t)
{
    uint8_t fold[256];
    bool used[256] = { false };
    unsigned count = 0;
    fold_table(list, fold);
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->patterns[i].length; k++)
            used[fold[list->patterns[i].bytes[k]]] = true;
    for (int c = 0; c < 256; c++)
        count += used[c];
    t->classes = count < 256 ? 1 : 0;
    for (int c = 0; c < 256; c++)
        t->map[c] = used[c] ? (uint8_t)t->classes++ : 0;
    for (int c = 0; c < 256; c++)
        t->map[c] = t->map[fold[c]];
}

static void insert_all(const pattern_list *list, trie *t)
{
    add_node(t, 0, 0);
    /* From the last to the first, so that each node's list comes out in index order. */
    for (size_t i = list->count; i-- > 0;) {
        const pattern *p = &list->patterns[i];
        uint32_t node = 0;
        for (size_t k = 0; k < p->length; k++) {
            uint8_t key = t->map[p->bytes[k]];
            uint32_t child = find_child(t, node, key);
            node = child != NO_NODE ? child : add_node(t, node, key);
        }
        t->next[i] = t->first[node];
        t->first[node] = (uint32_t)i;
    }
}

static void number_states(trie *t)
{
    uint32_t filled = 1;
    t->order[0] = 0;
    for (uint32_t n = 0; n < t->count; n++) {
        t->number[t->order[n]] = n;
        for (uint32_t c = t->child[t->order[n]]; c != NO_NODE; c = t->sibling[c])
            t->order[filled++] = c;
    }
}

/* In breadth-first order, so that the links needed are there. */
static void link_failures(trie *t)
{
    for (uint32_t n = 0; n < t->count; n++) {
        for (uint32_t c = t->child[t->order[n]]; c != NO_NODE; c = t->sibling[c]) {
            uint32_t f = n, found = NO_NODE;
            while (f != 0 && found == NO_NODE) {
                f = t->fail[f];
                found = find_child(t, t->order[f], t->key[c]);
            }
            t->fail[t->number[c]] = found == NO_NODE ? 0 : t->number[found];
        }
    }
}

/* ---- layout ----------------------------------------------------------- */

static uint32_t child_count(const trie *t, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t c = t->child[node]; c != NO_NODE; c = t->sibling[c])
        count++;
    return count;
}

/* Output lists go in by number: a link leads to a smaller number, so to a smaller offset. */
static uint32_t append_outputs(const pattern_list *list, trie *t, block *b, bool failureless)
{
    const bool mixed = fold_mixed(list);
    size_t base = block_append(b, NULL, 8, 8); /* offset 0 is the empty list */
    for (uint32_t n = 0; n < t->count; n++) {
        uint32_t link = failureless ? 0 : t->output[t->fail[n]];
        uint32_t first = t->first[t->order[n]];
        if (first == NO_NODE) {
            t->output[n] = n ? link : 0;
            continue;
        }
        uint32_t record[2] = { link, 0 };
        size_t at = block_append(b, record, sizeof record, 4);
        uint32_t count = 0;
        for (uint32_t i = first; i != NO_NODE; i = t->next[i], count++) {
            uint32_t index = i;
            if (mixed && !(list->patterns[i].flags & TRAWL_NOCASE))
                index |= AC_VERIFY;
            block_append(b, &index, sizeof index, 4);
        }
        if (b->failed)
            return 0;
        memcpy(b->bytes + at + 4, &count, sizeof count);
        t->output[n] = (uint32_t)((at - base) / 4);
    }
    return (uint32_t)(base / 4);
}

/* The first states get rows; the others a place in the sparse part. */
static void place_states(trie *t, ac_tables *head)
{
    const uint32_t width = t->classes + 1;
    const uint32_t budget = AC_ROW_BUDGET / width;
    const uint32_t rows = t->count < budget ? t->count : budget;
    uint64_t place = 0;
    for (uint32_t n = 0; n < t->count; n++) {
        if (n < rows) {
            t->state[n] = n * width;
        } else {
            t->state[n] = (uint32_t)place | AC_SPARSE;
            uint32_t children = child_count(t, t->order[n]);
            place += SPARSE_KEYS + (children + 3) / 4 + children;
            if (place > AC_PLACE)
                return;
        }
        if (t->output[n])
            t->state[n] |= AC_MATCH;
    }
    head->row_words = rows * width;
    head->sparse_words = (uint32_t)place;
}

static void fill_rows(const trie *t, uint32_t *rows, uint32_t row_count, bool failureless)
{
    const uint32_t width = t->classes + 1;
    for (uint32_t n = 0; n < row_count; n++) {
        uint32_t *row = rows + (size_t)n * width;
        if (!failureless && n > 0)
            memcpy(row, rows + (size_t)t->fail[n] * width, t->classes * sizeof *row);
        for (uint32_t c = t->child[t->order[n]]; c != NO_NODE; c = t->sibling[c])
            row[t->key[c]] = t->state[t->number[c]];
        row[t->classes] = t->output[n];
    }
}

static void fill_sparse(const trie *t, uint32_t *sparse, uint32_t row_count, bool failureless)
{
    for (uint32_t n = row_count; n < t->count; n++) {
        uint32_t *record = sparse + (t->state[n] & AC_PLACE);
        uint32_t count = child_count(t, t->order[n]), i = 0;
        record[SPARSE_FAIL] = failureless ? AC_DEAD : t->state[t->fail[n]];
        record[SPARSE_OUTPUT] = t->output[n];
        record[SPARSE_CHILDREN] = count;
        uint8_t *keys = (uint8_t *)(record + SPARSE_KEYS);
        for (uint32_t c = t->child[t->order[n]]; c != NO_NODE; c = t->sibling[c], i++) {
            keys[i] = t->key[c];
            record[SPARSE_KEYS + (count + 3) / 4 + i] = t->state[t->number[c]];
        }
    }
}

static void lay_out(const pattern_list *list, trie *t, block *b, bool failureless)
{
    ac_tables head;
    memset(&head, 0, sizeof head);
    block_words(b, NULL, sizeof head / 4);
    head.classes = t->classes;
    head.map = (uint32_t)(block_append(b, t->map, sizeof t->map, 8) / 4);
    head.outputs = append_outputs(list, t, b, failureless);
    head.output_words = (uint32_t)(b->size / 4) - head.outputs;
    place_states(t, &head);
    if (head.row_words == 0)
        b->failed = true; /* more states than 30 bits can place */
    if (fold_mixed(list))
        head.literals = append_literals(list, b);
    block_reserve(b, b->size + ((size_t)head.row_words + head.sparse_words + 4) * 4);
    head.rows = block_words(b, NULL, head.row_words);
    head.sparse = block_words(b, NULL, head.sparse_words);
    if (b->failed)
        return;
    const uint32_t row_count = head.row_words / (t->classes + 1);
    uint32_t *words = (uint32_t *)(void *)b->bytes;
    fill_rows(t, words + head.rows, row_count, failureless);
    fill_sparse(t, words + head.sparse, row_count, failureless);
    memcpy(words, &head, sizeof head);
}

/* ---- how many nodes ----------------------------------------------------- */

static uint64_t literal_bytes(const pattern_list *list)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += list->patterns[i].length;
    return bytes;
}

static int compare_bytes(const void *left, const void *right)
{
    const pattern *a = *(const pattern *const *)left, *b = *(const pattern *const *)right;
    const size_t common = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->bytes, b->bytes, common);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* A node for each byte that does not continue a prefix which the literal before, in order, has. */
static uint64_t count_nodes(const pattern_list *list, const pattern **sorted)
{
    uint64_t nodes = 1;
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = &list->patterns[i];
    qsort(sorted, list->count, sizeof(const pattern *), compare_bytes);
    for (size_t i = 0; i < list->count; i++) {
        size_t shared = 0;
        while (i > 0 && shared < sorted[i]->length && shared < sorted[i - 1]->length &&
               sorted[i]->bytes[shared] == sorted[i - 1]->bytes[shared])
            shared++;
        nodes += sorted[i]->length - shared;
    }
    return nodes;
}

/* How many nodes there may be: one a byte, which costs nothing to say; where so many have no room,
 * as many as there are. (Fewer still where literals differ in case only.) */
static uint64_t most_nodes(const problem *p)
{
    const uint64_t bytes = literal_bytes(p->list) + 1;
    if (memory_fits(p->memory, bytes * NODE_BYTES))
        return bytes;
    const pattern **sorted = memory_take_array(p->memory, p->list->count, sizeof *sorted);
    const uint64_t nodes = sorted ? count_nodes(p->list, sorted) : bytes;
    memory_give(p->memory, sorted);
    return nodes;
}

static void build(const problem *p, bool failureless, stage_draft *out)
{
    const uint64_t nodes = most_nodes(p);
    trie t;
    memset(&t, 0, sizeof t);
    if (nodes < NO_NODE && trie_alloc(p->memory, &t, (size_t)nodes, p->list->count)) {
        number_classes(p->list, &t);
        insert_all(p->list, &t);
        number_states(&t);
        if (!failureless)
            link_failures(&t);
        lay_out(p->list, &t, &out->tables, failureless);
    } else {
        out->tables.failed = true;
    }
    memory_give(p->memory, t.next);
}

static void ac_build(const problem *p, stage_draft *out)
{
    out->state_words = 1; /* the automaton's state */
    build(p, false, out);
}

static void pfac_build(const problem *p, stage_draft *out)
{
    build(p, true, out);
}

/* ---- verifying a loaded section --------------------------------------- */

typedef struct ac_view {
    const ac_tables *t;
    const uint32_t *rows, *sparse, *outputs;
    uint8_t *starts; /* bit set: where sparse records begin, then where output lists do */
    uint8_t *lists;
} ac_view;

static bool bit(const uint8_t *set, uint32_t i)
{
    return set[i / 8] >> (i % 8) & 1;
}

static bool state_valid(const ac_view *v, uint32_t s)
{
    uint32_t place = s & AC_PLACE;
    if (s & AC_SPARSE)
        return place < v->t->sparse_words && bit(v->starts, place);
    return place < v->t->row_words && place % (v->t->classes + 1) == 0;
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
    const uint32_t width = v->t->classes + 1;
    for (uint32_t i = 0; i < v->t->row_words; i++)
        if (i % width == width - 1 ? !list_valid(v, v->rows[i]) : !state_valid(v, v->rows[i]))
            return false;
    return true;
}

static bool tables_valid(const stage_facts *facts, const uint32_t *tables, size_t words)
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
    ac_view v = { t, tables + t->rows, tables + t->sparse, tables + t->outputs, NULL, NULL };
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
    return facts->state_words == 1 && tables_valid(facts, tables, words);
}

static bool pfac_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    return facts->state_words == 0 && tables_valid(facts, tables, words);
}

/* ---- the two engines -------------------------------------------------- */

/* How far the rows outgrow the caches. */
static double ac_cost(const problem *p)
{
    bool used[256] = { false };
    size_t classes = 1;
    if (p->target.gpu)
        return cost_of_many(COST_GPU_AC, COST_GPU_AC_TENFOLD, p->list->count);
    for (size_t i = 0; i < p->list->count; i++)
        for (size_t k = 0; k < p->list->patterns[i].length; k++) {
            classes += !used[p->list->patterns[i].bytes[k]];
            used[p->list->patterns[i].bytes[k]] = true;
        }
    double rows = (double)literal_bytes(p->list) * (double)(classes + 1) * 4;
    double cost = COST_AC_BYTE;
    for (; rows > COST_AC_CACHED && cost < COST_AC_MOST; rows /= 2)
        cost += COST_AC_DOUBLING;
    return cost;
}

static double pfac_cost(const problem *p)
{
    if (p->target.gpu)
        return COST_GPU_PFAC + COST_GPU_PFAC_VERIFY * grams_pass(p);
    return COST_GRAM + COST_PFAC_VERIFY * grams_pass(p);
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

const engine engine_pfac = {
    .name = "pfac",
    .about = "parallel failureless Aho-Corasick (PFAC), one walk a start: many literals",
    .kind = WALK_PFAC,
    .refuses = refuses_unless_literals,
    .cost = pfac_cost,
    .build = pfac_build,
    .check = pfac_check,
    .fallback = &engine_ac,
    .filter = &engine_grams,
};
