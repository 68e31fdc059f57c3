/* order.c: putting records and matches in order, and handing them on.
 *
 * Records come from slices that were scanned separately, so they are in order but for small
 * disturbances, or not in order at all (from a device, or an engine that reports by start). An LSD
 * radix sort of two or three digits of 11 bits, n moves for each, sorts them by place; then the few
 * that share a place are sorted by index. Nothing is moved when they are in order already.
 *
 * Matches are sorted by merging. Before two sorted halves are merged, what is in place at
 * the outer end of either is left where it is: only the stretch in which they overlap is
 * moved. So a list in which every match is near its place costs O(n) comparisons, any
 * other O(n log n). A match that stands for many is taken and put back for each: a heap holds
 * those, so that it takes O(log n).
 */
#include <string.h>

#include "match/match.h"
#include "match/order.h"

enum {
    DIGITS = 4,
    FEW_BITS = 8,
    MANY_BITS = 11,
    MANY = 4096,
    SMALL = 8,
    SHARED = 32,
    STRETCH = 256
};

/* ---- records --------------------------------------------------------- */

static uint64_t record_key(const record *r)
{
    return (uint64_t)r->pos << 32 | r->index;
}

/* There is a branch for each stretch, none for a record; halves of records are compared, which
 * vectors can do everywhere. */
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

static uint32_t record_field(const record *r, bool by_index)
{
    return by_index ? r->index : r->pos;
}

/* The digits of a field, above its least value: as few as possible, of equal width. */
typedef struct digits {
    uint32_t least;
    uint32_t count, width;
    bool by_index;
} digits;

static digits choose_digits(const record *records, size_t count, bool by_index)
{
    const uint32_t most = count < MANY ? FEW_BITS : MANY_BITS;
    uint32_t least = UINT32_MAX, largest = 0, bits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = record_field(&records[i], by_index);
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    while (bits < 32 && (largest - least) >> bits)
        bits++;
    const uint32_t number = (bits + most - 1) / most;
    return (digits){ least, number, number ? (bits + number - 1) / number : 0, by_index };
}

static uint32_t digit_of(const digits *d, const record *r, uint32_t digit)
{
    const uint32_t value = record_field(r, d->by_index) - d->least;
    return value >> (digit * d->width) & ((1u << d->width) - 1);
}

/* One stable pass; place[] has how many records have each value of the digit. */
static void radix_pass(const digits *d, uint32_t digit, const record *from, record *to,
                       size_t count, uint32_t *place)
{
    uint32_t next = 0;
    for (uint32_t value = 0; value >> d->width == 0; value++) {
        const uint32_t size = place[value];
        place[value] = next;
        next += size;
    }
    for (size_t i = 0; i < count; i++)
        to[place[digit_of(d, &from[i], digit)]++] = from[i];
}

/* Sort by one of the two fields. */
static void sort_field(record *records, size_t count, record *scratch, bool by_index)
{
    uint32_t place[DIGITS][1 << MANY_BITS];
    const digits d = choose_digits(records, count, by_index);
    record *from = records, *to = scratch;
    for (uint32_t digit = 0; digit < d.count; digit++)
        memset(place[digit], 0, sizeof place[digit][0] << d.width);
    for (size_t i = 0; i < count; i++)
        for (uint32_t digit = 0; digit < d.count; digit++)
            place[digit][digit_of(&d, &records[i], digit)]++;
    for (uint32_t digit = 0; digit < d.count; digit++) {
        radix_pass(&d, digit, from, to, count, place[digit]);
        record *swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, count * sizeof *records);
}

/* Sort a few records by both fields. */
static void insert_records(record *records, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const record item = records[i];
        size_t k = i;
        for (; k > 0 && record_key(&records[k - 1]) > record_key(&item); k--)
            records[k] = records[k - 1];
        records[k] = item;
    }
}

void records_sort(record *records, size_t count, record *scratch)
{
    if (records_in_order(records, count))
        return;
    if (count <= SMALL) {
        insert_records(records, count);
        return;
    }
    sort_field(records, count, scratch, false);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && records[end].pos == records[i].pos;)
            end++;
        if (end - i > SHARED)
            sort_field(records + i, end - i, scratch, true);
        else if (end - i > 1)
            insert_records(records + i, end - i);
    }
}

size_t records_distinct(record *records, size_t count)
{
    size_t kept = count ? 1 : 0;
    for (size_t i = 1; i < count; i++)
        if (records[i].pos != records[kept - 1].pos || records[i].index != records[kept - 1].index)
            records[kept++] = records[i];
    return kept;
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

bool found_continue(found_match *m, const found_match *next)
{
    const bool single = m->start == m->last;
    const uint64_t goes = next->end - m->end;
    if (m->pattern != next->pattern || next->start != m->last + 1 || next->last != next->start)
        return false;
    if (single ? goes > 1 : m->step > 1 || next->end != found_end(m, next->start))
        return false;
    if (single)
        m->step = (uint32_t)goes;
    m->last = next->last;
    return true;
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

bool match_list_add(match_list *list, memory *memory, found_match m)
{
    if (list->count == list->capacity && !match_list_grow(list, memory))
        return false;
    list->items[list->count++] = m;
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

/* ---- matches that are taken in order and put back ---------------------- */

match_queue match_queue_open(match_list *list, match_list *back, match_before before)
{
    match_list_sort(list, before);
    return (match_queue){ list, back, before, 0 };
}

const found_match *match_queue_next(const match_queue *q)
{
    const found_match *sorted = q->next < q->list->count ? &q->list->items[q->next] : NULL;
    const found_match *top = q->back->count > 0 ? q->back->items : NULL;
    return sorted == NULL || (top != NULL && q->before(top, sorted)) ? top : sorted;
}

found_match match_queue_take(match_queue *q)
{
    found_match *heap = q->back->items;
    const found_match *next = match_queue_next(q);
    if (q->back->count == 0 || next != heap)
        return q->list->items[q->next++];
    const found_match top = *next, m = heap[--q->back->count];
    size_t i = 0;
    for (size_t k = 1; k < q->back->count; k = 2 * i + 1) {
        k += k + 1 < q->back->count && q->before(&heap[k + 1], &heap[k]);
        if (!q->before(&heap[k], &m))
            break;
        heap[i] = heap[k];
        i = k;
    }
    heap[i] = m;
    return top;
}

bool match_queue_put(match_queue *q, memory *memory, found_match m)
{
    if (!match_list_add(q->back, memory, m))
        return false;
    found_match *heap = q->back->items;
    size_t i = q->back->count - 1;
    for (; i > 0 && q->before(&m, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = m;
    return true;
}

bool match_queue_close(match_queue *q, memory *memory)
{
    match_list_drop(q->list, q->next);
    bool added = true;
    for (size_t i = 0; added && i < q->back->count; i++)
        added = match_list_add(q->list, memory, q->back->items[i]);
    q->back->count = 0;
    return added;
}
