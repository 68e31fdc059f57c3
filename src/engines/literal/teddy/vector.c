/* vector.c: sets of literals by a cascade, each step cheaper than what it spares the next.
 *
 * Idea: every pattern is represented by a window of up to four of its bytes, where it is rarest.
 *
 * First, windows stand in eight or sixteen buckets. For 64 places at once each byte is turned into
 * the set of buckets whose windows have it there; the sets of a window's bytes, ANDed, leave the
 * places where some window may stand.
 *
 * Second, those are looked up, by a hash of their bytes, in a bitmap that stays in the first cache.
 *
 * Third, those that remain are compared with the prints of their hash
 * (engines/shared/prints/vector.h, which has the invariant).
 *
 * The first two steps take all places of 2 KiB before the next step begins, and store their results
 * whether they count or not, so that no branch depends on a single place. While the first step
 * works on a stretch, the next stretch is fetched from memory.
 *
 * Cost: O(n) for the first step, with four to eight lookups for 64 bytes; what passes costs as
 * engines/shared/prints/vector.h says.
 *
 * Source: Teddy, by Langdale, in Hyperscan (Wang et al. 2019): the classes; Karp and Rabin 1987, Wu
 * and Manber 1994: hashed blocks.
 */
#include "engines/literal/teddy/layout.h"

#include "engines/shared/prints/vector.h"
#include "engines/shared/vec.h"

enum { STRETCH = 2048 };

/* Where windows may stand in a stretch, as far as the classes say. */
typedef struct marks {
    u32 count;
    u16 from[STRETCH / VEC_BYTES];  /* of the stretch's places, */
    u64 masks[STRETCH / VEC_BYTES]; /* which is that of bit 0 */
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

/* Mark the windows at [at, stop), a stretch at most; text[.. end) may be read. */
WALK_INTO void mark_windows(const teddy_class *classes, const u8 *text, u32 at, u32 stop, u32 end,
                            u32 width, u32 groups, marks *m)
{
    vec_sets sets[TEDDY_GROUPS * TEDDY_WIDTH];
    u32 count = 0, p = at;
    for (u32 i = 0; i < width * groups; i++)
        sets[i] = vec_sets_load(&classes[i]);
    for (; stop - p >= VEC_BYTES && end - p >= VEC_BYTES + TEDDY_WIDTH; p += VEC_BYTES) {
        VEC_PREFETCH(text + p + STRETCH);
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

typedef struct teddy_search {
    const teddy_tables *t;
    const teddy_class *classes;
    const u32 *bits;
    marker mark;
} teddy_search;

/* The gram of a window at text[at], near the end of the text. */
static u32 gram_at_end(const u8 *text, u32 at, u32 end)
{
    u32 gram = 0;
    for (u32 i = 0; i < 4 && at + i < end; i++)
        gram |= (u32)text[at + i] << (8 * i);
    return gram;
}

/* Queue the marked places whose grams are in the bitmap, from that of the stretch on. False: give
 * up. */
WALK_APART bool look_up(candidates *c, const teddy_search *s, u32 at, const marks *m)
{
    const u8 *text = c->task->text;
    const u32 end = c->task->end, shift = s->t->bits_shift;
    const bool inside = end - at >= STRETCH + TEDDY_WIDTH;
    const vec fold = vec_all32(s->t->prints.fold), mask = vec_all32(gram_mask(s->t->prints.q));
    const vec first = vec_all32(GRAM_FIRST);
    u16 marked[STRETCH + VEC_BYTES]; /* apart: processors wait for stores that loads may mean */
    u32 places[BATCH + LANES], hashes[BATCH + LANES], words[BATCH], count = 0;
    for (u32 i = 0; i < m->count; i++) {
        vec_places(marked + count, m->from[i], m->masks[i]);
        count += VEC_COUNT(m->masks[i]);
    }
    for (u32 from = 0; from < count; from += BATCH) {
        const u32 most = count - from < BATCH ? count - from : BATCH;
        vec_store32(hashes + most, vec_all32(0));
        vec_store32(places + most, vec_all32(0));
        for (u32 i = 0; i < most && inside; i++) {
            places[i] = at + marked[from + i];
            hashes[i] = four_bytes(text + places[i]);
        }
        for (u32 i = 0; i < most && !inside; i++) {
            places[i] = at + marked[from + i];
            hashes[i] = gram_at_end(text, places[i], end);
        }
        for (u32 i = 0; i < most; i += LANES) {
            const vec gram = vec_and(fold_grams(vec_load32(hashes + i), fold), mask);
            const vec hash = vec_times32(gram, first);
            vec_store32(hashes + i, hash);
            vec_store32(words + i, bit_words(hash, shift));
        }
        queue_those_set(c, s->bits, shift, places, hashes, words, most);
        if (c->queued > QUEUE - BATCH && !settle_queue(c))
            return false;
    }
    return true;
}

WALK_INTO bool filter_block(candidates *c, const void *of)
{
    const teddy_search *s = of;
    const text_task *task = c->task;
    const u32 last = last_gram(c);
    marks m;
    for (u32 at = c->block; at < last; at = c->reached) {
        c->reached = last - at > STRETCH ? at + STRETCH : last;
        s->mark(s->classes, task->text, at, c->reached, task->end, &m);
        if (m.count && !look_up(c, s, at, &m))
            return false;
    }
    return settle_queue(c);
}

static u32 teddy_walk(text_task *task)
{
    static const marker markers[TEDDY_GROUPS][TEDDY_WIDTH] = {
        { mark_1_1, mark_2_1, mark_3_1, mark_4_1 },
        { mark_1_2, mark_2_2, mark_3_2, mark_4_2 },
    };
    const teddy_tables *t = (const teddy_tables *)task->tables;
    const teddy_search s = { .t = t,
                             .classes = (const teddy_class *)(task->tables + t->classes),
                             .bits = task->tables + t->bits,
                             .mark = markers[t->groups - 1][t->prints.q - 1] };
    candidates c;
    return walk_blocks(&c, task, &t->prints, filter_block, &s);
}

const walk VEC_NAME(walk_teddy) = { .text = teddy_walk };
