/* vector.c: literals of up to four letters, as in DNA, through text of two bits a letter.
 *
 * Idea: pack a chunk of text to two bits a letter, whatever its bytes are, and note which bytes are
 * not letters of the set. Then q letters are a number, and a bitmap of 4^q bits tells whether any
 * literal's window holds that gram. A window is as long as the shortest literal, or shorter; it
 * holds a gram at each of its first `stride` places, so probes at every stride-th place of the text
 * meet each occurrence exactly once. What passes is looked up in a bucket, whose entries hold up to
 * 32 letters of a literal: one comparison of packed letters settles those. Bytes that are no
 * letters make grams like any others, which seldom pass; they are looked at only after the bitmap.
 * So line breaks and unknown bases cost nothing.
 *
 * Invariant: before the probe at `at`, all occurrences that begin before at - (stride - 1) have
 * been reported, and no others.
 *
 * Cost: O(n) to pack, by vectors; n / stride probes, which wait for nothing; and the buckets of
 * what passes. When that is too much (text of one letter, and literals that hold runs of it) it
 * gives up.
 * Source: q-grams at a distance: Karkkainen and Sutinen 1998, Lemstrom, Navarro and Pinzon 2005;
 * packed letters: Ben-Kiki et al. 2011.
 */
#include "engines/literal/kmers/layout.h"

#include "engines/shared/vec.h"

/* Work, in the units of give_up: what passed the bitmap; an entry; beyond, a byte compared. */
#define PASS_WORK 4u
#define ENTRY_WORK 2u

/* Letters of a chunk, and those that a candidate may need before and after its probe. */
enum { CHUNK = 4096, BEFORE = KMERS_STRIDE, BEHIND = 64, BATCH = 1024 };

typedef struct kmers_chunk {
    u8 bases[CHUNK / 4 + 16];
    u64 others[CHUNK / 64 + 1]; /* bit i: byte i is no letter of the set */
    u32 origin;                 /* of base 0, in the text */
} kmers_chunk;

typedef struct kmers_search {
    text_task *task;
    const kmers_tables *t;
    const u32 *buckets;
    const kmers_entry *entries;
    kmers_chunk *chunk;
    u64 work;
} kmers_search;

