/* order.c: putting records and matches in order, and handing them out.
 *
 * Records come from slices that were scanned on their own, so they are in order but for
 * small disturbances, or not at all (an engine that reports by start). Their 64-bit key is
 * sorted by an LSD radix sort that leaves out the bytes which all keys share: 2 n moves
 * for each of the others, and none at all when the records are in order already.
 *
 * Matches are sorted by merging. Before two sorted halves are merged, what is in place at
 * the outer end of either is left where it is: only the stretch in which they overlap is
 * moved. So a list in which every match is near its place costs O(n) comparisons, any
 * other O(n log n).
 */
#include <string.h>

#include "match/match.h"
#include "match/order.h"

enum { DIGITS = 8, RADIX = 256, SMALL = 8, STRETCH = 256 };

/* ---- records --------------------------------------------------------- */

static uint64_t record_key(const record *r)
{
    return (uint64_t)r->pos << 32 | r->index;
}

/* A branch for a stretch, none for a record; halves, which vectors compare everywhere. */
static bool records_in_order(const record *records, size_t count)
{
    uint32_t fell = 0;
    for (size_t i = 1; i < count && !fell;) {
        const size_t stop = count - i < STRETCH ? count : i + STRETCH;
        for (; i < stop; i++) {
            const record a = records[i - 1], b = records[i];
            fell |= (uint32_t)(a.pos > b.pos) |
                    ((uint32_t)(a.pos == b.pos) & (uint32_t)(a.index > b.index));
        }
    }
    return !fell;
}

/* One stable pass: by the byte of the key at `shift`. */
static void radix_pass(const record *from, record *to, size_t count, unsigned shift)
{
    size_t place[RADIX] = { 0 };
    for (size_t i = 0; i < count; i++)
        place[record_key(&from[i]) >> shift & (RADIX - 1)]++;
    size_t next = 0;
    for (size_t digit = 0; digit < RADIX; digit++) {
        size_t size = place[digit];
        place[digit] = next;
        next += size;
    }
    for (size_t i = 0; i < count; i++)
        to[place[record_key(&from[i]) >> shift & (RADIX - 1)]++] = from[i];
}

void records_sort(record *records, size_t count, record *scratch)
{
    if (records_in_order(records, count))
        return;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= record_key(&records[i]) ^ record_key(&records[0]);
    record *from = records, *to = scratch;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (differ >> (8 * digit) & (RADIX - 1)) {
            radix_pass(from, to, count, 8 * digit);
            record *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != records)
        memcpy(records, from, count * sizeof *records);
}

/* ---- matches --------------------------------------------------------- */

int match_flush(match_out *out)
{
    const uint32_t count = out->count;
    out->count = 0;
    if (count && out->fn(out->batch, count, out->user) != 0)
        return TRAWL_STOPPED;
    return batch_taken(&out->budget, count, out->left);
}

bool match_repeated(match_out *out, const plan_pattern *p)
{
    if (!(p->flags & TRAWL_ONCE))
        return false;
    uint64_t *word = &out->reported[p->order / 64];
    const uint64_t bit = UINT64_C(1) << (p->order % 64);
    const bool before = (*word & bit) != 0;
    *word |= bit;
    out->open -= !before && out->open != UINT64_MAX;
    return before;
}

static bool match_list_grow(match_list *list, memory *memory)
{
    size_t capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
    found_match *items = memory_grow(memory, list->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    found_match *scratch = memory_take_array(memory, capacity / 2, sizeof *scratch);
    if (scratch == NULL)
        return false;
    memory_give(memory, list->scratch);
    list->scratch = scratch;
    list->capacity = capacity;
    return true;
}

bool match_list_add(match_list *list, memory *memory, const plan_pattern *p, uint64_t start,
                    uint64_t end)
{
    if (list->count == list->capacity && !match_list_grow(list, memory))
        return false;
    list->items[list->count++] = (found_match){ start, end, p->id, p->order };
    return true;
}

void match_list_drop(match_list *list, size_t count)
{
    list->count -= count;
    if (count > 0 && list->count > 0)
        memmove(list->items, list->items + count, list->count * sizeof *list->items);
}

void match_list_free(match_list *list, memory *memory)
{
    memory_give(memory, list->items);
    memory_give(memory, list->scratch);
    *list = (match_list){ 0 };
}

static bool before_by_id(const found_match *a, const found_match *b)
{
    return a->id != b->id ? a->id < b->id : a->pattern < b->pattern;
}

bool match_before_by_end(const found_match *a, const found_match *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->start != b->start ? a->start < b->start : before_by_id(a, b);
}

bool match_before_longest(const found_match *a, const found_match *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    return a->end != b->end ? a->end > b->end : before_by_id(a, b);
}

bool match_before_first(const found_match *a, const found_match *b)
{
    return a->start != b->start ? a->start < b->start : a->pattern < b->pattern;
}

static void insertion_sort(found_match *items, size_t count, match_before before)
{
    for (size_t i = 1; i < count; i++) {
        found_match item = items[i];
        size_t k = i;
        for (; k > 0 && before(&item, &items[k - 1]); k--)
            items[k] = items[k - 1];
        items[k] = item;
    }
}

/* Merge the sorted [0, middle) and [middle, count), of which the first item of the second
 * stands before the last one of the first. `scratch` has room for `middle` matches. */
static void merge(found_match *items, size_t middle, size_t count, match_before before,
                  found_match *scratch)
{
    size_t low = middle - 1, high = middle + 1;
    while (low > 0 && before(&items[middle], &items[low - 1]))
        low--;
    while (high < count && before(&items[high], &items[middle - 1]))
        high++;
    size_t left = middle - low;
    memcpy(scratch, items + low, left * sizeof *items);
    size_t i = 0, k = middle, to = low;
    while (i < left) {
        bool right = k < high && before(&items[k], &scratch[i]);
        items[to++] = right ? items[k++] : scratch[i++];
    }
}

static void sort(found_match *items, size_t count, match_before before, found_match *scratch)
{
    if (count <= SMALL) {
        insertion_sort(items, count, before);
        return;
    }
    size_t middle = count / 2;
    sort(items, middle, before, scratch);
    sort(items + middle, count - middle, before, scratch);
    if (before(&items[middle], &items[middle - 1]))
        merge(items, middle, count, before, scratch);
}

void match_list_sort(match_list *list, match_before before)
{
    sort(list->items, list->count, before, list->scratch);
}
