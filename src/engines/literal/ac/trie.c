/* trie.c: the trie of a set of literals in linear time.
 *
 * Idea: sort the literals, by 8 classes at a time as numbers, and ties in full, and copy them in
 * that order, so that all later steps read memory from one end to the other. A literal has its own
 * node for each byte after the prefix that it shares with the one before. Nodes are made depth by
 * depth: among the literals that are long enough, those that share at most `depth` bytes with their
 * predecessor begin a node there; all others are in the node of their predecessor.
 *
 * Invariant: before depth d, at[i] is the node of the first d bytes of literal i, if it has as
 * many, and nodes up to that depth have their numbers.
 *
 * Cost: O(bytes + n log n); memory as nodes_open says.
 */
#include "engines/literal/ac/trie.h"

#include <stdlib.h>
#include <string.h>

enum { RADIX = 256, KEY_BYTES = 8, AHEAD = 8 };

/* A literal to be sorted. */
typedef struct item {
    uint64_t key; /* its first classes, the first one highest */
    const pattern *pattern;
} item;

/* Literals lie anywhere: that of items[i + AHEAD] is fetched while that of items[i] is read. */
static void fetch_ahead(const item *items, size_t i, size_t count)
{
    if (count - i > 2 * AHEAD)
        WALK_FETCH(items[i + 2 * AHEAD].pattern);
    if (count - i > AHEAD)
        WALK_FETCH(items[i + AHEAD].pattern->bytes);
}

/* What is needed while it is built, of the sorted literals. */
typedef struct sorted {
    item *items;
    uint64_t bytes;
    uint8_t *keys;    /* classes of all, one literal after the other */
    uint32_t *first;  /* in keys; one more than there are literals */
    uint32_t *shared; /* length of the prefix that it has in common with the one before */
    uint32_t *at, *active;
} sorted;

/* Bytes in use get classes 1, 2, ...; all others share class 0. When all 256 are in use
 * there is no class 0 to spare, so classes run from 0. */
static void number_classes(const pattern_list *list, trie *t)
{
    uint8_t fold[256];
    bool used[256] = { false };
    unsigned count = 0;
    fold_table(list, fold);
    for (size_t i = 0; i < list->count; i++) {
        if (list->count - i > AHEAD)
            WALK_FETCH(list->patterns[i + AHEAD].bytes);
        for (size_t k = 0; k < list->patterns[i].length; k++)
            used[list->patterns[i].bytes[k]] = true;
    }
    for (int c = 0; c < 256; c++)
        if (used[c])
            used[fold[c]] = true;
    for (int c = 0; c < 256; c++)
        count += used[c] = used[c] && fold[c] == c;
    t->classes = count < 256 ? 1 : 0;
    for (int c = 0; c < 256; c++)
        t->map[c] = used[c] ? (uint8_t)t->classes++ : 0;
    for (int c = 0; c < 256; c++)
        t->map[c] = t->map[fold[c]];
}

/* ---- sorting -------------------------------------------------------------------- */

static int by_place(const item *a, const item *b, int order)
{
    if (order)
        return order;
    if (a->pattern->length != b->pattern->length)
        return a->pattern->length < b->pattern->length ? -1 : 1;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static int compare_exact(const void *left, const void *right)
{
    const item *a = left, *b = right;
    const size_t length =
        a->pattern->length < b->pattern->length ? a->pattern->length : b->pattern->length;
    return by_place(a, b, memcmp(a->pattern->bytes, b->pattern->bytes, length));
}

static int compare_folded(const void *left, const void *right)
{
    const item *a = left, *b = right;
    const size_t length =
        a->pattern->length < b->pattern->length ? a->pattern->length : b->pattern->length;
    size_t i = 0;
    while (i < length && fold_byte(a->pattern->bytes[i]) == fold_byte(b->pattern->bytes[i]))
        i++;
    return by_place(
        a, b, i < length ? fold_byte(a->pattern->bytes[i]) - fold_byte(b->pattern->bytes[i]) : 0);
}

static void radix_pass(const item *from, item *to, size_t count, unsigned shift)
{
    size_t place[RADIX] = { 0 }, next = 0;
    for (size_t i = 0; i < count; i++)
        place[from[i].key >> shift & (RADIX - 1)]++;
    for (size_t digit = 0; digit < RADIX; digit++) {
        const size_t size = place[digit];
        place[digit] = next;
        next += size;
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & (RADIX - 1)]++] = from[i];
}

/* Sort s->items, which have room for twice as many. The classes of bytes rise with them. */
static void sort_items(const pattern_list *list, const trie *t, sorted *s)
{
    const size_t count = list->count;
    int (*const compare)(const void *, const void *) =
        fold_any(list) ? compare_folded : compare_exact;
    item *from = s->items, *to = s->items + count;
    uint64_t differ = 0;
    for (size_t i = 0; i < count; i++) {
        const pattern *p = &list->patterns[i];
        uint64_t key = 0;
        if (count - i > AHEAD)
            WALK_FETCH(p[AHEAD].bytes);
        for (size_t k = 0; k < KEY_BYTES; k++)
            key = key << 8 | (k < p->length ? t->map[p->bytes[k]] : 0);
        from[i] = (item){ key, p };
        differ |= key ^ from[0].key;
    }
    for (unsigned shift = 0; shift < 64; shift += 8)
        if (differ >> shift & (RADIX - 1)) {
            radix_pass(from, to, count, shift);
            item *swap = from;
            from = to;
            to = swap;
        }
    if (from != s->items)
        memcpy(s->items, from, count * sizeof *from);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && s->items[end].key == s->items[i].key;)
            end++;
        if (end - i > 1)
            qsort(&s->items[i], end - i, sizeof *s->items, compare);
    }
}

