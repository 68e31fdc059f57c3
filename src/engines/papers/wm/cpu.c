/* cpu.c: Wu-Manber for many literals.
 *
 * Idea: look at the last block of B bytes of a window as long as the shortest pattern.
 * SHIFT says how far the window may move before any pattern could end there; when it says
 * 0, HASH lists the patterns whose first m bytes end in that block, PREFIX drops those that
 * begin otherwise, and a full comparison settles the rest.
 *
 * Invariant: every occurrence whose window ends before `last` has been reported.
 *
 * Patterns shorter than B cannot fill a block. They stand in a table by their first byte,
 * and a second loop over the slice finds them; it runs only when there are any.
 *
 * Cost: about n / (m - B + 1) windows on ordinary text, O(n * m * candidates) at worst.
 * Source: Wu and Manber 1994; tables as in Ma, Wang and Yang, Wu-Manber on CUDA.
 */
#include "engines/papers/wm/layout.h"

#include "engines/shared/walk.h"

/* Work, in the units of give_up. */
#define LIST_WORK 8u
#define MEMBER_WORK 2u
#define COMPARE_WORK 4u

static void wm_shorts(const u32 *tables, const u8 *text, u32 from, u32 begin, u32 end,
                      const sink *out)
{
    const wm_tables *t = (const wm_tables *)tables;
    const wm_member *members = (const wm_member *)(tables + t->short_members);
    const u8 *fold = (const u8 *)(tables + t->literals.fold);
    const u32 *lists = tables + t->shorts;
    u32 start = begin > from ? begin - 1 : begin;
    for (; start < end; start++) {
        u32 byte = fold[text[start]];
        u32 i = lists[byte];
        u32 stop = lists[byte + 1];
        for (; i < stop; i++) {
            u32 length = members[i].prefix == WM_SHORT_ANY ? 1 : 2;
            u32 index = members[i].index;
            if (length <= end - start && start + length > begin &&
                (length == 1 || fold[text[start + 1]] == members[i].prefix) &&
                literal_equal(tables, t->literals.entries, t->literals.bytes, index, text, start))
                sink_put(out, start + length, index);
        }
    }
}

/* What a list of candidates is compared with, found once. */
typedef struct wm_search {
    const text_task *task;
    const wm_tables *t;
    const u32 *hash;
    const wm_member *members;
    const u8 *fold;
} wm_search;

/* All patterns whose window begins at text[start] and ends with block `number`. False when *work,
 * which is moved on, is too much: nothing of the list was reported then. */
WALK_APART bool wm_list(const wm_search *s, u32 start, u32 number, u64 *work)
{
    const text_task *task = s->task;
    const u8 *text = task->text;
    const wm_member *member = s->members + s->hash[number];
    const wm_member *const stop = s->members + s->hash[number + 1];
    const u32 prefix = (u32)s->fold[text[start]] | (u32)s->fold[text[start + 1]] << 8;
    const u64 found = *task->out->cursor;
    *work += LIST_WORK + (u64)MEMBER_WORK * (u64)(stop - member);
    if (give_up(task, start, *work))
        return false;
    for (; member < stop; member++) {
        if (member->prefix != prefix)
            continue;
        const literal_tables *l = &s->t->literals;
        const u32 length = literal_length(task->tables, l->entries, member->index);
        if (length > task->end - start || start + length <= task->begin)
            continue;
        const u32 equal =
            literal_matched(task->tables, l->entries, l->bytes, member->index, text, start);
        if (equal == length)
            sink_put(task->out, start + length, member->index);
        *work += COMPARE_WORK + equal;
        if (give_up(task, start, *work)) {
            *task->out->cursor = found;
            return false;
        }
    }
    return true;
}

/* `block` and `folded` are constants at each call, so that the loop is compiled for each. */
static inline u32 wm_windows(text_task *task, u32 block, u32 folded)
{
    const wm_tables *t = (const wm_tables *)task->tables;
    const u8 *shifts = (const u8 *)(task->tables + t->shift);
    const u8 *fold = (const u8 *)(task->tables + t->literals.fold);
    const u8 *text = task->text;
    const u32 m = t->window, end = task->end;
    u32 last = task->from + m - 1;
    u64 work = 0;
    const wm_search s = { task, t, task->tables + t->hash,
                          (const wm_member *)(task->tables + t->members), fold };
    while (last < end) {
        u8 first = block == 3 ? text[last - 2] : (u8)0;
        u8 second = text[last - 1];
        u8 third = text[last];
        u32 number = folded ? wm_block_number(block, fold[first], fold[second], fold[third])
                            : wm_block_number(block, first, second, third);
        u32 shift = shifts[number];
        if (PORT_UNLIKELY(shift == 0)) {
            shift = 1;
            task->candidates++;
            if (!wm_list(&s, last - (m - 1), number, &work))
                return last - (m - 1);
        }
        last += shift;
    }
    return end;
}

/* Short patterns are looked for first, over the whole slice: then nobody may stop half-way. */
static u32 wm_walk(text_task *task)
{
    const wm_tables *t = (const wm_tables *)task->tables;
    if (t->short_count) {
        task->allowance = WALK_NEVER;
        wm_shorts(task->tables, task->text, task->from, task->begin, task->end, task->out);
    }
    if (!t->window)
        return task->end;
    if (t->block == 2)
        return t->folded ? wm_windows(task, 2, 1) : wm_windows(task, 2, 0);
    return t->folded ? wm_windows(task, 3, 1) : wm_windows(task, 3, 0);
}

const walk walk_wm = { .text = wm_walk };
