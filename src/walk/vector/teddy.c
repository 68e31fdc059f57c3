/* teddy.c: sets of literals by a cascade, each step cheaper than what it spares the next.
 *
 * Idea: every pattern is represented by a window of up to four of its bytes, where it is rarest.
 *
 * First, windows stand in eight or sixteen buckets. For 64 places at once each byte is turned into
 * the set of buckets whose windows have it there; the sets of a window's bytes, ANDed, leave the
 * places where some window may stand.
 *
 * Second, those are looked up, by a hash of their bytes, in a bitmap that stays in the first cache.
 *
 * Third, those that remain meet the literals of their hash, one line of cache each, which compares
 * up to sixteen bytes by two words. Longer ones are then compared in full.
 *
 * Each step takes the places of 2 KiB before the next one begins and stores its results whether
 * they count or not, so that no branch depends on what one place says before a literal is found. While
 * the first step has a block, the next one is fetched from memory, behind the other steps.
 *
 * Invariant: every occurrence whose window stands before `at` has been reported. Records are put
 * where the order of ends wants them, among the last few.
 *
 * Where it stops, windows of later occurrences have been passed that begin before them. So it names
 * the place where the next window would stand, and looks for the windows behind it of occurrences
 * that begin before it: at most TEDDY_PLACE further places.
 *
 * Cost: O(n) for the first step, four to eight lookups for 64 bytes; O(n * list) at worst, which
 * give_up ends.
 *
 * Source: Teddy, by Langdale, in Hyperscan (Wang et al. 2019): the classes; Karp and Rabin 1987, Wu
 * and Manber 1994: hashed blocks.
 */
#include "table/teddy.h"

#include "walk/vec.h"

enum { BLOCK = 2048, NEAR = 32, PAIRS = 126 };

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

/* p[0 .. 3], the first byte lowest; and p[0 .. 7]. Compilers do not see one load in several. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
WALK_INTO u32 four_bytes(const u8 *p)
{
    u32 bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

WALK_INTO u64 eight_bytes(const u8 *p)
{
    u64 bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}
#else
WALK_INTO u32 four_bytes(const u8 *p)
{
    return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

WALK_INTO u64 eight_bytes(const u8 *p)
{
    return four_bytes(p) | (u64)four_bytes(p + 4) << 32;
}
#endif

/* text[at .. at + 7]; zeros from `end` on. */
WALK_INTO u64 word_at(const u8 *text, u32 at, u32 end)
{
    u64 word = 0;
    if (PORT_LIKELY(end - at >= TEDDY_WORD))
        return eight_bytes(text + at);
    for (u32 i = 0; i < end - at; i++)
        word |= (u64)text[at + i] << (8 * i);
    return word;
}

