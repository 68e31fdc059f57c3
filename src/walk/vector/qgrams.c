/* qgrams.c: large sets of literals by a strided filter of hashed q-grams.
 *
 * Idea: look at every s-th place of the text only. The gram of q bytes there is hashed, and a bit
 * says whether any pattern has it among the s grams that it was entered with. No place waits for
 * the one before, so sixteen are hashed as one value. What passes is queued; then each list of
 * entries is fetched for the whole queue before any is read, four prints (8 bytes of the pattern
 * around the gram, and a mask) are compared at once, and only patterns whose print fits are looked
 * at.
 *
 * Invariant: of blocks of the text before `block` all occurrences that begin there have been
 * reported, and none that begins behind. A block reads on until the last gram of what begins in it;
 * the next one reads that again. So giving up within a block takes back what it has reported.
 *
 * Cost: O(n / s) probes, and the comparison of what passes, which gives up when it is too much.
 * Source: Karp and Rabin 1987 (hashed windows); Wu and Manber 1994 (blocks, prefixes); Kim and Kim,
 * A fast multiple string-pattern matching algorithm, 1999 (q-grams of patterns, read at a stride).
 */
#include "table/qgrams.h"

#include "walk/vec.h"

enum {
    BLOCK = 16384, /* bytes of text */
    BATCH = 256,   /* places looked at in a row */
    QUEUE = 1024,
    LANES = 16,
    REACHES = 2 * VEC_BYTES + 4, /* bytes that sixteen grams may be taken from */
    CANDIDATE_WORK = 3,
    PRINTS = 4, /* that are compared at once */
    PRINTS_WORK = 2,
    COMPARE_WORK = 6,
    BYTES_OF_WORK = 8 /* compared in one unit */
};

/* What is queued: a place of the text, and the list of its gram, then what is left of it. */
typedef struct place {
    u32 at, entry, stop;
} place;

typedef struct search {
    text_task *task;
    const qgrams_tables *t;
    const u32 *bits, *lists;
    const qgrams_print *prints;
    const qgrams_entry *entries;
    const u8 *literals;
    u32 block, stop; /* what begins in [block, stop) is reported */
    u32 reached;     /* by the filter */
    u32 queued;
    u64 work;
    u32 lanes[LANES]; /* 0, 1, 2 ... */
    u32 queue[QUEUE + LANES], hashes[QUEUE + LANES];
    place places[QUEUE], found[QUEUE + PRINTS];
    record ends[QUEUE + PRINTS];
} search;

/* How a gram is read; a constant at each call, so that the loop is compiled for each. */
typedef enum form { SHORT_GRAM, FOUR_BYTES, TWO_WORDS } form;

/* Reads the q bytes at `at`. */
WALK_INTO u32 hash_at(const search *s, const u8 *at, form form)
{
    if (form == SHORT_GRAM)
        return qgrams_hash_at(at, s->t->q, s->t->fold);
    const u32 first = qgrams_word(at, 4) | s->t->fold;
    return form == FOUR_BYTES ? qgrams_hash(first, 0)
                              : qgrams_hash(first, qgrams_word(at + (s->t->q - 4), 4) | s->t->fold);
}

/* ---- what passed ------------------------------------------------------------------ */

