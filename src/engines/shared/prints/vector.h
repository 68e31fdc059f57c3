/* vector.h: looks up, compares and reports what the filters of teddy and qgrams let pass.
 *
 * Idea: places are queued with the hash of their gram. The lists of the whole queue are fetched
 * before any of them is read; four prints (8 bytes of the pattern around the gram, and a mask) are
 * compared at once. If a print holds the whole pattern, that is an occurrence; other patterns are
 * compared by words of four bytes that overlap. Each step takes the whole queue and stores its
 * results whether they count or not, so that no branch depends on a single place. A record is put
 * where the order of ends wants it, among the last few.
 *
 * Invariant: all occurrences that begin before `block` have been reported, and none that begins
 * after the block. A block reads on to the last gram of what begins in it; the next one reads that
 * again. So giving up within a block takes back what the block has reported, also from among
 * records that end later and begin before it.
 *
 * Cost: O(list / 4) for a place that passes, and a comparison for what fits a print. The walk gives
 * up when that is too much.
 */
#ifndef TRAWL_ENGINES_SHARED_PRINTS_VECTOR_H
#define TRAWL_ENGINES_SHARED_PRINTS_VECTOR_H

#include "engines/shared/prints/layout.h"
#include "engines/shared/vec.h"

enum {
    BLOCK = 16384, /* bytes of text */
    BATCH = 256,   /* places that a filter tries before it asks whether the queue is full */
    QUEUE = 1024,
    LANES = 16,
    NEAR = 32,  /* the last records, among which a new one is put in order */
    PRINTS = 4, /* prints that are compared at once */
    WORDS = 16  /* the most bytes of a pattern that four words compare */
};

/* Work, in the units of give_up. */
enum { CANDIDATE_WORK = 3, PRINTS_WORK = 2, COMPARE_WORK = 6, BYTES_OF_WORK = 8 };

/* What is queued: a place of the text and the list of its gram, then what is left of the list. */
typedef struct place {
    u32 at, entry, stop;
} place;

typedef struct candidates {
    text_task *task;
    const prints_tables *t;
    const u32 *lists;
    const print *prints;
    const print_entry *entries;
    const u8 *literals;
    u32 block, stop; /* what begins in [block, stop) is reported */
    u32 reached;     /* by the filter */
    u32 queued;
    u64 work, first; /* first: the first record of this walk */
    u32 queue[QUEUE + LANES], hashes[QUEUE + LANES];
    place places[QUEUE], found[QUEUE + PRINTS];
    record ends[QUEUE + PRINTS]; /* `pos` is 0: it did not stand there */
} candidates;

/* p[0 .. 3], and p[0 .. 7], the first byte lowest. Compilers do not make one load of several. */
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
    return gram_word(p, 4);
}

WALK_INTO u64 eight_bytes(const u8 *p)
{
    return four_bytes(p) | (u64)four_bytes(p + 4) << 32;
}
#endif

/* ---- records --------------------------------------------------------------------- */

/* Put a record where it belongs in order, if that is among the last few. */
WALK_INTO void put_in_order(const candidates *c, record of)
{
    const sink *out = c->task->out;
    u64 slot = (*out->cursor)++;
    if (slot >= out->capacity)
        return;
    const u64 least = slot > c->first + NEAR ? slot - NEAR : c->first;
    record *r = out->records;
    while (slot > least && (r[slot - 1].pos > of.pos ||
                            (r[slot - 1].pos == of.pos && r[slot - 1].index > of.index))) {
        r[slot] = r[slot - 1];
        slot--;
    }
    r[slot] = of;
}

/* Give up: take back what the block reported. The records since the cursor was at `found` begin in
 * the block, or are older ones, which may have been moved after newer ones. */
WALK_APART void take_back(const candidates *c, u64 found)
{
    const sink *out = c->task->out;
    const u64 stored = *out->cursor < out->capacity ? *out->cursor : out->capacity;
    u64 kept = found > c->first + NEAR ? found - NEAR : c->first;
    for (u64 i = kept; i < stored; i++) {
        const record r = out->records[i];
        const u32 length = literal_length(c->task->tables, c->t->literals.entries, r.index);
        if (r.pos - length < c->block)
            out->records[kept++] = r;
    }
    *out->cursor = found;
}

/* Report those of c->ends that are occurrences. */
WALK_INTO void report_ends(candidates *c, u32 count)
{
    const sink *out = c->task->out;
    u32 left = 0;
    for (u32 i = 0; i < count; i++) {
        const record end = c->ends[i];
        c->ends[left] = end;
        left += end.pos != 0;
    }
    if (*out->cursor >= out->capacity) {
        *out->cursor += left;
        return;
    }
    for (u32 i = 0; i < left; i++)
        put_in_order(c, c->ends[i]);
}

/* ---- comparing ------------------------------------------------------------------- */