/* The hash of the window at text[at], which ends before `end`. */
WALK_INTO u32 hash_at(const teddy_tables *t, const u8 *text, u32 at, u32 end)
{
    const bool whole = end - at >= 4;
    return teddy_hash(PORT_LIKELY(whole) ? four_bytes(text + at) : (u32)word_at(text, at, end),
                      t->fold, t->mask);
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

/* A literal that may stand with its window at text[at]. */
typedef struct pair {
    u32 at, entry;
} pair;

/* Does it stand at text[start], as far as its two words say? With eight bytes behind `start`. */
WALK_INTO bool words_equal(const teddy_search *s, const teddy_entry *e, u32 start)
{
    const text_task *task = s->task;
    const u32 length = e->length, end = task->end;
    const bool fits = length <= end - start;
    const u32 last = fits && length > TEDDY_WORD ? start + length - TEDDY_WORD : start;
    const u64 word = (eight_bytes(task->text + start) | e->fold) & e->mask;
    const u64 other = (eight_bytes(task->text + last) | e->last_fold) & e->last_mask;
    return (((word ^ e->word) | (other ^ e->last)) == 0) & fits & (start + length > task->begin) &
           (start < s->before);
}

/* Does it stand there? Any pair, also at the ends of what may be read. */
WALK_APART bool stands_at_end(const teddy_search *s, const teddy_entry *e, u32 at)
{
    const text_task *task = s->task;
    const u32 start = at - e->place, end = task->end, length = e->length;
    return e->place <= at - task->from && length <= end - start && start + length > task->begin &&
           start < s->before &&
           ((word_at(task->text, start, end) | e->fold) & e->mask) == e->word &&
           (length <= TEDDY_WORD ||
            (word_at(task->text, start + length - TEDDY_WORD, end) | e->last_fold) == e->last);
}

/* Report the pairs that match. The words of all are compared before any branch depends on them. */
WALK_APART void verify_pairs(teddy_search *s, pair *pairs, u32 count)
{
    const text_task *task = s->task;
    const literal_tables *l = &s->t->literals;
    const u32 first = task->from + s->t->place, end = task->end;
    u32 left = 0;
    for (u32 i = 0; i < count; i++) {
        const pair p = pairs[i];
        const teddy_entry *e = &s->entries[p.entry];
        const bool inside = p.at >= first && end - p.at >= TEDDY_WORD;
        pairs[left] = p;
        left +=
            PORT_LIKELY(inside) ? words_equal(s, e, p.at - e->place) : stands_at_end(s, e, p.at);
    }
    for (u32 i = 0; i < left; i++) {
        const teddy_entry *e = &s->entries[pairs[i].entry];
        const u32 start = pairs[i].at - e->place;
        if (e->length > 2 * TEDDY_WORD) {
            const u32 equal =
                literal_matched(task->tables, l->entries, l->bytes, e->index, task->text, start);
            s->work += equal / 2;
            if (equal < e->length)
                continue;
        }
        put_in_order(s, start + e->length, e->index);
    }
}

/* Pair the places with the literals of their hashes, and report those that match. Returns for how
 * many places it did so: `count`, unless it gave up. */
WALK_APART u32 verify_places(teddy_search *s, u32 base, const u16 *places, u32 count)
{
    const text_task *task = s->task;
    pair pairs[PAIRS + 2];
    u32 paired = 0, i = 0;
    for (; i < count; i++) {
        const u32 at = base + places[i];
        const u32 list = hash_at(s->t, task->text, at, task->end) >> s->t->list_shift;
        const u32 first = s->lists[list], stop = s->lists[list + 1];
        const u64 work = s->work + LIST_WORK + ENTRY_WORK * (u64)(stop - first);
        if (s->stops && PORT_UNLIKELY(give_up(task, at, work)))
            break;
        s->work = work;
        /* Most lists have one or two. */
        pairs[paired] = (pair){ at, first };
        pairs[paired + 1] = (pair){ at, first + 1 };
        paired += stop - first < 2 ? stop - first : 2;
        for (u32 e = first + 2; PORT_UNLIKELY(e < stop); e++) {
            if (paired >= PAIRS) {
                verify_pairs(s, pairs, paired);
                paired = 0;
            }
            pairs[paired++] = (pair){ at, e };
        }
        if (paired >= PAIRS) {
            verify_pairs(s, pairs, paired);
            paired = 0;
        }
    }
    verify_pairs(s, pairs, paired);
    return i;
}

/* Where windows may stand in a block, as far as the classes say. */
typedef struct marks {
    u32 count;
    u16 from[BLOCK / VEC_BYTES];  /* of the block's places, */
    u64 masks[BLOCK / VEC_BYTES]; /* which is that of bit 0 */
} marks;

/* Bit i: some window may stand at text[at + i]. `whole`: all bytes up to the end of a window there
 * may be read; it, `width` and `groups` are constants. */
WALK_INTO u64 may_stand(const vec_sets *sets, const u8 *text, u32 at, u32 end, bool whole,
                        u32 width, u32 groups)
{
    vec all[TEDDY_GROUPS];
    for (u32 k = 0; k < width; k++) {
        const u32 left = whole ? VEC_BYTES : end - at > k ? end - at - k : 0;
        const vec bytes = whole  ? vec_load(text + at + k)
                          : left ? vec_load_part(text + at + k, left < VEC_BYTES ? left : VEC_BYTES)
                                 : vec_all(0);
        for (u32 g = 0; g < groups; g++) {
            const vec set = vec_sets_of(sets[g * width + k], bytes);
            all[g] = k ? vec_and(all[g], set) : set;
        }
    }
    return vec_nonzero(groups > 1 ? vec_or(all[0], all[1]) : all[0]);
}

/* Of windows at [at, stop), a block at most; text[.. end) may be read. */
WALK_INTO void mark_windows(const teddy_class *classes, const u8 *text, u32 at, u32 stop, u32 end,
                            u32 width, u32 groups, marks *m)
{
    vec_sets sets[TEDDY_GROUPS * TEDDY_WIDTH];
    u32 count = 0, p = at;
    for (u32 i = 0; i < width * groups; i++)
        sets[i] = vec_sets_load(&classes[i]);
    for (; stop - p >= VEC_BYTES && end - p >= VEC_BYTES + TEDDY_WIDTH; p += VEC_BYTES) {
        VEC_PREFETCH(text + p + BLOCK);
        const u64 may = may_stand(sets, text, p, end, true, width, groups);
        m->masks[count] = may;
        m->from[count] = (u16)(p - at);
        count += may != 0;
    }
    for (; p < stop; p += VEC_BYTES) {
        const u64 may = may_stand(sets, text, p, end, false, width, groups) & vec_mask(stop - p);
        m->masks[count] = may;
        m->from[count] = (u16)(p - at);
        count += may != 0;
    }
    m->count = count;
}

typedef void (*marker)(const teddy_class *classes, const u8 *text, u32 at, u32 stop, u32 end,
                       marks *m);

#define MARK(width, groups)                                                                        \
    static void mark_##width##_##groups(const teddy_class *classes, const u8 *text, u32 at,        \
                                        u32 stop, u32 end, marks *m)                               \
    {                                                                                              \
        mark_windows(classes, text, at, stop, end, width, groups, m);                              \
    }