static u64 word_at(const u8 *at)
{
    u64 word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* How many bytes of a literal stand at `text`, about, if not all. */
static u32 equal_bytes(const u8 *literal, const u8 *text, u32 length)
{
    u32 i = 0;
    if (length < 8) {
        while (i < length && literal[i] == text[i])
            i++;
        return i;
    }
    const u64 last = word_at(literal + length - 8) ^ word_at(text + length - 8);
    if ((last | (word_at(literal) ^ word_at(text))) != 0)
        return 0;
    for (i = 8; length - i >= 8; i += 8)
        if (word_at(literal + i) != word_at(text + i))
            return i;
    return length;
}

/* Compare the pattern of an entry, which begins in the block. */
WALK_INTO void compare(search *s, u32 start, const qgrams_entry *e)
{
    const text_task *task = s->task;
    const literal_tables *l = &s->t->literals;
    const u32 length = e->length & LITERAL_LENGTH;
    if (length > task->end - start || length + start <= task->begin)
        return;
    const u32 equal =
        e->length & LITERAL_FOLDED
            ? literal_matched(task->tables, l->entries, l->bytes, e->index, task->text, start)
            : equal_bytes(s->literals + e->first, task->text + start, length);
    s->work += COMPARE_WORK + equal / BYTES_OF_WORK;
    if (equal == length)
        sink_put(task->out, start + length, e->index);
}

/* The eight bytes that prints are of, the first one lowest; zeros where there is no text. */
WALK_INTO u64 eight(const text_task *task, u32 at)
{
    const u8 *from = task->text + at - QGRAMS_BEFORE;
    u64 bytes = 0;
    if (PORT_LIKELY(at - task->from >= QGRAMS_BEFORE && task->end - at >= 8 - QGRAMS_BEFORE))
        return (u64)qgrams_word(from, 4) | (u64)qgrams_word(from + 4, 4) << 32;
    for (u32 i = 0; i < 8; i++)
        if (at + i >= task->from + QGRAMS_BEFORE && at + i - QGRAMS_BEFORE < task->end)
            bytes |= (u64)task->text[at + i - QGRAMS_BEFORE] << (8 * i);
    return bytes;
}

/* Report those of the found prints whose patterns stand there: first those that are the pattern,
 * and beside them, without a branch, a list of the others. False: give up. */
WALK_INTO bool settle_found(search *s, u32 count)
{
    const text_task *task = s->task;
    const u32 block = s->block, length = s->stop - s->block, begin = task->begin;
    u32 rest = 0, ends = 0;
    for (u32 i = 0; i < count; i++) {
        const place p = s->found[i];
        const qgrams_entry *e = &s->entries[p.entry];
        const u32 start = p.at - e->offset, end = start + e->whole;
        if (PORT_UNLIKELY(start - block >= length))
            continue; /* another block's, or it begins before all that may be read */
        const bool whole = e->whole && task->end - start >= e->whole;
        s->ends[ends] = (record){ end, e->index };
        ends += whole & (end > begin);
        s->found[rest] = (place){ start, p.entry, 0 };
        WALK_FETCH(s->literals + e->first);
        rest += !whole;
    }
    for (u32 i = 0; i < ends; i++)
        sink_put(task->out, s->ends[i].pos, s->ends[i].index);
    for (u32 i = 0; i < rest; i++) {
        compare(s, s->found[i].at, &s->entries[s->found[i].entry]);
        if (give_up(task, s->reached, s->work))
            return false;
    }
    return true;
}

/* Look up all that is queued. False: give up. */
WALK_APART bool settle_queue(search *s)
{
    const u32 shift = s->t->lists_shift, queued = s->queued;
    const u32 *lists = s->lists;
    u32 count = 0, found = 0;
    for (u32 i = 0; i < queued; i++)
        WALK_FETCH(&lists[s->hashes[i] >> shift]);
    for (u32 i = 0; i < queued; i++) {
        const u32 *list = &lists[s->hashes[i] >> shift];
        s->places[count] = (place){ s->queue[i], list[0], list[1] };
        WALK_FETCH(&s->prints[list[0]]);
        count += list[0] < list[1];
    }
    s->work += (u64)CANDIDATE_WORK * queued;
    s->task->candidates += queued;
    s->queued = 0;
    for (u32 i = 0; i < count; i++) {
        place p = s->places[i];
        const u64 bytes = eight(s->task, p.at);
        for (;;) {
            u32 fits = vec_fits(&s->prints[p.entry].bytes, bytes) & (u32)vec_mask(p.stop - p.entry);
            s->found[found] = (place){ p.at, p.entry + VEC_FIRST((u64)fits | 1u << PRINTS), 0 };
            found += fits != 0;
            for (fits &= fits - 1 + !fits; PORT_UNLIKELY(fits); fits &= fits - 1)
                s->found[found++] = (place){ p.at, p.entry + VEC_FIRST((u64)fits), 0 };
            if (PORT_UNLIKELY(found >= QUEUE)) {
                if (!settle_found(s, found))
                    return false;
                found = 0;
            }
            if (PORT_LIKELY(p.stop - p.entry <= PRINTS))
                break;
            p.entry += PRINTS;
            s->work += PRINTS_WORK;
            if (give_up(s->task, s->reached, s->work))
                return false;
        }
    }
    return settle_found(s, found) && !give_up(s->task, s->reached, s->work);
}

/* ---- the filter --------------------------------------------------------------------- */

/* Up to BATCH places from `at` on, a multiple of LANES: the hashes of all, then the words of the
 * bitmap, then their bits. Three loops, since a gather takes twice as long as sixteen loads. */
WALK_INTO void try_batch(search *s, u32 at, u32 count, form form)
{
    const qgrams_tables *t = s->t;
    const u8 *text = s->task->text + at;
    const u32 *bits = s->bits;
    const u32 stride = t->stride, shift = t->bits_shift;
    const vec_every every = vec_every_of(stride);
    const vec fold = vec_all32(t->fold);
    const vec mask = vec_all32(form == SHORT_GRAM ? UINT32_MAX >> (32 - 8 * t->q) : UINT32_MAX);
    const vec first = vec_all32(QGRAMS_FIRST), second = vec_all32(QGRAMS_SECOND);
    const vec next = vec_all32(LANES * stride);
    u32 hashes[BATCH], words[BATCH];
    for (u32 i = 0; i < count; i += LANES, text += LANES * stride) {
        vec grams = vec_or(vec_load_every(every, text), fold);
        if (form == SHORT_GRAM)
            grams = vec_and(grams, mask);
        vec hash = vec_times32(grams, first);
        if (form == TWO_WORDS) {
            const vec behind = vec_or(vec_load_every(every, text + (t->q - 4)), fold);
            hash = vec_add32(hash, vec_times32(behind, second));
        }
        vec_store32(hashes + i, hash);
        vec_store32(words + i, vec_down32(hash, shift + 5));
    }
    const volatile u32 *at_word = words; /* compilers would take vectors apart for this loop */
    for (u32 i = 0; i < count; i += 8) {
        words[i] = bits[at_word[i]];
        words[i + 1] = bits[at_word[i + 1]];
        words[i + 2] = bits[at_word[i + 2]];
        words[i + 3] = bits[at_word[i + 3]];
        words[i + 4] = bits[at_word[i + 4]];
        words[i + 5] = bits[at_word[i + 5]];
        words[i + 6] = bits[at_word[i + 6]];
        words[i + 7] = bits[at_word[i + 7]];
    }
    vec places = vec_add32(vec_all32(at), vec_times32(vec_load32(s->lanes), vec_all32(stride)));
    u32 queued = s->queued;
    for (u32 i = 0; i < count; i += LANES) {
        const vec hash = vec_load32(hashes + i);
        const u32 passes = vec_bits32(vec_load32(words + i), vec_down32(hash, shift));
        vec_pack32(s->hashes + queued, hash, passes);
        queued += vec_pack32(s->queue + queued, places, passes);
        places = vec_add32(places, next);
    }
    s->queued = queued;
}

/* All that begins in the block. False: give up. */
WALK_INTO bool run_block(search *s, form form)
{
    const text_task *task = s->task;
    const qgrams_tables *t = s->t;
    const u32 end = task->end, stride = t->stride;
    u32 at = s->block, last = s->stop + t->most_offset; /* grams begin before `last` */
    if (end - at < t->q)
        return true;
    last = last < end - t->q + 1 ? last : end - t->q + 1;
    while (at < last) {
        const u32 most = last - at < BATCH * stride ? (last - at) / stride : BATCH;
        const u32 inside = end - at < REACHES ? 0 : (end - at - REACHES) / stride;
        const u32 count = (most < inside ? most : inside) / LANES * LANES;
        if (count) {
            try_batch(s, at, count, form);
            at += count * stride;
        } else {
            const u32 hash = hash_at(s, task->text + at, form), place = hash >> t->bits_shift;
            s->queue[s->queued] = at;
            s->hashes[s->queued] = hash;
            s->queued += s->bits[place / 32] >> (place % 32) & 1;
            at += stride;
        }
        s->reached = at;
        if (s->queued > QUEUE - BATCH && !settle_queue(s))
            return false;
    }
    return settle_queue(s);
}

static bool find(search *s)
{
    if (s->t->q < 4)
        return run_block(s, SHORT_GRAM);
    return s->t->q == 4 ? run_block(s, FOUR_BYTES) : run_block(s, TWO_WORDS);
}

u32 VEC_NAME(qgrams_walk)(text_task *task)
{
    const qgrams_tables *t = (const qgrams_tables *)task->tables;
    const u32 end = task->end;
    search s;
    s.task = task;
    s.t = t;
    s.bits = task->tables + t->bits;
    s.lists = task->tables + t->lists;
    s.prints = (const qgrams_print *)(const void *)(task->tables + t->prints);
    s.entries = (const qgrams_entry *)(const void *)(task->tables + t->entries);
    s.literals = (const u8 *)(task->tables + t->literals.bytes);
    s.work = 0;
    for (u32 i = 0; i < LANES; i++)
        s.lanes[i] = i;
    for (s.block = task->from; s.block < end; s.block = s.stop) {
        const u64 found = *task->out->cursor;
        s.stop = end - s.block > BLOCK ? s.block + BLOCK : end;
        s.queued = 0;
        if (!find(&s)) {
            *task->out->cursor = found;
            return s.block;
        }
    }
    return end;
}
