/* merge.c: the matches of several patterns that share their end, in the order of output.
 *
 * Each pattern's starts ascend, so a heap of patterns, with the least next start on top, gives all
 * starts in order without copying any. Cost: O(log patterns) for each match. */
#include "match/merge.h"

void merge_free(merge *m, memory *memory)
{
    memory_give(memory, m->items);
    *m = (merge){ 0 };
}

merge_item *merge_add(merge *m, memory *memory)
{
    if (m->count == m->room) {
        size_t room = m->room == 0 ? 16 : 2 * m->room;
        merge_item *items = memory_grow(memory, m->items, room * sizeof *items);
        if (items == NULL)
            return NULL;
        m->items = items;
        m->room = room;
    }
    return &m->items[m->count++];
}

static bool stands_before(const merge_item *a, const merge_item *b)
{
    if (a->starts.first != b->starts.first)
        return a->starts.first < b->starts.first;
    const plan_pattern *p = a->pattern, *q = b->pattern;
    return p->id != q->id ? p->id < q->id : p->order < q->order;
}

/* Let items[i] sink to its place. */
static void sink_down(merge *m, size_t i)
{
    const merge_item item = m->items[i];
    for (size_t k = 2 * i + 1; k < m->count; k = 2 * i + 1) {
        k += k + 1 < m->count && stands_before(&m->items[k + 1], &m->items[k]);
        if (!stands_before(&m->items[k], &item))
            break;
        m->items[i] = m->items[k];
        i = k;
    }
    m->items[i] = item;
}

/* Go to the next start. False: there is none. */
static bool next_start(merge_item *item)
{
    if (item->starts.first == item->starts.last)
        return start_run_next(&item->starts);
    item->starts.first++;
    return true;
}

/* Hand on the matches of a single pattern, which are in order. */
static int release_one(merge *m, match_out *out, uint64_t end)
{
    merge_item *item = &m->items[--m->count];
    int status;
    do
        status = match_emit(out, item->pattern, item->starts.first, end);
    while (status == TRAWL_OK && next_start(item));
    return status;
}

int merge_release(merge *m, match_out *out, uint64_t end)
{
    const plan_pattern *last = NULL;
    uint64_t start = 0;
    int status = TRAWL_OK;
    if (m->count == 1)
        return release_one(m, out, end);
    for (size_t i = m->count / 2; i-- > 0;)
        sink_down(m, i);
    while (status == TRAWL_OK && m->count > 0) {
        merge_item *top = &m->items[0];
        const uint64_t first = top->starts.first;
        if (!last || start != first || last->order != top->pattern->order) /* alternatives */
            status = match_emit(out, top->pattern, first, end);
        last = top->pattern;
        start = first;
        if (!next_start(top))
            *top = m->items[--m->count];
        sink_down(m, 0);
    }
    return status;
}