/* Compilers make one load of it. */
WALK_INTO u32 load32(const u8 *p)
{
    return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

WALK_INTO u64 load64(const u8 *p)
{
    return (u64)load32(p) | (u64)load32(p + 4) << 32;
}

/* Text [0 .. length) is packed; `ahead` bytes or more lie after it, which come next. */
WALK_INTO void pack(const kmers_tables *t, const u8 *text, u32 length, u32 ahead, kmers_chunk *c)
{
    const vec_table16 low = vec_table16_load(t->letter_low);
    const vec_table16 high = vec_table16_load(t->letter_high);
    const vec_table16 letters = vec_table16_load(t->letters);
    const bool fold = t->fold != 0;
    for (u32 i = 0; i < length; i += VEC_BYTES) {
        VEC_PREFETCH(text + i + (ahead < CHUNK ? ahead : CHUNK));
        vec v = length - i >= VEC_BYTES ? vec_load(text + i) : vec_load_part(text + i, length - i);
        if (fold)
            v = vec_fold(v);
        const vec codes = vec_xor(vec_lookup16(low, vec_low(v)), vec_lookup16(high, vec_high(v)));
        vec_pack2_store(c->bases + i / 4, codes);
        c->others[i / 64] = ~vec_eq(v, vec_lookup16(letters, codes));
    }
    memset(c->bases + (length + 63) / 64 * 16, 0, 16);
    c->others[(length + 63) / 64] = 0;
}

/* Up to 32 letters at place i of the chunk. */
WALK_INTO u64 bases_at(const kmers_chunk *c, u32 i)
{
    const u32 shift = 2 * (i % 4);
    return load64(c->bases + i / 4) >> shift | (u64)c->bases[i / 4 + 8] << 1 << (63 - shift);
}

/* Whether some of the n bytes from place i on is no letter; n <= 64. */
WALK_INTO bool any_other(const kmers_chunk *c, u32 i, u32 n)
{
    const u64 *words = c->others + i / 64;
    const u64 mask = words[0] >> (i % 64) | words[1] << 1 << (63 - i % 64);
    return (mask & vec_mask(n)) != 0;
}

/* The bucket of the gram at place i of the chunk. */
WALK_INTO u32 bucket_at(const kmers_search *s, u32 i)
{
    const u32 gram = (u32)bases_at(s->chunk, i) & (((u32)1 << (2 * s->t->q)) - 1);
    return gram * KMERS_HASH >> s->t->shift;
}

/* All that the gram at place i of the chunk promises, whose bucket that is. False when it takes too
 * much: nothing of it was reported then. */
WALK_APART bool candidate(kmers_search *s, u32 i, u32 bucket)
{
    const text_task *task = s->task;
    const kmers_tables *t = s->t;
    const kmers_chunk *c = s->chunk;
    const u32 at = c->origin + i;
    if (any_other(c, i, t->q))
        return true;
    const kmers_entry *e = s->entries + s->buckets[bucket];
    const kmers_entry *const stop = s->entries + s->buckets[bucket + 1];
    const u64 found = *task->out->cursor;
    s->work += PASS_WORK + (u64)ENTRY_WORK * (u64)(stop - e);
    if (give_up(task, at, s->work))
        return false;
    for (; e < stop; e++) {
        const u32 before = e->where % KMERS_STRIDE, length = e->where >> KMERS_LENGTH;
        const u32 known = length < KMERS_KNOWN ? length : KMERS_KNOWN;
        if (before > i)
            continue;
        const u64 differs = bases_at(c, i - before) ^ e->bases;
        if (differs & (UINT64_MAX >> (64 - 2 * known)))
            continue;
        const u32 start = at - before;
        if (start < task->from || length > task->end - start || start + length <= task->begin ||
            any_other(c, i - before, known))
            continue;
        if (t->compare || length > KMERS_KNOWN) {
            const literal_tables *l = &t->literals;
            const u32 equal =
                literal_matched(task->tables, l->entries, l->bytes, e->index, task->text, start);
            s->work += equal;
            if (equal < length) {
                if (give_up(task, at, s->work)) {
                    *task->out->cursor = found;
                    return false;
                }
                continue;
            }
        }
        sink_put(task->out, start + length, e->index);
    }
    return true;
}

WALK_INTO u32 passes(const u32 *bits, u32 gram)
{
    return bits[gram / 32] >> (gram % 32) & 1;
}

/* The numbers of those of `count` probes from place i on, a multiple of four, that pass, into
 * `passed`, which has room for one more; returns how many. Four at a time, whose places among their
 * four letters come again. `phase` is stride % 4, a constant at each call. */
WALK_INTO u32 probe(const kmers_tables *t, const u32 *bits, const u8 *p, u32 count, u32 phase,
                    u16 *passed)
{
    const u32 mask = ((u32)1 << (2 * t->q)) - 1, bytes = t->stride / 4;
    const u8 *const stop = p + (size_t)(count / 4) * t->stride;
    const u32 at1 = bytes, at2 = 2 * bytes + 2 * phase / 4, at3 = 3 * bytes + 3 * phase / 4;
    u32 n = 0, k = 0;
    for (; p != stop; p += t->stride, k += 4) {
        const u32 a = load32(p) & mask, b = load32(p + at1) >> 2 * phase & mask;
        const u32 d = load32(p + at2) >> 2 * (2 * phase % 4) & mask;
        const u32 e = load32(p + at3) >> 2 * (3 * phase % 4) & mask;
        passed[n] = (u16)k;
        n += passes(bits, a);
        passed[n] = (u16)(k + 1);
        n += passes(bits, b);
        passed[n] = (u16)(k + 2);
        n += passes(bits, d);
        passed[n] = (u16)(k + 3);
        n += passes(bits, e);
    }
    for (; k < count; k++) {
        const u32 i = k % 4 * t->stride;
        passed[n] = (u16)k;
        n += passes(bits, load32(p + i / 4) >> 2 * (i % 4) & mask);
    }
    return n;
}

/* Probe a chunk, from place i on, up to place `last`. The place after the last probe; or that of
 * the candidate that took too much, and *stopped. */
WALK_INTO u32 search_chunk(kmers_search *s, u32 i, u32 last, bool *stopped)
{
    const u32 *bits = s->task->tables + s->t->bits;
    const u32 stride = s->t->stride;
    u16 passed[BATCH + 1];
    u32 buckets[BATCH];
    while (i <= last) {
        const u32 left = (last - i) / stride + 1, count = left < BATCH ? left : BATCH;
        const u8 *p = s->chunk->bases + i / 4;
        const u32 n = stride % 4 == 0   ? probe(s->t, bits, p, count, 0, passed)
                      : stride % 4 == 1 ? probe(s->t, bits, p, count, 1, passed)
                      : stride % 4 == 2 ? probe(s->t, bits, p, count, 2, passed)
                                        : probe(s->t, bits, p, count, 3, passed);
        s->task->candidates += n;
        for (u32 k = 0; k < n; k++) {
            buckets[k] = bucket_at(s, i + passed[k] * stride);
            VEC_PREFETCH(s->buckets + buckets[k]);
        }
        for (u32 k = 0; k < n; k++)
            VEC_PREFETCH(s->entries + s->buckets[buckets[k]]);
        for (u32 k = 0; k < n; k++)
            if (!candidate(s, i + passed[k] * stride, buckets[k])) {
                *stopped = true;
                return i + passed[k] * stride;
            }
        i += count * stride;
    }
    return i;
}

static u32 kmers_walk(text_task *task)
{
    const kmers_tables *t = (const kmers_tables *)task->tables;
    const u32 from = task->from, end = task->end;
    kmers_chunk chunk;
    kmers_search s = { .task = task,
                       .t = t,
                       .buckets = task->tables + t->buckets,
                       .entries = (const kmers_entry *)(const void *)(task->tables + t->entries),
                       .chunk = &chunk };
    bool stopped = false;
    for (u32 at = from; at < end && end - at >= t->q;) {
        chunk.origin = at - from < BEFORE ? from : at - BEFORE;
        const u32 rest = end - chunk.origin, length = rest < CHUNK ? rest : CHUNK;
        const u32 last = length < rest ? CHUNK - BEHIND : length - t->q;
        pack(t, task->text + chunk.origin, length, rest - length, &chunk);
        at = chunk.origin + search_chunk(&s, at - chunk.origin, last, &stopped);
        if (stopped)
            return at - from < t->stride ? from : at - (t->stride - 1);
    }
    return end;
}

const walk VEC_NAME(walk_kmers) = { .text = kmers_walk };