/* ---- from sorted literals to nodes -------------------------------------------------- */

static uint32_t length_of(const sorted *s, size_t i)
{
    return s->first[i + 1] - s->first[i];
}

/* What each literal shares with the one before, and which are equal; returns how many nodes they
 * have. */
static uint64_t count_nodes(const pattern_list *list, trie *t, sorted *s)
{
    const size_t count = list->count;
    uint64_t nodes = 1;
    for (size_t i = 0; i < count; i++) {
        fetch_ahead(s->items, i, count);
        const pattern *p = s->items[i].pattern, *before = s->items[i ? i - 1 : 0].pattern;
        const size_t least = i == 0 ? 0 : p->length < before->length ? p->length : before->length;
        size_t shared = 0;
        while (shared < least && t->map[p->bytes[shared]] == t->map[before->bytes[shared]])
            shared++;
        t->order[i] = (uint32_t)(p - list->patterns);
        t->equals[i] = i > 0 && shared == p->length && shared == before->length;
        s->shared[i] = (uint32_t)shared;
        nodes += p->length - shared;
    }
    for (size_t i = count; i-- > 0;)
        s->at[i] = i + 1 < count && t->equals[i + 1] ? s->at[i + 1] + 1 : 1;
    memcpy(t->equals, s->at, count * sizeof *t->equals);
    return nodes;
}

/* Copy the literals as classes, in order. */
static void copy_keys(const pattern_list *list, const trie *t, sorted *s)
{
    uint32_t place = 0;
    for (size_t i = 0; i < list->count; i++) {
        fetch_ahead(s->items, i, list->count);
        const pattern *p = s->items[i].pattern;
        s->first[i] = place;
        for (size_t k = 0; k < p->length; k++)
            s->keys[place++] = t->map[p->bytes[k]];
    }
    s->first[list->count] = place;
}

/* child[n] counts the children of n - 1 until all are there. */
static void make_nodes(trie *t, sorted *s, size_t literals)
{
    size_t active = literals;
    t->count = 1;
    t->key[0] = 0;
    t->first[0] = TRIE_NONE;
    for (size_t i = 0; i < literals; i++) {
        s->active[i] = (uint32_t)i;
        s->at[i] = 0;
    }
    for (uint32_t depth = 0; active > 0; depth++) {
        size_t left = 0;
        for (size_t k = 0; k < active; k++) {
            const uint32_t i = s->active[k];
            if (s->shared[i] <= depth) {
                const uint32_t node = t->count++;
                t->child[s->at[i] + 1]++;
                t->key[node] = s->keys[s->first[i] + depth];
                t->first[node] = TRIE_NONE;
                s->at[i] = node;
            } else {
                s->at[i] = t->count - 1; /* of the one before, which is as long */
            }
            if (length_of(s, i) > depth + 1)
                s->active[left++] = i;
            else if (t->first[s->at[i]] == TRIE_NONE)
                t->first[s->at[i]] = i;
        }
        active = left;
    }
    t->child[0] = 1;
    for (uint32_t n = 0; n < t->count; n++)
        t->child[n + 1] += t->child[n];
}

/* ---- memory --------------------------------------------------------------------------- */

static bool sorted_open(memory *m, const pattern_list *list, sorted *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < list->count; i++)
        s->bytes += list->patterns[i].length;
    if (s->bytes >= TRIE_NONE)
        return false;
    s->items = memory_take_array(m, 2 * list->count, sizeof *s->items);
    s->first = s->items ? memory_take_array(m, 4 * list->count + 1, sizeof *s->first) : NULL;
    if (!s->first)
        return false;
    s->shared = s->first + list->count + 1;
    s->at = s->shared + list->count;
    s->active = s->at + list->count;
    return true;
}

static void sorted_close(memory *m, sorted *s)
{
    memory_give(m, s->items);
    memory_give(m, s->first);
}

/* One block, with the keys at its end, so that a trie which is too large is refused before anything
 * of it is taken. */
static bool nodes_open(memory *m, trie *t, uint64_t nodes, sorted *s)
{
    if (nodes >= TRIE_NONE)
        return false;
    uint32_t *room =
        memory_take_zeroed(m, (size_t)(nodes * TRIE_NODE_BYTES + sizeof *room + s->bytes), 1);
    t->child = room;
    if (!room)
        return false;
    t->first = room + nodes + 1;
    t->state = t->first + nodes;
    t->output = t->state + nodes;
    t->key = (uint8_t *)(t->output + nodes);
    s->keys = t->key + nodes;
    return true;
}

bool trie_open(memory *m, const pattern_list *list, trie *t)
{
    sorted s;
    memset(t, 0, sizeof *t);
    bool fine = sorted_open(m, list, &s);
    if (fine)
        t->order = memory_take_array(m, 2 * list->count, sizeof *t->order);
    fine = fine && t->order;
    if (fine) {
        t->equals = t->order + list->count;
        number_classes(list, t);
        sort_items(list, t, &s);
        fine = nodes_open(m, t, count_nodes(list, t, &s), &s);
    }
    if (fine) {
        copy_keys(list, t, &s);
        make_nodes(t, &s, list->count);
    }
    sorted_close(m, &s);
    return fine;
}

void trie_close(memory *m, trie *t)
{
    memory_give(m, t->child);
    memory_give(m, t->order);
}