MARK(1, 1)
MARK(2, 1)
MARK(3, 1)
MARK(4, 1)
MARK(1, 2)
MARK(2, 2)
MARK(3, 2)
MARK(4, 2)

/* The marked places whose grams are in the bitmap, from that of the block on. Returns how many. */
WALK_APART u32 look_up(const teddy_search *s, u32 at, const marks *m, u16 *places)
{
    const u8 *text = s->task->text;
    const u32 end = s->task->end, shift = s->t->bit_shift;
    const u32 fold = s->t->fold, mask = s->t->mask;
    u16 marked[BLOCK + VEC_BYTES]; /* apart: processors wait for stores that loads may mean */
    u32 count = 0, left = 0;
    for (u32 i = 0; i < m->count; i++) {
        vec_places(marked + count, m->from[i], m->masks[i]);
        count += VEC_COUNT(m->masks[i]);
    }
    if (end - at >= BLOCK + TEDDY_WIDTH)
        for (u32 i = 0; i < count; i++) {
            const u32 bit = teddy_hash(four_bytes(text + at + marked[i]), fold, mask) >> shift;
            places[left] = marked[i];
            left += s->bits[bit / 32] >> (bit % 32) & 1;
        }
    else
        for (u32 i = 0; i < count; i++) {
            const u32 bit = hash_at(s->t, text, at + marked[i], end) >> shift;
            places[left] = marked[i];
            left += s->bits[bit / 32] >> (bit % 32) & 1;
        }
    return left;
}

/* Windows at [at, last). Returns `last`, or where it gave up. */
static u32 search_windows(teddy_search *s, u32 at, u32 last)
{
    static const marker markers[TEDDY_GROUPS][TEDDY_WIDTH] = {
        { mark_1_1, mark_2_1, mark_3_1, mark_4_1 },
        { mark_1_2, mark_2_2, mark_3_2, mark_4_2 },
    };
    const text_task *task = s->task;
    const marker mark = markers[s->t->groups - 1][s->t->width - 1];
    const teddy_class *classes = (const teddy_class *)(task->tables + s->t->classes);
    marks m;
    u16 places[BLOCK + 1];
    while (at < last) {
        const u32 stop = last - at > BLOCK ? at + BLOCK : last;
        mark(classes, task->text, at, stop, task->end, &m);
        const u32 count = m.count ? look_up(s, at, &m, places) : 0;
        s->candidates += count;
        if (count) {
            const u32 verified = verify_places(s, at, places, count);
            if (verified < count)
                return at + places[verified];
        }
        at = stop;
    }
    return last;
}

u32 VEC_NAME(teddy_walk)(text_task *task)
{
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
    const u32 done = search_windows(&s, task->from, last);
    if (done < last) {
        s.before = done;
        s.stops = false;
        search_windows(&s, done, last - done > t->place ? done + t->place : last);
    }
    task->candidates = s.candidates;
    return done < last ? done : task->end;
}
