/* teddy.c: sets of literals by a cascade, each step cheaper than what it spares the next.
 *
 * Idea: every pattern is represented by a window of up to four of its bytes, where it is rarest.
 * 1. Windows stand in eight or sixteen buckets. For 64 places at once each byte is turned into the
 *    set of buckets whose windows have it there; the sets of a window's bytes, ANDed, leave the
 *    places where some window may stand.
 * 2. Those are looked up, by a hash of their bytes, in a bitmap that stays in the first cache.
 * 3. Those that remain meet the literals of their hash, one line of cache each, which compares up
 * to sixteen bytes by two words. Longer ones are then compared in full. Each step takes the places
 * of some thousand bytes before the next one begins, so that none waits for the branches of
 * another.
 *
 * Invariant: every occurrence whose window stands before `at` has been reported. Records are put
 * where the order of ends wants them, as near as the last few.
 *
 * Where it stops, windows of later occurrences have been passed that begin before them. So it names
 * the place where the next window would stand, and looks for the windows behind it of occurrences
 * that begin before it: at most TEDDY_PLACE further places.
 *
 * Cost: O(n) for step 1, some 16 instructions for 64 bytes with two registers of tables; O(n *
 * list) at worst, which give_up ends. Source: Teddy, by Langdale, in Hyperscan (Wang et al. 2019):
 * the classes; Karp and Rabin 1987, Wu and Manber 1994: hashed blocks; Boyer-Moore's practice: the
 * rarest window.
 */
#include "table/teddy.h"

#include "walk/vec.h"

enum { BLOCK = 2048, NEAR = 32 };

/* Work, in the units of give_up. */
#define LIST_WORK 5u
#define ENTRY_WORK 2u

typedef struct teddy_search {
    const text_task *task;
    const teddy_tables *t;
    const u32 *bits, *lists;
    const teddy_entry *entries;
    u32 before; /* only what begins before it is reported */
    bool stops; /* it may give up */
    u64 work, candidates;
    u64 first; /* record of this walk */
} teddy_search;

/* text[at .. at + 7]; zeros from `end` on. */
WALK_INTO u64 word_at(const u8 *text, u32 at, u32 end)
{
    u64 word = 0;
    if (PORT_LIKELY(end - at >= TEDDY_WORD)) {
        const u8 *p = text + at;
        return (u64)p[0] | (u64)p[1] << 8 | (u64)p[2] << 16 | (u64)p[3] << 24 | (u64)p[4] << 32 |
               (u64)p[5] << 40 | (u64)p[6] << 48 | (u64)p[7] << 56;
    }
    for (u32 i = 0; i < end - at; i++)
        word |= (u64)text[at + i] << (8 * i);
    return word;
}

/* Put a record behind those that stand before it in order, as far as that is near. */
WALK_INTO void put_in_order(const teddy_search *s, u32 pos, u32 index)
{
    const sink *out = s->task->out;
    u64 slot = (*out->cursor)++;
    if (slot >= out->capacity)
        return;
    const u64 least = slot > s->first + NEAR ? slot - NEAR : s->first;
    record *r = out->records;
    while (slot > least &&
           (r[slot - 1].pos > pos || (r[slot - 1].pos == pos && r[slot - 1].index > index))) {
        r[slot] = r[slot - 1];
        slot--;
    }
    r[slot] = (record){ pos, index };
}

/* All literals whose window may stand at text[at]. */
WALK_INTO void verify_list(teddy_search *s, u32 at, u32 hash)
{
    const text_task *task = s->task;
    const u32 end = task->end, list = hash >> s->t->list_shift;
    const teddy_entry *e = s->entries + s->lists[list];
    const teddy_entry *const stop = s->entries + s->lists[list + 1];
    s->work += LIST_WORK + ENTRY_WORK * (u64)(stop - e);
    for (; e < stop; e++) {
        const u32 start = at - e->place, length = e->length;
        if (e->place > at - task->from)
            continue;
        if (((word_at(task->text, start, end) | e->fold) & e->mask) != e->word)
            continue;
        if (length > end - start || start + length <= task->begin || start >= s->before)
            continue;
        if (length > TEDDY_WORD &&
            (word_at(task->text, start + length - TEDDY_WORD, end) | e->last_fold) != e->last)
            continue;
        if (length > 2 * TEDDY_WORD) {
            const literal_tables *l = &s->t->literals;
            const u32 equal =
                literal_matched(task->tables, l->entries, l->bytes, e->index, task->text, start);
            s->work += equal / 2;
            if (equal < length)
                continue;
        }
        put_in_order(s, start + length, e->index);
    }
}

