/* build.c: Wu-Manber's SHIFT, HASH and PREFIX tables. The loop and the essay are in cpu.c. */
#include "engines/papers/wm/layout.h"

#include <string.h>

#include "engines/shared/costs.h"
#include "engines/shared/literals.h"

#define WM_MAX_WINDOW 4096u

static uint32_t window_length(const pattern_list *list, uint32_t block)
{
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < list->count; i++) {
        size_t length = list->patterns[i].length;
        if (length >= block && length < shortest)
            shortest = length;
    }
    if (shortest == SIZE_MAX)
        return 0;
    return shortest < WM_MAX_WINDOW ? (uint32_t)shortest : WM_MAX_WINDOW;
}

/* The paper: B = log of 2 * M over the alphabet, M the bytes of all windows. On text of
 * some 30 symbols in use that is 2 up to about 400 bytes. */
static uint32_t choose_block(const problem *p)
{
    const pattern_list *list = p->list;
    if (p->wm_block)
        return p->wm_block;
    uint64_t bytes = (uint64_t)window_length(list, 3) * list->count;
    return bytes > 400 ? 3 : 2;
}

/* The block that ends after q bytes of a pattern, folded as the text will be: a pattern that
 * is compared in full case may stand beside one that is not. */
static uint32_t block_at(const uint8_t *bytes, uint32_t q, uint32_t block, const uint8_t *fold)
{
    return wm_block_number(block, block == 3 ? fold[bytes[q - 3]] : (uint8_t)0, fold[bytes[q - 2]],
                           fold[bytes[q - 1]]);
}

static void fill_shift(const pattern_list *list, const wm_tables *head, const uint8_t *fold,
                       uint8_t *shift)
{
    const uint32_t m = head->window;
    const uint32_t most = m ? m - head->block + 1 : 1;
    memset(shift, most < WM_MAX_SHIFT ? (int)most : (int)WM_MAX_SHIFT, WM_BLOCKS);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        for (uint32_t q = head->block; p->length >= head->block && q <= m; q++) {
            uint32_t number = block_at(p->bytes, q, head->block, fold);
            if (m - q < shift[number])
                shift[number] = (uint8_t)(m - q);
        }
    }
}

/* ---- what it would cost --------------------------------------------------------- */

/* How likely two patterns have the same prefix: then PREFIX tells nothing. */
static double prefix_share(const pattern_list *list, const uint8_t *fold, uint32_t block,
                           uint32_t *counts)
{
    double same = 0, longs = 0;
    memset(counts, 0, WM_BLOCKS * sizeof *counts);
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if (p->length < block)
            continue;
        /* Each meets those before it and itself. */
        same += 2.0 * counts[fold[p->bytes[0]] | (uint32_t)fold[p->bytes[1]] << 8]++ + 1;
        longs++;
    }
    return longs > 0 ? same / (longs * longs) : 0;
}

/* Slide over the sample with the SHIFT table, counting windows, lists and members. */
static double slide(const problem *p, const wm_tables *head, const uint8_t *fold,
                    const uint8_t *shift, uint32_t *counts)
{
    const pattern_list *list = p->list;
    const double share = prefix_share(list, fold, head->block, counts);
    const double member = COST_WM_MEMBER + share * COST_WM_COMPARE;
    const size_t length = p->sample.length;
    double cost = 0;
    memset(counts, 0, WM_BLOCKS * sizeof *counts);
    for (size_t i = 0; i < list->count; i++)
        if (list->patterns[i].length >= head->block)
            counts[block_at(list->patterns[i].bytes, head->window, head->block, fold)]++;
    for (size_t end = head->window; end <= length;) {
        const uint32_t number =
            block_at(p->sample.bytes + end - head->block, head->block, head->block, fold);
        cost += COST_WM_WINDOW;
        if (shift[number] == 0)
            cost += COST_WM_LIST + member * counts[number];
        end += shift[number] ? shift[number] : 1;
    }
    return cost / (double)length;
}

static double wm_cost(const problem *p)
{
    const pattern_list *list = p->list;
    wm_tables head = { .block = choose_block(p) };
    const bool shorts = shortest_literal(list) < head.block;
    uint8_t fold[256];
    double cost = COST_IMPOSSIBLE;
    if (p->target.gpu)
        return cost_of_many(COST_GPU_WM, COST_GPU_WM_TENFOLD, list->count);
    if (list->count > COST_MAX_LITERALS)
        return cost;
    head.window = window_length(list, head.block);
    fold_table(list, fold);
    uint8_t *shift = memory_take(p->memory, WM_BLOCKS);
    uint32_t *counts = memory_take_array(p->memory, WM_BLOCKS, sizeof *counts);
    if (shift && counts && head.window && !shorts) {
        fill_shift(list, &head, fold, shift);
        cost = slide(p, &head, fold, shift, counts);
    }
    memory_give(p->memory, shift);
    memory_give(p->memory, counts);
    return cost;
}

/* ---- its tables ------------------------------------------------------------------ */