/* ASCII letters of a word in lower case. */
WALK_INTO u64 fold_word(u64 word)
{
    const u64 ones = 0x0101010101010101u, low = word & 0x7f * ones;
    const u64 upper = (low + (0x80 - 'A') * ones) & ~(low + (0x7f - 'Z') * ones) & ~word;
    return word | (upper & 0x80 * ones) >> 2;
}

/* Does a literal of 4 .. WORDS bytes stand at `text`? It is compared by words of four bytes that
 * overlap. */
WALK_INTO bool words_equal(const u8 *literal, const u8 *text, u32 length, bool folded)
{
    const u32 last = length - 4, second = last < 4 ? last : 4, third = length > 8 ? length - 8 : 0;
    u64 first_half = four_bytes(text) | (u64)four_bytes(text + second) << 32;
    u64 other_half = four_bytes(text + third) | (u64)four_bytes(text + last) << 32;
    if (folded) {
        first_half = fold_word(first_half);
        other_half = fold_word(other_half);
    }
    first_half ^= four_bytes(literal) | (u64)four_bytes(literal + second) << 32;
    other_half ^= four_bytes(literal + third) | (u64)four_bytes(literal + last) << 32;
    return (first_half | other_half) == 0;
}

/* Does the pattern of an entry stand at `start`? For patterns that words_equal does not take. */
WALK_APART bool stands_in_full(candidates *c, const print_entry *e, u32 start)
{
    const literal_tables *l = &c->t->literals;
    const u32 length = e->length & LITERAL_LENGTH;
    const u8 *text = c->task->text + start, *literal = c->literals + e->first;
    u32 equal = 0;
    if (e->length & LITERAL_FOLDED)
        equal =
            literal_matched(c->task->tables, l->entries, l->bytes, e->index, c->task->text, start);
    else {
        while (length - equal >= 8 && eight_bytes(literal + equal) == eight_bytes(text + equal))
            equal += 8;
        while (equal < length && literal[equal] == text[equal])
            equal++;
    }
    c->work += equal / BYTES_OF_WORK;
    return equal == length;
}

/* The eight bytes that prints are compared with, the first one lowest; zeros where there is no
 * text. */
WALK_INTO u64 print_at(const candidates *c, u32 at)
{
    const text_task *task = c->task;
    const u32 before = c->t->before;
    u64 bytes = 0;
    if (PORT_LIKELY(at - task->from >= before && task->end - at >= PRINT_BYTES - before))
        return eight_bytes(task->text + at - before);
    for (u32 i = 0; i < PRINT_BYTES; i++)
        if (at + i >= task->from + before && at + i - before < task->end)
            bytes |= (u64)task->text[at + i - before] << (8 * i);
    return bytes;
}

/* Report those of the found prints whose patterns stand there, in the order of their places. False:
 * give up. */
WALK_INTO bool settle_found(candidates *c, u32 count)
{
    const text_task *task = c->task;
    const u32 block = c->block, length = c->stop - c->block, begin = task->begin, end = task->end;
    u32 rest = 0, ends = 0;
    for (u32 i = 0; i < count; i++) {
        const place p = c->found[i];
        const print_entry *e = &c->entries[p.entry];
        const u32 start = p.at - e->offset, size = e->length & LITERAL_LENGTH;
        /* Else it belongs to another block, or begins before, or ends after, all that may be
         * read. */
        const bool inside =
            (start - block < length) & (size <= end - start) & (start + size > begin);
        c->ends[ends] = (record){ start + size, e->index };
        c->found[rest] = (place){ start, p.entry, ends };
        WALK_FETCH(c->literals + e->first);
        ends += inside;
        rest += inside & !e->whole;
    }
    for (u32 i = 0; i < rest; i++) {
        const place p = c->found[i];
        const print_entry *e = &c->entries[p.entry];
        const u32 size = e->length & LITERAL_LENGTH;
        bool stands;
        c->work += COMPARE_WORK;
        if (PORT_LIKELY(size - 4 <= WORDS - 4)) {
            stands = words_equal(c->literals + e->first, task->text + p.at, size,
                                 e->length & LITERAL_FOLDED);
        } else {
            stands = stands_in_full(c, e, p.at);
            if (give_up(task, c->reached, c->work))
                return false;
        }
        c->ends[p.stop].pos = stands ? c->ends[p.stop].pos : 0;
    }
    report_ends(c, ends);
    return !give_up(task, c->reached, c->work);
}