/* Bit i: some window may stand at text[at + i], for the sets say so. */
WALK_INTO u64 may_stand(const vec_sets *sets, const u8 *text, u32 at, u32 end, u32 width,
                        u32 groups)
{
    const bool whole = end - at >= VEC_BYTES + TEDDY_WIDTH;
    vec all[TEDDY_GROUPS];
    for (u32 k = 0; k < width; k++) {
        const u32 left = end - at > k ? end - at - k : 0;
        const vec bytes = PORT_LIKELY(whole) ? vec_load(text + at + k)
                                             : vec_load_part(text + at + (left ? k : 0),
                                                             left < VEC_BYTES ? left : VEC_BYTES);
        for (u32 g = 0; g < groups; g++) {
            const vec set = vec_sets_of(sets[g * width + k], bytes);
            all[g] = k ? vec_and(all[g], set) : set;
        }
    }
    return vec_nonzero(groups > 1 ? vec_or(all[0], all[1]) : all[0]);
}

/* Windows at [at, last); text[.. end) may be read. Returns `last`, or where it gave up. `width` and
 * `groups` are constants. */
WALK_INTO u32 search_windows(teddy_search *s, u32 at, u32 last, u32 width, u32 groups)
{
    const text_task *task = s->task;
    const teddy_tables *t = s->t;
    const u8 *text = task->text;
    const u32 fold = t->fold, mask = t->mask, bit_shift = t->bit_shift, end = task->end;
    const teddy_class *classes = (const teddy_class *)(task->tables + t->classes);
    const u32 *bits = s->bits;
    vec_sets sets[TEDDY_GROUPS * TEDDY_WIDTH];
    u16 places[BLOCK + VEC_BYTES];
    for (u32 i = 0; i < width * groups; i++)
        sets[i] = vec_sets_load(&classes[i]);
    while (at < last) {
        const u32 stop = last - at > BLOCK ? at + BLOCK : last;
        u32 count = 0, left = 0;
        for (u32 p = at; p < stop; p += VEC_BYTES) {
            u64 may = may_stand(sets, text, p, end, width, groups);
            if (stop - p < VEC_BYTES)
                may &= vec_mask(stop - p);
            if (may) {
                vec_places(places + count, p - at, may);
                count += VEC_COUNT(may);
            }
        }
        for (u32 i = 0; i < count; i++) {
            const u32 p = at + places[i];
            const u32 gram =
                width == 4 || end - p >= 4 ? teddy_gram(text + p) : (u32)word_at(text, p, end);
            const u32 bit = teddy_hash(gram, fold, mask) >> bit_shift;
            places[left] = places[i];
            left += bits[bit / 32] >> (bit % 32) & 1;
        }
        s->candidates += left;
        for (u32 i = 0; i < left; i++) {
            const u32 p = at + places[i];
            const u32 gram =
                width == 4 || end - p >= 4 ? teddy_gram(text + p) : (u32)word_at(text, p, end);
            if (s->stops && PORT_UNLIKELY(give_up(task, p, s->work)))
                return p;
            verify_list(s, p, teddy_hash(gram, fold, mask));
        }
        at = stop;
    }
    return last;
}

#define SEARCH(width, groups)                                                                      \
    WALK_APART u32 search_##width##_##groups(teddy_search *s, u32 at, u32 last)                    \
    {                                                                                              \
        return search_windows(s, at, last, width, groups);                                         \
    }
SEARCH(1, 1)
SEARCH(2, 1)
SEARCH(3, 1)
SEARCH(4, 1)
SEARCH(1, 2)
SEARCH(2, 2)
SEARCH(3, 2)
SEARCH(4, 2)

u32 VEC_NAME(teddy_walk)(text_task *task)
{
    static u32 (*const searches[TEDDY_GROUPS][TEDDY_WIDTH])(teddy_search *, u32, u32) = {
        { search_1_1, search_2_1, search_3_1, search_4_1 },
        { search_1_2, search_2_2, search_3_2, search_4_2 },
    };
    const teddy_tables *t = (const teddy_tables *)task->tables;
    teddy_search s = { .task = task,
                       .t = t,
                       .bits = task->tables + t->bits,
                       .lists = task->tables + t->lists,
                       .entries = (const teddy_entry *)(task->tables + t->entries),
                       .before = UINT32_MAX,
                       .stops = task->allowance != WALK_NEVER,
                       .first = *task->out->cursor };
    if (task->end - task->from < t->width)
        return task->end;
    const u32 last = task->end - t->width + 1;
    u32 (*const search)(teddy_search *, u32, u32) = searches[t->groups - 1][t->width - 1];
    const u32 done = search(&s, task->from, last);
    if (done < last) {
        s.before = done;
        s.stops = false;
        search(&s, done, last - done > t->place ? done + t->place : last);
    }
    task->candidates = s.candidates;
    return done < last ? done : task->end;
}