/* Counting sort of members by key: lists has keys + 1 entries. */
static void fill_lists(uint32_t *lists, uint32_t keys, const uint32_t *key_of, size_t count,
                       const wm_member *member_of, wm_member *members)
{
    for (size_t i = 0; i < count; i++)
        lists[key_of[i] + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        lists[k + 1] += lists[k];
    for (size_t i = count; i-- > 0;)
        members[--lists[key_of[i] + 1]] = member_of[i];
    /* Every list was walked down to its begin, one entry too far to the right. */
    memmove(lists, lists + 1, keys * sizeof *lists);
    lists[keys] = (uint32_t)count;
}

static void split(const pattern_list *list, const wm_tables *head, const uint8_t *fold,
                  uint32_t *keys, wm_member *members, uint32_t *short_keys, wm_member *shorts)
{
    size_t longs = 0, n = 0;
    for (size_t i = 0; i < list->count; i++) {
        const pattern *p = &list->patterns[i];
        if (p->length >= head->block) {
            keys[longs] = block_at(p->bytes, head->window, head->block, fold);
            members[longs].prefix = fold[p->bytes[0]] | (uint32_t)fold[p->bytes[1]] << 8;
            members[longs++].index = (uint32_t)i;
        } else {
            short_keys[n] = fold[p->bytes[0]];
            shorts[n].prefix = p->length == 1 ? WM_SHORT_ANY : fold[p->bytes[1]];
            shorts[n++].index = (uint32_t)i;
        }
    }
}

static uint32_t append_lists(block *b, uint32_t keys, const uint32_t *key_of,
                             const wm_member *member_of, size_t count, uint32_t *members_at)
{
    uint32_t *lists = memory_take_zeroed(b->memory, (size_t)keys + 1, sizeof *lists);
    wm_member *members = memory_take_array(b->memory, count, sizeof *members);
    uint32_t at = 0;
    if (lists && members) {
        fill_lists(lists, keys, key_of, count, member_of, members);
        at = block_words(b, lists, (size_t)keys + 1);
        *members_at = block_words(b, members, count * 2);
    } else {
        b->failed = true;
    }
    memory_give(b->memory, lists);
    memory_give(b->memory, members);
    return at;
}

static void wm_build(const problem *problem, stage_draft *out)
{
    const pattern_list *list = problem->list;
    block *b = &out->tables;
    wm_tables head;
    uint8_t fold[256];
    fold_table(list, fold);
    memset(&head, 0, sizeof head);
    head.block = choose_block(problem);
    head.window = window_length(list, head.block);
    block_words(b, NULL, sizeof head / 4);

    uint8_t *shift = memory_take(b->memory, WM_BLOCKS);
    uint32_t *keys = memory_take_array(b->memory, list->count, 2 * sizeof *keys);
    wm_member *members = memory_take_array(b->memory, list->count, 2 * sizeof *members);
    if (shift && keys && members) {
        size_t longs = 0;
        for (size_t i = 0; i < list->count; i++)
            longs += list->patterns[i].length >= head.block;
        head.short_count = (uint32_t)(list->count - longs);
        split(list, &head, fold, keys, members, keys + list->count, members + list->count);
        fill_shift(list, &head, fold, shift);
        head.shift = block_words(b, shift, WM_BLOCKS / 4);
        head.hash = append_lists(b, WM_BLOCKS, keys, members, longs, &head.members);
        head.shorts = append_lists(b, 256, keys + list->count, members + list->count,
                                   head.short_count, &head.short_members);
        head.literals = append_literals(list, b);
        head.folded = fold_any(list);
        if (!b->failed)
            memcpy(b->bytes, &head, sizeof head);
    } else {
        b->failed = true;
    }
    memory_give(b->memory, shift);
    memory_give(b->memory, keys);
    memory_give(b->memory, members);
}

/* A list table is valid when its starts never fall, and every member has the length that
 * the walk relies on. */
static bool lists_valid(const stage_facts *facts, const wm_tables *t, const uint32_t *tables,
                        size_t words, uint32_t lists, uint32_t keys, uint32_t members_at,
                        bool shorts)
{
    if (!words_inside(words, lists, (uint64_t)keys + 1) || tables[lists] != 0)
        return false;
    for (uint32_t k = 0; k < keys; k++)
        if (tables[lists + k] > tables[lists + k + 1])
            return false;
    uint32_t count = tables[lists + keys];
    if (!words_inside(words, members_at, (uint64_t)count * 2))
        return false;
    const wm_member *members = (const wm_member *)(tables + members_at);
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].index >= facts->pattern_count)
            return false;
        uint32_t length = literal_length(tables, t->literals.entries, members[i].index);
        uint32_t expected = members[i].prefix == WM_SHORT_ANY ? 1 : 2;
        if (shorts ? length != expected : length < t->window)
            return false;
    }
    return true;
}

static bool wm_check(const stage_facts *facts, const uint32_t *tables, size_t words)
{
    const wm_tables *t = (const wm_tables *)tables;
    if (words < sizeof *t / 4 || facts->carries || facts->state_words ||
        (t->block != 2 && t->block != 3) || t->window > WM_MAX_WINDOW ||
        (t->window && t->window < t->block) ||
        !literals_valid(facts, &t->literals, tables, words) ||
        !words_inside(words, t->shift, WM_BLOCKS / 4))
        return false;
    return lists_valid(facts, t, tables, words, t->hash, WM_BLOCKS, t->members, false) &&
           lists_valid(facts, t, tables, words, t->shorts, 256, t->short_members, true);
}

const engine engine_wm = {
    .name = "wm",
    .about = "Wu-Manber (SHIFT, HASH, PREFIX; block of 2 or 3): many literals",
    .kind = WALK_WM,
    .refuses = refuses_unless_literals,
    .cost = wm_cost,
    .build = wm_build,
    .check = wm_check,
    .fallback = &engine_ac,
};