/* Look up all that is queued. False: give up. */
WALK_APART bool settle_queue(candidates *c)
{
    const u32 shift = c->t->lists_shift, queued = c->queued;
    const u32 *lists = c->lists;
    u32 count = 0, found = 0;
    for (u32 i = 0; i < queued; i++)
        WALK_FETCH(&lists[c->hashes[i] >> shift]);
    for (u32 i = 0; i < queued; i++) {
        const u32 *list = &lists[c->hashes[i] >> shift];
        c->places[count] = (place){ c->queue[i], list[0], list[1] };
        WALK_FETCH(&c->prints[list[0]]);
        WALK_FETCH(&c->prints[list[0] + PRINTS - 1]);
        count += list[0] < list[1];
    }
    c->work += (u64)CANDIDATE_WORK * queued;
    c->task->candidates += queued;
    c->queued = 0;
    for (u32 i = 0; i < count; i++) {
        place p = c->places[i];
        const u64 bytes = print_at(c, p.at);
        for (;;) {
            u32 fits = vec_fits(&c->prints[p.entry].bytes, bytes) & (u32)vec_mask(p.stop - p.entry);
            const u32 first = p.entry + VEC_FIRST((u64)fits | 1u << PRINTS);
            c->found[found] = (place){ p.at, first, 0 };
            WALK_FETCH(&c->entries[first]);
            found += fits != 0;
            for (fits &= fits - 1 + !fits; PORT_UNLIKELY(fits); fits &= fits - 1)
                c->found[found++] = (place){ p.at, p.entry + VEC_FIRST((u64)fits), 0 };
            if (PORT_UNLIKELY(found >= QUEUE)) {
                if (!settle_found(c, found))
                    return false;
                found = 0;
            }
            if (PORT_LIKELY(p.stop - p.entry <= PRINTS))
                break;
            p.entry += PRINTS;
            c->work += PRINTS_WORK;
            if (give_up(c->task, c->reached, c->work))
                return false;
        }
    }
    return settle_found(c, found);
}

/* ---- what filters do --------------------------------------------------------------- */

/* gram_fold of sixteen grams. */
WALK_INTO vec fold_grams(vec bytes, vec fold)
{
    return vec_or(bytes, vec_and(vec_down32(bytes, 1), fold));
}

/* The upper bits of sixteen hashes number words of the bitmap, and below them bits. */
WALK_INTO vec bit_words(vec hashes, u32 shift)
{
    return vec_down32(hashes, shift + 5);
}

/* Queue those of `count` places, at most BATCH, whose hashes have their bit in the bitmap. `words`
 * has the numbers of the bitmap's words with these bits; all arrays reach to a multiple of LANES.
 * There are separate loops, since a gather takes twice as long as sixteen loads. */
WALK_INTO void queue_those_set(candidates *c, const u32 *bits, u32 shift, const u32 *places,
                               const u32 *hashes, u32 *words, u32 count)
{
    const volatile u32 *at_word = words; /* else compilers take vectors apart for this loop */
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
    u32 queued = c->queued;
    for (u32 i = 0; i < count; i += LANES) {
        const vec hash = vec_load32(hashes + i);
        const u32 passes =
            vec_bits32(vec_load32(words + i), vec_down32(hash, shift)) & (u32)vec_mask(count - i);
        vec_pack32(c->hashes + queued, hash, passes);
        queued += vec_pack32(c->queue + queued, vec_load32(places + i), passes);
    }
    c->queued = queued;
}

/* The same for one place. */
WALK_INTO void queue_if_set(candidates *c, const u32 *bits, u32 shift, u32 at, u32 hash)
{
    const u32 bit = hash >> shift;
    c->queue[c->queued] = at;
    c->hashes[c->queued] = hash;
    c->queued += bits[bit / 32] >> (bit % 32) & 1;
}

/* The place before which all grams of what begins in the block begin. */
WALK_INTO u32 last_gram(const candidates *c)
{
    const u32 last = c->stop + c->t->most_offset, inside = c->task->end - c->t->q + 1;
    return last < inside ? last : inside;
}

/* Queue the candidates of the block, in which a gram fits, and settle them. False: give up. */
typedef bool (*block_filter)(candidates *c, const void *filter);

/* Search all blocks; `filter` is a constant. Returns where the walk ended or gave up. */
WALK_INTO u32 walk_blocks(candidates *c, text_task *task, const prints_tables *t,
                          block_filter filter, const void *of)
{
    const u32 end = task->end;
    c->task = task;
    c->t = t;
    c->lists = task->tables + t->lists;
    c->prints = (const print *)(const void *)(task->tables + t->prints);
    c->entries = (const print_entry *)(const void *)(task->tables + t->entries);
    c->literals = (const u8 *)(task->tables + t->literals.bytes);
    c->work = 0;
    c->first = *task->out->cursor;
    for (c->block = task->from; c->block < end; c->block = c->stop) {
        const u64 found = *task->out->cursor;
        c->stop = end - c->block > BLOCK ? c->block + BLOCK : end;
        c->queued = 0;
        c->reached = c->block;
        if (end - c->block >= t->q && !filter(c, of)) {
            take_back(c, found);
            return c->block;
        }
    }
    return end;
}

#endif
